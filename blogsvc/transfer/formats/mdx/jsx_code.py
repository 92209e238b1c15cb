"""Find code that JSX has in a string, such as `<CodeBlock>{`...`}</CodeBlock>`, and write it as code of Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.lib.markdown import writer
from blogsvc.transfer.formats.mdx.javascript import JavaScript
from blogsvc.transfer.formats.mdx.javascript_values import string_in
from blogsvc.transfer.formats.mdx.jsx_tags import Tag, tag_at
from blogsvc.transfer.formats.tags.indented_content import indentation, markers

_COMPONENTS = re.compile(r"(?:Code|CodeBlock|Highlight|Highlighter|CodeSnippet|Snippet|Prism|Pre)\Z")
_LANGUAGE_CLASS = re.compile(r"(?:\A|\s)lang(?:uage)?-([\w+#.-]{1,30}+)")
_SPACES, _INNER, _BRACE = re.compile(r"\s*+"), re.compile(r"\s*+<code(?=[\s>])"), re.compile(r"\s*+\{")
_INNER_END = re.compile(r"\s*+</code\s*+>")
_WORDS = re.compile(r"[^<{`]{1,5000}+")
_LINE = 1_000  # characters that are searched for the beginning or the end of a line


@dataclass(frozen=True)
class Code:
    """Markdown of code, and where the text after its elements begins."""

    markdown: str
    end: int
    is_block: bool = True

    def beside(self, text: str, place: int) -> str:
        """Return the Markdown for a place in a text. Code in lines has blank lines around it, and the indentation."""
        if not self.is_block:
            return self.markdown
        above, _, before = text[max(0, place - _LINE) : place].rpartition("\n")
        rest, _, below = text[self.end : self.end + _LINE].partition("\n")
        indent, starts_line = indentation(before), markers(before) == before
        begins_item = starts_line and indent != before
        is_alone = starts_line and (begins_item or not above.rpartition("\n")[2].strip(" \t>"))
        head = "" if is_alone else f"\n{indent}" if starts_line else f"\n\n{indent}"
        tail = f"\n\n{indent}" if rest.strip() else "\n" if below.partition("\n")[0].strip() else ""
        return head + self.markdown.replace("\n", f"\n{indent}") + tail


def component_at(text: str, name: str, tag: Tag, script: JavaScript) -> Code | None:
    """Return the code that a component has in an attribute, or as its whole content; None without any."""
    if not _COMPONENTS.search(name.rpartition(".")[2]):
        return None
    language, file = tag.first("language", "lang"), tag.first("title", "filename", "file")
    language = language or _language_in(tag)
    code, end = next((one.text for one in tag.attributes if one.name in ("code", "source")), None), tag.end
    if tag.has_content:
        is_prose = name == "Highlight" and not language  # whose words are marked
        inside = _string_at(text, tag.end, script) or (None if is_prose else _words_at(text, tag.end))
        closing = re.compile(rf"\s*+</{re.escape(name)}\s*+>").match(text, inside[1]) if inside else None
        if not (inside and closing) or code is not None:
            return None
        code, end = inside[0], closing.end()
    if code is None:
        return None
    return Code(writer.code_block(_trimmed(code), language, file), end)


def element_at(text: str, name: str, tag: Tag, script: JavaScript) -> Code | None:
    """Return the code in a `<pre>` or `<code>` whose content is a string of JavaScript; None for other content."""
    if name not in ("pre", "code") or not tag.has_content:
        return None
    language, place, inner = _language_in(tag), tag.end, None
    if name == "pre" and (inside := _INNER.match(text, place)):
        inner = tag_at(text, inside.start(), inside.end(), script)
        place, language = (inner.end, _language_in(inner) or language) if inner else (place, language)
    found = _string_at(text, place, script)
    closed = _INNER_END.match(text, found[1]) if found and inner else None
    end = closed.end() if closed else found[1] if found else place
    closing = re.compile(rf"\s*+</{name}\s*+>").match(text, end)
    if not (found and closing) or bool(inner) != bool(closed):
        return None
    if name == "code":
        words = " ".join(found[0].split())
        return Code(writer.code_span(words), closing.end(), is_block=False) if words else None
    return Code(writer.code_block(_trimmed(found[0]), language), closing.end())


def _language_in(tag: Tag) -> str:
    found = _LANGUAGE_CLASS.search(tag.first("className", "class"))
    return found[1] if found else ""


def _string_at(text: str, place: int, script: JavaScript) -> tuple[str, int] | None:
    """Return the string in the expression at a place, and where that ends."""
    brace = _BRACE.match(text, place)
    end = script.end_of_brackets(brace.end() - 1) if brace else None
    if brace is None or end is None:
        return None
    string = string_in(text[brace.end() : end - 1])
    return (string, _SPACES.match(text, end).end()) if string is not None else None  # type: ignore[union-attr]


def _words_at(text: str, place: int) -> tuple[str, int] | None:
    """Return words in one paragraph without tags, expressions and other code, and where they end."""
    words = _WORDS.match(text, place)
    if words is None or not words[0].strip() or re.search(r"\n[ \t]*+\n", words[0].strip()):
        return None
    lines = [line.strip() for line in words[0].strip().split("\n")]  # an own paragraph in MDX has no indentation
    return "\n".join(lines), words.end()


def _trimmed(code: str) -> str:
    """Return code without the line breaks that are next to its quotation marks."""
    return code.strip("\n").rstrip()
