"""Byte positions of links and hashtags in a post."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.bluesky.connector import Bluesky
from blogsvc.connectors.bluesky.rich_text import facets
from tests.connectors.contract import AN_ARTICLE, FAMILY

WORDS = f"{FAMILY} Süßes: (https://a.example/x_(y)), #Äpfel und https://b.example/#frag. #2026 a#b #한국어!"


def covered(text):
    data = text.encode()
    return [data[f["index"]["byteStart"] : f["index"]["byteEnd"]].decode() for f in facets(text)]


def test_each_facet_covers_the_bytes_of_its_text():
    assert covered(WORDS) == ["https://a.example/x_(y)", "#Äpfel", "https://b.example/#frag", "#한국어"]


def test_each_facet_has_its_link_or_tag():
    features = [facet["features"][0] for facet in facets(WORDS)]
    assert [f.get("uri") or f.get("tag") for f in features] == [
        "https://a.example/x_(y)",
        "Äpfel",
        "https://b.example/#frag",
        "한국어",
    ]


@pytest.mark.parametrize("text", ["", "#", "# a", "https://", f"#{'a' * 65}", "say a#b", "#_", "#42"])
def test_text_without_links_or_tags_has_no_facets(text):
    assert facets(text) == []


def test_facets_of_a_shortened_text_are_inside_it():
    article = replace(AN_ARTICLE, title="ä" * 250, summary=f"{FAMILY} #tag " * 50)
    text = Bluesky({}).compose(article, {}).body["record"]["text"]
    size = len(text.encode())
    assert facets(text)
    for facet in facets(text):
        assert 0 <= facet["index"]["byteStart"] < facet["index"]["byteEnd"] <= size
    assert all(part in text for part in covered(text))


def test_a_truncated_link_is_no_facet():
    assert facets("See https://a.example/of-tr…") == []
