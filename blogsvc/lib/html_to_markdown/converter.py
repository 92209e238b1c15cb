"""Convert a parsed HTML document to Markdown."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape

from bs4 import BeautifulSoup
from bs4.element import Tag

from blogsvc.lib.html_to_markdown import (
    Target,
    anchors,
    embeds,
    figures,
    kept_html,
    left_out,
    marks,
    nesting,
    preformatted,
    spaces,
)
from blogsvc.lib.html_to_markdown.footnotes import footnotes
from blogsvc.lib.html_to_markdown.inline import KEYS, InlineConverter
from blogsvc.lib.html_to_markdown.nesting import RICH_CODE
from blogsvc.lib.html_to_markdown.tables import alignments, is_too_rich, read_table
from blogsvc.lib.html_to_markdown.tidying import BLOCKS, OWN_NUMBERS, elements
from blogsvc.lib.markdown import writer
from blogsvc.lib.markdown.image_links import quoted
from blogsvc.lib.markdown.raw_html import Tag as RawTag

_HEADING = re.compile("h[1-6]")
_LAST_BREAK = re.compile(r"(?<!\\)<br>\Z")  # shows nothing at the end of a block
_LANGUAGE = re.compile(r"(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([^\s;]+)")
_LANGUAGE_ATTRIBUTES = ("data-language", "data-lang", "data-enlighter-language", "lang")
_REAL_NAMES = {KEYS: "kbd", RICH_CODE: "code", "anchor": "a"}
# Blocks of a table that are no lines of their own in a cell.
_IN_ROWS = frozenset("tbody td tfoot th thead".split())


def convert(soup: BeautifulSoup, target: Target, linked: Collection[str] = ()) -> tuple[str, list[str]]:
    """Return the Markdown of a tidied document, and a warning for each element that was changed.

    Args:
        linked: the names of parts to which other texts link.
    """
    nesting.tidy_code(soup, has_html=target.html)
    for keys in elements(soup, {"kbd"}) if target.html else ():
        keys.name = KEYS
    notes = footnotes(soup) if target.html else []
    if target.html:
        anchors.keep_targets(soup, linked)
    for part in (soup, *(note for _, note in notes)):
        spaces.protect(part)
    converter = _Converter(target)
    body = converter.convert_soup(soup)
    tail = [f"[^{label}]: {_indented(converter.convert_soup(note))}" for label, note in notes]
    markdown = "\n\n".join([_without_extra_space(body).rstrip("\n"), *tail]).strip("\n")
    return spaces.written(converter.with_marks(markdown)), converter.warnings


def _indented(text: str) -> str:
    return re.sub(r"\n(?=[^\n])", "\n    ", text.strip())


def _without_extra_space(text: str) -> str:
    """Remove spaces at ends of lines and repeated empty lines, except in code."""
    parts = re.split(
        r"^((?:[ >]|[-*] |\d{1,9}[.)] )*(`{3,})[^\n]*\n.*?^[ >]*\2[ ]*$)", text, flags=re.DOTALL | re.MULTILINE
    )
    for index in range(0, len(parts), 3):
        parts[index] = re.sub(r"\n{3,}", "\n\n", re.sub(r"(?<![ \t])[ \t]++$", "", parts[index], flags=re.MULTILINE))
    return "".join(part for index, part in enumerate(parts) if index % 3 != 2)


class _Converter(InlineConverter):
    """Converts blocks, tables and media."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        for name in BLOCKS:
            if not hasattr(self, f"convert_{name}") and not _HEADING.fullmatch(name):
                setattr(self, f"convert_{name}", self.convert_div)  # type: ignore[attr-defined]

    def with_marks(self, text: str) -> str:
        return marks.written(text, has_html=self.target.html)

    # -- blocks

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: N802 (theirs)
        words = " ".join(text.split())
        if "_inline" in parent_tags or not words:
            return words
        words = re.sub(r"(^|\s)(#+)$", r"\1\\\2", words)  # "#" at the end would be parsed as the end of the heading
        return f"\n\n{'#' * min(6, max(n, 1 if self.target.html else 2))} {words}\n\n"

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if self.target.html and "_inline" not in parent_tags and preformatted.is_rich(el):
            self.warnings.append("Preformatted text with links, images or marks was kept as HTML.")
            return f"\n\n{self._kept(el)}\n\n"
        text = preformatted.text_of(el, with_addresses=not self.target.html)
        code = spaces.plain(text).removeprefix("\n").removesuffix("\n")
        if not code.strip():
            return ""
        if "_inline" in parent_tags:
            return f" {writer.code_span(' '.join(code.split()))} "
        return f"\n\n{writer.code_block(code, _language(el), str(el.get(figures.CAPTION) or ''))}\n\n"

    def convert_figcaption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = self.with_marks(text.strip())
        is_plain = self.target.html and words and "*" not in words and "\n" not in words
        return f"\n\n*{words}*\n\n" if is_plain else f"\n\n{words}\n\n"

    def convert_toc(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "\n\n[[toc]]\n\n"

    def convert_gallery(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n\n::: gallery\n{text.strip()}\n:::\n\n"

    def convert_newline(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "\n"

    def convert_list(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        # Only a numbered list that starts at 1 can follow a paragraph without an empty line.
        begins_elsewhere = re.match(r"\s*(?!1[.)])\d", text) is not None
        start = "\n\n" if begins_elsewhere or "li" not in parent_tags else "\n"
        return f"{start}{text.rstrip()}\n\n"

    convert_ul = convert_ol = convert_list

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        words = text.strip()
        if el.has_attr(left_out.TASK):
            words = f"[{el[left_out.TASK]}] {words}"
        if not words.strip(spaces.STAND_INS):
            return ""
        is_other = el.parent is not None and el.parent.get("marker") is not None
        number = str(el.get("value") or "")
        bullet = f"{number}{')' if is_other else '.'} " if number.isdigit() else "* " if is_other else "- "
        return bullet + re.sub(r"\n(?=[^\n])", "\n" + " " * len(bullet), words) + "\n"

    def convert_hr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        # After a bullet, dashes would make the bullet a part of the line.
        return f"\n\n{'___' if 'li' in parent_tags else '---'}\n\n"

    def convert_input(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "☑ " if el.has_attr("checked") else "☐ "

    def convert_details(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if not self.target.html:
            return f"\n\n{text.strip()}\n\n"
        summary = el.find("summary", recursive=False)
        name = self._kept(summary, content_only=True) if summary else "Details"
        is_open = " open" if el.has_attr("open") else ""
        return f"\n\n<details{is_open}><summary>{name}</summary>\n\n{text.strip()}\n\n</details>\n\n"

    def convert_summary(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if self.target.html:
            is_of_details = el.parent is not None and el.parent.name == "details"
            return "" if is_of_details else f"\n\n{text.strip()}\n\n"
        return f"\n\n{self._marked(el, text, parent_tags, {'b', 'strong'}, 'strong')}\n\n"

    convert_dt = convert_summary

    def convert_dl(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if not self.target.html:
            return f"\n\n{text.strip()}\n\n"
        return f"\n\n{self._kept(el)}\n\n"

    def convert_dd(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{text.strip()}\n\n"

    def _kept(self, el: Tag, *, content_only: bool = False) -> str:
        for tag in el.find_all(list(_REAL_NAMES)):
            tag.name = _REAL_NAMES[tag.name]
        line, warnings = kept_html.line_of(el, content_only=content_only)
        self.warnings += warnings
        return line

    # -- tables

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        parents = parent_tags or set()
        if node.has_attr(OWN_NUMBERS) and self.target.html and not parents & {"_inline", "pre"}:
            return f"\n\n{self._kept(node)}\n\n"
        if node.name != "table" or parents & {"_inline", "pre"}:
            text = str(super().process_tag(node, parent_tags=parents))  # type: ignore[misc]
            is_line = parents & {"td", "th"} and node.name in BLOCKS and node.name not in _IN_ROWS
            return "\n" + text.strip(" \n") + "\n" if is_line else text
        if self.target.html and is_too_rich(node):
            self.warnings.append("A table with merged cells, or with more than text in its cells, was kept as HTML.")
            return f"\n\n{self._kept(node)}\n\n"
        return self._table(node, parents | {"table"})

    def _table(self, el: Tag, parents: set[str]) -> str:
        table = read_table(el)
        has_header = table.has_header or self.target.first_row_is_header
        rows = [[self._cell(self.process_tag(cell, parents)) for cell in row] for row in table.rows]
        header, body = (rows[0], rows[1:]) if rows and has_header else ([], rows)
        if self.target.tables:
            written = writer.table(header, body, alignments(table.rows))
        else:
            written = writer.table_as_list(header, body)
        around = [
            self.process_tag(node, parents) if isinstance(node, Tag) else self.process_text(node, parents)
            for node in table.around
        ]
        return "\n\n" + "\n\n".join([*filter(None, map(str.strip, around)), *([written] if rows else [])]) + "\n\n"

    def _cell(self, text: str) -> str:
        """Return the text of a cell on one line. The blocks in it are lines."""
        lines = (_LAST_BREAK.sub("", " ".join(line.split())) for line in self.with_marks(text).split("\n"))
        return spaces.written_in_cell(("<br>" if self.target.html else " ").join(filter(None, lines)))

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f" {text} "

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f" {text} "

    def convert_caption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        is_plain = self.target.html and text.strip() and not re.search(r"[*\n]", text.strip())
        return f"*{text.strip()}*" if is_plain else text

    # -- media and embedded pages

    def convert_video(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        source = el.find("source", src=True)
        src = str(el.get("src") or (source.get("src") if isinstance(source, Tag) else "") or "")
        if not self.target.html:
            return self._link(el, src, parent_tags)
        url = self._address(el, src)
        if not url:
            self.warnings.append(f"A {el.name} without a URL was removed.")
            return ""
        if el.find("track") is not None:
            self.warnings.append("The subtitles of a video were removed.")
        poster = self._address(el, str(el.get("poster") or ""))
        attributes = {"src": quoted(src)} | ({"poster": quoted(str(el["poster"]))} if poster else {})
        written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        return f"\n\n<{el.name}{written} controls></{el.name}>\n\n"

    convert_audio = convert_video

    def _link(self, el: Tag, src: str, parent_tags: set[str]) -> str:
        link = RawTag(el.name, {"src": src, "title": str(el.get("title") or "")}).media()
        return link if parent_tags & {"_inline", "p", "li"} else f"\n\n{link}\n\n"

    def convert_iframe(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if not self.target.html:
            return self._link(el, str(el.get("src") or "").strip(), parent_tags)
        link, warning = embeds.link_to(el)
        self.warnings.append(warning)
        if link is None:
            return ""
        return f"\n\n[{self._escape(link.get_text())}]({self._address(link, str(link['href']))})\n\n"


def _language(el: Tag) -> str:
    """Return the language of a code block, from the classes and attributes that common editors use."""
    outer = [el.parent] if el.parent is not None and el.parent.name == "div" else []
    for tag in (el, *el.find_all("code"), *outer):
        if found := _LANGUAGE.search(" ".join(tag.get("class") or [])):
            return found[1]
        for name in _LANGUAGE_ATTRIBUTES:
            if tag.get(name):
                return str(tag[name])
    return ""
