"""Find out what an expression of JavaScript shows, or which file it means, without running it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LITERAL = re.compile(
    r"""\s*+(?:"(?P<double>(?:[^"\\\n]|\\.)*+)" | '(?P<single>(?:[^'\\\n]|\\.)*+)'
      | `(?P<template>(?:[^`\\$]|\\.|\$(?!\{))*+)` | (?P<number>-?\d{1,20}(?:\.\d{1,20})?))\s*+""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n|.))", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "\f", "v": "\v", "0": "", "\n": "", "\r\n": ""}
# Names that stand for one string in the whole file.
_NAMED = re.compile(
    r"""^(?:import[ \t]++(?P<imported>[\w$]++)[ \t]++from
      | (?:export[ \t]++)?const[ \t]++(?P<constant>[\w$]++)[ \t]*+=(?:[ \t]*+require\()?)
      [ \t]*+["'](?P<string>[^"'\\\n]{1,1000}+)["']""",
    re.MULTILINE | re.VERBOSE,
)
_NAME = re.compile(r"\s*+([A-Za-z_$][\w$]*+)(?:\.(?:src|default))?+\s*+")
_CALL = re.compile(
    r"""\s*+(?:require|import|useBaseUrl|withBase|asset)\(\s*+(["'`])(?P<string>[^"'`\\\n]{1,1000}+)\1\s*+,?\s*+\)"""
    r"(?:\.(?:src|default)){0,2}+\s*+"
)
_IMAGE = re.compile(r"""(["'`])(?P<string>[^"'`\\\n]{1,300}?\.(?:avif|gif|jpe?g|png|svg|webp))\1""", re.IGNORECASE)


def string_in(expression: str) -> str | None:
    """Return the string that an expression is: literals, also with `+` between them. None for any other one."""
    parts, place = [], 0
    while literal := _LITERAL.match(expression, place):
        if literal["number"] is not None:
            parts.append(literal["number"])
        else:
            parts.append(
                _unescaped(next(filter(None, (literal["double"], literal["single"], literal["template"])), ""))
            )
        place = literal.end()
        if place == len(expression):
            return "".join(parts)
        if expression[place] != "+" or (literal["number"] is not None and len(parts) == 1):
            return None
        place += 1
    return None


@dataclass(frozen=True)
class Addresses:
    """The files and addresses that the names in a text mean, such as images that it imports."""

    by_name: dict[str, str] = field(default_factory=dict)

    @classmethod
    def named_in(cls, text: str) -> Addresses:
        return cls({one["imported"] or one["constant"]: one["string"] for one in _NAMED.finditer(text)})

    def of(self, expression: str) -> str:
        """Return the address that an expression is; "" for any other one."""
        if (string := string_in(expression)) is not None:
            return string
        if name := _NAME.fullmatch(expression):
            return self.by_name.get(name[1], "")
        call = _CALL.fullmatch(expression)
        return call["string"] if call else ""

    def image_of(self, expression: str) -> str:
        """Return the address of an image: that which an expression is, or the first one in it."""
        image = _IMAGE.search(expression)
        return self.of(expression) or (image["string"] if image else "")


def _unescaped(text: str) -> str:
    def character(escape: re.Match[str]) -> str:
        if code := escape[1] or escape[2] or escape[3]:
            return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else ""
        return _CONTROLS.get(escape[4], escape[4])

    # Half characters, which JavaScript writes in pairs, become one; a half alone is none.
    return _ESCAPE.sub(character, text).encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
