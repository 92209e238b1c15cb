"""DEV, with a fake Forem: its uniqueness rules, rate limits and error messages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from urllib.parse import parse_qs, urlsplit

import pytest

from blogsvc.connectors.base import (
    Account,
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Duplicate,
    Figures,
    Gone,
    Misconfigured,
    RateLimited,
    Receipt,
    Rejected,
    Unavailable,
)
from blogsvc.connectors.devto import forem
from blogsvc.connectors.devto.connector import MAX_PAGES_SEARCHED, PER_PAGE, Devto
from blogsvc.lib.markdown.render import render
from tests.connectors.contract import AN_ARTICLE, CHOSEN_AT, FAMILY, HTTPContract, keys_of
from tests.outside import Reply

HOME = "https://dev.to"
API = f"{HOME}/api"
KEY = "k3y-of-dev"
ME = {"id": 7, "username": "ada", "name": "Ada"}
KNOWN = {"title", "body_markdown", "published", "series", "main_image", "canonical_url", "description", "tags"}


class FakeForem:
    """Stores articles as Forem does. `clock` returns a timestamp; by default a second passes with each request."""

    def __init__(self, outside, home=HOME, clock=None):
        self.outside, self.api, self.home = outside, f"{home}/api", home
        self.clock = clock or count(int(datetime.fromisoformat(CHOSEN_AT).timestamp())).__next__
        self.articles, self.reads, self.last_write = {}, [], -1
        self.foreign = set()  # canonical URLs of other accounts
        self.teach("GET", "users/me", lambda seen: Reply(json=ME))
        self.teach("POST", "articles", self.create)
        for status in ("all", "published", "unpublished"):
            self.teach("GET", f"articles/me/{status}", lambda seen, status=status: self.mine(seen, status))

    def teach(self, method, path, answer):
        self.outside.teach(method, f"{self.api}/{path}", lambda seen: self.guarded(seen, answer))

    def guarded(self, seen, answer):
        if seen.headers.get("api-key") != KEY:
            return Reply(401, json={"error": "unauthorized", "status": 401})
        if seen.headers["accept"] != "application/vnd.forem.api-v1+json" or not seen.headers.get("user-agent"):
            return Reply(403, body=b"Forbidden Bots")
        return self.throttled(seen.method, self.clock()) or answer(seen)

    def throttled(self, method, now):
        """One write per second, three reads per second."""
        if method == "GET":
            self.reads = [*(read for read in self.reads if read > now - 1), now]
            is_over = len(self.reads) > 3
        else:
            is_over, self.last_write = now < self.last_write + 1, now
        return Reply(429, body=b"Throttled", headers={"Retry-After": "1"}) if is_over else None

    def create(self, seen):
        return self.save({"id": 100 + len(self.articles), "published": False}, seen.json()["article"], 201)

    def save(self, one, given, status=200):
        changed = {**one, **{name: value for name, value in given.items() if name in KNOWN}}
        text = changed["body_markdown"]
        if text.startswith("---\n"):
            raise AssertionError("front matter would win over the fields")
        if wrong := list(self.wrong(changed)):
            return Reply(422, json={"error": " and ".join(wrong), "status": 422})
        if one["id"] not in self.articles:
            self.teach("GET", f"articles/{one['id']}", lambda seen: self.show(one["id"]))
            self.teach("PUT", f"articles/{one['id']}", lambda seen: self.change(one["id"], seen))
        at = datetime.fromtimestamp(self.last_write, UTC).isoformat()
        figures = {"views": 0, "likes": 0, "comments": 0}
        self.articles[one["id"]] = {**figures, "published_at": at if changed["published"] else None, **changed}
        return Reply(status, json=self.shown(self.articles[one["id"]]))

    def wrong(self, one):
        others = [other for other in self.articles.values() if other["id"] != one["id"]]
        address, text = one.get("canonical_url"), (one["title"], one["body_markdown"])
        if len(one["title"]) > 128:
            yield "Title is too long (maximum is 128 characters)"
        if address and (address in self.foreign or address in [other.get("canonical_url") for other in others]):
            yield "Canonical url has already been taken"
        if text in [(other["title"], other["body_markdown"]) for other in others]:
            yield "Body markdown has already been taken"
        yield from (f'Tag "{tag}" contains non-alphanumeric characters' for tag in one["tags"] if not tag.isalnum())
        if len(one["tags"]) > 4 or any(len(tag) > 30 for tag in one["tags"]):
            yield "Tag list exceed the maximum of 4 tags"

    def change(self, id, seen):
        return self.save(self.articles[id], seen.json()["article"])

    def show(self, id):
        one = self.articles.get(id)
        return Reply(json=self.shown(one)) if one and one["published"] else NOT_FOUND

    def shown(self, one):
        url = f"{self.home}/ada/{one['id']}"
        return {
            **{name: one.get(name) for name in ("id", "title", "body_markdown", "description", "published_at")},
            "body_html": render(one["body_markdown"]),
            "url": url,
            "canonical_url": one.get("canonical_url") or url,
            "tag_list": ", ".join(one["tags"]),
            "tags": one["tags"],
            "public_reactions_count": one["likes"],
            "comments_count": one["comments"],
        }

    def mine(self, seen, status):
        asked = {name: int(values[0]) for name, values in parse_qs(urlsplit(seen.url).query).items()}
        kept = [one for one in reversed(self.articles.values()) if status in ("all", STATUS[one["published"]])]
        start = (asked["page"] - 1) * asked["per_page"]
        page = kept[start : start + asked["per_page"]]
        return Reply(
            json=[{**self.shown(one), "published": one["published"], "page_views_count": one["views"]} for one in page]
        )

    def public(self):
        return [one for one in self.articles.values() if one["published"]]


STATUS = {True: "published", False: "unpublished"}
NOT_FOUND = Reply(404, json={"error": "not found", "status": 404})


class TestContract(HTTPContract):
    too_long = replace(AN_ARTICLE, title="t" * 129)

    def make(self, outside):
        self.fake = FakeForem(outside)
        return Devto({"api_key": KEY}, outside.http())

    def live(self, now):
        self.fake.clock = count(int(now.timestamp())).__next__

    def copies(self, outside):
        return len(self.fake.public())

    def edit_on_platform(self, outside):
        self.fake.public()[0]["body_markdown"] += "\nA word more."

    def bury(self, outside):
        (ours,) = self.fake.public()
        for n in range(PER_PAGE * MAX_PAGES_SEARCHED):
            self.fake.articles[n] = {**ours, "id": n, "title": f"{n}", "canonical_url": f"https://other.example/{n}"}

    def add_readers(self, outside):
        self.fake.public()[0].update(views=12, likes=3, comments=1)
        return Figures(views=12, likes=3, comments=1)

    def test_two_concurrent_posts_create_two_copies(self, connector, outside):
        """Forem accepts a canonical URL once, so these two have different ones."""
        articles = [
            replace(self.article, title=f"{n}", canonical_url=f"https://blog.example/posts/{n}") for n in (1, 2)
        ]
        with ThreadPoolExecutor(2) as pool:
            receipts = list(pool.map(lambda article: publish(connector, article), articles))
        assert len({receipt.remote_id for receipt in receipts}) == 2
        assert self.copies(outside) == 2


@pytest.fixture
def fake(outside):
    return FakeForem(outside)


@pytest.fixture
def devto(outside, fake):
    return Devto({"api_key": KEY}, outside.http())


def publish(devto, article=AN_ARTICLE, **keys):
    return devto.publish(devto.compose(article, {}), {**keys_of(devto, article), **keys})


def test_an_article_is_sent_whole(devto, outside):
    article = replace(AN_ARTICLE, cover_url="https://blog.example/media/cover.png")
    receipt = devto.publish(devto.compose(article, {"series": "Wood"}), {"operation": "op-1"})
    assert outside.requests[0].json() == {
        "article": {
            "title": "Of trees",
            "body_markdown": AN_ARTICLE.markdown,
            "published": True,
            "description": "About trees.",
            "canonical_url": "https://blog.example/posts/of-trees",
            "main_image": "https://blog.example/media/cover.png",
            "tags": ["nature", "trees"],
            "series": "Wood",
        }
    }
    assert (receipt.remote_id, receipt.url) == ("100", "https://dev.to/ada/100")


def test_the_account_has_name_and_url(devto):
    assert devto.verify() == Account("ada", "https://dev.to/ada")


def test_another_forem_is_requested_at_its_own_url(outside):
    FakeForem(outside, "https://forem.example")
    devto = Devto({"api_key": KEY, "url": "https://forem.example/api/"}, outside.http())
    assert devto.verify().url == "https://forem.example/ada"


def test_a_wrong_key_names_the_field(outside, fake):
    with pytest.raises(Disconnected) as caught:
        Devto({"api_key": "wrong"}, outside.http()).verify()
    assert caught.value.field == "api_key"


def test_an_organization_is_given_by_its_number(outside, fake):
    payload = Devto({"api_key": KEY, "organization": "42"}, outside.http()).compose(AN_ARTICLE, {})
    assert payload.body["organization_id"] == 42
    with pytest.raises(Misconfigured) as caught:
        Devto({"api_key": KEY, "organization": "acme"}, outside.http()).verify()
    assert caught.value.field == "organization"


def test_a_title_is_counted_in_code_points(devto):
    assert len(FAMILY) == 7
    publish(devto, replace(AN_ARTICLE, title=FAMILY * 18 + "xx"))
    with pytest.raises(Rejected, match="Shorten the title by 1"):
        devto.compose(replace(AN_ARTICLE, title=FAMILY * 18 + "xxx"), {})


def test_tags_are_alphanumeric_and_at_most_four(devto):
    tags = ("Web Development", "c++", "naïve", "o.k.", "fifth", "sixth", "x" * 31, "---")
    payload = devto.compose(replace(AN_ARTICLE, tags=tags), {})
    assert payload.body["tags"] == ["webdevelopment", "naïve", "ok", "fifth"]
    assert payload.warnings == (
        "DEV (Forem) will show the tag “Web Development” as “webdevelopment”.",
        "DEV (Forem) will show the tag “o.k.” as “ok”.",
        "DEV (Forem) allows 4 tags of up to 30 letters and digits. "
        f"Tags left out: “c++”, “sixth”, “{'x' * 31}”, “---”.",
    )


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("Use {{ name }}.", "Use {% raw %}{{{% endraw %} name }}."),
        ("Use {% if x %}.", "Use {% raw %}{%{% endraw %} if x %}."),
        ("Use `{{ name }}`.", "Use `{{ name }}`."),
        ("```jinja\n{% if x %}\n```\n{{", "```jinja\n{% if x %}\n```\n{% raw %}{{{% endraw %}"),
        ("~~~\n{{ x }}\n~~~", "~~~\n{{ x }}\n~~~"),
        ("    {{ indented }}", "    {% raw %}{{{% endraw %} indented }}"),
        ("[a](https://a.example/{{b}})", "[a](https://a.example/%7B%7Bb}})"),
        ("[a](/{{b}}) {{", "[a](/%7B%7Bb}}) {% raw %}{{{% endraw %}"),
        ("Braces {{}} and {%}}.", "Braces {% raw %}{{}}{% endraw %} and {% raw %}{%}}{% endraw %}."),
        ("A set {1, 2}.", "A set {1, 2}."),
        ("---\ntitle: not this\n\n---", "***\ntitle: not this\n\n---"),
        ("One\r\n\r\nTwo", "One\n\nTwo"),
    ],
)
def test_liquid_and_front_matter_syntax_are_escaped(written, sent):
    assert forem.markdown(written, "DEV").text == sent


def test_publishing_after_a_deletion_reuses_the_draft_with_the_current_text(devto, fake):
    first = publish(devto)
    devto.delete({"operation": "op-2"}, first)
    assert fake.public() == []
    again = publish(devto, replace(AN_ARTICLE, title="Of bushes"), former_id=first.remote_id)
    assert again.remote_id == first.remote_id
    assert [one["title"] for one in fake.public()] == ["Of bushes"]
    assert devto.fetch_version({}, again).version == again.version


@pytest.mark.parametrize("is_public", [True, False], ids=["public", "a draft"])
def test_an_article_of_others_with_the_same_canonical_url_stays_as_it_is(devto, fake, is_public):
    by_others = publish(devto, replace(AN_ARTICLE, title="Of oaks"))
    article = fake.articles[int(by_others.remote_id)]
    article["published"] = is_public
    before = dict(article)
    with pytest.raises(Duplicate, match="Change one of them"):
        publish(devto)
    assert list(fake.articles.values()) == [before]


def test_an_earlier_article_that_was_deleted_on_the_platform_is_not_the_duplicate(devto, fake, outside):
    outside.teach("PUT", f"{API}/articles/99", status=404, json={"error": "not found", "status": 404})
    by_others = publish(devto, replace(AN_ARTICLE, title="Of oaks"))
    with pytest.raises(Duplicate):
        publish(devto, former_id="99")
    assert fake.articles[int(by_others.remote_id)]["title"] == "Of oaks"


def test_a_canonical_url_used_by_another_account_is_reported(devto, fake):
    fake.foreign.add(AN_ARTICLE.canonical_url)
    with pytest.raises(Duplicate, match="original link"):
        publish(devto)


def test_a_post_without_a_canonical_url_is_found_by_title_and_text(devto):
    article = replace(AN_ARTICLE, canonical_url=None)
    receipt = publish(devto, article)
    assert devto.find(keys_of(devto, article)) == CopyFound(receipt)
    assert isinstance(devto.find(keys_of(devto, replace(article, title="Another"))), CopyNotFound)
    with pytest.raises(Duplicate):
        publish(devto, article)


def test_an_article_on_a_later_page_is_found(devto, fake):
    receipt = publish(devto)
    for number in range(PER_PAGE * 2):
        publish(devto, replace(AN_ARTICLE, title=f"{number}", canonical_url=f"https://blog.example/{number}"))
    assert devto.find(keys_of(devto)) == CopyFound(receipt)
    fake.articles[int(receipt.remote_id)].update(views=5)
    assert devto.stats(receipt).views == 5


def test_an_article_too_far_down_has_figures_without_views(devto, fake, outside):
    receipt = publish(devto)
    fake.articles[int(receipt.remote_id)].update(views=5, likes=2, comments=1)
    page = [{"id": n} for n in range(1, PER_PAGE + 1)]
    outside.always(lambda seen: "/me/" in seen.url, json=page)
    assert devto.stats(receipt) == Figures(likes=2, comments=1)


def test_an_endless_list_is_not_read_to_its_end(devto, outside):
    page = [{"id": n, "published": True} for n in range(1, PER_PAGE + 1)]
    outside.always(json=page)
    assert isinstance(devto.find(keys_of(devto)), CopyUnknown)
    assert len(outside.requests) == 20


def test_without_its_keys_a_copy_cannot_be_found(devto, outside):
    assert isinstance(devto.find({"operation": "op-1"}), CopyUnknown)
    assert outside.requests == []


def test_a_changed_canonical_url_that_is_taken_is_a_duplicate(devto, fake):
    receipt = publish(devto)
    fake.foreign.add("https://blog.example/new")
    payload = devto.compose(replace(AN_ARTICLE, canonical_url="https://blog.example/new"), {})
    with pytest.raises(Duplicate, match="original link"):
        devto.update(payload, {"operation": "op-2"}, receipt)


def test_a_copy_unpublished_on_the_platform_is_gone(devto, fake):
    receipt = publish(devto)
    fake.public()[0]["published"] = False
    for ask in (lambda: devto.fetch_version({}, receipt), lambda: devto.stats(receipt)):
        with pytest.raises(Gone):
            ask()


def test_an_edit_on_the_platform_is_not_overwritten(devto, fake):
    receipt = publish(devto)
    fake.public()[0]["title"] = "Of shrubs"
    with pytest.raises(Conflict, match="etry to overwrite the changes"):
        devto.update(devto.compose(AN_ARTICLE, {}), {"operation": "op-2"}, receipt)


def test_an_update_whose_response_was_lost_is_repeated(devto, fake, outside):
    receipt = publish(devto)
    payload = devto.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    outside.lose_next(lambda seen: seen.method == "PUT")
    with pytest.raises(Unavailable):
        devto.update(payload, {"operation": "op-2"}, receipt)
    assert devto.update(payload, {"operation": "op-2"}, receipt).remote_id == receipt.remote_id


def test_two_writes_in_one_second_are_rate_limited(outside):
    FakeForem(outside, clock=lambda: 5.0)
    devto = Devto({"api_key": KEY}, outside.http())
    publish(devto)
    with pytest.raises(RateLimited) as caught:
        publish(devto, replace(AN_ARTICLE, canonical_url=None))
    assert caught.value.retry_after == 1


@pytest.mark.parametrize("said", [{"id": 5}, {"id": 5, "url": 7, "title": ["x"]}, {"id": "5", "url": "javascript:x"}])
def test_an_unexpected_response_still_gives_a_receipt(devto, outside, said):
    outside.always(json=said)
    receipt = publish(devto)
    assert (receipt.remote_id, receipt.url) == ("5", None)


def test_missing_figures_are_not_counted_as_zero(devto, outside):
    outside.always(json=[{"id": 5, "page_views_count": None, "comments_count": "7"}, "surprise"])
    assert devto.stats(Receipt("5")) == Figures()


def test_an_invalid_list_is_misconfigured(devto, outside):
    outside.always(json={"articles": []})
    with pytest.raises(Misconfigured):
        devto.find(keys_of(devto))


def test_times_do_not_change_the_payload(devto):
    later = replace(AN_ARTICLE, updated_at=datetime(2027, 1, 1, tzinfo=UTC))
    assert devto.compose(later, {}).hash == devto.compose(AN_ARTICLE, {}).hash
