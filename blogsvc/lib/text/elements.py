"""The words and elements of a text, in the form in which they are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

# Words, and symbols such as emoji and check boxes, which typographic replacements leave alone.
WORD = re.compile(r"\w+|[\u2300-\u2bff\U0001f000-\U0010ffff]")
URL = re.compile(r"https?://[^\s<>\"]*[^\s<>\"'.,:;!?)\]]")
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufe0e\ufe0f\ufeff]")
TIMES = re.compile(r"(?<=\d)[x×](?=\d)")  # some platforms typeset 3x4
TRACKING = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id|ref|source")


@dataclass(frozen=True)
class Word:
    """A word as it is compared, and as it is written."""

    key: str
    text: str


@dataclass(frozen=True)
class Element:
    """An element. Equal keys mean that the element is the same, equal words that its text is."""

    kind: str
    key: Hashable
    words: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Block:
    """The words of a paragraph, list item, heading or table cell."""

    words: tuple[str, ...]
    is_step: bool


@dataclass
class Elements:
    """What readers see. `formats` are the words with each formatting; `spare` are words of image descriptions."""

    words: list[Word] = field(default_factory=list)
    spare: list[str] = field(default_factory=list)
    formats: dict[str, list[Word]] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def kinds(self) -> set[str]:
        return {*self.formats, *(element.kind for element in self.elements)}


def words_of(text: str) -> list[Word]:
    """Return the words of plain text, without URLs."""
    found = WORD.finditer(URL.sub(" ", INVISIBLE.sub("", text)))
    return [Word(part, match[0]) for match in found for part in WORD.findall(comparable(match[0]))]


def comparable(text: str) -> str:
    """Return text as it is compared: without differences of case and typography."""
    return unicodedata.normalize("NFKC", TIMES.sub(" ", text)).casefold()


def target_of(url: str) -> str:
    """Return a URL as it is compared: without scheme, tracking parameters and a slash at the end."""
    try:
        parts = urlsplit(url.strip())
        query = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING.fullmatch(pair[0])]
    except ValueError:
        return url.strip()
    if parts.scheme not in ("http", "https", ""):
        return unquote(url.strip())
    host = parts.netloc.lower().removeprefix("www.")
    tail = (f"?{urlencode(query)}" if query else "") + (f"#{parts.fragment}" if parts.fragment else "")
    return unquote(f"{host}{parts.path.rstrip('/')}{tail}")
