"""Write the Markdown in elements of HTML that Kramdown reads, `<div markdown="1">`, so that CommonMark reads it.

Python-Markdown and PHP Markdown Extra have it, too. Source: https://kramdown.gettalong.org/syntax.html#html-blocks
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.markdown.render import LINES, environment, grammar
from blogsvc.transfer.formats.tags.containers import Container
from blogsvc.transfer.formats.text_search import TextSearch

_MAYBE = re.compile(r"<[a-z][^<>]{0,1000}?\smarkdown\b", re.IGNORECASE)
_TAG = re.compile(
    r"""<!--|<(/?)([a-z][\w-]{0,40}+)((?:\s(?:[^<>"']|"[^"]{0,2000}+"|'[^']{0,2000}+')*+)?)>""",
    re.IGNORECASE,
)
_OPTION = re.compile(r"""\{::options\s[^{}]{0,500}?\bparse_block_html=["']true""")
_END_OF_COMMENT = re.compile("-->")
_ATTRIBUTE = re.compile(r"""\smarkdown(?:=(?:"(\w{1,9})"|'(\w{1,9})'|(\w{1,9})))?(?=[\s/>]|\Z)""", re.IGNORECASE)
_BLOCKS = frozenset(
    "address article aside blockquote body dd details div dl fieldset figure figcaption footer form header hgroup li"
    " main nav noscript section summary td".split()
)
_WITH_WORDS = frozenset("caption dt figcaption h1 h2 h3 h4 h5 h6 label legend p summary th td".split())
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_MAX_WORDS = 4_000  # characters that become HTML


def plain(text: str, *, in_all: bool = False) -> str:
    """Return a text in which Markdown in elements is between blank lines, or HTML. Code stays as it is.

    Args:
        in_all: Settings say that all elements have Markdown.
    """
    in_all = in_all or _OPTION.search(text) is not None
    if (not (in_all and "<" in text) and not _MAYBE.search(text)) or text.count("\n") > LINES:
        return text
    return _Elements(text, in_all).converted()


@dataclass(frozen=True)
class _Element:
    name: str
    start: int  # of its content
    mode: str = ""  # "block" or "words" if its content is Markdown
    container: Container = field(default_factory=Container)


class _Elements:
    def __init__(self, text: str, in_all: bool) -> None:
        self.text, self.in_all, self.code = text, in_all, code_places(text)
        self.open: list[_Element] = []
        self.changes: list[tuple[int, int, str]] = []

    def converted(self) -> str:
        search, hidden_until = TextSearch(self.text), 0
        for tag in _TAG.finditer(self.text):
            if tag.start() < hidden_until or self.code.end_at(tag.start()) is not None:
                continue
            if not tag[2]:
                comment = search.after(_END_OF_COMMENT, tag.end())
                hidden_until = comment.end() if comment else 0
            elif not tag[1]:
                self._begin(tag[2].lower(), tag)
            elif any(one.name == tag[2].lower() for one in self.open[-20:]):
                while (element := self.open.pop()).name != tag[2].lower():
                    pass
                self._end(element, tag)
                self._separate(element, tag)
        parts, place = [], 0
        for start, end, written in sorted(self.changes):
            if start >= place:
                parts += [self.text[place:start], written]
                place = end
        return "".join([*parts, self.text[place:]])

    def _begin(self, name: str, tag: re.Match[str]) -> None:
        attribute = _ATTRIBUTE.search(tag[3])
        mode = self._mode(name, "1") if self.in_all else ""
        if attribute:
            at = tag.start(3)
            self.changes.append((at + attribute.start(), at + attribute.end(), ""))
            mode = self._mode(name, attribute[1] or attribute[2] or attribute[3] or "1")
        if name not in _VOID and not tag[3].endswith("/"):
            container = Container.of(self._line_before(tag.start())) if mode else Container()
            self.open.append(_Element(name, tag.end(), mode, container))

    @staticmethod
    def _mode(name: str, value: str) -> str:
        if value == "0" or (name not in _BLOCKS and name not in _WITH_WORDS):
            return ""
        if name not in _BLOCKS or (value == "span" and name in _WITH_WORDS) or name in ("summary", "figcaption"):
            return "words"
        return "block"

    def _end(self, element: _Element, tag: re.Match[str]) -> None:
        start, end = element.start, tag.start()
        content = self.text[start:end]
        if not element.mode or not content.strip("> \t\n"):
            return
        if element.mode == "words" or (element.name == "td" and "\n" not in content.strip()):
            if len(content) <= _MAX_WORDS:
                self.changes.append((start, end, self._rendered(content)))
            return
        blank, others = element.container.blank_line, element.container.others
        first, newline, following = content.partition("\n")
        if first.strip():
            self.changes.append((start, start + len(first) - len(first.lstrip()), f"\n{blank}\n{others}"))
        elif following.partition("\n")[0].strip("> \t"):
            self.changes.append((start, start + len(first), f"\n{blank}"))
        before, newline, last = content.rpartition("\n")
        if last.strip("> \t") or not newline:
            words = content.rstrip()
            self.changes.append((start + len(words), end, f"\n{blank}\n{others}"))
        else:
            gap = f"{blank}\n" if before.rpartition("\n")[2].strip("> \t") else ""
            self.changes.append((end - len(last), end, f"{gap}{others}"))

    def _separate(self, element: _Element, tag: re.Match[str]) -> None:
        """Begin a block after an element, if Markdown follows it."""
        around = self.open[-1] if self.open else None
        is_block = element.name in _BLOCKS or element.name in _WITH_WORDS
        if not is_block or not (around.mode == "block" if around else element.mode):
            return
        container = around.container if around else element.container
        rest, _, below = self.text[tag.end() : tag.end() + 1000].partition("\n")
        if rest.strip() and not rest.lstrip().startswith("<"):
            end = tag.end() + len(rest) - len(rest.lstrip())
            self.changes.append((tag.end(), end, f"\n{container.blank_line}\n{container.others}"))
        elif not rest.strip() and below.partition("\n")[0].strip("> \t"):
            self.changes.append((tag.end(), tag.end() + len(rest), f"\n{container.blank_line}"))

    def _line_before(self, place: int) -> str:
        return self.text[max(0, place - 200) : place].rpartition("\n")[2]

    def _rendered(self, content: str) -> str:
        inline = MarkdownIt("commonmark").enable("strikethrough").use(gfm_autolink_plugin)
        made = str(inline.renderInline(content.strip(), {"references": self.references}))
        begin = len(content) - len(content.lstrip())
        return content[:begin] + made + content[len(content.rstrip()) :]

    @cached_property
    def references(self) -> Any:
        """The addresses that the text defines."""
        parser, env = grammar(MarkdownIt("commonmark")), environment(self.text)
        parser.core.ruler.enableOnly(["block"])
        parser.parse(self.text, env)
        return env["references"]
