"""Convert MDX to Markdown: remove ESM statements, expressions and components, and keep code and the content.

MDX is Markdown with JSX instead of HTML. `import` and `export` are statements only where a block begins with them and
they continue as JavaScript does; `{` begins an expression, and a tag with a capital letter is a component.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from itertools import accumulate

from blogsvc.lib.markdown.code_places import Places, code_places
from blogsvc.lib.markdown.writer import alt_text
from blogsvc.transfer.formats import link_words
from blogsvc.transfer.formats.indented_content import MAX_DEPTH, dedented
from blogsvc.transfer.formats.javascript import JavaScript
from blogsvc.transfer.formats.removals import Removals, source
from blogsvc.transfer.formats.restricted import is_restricted

_MARK = re.compile(
    r"""(?P<math>\$\$[^$]{1,5000}+\$\$|\$[^\s$][^$\n]{0,1000}+\$)
      | ^(?:import|export)\b | \\[{<] | \{ | </?(?:[A-Z][\w.]{0,60}|>) | </?[a-z][\w-]{0,60}(?=[\s/>])""",
    re.MULTILINE | re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""\s++|[\w:@.-]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|(?=\{)))?|(?=\{)""")
_COMPONENT = re.compile(r"<[A-Z]")
_IMAGES = ("Image", "Img", "Picture")
_ADDRESS = re.compile(r"""(?<![\w-])(?:src|href|url|to|poster)\s*+=\s*+(?:\{\s*+)?["']([^"'\s<>]{1,2000}+)["']""")
_ALT = re.compile(
    r"""\b(alt|caption|title)\s*+=\s*+(?:(\{)\s*+)?(?:"((?:[^"\\]|\\.){1,1000}+)"|'((?:[^'\\]|\\.){1,1000}+)')""",
    re.DOTALL,
)
_NOT_SHOWN = re.compile(r"""\bdisplay\s*+:\s*+["'`]none|\bhidden\b""")
_COMMENT = re.compile(r"\{\s*+/\*.*?\*/\s*+\}", re.DOTALL)
_NAME_OF_HEADING = re.compile(r"\{\s*+/\*\s*+(#[\w:.-]{1,100})\s*+\*/\s*+\}")  # in newer versions of Docusaurus
_WORD = re.compile(r"""\{\s*+(?:"([^"\\\n]*+)"|'([^'\\\n]*+)'|`([^`\\$]*+)`)\s*+\}""")


def plain(text: str, removals: Removals) -> str:
    """Return the Markdown of MDX. Code stays as it is."""
    return _Mdx(text, removals).converted() if _MARK.search(text) else text


@dataclass
class _Mdx:
    text: str
    removals: Removals
    parts: list[str] = field(default_factory=list)
    statements_until: int = 0  # where the last statement ended
    # The components that are open: the name, and the number of parts before the content, -1 if it is in one line.
    opened: list[tuple[str, int]] = field(default_factory=list)
    contents: list[tuple[int, int]] = field(default_factory=list)  # the parts before and after each content in lines
    links: dict[int, str] = field(default_factory=dict)  # the addresses of components, by where their end tags begin

    def converted(self) -> str:
        self.code: Places = code_places(self.text, has_indented=False)
        self.script = JavaScript(self.text)
        place = 0
        while mark := _MARK.search(self.text, place):
            self.parts.append(self.text[place : mark.start()])
            place = self._converted(mark)
        text = "".join([*self.parts, self.text[place:]])
        if not self.contents:
            return text
        line_of = [0, *accumulate(part.count("\n") for part in self.parts)]
        return dedented(text, [(line_of[start], line_of[end]) for start, end in self.contents])

    def _converted(self, mark: re.Match[str]) -> int:
        """Convert what begins at a mark, and return where the text after it begins."""
        place, end = mark.start(), None
        if (after := self.code.end_at(place)) is not None:
            return self._keep(place, after)
        if mark["math"] or mark[0][0] == "\\" or self.text.startswith("{#", place):
            return self._keep(place, mark.end())
        if mark[0] in ("import", "export"):
            end = self._statement(place)
        elif mark[0] == "{":
            end = self._expression(place)
        elif mark[0][-1] == ">" or mark[0].lstrip("</")[0].isupper():
            end = self._component(mark)
        elif (end := self._end_of_tag(mark.end())) is not None and "{" in self.text[place:end]:
            return self._element(mark, end)
        else:
            end = None
        return self._keep(place, mark.end()) if end is None else end

    def _keep(self, place: int, end: int) -> int:
        self.parts.append(self.text[place:end])
        return end

    def _statement(self, place: int) -> int | None:
        """Remove an ESM statement, which begins a block or follows another one. Returns None for text."""
        if not (self._begins_block(place) and self.script.begins_statement(place)):
            return None
        end = self.script.end_of_statement(place)
        if end is None:
            end = self.script.next_blank_line(place)
            removed = source(self.text[place:end])
            self.removals.note(
                f"The end of {removed} was not found. What is before the next blank line was removed.", place
            )
        else:
            self.removals.note(f"The statement {source(self.text[place:end])} was removed.", place)
        self.statements_until = end
        return end

    def _begins_block(self, place: int) -> bool:
        above = self.text[max(0, place - 200) : place]
        return place in (0, self.statements_until) or not above.strip(" \n") or above.rstrip(" \t").endswith("\n\n")

    def _expression(self, place: int) -> int | None:
        end = self.script.end_of_brackets(place)
        if end is None:
            return None
        whole = self.text[place:end]
        if (name := _NAME_OF_HEADING.fullmatch(whole)) and self._ends_heading(place, end):
            self.parts.append(f"{{{name[1]}}}")
        elif _COMMENT.fullmatch(whole):
            self.removals.note("A comment, which the old blog did not show, was removed.", place)
        elif word := _WORD.fullmatch(whole):
            self.parts.append(word[1] or word[2] or word[3] or "")
        else:
            self.removals.note(f"The expression {source(whole)} was removed.", place)
        return end

    def _ends_heading(self, place: int, end: int) -> bool:
        line_end = self.text.find("\n", end)
        rest = self.text[end : line_end if line_end >= 0 else len(self.text)]
        before = self.text[max(0, place - 1000) : place].rpartition("\n")[2]
        return not rest.strip() and re.match(r"[ ]{0,3}#{1,6}[ \t]", before) is not None

    def _component(self, mark: re.Match[str]) -> int | None:
        place, name = mark.start(), mark[0].lstrip("</>")
        closes = mark[0].startswith("</")
        end = mark.end() if mark[0][-1] == ">" else self._end_of_tag(mark.end())
        if end is None:
            return None
        if closes or not name:
            self._close(name, place, end)
            return end
        tag = self.text[place:end]
        has_content = not tag.endswith("/>")
        address, became = _ADDRESS.search(tag), "was removed"
        if address and name.endswith(_IMAGES):
            self.parts.append(f"![{_alt_of(tag)}]({address[1]})")
            became = "is an image now"
        elif address:
            self._link(name, address[1], end if has_content else None)
            became = "is a link now"
        if has_content:
            is_in_lines = self.text[place - 1 : place] in ("", "\n", " ", "\t") and self.text[end : end + 1] == "\n"
            self.opened.append((name, len(self.parts) if is_in_lines else -1))
            if is_restricted(name):
                self.removals.note_uncertain(source(tag), place)
        else:
            self._separate(end)
        kept = "; its content was kept" if has_content else ""
        self.removals.note(f"The component {source(tag)} {became}{kept}.", place)
        return end

    def _close(self, name: str, place: int, end: int) -> None:
        """Note where the content of a component ends."""
        if address := self.links.pop(place, ""):
            self.parts.append(f"]({address})")
        if self.opened and self.opened[-1][0] == name:
            start = self.opened.pop()[1]
            if start >= 0 and len(self.opened) < MAX_DEPTH:
                self.contents.append((start, len(self.parts)))
        self._separate(end)

    def _link(self, name: str, address: str, content: int | None) -> None:
        """Add the address of a component: around its words, which begin at `content`, or before its content."""
        closing = (
            None if content is None else link_words.closing(self.text, content, re.compile(rf"</{re.escape(name)}>"))
        )
        if closing is not None:
            self.links[closing] = address
            self.parts.append("[")
        else:
            self.parts.append(f"<{address}>" if ":" in address else f"[{address}]({address})")
            is_beside = content is not None and not self.text[content : content + 1].isspace()
            self.parts.append(" " if is_beside else "")

    def _separate(self, end: int) -> None:
        """Add a space after a component that another one or a word follows without any."""
        before = next((part[-1] for part in reversed(self.parts) if part), " ")
        is_word = before.isalnum() and self.text[end : end + 1].isalnum() and self.text[end - 2 : end] == "/>"
        if is_word or (not before.isspace() and _COMPONENT.match(self.text, end)):
            self.parts.append(" ")

    def _element(self, mark: re.Match[str], end: int) -> int:
        """Keep an element of HTML without the attributes that are expressions."""
        place = mark.end()
        self.parts.append(mark[0])
        while place < end:
            opening = self.text.find("{", place, end)
            if opening < 0:
                break
            after = min(self.script.end_of_brackets(opening) or end, end)
            words, expression = self.text[place:opening], self.text[opening:after]
            if literal := _WORD.fullmatch(expression):
                self.parts.append(
                    f'{words}"{(literal[1] or literal[2] or literal[3] or "").replace(chr(34), "&quot;")}"'
                )
            else:
                self.parts.append(re.sub(r"\s[\w:-]+\s*=\s*$", "", words))
                if _NOT_SHOWN.search(expression) or re.search(r"\shidden\s*=\s*$", words):
                    self.removals.note_uncertain(source(self.text[mark.start() : end]), opening)
                self.removals.note(f"The attribute {source(expression)} was removed.", opening)
            place = after
        self.parts.append(self.text[place:end])
        return end

    def _end_of_tag(self, place: int) -> int | None:
        """Return where a tag of JSX ends, whose attributes may be expressions; None if it does not."""
        while place < len(self.text):
            if self.text[place] == "{":
                if (after := self.script.end_of_brackets(place)) is None:
                    return None
                place = after
            elif self.text[place] == ">":
                return place + 1
            elif self.text.startswith("/>", place):
                return place + 2
            elif (part := _ATTRIBUTE.match(self.text, place)) and part.end() > place:
                place = part.end()
            else:
                return None
        return None


def _alt_of(tag: str) -> str:
    """Return the alternative text of an image in Markdown: `alt`, or else another attribute with words."""
    named: dict[str, str] = {}
    for name, is_script, double, single in _ALT.findall(tag):
        value = double or single
        named.setdefault(name, re.sub(r"\\(.)", r"\1", value) if is_script else unescape(value))
    return alt_text(next((named[name] for name in ("alt", "caption", "title") if name in named), ""))
