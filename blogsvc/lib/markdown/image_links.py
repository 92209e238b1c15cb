"""Find and replace the URLs of images in Markdown, and of links to them, in every notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from blogsvc.lib.markdown.addresses import Address

_MAYBE = re.compile(r"!\[|<(?:audio|img|source|video)\b|\.(?:avif|bmp|gif|jpe?g|png|svg|webp)\b", re.IGNORECASE)
_IMAGE_FILE = re.compile(r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp)\Z", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s()<>\\`|]|&(?=#?\w++;)")
_SPACE = re.compile(r"\s")


def addresses(markdown: str, home: str = "") -> list[str]:
    """Return the URLs of the images, and of linked image files, in order, without duplicates.

    Args:
        home: a URL of the blog that the text is from. A linked file counts if it is there, or beside an image.
    """
    found = _addresses_in(markdown)
    hosts = {"", _parts(home).netloc, *(_parts(one.url).netloc for one in found if one.is_image)}
    return list(dict.fromkeys(one.url for one in found if one.is_image or _is_image_file(one.url, hosts)))


def _is_image_file(url: str, hosts: Iterable[str]) -> bool:
    parts = _parts(url)
    return (
        parts.scheme in ("", "http", "https") and parts.netloc in hosts and _IMAGE_FILE.search(parts.path) is not None
    )


def _parts(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def rewritten(markdown: str, change: Callable[[str], str], *, with_links: bool = True) -> str:
    """Return the text with `change` applied to the URL of each image, and of each link."""
    return replaced(markdown, [one for one in _addresses_in(markdown) if with_links or one.is_image], change)


def replaced(markdown: str, places: Iterable[Address], change: Callable[[str], str]) -> str:
    """Return the text with `change` applied to the addresses at some places, which are in order."""
    parts, place = [], 0
    for one in places:
        new = change(one.url)
        if new != one.url and one.start >= place:
            written = quoted(new) if one.notation == "markdown" else escape(_SPACE.sub(_escaped, new.strip()))
            if one.notation == "bare attribute":
                written = written.replace("=", "&#61;").replace("`", "&#96;")
            elif one.notation == "markdown" and markdown[one.start] == "<":
                written = f"<{written}>"
            parts += [markdown[place : one.start], written]
            place = one.end
    return "".join([*parts, markdown[place:]])


def alts(markdown: str) -> dict[str, str]:
    """Return the first alternative text that each image has, by its URL."""
    return {one.url: one.alt for one in reversed(_addresses_in(markdown)) if one.is_image and one.alt}


def _addresses_in(markdown: str) -> list[Address]:
    if not _MAYBE.search(markdown):
        return []
    from blogsvc.lib.markdown.addresses import addresses_in  # loads the parser of Markdown, which few texts need

    return addresses_in(markdown)


def quoted(address: str) -> str:
    """Escape a URL for a Markdown link, also without angle brackets."""
    return _UNSAFE.sub(_escaped, address.strip())


def _escaped(mark: re.Match[str]) -> str:
    return "&amp;" if mark[0] == "&" else "".join(f"%{byte:02X}" for byte in mark[0].encode())
