"""Read what Kramdown, the Markdown of Jekyll, adds to a text: attributes `{: .note #id}`, `{:toc}` and abbreviations.

Hugo, Zola and Pandoc have attributes, too: `{#id}` and `{.note}`.

Ids, tables of contents, callouts and the widths of images are applied. What our pages have no notion of is removed and
noted. Source: https://kramdown.gettalong.org/syntax.html
"""

from __future__ import annotations

import re
from dataclasses import replace

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.text.plain import slugify
from blogsvc.transfer.formats.dialects import heading_ids
from blogsvc.transfer.formats.dialects.attribute_lists import LIST, Attributes, named_in
from blogsvc.transfer.formats.dialects.block_places import Block, block_before, blocks_of
from blogsvc.transfer.formats.removals import InSource, Removals, source

_ABBREVIATION = re.compile(r"\*\[([^\]\n]{1,200}+)\]:[ \t]*+(.{0,1000}+)")
_NO_MARKDOWN = re.compile(r"\{::nomarkdown(?:[ ][^{}\n]{0,200}+)?/?\}|\{:/(?:nomarkdown)?\}")
_SPAN = re.compile(r"(?<=[)\]*_`>}])\{:(?![:/])[ ]?([^{}\n]{0,500}+)\}")
_OF_ITEM = re.compile(
    r"(?P<marker>(?:[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]++)++)\{:(?![:/])(?P<inner>[^{}\n]{0,500}+)\}[ \t]*+"
)
# A line of attributes. Without a colon in Goldmark, the Markdown of Hugo, where it may have only names with values.
_ALONE = re.compile(r"[ \t>]*+(?P<braces>\{(?::|[.#][\w-])[^{}]*+\})[ \t]*+")
_ALONE_WITH_NAMES = re.compile(rf"[ \t>]*+(?P<braces>{LIST})[ \t]*+")
_MAYBE_LIST = re.compile(r"\{[ \t]*+[\w.#:@-]")
_DEFINED = re.compile(r"\{:[\w-]++:[ ][^{}]*+\}")
_QUOTE = re.compile(r"[ ]{0,3}>[ ]?")
_NO_PARAGRAPH = re.compile(r"[ \t]*+(?:\||#|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~|<)")
_AROUND = re.compile(r"[ \t>]*+")
_ITEM = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]")
_MARKERS = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+")
_BEFORE_WORDS = re.compile(r"(?:#{1,6}[ \t]++|\[[ xX]\][ \t]++)?+")
_WITH_WORDS = ("paragraph", "heading", "blockquote", "bullet_list", "ordered_list")
_NO_WORDS = ("![", "[!", "[[", "```", "~~~", "|")


def plain(text: str, source_text: str, removals: Removals, *, has_colons: bool = False) -> str:
    """Return the text as Markdown for our pages. Code stays as it is.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
        has_colons: Lists of attributes with values begin with a colon, as in Kramdown.
    """
    if not any(sign in text for sign in ("{:", "{#", "{.", "*[")) and not _MAYBE_LIST.search(text):
        return text
    return _Kramdown(text, source_text, removals, has_colons).converted()


class _Kramdown:
    """A text, converted line by line. Each line becomes several, or none, in `written`."""

    def __init__(self, text: str, source_text: str, removals: Removals, has_colons: bool) -> None:
        self.text, self.source_text, self.removals, self.has_colons = text, source_text, removals, has_colons
        self.code = code_places(text)
        self.lines = text.split("\n")
        self.written: list[str | None] = list(self.lines)
        self.blocks: list[Block] | None = None
        self.named = named_in(text)
        self.anchors: dict[int, list[str]] = {}  # the names of blocks, by the lines that these begin with
        self.kinds: dict[int, str] = {}  # the kinds of these blocks
        self.last = -1  # the last line of attributes
        self.about: Block | None = None  # the block that this is about, from the line on where it begins
        self.ends: dict[int, int] = {}  # the first line after the last attributes of a block, by its level
        self.quoted_until = 0  # the line after the last callout
        self.source = InSource(source_text)

    def converted(self) -> str:
        place = 0
        for number, line in enumerate(self.lines):
            if (self.code.end_at(place) or 0) < place + max(len(line), 1) and line.strip():
                self._read(number, line, place)
            place += len(line) + 1
        for number, anchors in self.anchors.items():
            self._write_anchors(number, "".join(anchors))
        return "\n".join(line for line in self.written if line is not None)

    def _read(self, number: int, line: str, place: int) -> None:
        alone = self._attributes_alone(line)
        if alone and not _NO_MARKDOWN.fullmatch(alone["braces"]):
            self._alone(number, alone["braces"])
        elif abbreviation := _ABBREVIATION.fullmatch(line.strip()):
            self._note(f"The abbreviation {abbreviation[1]} ({abbreviation[2].strip()}) was removed.", line.strip())
            self.written[number] = None
        else:
            following = self.lines[number + 1] if number + 1 < len(self.lines) else ""
            line, removed = heading_ids.applied(line, following)
            if removed:
                self._note_attributes(removed)
            line = self._without_spans(line, place)
            if "{:" in line and (item := _OF_ITEM.match(line)):
                line = self._of_item(item) + line[item.end() :]
            self.written[number] = f"> {_QUOTE.sub('', line, count=1)}" if number < self.quoted_until else line

    def _attributes_alone(self, line: str) -> re.Match[str] | None:
        """Return the match of a line that has only attributes."""
        return _ALONE.fullmatch(line) or (None if self.has_colons else _ALONE_WITH_NAMES.fullmatch(line))

    def _alone(self, number: int, braces: str) -> None:
        """Apply the attributes in a line of their own, which are about the block before or, without one, after it."""
        following = self.lines[number + 1] if number + 1 < len(self.lines) else ""
        is_followed = bool(following.strip("> \t")) and not self._attributes_alone(following)
        self.written[number] = None
        if _DEFINED.fullmatch(braces):
            return
        block = self.about = self._block_before(number)
        self.last = number
        attributes = Attributes.of(braces[1:-1], self.named)
        if block is not None:
            is_item = block.is_list and _ITEM.match(following)
            around = _AROUND.match(self.lines[number])[0].rstrip()  # type: ignore[index]
            is_beside = block.level == 0 or (">" in around and following.lstrip().startswith(">"))
            is_followed = is_followed and is_beside and block.kind not in ("heading", "fence") and not is_item
            self.written[number] = (around if block.level else "") if is_followed else None
            self.ends = {level: end for level, end in self.ends.items() if level < block.level}
            self.ends[block.level] = number + 1
        if "toc" in attributes.words and block is not None and block.is_list:
            self.written[block.first : number] = ["[[toc]]", *[None] * (number - block.first - 1)]
            self.about = None
            return
        is_applied = self._is_named(number, attributes.id, block)
        if attributes.callout and self._is_callout(number, attributes.callout, block, following, is_followed):
            is_applied = True
        elif attributes.width and block is not None and (self.written[number - 1] or "").rstrip().endswith(")"):
            self.written[number - 1] = f"{(self.written[number - 1] or '').rstrip()}{{.{attributes.width}}}"
            is_applied = True
        if attributes.has_more or attributes.words or not is_applied:
            self._note_attributes(braces)

    def _block_before(self, number: int) -> Block | None:
        """Return the block that the line of attributes is about, from where it begins after the attributes before."""
        if number - 1 == self.last:
            return self.about
        if number == 0 or not self.lines[number - 1].strip(" \t>"):
            return None
        if self.blocks is None:
            self.blocks = blocks_of(self.text)
        block = block_before(self.blocks, self.lines, number)
        if block is None:
            return None
        return replace(block, first=max([block.first, *(end for n, end in self.ends.items() if n <= block.level)]))

    def _is_named(self, number: int, name: str, block: Block | None) -> bool:
        """Give a name to a block, and return True if it can have one."""
        if not name or (block is not None and block.kind.startswith("footnote")):
            return False
        if block is None:
            self.written[number] = f'<a id="{name}"></a>\n'
        elif block.kind != "heading" or slugify(heading_ids.words_of(self.lines[block.first])) != name:
            self.anchors.setdefault(block.first, []).append(f'<a id="{name}"></a>')
            self.kinds[block.first] = block.kind
        return True

    def _is_callout(self, number: int, kind: str, block: Block | None, following: str, is_followed: bool) -> bool:
        """Make a callout of the block before or after the line, and return True if it can be one."""
        if block is None:
            if not is_followed or _NO_PARAGRAPH.match(following):
                return False
            end = number + 1
            while end < len(self.lines) and self.lines[end].strip():
                end += 1
            self.quoted_until = end
            self.written[number] = f"{self.written[number] or ''}> [!{kind}]"
            return True
        if block.level or block.kind not in ("paragraph", "blockquote") or block.first < self.quoted_until:
            return False
        lines = [
            None if line is None else f"> {_QUOTE.sub('', line, count=1)}"
            for line in self.written[block.first : number]
        ]
        self.written[block.first : number] = [f"> [!{kind}]\n{lines[0]}", *lines[1:]]
        self.quoted_until = number
        return True

    def _write_anchors(self, number: int, anchors: str) -> None:
        """Write the anchors of a block where its words begin, or in a paragraph before it."""
        before, line_end, line = (self.written[number] or "").rpartition("\n")
        start = len(_MARKERS.match(line)[0])  # type: ignore[index]
        has_words = not line.startswith(_NO_WORDS, start) or line.startswith("<a id=", start)
        if self.kinds[number] in _WITH_WORDS and has_words:
            start = _BEFORE_WORDS.match(line, start).end()  # type: ignore[union-attr]
            line = f"{line[:start]}{anchors}{line[start:]}"
        else:
            start -= 4 if self.kinds[number] == "code_block" else 0
            around = re.sub(r"[^>\s]", " ", line[:start])
            line = f"{line[:start]}{anchors}\n{around.rstrip()}\n{around}{line[start:]}"
        self.written[number] = f"{before}{line_end}{line}"

    def _of_item(self, item: re.Match[str]) -> str:
        """Return the mark of an item without its attributes."""
        attributes = Attributes.of(f":{item['inner']}", self.named)
        if attributes.classes or attributes.words or attributes.has_more:
            self._note_attributes(item[0].strip()[len(item["marker"].strip()) :].strip())
        return item["marker"] + (f'<a id="{attributes.id}"></a>' if attributes.id else "")

    def _without_spans(self, line: str, place: int) -> str:
        def read(span: re.Match[str]) -> str:
            attributes = Attributes.of(f":{span[1]}", self.named)
            if not attributes.width or attributes.has_more or attributes.words or attributes.id:
                self._note_attributes(span[0])
            return f"{{.{attributes.width}}}" if attributes.width else ""

        line = _NO_MARKDOWN.sub("", line) if "{:" in line and self.code.end_at(place) is None else line
        if self.text.startswith(line, place):  # not changed, so that the places of code are right
            return _SPAN.sub(
                lambda span: read(span) if self.code.end_at(place + span.start()) is None else span[0], line
            )
        return _SPAN.sub(read, line)

    def _note_attributes(self, written: str) -> None:
        self._note(f"The attributes {source(written)} were removed.", written)

    def _note(self, sentence: str, written: str) -> None:
        self.removals.note(sentence, self.source.place_of(written))
