"""Check custom CSS: it may neither contact other hosts, nor end the block and the element that it is served in.

The text itself is served, so everything is refused that browsers might read otherwise than tinycss2 does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import tinycss2
from tinycss2.ast import Node

MAX_DEPTH = 32
MAX_FAULTS = 10

# A text at the end is found at the top level only if everything before it is closed.
_END = "blogsvc-end"
_OWN_PATHS = ("/media/", "/static/", "/-/")
_AT_RULES = {
    "import": "Paste the rules of the other style sheet here.",
    "charset": "Style sheets are always UTF-8.",
    "namespace": "Selectors work without it.",
}
_IMAGE_SETS = {"image-set", "-webkit-image-set"}
_URL_FUNCTIONS = {"src", "image"}
# tinycss2 converts numbers, and Python refuses to convert very long ones.
_LONG_NUMBER = re.compile("[0-9]{100}")
# Parsers of addresses leave out tabs and newlines, so dots on both sides of one are "..".
_NOT_IN_ADDRESSES = re.compile(r"\.\.|%2e|\\|[\0- \x7f-\x9f]", re.IGNORECASE)
_UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]|</style", re.IGNORECASE)
# Letters that older parsers take for a part of a name and newer ones do not (CSS Syntax 3, "non-ASCII ident").
_NOT_IN_NAMES = re.compile(
    "[\x80-\xb6\xb8-\xbf\xd7\xf7\u037e\u2000-\u200b\u200e-\u203e\u2041-\u206f\u2190-\u2bff\u2ff0-\u3000"
    "\ud800-\uf8ff\ufdd0-\ufdef\ufffe\uffff]"
)


class CssFault(NamedTuple):
    line: int
    text: str


def css_faults(css: str) -> list[CssFault]:
    """Return what is wrong with a style sheet, at most MAX_FAULTS, by line. Takes time in proportion to its length."""
    if found := list(_unsafe_text(css)):
        return found[:MAX_FAULTS]
    tokens = tinycss2.parse_component_value_list(f"{css}\n@{_END}")
    faults = set(_faults_of(tokens))
    *own, last = tokens
    if last.type != "at-keyword" or last.value != _END:
        faults.add(CssFault(last.source_line, f"{_named(last)} is never closed."))
    return sorted(faults or set(_structure(own, is_top=True)))[:MAX_FAULTS]


def _unsafe_text(css: str) -> Iterator[CssFault]:
    for found in _UNSAFE.finditer(css):
        what = "“</style” can't be used here." if len(found[0]) > 1 else "This contains a control character. Remove it."
        yield CssFault(_line(css, found), what)
        break  # finding the lines of all of them would take quadratic time
    if number := _LONG_NUMBER.search(css):
        yield CssFault(_line(css, number), "This number is too long.")


def _line(css: str, found: re.Match[str]) -> int:
    return css.count("\n", 0, found.start()) + 1


def _named(token: Node) -> str:
    """Return what a token begins with, as a subject."""
    begins = {"function": "This function", "comment": "The comment", "error": "This"}
    return begins.get(token.type, f"“{token.type[0]}”")


# --- tokens: addresses and names ---


def _faults_of(tokens: Sequence[Node]) -> Iterator[CssFault]:
    """Yield the faults of all tokens. This is no recursion, because brackets may be nested very deeply."""
    waiting = [(token, 1, False) for token in reversed(tokens)]
    while waiting:
        token, depth, is_in_set = waiting.pop()
        if wrong := _wrong(token, is_in_set=is_in_set):
            yield CssFault(token.source_line, wrong)
        inner = _inside(token)
        if inner and depth >= MAX_DEPTH:
            yield CssFault(token.source_line, f"Brackets can be nested at most {MAX_DEPTH} deep.")
        else:
            is_set = token.lower_name in _IMAGE_SETS if token.type == "function" else is_in_set
            waiting += [(each, depth + 1, is_set) for each in reversed(inner)]


def _inside(token: Node) -> Sequence[Node]:
    inside: Sequence[Node] = getattr(token, "arguments", None) or getattr(token, "content", None) or ()
    return inside


def _wrong(token: Node, *, is_in_set: bool) -> str | None:
    match token.type:
        case "error":
            return _syntax_error(token)
        case "url":
            return _wrong_address(token.value)
        case "string" if is_in_set:
            return _wrong_address(token.value)
        case "function":
            return _wrong_name(token.name) or _wrong_function(token, is_in_set=is_in_set)
        case "at-keyword" if token.lower_value in _AT_RULES:
            return f"@{token.lower_value} can't be used here. {_AT_RULES[token.lower_value]}"
        case "at-keyword" | "ident" | "hash":
            return _wrong_name(token.value)
        case "dimension":
            return _wrong_name(token.unit)
        case "literal" if token.value in ("<!--", "-->"):
            return f"“{token.value}” can't be used here. Comments are written /* so */."
    return None


def _syntax_error(token: Node) -> str:
    if token.kind in ("}", ")", "]"):
        return f"“{token.kind}” closes nothing. Remove it, or add what it closes."
    return "The address is incomplete." if token.kind.endswith("url") else "The string doesn't end in its line."


def _wrong_name(name: str) -> str | None:
    found = _NOT_IN_NAMES.search(name)
    return f"The character U+{ord(found[0]):04X} can't be used in names. Remove it." if found else None


def _wrong_function(token: Node, *, is_in_set: bool) -> str | None:
    name = token.lower_name
    if name == "url":
        parts = _significant(token.arguments)
        is_string = len(parts) == 1 and parts[0].type == "string"
        return _wrong_address(parts[0].value) if is_string else "Write the address alone, such as url(/media/sea.webp)."
    if name in _URL_FUNCTIONS:
        return f"{name}() can't be used here. Write url(/media/sea.webp), for example."
    if is_in_set and name != "type":
        return f"{token.name[:50]}() can't be used in image-set(). Write the addresses there."
    return None


def _wrong_address(address: str) -> str | None:
    is_own = address.startswith(_OWN_PATHS) and not _NOT_IN_ADDRESSES.search(address)
    if is_own or address.startswith("#"):
        return None
    shown = f"“{address[:50]}” is no address of a file of this blog."
    return f"{shown} Upload the image, and use its address, which begins with /media/."


def _significant(tokens: Sequence[Node]) -> list[Node]:
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


# --- rules ---


def _structure(tokens: Sequence[Node], *, is_top: bool) -> Iterator[CssFault]:
    """Yield what is neither a rule nor a declaration. Brackets are nested at most MAX_DEPTH deep."""
    parse = tinycss2.parse_rule_list if is_top else tinycss2.parse_blocks_contents
    for part in parse(tokens, skip_comments=True, skip_whitespace=True):
        if part.type == "error":
            expected = "a rule such as a { color: red }" if is_top else "a declaration such as color: red;"
            yield CssFault(part.source_line, f"Expected {expected}.")
        elif part.type == "qualified-rule" and ";" in part.prelude:
            yield CssFault(part.source_line, "This declaration is in no rule. Write it between { and }.")
        if part.type in ("qualified-rule", "at-rule") and part.content is not None:
            yield from _structure(part.content, is_top=False)
