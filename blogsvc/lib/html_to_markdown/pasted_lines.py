"""The lines of pasted HTML in which spaces and newlines are shown, as in chats and code editors."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, Tag

from blogsvc.lib.html_to_markdown import preformatted
from blogsvc.lib.html_to_markdown.pasted_styles import MONOSPACE, declared
from blogsvc.lib.html_to_markdown.tidying import BLOCKS

_CODE = re.compile(r"\bwhite-space:\s*pre\s*(?:;|$)", re.IGNORECASE)
_IS_SHOWN = re.compile(r"pre|break-spaces|preserve")
_SLACK_BREAK = "c-mrkdwn__br"


def keep(soup: BeautifulSoup) -> None:
    """Make elements of the lines: code blocks of those of code editors, and paragraphs and line breaks of others."""
    for block in soup.find_all(["div", "p"], style=_CODE):
        if MONOSPACE.search(declared(block).get("font-family", "")) and block.find_parent("pre") is None:
            _make_code(soup, block)
    for text in soup.find_all(string=re.compile("\n")):
        if _shows_newlines(text):
            _break_lines(text)
    for mark in soup.find_all(class_=_SLACK_BREAK):
        if not mark.decomposed and mark.parent is not None:
            _separate(soup, mark.parent)


def _make_code(soup: BeautifulSoup, block: Tag) -> None:
    """Make a code block of the lines of a code editor, or code in a paragraph of a single line."""
    lines = preformatted.text_of(block).strip("\n")
    if lines.strip():
        code = soup.new_tag("pre" if "\n" in lines else "code", string=lines)
        block.replace_with(code)
        if code.name == "code":
            code.wrap(soup.new_tag("p"))


def _shows_newlines(text: NavigableString) -> bool:
    if text.find_parent(["code", "pre"]) is not None:
        return False
    if not text.strip() and (_is_edge(text.previous_sibling) or _is_edge(text.next_sibling)):
        return False
    for around in text.parents:
        style = declared(around)
        if said := style.get("white-space-collapse") or style.get("white-space"):
            return _IS_SHOWN.match(said) is not None
    return False


def _is_edge(neighbor: PageElement | None) -> bool:
    return neighbor is None or (isinstance(neighbor, Tag) and neighbor.name in BLOCKS)


def _break_lines(text: NavigableString) -> None:
    """Write newlines as line breaks, and the spaces after them as no-break spaces."""
    first, *rest = text.split("\n")
    parts: list[PageElement] = [NavigableString(first)]
    for line in rest:
        words = line.lstrip(" \t")
        indent = line[: len(line) - len(words)].expandtabs(4)
        parts += [Tag(name="br"), NavigableString("\xa0" * len(indent) + words)]
    text.replace_with(*parts)


def _separate(soup: BeautifulSoup, holder: Tag) -> None:
    """Make paragraphs of what is between the breaks of Slack in an element, or lines in an inline element."""
    is_block = holder.name in ("[document]", "blockquote", "div", "li", "p", "td")
    if holder.name == "p":
        holder.name = "div"
    run: list[PageElement] = []
    for child in [*holder.contents, None]:
        is_mark = isinstance(child, Tag) and _SLACK_BREAK in (child.get("class") or ())
        if is_block and (child is None or is_mark or _is_edge(child)):
            _wrap(soup, run)
            run = []
        elif child is not None:
            run.append(child)
        if is_mark and isinstance(child, Tag):
            child.decompose() if is_block else child.replace_with(soup.new_tag("br"))


def _wrap(soup: BeautifulSoup, run: list[PageElement]) -> None:
    if any(isinstance(node, Tag) or str(node).strip() for node in run):
        paragraph = soup.new_tag("p")
        run[0].insert_before(paragraph)
        paragraph.extend(run)
