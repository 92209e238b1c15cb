"""Convert MDX to Markdown: remove ESM statements, expressions and components, and keep code and the content.

MDX is Markdown with JSX instead of HTML. `import` and `export` are statements only where a block begins with them and
they continue as JavaScript does; `{` begins an expression, and a tag with a capital letter is a component.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate

from blogsvc.lib.markdown import writer
from blogsvc.transfer.formats.mdx import elements as mdx_elements
from blogsvc.transfer.formats.mdx import jsx_blocks, jsx_code, jsx_components
from blogsvc.transfer.formats.mdx.code import MdxCode
from blogsvc.transfer.formats.mdx.javascript import JavaScript
from blogsvc.transfer.formats.mdx.javascript_values import Addresses, string_in
from blogsvc.transfer.formats.mdx.jsx_tags import Tag, tag_at
from blogsvc.transfer.formats.removals import Removals, source
from blogsvc.transfer.formats.restricted import is_restricted
from blogsvc.transfer.formats.tags import link_words
from blogsvc.transfer.formats.tags.indented_content import MAX_DEPTH, dedented, indentation, markers
from blogsvc.transfer.formats.text_search import TextSearch

_MARK = re.compile(
    r"""(?P<math>\$\$[^$]{1,5000}+\$\$|\$[^\s$][^$\n]{0,1000}+\$)
      | ^(?:import|export)\b | \\[\\`{<] | \{ | `++ | </?(?:[A-Z][\w.]{0,60}|>) | </?[a-z][\w-]{0,60}(?=[\s/>])""",
    re.MULTILINE | re.VERBOSE,
)
_COMPONENT = re.compile(r"<[A-Z]")
_NOT_SHOWN = re.compile(r"""\bdisplay\s*+:\s*+["'`]none|\bhidden\b""")
_COMMENTS = re.compile(r"\{\s*+(?:/\*(?:[^*]|\*(?!/))*+\*/\s*+|//[^\n]*+\n\s*+)++\}")
_NAME_OF_HEADING = re.compile(r"\{\s*+/\*\s*+(#[\w:.-]{1,100})\s*+\*/\s*+\}")  # in newer versions of Docusaurus
_BLANK_LINES = re.compile(r"\n(?:[ \t]*+\n)++")
# Elements whose content Markdown does not read.
_RAW = {name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in ("pre", "script", "style", "textarea")}
_HEADS = ("Head", "Helmet")  # components whose content is the head of the page


def plain(text: str, removals: Removals, included: Callable[[str], jsx_blocks.Included | None] = lambda _: None) -> str:
    """Return the Markdown of MDX. Code stays as it is.

    Args:
        included: returns what the Markdown file at an address that the text imports shows.
    """
    return mdx_elements.with_markdown(_Mdx(text, removals, included).converted() if _MARK.search(text) else text)


@dataclass
class _Mdx:
    text: str
    removals: Removals
    included: Callable[[str], jsx_blocks.Included | None]
    parts: list[str] = field(default_factory=list)
    statements_until: int = 0  # where the last statement ended
    raw_until: int = 0  # where the last element ends whose content is raw
    last_block: int = 0  # where the last tag of a component that is a block ended
    opened: list[jsx_blocks.Opened] = field(default_factory=list)
    contents: list[tuple[int, int]] = field(default_factory=list)  # the parts before and after each content in lines
    links: dict[int, str] = field(default_factory=dict)  # the addresses of components, by where their end tags begin

    def converted(self) -> str:
        self.code, self.script, self.search = MdxCode(self.text), JavaScript(self.text), TextSearch(self.text)
        self.addresses = Addresses.named_in(self.text)
        place = 0
        while mark := _MARK.search(self.text, place):
            if mark.start() > place:
                self._add(self.text[place : mark.start()])
            place = self._converted(mark)
        text = "".join([*self.parts, self.text[place:]])
        if not self.contents:
            return text
        line_of = [0, *accumulate(part.count("\n") for part in self.parts)]
        return dedented(text, [(line_of[start], line_of[end]) for start, end in self.contents])

    def _converted(self, mark: re.Match[str]) -> int:
        """Convert what begins at a mark, and return where the text after it begins."""
        place, end = mark.start(), None
        if (after := self.code.end_of_block(place)) is not None:
            return self._keep(place, after)
        if mark["math"] or mark[0][0] == "\\" or self.text.startswith("{#", place):
            return self._keep(place, mark.end())
        if mark[0] in ("import", "export"):
            end = self._statement(place)
        elif mark[0][0] == "`":
            return self._keep(place, self.code.end_of_span(place, len(mark[0])) or mark.end())
        elif mark[0] == "{":
            end = self._expression(place)
        elif mark[0][-1] == ">" or mark[0].lstrip("</")[0].isupper():
            end = self._component(mark)
        elif (tag := tag_at(self.text, place, mark.end(), self.script)) is not None:
            end = self._element(mark[0][1:].lower(), tag, mark)
        return self._keep(place, mark.end()) if end is None else end

    def _add(self, text: str) -> None:
        self.parts += [text] if text else []

    def _keep(self, place: int, end: int) -> int:
        self._add(self.text[place:end])
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
            self._add(f"{{{name[1]}}}")
        elif _COMMENTS.fullmatch(whole):
            self.removals.note("A comment, which the old blog did not show, was removed.", place)
        elif (string := string_in(whole[1:-1])) is not None:
            self._add(self._shown(string, place))
        else:
            self.removals.note(f"The expression {source(whole)} was removed.", place)
        return end

    def _ends_heading(self, place: int, end: int) -> bool:
        rest = self.text[end : end + 1000].partition("\n")[0]
        before = self.text[max(0, place - 1000) : place].rpartition("\n")[2]
        return not rest.strip() and re.match(r"[ ]{0,3}#{1,6}[ \t]", before) is not None

    def _shown(self, string: str, place: int) -> str:
        """Return Markdown that shows a string at a place as it is."""
        if place < self.raw_until:
            return escape(string, quote=False)
        starts_line = "\n" in string or self._starts_line(place)
        return writer.escape(_BLANK_LINES.sub("\n", string), starts_line=starts_line, ends_line=False)

    def _starts_line(self, place: int) -> bool:
        before = self.text[max(0, place - 200) : place].rpartition("\n")[2]
        return markers(before) == before

    def _component(self, mark: re.Match[str]) -> int | None:
        place, name = mark.start(), mark[0].lstrip("</>")
        if mark[0].startswith("</") or not name:
            tag = Tag(mark[0], (), mark.end()) if mark[0][-1] == ">" else self._tag(mark)
            if tag is not None and name in _HEADS:
                self._add("</head>")
            elif tag is not None:
                self._close(name, place, tag.end)
            return tag.end if tag else None
        tag = self._tag(mark)
        if tag is None:
            return None
        if (block := jsx_code.component_at(self.text, name, tag, self.script)) is not None:
            return self._code(block, tag, place)
        if name in _HEADS and tag.has_content:
            self._add("<head>")
            return tag.end
        if self._include(self.addresses.by_name.get(name, ""), tag, place):
            return tag.end
        component = jsx_components.Component.of(name, tag, self.addresses)
        became = component.became
        if component.address:
            self._link(name, component, tag.end if tag.has_content else None)
        ends_line = self.text[tag.end : tag.end + 1] in ("", "\n")
        is_in_lines = ends_line and self.text[place - 1 : place] in ("", "\n", " ", "\t")
        content = len(self.parts)
        is_alone = ends_line and self._starts_line(place)
        has_line = (
            tag.has_content
            and not ends_line
            and jsx_blocks.is_block(self.text, name, place, tag.end, last=self.last_block)
        )
        words, indent = component.words(is_in_lines=is_alone or has_line), None
        if words and not component.address:
            indent = indentation(self.text[max(0, place - 200) : place].rpartition("\n")[2])
            if has_line:
                self._add(jsx_blocks.blank_line("".join(self.parts[-8:]), indent))
                words += "\n"
            self._add(words.replace("\n\n", f"\n{indent.rstrip()}\n{indent}"))
            became = became if component.image else "is text now"
        if tag.has_content:
            opened = jsx_blocks.Opened(
                name, content if is_in_lines else -1, is_alone or has_line, indent if has_line else None
            )
            self.opened.append(opened)
            self.last_block = tag.end if opened.is_block else self.last_block
            if is_restricted(name):
                self.removals.note_uncertain(source(tag.source), place)
        else:
            self._separate(tag.end)
            self.last_block = tag.end if jsx_blocks.follows(self.text, place, self.last_block) else self.last_block
        kept = "; its content was kept" if tag.has_content else ""
        self.removals.note(f"The component {source(tag.source)} {became}{kept}.", place)
        return tag.end

    def _include(self, file: str, tag: Tag, place: int) -> bool:
        """Add the text of a file that a component shows. Returns False if it shows none."""
        shown = self.included(file) if file.endswith((".md", ".mdx")) else None
        if shown is None:
            return False
        indent = indentation(self.text[max(0, place - 200) : place].rpartition("\n")[2])
        self._add(shown.in_lines("".join(self.parts[-8:]), indent))
        self.removals.note(f"The component {source(tag.source)} is the text of {source(file)} now.", place)
        if shown.may_hide:
            self.removals.note_uncertain(source(tag.source), place)
        return True

    def _tag(self, mark: re.Match[str]) -> Tag | None:
        return tag_at(self.text, mark.start(), mark.end(), self.script)

    def _code(self, block: jsx_code.Code, tag: Tag, place: int) -> int:
        """Add code as a block of its own."""
        self._add(block.beside(self.text, place))
        self.removals.note(f"The component {source(tag.source)} is code now.", place)
        return block.end

    def _close(self, name: str, place: int, end: int) -> None:
        """Note where the content of a component ends."""
        if address := self.links.pop(place, ""):
            self._add(f"]({address})")
        if self.opened and self.opened[-1].name == name:
            component = self.opened.pop()
            if component.parts >= 0 and len(self.opened) < MAX_DEPTH:
                self.contents.append((component.parts, len(self.parts)))
            if component.is_block:
                self.last_block = end
            self._add(component.end(self.text, end))
        self._separate(end)

    def _link(self, name: str, component: jsx_components.Component, content: int | None) -> None:
        """Add the address of a component: around its words, which begin at `content`, or before its content."""
        closing = (
            None
            if content is None or component.has_own_words
            else link_words.closing(self.text, content, re.compile(rf"</{re.escape(name)}>"))
        )
        if closing is not None:
            self.links[closing] = component.target
            self._add("[")
        else:
            self._add(component.link)
            is_beside = content is not None and not self.text[content : content + 1].isspace()
            self._add(" " if is_beside else "")

    def _separate(self, end: int) -> None:
        """Add a space after a component that another one or a word follows without any."""
        before = self.parts[-1][-1] if self.parts else " "
        is_word = before.isalnum() and self.text[end : end + 1].isalnum() and self.text[end - 2 : end] == "/>"
        if is_word or (not before.isspace() and _COMPONENT.match(self.text, end)):
            self._add(" ")

    def _element(self, name: str, tag: Tag, mark: re.Match[str]) -> int:
        """Keep an element of HTML without the attributes that are expressions, unless these are strings.

        In HTML, elements such as `<video />` need an end tag, and `</br>` would be another line break.
        """
        place = mark.start()
        if (code := jsx_code.element_at(self.text, name, tag, self.script)) is not None:
            self._add(code.beside(self.text, place))
            return code.end
        if name in _RAW and tag.has_content:
            closing = self.search.after(_RAW[name], tag.end)
            self.raw_until = closing.start() if closing else tag.end
        for attribute in tag.attributes:
            if not attribute.expression:
                continue
            self._add(self.text[place : attribute.start].rstrip())
            place = attribute.end
            value = attribute.text
            if attribute.name and value is None:
                value = self.addresses.of(attribute.expression) or None
            if value is not None:
                self._add(f' {attribute.name}="{escape(value)}"')
                continue
            if _NOT_SHOWN.search(attribute.expression) or attribute.name == "hidden":
                self.removals.note_uncertain(source(tag.source), attribute.start)
            expression = self.text[attribute.start : attribute.end].partition("=")
            removed = expression[2].strip() if attribute.name else expression[0]
            self.removals.note(f"The attribute {source(removed)} was removed.", attribute.start)
        if name in mdx_elements.ENDS_OF_VOID:
            return tag.end
        if tag.has_content or name in mdx_elements.VOID:
            return self._keep(place, tag.end)
        self._add(f"{self.text[place : tag.end - 2].rstrip()}></{name}>")
        return tag.end
