"""What the author is shown of a payload is what a reader of the platform will see."""

from __future__ import annotations

import pytest

from blogsvc.connectors._kit.preview_parts import PreviewPart, parts
from blogsvc.connectors.base import Connector, Payload
from tests.fidelity.corpus import NAMES, composed, connected, platforms


@pytest.mark.parametrize("key", sorted(platforms()))
@pytest.mark.parametrize("name", NAMES)
def test_every_connector_says_where_the_words_stand(key: str, name: str) -> None:
    payload = composed(key, name)
    if not isinstance(payload, Payload):
        return
    shown = parts(connected(key), payload)
    assert any(part.form in ("text", "markdown", "html") for part in shown), payload.body
    assert connected(key).shows, f"{key} does not say what it shows"


@pytest.mark.parametrize("key", sorted(platforms()))
def test_the_words_of_the_article_are_among_them(key: str) -> None:
    payload = composed(key, "basics")
    assert isinstance(payload, Payload)
    assert "slanted" in "".join(part.text for part in parts(connected(key), payload))


class Unsaid(Connector):
    key = label = "unsaid"


def test_a_connector_that_does_not_say_is_looked_through() -> None:
    body = {"title": "T", "body": "Words.", "id": 3}
    assert parts(Unsaid({}), Payload(body)) == (PreviewPart("title", "T"), PreviewPart("text", "Words."))
    assert parts(Unsaid({}), Payload({"blob": 1})) == ()
