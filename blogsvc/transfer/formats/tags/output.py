"""Write the text that template tags leave: their Markdown, in lines of its own or among words."""

from __future__ import annotations

import re
from html import escape

from blogsvc.lib.markdown.render import render
from blogsvc.transfer.formats.tags.code import CodeTag
from blogsvc.transfer.formats.tags.containers import Container

_SPACES = re.compile(r"[ \t]*+")
# What is more than a word: a link, an image, or several paragraphs.
_IS_MARKED = re.compile(r"\]\(|\n\n|^<")
_BEFORE_WORD = re.compile(r"(?:(?<!\]:)(?<![=:])\s|(?<!\])\()\Z")
_ONE_PARAGRAPH = re.compile(r"<p>((?:(?!</?p>).)*+)</p>\s*+", re.DOTALL)
_MAX_TAIL = 1000  # characters
_MAX_QUOTATIONS = 10  # in each other


class TagOutput:
    """What is written for the beginning of a text, `source`, which is Markdown or HTML.

    Methods take the Markdown for a tag that ends at `end`, and return where the source goes on.
    """

    def __init__(self, source: str, is_html: bool) -> None:
        self.source, self.is_html = source, is_html
        self.parts: list[str] = []
        self.quotations: list[tuple[str, str, list[str]]] = []  # the names, the ends and what is before of those open

    def add(self, text: str) -> None:
        self.parts.append(text)

    def add_in_line(self, markdown: str) -> None:
        self.add(in_line(markdown) if self.is_html and _IS_MARKED.search(markdown) else markdown)

    def open_link(self, address: str) -> None:
        self.add(f'<a href="{escape(address)}">' if self.is_html else "[")

    def close_link(self, address: str) -> None:
        self.add("</a>" if self.is_html else f"]({address})")

    def text(self) -> str:
        return "".join(self.parts)

    def is_in_address(self) -> bool:
        """Return True if a tag here is the address of a link, or a part of one."""
        tail = self._tail()
        return tail.endswith("](") or not (_BEFORE_WORD.search(tail[-10:]) or tail == "")

    def ends_with_space(self) -> bool:
        return self._tail()[-1:].isspace()

    def add_code(self, tag: CodeTag, content: str, end: int) -> int:
        """Add the code of a tag in a block or in the line."""
        if self.is_html:
            self.add(
                in_line(tag.span(content.strip())) if tag.is_in_line else render(tag.block(content.strip("\n")), "")
            )
            return end
        line = self._tail().rpartition("\n")[2]
        container = Container.of(line)
        lines = container.content(content)
        numbers = [number for number, one in enumerate(lines) if one.strip()] or [0]
        lines = lines[numbers[0] : numbers[-1] + 1]
        code, words = "\n".join(lines), line[len(container.first) :]
        if tag.is_in_line or (words.startswith("|") and len(lines) == 1):
            self.add(tag.span(code))
            return end
        return self.add_block(tag.block(code), end)

    def add_block(self, block: str, end: int) -> int:
        """Add a block in lines of its own."""
        if self.is_html:
            self.add(render(block, ""))
            return end
        before, newline, line = self._tail().rpartition("\n")
        container, is_code = Container.of(line), block.startswith("`")
        between = "\n" if container.is_in_list and is_code else f"\n{container.blank_line}\n"
        if line[len(container.first) :].strip():
            self.parts[-1] = self.parts[-1].rstrip(" \t")
            self.add(f"{between}{container.others}")
        elif newline and not container.begins_item and before.rpartition("\n")[2].strip("> \t"):
            self.parts[-1] = f"{before}{between}{line}"
        self.add(container.block(block))
        after = self._next_word(end)
        if self.source[after : after + 1] not in ("", "\n"):
            self.add(f"{between}{container.others}")
            return after
        if not block.endswith("`") and self.source[after + 1 : after + 1 + _MAX_TAIL].partition("\n")[0].strip("> \t"):
            self.add(f"\n{container.blank_line}")
        return end

    def add_words(self, words: str, end: int, *, is_figure: bool) -> int:
        """Add what is a block if it stands alone in its line, and words if it stands among others."""
        if self.is_html:
            self.add_in_line(words)
            return end
        line = self._tail().rpartition("\n")[2]
        stands_after = line[len(Container.of(line).first) :].strip()
        after = self._next_word(end)
        stands_before = self.source[after : after + 1] not in ("", "\n")
        if not stands_after and (is_figure or not stands_before):
            return self.add_block(words, end)
        self.add(words.replace("\n\n", " "))
        return end

    def open_quotation(self, name: str, words_at_end: str) -> bool:
        """Begin a quotation, and return True if that is possible."""
        if len(self.quotations) >= _MAX_QUOTATIONS:
            return False
        self._tail()
        self.quotations.append((name, words_at_end, self.parts))
        self.parts = []
        return True

    def close_quotation(self, name: str, end: int) -> int | None:
        """End the quotation that the tag with a name began; None if there is none."""
        if not self.quotations or self.quotations[-1][0] != name:
            return None
        content = self.text()
        _, words_at_end, self.parts = self.quotations.pop()
        if self.is_html:
            self.add(f"<blockquote>{content}{render(words_at_end, '')}</blockquote>")
            return end
        lines = "\n".join(Container.of(self._tail().rpartition("\n")[2]).content(content)).strip("\n").rstrip()
        quoted = "\n\n".join(filter(None, (lines, words_at_end)))
        return self.add_block("\n".join(f"> {line}".rstrip() for line in quoted.split("\n")), end)

    def leave_open(self) -> None:
        """Take the quotations that have no end as text."""
        while self.quotations:
            self.parts = [*self.quotations.pop()[2], *self.parts]

    def _next_word(self, place: int) -> int:
        return _SPACES.match(self.source, place).end()  # type: ignore[union-attr]

    def _tail(self) -> str:
        """Return the last two lines of what is written, or their end. It is the last of the parts."""
        tail = ""
        while self.parts and len(tail) < _MAX_TAIL and tail.count("\n") < 2:
            tail = self.parts.pop() + tail
        self.parts += [tail[:-_MAX_TAIL], tail[-_MAX_TAIL:]]
        return self.parts[-1]


def in_line(markdown: str) -> str:
    """Return the HTML of Markdown, without a paragraph if it is only one."""
    html = render(markdown, "")
    only = _ONE_PARAGRAPH.fullmatch(html)
    return only[1] if only else html
