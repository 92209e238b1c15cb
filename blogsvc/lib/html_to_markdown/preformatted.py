"""The text of preformatted HTML, with the lines that browsers show."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from bs4 import BeautifulSoup
from bs4.element import Tag

from blogsvc.lib.html_to_markdown.tidying import BLOCKS, elements
from blogsvc.lib.markdown.raw_html import Tag as RawTag

_CELLS = ("td", "th")
# Elements between whose children space means nothing.
_HOLDERS = frozenset("dl ol table tbody tfoot thead tr ul".split())
# Classes of the numbers of lines.
_NUMBERS = frozenset("blob-num gutter hljs-ln-numbers lineno linenos linenumber ln rouge-gutter".split())
# The blocks of WordPress for verses, and for preformatted text that is no code.
_PROSE = frozenset({"wp-block-verse", "wp-block-preformatted"})
_MARKS = frozenset("b strong i em u s del strike mark ins sub sup cite".split())
_BEFORE_CODE = re.compile(r"(<script\b[^<>]{0,300}syntaxhighlighter[^<>]{0,300}+>)\s{0,99}+<!\[CDATA\[", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n\s++")
_BRUSH = re.compile(r"(?:brush:\s*|\A)([\w+#-]{1,30})")
_NUMBER = re.compile(r"[\d\s]*+")


def text_of(element: Tag, *, with_addresses: bool = False) -> str:
    """Return the text of an element in which spaces and newlines are shown. Blocks, rows and items are lines.

    With `with_addresses`, links and images are followed by their address.
    """
    lines = _Lines()
    _read(element, lines, with_addresses)
    return "".join(lines.parts)


def is_rich(element: Tag) -> bool:
    """Return True if code can't say what an element says.

    It has images, links to elsewhere whose address is not their text, or, in a text that is no code, marks.
    """
    if any(_shown_address(one) for one in elements(element, {"a", "img"})):
        return True
    if element.find(["code", "span", "font"]) is not None or (element.has_attr("class") and not _is_prose(element)):
        return False
    return any(one.get_text(strip=True) for one in elements(element, _MARKS))


def _is_prose(element: Tag) -> bool:
    return not _PROSE.isdisjoint(element.get("class") or ())


def with_literal_examples(html: str) -> str:
    """Return HTML in which the content of `xmp` and `textarea`, where tags are text, is text for every parser."""
    html = _changed_inside(html, "xmp", escape)
    html = _changed_inside(html, "textarea", lambda inner: inner.replace("<", "&lt;").replace(">", "&gt;"))
    return _BEFORE_CODE.sub(r"\1", html)


def without_blank_lines(html: str, name: str) -> str:
    """Return HTML whose elements of this name have no blank lines, which would make paragraphs in a classic text."""
    return _changed_inside(html, name, lambda inner: _BLANK_LINES.sub("\n", inner))


def _changed_inside(html: str, name: str, change: Callable[[str], str]) -> str:
    begins, ends = (re.compile(rf"{sign}{name}\b", re.IGNORECASE) for sign in ("<", "</"))
    parts, place = [], 0
    while begin := begins.search(html, place):
        start, end = html.find(">", begin.end()) + 1, ends.search(html, begin.end())
        if end is None or not 0 < start <= end.start():
            break
        parts += [html[place:start], change(html[start : end.start()])]
        place = end.start()
    return "".join([*parts, html[place:]])


def find_code(soup: BeautifulSoup) -> None:
    """Make code blocks of the fields and scripts in which the program SyntaxHighlighter has code."""
    for element in elements(soup, {"script", "textarea"}):
        is_code = element.get("name") == "code" or "syntaxhighlighter" in str(element.get("type") or "").lower()
        if is_code:
            text = element.get_text().strip().removesuffix("]]>").strip("\n")
            language = _BRUSH.search(" ".join(element.get("class") or ()))
            block = soup.new_tag("pre", string=text)
            if language:
                block["data-language"] = language[1]
            element.replace_with(block)


class _Lines:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.is_ended = False  # the line, but its newline is not written

    def add(self, text: str) -> None:
        if text and self.is_ended and not text.startswith("\n"):
            self.parts.append("\n")
        self.is_ended = self.is_ended and not text
        self.parts += [text] if text else []

    def break_line(self) -> None:
        self.parts.append("\n\n" if self.is_ended else "\n")
        self.is_ended = False

    def end_line(self) -> None:
        self.is_ended = bool(self.parts) and not self.parts[-1].endswith("\n")


def _read(element: Tag, lines: _Lines, with_addresses: bool) -> None:
    for child in element.contents:
        if not isinstance(child, Tag):
            if element.name not in _HOLDERS or str(child).strip():
                lines.add(str(child))
        elif child.name == "br":
            lines.break_line()
        elif not _is_number(child):
            is_block = child.name in BLOCKS and child.name not in _CELLS
            if is_block:
                lines.end_line()
            elif child.name in _CELLS and child.find_previous_sibling(_is_other_cell) is not None:
                lines.add("\t")
            _read(child, lines, with_addresses)
            if with_addresses and (address := _shown_address(child)):
                lines.add(f"{child.get('alt') or ''} ({address})")
            if is_block:
                lines.end_line()


def _is_other_cell(tag: Tag) -> bool:
    return tag.name in _CELLS and not _is_number(tag)


def _is_number(tag: Tag) -> bool:
    """Return True for an element with the numbers of lines, which are not part of the text."""
    return not _NUMBERS.isdisjoint(tag.get("class") or ()) and _NUMBER.fullmatch(tag.get_text()) is not None


def _shown_address(tag: Tag) -> str:
    """Return the address of an image or a link, "" for a link inside the text, or with its address as its text."""
    if tag.name == "img":
        return RawTag("img", {"src": str(tag.get("src") or "")}).address()
    href = str(tag.get("href") or "") if tag.name == "a" else ""
    if href.startswith("#") or tag.get_text(strip=True) == href:
        return ""
    return RawTag("a", {"href": href}).address("href")
