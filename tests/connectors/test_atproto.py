"""Documents on the AT Protocol, with the fake PDS."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogsvc.connectors._kit import atproto_tid
from blogsvc.connectors.atproto import MAX_RECORD_BYTES, PUBLICATION, ATProto
from blogsvc.connectors.base import Conflict, Misconfigured, Rejected, dumps
from tests.connectors.contract import AN_ARTICLE, HTTPContract
from tests.connectors.fake_pds import DID, MOST_REQUEST, FakePDS
from tests.connectors.fake_pds import SETTINGS as ACCOUNT
from tests.images import png

DOCUMENTS = "site.standard.document"
SETTINGS = {**ACCOUNT, "blog_url": "https://blog.example", "blog_name": "Of everything"}
KEYS = {"rkey": "3n2u7u6bfbkty", "operation": "op-1"}
PUBLICATION_URI = f"at://{DID}/{PUBLICATION}/{atproto_tid.of('https://blog.example')}"


class TestContract(HTTPContract):
    finds_by_key = True
    too_long = replace(AN_ARTICLE, title="a" * 501)

    def make(self, outside):
        self.fake = FakePDS(outside)
        return ATProto(SETTINGS, outside.http())

    def first_settings(self, connector):
        return {**SETTINGS, "url": ""}

    def is_creation(self, seen):
        return seen.url.endswith("putRecord") and seen.json()["collection"] == DOCUMENTS

    def copies(self, outside):
        return len(self.fake.of(DOCUMENTS))

    def edit_on_platform(self, outside):
        self.fake.edit(DOCUMENTS, title="Changed by another app")


@pytest.fixture
def fake(outside):
    return FakePDS(outside)


@pytest.fixture
def atproto(outside, fake):
    return ATProto(SETTINGS, outside.http())


def publish(atproto, article=AN_ARTICLE, keys=KEYS):
    return atproto.publish(atproto.compose(article, {}), keys)


def document(fake):
    [record] = fake.of(DOCUMENTS).values()
    return record


def test_an_article_is_stored_whole(atproto, fake):
    receipt = publish(atproto)
    assert receipt.remote_id == f"at://{DID}/{DOCUMENTS}/{KEYS['rkey']}"
    assert receipt.url == f"https://pdsls.dev/{receipt.remote_id}"
    [blob] = fake.blobs
    assert document(fake) == {
        "$type": DOCUMENTS,
        "site": PUBLICATION_URI,
        "path": "/posts/of-trees",
        "title": "Of trees",
        "description": "About trees.",
        "tags": ["nature", "trees"],
        "publishedAt": "2026-11-20T10:00:00.000Z",
        "updatedAt": "2026-11-20T10:00:00.000Z",
        "textContent": "A tree.",
        "coverImage": {"$type": "blob", "ref": {"$link": blob}, "mimeType": "image/png", "size": len(png())},
        "content": {
            "$type": "at.markpub.markdown",
            "flavor": "gfm",
            "text": {"$type": "at.markpub.text", "markdown": AN_ARTICLE.markdown},
        },
    }


def test_a_missing_date_is_taken_from_the_record_key(atproto, fake):
    publish(atproto, replace(AN_ARTICLE, published_at=None, updated_at=None))
    assert document(fake)["publishedAt"] == "2026-11-21T23:09:35.287Z"
    assert "updatedAt" not in document(fake)


def test_a_missing_title_is_taken_from_the_text(atproto, fake):
    publish(atproto, replace(AN_ARTICLE, title=" "))
    assert document(fake)["title"] == "A tree."


class TestPublication:
    def test_connecting_creates_the_publication_and_stores_its_uri(self, atproto, fake):
        account = atproto.verify()
        assert account.facts["publication"] == PUBLICATION_URI
        assert list(fake.of(PUBLICATION).values()) == [
            {"$type": PUBLICATION, "url": "https://blog.example", "name": "Of everything"}
        ]

    def test_connecting_again_changes_nothing(self, atproto, fake):
        atproto.verify()
        atproto.verify()
        publish(atproto)
        assert len(fake.of(PUBLICATION)) == 1
        assert fake.commits == 2

    def test_a_trailing_slash_in_the_address_creates_no_second_publication(self, outside, fake):
        for address in ("https://blog.example", "https://blog.example/"):
            ATProto({**SETTINGS, "blog_url": address}, outside.http()).verify()
        assert len(fake.of(PUBLICATION)) == 1

    def test_fields_added_by_other_apps_are_kept(self, atproto, fake, outside):
        atproto.verify()
        fake.edit(PUBLICATION, basicTheme={"accent": "blue"})
        ATProto({**SETTINGS, "blog_name": "Of more"}, outside.http()).verify()
        [record] = fake.of(PUBLICATION).values()
        assert (record["name"], record["basicTheme"]) == ("Of more", {"accent": "blue"})
        written = [seen.json() for seen in outside.requests if seen.url.endswith("putRecord")]
        assert "swapRecord" in written[-1]  # fields written between the look and the write stay as well

    def test_a_deleted_publication_is_created_again_for_the_next_article(self, atproto, fake):
        atproto.verify()
        fake.records.clear()
        publish(atproto)
        assert len(fake.of(PUBLICATION)) == 1

    @pytest.mark.parametrize("address", ["", "blog.example", "ftp://blog.example"])
    def test_an_invalid_address_is_reported_at_the_setting(self, outside, address):
        with pytest.raises(Misconfigured) as caught:
            ATProto({**SETTINGS, "blog_url": address}, outside.http()).verify()
        assert caught.value.field == "blog_url"
        assert outside.requests == []


@pytest.mark.parametrize(
    ("home", "site", "path"),
    [
        ("https://blog.example/of-trees", PUBLICATION_URI, "/of-trees"),
        ("https://blog.example", PUBLICATION_URI, "/"),
        ("https://blog.example.org/of-trees", "https://blog.example.org", "/of-trees"),
        ("https://elsewhere.example", "https://elsewhere.example", "/"),
        (None, PUBLICATION_URI, None),
    ],
)
def test_site_and_path_together_are_the_canonical_url(atproto, fake, home, site, path):
    publish(atproto, replace(AN_ARTICLE, canonical_url=home))
    assert (document(fake)["site"], document(fake).get("path")) == (site, path)


class TestLength:
    def test_a_long_article_keeps_its_markdown_and_a_shortened_plain_text(self, atproto, fake):
        html = "".join(f'<p>"Line" {n}</p>' for n in range(6000))
        publish(atproto, replace(AN_ARTICLE, markdown="é" * 30_000, html=html))
        assert document(fake)["content"]["text"]["markdown"] == "é" * 30_000
        assert document(fake)["textContent"].endswith("…")
        assert len(dumps(document(fake))) <= MAX_RECORD_BYTES

    @pytest.mark.parametrize("markdown", ["é" * 80_000, '"\n\n' * 40_000])
    def test_a_too_long_article_is_shortened_with_a_warning(self, atproto, fake, markdown):
        article = replace(AN_ARTICLE, markdown=markdown, html=f"<p>{'word ' * 40_000}</p>")
        publish(atproto, article)
        assert "content" not in document(fake)
        assert len(document(fake)["textContent"]) > 100_000
        assert len(dumps(document(fake))) <= MAX_RECORD_BYTES < MOST_REQUEST
        assert any("show the beginning" in warning for warning in atproto.compose(article, {}).warnings)

    def test_a_text_of_quotation_marks_and_line_breaks_fits(self, atproto, fake):
        publish(atproto, replace(AN_ARTICLE, markdown="short", html=f"<pre>{'&quot;' * 100_000}</pre>"))
        assert len(dumps(document(fake))) <= MAX_RECORD_BYTES

    def test_a_title_may_have_500_graphemes_and_not_501(self, atproto):
        flag = "🇩🇪"
        assert atproto.compose(replace(AN_ARTICLE, title=flag * 500), {})
        with pytest.raises(Rejected, match="1 characters over the limit"):
            atproto.compose(replace(AN_ARTICLE, title=flag * 501), {})

    def test_a_long_summary_is_shortened(self, atproto):
        record = atproto.compose(replace(AN_ARTICLE, summary="é" * 3001), {}).body["record"]
        assert record["description"] == "é" * 2999 + "…"

    def test_a_too_long_tag_is_dropped(self, atproto):
        record = atproto.compose(replace(AN_ARTICLE, tags=("a" * 129, "b" * 128)), {}).body["record"]
        assert record["tags"] == ["b" * 128]


class TestChanges:
    def test_an_edit_updates_the_document(self, atproto, fake):
        receipt = publish(atproto)
        later = datetime(2026, 11, 21, tzinfo=UTC)
        edited = replace(AN_ARTICLE, markdown="A bush.", html="<p>A bush.</p>", updated_at=later)
        again = atproto.update(atproto.compose(edited, {}), KEYS, receipt)
        assert again.remote_id == receipt.remote_id
        assert document(fake)["textContent"] == "A bush."
        assert document(fake)["updatedAt"] == "2026-11-21T00:00:00.000Z"

    def test_an_edit_by_another_app_is_not_overwritten(self, atproto, fake):
        receipt = publish(atproto)
        fake.edit(DOCUMENTS, title="Theirs")
        with pytest.raises(Conflict):
            atproto.update(atproto.compose(replace(AN_ARTICLE, title="Ours"), {}), KEYS, receipt)
        assert document(fake)["title"] == "Theirs"
