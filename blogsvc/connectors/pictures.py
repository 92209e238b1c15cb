"""Pictures of a post, fetched and named by their content, and the links to them in its text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from blogsvc.lib.http import MIB, Door, DoorError, TooLarge

# No SVG: it is a document that may carry scripts.
SUFFIXES = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
}
OUR_NAME = re.compile(r"[0-9a-f]{20}\.(jpg|png|gif|webp|avif)")
MOST_BYTES = 20 * MIB
MOST = 100  # pictures of one post
LOOK_BACK = 1000  # characters before an address that may make it that of a picture
SHOWN = re.compile(
    r"""(?: !\[ (?:\\.|[^\]\\])* \] \( \s* <?        # ![alt](
          | <img\b [^<>]* \b src \s* = \s* ["']?      # <img src="
          | ^[ ]{0,3} \[ [^\]\n]+ \]: \s* <?          # [name]:
        ) \Z""",
    re.VERBOSE | re.MULTILINE,
)


def fetch(door: Door, urls: Iterable[str]) -> dict[str, tuple[str, bytes]]:
    """The name and bytes of each picture that can be had. A host that fails once is not asked again."""
    found: dict[str, tuple[str, bytes]] = {}
    failed: set[str | None] = set()
    for url in list(dict.fromkeys(urls))[:MOST]:
        host = urlsplit(url).hostname
        if host in failed:
            continue
        try:
            picture = _fetch(door, url)
        except TooLarge:
            continue
        except DoorError:
            failed.add(host)
            continue
        if picture is not None:
            found[url] = picture
    return found


def _fetch(door: Door, url: str) -> tuple[str, bytes] | None:
    answer = door.request("GET", url, headers={"Accept": "image/*"}, max_bytes=MOST_BYTES, redirects=3)
    suffix = SUFFIXES.get(answer.media_type)
    if answer.status != 200 or suffix is None or not answer.body:
        return None
    return f"{hashlib.sha256(answer.body).hexdigest()[:20]}.{suffix}", answer.body


def relink(markdown: str, links: Mapping[str, str]) -> str:
    """The text with each picture's address replaced; an address that is merely mentioned stays."""
    for url, link in links.items():
        markdown = _relink(markdown, url, link)
    return markdown


def _relink(markdown: str, url: str, link: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        before = markdown[max(0, match.start() - LOOK_BACK) : match.start()]
        return link if SHOWN.search(before) else match[0]

    return re.sub(re.escape(url) + r"""(?=[\s)>"']|\Z)""", replaced, markdown)
