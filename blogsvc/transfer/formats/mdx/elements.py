"""Write MDX so that CommonMark reads it: MDX has Markdown between all tags of HTML, and no indented code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from blogsvc.lib.markdown.render import LINES, environment, grammar

_MAYBE = re.compile(r"<[a-zA-Z/]|[ ]{4}|\t")
_PASSES = 6  # a line that is moved to the left may begin another block
_BLOCKS = frozenset(
    "address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main"
    " menu menuitem nav noframes ol optgroup option p param pre script search section style summary table tbody td"
    " textarea tfoot th thead title tr track ul".split()
)
# Elements with paragraphs in them, whose content gets blank lines around it. The content of others stays beside tags.
_CONTAINERS = frozenset("article aside blockquote body center details div footer header main nav section".split())
VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
ENDS_OF_VOID = frozenset(f"/{name}" for name in VOID)  # which MDX allows, unlike HTML
_RAW = frozenset("pre script style textarea".split())
_TAG = re.compile(r"""<(/?)([a-z][\w-]{0,40}+)((?:\s(?:[^<>"']|"[^"]{0,2000}+"|'[^']{0,2000}+')*+)?)>""", re.IGNORECASE)
_MARKS = re.compile(r"[*_`\[\\~&!]|^[ \t]*+(?:\#{1,6}[ \t]|[-+][ \t]|\d{1,9}[.)][ \t]|>|\|)|https?:", re.MULTILINE)
_BLOCK_MARKS = re.compile(r"^[ \t]*+(?:\#{1,6}[ \t]|[-+*][ \t]|\d{1,9}[.)][ \t]|>|\||```|~~~|:::)", re.MULTILINE)
_MAX_WORDS = 4_000  # characters of Markdown that stay beside tags; longer ones are no caption
_MAX_ALL = 400_000


def with_markdown(text: str) -> str:
    """Return the text with blank lines where Markdown begins and ends in elements, or with its HTML beside tags."""
    if not _MAYBE.search(text) or text.count("\n") > LINES:
        return text
    elements = _Elements()
    for _ in range(_PASSES):
        changed = elements.changed(text)
        if changed == text:
            break
        text = changed
    return text


class _Elements:
    def __init__(self) -> None:
        self.left = _MAX_ALL  # characters of Markdown that may become HTML
        self.inline = MarkdownIt("commonmark").enable("strikethrough").use(gfm_autolink_plugin)

    def changed(self, text: str) -> str:
        parser = grammar(MarkdownIt("commonmark"))
        parser.core.ruler.enableOnly(["block"])
        lines, env = text.split("\n"), environment(text)
        self.env = env
        self.open: list[str] = []  # the block elements that are open
        changes: list[tuple[int, int, list[str]]] = []
        for token in parser.parse(text, env):
            if not token.map or token.type not in ("code_block", "html_block"):
                continue
            first = token.map[0]
            content = token.content.removesuffix("\n").split("\n")
            before = lines[first : first + len(content)]
            pairs = list(zip(before, content, strict=False))
            if any(not line.endswith(words) for line, words in pairs):
                continue  # tabs that are divided between a list and its code
            prefixes = [line[: len(line) - len(words)] for line, words in pairs]
            if token.type == "code_block":
                after = list(_without_indent(prefixes, content))
            else:
                after = self._html(prefixes, content)
            if after != before:
                changes.append((first, first + len(content), after))
        for first, end, after in reversed(changes):
            lines[first:end] = after
        return "\n".join(lines)

    def _html(self, prefixes: list[str], content: list[str]) -> list[str]:
        """Return the lines of a block of HTML."""
        text = "\n".join(content)
        inside = self._lines_in_tags(text)
        inner = re.sub(r"[^\s>]", " ", prefixes[0])
        result: list[str] = []
        group: list[tuple[str, str]] = []
        for number, (prefix, line) in enumerate([*zip(prefixes, content, strict=True), ("", "")]):
            is_end = number == len(content)
            is_words = not is_end and number not in inside and self._begins_words(line)
            if is_words:
                group.append((prefix, line))
                continue
            if group:
                result += self._words(group, inner, is_last=is_end)
                group = []
            if not is_end:
                result.append(prefix + (line if number in inside else self._tags(line)))
                self._note(line if number not in inside else "")
        return result

    @staticmethod
    def _lines_in_tags(text: str) -> frozenset[int]:
        """Return the numbers of the lines with tags of several lines, or with raw elements of several lines."""
        inside: set[int] = set()
        raw, begun, first, place = "", 0, 0, 0
        for tag in _TAG.finditer(text):
            name, first = tag[2].lower(), first + text.count("\n", place, tag.start())
            place = tag.start()
            if not raw and "\n" in tag[0]:
                inside.update(range(first, first + tag[0].count("\n") + 1))
            if not raw and name in _RAW and not tag[1]:
                raw, begun = name, first
            elif raw == name and tag[1]:
                inside.update(range(begun, first + 1))
                raw = ""
        if raw:
            inside.update(range(begun, text.count("\n") + 1))
        return frozenset(inside)

    @staticmethod
    def _begins_words(line: str) -> bool:
        """Return True for a line that begins with words of Markdown, or with an element that is in a line."""
        words = line.strip()
        if not words or words.startswith(("<!", "<?")):
            return False
        tag = _TAG.match(words)
        return tag is None or tag[2].lower() not in _BLOCKS

    def _note(self, line: str) -> None:
        for tag in _TAG.finditer(line):
            name = tag[2].lower()
            if name not in _BLOCKS or name in VOID or tag[3].endswith("/"):
                continue
            if not tag[1]:
                self.open.append(name)
            elif name in self.open[-20:]:
                while self.open.pop() != name:
                    pass

    def _words(self, group: list[tuple[str, str]], inner: str, *, is_last: bool) -> list[str]:
        """Return lines of Markdown in an element: between blank lines, or as HTML if they are one paragraph."""
        lines = [line for _, line in group]
        text = "\n".join(lines)
        as_they_are = [prefix + line for prefix, line in group]
        if not _MARKS.search(_TAG.sub("", text)):
            return as_they_are
        parent = self.open[-1] if self.open else ""
        is_paragraph = not _BLOCK_MARKS.search(text)
        if is_paragraph and (parent not in _CONTAINERS or lines[0].lstrip().startswith("<")):
            made = self._rendered(text.strip())
            return as_they_are if made is None else self._in_lines(group, made)
        if lines[0].lstrip().startswith("<"):
            return as_they_are
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        blank = inner.rstrip()
        return [blank, *(inner + line[indent:] for line in lines), *([] if is_last else [blank])]

    @staticmethod
    def _in_lines(group: list[tuple[str, str]], html: str) -> list[str]:
        made = html.split("\n")
        indents = [prefix + line[: len(line) - len(line.lstrip())] for prefix, line in group]
        return [indent + line for indent, line in zip([*indents, *[indents[-1]] * len(made)], made, strict=False)]

    def _tags(self, line: str) -> str:
        """Return a line that begins with a block element, with HTML for the Markdown beside its tags."""
        parts, place = [], 0
        for tag in _TAG.finditer(line):
            if tag[2].lower() in _BLOCKS:
                parts += [self._beside(line[place : tag.start()]), tag[0]]
                place = tag.end()
        return "".join([*parts, self._beside(line[place:])])

    def _beside(self, words: str) -> str:
        text = words.strip()
        if not text or not _MARKS.search(_TAG.sub("", text)) or (made := self._rendered(text)) is None:
            return words
        start = len(words) - len(words.lstrip())
        return f"{words[:start]}{made}{words[len(words.rstrip()) :]}"

    def _rendered(self, text: str) -> str | None:
        """Return the HTML of Markdown in a line; None for a text that is too long."""
        self.left -= len(text)
        if len(text) > _MAX_WORDS or self.left < 0:
            return None
        return str(self.inline.renderInline(text, {"references": self.env["references"]}))


def _without_indent(prefixes: list[str], content: list[str]) -> Iterator[str]:
    """Yield the lines of indented code as those of the paragraphs that they are in MDX."""
    indent = min((len(line) - len(line.lstrip(" \t")) for line in content if line.strip(" \t")), default=0)
    for prefix, line in zip(prefixes, content, strict=True):
        kept = prefix[:-4] if prefix.endswith("    ") else prefix.removesuffix("\t")
        yield (kept + line[indent:]) if line.strip(" \t") else kept.rstrip()
