"""Facets of a Bluesky post: the positions of links and hashtags, in bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from blogsvc.lib.text.autolinks import Autolink, addresses, hashtags_in
from blogsvc.lib.text.length import length

FACET = "app.bsky.richtext.facet"
MOST_TAG, MOST_TAG_BYTES = 64, 640


def facets(text: str, links: Collection[Autolink] = ()) -> list[dict[str, Any]]:
    """Return the facets of links, bare addresses and hashtags, in order.

    Mentions stay plain text, because they need the account's DID.

    Args:
        links: words of the text that are links.
    """
    linked = [*links, *(one for one in addresses(text) if not one.is_cut and not _is_within(one, links))]
    spans = [(one, {"$type": f"{FACET}#link", "uri": one.target}) for one in linked]
    tags = [one for one in hashtags_in(text) if is_tag(one.target) and not _is_within(one, linked)]
    spans += [(one, {"$type": f"{FACET}#tag", "tag": one.target}) for one in tags]
    return [
        {"index": {"byteStart": _bytes(text[: one.start]), "byteEnd": _bytes(text[: one.end])}, "features": [feature]}
        for one, feature in sorted(spans, key=lambda span: span[0].start)
    ]


def _is_within(one: Autolink, links: Collection[Autolink]) -> bool:
    return any(link.start <= one.start < link.end for link in links)


def is_tag(tag: str) -> bool:
    return 0 < length(tag, "graphemes") <= MOST_TAG and _bytes(tag) <= MOST_TAG_BYTES


def _bytes(text: str) -> int:
    return length(text, "bytes")
