"""Find the regular expressions of all modules, and texts that are slow for those that need more than linear time."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

from blogsvc.api.framework.openapi import document
from blogsvc.config import ROOT

METHODS = ("search", "match", "fullmatch", "finditer")
# How a call of `re` or of a pattern goes through the text.
_GOES = {"sub": "finditer", "subn": "finditer", "split": "finditer", "findall": "finditer"} | {
    name: name for name in METHODS
}


@dataclass(frozen=True)
class Pattern:
    """A pattern, and a method that it is used with. `where` names the module, for people."""

    pattern: re.Pattern[Any]
    method: str
    where: str

    def run(self, text: str) -> None:
        given: Any = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        found = getattr(self.pattern, self.method)(given)
        if self.method == "finditer":
            for _ in found:
                pass


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return the patterns that our modules compile or pass to `re`, and those in the OpenAPI document."""
    found = [one for name, tree in _modules().items() for one in (*_compiled(name), *_inline(name, tree))]
    told = (Pattern(re.compile(text), "search", "OpenAPI") for text in _told(document()))
    return tuple({(one.pattern, one.method): one for one in (*found, *told)}.values())


@cache
def _modules() -> dict[str, ast.Module]:
    files = (file for file in sorted((ROOT / "blogsvc").rglob("*.py")) if "migrations" not in file.parts)
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}
    return {name: ast.parse(file.read_text()) for name, file in names.items()}


def _compiled(name: str) -> Iterator[Pattern]:
    """Yield the patterns that a module holds, also in lists and dictionaries."""
    for attribute, value in vars(importlib.import_module(name)).items():
        for pattern in _patterns_in(value):
            home = name if attribute.startswith("_") else ""
            for method in _used().get((home, attribute), ("search", "fullmatch")):
                yield Pattern(pattern, method, name)


def _patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | list | tuple) and not isinstance(value, ModuleType):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _patterns_in(one)


@cache
def _used() -> dict[tuple[str, str], set[str]]:
    """Return the methods that are called on each name, such as `TAG.sub(...)`: in all modules, or in its own."""
    found: dict[tuple[str, str], set[str]] = {}
    for module, tree in _modules().items():
        for call in _calls(tree):
            if call.func.attr in _GOES and isinstance(call.func.value, ast.Name):
                name = call.func.value.id
                home = module if name.startswith("_") else ""
                found.setdefault((home, name), set()).add(_GOES[call.func.attr])
    return found


def _calls(tree: ast.Module) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node


def _inline(name: str, tree: ast.Module) -> Iterator[Pattern]:
    """Yield the patterns of calls such as `re.sub("a+", "", text)`."""
    for call in _calls(tree):
        is_re = isinstance(call.func.value, ast.Name) and call.func.value.id == "re" and call.func.attr in _GOES
        if is_re and call.args and isinstance(call.args[0], ast.Constant):
            yield Pattern(re.compile(call.args[0].value, _flags(call)), _GOES[call.func.attr], f"{name}:{call.lineno}")


def _flags(call: ast.Call) -> int:
    at = {"sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)  # type: ignore[attr-defined]
    given = [one.value for one in call.keywords if one.arg == "flags"] or call.args[at : at + 1]
    names = [node.attr for each in given for node in ast.walk(each) if isinstance(node, ast.Attribute)]
    return sum(getattr(re, one) for one in set(names))


def _told(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            yield part["pattern"]
        yield from (text for each in part.values() for text in _told(each))
    elif isinstance(part, list):
        yield from (text for each in part for text in _told(each))


FILLINGS = ("a", " ", "\n", "<", "0")
ENDS = ("", "!\n\n", "\x00")


def hostile_texts(pattern: re.Pattern[Any]) -> Iterator[Callable[[int], str]]:
    """Yield functions that return a text of a length: openings of the pattern, repeated or before a long filling."""
    openings = ["", *_literals(pattern)]
    fillings = dict.fromkeys([*FILLINGS, *(text[-1] for text in openings if text)])
    for opening in openings:
        yield lambda length, piece=opening or "a": _of_length(piece, length)
        for filling in fillings:
            for end in ENDS if opening == "" or len(opening) > 1 else ENDS[:2]:
                yield lambda length, o=opening, f=filling, e=end: o + f * length + e
            yield lambda length, o=opening, f=filling: _of_length(o + f * 100, length)


def _of_length(piece: str, length: int) -> str:
    return (piece * (length // len(piece) + 1))[:length]


def _literals(pattern: re.Pattern[Any]) -> list[str]:
    """Return texts that the beginnings of the pattern, and of its branches and groups, match."""
    source = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    tree = parser.parse(source, pattern.flags & ~re.DEBUG)
    found = [text for start in range(len(tree)) for text in _beginnings(list(tree)[start:])]
    return sorted(dict.fromkeys(text for text in found if text), key=len, reverse=True)[:12]


def _beginnings(items: list[Any]) -> list[str]:
    """Return some texts that the first items of a pattern match, up to the first repetition without an end."""
    texts = [""]
    for code, value in items:
        parts = _texts_of(code, value)
        texts = [text + part for text in texts for part in parts][:12]
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT) and value[1] == codes.MAXREPEAT:
            break
    return texts


def _texts_of(code: Any, value: Any) -> list[str]:
    match code:
        case codes.LITERAL:
            return [chr(value)]
        case codes.IN:
            return [_letter_of(value)]
        case codes.ANY | codes.NOT_LITERAL:
            return ["b"]
        case codes.BRANCH:
            return [text for branch in value[1] for text in _beginnings(list(branch))][:12]
        case codes.SUBPATTERN:
            return _beginnings(list(value[3]))
        case codes.ATOMIC_GROUP:
            return _beginnings(list(value))
        case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
            least, _, inner = value
            once = _beginnings(list(inner))
            return [text * max(least, 1) for text in once] + ([""] if least == 0 else [])
    return [""]


def _letter_of(parts: list[Any]) -> str:
    """Return a letter of a set, such as "a" for `[^<>]`."""
    for code, value in parts:
        match code:
            case codes.LITERAL if not _is_negated(parts):
                return chr(value)
            case codes.RANGE if not _is_negated(parts):
                return chr(value[0])
            case codes.CATEGORY:
                known = {codes.CATEGORY_SPACE: " ", codes.CATEGORY_DIGIT: "0", codes.CATEGORY_NOT_WORD: "!"}
                return known.get(value, "a")
    return next((letter for letter in "ab0 !" if ord(letter) not in {v for c, v in parts if c == codes.LITERAL}), "c")


def _is_negated(parts: list[Any]) -> bool:
    return bool(parts) and parts[0][0] == codes.NEGATE
