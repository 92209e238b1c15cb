"""Find the addresses in the tags of HTML, also in unsafe HTML, as browsers read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from html.entities import html5

_MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<[!?][^>]*+|<(?P<closing>/?)(?P<name>[a-z][^\s/>]*+)", re.DOTALL | re.IGNORECASE
)
# A quotation mark without its partner reaches to the end of the text.
_ATTRIBUTE = re.compile(
    r"""[\s/]*+(?P<name>[^\s/>][^\s/>=]*+)
        (?:\s*+=\s*+(?:"(?P<double>[^"]*+)"?|'(?P<single>[^']*+)'?|(?P<bare>[^\s>"'][^\s>]*+)))?(?P<none>)""",
    re.VERBOSE,
)
_FORMS = ("double", "single", "bare")
_CANDIDATE = re.compile(r"[\s,]*+(?P<url>\S++)")
_DESCRIPTORS = re.compile(r"(?:[^,(]|\([^)]*+\)?)*+")
_ENTITY = re.compile(r"&(?:#?\w++;|#\w++|(?P<open>\w++)(?!=))")
_WITH_ADDRESS = ("cite", "href", "poster", "src")
_EMBEDDING = ("audio", "img", "source", "video")
# Elements whose content is text, whatever it looks like.
_TEXTS = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")


@dataclass(frozen=True)
class TagAddress:
    """An address without entities, and its place in the HTML. `alt` is that of an image."""

    url: str
    start: int
    end: int
    is_image: bool  # or audio or video, which are embedded in the same way
    is_bare: bool = False  # without quotation marks
    alt: str = ""


@dataclass(frozen=True)
class _Attribute:
    """The value of an attribute, as it is written, and its place in the HTML."""

    value: str
    start: int
    is_bare: bool


def in_tags(html: str) -> Iterator[TagAddress]:
    """Yield the addresses in the tags of HTML."""
    place = 0
    while tag := _MARKUP.search(html, place):
        place, name = tag.end(), (tag["name"] or "").lower()
        if not name:
            continue
        found, place = addresses_of_tag(name, html, place)
        if not tag["closing"]:
            yield from found
            if name in _TEXTS:
                ending = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, place)
                place = ending.start() if ending else len(html)


def addresses_of_tag(name: str, html: str, place: int) -> tuple[list[TagAddress], int]:
    """Return the addresses of the tag whose attributes begin at a place, and where they end."""
    attributes: dict[str, _Attribute] = {}
    while found := _ATTRIBUTE.match(html, place):
        form = next((form for form in _FORMS if found[form] is not None), "none")
        attribute = _Attribute(found[form], found.start(form), form == "bare")
        attributes.setdefault(found["name"].lower(), attribute)  # browsers keep the first of equal names
        place = found.end()
    return list(_in_attributes(name, attributes)), place


def _in_attributes(tag: str, attributes: dict[str, _Attribute]) -> Iterator[TagAddress]:
    alt = attribute_text(attributes["alt"].value).strip() if "alt" in attributes else ""
    for name, found in attributes.items():
        is_image = tag in _EMBEDDING and name in ("poster", "src", "srcset")
        if name in _WITH_ADDRESS:
            places = [(found.value.strip(), len(found.value) - len(found.value.lstrip()))]
        else:
            places = list(_candidates(found.value)) if name == "srcset" and is_image else []
        for url, first in places:
            start = found.start + first
            if url:
                yield TagAddress(attribute_text(url), start, start + len(url), is_image, found.is_bare, alt)


def _candidates(srcset: str) -> Iterator[tuple[str, int]]:
    """Yield the addresses in a `srcset`, each followed by its width or density, with their places."""
    place = 0
    while candidate := _CANDIDATE.match(srcset, place):
        url, place = candidate["url"].rstrip(","), candidate.end()
        if url:
            yield url, candidate.start("url")
        if url == candidate["url"] and (descriptors := _DESCRIPTORS.match(srcset, place)):
            place = descriptors.end()


def attribute_text(written: str) -> str:
    """Return the value of an attribute without entities. In `?a&copy=1` is none."""

    def read(entity: re.Match[str]) -> str:
        return unescape(entity[0]) if entity["open"] is None or entity["open"] in html5 else entity[0]

    return _ENTITY.sub(read, written)
