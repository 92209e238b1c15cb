"""Mastodon and compatible servers: text length, idempotency keys, media processing and edits."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from blogsvc.connectors.base import (
    Account,
    ArticleImage,
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Figures,
    Gone,
    ImageFile,
    Limit,
    RateLimited,
    Rejected,
    Unavailable,
    Unsupported,
)
from blogsvc.connectors.mastodon import server_api
from blogsvc.connectors.mastodon.connector import MAX_PAGES_SEARCHED, PER_PAGE, Mastodon
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE, FAMILY, HTTPContract, keys_of, with_own_text
from tests.connectors.fake_mastodon import ACCOUNT, SERVER, TOKEN, FakeMastodon
from tests.images import jpeg, png

SETTINGS = {"url": SERVER, "token": TOKEN}
ATTACH = {"image": "attach"}
OWN = with_own_text(AN_ARTICLE, AN_ARTICLE.markdown)


class TestContract(HTTPContract):
    too_long = with_own_text(OWN, "word " * 101)

    def make(self, outside):
        self.fake = FakeMastodon(outside)
        return Mastodon(SETTINGS, outside.http())

    def copies(self, outside):
        return len(self.fake.statuses)

    def live(self, now):
        self.fake.now = now

    def edit_on_platform(self, outside):
        self.fake.edit_by_hand(next(iter(self.fake.statuses)))

    def bury(self, outside):
        for n in range(PER_PAGE * MAX_PAGES_SEARCHED):
            self.fake.announce_by_hand(str(200_000 + n))

    def add_readers(self, outside):
        next(iter(self.fake.statuses.values())).update(favourites=5, reblogs=2, quotes=1, replies=3)
        return Figures(likes=5, shares=3, comments=3)


class TestContractWithImage(TestContract):
    """The same with an attached image."""

    def make(self, outside):
        self.fake = FakeMastodon(outside)
        return Attaching(SETTINGS, outside.http())

    def is_creation(self, seen):
        return seen.method == "POST" and seen.url.endswith("/statuses")


class Attaching(Mastodon):
    def compose(self, article, options):
        return super().compose(article, {**options, **ATTACH})


class TestContractElsewhere(TestContract):
    """The same on a server without idempotency keys."""

    def make(self, outside):
        self.fake = FakeMastodon(outside, knows_keys=False)
        return Mastodon(SETTINGS, outside.http(), facts={"server": "gotosocial", "account_id": ACCOUNT})


@pytest.fixture
def fake(outside):
    return FakeMastodon(outside)


@pytest.fixture
def mastodon(outside, fake):
    return Mastodon(SETTINGS, outside.http())


def publish(mastodon, article=AN_ARTICLE, operation="op-1", **options):
    return mastodon.publish(mastodon.compose(article, options), {**keys_of(mastodon, article), "operation": operation})


def status_requests(outside):
    return [seen for seen in outside.requests if seen.method == "POST" and seen.url.endswith("/statuses")]


def test_an_article_is_announced_with_its_link_and_tags(mastodon, outside):
    receipt = publish(mastodon)
    assert status_requests(outside)[0].json() == {
        "status": "Of trees\n\nAbout trees.\n\nhttps://blog.example/posts/of-trees\n\n#nature #trees",
        "visibility": "public",
        "spoiler_text": "",
        "sensitive": False,
        "language": "en",
        "media_ids": [],
    }
    assert (receipt.remote_id, receipt.url) == ("113001", "https://social.example/@ada/113001")


def test_connecting_stores_the_limits_of_the_server(mastodon):
    account = mastodon.verify()
    assert account == Account(
        "@ada@social.example",
        "https://social.example/@ada",
        {
            "server": "mastodon",
            "most": 500,
            "link_cost": 23,
            "alt_most": 1500,
            "image_most": 16_777_216,
            "image_types": "image/jpeg image/png",
            "account_id": ACCOUNT,
        },
    )


def test_an_older_server_is_asked_with_the_older_api(mastodon, outside, fake):
    fake.instance = None
    old = {"version": "2.7.2 (compatible; Pleroma 2.6.0)", "max_toot_chars": 5000, "description_limit": 900}
    outside.teach("GET", f"{SERVER}/api/v1/instance", json=old)
    facts = mastodon.verify().facts
    assert facts == {"server": "pleroma", "most": 5000, "alt_most": 900, "account_id": ACCOUNT}
    assert Mastodon(SETTINGS, outside.http(), facts=facts).limits_here() == (Limit("text", 5000, "graphemes"),)


@pytest.mark.parametrize(
    ("instance", "server"),
    [
        ({"version": "4.5.2"}, "mastodon"),
        ({"version": "0.20.1", "source_url": "https://codeberg.org/superseriousbusiness/gotosocial"}, "gotosocial"),
        ({"version": "4.2.0 (compatible; Akkoma 3.15.0)"}, "akkoma"),
        ({"version": 7, "configuration": [{}]}, "mastodon"),
        ([], "mastodon"),
        (None, "mastodon"),
    ],
)
def test_the_server_software_is_detected(instance, server):
    assert server_api.facts(instance) == {"server": server}


def test_a_link_counts_as_23_characters(mastodon):
    link = f"https://blog.example/{'x' * 300}"
    for address in (link, "https://b.co"):
        left = 500 - 23 - len("\n\n")
        own = replace(OWN, canonical_url=address, markdown="x" * left)
        publish(mastodon, own, address)
        with pytest.raises(Rejected, match="1 over the limit"):
            mastodon.compose(with_own_text(own, "x" * left + "y"), {})


def test_a_link_in_custom_text_counts_as_23_characters(mastodon):
    link = "https://elsewhere.example/" + "y" * 400
    own = with_own_text(OWN, f"See {link}.")
    assert link in publish_and_read(mastodon, own)


def publish_and_read(mastodon, article):
    receipt = publish(mastodon, article)
    return mastodon.call("GET", f"api/v1/statuses/{receipt.remote_id}/source").json()["text"]


def test_a_short_link_in_the_summary_does_not_go_over_the_limit(mastodon):
    summary = " ".join(["http://a.co"] * 24)
    publish(mastodon, replace(AN_ARTICLE, title="T" * 100, summary=summary))


def test_an_emoji_of_seven_code_points_counts_as_one(mastodon):
    left = 500 - 23 - len("\n\n")
    publish(mastodon, with_own_text(OWN, FAMILY * left))
    with pytest.raises(Rejected):
        mastodon.compose(with_own_text(OWN, FAMILY * (left + 1)), {})


def test_the_server_of_a_mention_is_not_counted():
    assert server_api.counted("Hello @ada@social.example!", 23) == len("Hello @ada!")
    assert server_api.counted("See https://a.example/@ada@b.example.", 23) == len("See .") + 23


def test_a_content_warning_hides_the_text_and_counts(mastodon, outside):
    publish(mastodon, content_warning="Trees")
    sent = status_requests(outside)[0].json()
    assert (sent["spoiler_text"], sent["sensitive"]) == ("Trees", True)
    left = 500 - 23 - len("\n\n") - len("Trees")
    publish(mastodon, with_own_text(OWN, "x" * left), "op-2", content_warning="Trees")
    with pytest.raises(Rejected):
        mastodon.compose(with_own_text(OWN, "x" * left + "y"), {"content_warning": "Trees"})


def test_the_visibility_does_not_change_on_update(mastodon, fake):
    receipt = publish(mastodon, visibility="unlisted")
    mastodon.update(mastodon.compose(AN_ARTICLE, {"visibility": "private"}), {"operation": "op-2"}, receipt)
    assert fake.statuses[receipt.remote_id]["visibility"] == "unlisted"


def test_other_servers_get_the_text_as_plain_text(outside):
    FakeMastodon(outside)
    publish(Mastodon(SETTINGS, outside.http(), facts={"server": "gotosocial"}))
    assert status_requests(outside)[0].json()["content_type"] == "text/plain"


def test_within_an_hour_the_idempotency_key_prevents_a_second_status(mastodon, fake):
    first = publish(mastodon)
    fake.now += timedelta(minutes=59)
    assert publish(mastodon) == first
    fake.now += timedelta(minutes=2)
    assert publish(mastodon) != first, "so a lookup comes before every retry"


def test_different_content_has_a_different_idempotency_key(mastodon, fake):
    publish(mastodon)
    publish(mastodon, replace(AN_ARTICLE, title="Of bushes"))
    assert len(fake.statuses) == 2


@pytest.mark.parametrize("hidden", ["", "Trees"])
def test_a_status_is_found_by_its_link_among_others(mastodon, outside, hidden):
    receipt = publish(mastodon, content_warning=hidden)
    publish(mastodon, replace(AN_ARTICLE, canonical_url="https://blog.example/posts/of-trees-2"), "op-2")
    assert mastodon.find(keys_of(mastodon)) == CopyFound(receipt)
    another = replace(AN_ARTICLE, canonical_url="https://blog.example/posts/of")
    assert isinstance(mastodon.find(keys_of(mastodon, another)), CopyNotFound)


@pytest.mark.parametrize(("minutes", "answer"), [(4, CopyFound), (6, CopyUnknown)])
def test_the_clock_of_the_server_may_be_five_minutes_behind(mastodon, fake, minutes, answer):
    publish(mastodon)
    armed_at = fake.now + timedelta(minutes=minutes)
    assert isinstance(mastodon.find({**keys_of(mastodon), "armed_at": armed_at.isoformat()}), answer)


def test_an_older_status_with_only_the_link_is_ignored(mastodon, fake):
    fake.announce_by_hand("200001", f"I wrote this: {AN_ARTICLE.canonical_url}")
    later = (fake.now + timedelta(days=1)).isoformat()
    assert isinstance(mastodon.find({**keys_of(mastodon), "armed_at": later}), CopyNotFound)


def test_a_new_status_with_only_the_link_is_a_question_to_a_person(mastodon, fake):
    fake.announce_by_hand("200001", f"I wrote this: {AN_ARTICLE.canonical_url}")
    assert isinstance(mastodon.find(keys_of(mastodon)), CopyUnknown)
    assert mastodon.find_all(keys_of(mastodon)) == []


def test_a_status_is_found_with_its_links_and_tags_as_mastodon_shows_them(mastodon, fake, outside):
    link = (
        f'<a href="{AN_ARTICLE.canonical_url}" target="_blank"><span class="invisible">https://</span>'
        '<span class="ellipsis">blog.example/posts/of</span><span class="invisible">-trees</span></a>'
    )
    tags = [f'<a href="{SERVER}/tags/{tag}" rel="tag">#<span>{tag}</span></a>' for tag in AN_ARTICLE.tags]
    content = f"<p>Of trees</p><p>About trees.</p><p>{link}</p><p>{' '.join(tags)}</p>"
    status = {"id": "7", "created_at": fake.time(), "content": content}
    outside.always(lambda seen: "/statuses?" in seen.url, json=[status])
    assert mastodon.find(keys_of(mastodon)).receipt.remote_id == "7"


def test_a_status_with_a_mention_is_found_as_the_server_shows_it(mastodon, fake):
    article = replace(AN_ARTICLE, summary="By @eve@trees.example & others.")
    receipt = publish(mastodon, article)
    fake.statuses[receipt.remote_id]["text"] = fake.statuses[receipt.remote_id]["text"].replace("@trees.example", "")
    assert mastodon.find(keys_of(mastodon, article)) == CopyFound(receipt)


def test_without_a_link_a_copy_cannot_be_found(mastodon):
    assert isinstance(mastodon.find(keys_of(mastodon, replace(AN_ARTICLE, canonical_url=None))), CopyUnknown)


def test_a_cover_is_attached_with_its_description(mastodon, fake, outside):
    cover = "https://blog.example/media/cover.jpg"
    outside.teach("GET", cover, body=jpeg(), headers={"Content-Type": "image/jpeg"})
    article = replace(AN_ARTICLE, cover_url=cover, cover_alt="A “wood”")
    receipt = publish(mastodon, article, image="attach")
    (id,) = fake.statuses[receipt.remote_id]["images"]
    assert fake.media[id]["description"] == "A “wood”"
    assert fake.media[id]["name"].endswith(".jpg")


def test_missing_images_and_descriptions_are_warned_about(mastodon):
    bare = replace(AN_ARTICLE, images=())
    assert mastodon.compose(bare, ATTACH).warnings == (
        "The post has no image to attach. The link card is shown instead.",
    )
    undescribed = replace(AN_ARTICLE, images=(ArticleImage(AN_IMAGE),))
    assert mastodon.compose(undescribed, ATTACH).warnings == (
        "The image has no alt text. Add a description for people who can't see it.",
    )
    assert mastodon.compose(bare, {}).warnings == ()


def test_an_image_still_being_processed_is_waited_for_and_uploaded_once(mastodon, fake, outside):
    fake.works_on_images = 2
    for _ in range(2):
        with pytest.raises(Unavailable, match="still processing the image") as caught:
            publish(mastodon, image="attach")
        assert caught.value.retry_after == 10
        again = Mastodon(SETTINGS, outside.http(), uploads=mastodon.uploads)
    receipt = publish(again, image="attach")
    assert fake.statuses[receipt.remote_id]["images"] == ["700"]
    assert len(fake.media) == 1


def test_an_image_whose_id_was_lost_is_uploaded_again(mastodon, fake):
    fake.works_on_images = 1
    with pytest.raises(Unavailable):
        publish(mastodon, image="attach")
    mastodon.uploads.forget(ImageFile(png(), "image/png"))
    with pytest.raises(Unavailable):
        publish(mastodon, image="attach")
    publish(mastodon, image="attach")
    assert [one["images"] for one in fake.statuses.values()] == [["701"]]


@pytest.mark.parametrize("status", [413, 422, 404])
def test_an_image_that_the_server_rejects_does_not_block_the_text(mastodon, fake, outside, status):
    outside.always(lambda seen: "/media" in seen.url and SERVER in seen.url, status=status, json={"error": "no"})
    receipt = publish(mastodon, image="attach")
    assert fake.statuses[receipt.remote_id]["images"] == []


def test_an_image_is_kept_on_update_with_its_new_description(mastodon, fake, outside):
    receipt = publish(mastodon, image="attach")
    outside.always(lambda seen: "media" in seen.url and seen.method == "POST", failure="refused")
    told = replace(AN_ARTICLE, images=(ArticleImage(AN_IMAGE, "An old tree"),))
    receipt = mastodon.update(mastodon.compose(told, ATTACH), {"operation": "op-2"}, receipt)
    assert fake.statuses[receipt.remote_id]["images"] == ["700"]
    assert fake.media["700"]["description"] == "An old tree"


def test_an_image_whose_file_is_gone_is_kept_on_update(mastodon, fake, outside):
    receipt = publish(mastodon, image="attach")
    outside.always(lambda seen: seen.url == AN_IMAGE, status=404)
    changed = mastodon.compose(replace(AN_ARTICLE, title="Of bushes"), ATTACH)
    mastodon.update(changed, {"operation": "op-2"}, receipt)
    assert fake.statuses[receipt.remote_id]["images"] == ["700"]


def test_an_update_whose_response_was_lost_is_no_conflict(mastodon, outside):
    receipt = publish(mastodon)
    payload = mastodon.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    outside.lose_next(lambda seen: seen.method == "PUT")
    with pytest.raises(Unavailable):
        mastodon.update(payload, {"operation": "op-2"}, receipt)
    again = mastodon.update(payload, {"operation": "op-2"}, receipt)
    assert mastodon.fetch_version({}, again).version == again.version


def test_an_edit_on_the_platform_is_not_overwritten_without_source_support(mastodon, fake, outside):
    receipt = publish(mastodon)
    fake.edit_by_hand(receipt.remote_id)
    outside.always(lambda seen: seen.url.endswith("/source"), status=404)
    with pytest.raises(Conflict, match="etry to overwrite the changes"):
        mastodon.update(mastodon.compose(AN_ARTICLE, {}), {"operation": "op-2"}, receipt)


def test_a_server_without_edits_is_distinguished_from_a_deleted_status(mastodon, fake):
    receipt = publish(mastodon)
    fake.edits = False
    changed = mastodon.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    with pytest.raises(Unsupported):
        mastodon.update(changed, {"operation": "op-2"}, receipt)
    del fake.statuses[receipt.remote_id]
    with pytest.raises(Gone):
        mastodon.update(changed, {"operation": "op-2"}, receipt)


def test_a_rate_limit_with_a_reset_time_is_respected(mastodon, fake):
    fake.is_limited = True
    with pytest.raises(RateLimited) as caught:
        publish(mastodon)
    assert caught.value.retry_after == pytest.approx(300, abs=1)


def test_a_token_with_missing_scopes_says_which_are_needed(mastodon, outside):
    outside.always(status=403, json={"error": "This action is outside the authorized scopes"})
    with pytest.raises(Disconnected, match="write:media") as caught:
        publish(mastodon)
    assert caught.value.field == "token"


def test_a_status_without_a_url_uses_its_uri(mastodon, outside):
    outside.always(json={"id": 5, "url": None, "uri": f"{SERVER}/users/ada/5"})
    assert publish(mastodon).url == f"{SERVER}/users/ada/5"


@pytest.mark.parametrize("said", [{"id": "5", "content": 7, "media_attachments": 7}, {"id": 5, "edited_at": 7}])
def test_an_unexpected_response_breaks_nothing(outside, said):
    mastodon = Mastodon(SETTINGS, outside.http(), facts={"account_id": ACCOUNT})
    outside.always(json=said)
    receipt = publish(mastodon)
    mastodon.update(mastodon.compose(AN_ARTICLE, {}), {"operation": "op-2"}, receipt)
    assert mastodon.stats(receipt) == Figures()
    assert isinstance(mastodon.find({"link": "https://blog.example"}), CopyUnknown)
    outside.always(json=[said, 7, {}])
    assert isinstance(mastodon.find({"link": "https://blog.example"}), CopyUnknown)


def test_an_image_is_uploaded_once_for_an_operation_and_again_for_another_status(mastodon, fake, outside):
    outside.always(lambda seen: seen.method == "POST" and seen.url.endswith("/statuses"), failure="refused")
    with pytest.raises(Unavailable):
        publish(mastodon, image="attach")
    outside.always()
    publish(mastodon, image="attach")
    assert len(fake.media) == 1
    publish(mastodon, operation="op-2", image="attach")
    assert [one["images"] for one in fake.statuses.values()] == [["700"], ["701"]]
