"""Bluesky, with a fake PDS that returns recorded responses."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from PIL import Image

from blogsvc.connectors.base import ArticleImage, Conflict, CopyUnknown, Figures, Gone, Receipt, Rejected, Unavailable
from blogsvc.connectors.bluesky.connector import Bluesky
from blogsvc.lib.text.length import length
from tests.connectors.contract import AN_ARTICLE, FAMILY, HTTPContract, with_own_text
from tests.connectors.fake_pds import APPVIEW, DID, POSTS, SETTINGS, FakePDS
from tests.images import encoded, png

KEYS = {"rkey": "3n2u7u6bfbkty", "operation": "op-1"}  # of 2026-11-21T23:09:35.287Z


class TestContract(HTTPContract):
    finds_by_key = True
    too_long = with_own_text(AN_ARTICLE, "a" * 301)

    def make(self, outside):
        self.fake = FakePDS(outside)
        return Bluesky(SETTINGS, outside.http())

    def first_settings(self, connector):
        return {**SETTINGS, "url": ""}

    def is_creation(self, seen):
        return seen.url.endswith("putRecord")

    def copies(self, outside):
        return len(self.fake.of(POSTS))

    def edit_on_platform(self, outside):
        self.fake.edit(POSTS, text="Changed by another app")

    def add_readers(self, outside):
        self.fake.figures = {"likeCount": 4, "repostCount": 2, "quoteCount": 1, "replyCount": 3, "bookmarkCount": 9}
        return Figures(likes=4, shares=3, comments=3)


@pytest.fixture
def fake(outside):
    return FakePDS(outside)


@pytest.fixture
def bluesky(outside, fake):
    return Bluesky(SETTINGS, outside.http())


def own(words, **more):
    return with_own_text(AN_ARTICLE, words, **more)


def text_of(article):
    return Bluesky(SETTINGS).compose(article, {}).body["record"]["text"]


def publish(bluesky, article=AN_ARTICLE, keys=KEYS):
    return bluesky.publish(bluesky.compose(article, {}), keys)


def test_a_post_has_title_summary_tags_and_a_link_card(bluesky, fake):
    receipt = publish(bluesky)
    assert receipt.remote_id == f"at://{DID}/{POSTS}/{KEYS['rkey']}"
    assert receipt.url == f"https://bsky.app/profile/{DID}/post/{KEYS['rkey']}"
    [(cid, record)] = fake.records.values()
    assert receipt.version == cid
    [blob] = fake.blobs
    assert record == {
        "$type": POSTS,
        "text": "Of trees\n\nAbout trees.\n\n#nature #trees",
        "createdAt": "2026-11-21T23:09:35.287Z",
        "facets": [
            {
                "index": {"byteStart": 24, "byteEnd": 31},
                "features": [{"$type": "app.bsky.richtext.facet#tag", "tag": "nature"}],
            },
            {
                "index": {"byteStart": 32, "byteEnd": 38},
                "features": [{"$type": "app.bsky.richtext.facet#tag", "tag": "trees"}],
            },
        ],
        "langs": ["en"],
        "embed": {
            "$type": "app.bsky.embed.external",
            "external": {
                "uri": "https://blog.example/posts/of-trees",
                "title": "Of trees",
                "description": "About trees.",
                "thumb": {
                    "$type": "blob",
                    "ref": {"$link": blob},
                    "mimeType": "image/png",
                    "size": len(png()),
                },
            },
        },
    }


class TestLength:
    def test_the_link_is_in_the_card_and_costs_no_text(self):
        article = replace(
            AN_ARTICLE, title="a" * 300, summary="", tags=(), canonical_url="https://b.example/" + "x" * 300
        )
        assert text_of(article) == "a" * 300

    def test_an_emoji_sequence_counts_as_one(self):
        assert text_of(own(FAMILY * 100 + "a" * 200)) == FAMILY * 100 + "a" * 200

    def test_a_too_long_title_is_shortened_with_a_warning(self):
        payload = Bluesky(SETTINGS).compose(replace(AN_ARTICLE, title="word " * 80), {})
        assert length(payload.body["record"]["text"], "graphemes") <= 300
        assert any("shortened" in warning for warning in payload.warnings)

    def test_300_emoji_sequences_exceed_the_byte_limit_and_are_shortened(self, bluesky, fake):
        publish(bluesky, replace(AN_ARTICLE, title=FAMILY * 300, summary="", tags=("a", "b")))
        [record] = fake.of(POSTS).values()
        assert record["text"] == FAMILY * 119 + "…"
        assert len(record["text"].encode()) == 2978

    def test_too_long_custom_text_is_rejected_and_never_cut(self):
        with pytest.raises(Rejected, match="1 over the limit"):
            text_of(own("a" * 301))
        with pytest.raises(Rejected, match="3000 bytes"):
            text_of(own(FAMILY * 200))

    def test_tags_beyond_the_visible_ones_are_sent_as_hidden_tags(self, bluesky, fake):
        publish(bluesky, replace(AN_ARTICLE, tags=tuple(f"tag {n}" for n in "abcdefghij")))
        [record] = fake.of(POSTS).values()
        assert record["text"].endswith("#TagA #TagB #TagC #TagD #TagE")
        assert record["tags"] == ["TagF", "TagG", "TagH"]


class TestChanges:
    def test_an_edit_of_text_or_images_does_not_change_the_announcement(self, bluesky):
        edited = replace(
            AN_ARTICLE, html="<p>Other.</p>", markdown="Other.", images=(ArticleImage("https://x.example/1"),)
        )
        later = replace(edited, updated_at=None, cover_url="https://x.example/2")
        assert bluesky.compose(AN_ARTICLE, {}).hash == bluesky.compose(later, {}).hash

    def test_a_changed_summary_is_stored_with_the_same_key(self, bluesky, fake):
        receipt = publish(bluesky)
        changed = bluesky.compose(replace(AN_ARTICLE, summary="About more."), {})
        again = bluesky.update(changed, KEYS, receipt)
        assert again.remote_id == receipt.remote_id
        assert again.version != receipt.version
        assert fake.of(POSTS)[KEYS["rkey"]]["createdAt"] == "2026-11-21T23:09:35.287Z"

    def test_a_limitation_says_that_edits_are_not_shown(self):
        assert any("keeps showing" in limitation for limitation in Bluesky.limitations)

    def test_an_update_whose_response_was_lost_is_no_conflict(self, bluesky, fake, outside):
        receipt = publish(bluesky)
        changed = bluesky.compose(replace(AN_ARTICLE, summary="About more."), {})
        outside.lose_next(lambda seen: seen.url.endswith("putRecord"))
        with pytest.raises(Unavailable):
            bluesky.update(changed, KEYS, receipt)
        assert bluesky.update(changed, KEYS, receipt).version == fake.records[POSTS, KEYS["rkey"]][0]

    def test_an_update_whose_response_was_lost_is_no_conflict_with_swap_checks(self, bluesky, fake, outside):
        receipt = publish(bluesky)
        changed = bluesky.compose(replace(AN_ARTICLE, summary="About more."), {})
        again = bluesky.update(changed, KEYS, receipt)
        outside.always(lambda seen: seen.url.endswith("putRecord"), status=400, json={"error": "InvalidSwap"})
        assert bluesky.update(changed, KEYS, receipt) == again

    def test_an_edit_on_the_platform_is_a_conflict_with_advice(self, bluesky, fake):
        receipt = publish(bluesky)
        fake.edit(POSTS, text="Theirs")
        with pytest.raises(Conflict, match="etry to overwrite the changes"):
            bluesky.update(bluesky.compose(replace(AN_ARTICLE, title="Ours"), {}), KEYS, receipt)
        assert fake.of(POSTS)[KEYS["rkey"]]["text"] == "Theirs"

    def test_updating_a_deleted_copy_raises_gone(self, bluesky, fake):
        receipt = publish(bluesky)
        fake.records.clear()
        with pytest.raises(Gone):
            bluesky.update(bluesky.compose(replace(AN_ARTICLE, title="Ours"), {}), KEYS, receipt)

    def test_repeating_a_publish_commits_nothing(self, bluesky, fake):
        assert publish(bluesky) == publish(bluesky)
        assert fake.commits == 1


class TestImage:
    def test_an_image_that_the_server_cannot_read_is_left_out(self, bluesky, fake, outside):
        outside.always(lambda seen: seen.url.endswith("uploadBlob"), status=500, json={"error": "InternalServerError"})
        publish(bluesky)
        assert "thumb" not in fake.of(POSTS)[KEYS["rkey"]]["embed"]["external"]

    def test_a_lost_blob_is_uploaded_again(self, bluesky, fake, outside):
        outside.always(lambda seen: seen.url.endswith("putRecord"), status=400, json={"error": "BlobNotFound"})
        with pytest.raises(Unavailable):
            publish(bluesky)
        outside.always()
        publish(bluesky)
        assert sum(seen.url.endswith("uploadBlob") for seen in outside.requests) == 2

    def test_an_image_over_one_megabyte_is_scaled_down(self, bluesky, fake, outside):
        noise = Image.frombytes("RGB", (1000, 700), random.Random(7).randbytes(2_100_000))
        heavy = encoded(noise, "PNG")
        outside.teach("GET", "https://blog.example/heavy.png", body=heavy, headers={"Content-Type": "image/png"})
        publish(bluesky, replace(AN_ARTICLE, cover_url="https://blog.example/heavy.png"))
        thumb = fake.of(POSTS)[KEYS["rkey"]]["embed"]["external"]["thumb"]
        assert len(heavy) > 1_000_000 >= thumb["size"]

    def test_the_cover_is_preferred_over_the_first_image(self, bluesky, outside, fake):
        outside.teach("GET", "https://blog.example/cover.png", body=png(9, 9), headers={"Content-Type": "image/png"})
        publish(bluesky, replace(AN_ARTICLE, cover_url="https://blog.example/cover.png"))
        assert fake.of(POSTS)[KEYS["rkey"]]["embed"]["external"]["thumb"]["size"] == len(png(9, 9))


def test_a_post_without_counts_has_no_figures(bluesky, fake):
    assert bluesky.stats(publish(bluesky)) == Figures()


@pytest.mark.parametrize("posts", [[7], [{"likeCount": "many", "repostCount": True}], {}])
def test_invalid_figures_are_ignored(bluesky, outside, posts):
    outside.teach("GET", f"{APPVIEW}/xrpc/app.bsky.feed.getPosts", json={"posts": posts})
    outside.always(lambda seen: seen.url.startswith(APPVIEW), json={"posts": posts})
    assert bluesky.stats(Receipt("at://did:plc:alice/app.bsky.feed.post/3n2u7u6bfbkty")) == Figures()


def test_a_copy_without_a_key_cannot_be_found(bluesky):
    assert isinstance(bluesky.find({"operation": "op-1"}), CopyUnknown)
