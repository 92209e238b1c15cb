"""Reduce HTML to what readers see: its words, in order, and its elements, such as headings, tables and links.

The time grows with the length of the text. Run it in a confined process (`lib/workers/text_jobs.py`) for texts of
platforms.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote

from blogsvc.lib.markdown.safe_urls import is_safe
from blogsvc.lib.markdown.tidy_html import IMAGE, VOID, tidy
from blogsvc.lib.text.elements import (
    INVISIBLE,
    URL,
    WORD,
    Block,
    Element,
    Elements,
    Word,
    comparable,
    target_of,
    words_of,
)

BLOCKS = frozenset(
    "address article aside blockquote body caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6"
    " header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul video audio iframe".split()
)
# Formatting of words, by the tag.
FORMATS = {
    "abbr": "abbreviations", "b": "bold", "blockquote": "quotation formatting", "del": "strikethrough",
    "details": "a collapsible section", "em": "italics", "i": "italics", "ins": "underlining",
    "kbd": "key formatting", "mark": "highlighting", "q": "inline quotation marks", "s": "strikethrough",
    "small": "small print", "strike": "strikethrough", "strong": "bold", "sub": "subscript",
    "sup": "superscript", "u": "underlining",
}  # fmt: skip
# Formatting of words, by the class of an element: of ours, and of cards in Ghost.
FORMAT_CLASSES = {
    "kg-callout-card": "callout formatting",
    "kg-toggle-card": "a collapsible section",
    "markdown-alert": "callout formatting",
}
MEDIA = {"audio": "audio player", "iframe": "embedded page", "video": "video player"}
LABEL_WORDS = 6


def elements_of(html: str) -> Elements:
    """Return the words and elements of an HTML text."""
    reader = _Reader()
    reader.feed(tidy(html))
    reader.close()
    return reader.result()


@dataclass
class _List:
    is_ordered: bool
    number: int


@dataclass
class _Item:
    """A list item. `number` is None in a bulleted list."""

    depth: int
    number: int | None
    words: list[Word] = field(default_factory=list)


@dataclass
class _Link:
    href: str
    kind: str
    text: list[Word] = field(default_factory=list)


@dataclass(frozen=True)
class _Open:
    """An open element. `formats` are those of all open elements."""

    tag: str
    formats: frozenset[str]
    direction: str


@dataclass
class _Reader(HTMLParser):
    """Collects the elements of tidy HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.collected = Elements()
        self.stack: list[_Open] = [_Open("", frozenset(), "")]
        self.pending: list[tuple[str, frozenset[str], int | None]] = []
        self.lists: list[_List] = []
        self.items: list[_Item] = []
        self.tables: list[list[list[list[Word]]]] = []
        self.heading: list[Word] | None = None
        self.links: list[_Link] = []
        self.link: int | None = None
        self.code: list[str] | None = None
        self.ids: set[str] = set()

    def result(self) -> Elements:
        self._flush()
        self.collected.elements.extend(self._links())
        return self.collected

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        self.ids.update(filter(None, (about.get("id"), about.get("name"))))
        if tag in BLOCKS:
            self._flush()
        if tag in VOID:
            self._void(tag, about)
            return
        self._open(tag, about)
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                self.heading = []
            case "ol" | "ul":
                self.lists.append(_List(tag == "ol", _number(about.get("start"), 1)))
            case "li":
                self._start_item(about)
            case "table":
                self.tables.append([])
            case "tr" if self.tables:
                self.tables[-1].append([])
            case "td" | "th" if self.tables and self.tables[-1]:
                self.tables[-1][-1].append([])
            case "pre":
                self.code = []
            case "code" | "tt" | "samp" if self.code is None:
                self.code = []
            case "a" if is_safe(about.get("href") or ":"):
                self.link = len(self.links)
                self.links.append(_Link(about["href"], "sup" if self._is_in("sup") else ""))
                if self.links[-1].kind and about["href"].startswith("#"):
                    # The number of a footnote is no part of the word before it, with brackets around it or without.
                    self.pending.append((" ", frozenset(), None))
            case "audio" | "iframe" | "video":
                self._add(MEDIA[tag], "")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or len(self.stack) == 1:
            return
        if tag in BLOCKS:
            self._flush()
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.heading is not None:
                self._add("heading", (tag, _keys(self.heading)), self.heading)
                self.heading = None
            case "ol" | "ul" if self.lists:
                self.lists.pop()
            case "li" if self.items:
                self._end_item(self.items.pop())
            case "table" if self.tables:
                self._end_table(self.tables.pop())
            case "pre":
                self._end_code("code block")
            case "code" | "tt" | "samp" if not self._is_in("pre"):
                self._end_code("inline code")
            case "a":
                self.link = None
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        if self.code is not None:
            self.code.append(data)
        self.pending.append((data, self._formats(), self.link))

    def _void(self, tag: str, about: Mapping[str, str]) -> None:
        match tag:
            case "br":
                if self.code is not None:
                    self.code.append("\n")
                else:
                    self._add("line break", "")
                self.pending.append((" ", frozenset(), None))
            case "hr":
                self._add("separator line", "")
            case "input" if about.get("type") == "checkbox":
                self.pending.append(("☑ " if "checked" in about else "☐ ", frozenset(), None))
            case "img" if any(about.get(name) for name in IMAGE - {"alt"}):
                self._image(about)

    def _image(self, about: Mapping[str, str]) -> None:
        alt = about.get("alt", "")
        if {"emoji", "wp-smiley"} & set(about.get("class", "").split()):
            self.handle_data(alt)
            return
        described = words_of(alt)
        self._add("image", "")
        if described:
            self._add("image description", tuple(word.key for word in described), label=alt)
            self.collected.spare.extend(word.key for word in described)

    def _open(self, tag: str, about: Mapping[str, str]) -> None:
        last, formats = self.stack[-1], set(self.stack[-1].formats)
        if (name := FORMATS.get(tag)) is not None:
            is_nested = tag == "blockquote" and name in formats
            formats.add("nested quotation formatting" if is_nested else name)
        formats.update(FORMAT_CLASSES[one] for one in about.get("class", "").split() if one in FORMAT_CLASSES)
        direction = about.get("dir", "").lower() or last.direction
        self.stack.append(_Open(tag, frozenset(formats), direction))

    def _formats(self) -> frozenset[str]:
        last = self.stack[-1]
        return last.formats | {"right-to-left text"} if last.direction == "rtl" else last.formats

    def _is_in(self, tag: str) -> bool:
        return any(one.tag == tag for one in self.stack)

    def _flush(self) -> None:
        """End a block: divide its text into words, and add them to everything that contains the block."""
        if not self.pending:
            return
        chunks, self.pending = self.pending, []
        words: list[Word] = []
        for word, formats, links in _divided(chunks):
            words.append(word)
            self.collected.words.append(word)
            for name in formats:
                self.collected.formats.setdefault(name, []).append(word)
            for link in links:
                self.links[link].text.append(word)
        if not words:
            return
        self.collected.blocks.append(Block(_keys(words), bool(self.items and self.items[-1].number is not None)))
        if self.heading is not None:
            self.heading.extend(words)
        if self.items:
            self.items[-1].words.extend(words)
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1].extend(words)

    def _start_item(self, about: Mapping[str, str]) -> None:
        if not self.lists:
            self.lists.append(_List(False, 1))
        last = self.lists[-1]
        number = _number(about.get("value"), last.number)
        last.number = number + 1
        self.items.append(_Item(len(self.lists), number if last.is_ordered else None))

    def _end_item(self, item: _Item) -> None:
        kind = "list item" if item.number is None else "step of a numbered list"
        self._add(kind, (item.depth, item.number, _keys(item.words)), item.words)

    def _end_table(self, rows: list[list[list[Word]]]) -> None:
        words = [word for row in rows for cell in row for word in cell]
        self._add("table", tuple(tuple(_keys(cell) for cell in row) for row in rows if row), words)

    def _end_code(self, kind: str) -> None:
        if self.code is None:
            return
        text = "".join(self.code).replace("\r\n", "\n")
        text = text.strip("\n") if kind == "code block" else " ".join(text.split())
        self.code = None
        if text.strip():
            self._add(kind, text, words_of(text), text.strip().splitlines()[0])

    def _links(self) -> Iterator[Element]:
        """Yield the links. Links within the text count only if their targets exist."""
        for link in self.links:
            words = _keys(link.text)
            if not link.href.startswith("#"):
                yield Element("link", target_of(link.href), words, target_of(link.href))
            elif unquote(link.href[1:]) in self.ids or link.href[1:] in self.ids:
                kind = "footnote number" if link.kind else "link within the text" if words else "link back from a note"
                yield Element(kind, words, words, _label(link.text))

    def _add(self, kind: str, key: Hashable, words: Sequence[Word] = (), label: str = "") -> None:
        self.collected.elements.append(Element(kind, key, _keys(words), label or _label(words)))


def _divided(chunks: list[tuple[str, frozenset[str], int | None]]) -> Iterator[tuple[Word, set[str], set[int]]]:
    """Yield each word of a block with its formatting and links. A word can begin and end in different elements."""
    texts = [INVISIBLE.sub("", text) for text, _, _ in chunks]
    whole = "".join(texts)
    whole = URL.sub(lambda url: " " * len(url[0]), whole)
    ends, at = [], 0
    for text in texts:
        at += len(text)
        ends.append(at)
    first = 0
    for match in WORD.finditer(whole):
        while ends[first] <= match.start():
            first += 1
        formats: set[str] = set()
        links: set[int] = set()
        for index in range(first, len(chunks)):
            _, its_formats, link = chunks[index]
            formats |= its_formats
            links |= {link} if link is not None else set()
            if ends[index] >= match.end():
                break
        for part in WORD.findall(comparable(match[0])):
            yield Word(part, match[0]), formats, links


def _keys(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(word.key for word in words)


def _label(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words[:LABEL_WORDS])


def _number(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text, re.ASCII) else default
