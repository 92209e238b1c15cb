"""Facets of a Bluesky post: the positions of links and hashtags, in bytes of UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blogsvc.lib.text.length import length

FACET = "app.bsky.richtext.facet"
MOST_TAG, MOST_TAG_BYTES = 64, 640
_LINK = re.compile(r"""https?://[^\s<>"]+""")
_TAG = re.compile(r"(?<![^\s(])#(\w*[^\W\d_]\w*)")


def facets(text: str) -> list[dict[str, Any]]:
    """Return the facets of links and hashtags, in order.

    Mentions stay plain text, because they need the account's DID.
    """
    spans = sorted([*_links(text), *_tags(text)], key=lambda one: one[0])
    return [
        {"index": {"byteStart": _bytes(text[:start]), "byteEnd": _bytes(text[:end])}, "features": [feature]}
        for start, end, feature in spans
    ]


def is_tag(tag: str) -> bool:
    return 0 < length(tag, "graphemes") <= MOST_TAG and _bytes(tag) <= MOST_TAG_BYTES


def _links(text: str) -> Iterator[tuple[int, int, dict[str, str]]]:
    for match in _LINK.finditer(text):
        link = _without_punctuation(match[0])
        if not match[0].endswith("…"):  # a shortened link would lead elsewhere
            yield match.start(), match.start() + len(link), {"$type": f"{FACET}#link", "uri": link}


def _without_punctuation(link: str) -> str:
    """Return the link without punctuation that ends the sentence, or a closing bracket."""
    link = link.rstrip(".,;:!?'")
    return link[:-1] if link.endswith(")") and link.count("(") < link.count(")") else link


def _tags(text: str) -> Iterator[tuple[int, int, dict[str, str]]]:
    for match in _TAG.finditer(text):
        if is_tag(match[1]):
            yield match.start(), match.end(), {"$type": f"{FACET}#tag", "tag": match[1]}


def _bytes(text: str) -> int:
    return length(text, "bytes")
