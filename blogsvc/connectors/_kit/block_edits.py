"""Rewrite the blocks of our Markdown that GitHub has not: galleries, titles of callouts, named code, contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from blogsvc.connectors._kit.inline_markdown import Edit, InlineDialect
from blogsvc.lib.markdown import galleries
from blogsvc.lib.markdown.code_blocks import FenceInfo
from blogsvc.lib.markdown.contents import text_of
from blogsvc.lib.markdown.marks import Marked
from blogsvc.lib.markdown.writer import code_span, one_line

MARKERS = re.compile(r"(?:[\s>+*-]|\d{1,9}[.)])*")
TASK = re.compile(r"\[[ xX]\](?=\s|$)")
_GALLERY_FENCE = re.compile(r"(?<![ \t])[ \t]*+(?<!:):{3,}+[^:\n]*+\Z")
_MORE_THAN_TEXT = ("code_inline", "footnote_ref", "html_inline", "image", "link_open")


@dataclass
class BlockEdits:
    """The edits of the blocks of a text."""

    source: Marked
    tokens: Sequence[Token]
    wording: InlineDialect
    edits: list[Edit] = field(default_factory=list)
    opened_galleries: list[int] = field(default_factory=list)  # for each, the line after its last one

    def replace(self, opening: Token, new: str, last: int | None = None) -> None:
        """Replace a block, with the container's prefix on each line."""
        start, first = opening.meta["at"], (opening.map or [0, 1])[0]
        end = max(start, self.source.end((opening.map or [0, 1])[1] - 1 if last is None else last))
        lead = self.line_prefix(first, start)
        lines = [line if not number else (lead + line).rstrip(" ") for number, line in enumerate(new.split("\n"))]
        self.edits.append((start, end, "\n".join(lines)))

    def line_prefix(self, line: int, start: int) -> str:
        """Return the prefix for the following lines of a block: quote markers, and spaces in place of other markers."""
        before = self.source.text[self.source.starts[line] : start]
        before = re.sub(r"\[\^(?:(?!\[\^)[^\]])+\]:[ \t]*", "    ", TASK.sub("", before))
        return re.sub(r"[^>\s]", " ", before)

    def remove_contents(self, marker: Token) -> None:
        """Remove the marker of a table of contents."""
        self.wording.lacks("contents")
        start = marker.meta["at"]
        self.edits.append((start, self.source.end((marker.map or (0, 1))[1] - 1), ""))

    def rewrite_gallery(self, index: int) -> int:
        """Replace a gallery by its images and its caption, each in a paragraph. Without images, only remove the fences.

        Returns the index of the last token processed.
        """
        opening = self.tokens[index]
        first, after = opening.map or (0, 1)
        self.remove_line(first)
        self.opened_galleries.append(after)
        gallery = galleries.gallery_at(self.tokens, index)
        if gallery is None:
            return index
        self.wording.lacks("galleries")
        for at in range(index + 1, gallery.last, 3):
            paragraph, inline = self.tokens[at], self.tokens[at + 1]
            if images := galleries.images_of(inline):
                new = self.wording.images(inline, images)
            else:
                new = self.wording.words(inline, one_line=True)
                new = new if "*" in new else f"*{new}*"
            if new != inline.content:
                self.replace(paragraph, new)
        return gallery.last - 1

    def remove_line(self, line: int) -> None:
        """Remove the fence of a gallery, if the line has one: a gallery may also end without it."""
        if line < len(self.source.starts):
            start, end = self.source.starts[line], self.source.end(line)
            fence = _GALLERY_FENCE.search(self.source.text, start, end)
            if fence is not None:
                is_between = fence.start() == start and self.source.text.startswith("\n\n", end)
                self.edits.append((fence.start(), end + is_between, ""))

    def rewrite_fence(self, token: Token) -> None:
        """Move the file name of a code block to a line before it. After the fence, only the language is left."""
        info, line, start = FenceInfo.of(token.info), (token.map or [0])[0], token.meta["at"]
        if not info.file:
            return
        lead = self.line_prefix(line, start)
        new = f"{code_span(info.file)}\n{lead.rstrip()}\n{lead}{token.markup}{info.language}"
        if self._follows_paragraph(line, start, lead):
            start, new = start - len(lead) + len(lead.rstrip()), f"\n{lead}{new}"
        self.edits.append((start, self.source.end(line), new))

    def _follows_paragraph(self, line: int, start: int, lead: str) -> bool:
        """Return True if the line before a block in the same container is not empty."""
        begin = self.source.starts[line]
        if line == 0 or self.source.text[begin:start] != lead:
            return False
        return not MARKERS.fullmatch(self.source.text, self.source.starts[line - 1], self.source.end(line - 1))

    def rewrite_alert(self, opening: Token, title: Token, first: Token) -> None:
        """Replace the marker of an alert, such as `[!NOTE]`, by its kind or its title in bold."""
        line = opening.map[0] if opening.map else 0
        start, end = self.source.text.index("[!", opening.meta["at"]), self.source.end(line)
        is_titled = "is_titled" in opening.meta
        kind = opening.meta["kind"].capitalize()
        new = f"**{self._for_bold(title) or kind}**" if is_titled else f"**{kind}:**"
        is_below = first.type == "paragraph_open" and first.map is not None and first.map[0] == line + 1
        lead = self.line_prefix(line, start)
        if first.type == "alert_close" or (is_titled and first.map and first.map[0] > line + 1):
            self.edits.append((start, end, new))
        elif is_below and not is_titled:
            self.edits.append((start, first.meta["at"], f"{new} "))
        elif is_below and self.source.text.count(">", end, first.meta["at"]) < lead.count(">"):
            # The line has no marker of the quotation, and so would be outside it after an empty line.
            self.edits.append((start, first.meta["at"], f"{new}\n{lead.rstrip()}\n{lead}"))
        else:
            self.edits.append((start, end, f"{new}\n{lead.rstrip()}"))

    def _for_bold(self, title: Token) -> str:
        """Return the title of an alert without emphasis, so that all of it can be in bold."""
        children = title.children or ()
        if not any(one.type in _MORE_THAN_TEXT for one in children):
            return one_line(text_of(title))
        marks = [one for one in children if one.type.startswith(("em_", "strong_"))]
        return self.wording.words(title, one_line=True, gaps=[(*one.meta["at"], "") for one in marks]).strip()
