"""Lemmy with both API versions: link posts, logins and error codes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.base import (
    Account,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Figures,
    Gone,
    Limit,
    Misconfigured,
    RateLimited,
    Receipt,
    Rejected,
    Unavailable,
)
from blogsvc.connectors.lemmy.connector import MAX_PAGES_SEARCHED, PER_PAGE, Lemmy
from blogsvc.connectors.lemmy.posts import community
from tests.connectors.contract import AN_ARTICLE, CHOSEN_AT, FAMILY, HTTPContract, keys_of, with_own_text
from tests.connectors.fake_lemmy import PASSWORD, SERVER, USER, FakeLemmy

SETTINGS = {"url": SERVER, "username": USER, "password": PASSWORD, "community": "trees"}
FACTS = {"api": "v3", "person_id": 31, "community_id": 7}
OWN = with_own_text(AN_ARTICLE, AN_ARTICLE.markdown)


class TestContract(HTTPContract):
    api = "v3"
    too_long = with_own_text(OWN, "x" * 10_001)

    def make(self, outside):
        self.fake = FakeLemmy(outside, self.api)
        return Lemmy(SETTINGS, outside.http())

    def is_creation(self, seen):
        return seen.method == "POST" and seen.url.endswith("/post")

    def live(self, now):
        self.fake.now = now

    def copies(self, outside):
        return len(self.fake.public())

    def edit_on_platform(self, outside):
        self.fake.public()[0]["body"] = "Something else."

    def bury(self, outside):
        for n in range(PER_PAGE * MAX_PAGES_SEARCHED):
            self.fake.post_by_hand(f"https://other.example/{n}")

    def add_readers(self, outside):
        self.fake.public()[0].update(score=12, comments=3)
        return Figures(likes=12, comments=3)


class TestContractOfTheNewGeneration(TestContract):
    api = "v4"
    too_long = with_own_text(OWN, "x" * 50_001)


class TestContractOfTheOneThatIsKnown(TestContract):
    """The same with the facts stored when connecting."""

    def make(self, outside):
        self.fake = FakeLemmy(outside)
        return Lemmy(SETTINGS, outside.http(), facts=FACTS)


@pytest.fixture
def fake(outside):
    return FakeLemmy(outside)


@pytest.fixture
def lemmy(outside, fake):
    return Lemmy(SETTINGS, outside.http(), facts=FACTS)


def publish(lemmy, article=AN_ARTICLE, **options):
    return lemmy.publish(lemmy.compose(article, options), keys_of(lemmy, article))


def asked(outside, path):
    return [seen for seen in outside.requests if seen.url.partition("?")[0].endswith(path)]


def test_a_post_has_a_title_a_link_and_a_short_text(lemmy, outside):
    article = replace(AN_ARTICLE, summary="*All* about [trees]!", cover_url="https://blog.example/media/tree.png")
    receipt = publish(lemmy, article, nsfw="yes")
    assert asked(outside, "/post")[0].json() == {
        "name": "Of trees",
        "url": "https://blog.example/posts/of-trees",
        "body": r"\*All\* about \[trees\]!",
        "nsfw": True,
        "custom_thumbnail": "https://blog.example/media/tree.png",
        "community_id": 7,
    }
    assert (receipt.remote_id, receipt.url) == ("500", "https://lemmy.example/post/500")


def test_custom_text_is_sent_as_markdown(lemmy, fake):
    publish(lemmy, with_own_text(OWN, "A *tree*.\n"))
    assert fake.public()[0]["body"] == "A *tree*."


@pytest.mark.parametrize(("api", "most"), [("v3", 10_000), ("v4", 50_000)])
def test_connecting_stores_the_api_version_account_and_community(outside, api, most):
    FakeLemmy(outside, api)
    account = Lemmy(SETTINGS, outside.http()).verify()
    facts = {"api": api, "person_id": 31, "community_id": 7}
    assert account == Account("ada@lemmy.example", "https://lemmy.example/u/ada", facts)
    assert Lemmy(SETTINGS, facts=facts).limits_here()[1] == Limit("text", most, "characters")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("trees", "trees"),
        ("!wood@other.example", "wood@other.example"),
        ("https://other.example/c/wood", "wood@other.example"),
        ("https://lemmy.example/c/wood@other.example/", "wood@other.example"),
    ],
)
def test_a_community_can_be_written_in_many_ways(written, name):
    assert community(written) == name


@pytest.mark.parametrize("written", ["https://lemmy.example/c/trees", "trees@lemmy.example", "!trees@lemmy.example"])
def test_a_community_on_the_same_server_needs_no_server_name(outside, fake, written):
    assert Lemmy({**SETTINGS, "community": written}, outside.http()).verify().facts["community_id"] == 7


def test_an_unknown_community_is_reported_at_its_field(outside, fake):
    with pytest.raises(Misconfigured) as caught:
        Lemmy({**SETTINGS, "community": "shrubs"}, outside.http()).verify()
    assert caught.value.field == "community"


def test_a_wrong_password_is_reported_at_its_field(outside, fake):
    with pytest.raises(Disconnected) as caught:
        Lemmy({**SETTINGS, "password": "wrong"}, outside.http()).verify()
    assert caught.value.field == "password"


def test_an_address_without_lemmy_is_reported(outside):
    outside.always(status=200, body=b"<!doctype html>", headers={"Content-Type": "text/html"})
    with pytest.raises(Misconfigured, match="No Lemmy server found") as caught:
        Lemmy(SETTINGS, outside.http()).verify()
    assert caught.value.field == "url"


def test_a_login_is_kept_between_deliveries(lemmy, outside):
    publish(lemmy)
    later = Lemmy(SETTINGS, outside.http(), facts=FACTS, session=lemmy.session)
    later.fetch_version({}, Receipt("500"))
    assert len(asked(outside, "/login")) == 1
    assert later.session["jwt"] in later.secrets()


def test_an_expired_login_is_renewed(lemmy, fake, outside):
    publish(lemmy)
    fake.tokens.clear()
    publish(lemmy)
    assert len(asked(outside, "/login")) == 2
    assert len(fake.public()) == 2


def test_a_title_of_200_characters_fits_and_a_longer_one_is_shortened(lemmy, fake):
    publish(lemmy, replace(AN_ARTICLE, title=FAMILY * 28 + "four"))
    publish(lemmy, replace(AN_ARTICLE, title="word " * 50))
    titles = [post["name"] for post in fake.public()]
    assert [len(title) for title in titles] == [200, 200]
    assert titles[1].endswith("word…")
    assert lemmy.compose(replace(AN_ARTICLE, title="word " * 50), {}).warnings == (
        "The title is shortened to the Lemmy limit of 200 characters.",
    )


def test_a_title_is_one_line(lemmy):
    assert lemmy.compose(replace(AN_ARTICLE, title="Of\n trees"), {}).body["name"] == "Of trees"


@pytest.mark.parametrize("title", ["ab", "a b c"])
def test_a_title_without_three_letters_is_rejected(lemmy, title):
    article = replace(AN_ARTICLE, title=title, canonical_url=None)
    assert lemmy.mint(article) == {"title": title}
    with pytest.raises(Rejected, match="three letters"):
        lemmy.compose(article, {})


def test_a_too_long_link_is_rejected(lemmy):
    with pytest.raises(Rejected, match="shorter URL"):
        lemmy.compose(replace(AN_ARTICLE, canonical_url="https://b.example/" + "x" * 2000), {})


def test_a_post_without_a_canonical_url_is_text_and_found_by_its_title(lemmy, outside):
    article = replace(AN_ARTICLE, canonical_url=None)
    assert lemmy.compose(article, {}).warnings == (
        "The post has no URL of its own, so its text is posted to Lemmy without a link.",
    )
    receipt = publish(lemmy, article)
    assert "url" not in asked(outside, "/post")[0].json()
    assert lemmy.find(keys_of(lemmy, article)) == CopyFound(receipt)
    assert isinstance(lemmy.find({"title": "Of bushes", "armed_at": CHOSEN_AT}), CopyNotFound)


def test_the_same_link_in_another_community_is_another_post(lemmy, outside, fake):
    publish(lemmy)
    other = Lemmy(SETTINGS, outside.http(), facts={**FACTS, "community_id": 8})
    assert isinstance(other.find(keys_of(other)), CopyNotFound)


def test_a_post_removed_by_a_moderator_is_not_sent_again(lemmy, fake):
    receipt = publish(lemmy)
    fake.public()[0]["removed"] = True
    assert isinstance(lemmy.find(keys_of(lemmy)), CopyUnknown)
    with pytest.raises(Gone):
        lemmy.stats(receipt)


def test_emptied_fields_are_emptied_on_the_platform(lemmy, fake):
    receipt = publish(lemmy, replace(AN_ARTICLE, cover_url="https://blog.example/media/tree.png"))
    bare = lemmy.compose(replace(AN_ARTICLE, summary=""), {})
    lemmy.update(bare, {"operation": "op-2"}, receipt)
    assert (fake.public()[0]["body"], fake.public()[0]["custom_thumbnail"]) == (None, None)


def test_an_update_whose_response_was_lost_is_no_conflict(lemmy, outside):
    receipt = publish(lemmy)
    payload = lemmy.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    outside.lose_next(lambda seen: seen.method == "PUT")
    with pytest.raises(Unavailable):
        lemmy.update(payload, {"operation": "op-2"}, receipt)
    again = lemmy.update(payload, {"operation": "op-2"}, receipt)
    assert lemmy.fetch_version({}, again).version == again.version


@pytest.mark.parametrize("api", ["v3", "v4"])
def test_a_deletion_can_be_repeated_and_a_missing_post_is_gone(outside, api):
    FakeLemmy(outside, api)
    lemmy = Lemmy(SETTINGS, outside.http())
    receipt = publish(lemmy)
    lemmy.delete({"operation": "op-2"}, receipt)
    for gone in (receipt, Receipt("999"), Receipt("not-a-number")):
        with pytest.raises(Gone):
            lemmy.delete({"operation": "op-3"}, gone)


def test_a_rejected_deletion_is_reported(lemmy, outside):
    receipt = publish(lemmy)
    outside.always(lambda seen: seen.url.endswith("/post/delete"), status=400, json={"error": "no_post_edit_allowed"})
    with pytest.raises(Rejected, match="no_post_edit_allowed"):
        lemmy.delete({"operation": "op-2"}, receipt)


@pytest.mark.parametrize("api", ["v3", "v4"])
def test_a_seventh_post_in_ten_minutes_is_rate_limited(outside, api):
    FakeLemmy(outside, api, clock=lambda: 0)
    lemmy = Lemmy(SETTINGS, outside.http())
    for _ in range(6):
        publish(lemmy)
    with pytest.raises(RateLimited):
        publish(lemmy)


def test_a_negative_score_counts_as_zero_likes(lemmy, fake):
    receipt = publish(lemmy)
    fake.public()[0].update(score=-4, comments=0)
    assert lemmy.stats(receipt) == Figures(likes=0, comments=0)


@pytest.mark.parametrize(
    ("word", "kind", "field"),
    [
        ("missing_totp_token", Disconnected, None),
        ("site_ban", Disconnected, None),
        ("email_not_verified", Disconnected, None),
        ("person_is_banned_from_community", Misconfigured, "community"),
        ("only_mods_can_post_in_community", Misconfigured, "community"),
        ("couldnt_find_community", Misconfigured, "community"),
        ("invalid_url", Rejected, None),
        ("slurs", Rejected, None),
        ("something_new", Rejected, None),
        (["odd"], Rejected, None),
    ],
)
def test_each_error_code_says_what_to_do(lemmy, outside, word, kind, field):
    outside.always(lambda seen: seen.url.endswith("/post"), status=400, json={"error": word})
    with pytest.raises(kind) as caught:
        publish(lemmy)
    assert caught.value.field == field
    assert "_" not in str(caught.value) or word == "something_new"


@pytest.mark.parametrize("said", [[], {}, {"posts": 7}, {"posts": None, "items": {}}])
def test_an_invalid_list_gives_an_unknown_result(lemmy, outside, said):
    outside.always(lambda seen: seen.url.partition("?")[0].endswith("/user"), json=said)
    assert isinstance(lemmy.find(keys_of(lemmy)), CopyUnknown)


def test_invalid_posts_in_a_list_are_skipped(lemmy, outside):
    odd = {"posts": [7, {}, {"post": 7}, {"post": {"id": 1, "url": 7}}, {"post": {"id": 2, "url": None}}]}
    outside.always(lambda seen: seen.url.partition("?")[0].endswith("/user"), json=odd)
    assert isinstance(lemmy.find(keys_of(lemmy)), CopyNotFound)
    assert isinstance(lemmy.find({"operation": "op-1"}), CopyUnknown)
