"""Replace links whose targets are not here by their words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from urllib.parse import unquote

from blogsvc.lib.markdown.link_places import links_in
from blogsvc.transfer.formats.parsed_post import url_parts


def without_links(text: str, is_lost: Callable[[str], bool]) -> str:
    """Return Markdown in which each link or image with a lost address is only its words, or the name of its file."""
    parts, place = [], 0
    for link in links_in(text).links:
        if is_lost(link.url):
            parts += [text[place : link.start], words_of(text[link.start : link.end]) or in_text(_file_name(link.url))]
            place = link.end
    return "".join([*parts, text[place:]])


def in_text(name: str) -> str:
    """Return the name of a file as Markdown shows it."""
    return "".join(f"\\{letter}" if letter in "*_`<~" else letter for letter in name)


def words_of(written: str) -> str:
    """Return what is between the first brackets of a link or an image."""
    inside = written.removeprefix("!")[1:]
    end = inside.rfind("](") if inside.endswith(")") else inside.rfind("][")
    return inside[: end if end >= 0 else -1].strip()


def _file_name(url: str) -> str:
    return PurePosixPath(unquote(url_parts(url).path)).name
