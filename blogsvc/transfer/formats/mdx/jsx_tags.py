"""Read tags of JSX, whose attributes may be expressions of JavaScript."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

from blogsvc.transfer.formats.mdx.javascript import JavaScript
from blogsvc.transfer.formats.mdx.javascript_values import string_in

_PART = re.compile(
    r"""\s++|(?P<name>[\w:@.-]++)(?P<equals>\s*+=\s*+(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|(?=\{)))?|(?=\{)"""
)


_ELEMENTS = re.compile(r"<[^{}]*+(?<=>)")
_TAG = re.compile(r"<[^<>]*+>")


@dataclass(frozen=True)
class Attribute:
    """An attribute and where it begins and ends. Without a `text`, its value is the expression between the braces.

    `name` is "" for attributes that an expression has (`{...props}`).
    """

    name: str
    text: str | None
    expression: str
    start: int
    end: int


@dataclass(frozen=True)
class Tag:
    """A tag, and where it ends."""

    source: str
    attributes: tuple[Attribute, ...]
    end: int

    @property
    def has_content(self) -> bool:
        return not self.source.endswith("/>")

    def first(self, *names: str) -> str:
        """Return the first text that attributes with these names have, in the order of the names."""
        by_name = {one.name: one.text for one in reversed(self.attributes)}
        return next((" ".join(text.split()) for name in names if (text := by_name.get(name)) and text.strip()), "")


def tag_at(text: str, start: int, place: int, script: JavaScript) -> Tag | None:
    """Return the tag that begins at `start`, and whose attributes begin at `place`; None if it has no end."""
    attributes: list[Attribute] = []
    begun: tuple[str, int] | None = None  # an attribute whose value is the expression that follows
    while place < len(text):
        if text[place] == "{":
            if (after := script.end_of_brackets(place)) is None:
                return None
            name, begin = begun or ("", place)
            expression = text[place + 1 : after - 1]
            attributes.append(Attribute(name, _text_of(expression) if name else None, expression, begin, after))
            begun, place = None, after
        elif text[place] == ">" or text.startswith("/>", place):
            end = place + (1 if text[place] == ">" else 2)
            return Tag(text[start:end], tuple(attributes), end)
        elif (part := _PART.match(text, place)) and part.end() > place:
            if part["equals"] and part["double"] is None and part["single"] is None:
                begun = part["name"], place
            elif part["name"]:
                value = unescape(part["double"] or part["single"] or "")
                attributes.append(Attribute(part["name"], value, "", place, part.end()))
            place = part.end()
        else:
            return None
    return None


def _text_of(expression: str) -> str | None:
    """Return the string that an expression is, or the words of the elements that it is; None for any other one."""
    if _ELEMENTS.fullmatch(expression.strip()):
        return unescape(_TAG.sub("", expression)).strip()
    return string_in(expression)
