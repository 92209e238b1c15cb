"""The preview of a payload shows what readers of the platform will see."""

from __future__ import annotations

import pytest

from blogsvc.connectors.base import Connector, Payload, TextPart
from blogsvc.connectors.payload_parts import parts
from tests.fidelity.corpus import NAMES, article, composed, connected, platforms

# A post there is a title with a link. The text of the article is not a part of it.
TITLE_AND_LINK = {"hackernews", "reddit"}


@pytest.mark.parametrize("key", sorted(platforms().keys() - TITLE_AND_LINK))
def test_every_connector_declares_the_visible_parts_of_its_payload(key: str) -> None:
    assert connected(key).shows, f"{key} does not declare what it shows"
    payloads = [payload for name in NAMES if isinstance(payload := composed(key, name), Payload)]
    assert payloads
    for payload in payloads:
        shown = parts(connected(key), payload)
        assert any(part.form in ("text", "markdown", "html") for part in shown), payload.body


@pytest.mark.parametrize("key", sorted(platforms().keys() - TITLE_AND_LINK))
def test_the_visible_parts_contain_the_text_of_the_article(key: str) -> None:
    payload = composed(key, "basics")
    assert isinstance(payload, Payload)
    assert "slanted" in "".join(part.text for part in parts(connected(key), payload))


@pytest.mark.parametrize("key", sorted(TITLE_AND_LINK))
def test_a_post_that_only_links_to_the_article_shows_its_title_and_link(key: str) -> None:
    for name in NAMES:
        payload = composed(key, name)
        assert isinstance(payload, Payload)
        title, link = article(name).title, article(name).canonical_url
        assert parts(connected(key), payload) == (TextPart("title", title), TextPart("link", link))


class Unsaid(Connector):
    key = label = "unsaid"


def test_parts_of_a_connector_without_declaration_are_guessed() -> None:
    body = {"title": "T", "body": "Words.", "id": 3}
    assert parts(Unsaid({}), Payload(body)) == (TextPart("title", "T"), TextPart("text", "Words."))
    assert parts(Unsaid({}), Payload({"blob": 1})) == ()
