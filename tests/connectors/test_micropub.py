"""Micropub, with a fake site written from the specification."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogsvc.connectors.base import (
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Gone,
    Misconfigured,
    OriginChanged,
    Origins,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.micropub.connector import Micropub
from blogsvc.connectors.payload_parts import parts
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE, HTTPContract, keys_of
from tests.connectors.fake_micropub import ENDPOINT, LISTED_MOST, MEDIA, SITE, TOKEN, FakeSite

SETTINGS = {"url": SITE, "token": TOKEN}
BUSHES = replace(AN_ARTICLE, title="Of bushes")
HOME = '\n<p><em>Originally published at <a href="https://blog.example/posts/of-trees">blog.example</a>.</em></p>'


def door_of(outside):
    """Return a client for a site whose media endpoint on another host was confirmed."""
    return outside.http().only_to(Origins.of([SITE, MEDIA]))


class TestContract(HTTPContract):
    def is_creation(self, seen):
        return seen.method == "POST" and seen.url == ENDPOINT

    def make(self, outside):
        self.fake = FakeSite(outside)
        return Micropub(SETTINGS, door_of(outside))

    def copies(self, outside):
        return len(self.fake.entries)

    def readable(self, outside):
        return sum(entry["properties"].get("post-status") != ["draft"] for entry in self.fake.entries.values())

    def edit_on_platform(self, outside):
        self.fake.only()["name"] = ["Mine"]

    def bury(self, outside):
        for n in range(LISTED_MOST):
            self.fake.entries[f"{SITE}/{n}"] = {"properties": {"published": ["2026-11-21"], "name": [f"{n}"]}}


class TestContractOfASimpleSite(TestContract):
    """A site that returns no source and accepts no images."""

    def make(self, outside):
        self.fake = FakeSite(outside, tells_source=False, has_media=False)
        return SimpleSite(SETTINGS, door_of(outside))


class SimpleSite(Micropub):
    """The contract reads abilities from the class: this site can neither be searched nor looked up."""

    @classmethod
    def can(cls, ability):
        return ability not in ("find", "fetch_version") and super().can(ability)


@pytest.fixture
def fake(outside):
    return FakeSite(outside)


@pytest.fixture
def micropub(outside, fake):
    return Micropub(SETTINGS, door_of(outside))


def publish(micropub, article=AN_ARTICLE, options=None):
    return micropub.publish(micropub.compose(article, options or {}), keys_of(micropub))


def update(micropub, receipt, article=BUSHES, options=None):
    return micropub.update(micropub.compose(article, options or {}), keys_of(micropub), receipt)


def test_every_field_of_an_article_is_sent(micropub, fake):
    receipt = publish(micropub, replace(AN_ARTICLE, cover_url=AN_IMAGE, cover_alt="A tree"))
    there = f"https://media.me.example/{fake.uploads[0]}"
    assert fake.only() == {
        "name": ["Of trees"],
        "content": [{"html": f'<p>A <em>tree</em>.</p><p><img src="{there}" alt="A tree"></p>{HOME}'}],
        "summary": ["About trees."],
        "category": ["nature", "trees"],
        "featured": [{"value": there, "alt": "A tree"}],
        "published": ["2026-11-20T10:00:00Z"],
        "mp-slug": ["of-trees"],
        "post-status": ["published"],
    }
    assert receipt.remote_id == receipt.url == f"{SITE}/2026/11/of-trees"
    assert receipt.extra == {AN_IMAGE: there}


def test_missing_fields_are_not_sent(micropub, fake):
    bare = replace(AN_ARTICLE, summary="", tags=(), canonical_url=None, published_at=None)
    publish(micropub, bare)
    assert set(fake.only()) == {"name", "content", "mp-slug", "post-status"}


def test_a_draft_is_sent_as_a_draft(micropub, fake):
    publish(micropub, options={"status": "draft"})
    assert fake.only()["post-status"] == ["draft"]
    with pytest.raises(Rejected):
        micropub.compose(AN_ARTICLE, {"status": "secret"})


def test_a_cover_outside_the_text_has_no_description(micropub, fake, outside):
    cover = "https://blog.example/media/cover.png"
    outside.teach("GET", cover, status=404)
    publish(micropub, replace(AN_ARTICLE, cover_url=cover))
    assert fake.only()["featured"] == [cover]


class TestMarkdown:
    @pytest.fixture
    def micropub(self, outside, fake):
        return Micropub({**SETTINGS, "format": "markdown"}, door_of(outside))

    def test_the_text_is_sent_as_markdown_with_uploaded_images(self, micropub, fake):
        publish(micropub)
        there = f"https://media.me.example/{fake.uploads[0]}"
        home = "*Originally published at [blog.example](<https://blog.example/posts/of-trees>).*"
        assert fake.only()["content"] == [f"A *tree*.\n\n![A tree]({there})\n\n{home}"]

    def test_the_preview_shows_the_text_as_markdown(self, micropub):
        shown = parts(micropub, micropub.compose(AN_ARTICLE, {}))
        assert [part.form for part in shown] == ["title", "markdown"]

    def test_unsupported_syntax_is_replaced_with_a_warning(self, micropub):
        payload = micropub.compose(replace(AN_ARTICLE, markdown="A note[^1].\n\n[^1]: Of trees."), {})
        assert "**Notes**" in payload.body["properties"]["content"][0]
        assert payload.warnings == ("Micropub doesn't support footnotes. They become numbered notes at the end.",)

    def test_a_copy_is_found_by_its_canonical_link(self, micropub, fake):
        receipt = publish(micropub)
        assert micropub.find(keys_of(micropub)).receipt.remote_id == receipt.remote_id

    def test_our_own_update_is_recognized_on_a_site_that_returns_html_as_well(self, micropub, fake, outside):
        receipt = publish(micropub)
        outside.lose_next(lambda seen: seen.method == "POST" and seen.url == ENDPOINT)
        with pytest.raises(Unavailable):
            update(micropub, receipt)
        fake.only()["content"] = [{"html": "<p>A tree</p>", "text": fake.only()["content"][0]}]
        assert update(micropub, receipt).version != receipt.version


def test_a_post_created_asynchronously_already_has_its_url(micropub, fake, outside):
    fake.created = 202
    outside.always(lambda seen: "q=source" in seen.url, status=404, json={"error": "not_found"})
    assert publish(micropub) == Receipt(
        f"{SITE}/2026/11/of-trees",
        f"{SITE}/2026/11/of-trees",
        None,
        {AN_IMAGE: f"https://media.me.example/{fake.uploads[0]}"},
    )


@pytest.mark.parametrize("headers", [{}, {"Location": ""}, {"Location": "javascript:alert(1)"}])
def test_a_created_post_without_a_location_is_no_success(micropub, outside, headers):
    outside.always(lambda seen: seen.method == "POST" and seen.url == ENDPOINT, status=201, headers=headers)
    with pytest.raises(Uncertain):
        publish(micropub)


class TestUpdate:
    def test_removed_properties_are_deleted_on_the_site(self, micropub, fake):
        receipt = publish(micropub, replace(AN_ARTICLE, cover_url=AN_IMAGE))
        update(micropub, receipt, replace(BUSHES, summary="", tags=()))
        assert set(fake.only()) == {"name", "content", "mp-slug", "published", "post-status"}
        assert fake.only()["name"] == ["Of bushes"]

    def test_url_and_date_are_kept(self, micropub, fake, outside):
        receipt = publish(micropub)
        update(micropub, receipt, replace(BUSHES, slug="of-bushes", published_at=datetime(2027, 1, 1, tzinfo=UTC)))
        assert (fake.only()["mp-slug"], fake.only()["published"]) == (["of-trees"], ["2026-11-20T10:00:00Z"])

    def test_a_moved_copy_is_followed(self, micropub, fake):
        receipt = update(micropub, publish(micropub), replace(BUSHES, tags=("moved",)))
        assert receipt.remote_id == receipt.url == f"{SITE}/2026/11/of-trees-moved"
        assert micropub.fetch_version({}, receipt).version == receipt.version

    def test_images_are_uploaded_once(self, micropub, fake):
        receipt = update(micropub, publish(micropub))
        assert len(fake.uploads) == 1
        assert receipt.extra[AN_IMAGE] in fake.only()["content"][0]["html"]

    def test_our_own_update_whose_response_was_lost_is_no_conflict(self, micropub, fake, outside):
        receipt = publish(micropub)
        outside.lose_next(lambda seen: seen.method == "POST" and seen.url == ENDPOINT)
        with pytest.raises(Unavailable):
            update(micropub, receipt)
        assert update(micropub, receipt).version != receipt.version

    def test_a_site_that_adds_the_plain_text_has_not_changed_the_copy(self, micropub, fake, outside):
        receipt = publish(micropub)
        fake.only()["content"][0]["value"] = "A tree."
        assert micropub.fetch_version({}, receipt).version == receipt.version
        outside.lose_next(lambda seen: seen.method == "POST" and seen.url == ENDPOINT)
        with pytest.raises(Unavailable):
            update(micropub, receipt)
        fake.only()["content"][0]["value"] = "A tree."
        assert update(micropub, receipt).version != receipt.version

    def test_another_text_on_the_site_is_a_conflict(self, micropub, fake):
        receipt = publish(micropub)
        fake.only()["content"] = [{"html": "<p>Mine.</p>", "value": "Mine."}]
        with pytest.raises(Conflict):
            update(micropub, receipt)

    def test_a_site_that_does_not_store_covers_has_not_changed_the_copy(self, micropub, fake, outside):
        article = replace(BUSHES, cover_url=AN_IMAGE)
        receipt = publish(micropub)
        outside.lose_next(lambda seen: seen.method == "POST" and seen.url == ENDPOINT)
        with pytest.raises(Unavailable):
            update(micropub, receipt, article)
        del fake.only()["featured"]
        assert update(micropub, receipt, article).version != receipt.version

    def test_the_photo_of_an_earlier_copy_becomes_its_cover(self, micropub, fake):
        receipt = publish(micropub)
        fake.only()["photo"] = [AN_IMAGE]
        update(micropub, replace(receipt, version=None), replace(BUSHES, cover_url=AN_IMAGE))
        assert "photo" not in fake.only()
        assert fake.only()["featured"]

    def test_an_edit_on_the_platform_is_a_conflict(self, micropub, fake):
        receipt = publish(micropub)
        fake.only()["category"] = ["mine"]
        with pytest.raises(Conflict, match="retry"):
            update(micropub, receipt)

    def test_properties_added_by_others_are_no_edit(self, micropub, fake):
        receipt = publish(micropub)
        fake.only()["like-count"] = [7]
        assert micropub.fetch_version({}, receipt).version == receipt.version

    def test_a_copy_marked_as_deleted_is_gone(self, micropub, fake):
        receipt = publish(micropub)
        fake.only()["deleted"] = ["2026-11-21T10:00:00Z"]
        with pytest.raises(Gone):
            update(micropub, receipt)

    def test_a_site_without_source_queries_can_still_be_updated(self, outside):
        fake = FakeSite(outside, tells_source=False)
        micropub = Micropub(SETTINGS, door_of(outside))
        receipt = publish(micropub)
        assert receipt.version is None
        update(micropub, receipt)
        assert fake.only()["name"] == ["Of bushes"]
        with pytest.raises(Unsupported):
            micropub.fetch_version({}, receipt)


class TestFinding:
    def entry(self, day, **more):
        return {"type": ["h-entry"], "properties": {"published": [day], "content": [{"html": "Other."}], **more}}

    def test_a_copy_is_found_by_its_canonical_link(self, micropub, fake):
        fake.entries[f"{SITE}/other"] = self.entry(
            "2026-11-19", **{"mp-slug": ["of-trees"], "name": ["Of trees, once"]}
        )
        receipt = publish(micropub)
        found = micropub.find(keys_of(micropub))
        assert (found.receipt.remote_id, found.receipt.version) == (receipt.remote_id, receipt.version)

    def test_the_copy_of_an_attempt_long_after_its_date_is_found(self, micropub, fake):
        receipt = publish(micropub)
        fake.entries[receipt.remote_id]["properties"]["published"] = ["2026-11-20T11:00:00+01:00"]
        keys = {**keys_of(micropub), "armed_at": "2026-11-20T18:00:00Z"}
        assert isinstance(micropub.find(keys), CopyFound)
        assert isinstance(micropub.find({**keys, "published": "2026-11-20T10:00:01Z"}), CopyUnknown)

    @pytest.mark.parametrize(
        "rewritten",
        [
            {"name": ["Of trees"], "content": [{"html": "<p>Without links.</p>"}]},
            {"name": ["Trees!"], "content": [{"value": f"Originally published at {AN_ARTICLE.canonical_url}."}]},
        ],
    )
    def test_a_rewritten_copy_gives_an_unknown_result(self, micropub, fake, rewritten):
        fake.entries[f"{SITE}/rewritten"] = self.entry("2026-11-19", **rewritten)
        assert isinstance(micropub.find(keys_of(micropub)), CopyUnknown)

    def test_a_link_that_only_starts_like_ours_is_no_match(self, micropub, fake):
        text = {"html": f'<a href="{AN_ARTICLE.canonical_url}-and-more">'}
        fake.entries[f"{SITE}/other"] = self.entry("2026-11-19", content=[text])
        assert isinstance(micropub.find(keys_of(micropub)), CopyNotFound)

    def test_a_copy_without_a_canonical_url_is_found_by_slug_and_title(self, micropub, fake):
        article = replace(AN_ARTICLE, canonical_url=None)
        fake.entries[f"{SITE}/other"] = self.entry("2026-11-19", **{"mp-slug": ["of-trees"], "name": ["Another"]})
        assert isinstance(micropub.find(keys_of(micropub, article)), CopyNotFound)
        publish(micropub, article)
        assert isinstance(micropub.find(keys_of(micropub, article)), CopyFound)

    @pytest.mark.parametrize(
        ("days", "answer"),
        [
            ([], CopyNotFound),
            (["2026-11-19", "2026-11-21"], CopyNotFound),  # in the order of the fake: oldest first
            (["2026-11-20T11:00:00+01:00"], CopyUnknown),
            (["2026-11-21", "2026-11-22"], CopyUnknown),  # a page of a longer list
            (["2026-11-21", "2026-11-19"], CopyUnknown),  # unsorted, so the post may be anywhere
            (["2026-11-19", "soon"], CopyUnknown),
        ],
    )
    def test_a_list_is_trusted_only_as_far_as_it_reaches(self, micropub, fake, days, answer):
        for n, day in enumerate(days):
            fake.entries[f"{SITE}/{n}"] = self.entry(day)
        assert isinstance(micropub.find(keys_of(micropub)), answer)

    @pytest.mark.parametrize(
        "body", [{}, [], {"items": 7}, {"items": [7, {"properties": 7}, {"properties": {"content": 7}}]}]
    )
    def test_an_invalid_list_gives_an_unknown_result(self, micropub, outside, body):
        outside.always(lambda seen: "q=source" in seen.url, json=body)
        assert isinstance(micropub.find(keys_of(micropub)), CopyUnknown)

    def test_a_site_without_a_list_cannot_be_searched(self, outside):
        FakeSite(outside, lists=False)
        micropub = Micropub(SETTINGS, door_of(outside))
        assert isinstance(micropub.find(keys_of(micropub)), CopyUnknown)


class TestDiscovery:
    def site(self, outside, body="", **headers):
        outside.teach("GET", SITE, body=body.encode(), headers={"Content-Type": "text/html", **headers})
        outside.teach("GET", ENDPOINT, json={})
        outside.teach("GET", f"{SITE}/?rest_route=/micropub&q=config", json={"media-endpoint": "/media"})
        return Micropub(SETTINGS, door_of(outside))

    @pytest.mark.parametrize(
        "link",
        [
            f'<{ENDPOINT}>; rel="micropub"',
            "</micropub>; rel=micropub",
            f'<https://x.example/a,b;c>; rel="me", <{ENDPOINT}>; title="x"; rel="hub MICROPUB"',
        ],
    )
    def test_a_link_header_is_preferred_over_the_page(self, outside, link):
        page = '<link rel="micropub" href="https://elsewhere.example/">'
        assert self.site(outside, page, Link=link).verify().facts["endpoint"] == ENDPOINT

    @pytest.mark.parametrize(
        "page",
        [
            f'<link rel="micropub" href="{ENDPOINT}">',
            '<LINK href="/micropub" rel="me Micropub"/><link rel=micropub href=/other>',
            '<a rel="micropub" href="/no"></a><link rel="micropub_media" href="/no"><link rel=micropub href=micropub>',
        ],
    )
    def test_the_endpoint_is_found_in_the_page(self, outside, page):
        micropub = self.site(outside, page, Link='</style.css>; rel="preload"')
        assert micropub.verify().facts["endpoint"] == ENDPOINT

    def test_an_endpoint_may_have_a_query_string(self, outside):
        micropub = self.site(outside, '<link rel="micropub" href="/?rest_route=/micropub">')
        assert micropub.verify().facts == {"endpoint": f"{SITE}/?rest_route=/micropub", "media": f"{SITE}/media"}

    def test_a_relative_endpoint_is_resolved_against_the_redirect_target(self, outside):
        outside.teach("GET", SITE, status=301, headers={"Location": "https://www.me.example/blog/"})
        page = {"body": b'<link rel="micropub" href="micropub">', "headers": {"Content-Type": "text/html"}}
        outside.teach("GET", "https://www.me.example/blog/", **page)
        outside.teach("GET", "https://www.me.example/blog/micropub", json={})
        www = "https://www.me.example"
        account = Micropub(SETTINGS, outside.http().only_to(Origins.of([SITE, www]))).verify()
        assert account.facts["endpoint"] == f"{www}/blog/micropub"

    def test_an_endpoint_on_another_server_gets_the_token_only_if_that_is_confirmed(self, outside):
        outside.teach("GET", SITE, status=301, headers={"Location": "https://www.me.example/blog/"})
        page = {"body": b'<link rel="micropub" href="micropub">', "headers": {"Content-Type": "text/html"}}
        outside.teach("GET", "https://www.me.example/blog/", **page)
        with pytest.raises(OriginChanged) as caught:
            Micropub(SETTINGS, outside.http()).verify()
        assert caught.value.origin == "https://www.me.example"
        assert not [seen for seen in outside.requests if "authorization" in seen.headers]

    def test_a_redirect_to_plain_http_is_not_followed(self, outside):
        outside.teach("GET", SITE, status=301, headers={"Location": "http://me.example/"})
        with pytest.raises(Misconfigured, match="redirects from https:// to http://"):
            Micropub(SETTINGS, outside.http()).verify()
        assert len(outside.requests) == 1

    @pytest.mark.parametrize("page", ["", "<p>Hello", "<link rel=micropub>", "<link rel=micropub href=mailto:me>"])
    def test_a_site_without_an_endpoint_is_reported(self, outside, page):
        with pytest.raises(Misconfigured, match="No Micropub endpoint") as caught:
            self.site(outside, page).verify()
        assert caught.value.field == "url"

    def test_a_token_is_not_sent_to_an_unencrypted_endpoint_of_an_encrypted_site(self, outside):
        with pytest.raises(Misconfigured, match="isn't encrypted"):
            self.site(outside, '<link rel="micropub" href="http://me.example/micropub">').verify()
        assert not any("authorization" in seen.headers for seen in outside.requests)

    def test_the_page_is_requested_without_the_token(self, micropub, outside):
        micropub.verify()
        page, config = outside.requests
        assert "authorization" not in page.headers
        assert config.headers["authorization"] == f"Bearer {TOKEN}"

    def test_a_discovered_endpoint_is_not_discovered_again(self, micropub, outside):
        account = micropub.verify()
        assert account.facts == {"endpoint": ENDPOINT, "media": MEDIA}
        outside.requests.clear()
        publish(Micropub(SETTINGS, door_of(outside), facts=account.facts))
        assert SITE not in {seen.url for seen in outside.requests}

    def test_reconnecting_discovers_the_endpoint_again(self, outside, fake):
        stale = Micropub(SETTINGS, door_of(outside), facts={"endpoint": "https://old.example/micropub"})
        assert stale.verify().facts["endpoint"] == ENDPOINT


class TestErrors:
    def refused(self, micropub, outside, status, error):
        outside.always(
            lambda seen: seen.method == "POST" and seen.url == ENDPOINT, status=status, json={"error": error}
        )
        publish(micropub)

    @pytest.mark.parametrize("status", [401, 403])
    def test_a_token_with_missing_scopes_says_which_are_needed(self, micropub, outside, status):
        with pytest.raises(Disconnected, match="scopes create") as caught:
            self.refused(micropub, outside, status, "insufficient_scope")
        assert caught.value.field == "token"

    @pytest.mark.parametrize(("status", "error"), [(401, "unauthorized"), (403, "forbidden"), (400, "unauthorized")])
    def test_a_rejected_token_raises_disconnected(self, micropub, outside, status, error):
        with pytest.raises(Disconnected):
            self.refused(micropub, outside, status, error)

    def test_an_invalid_request_is_rejected(self, micropub, outside):
        with pytest.raises(Rejected, match="invalid_request"):
            self.refused(micropub, outside, 400, "invalid_request")

    def test_a_missing_endpoint_is_misconfigured(self, micropub, outside):
        with pytest.raises(Misconfigured, match="Reconnect the site"):
            self.refused(micropub, outside, 404, "not_found")

    def test_connecting_with_a_wrong_token_fails(self, outside, fake):
        with pytest.raises(Disconnected):
            Micropub({**SETTINGS, "token": "wrong"}, door_of(outside)).verify()

    @pytest.mark.parametrize("config", [[], {"media-endpoint": 7}, {"media-endpoint": "http://me.example/media"}])
    def test_an_invalid_configuration_is_ignored(self, micropub, outside, config):
        outside.always(lambda seen: "q=config" in seen.url, json=config)
        assert micropub.verify().facts == {"endpoint": ENDPOINT}

    def test_an_image_that_the_site_rejects_keeps_its_url(self, micropub, fake, outside):
        outside.always(lambda seen: seen.url == MEDIA, status=413, json={"error": "too_large"})
        assert publish(micropub).extra == {}
        assert AN_IMAGE in fake.only()["content"][0]["html"]
