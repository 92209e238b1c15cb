"""What platforms turn into links in plain text: addresses, hashtags and mentions. One set of rules for all of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from regex import Pattern

# Punctuation of East Asian texts and quotation marks, which stand beside an address without a space.
_ENDS = "、。，．！？；：（）「」『』【】〈〉《》〔〕［］｛｝“”„«»…"
_ADDRESS = re.compile(rf"https?://[^\s<>\"{_ENDS}]++", re.IGNORECASE)
_PUNCTUATION = ".,;:!?'*_~"
_BRACKETS = {")": "(", "]": "[", "}": "{"}

# Letters, marks and numbers of all scripts. \p{Mn} and \p{Mc} are marks of the letter before them, U+200C and U+200D
# join letters: without them, words in Hindi and other scripts would be cut. U+FE0F belongs to emoji.
_LETTER = r"[\p{L}\p{N}\p{Mn}\p{Mc}_--\uFE0F]|[\u200c\u200d](?=\p{L})"
_WORD = rf"[\p{{L}}\p{{N}}_](?:{_LETTER})*+"
_HASHTAG = rf"(?<!\]\()(?<![^\s(\[（「『【])[#＃]((?:{_LETTER})++)"
_NO_LETTER = r"[\p{N}_]*+"

# `@` before a word, where platforms look for a name, also after marks of emphasis. Not in e-mail addresses.
_MENTION = re.compile(r"(?<![\w/=])_*+[@＠](?=\w)")
_HANDLE = re.compile(r"\w++(?:[.-]\w++)*+@[\w-]++(?:\.[\w-]++)++")
_JOINER = "\u2060"  # a word joiner, which cannot be seen


class Autolink(NamedTuple):
    """A part of a text that becomes a link: an address, or the name of a hashtag.

    `is_cut` is true for an address before an ellipsis, which would lead elsewhere.
    """

    start: int
    end: int
    target: str
    is_cut: bool = False


@cache
def _pattern(text: str) -> Pattern[str]:
    """Return a compiled pattern. The module is imported by the first one: most processes read no short text."""
    import regex

    return regex.compile(text, regex.V1)


def addresses(text: str) -> Iterator[Autolink]:
    """Yield the addresses in a text, without the punctuation and brackets of the sentence around them."""
    for found in _ADDRESS.finditer(text):
        address = _without_punctuation(found[0])
        if len(address) > found[0].index("://") + 3:
            is_cut = text[found.end() : found.end() + 1] == "…"
            yield Autolink(found.start(), found.start() + len(address), address, is_cut)


def _without_punctuation(address: str) -> str:
    surplus = {closing: address.count(closing) - address.count(opening) for closing, opening in _BRACKETS.items()}
    end = len(address)
    while end and (_is_punctuation(last := address[end - 1]) or surplus.get(last, 0) > 0):
        if last in surplus:
            surplus[last] -= 1
        end -= 1
    return address[:end]


def _is_punctuation(character: str) -> bool:
    """Return True for punctuation of a sentence, in all scripts, such as `؟`, `।` and `’`. Dashes are none."""
    if character.isascii():
        return character in _PUNCTUATION
    return unicodedata.category(character) in ("Po", "Pi", "Pf", "Ps", "Pe")


def outside_addresses(text: str, change: Callable[[str], str]) -> str:
    """Return the text with `change` applied to everything but its addresses."""
    parts, done = [], 0
    for address in addresses(text):
        parts += [change(text[done : address.start]), text[address.start : address.end]]
        done = address.end
    return "".join([*parts, change(text[done:])])


def hashtags_in(text: str) -> Iterator[Autolink]:
    """Yield the hashtags in a text, with `#` in front, and their names. One without a letter is none."""
    for found in _pattern(_HASHTAG).finditer(text):
        if not _pattern(_NO_LETTER).fullmatch(found[1]):
            yield Autolink(found.start(), found.end(), found[1])


def hashtag(tag: str) -> str:
    """Return a tag as a hashtag without `#`, such as `WebDevelopment` for `web development`.

    Returns "" if a hashtag can't say the same: numbers are none, and `C#` and `C++` would become `C`.
    """
    name = tag.strip().removeprefix("#")
    if any(mark in name for mark in "+#＋＃♯"):
        return ""
    words: list[str] = _pattern(_WORD).findall(name)
    joined = "".join([word[0].title() + word[1:] for word in words] if len(words) > 1 else words)
    return "" if _pattern(_NO_LETTER).fullmatch(joined) else joined


def without_mentions(text: str, *, keeps_handles: bool = False) -> str:
    """Return the text with a character that cannot be seen after each `@` that would mention somebody.

    Args:
        keeps_handles: leave full names such as `@ada@example.org`, which mean nobody else.
    """

    def shown(found: re.Match[str], part: str) -> str:
        is_kept = keeps_handles and _HANDLE.match(part, found.end())
        return found[0] if is_kept else found[0] + _JOINER

    return outside_addresses(text, lambda part: _MENTION.sub(lambda found: shown(found, part), part))
