"""The names of places in a text, to which links such as `#faq-1` lead."""

from __future__ import annotations

import re
from html import unescape
from unicodedata import category
from urllib.parse import unquote

# The prefix of all ids in a text, so that they cannot collide with ids of the page.
PREFIX = "in-"
# The attribute with the name of a heading on GitHub, if that is not its id.
NAME = "data-name"
# What our pages show as an id.
IS_NAME = re.compile(r"[\w:.-]{1,100}")
_NOT_IN_NAME = re.compile(r"[^\w:.-]++")

_HEADING = re.compile(r"<h[2-6]\b[^<>]*+>")
_PLACE = re.compile(rf'[ ](?P<attribute>id|{NAME})="(?P<value>[^"]*+)"')
_ANY_TAG = re.compile(r"<[a-z][^<>]*+>")


def places(html: str) -> dict[str, str]:
    """Return the ids in sanitised HTML by the names that lead to them: also without their prefix, and on GitHub."""
    found: dict[str, str] = {}
    named: dict[str, str] = {}
    for tag in _ANY_TAG.finditer(html):
        values = {place["attribute"]: unescape(place["value"]) for place in _PLACE.finditer(tag[0])}
        if id_ := values.get("id"):
            found |= {id_: id_, id_.removeprefix(PREFIX): id_}
            named[values.get(NAME, id_)] = id_
    return found | named


def without_names(html: str) -> str:
    """Return sanitised HTML without the attributes that only our pages use."""
    return _HEADING.sub(lambda tag: re.sub(rf' {NAME}="[^"]*+"', "", tag[0]), html)


def place_name(text: str) -> str:
    """Return an id, or the fragment of a link, as our pages write it: decoded, with hyphens for spaces."""
    name = unquote(text)
    return name if IS_NAME.fullmatch(name) else _NOT_IN_NAME.sub("-", name)[:100]


def github_name(heading: str) -> str:
    """Return the fragment with which GitHub names a heading: its letters of all scripts, with hyphens for spaces."""
    kept = (one for one in heading.strip().lower() if one in "-_" or one.isalnum() or category(one)[0] in "MZ")
    return re.sub(r"\s", "-", "".join(kept))
