"""What leaves this blog is as good as the original: addresses are full, own texts keep their links and lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from blogsvc.connectors.base import Article, Payload
from blogsvc.connectors.bluesky.connector import Bluesky
from blogsvc.delivery.article import article
from blogsvc.models import Post, Revision
from tests.connectors.contract import AN_ARTICLE, with_own_text
from tests.fidelity.corpus import connected, platforms, strings

BLOG = "https://blog.example"
RELATIVE = """See [next](/other-post) and [the part](#part).

![alt](/media/fog-0123456789.jpg)

<a href="/raw">raw</a>

## Part

[third]: /third

And [the third][third]."""
# They send the text, not only a link to it.
WHOLE_TEXTS = ("atproto", "buttondown", "devto", "folder", "ghost", "micropub", "nostr", "webhook", "wordpress")
OWN = "I like [cheese](https://cheese.example/).\n\nSecond paragraph.\n\n1. one\n2. two"
ANNOUNCING = sorted(
    key
    for key, kind in platforms().items()
    if kind.category == "announcement" and key != "lemmy" and getattr(kind, "form", "text") == "text"
)

Post_ = Callable[..., Post]


def composed(key: str, about: Article) -> Payload:
    connector = connected(key)
    return connector.compose(about, {option.name: option.default for option in connector.options})


def article_of(post: Post, key: str) -> Article:
    return article(post, Revision.of(post.id, 0, post.fields(), "preview", post.created_at), key, BLOG)


def written(payload: Payload) -> str:
    return "\n".join(text for _, text in strings(payload.body))


@pytest.mark.parametrize("key", WHOLE_TEXTS)
def test_addresses_relative_to_the_blog_become_full_for_every_destination(a_post: Post_, key: str) -> None:
    post = a_post(title="Of trees", content=RELATIVE)
    sent = written(composed(key, article_of(post, key)))
    for path in ("/other-post", "/media/fog-0123456789.jpg", "/raw", "/third"):
        assert f"{BLOG}{path}" in sent
        assert path not in sent.replace(f"{BLOG}{path}", "")
    assert f"{BLOG}/of-trees#part" not in sent


def test_a_text_for_one_destination_has_full_addresses_too(a_post: Post_) -> None:
    own = {"mastodon": {"content": "See [next](/other-post)."}}
    post = a_post(content="Words.", overrides=own)
    sent = composed("mastodon", article_of(post, "mastodon"))
    assert sent.body["status"].startswith(f"See next ({BLOG}/other-post).")


@pytest.mark.parametrize("key", ANNOUNCING)
def test_an_own_text_keeps_its_links_paragraphs_and_numbers(key: str) -> None:
    payload = composed(key, with_own_text(AN_ARTICLE, OWN))
    sent = json.dumps(payload.body, ensure_ascii=False)
    assert "https://cheese.example/" in sent
    assert "](https://cheese" not in sent
    assert "Second paragraph." in sent
    assert "2. two" in sent.replace("\\\\", "")
    assert r".\n\nSecond" in sent or ".<br><br>Second" in sent
    assert payload.announcement == OWN


def test_the_words_of_a_link_are_a_facet_on_bluesky() -> None:
    record = Bluesky({}).compose(with_own_text(AN_ARTICLE, "Ä [cheese](https://cheese.example/)."), {}).body["record"]
    (facet,) = record["facets"]
    at = facet["index"]
    assert record["text"] == "Ä cheese."
    assert record["text"].encode()[at["byteStart"] : at["byteEnd"]] == b"cheese"
    assert facet["features"][0]["uri"] == "https://cheese.example/"


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("slack", {"type": "link", "url": "https://cheese.example/", "text": "cheese"}),
        ("telegram", '<a href="https://cheese.example/">cheese</a>'),
        ("matrix", '<a href="https://cheese.example/">cheese</a>'),
        ("mastodon", "cheese (https://cheese.example/)."),
        ("discord", r"cheese \(https://cheese.example/\)."),
    ],
)
def test_words_are_links_where_the_platform_has_them(key: str, part: Any) -> None:
    sent = json.dumps(composed(key, with_own_text(AN_ARTICLE, OWN)).body, ensure_ascii=False)
    assert json.dumps(part).strip('"') in sent


def test_an_address_in_brackets_is_a_whole_link_on_slack() -> None:
    sent = composed("slack", with_own_text(AN_ARTICLE, "(https://w.example/Foo_(bar))")).body
    links = [part["url"] for part in sent["blocks"][0]["elements"][0]["elements"] if part["type"] == "link"]
    assert links[0] == "https://w.example/Foo_(bar)"


@pytest.mark.parametrize("key", ["mastodon", "telegram"])
def test_a_name_in_a_title_mentions_no_stranger(key: str) -> None:
    about = replace(AN_ARTICLE, title="CSS @media rules", summary="Ask @ada.")
    sent = written(composed(key, about))
    assert "@\u2060media" in sent
    assert "@\u2060ada" in sent
    own = written(composed(key, with_own_text(AN_ARTICLE, "Thanks, @ada!")))
    assert "@ada" in own


def test_a_name_in_a_text_mentions_no_stranger_on_dev_but_code_stays() -> None:
    about = replace(AN_ARTICLE, markdown="Use @media.\n\n    @media print\n\n```\n@media\n```\n`@media`")
    text = composed("devto", about).body["body_markdown"]
    assert text == "Use @\u2060media.\n\n    @media print\n\n```\n@media\n```\n`@media`"


@pytest.mark.parametrize("key", ["mastodon", "bluesky", "telegram"])
def test_a_tag_that_no_hashtag_can_say_is_named(key: str) -> None:
    payload = composed(key, replace(AN_ARTICLE, tags=("C#", "C++", "C", "हिन्दी")))
    sent = written(payload)
    assert "#C #हिन्दी" in sent
    assert "“C#”, “C++”." in payload.warnings[0]


def test_a_japanese_summary_is_cut_near_the_limit() -> None:
    summary = "Tool " + "日本語の文章は単語の間に空白がない" * 20
    payload = composed("mastodon", replace(AN_ARTICLE, summary=summary))
    assert summary[:290] in payload.body["status"]
    assert "The summary is shortened to 300 characters." in payload.warnings
