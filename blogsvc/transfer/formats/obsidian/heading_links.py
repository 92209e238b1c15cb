"""Number the headings to which links of Obsidian lead, such as `[[Note#Part#Sub]]`, if others before have its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.markdown.fragments import github_name

Heading = tuple[int, str]  # its level, and the name that its words give it

_LINK = re.compile(
    r"\[\[(?P<title>[^\[\]\n|#]{0,300}+)#(?P<parts>[^\[\]\n|#^]{1,300}+#[^\[\]\n|^]{1,300}+)(?P<words>\|[^\[\]\n]{0,300}+)?\]\]"
)
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]++([^\n]{1,1000}+)", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"[ \t]#{1,6}\Z")
_MAX_HEADINGS, _MAX_LINKS = 2000, 200  # of a text, as each link is compared with each heading


def headings_in(text: str) -> list[Heading]:
    """Return the headings of a text in their order."""
    return list(_headings(text)) if "#" in text else []


def paths_in(text: str) -> Iterator[re.Match[str]]:
    """Yield the links that name a heading by those above it: their `title`, `parts` and `words`. None is in code."""
    found = list(_LINK.finditer(text))[:_MAX_LINKS]
    code = code_places(text) if found else None
    yield from (link for link in found if code is None or code.end_at(link.start()) is None)


def numbered(link: re.Match[str], headings: Sequence[Heading]) -> str:
    """Return a link that names its heading by its number among those with the same words, if it is not the first."""
    parts = [part.strip() for part in link["parts"].rstrip("\\").split("#") if part.strip()]
    place = _place_of([github_name(part) for part in parts], headings)
    before = sum(name == headings[place][1] for _, name in headings[:place]) if place is not None else 0
    if not before:
        return link[0]
    words = (link["words"] or "|")[1:] or " > ".join(filter(None, [link["title"].strip(), *parts]))
    return f"[[{link['title']}#{parts[-1]}-{before}\\|{words}]]"


def _headings(text: str) -> Iterator[Heading]:
    code = code_places(text)
    for number, found in enumerate(_HEADING.finditer(text)):
        if number == _MAX_HEADINGS:
            break
        if code.end_at(found.start()) is None:
            yield len(found[1]), github_name(_CLOSING_HASHES.sub("", found[2].rstrip()))


def _place_of(path: list[str], headings: Sequence[Heading]) -> int | None:
    """Return the place of the heading that the last name of a path means: each is below the one before."""
    place, level = -1, 0
    for name in path:
        for number in range(place + 1, len(headings)):
            if headings[number][0] <= level:
                return None
            if headings[number][1] == name:
                place, level = number, headings[number][0]
                break
        else:
            return None
    return place if path else None
