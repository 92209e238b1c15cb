"""Slugs in the letters of any language: make them from titles, and check them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from blogsvc.lib.text.plain import APOSTROPHES, slugify

Script = Literal["latin", "native"]
SCRIPTS: tuple[Script, ...] = get_args(Script)
MAX_SLUG_LENGTH = 80
MAX_WORD_LENGTH = 10_000
# The same rule as a pattern for JSON Schema, as far as a pattern without Unicode properties can express it.
SLUG_PATTERN = r"^[^\x00-\x2f\x3a-\x60\x7b-\xa9]+(-[^\x00-\x2f\x3a-\x60\x7b-\xa9]+)*$"

_ASCII_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Letters and marks that nobody sees: fillers, variation selectors, inherent vowels.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# Signs inside words that are no letters: the Arabic tatweel, and the quotation marks of Hebrew abbreviations.
_INSIDE_WORDS = re.compile('[\u0640\u05f3\u05f4]|(?<=[\u05d0-\u05ea])"(?=[\u05d0-\u05ea])')
_WORD_BREAK = "\u200b"  # between words of scripts without spaces
# The scripts that stay legible in Latin letters, by the first word of the names of their letters. The others lose their
# vowels (Arabic, Hebrew, the scripts of India and South East Asia) or are romanised for another language.
_LEGIBLE = frozenset(
    "LATIN GREEK CYRILLIC ARMENIAN GEORGIAN HANGUL CJK IDEOGRAPHIC BOPOMOFO MODIFIER MICRO TURNED".split()
)
_HAN, _KANA = frozenset({"CJK", "IDEOGRAPHIC"}), frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})


@dataclass(frozen=True)
class SlugStyle:
    """The settings of a blog that decide which letters its slugs have.

    Attributes:
        script: "native" keeps the letters of every language. "latin" writes words in Latin letters, unless these would
            not be legible: words in other scripts than those of `_LEGIBLE`, and Japanese, keep their letters.
        language: the language of the blog (BCP 47).
    """

    script: Script = "latin"
    language: str = "en"

    def slug_of(self, title: str, language: str | None = None, longest: int = MAX_SLUG_LENGTH) -> str:
        """Return a slug for a title; "" if it has neither letters nor digits.

        Chinese characters count as Japanese if the title has kana or the post, or else the blog, is in Japanese.
        """
        if title.isascii():
            return slugify(title, longest)
        if self.script == "latin":
            return _latin(title, _is_japanese(language or self.language), longest)
        return _native(title, longest)


def slugs_of_any_style(title: str, longest: int) -> set[str]:
    """Return the slugs that some style makes from a title."""
    if title.isascii():
        return {slugify(title, longest)}
    latin = {_latin(title, is_japanese, longest) for is_japanese in (True, False)}
    return {*latin, _native(title, longest), slugify(title, longest)}


def is_slug(text: str) -> bool:
    """Return True for lowercase letters, marks and digits of any script in NFC, joined by single hyphens."""
    if text.isascii():
        return _ASCII_SLUG.fullmatch(text) is not None
    is_written_so = unicodedata.is_normalized("NFC", text) and text == text.lower() and not _INVISIBLE.search(text)
    return is_written_so and all(map(_is_word, text.split("-")))


def native_slug(text: str) -> str:
    """Return the text as a slug in its own letters, of any length."""
    return "-".join(_words(text))


def _native(title: str, longest: int) -> str:
    return _cut(native_slug(title), longest) or slugify(title, longest)  # an emoji has a name


def _latin(title: str, is_japanese: bool, longest: int) -> str:
    letters = _compatible(title)
    is_japanese = is_japanese or any(_script(letter) in _KANA for letter in letters)
    if not _keeps_letters(letters, is_japanese):
        return slugify(title, longest)
    words = (
        word if _keeps_letters(word, is_japanese) else slugify(word, MAX_WORD_LENGTH)
        for part in letters.split()
        for word in (_words(part) if _keeps_letters(part, is_japanese) else [part])
    )
    return _cut("-".join(filter(None, words)), longest)


def _is_japanese(language: str) -> bool:
    return language.lower().partition("-")[0] == "ja"


def _keeps_letters(text: str, is_japanese: bool) -> bool:
    """Return True if the text has letters that are not legible in Latin letters."""
    if text.isascii():
        return False
    scripts = {_script(letter) for letter in text} - {""}
    return not scripts <= _LEGIBLE or (is_japanese and bool(scripts & _HAN))


def _script(letter: str) -> str:
    """Return the first word of the name of a letter, which is its script; "" for ASCII and other characters."""
    is_letter = letter.isalpha() and not letter.isascii()
    return unicodedata.name(letter, "").partition(" ")[0] if is_letter else ""


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, in lower case and NFC."""
    text = APOSTROPHES.sub("", _INSIDE_WORDS.sub("", _INVISIBLE.sub("", text)))
    text = _compatible(text).replace("İ", "i").lower()
    spaced = "".join(map(_without_signs, unicodedata.normalize("NFC", _INVISIBLE.sub("", text))))
    for word in unicodedata.normalize("NFC", spaced).split():
        start = next((at for at, letter in enumerate(word) if not _is_mark(letter)), len(word))
        if start < len(word):
            yield word[start:]


def _without_signs(letter: str) -> str:
    """Return a letter, mark or digit, "" for a character that is part of a word but not seen, else a space."""
    category = unicodedata.category(letter)
    if category[0] in "LMN" and category != "Me":
        return letter
    return "" if category in ("Cf", "Me") and letter != _WORD_BREAK else " "


def _is_word(text: str) -> bool:
    return bool(text) and not _is_mark(text[0]) and all(_without_signs(letter) == letter != " " for letter in text)


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M"


def _compatible(text: str) -> str:
    """Return the text in NFC, with other forms of letters, such as full-width and final forms, as the letters.

    Unlike NFKC, it keeps letters that NFKC would spell in another way, such as the Thai sara am.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", "".join(map(_compatible_letter, unicodedata.normalize("NFC", text))))


def _compatible_letter(letter: str) -> str:
    form = unicodedata.decomposition(letter)
    is_other_form = form.startswith("<") and (not form.startswith("<compat>") or "\ufb00" <= letter <= "\ufb4f")
    return unicodedata.normalize("NFKC", letter) if is_other_form else letter


def _cut(slug: str, longest: int) -> str:
    """Shorten a slug: after a word if that keeps at least half, else between two letters with their marks."""
    if len(slug) <= longest:
        return slug
    head = slug[: longest + 1].rpartition("-")[0]
    if len(head) * 2 >= longest:
        return head
    end = next((at for at in range(longest, 0, -1) if not _is_mark(slug[at])), longest)
    return slug[:end].rstrip("-")
