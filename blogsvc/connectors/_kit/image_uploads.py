"""Pictures on the platform that shows them: uploaded once, remembered by the copy's receipt, shown from there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape

from blogsvc.connectors._kit.images import MAX_IMAGES, SUFFIXES, ImageFile, ImageSource, relink


def uploaded(
    urls: Sequence[str],
    known: Mapping[str, str],
    album: ImageSource,
    upload: Callable[[ImageFile], str | None],
    types: Collection[str] = tuple(SUFFIXES),
) -> dict[str, str]:
    """Where each of these pictures is on the platform. One that cannot be had, or is not taken, is left out.

    `known` is what was answered for the same copy before; what its text does not show any more is forgotten.
    """
    found = {}
    for url in urls[:MAX_IMAGES]:
        picture = None if url in known else album.get(url, types=types)
        link = upload(picture) if picture else known.get(url)
        if link:
            found[url] = link
    return found


def relinked(html: str, links: Mapping[str, str]) -> str:
    """HTML that shows each picture from its new address."""
    return relink(html, {escape(url): escape(link) for url, link in links.items()})
