"""Read what Kramdown, the Markdown of Jekyll, adds to a text: attributes `{: .note #id}`, `{:toc}` and abbreviations.

Hugo and Zola have attributes, too: `{#id}` and `{.note}`.

Ids, tables of contents, callouts and the widths of images are applied. What our pages have no notion of is removed and
noted. Source: https://kramdown.gettalong.org/syntax.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.markdown.fragments import IS_NAME
from blogsvc.lib.text.plain import slugify
from blogsvc.transfer.formats.removals import Removals, source

# Classes of the themes of Jekyll that mean one of our callouts.
_CALLOUTS = {
    "note": "NOTE", "info": "NOTE", "notice": "NOTE", "primary": "NOTE", "tip": "TIP", "success": "TIP",
    "important": "IMPORTANT", "new": "IMPORTANT", "warning": "WARNING", "caution": "CAUTION", "danger": "CAUTION",
    "error": "CAUTION",
}  # fmt: skip
_THEME = re.compile(r"\A(?:prompt-|notice--|alert-|callout-)")
_WIDTHS = ("full", "wide")
_ABBREVIATION = re.compile(r"\*\[([^\]\n]{1,200}+)\]:[ \t]*+(.{0,1000}+)")
_NO_MARKDOWN = re.compile(r"\{::nomarkdown(?:[ ][^{}\n]{0,200}+)?/?\}|\{:/(?:nomarkdown)?\}")
_SPAN = re.compile(r"(?<=[)\]*_`>}])\{:(?![:/])[ ]?([^{}\n]{0,500}+)\}")
_ALONE = re.compile(r"\{(?::|[.#][\w-])[^{}]*+\}")  # without a colon in Goldmark, the Markdown of Hugo
_MARKERS = re.compile(r"(?:[ \t>]|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
_ITEM = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]")
_CLOSING_HASHES = re.compile(r"(?<=[ \t])#{1,6}\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*")
_NO_PARAGRAPH = re.compile(r"[ \t]*+(?:\||#|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~|<)")


@dataclass(frozen=True)
class _Attributes:
    """What is between the braces: an id, classes, and whether there is something else."""

    id: str
    classes: tuple[str, ...]
    has_more: bool

    @classmethod
    def of(cls, text: str) -> _Attributes:
        parts = text.removeprefix(":").replace(".", " .").replace("#", " #").split()
        ids = [part[1:] for part in parts if part.startswith("#") and IS_NAME.fullmatch(part[1:])]
        classes = [part[1:] for part in parts if part.startswith(".") and part[1:]]
        return cls(ids[0] if ids else "", tuple(classes), len(ids[:1]) + len(classes) < len(parts))

    @property
    def callout(self) -> str:
        kinds = (_CALLOUTS.get(_THEME.sub("", name.lower())) for name in self.classes)
        return next((kind for kind in kinds if kind), "")

    @property
    def width(self) -> str:
        return next((name for name in self.classes if name in _WIDTHS), "")


def plain(text: str, source_text: str, removals: Removals) -> str:
    """Return the text as Markdown for our pages. Code stays as it is.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    if not any(sign in text for sign in ("{:", "{#", "{.", "*[")):
        return text
    return _Kramdown(text, source_text, removals).converted()


class _Kramdown:
    """A text, converted line by line."""

    def __init__(self, text: str, source_text: str, removals: Removals) -> None:
        self.text, self.source_text, self.removals = text, source_text, removals
        self.code = code_places(text)
        self.lines: list[str] = []
        self.block = 0  # the number of the line where the block begins that the next line goes on
        self.to_come = ""  # the kind of a callout that begins with the next line
        self.noted = 0

    def converted(self) -> str:
        place = 0
        lines = self.text.split("\n")
        for number, line in enumerate(lines):
            following = lines[number + 1] if number + 1 < len(lines) else ""
            is_code = (self.code.end_at(place) or 0) >= place + max(len(line), 1)
            self._read(line, place, following, is_code=is_code)
            place += len(line) + 1
        return "\n".join(self.lines)

    def _read(self, line: str, place: int, following: str, *, is_code: bool) -> None:
        words = line.strip()
        if is_code or not words:
            self.lines.append(line)
            self.block, self.to_come = (self.block, self.to_come) if is_code else (len(self.lines), "")
        elif _ALONE.fullmatch(words) and not _NO_MARKDOWN.fullmatch(words):
            self._alone(words, following)
            self.block = len(self.lines)
        elif abbreviation := _ABBREVIATION.fullmatch(words):
            self._note(f"The abbreviation {abbreviation[1]} ({abbreviation[2].strip()}) was removed.", words)
        else:
            is_heading = words.startswith("#") or (_UNDERLINE.fullmatch(following) is not None)
            line = self._with_id(line) if is_heading and words.endswith("}") else line
            line = self._without_spans(line, place)
            if self.to_come and len(self.lines) == self.block:
                self.lines.append(f"> [!{self.to_come}]")
            self.lines.append(f"> {line.removeprefix('>').lstrip()}" if self.to_come else line)

    def _alone(self, words: str, following: str) -> None:
        """Apply the attributes in a line of their own, which are about the block before or, without one, after it."""
        about = _Attributes.of(words[1:-1])
        has_block = len(self.lines) > self.block
        is_applied = False
        if "toc" in words[1:-1].lstrip(":").split() and has_block and _ITEM.match(self.lines[-1]):
            self.lines[self.block :] = ["[[toc]]"]
            return
        if about.id:
            self._add_anchor(about.id, has_block=has_block)
            is_applied = True
        if about.callout and has_block and not _NO_PARAGRAPH.match(self.lines[self.block]):
            quoted = [f"> {line.removeprefix('>').lstrip()}" for line in self.lines[self.block :]]
            self.lines[self.block :] = [f"> [!{about.callout}]", *quoted, *([""] if following.strip() else [])]
            is_applied = True
        elif about.callout and not has_block and following.strip() and not _NO_PARAGRAPH.match(following):
            self.to_come = about.callout
            is_applied = True
        elif about.width and has_block and self.lines[-1].rstrip().endswith(")"):
            self.lines[-1] = f"{self.lines[-1].rstrip()}{{.{about.width}}}"
            is_applied = True
        if about.has_more or not is_applied:
            self._note_attributes(words)

    def _add_anchor(self, name: str, *, has_block: bool) -> None:
        anchor = f'<a id="{name}"></a>'
        first = self.lines[self.block] if has_block else ""
        if not has_block or first.lstrip().startswith(("|", "```", "~~~", "<")):
            self.lines[self.block : self.block] = [anchor, ""]
            self.block += 2
        else:
            end = len(_MARKERS.match(first)[0])  # type: ignore[index]
            self.lines[self.block] = f"{first[:end]}{anchor}{first[end:]}"

    def _with_id(self, line: str) -> str:
        """Return a heading without the id at its end, which is an anchor if our pages would give it another one."""
        words, brace, inner = line.rstrip()[:-1].rpartition("{")
        if not brace or not inner.startswith(("#", ".", ":")):
            return line
        about, words = _Attributes.of(inner), _CLOSING_HASHES.sub("", words.rstrip())
        if about.classes or about.has_more:
            self._note_attributes(f"{{{inner}}}")
        end = len(_MARKERS.match(words)[0])  # type: ignore[index]
        words = words.rstrip()
        if not about.id or slugify(words[end:]) == about.id:
            return words
        return f'{words[:end]}<a id="{about.id}"></a>{words[end:]}'

    def _without_spans(self, line: str, place: int) -> str:
        def read(span: re.Match[str]) -> str:
            about = _Attributes.of(span[1])
            if not about.width or about.has_more:
                self._note_attributes(span[0])
            return f"{{.{about.width}}}" if about.width else ""

        line = _NO_MARKDOWN.sub("", line) if "{:" in line and self.code.end_at(place) is None else line
        if self.text.startswith(line, place):  # not changed, so that the places of code are right
            return _SPAN.sub(
                lambda span: read(span) if self.code.end_at(place + span.start()) is None else span[0], line
            )
        return _SPAN.sub(read, line)

    def _note_attributes(self, written: str) -> None:
        self._note(f"The attributes {source(written)} were removed.", written)

    def _note(self, sentence: str, written: str) -> None:
        self.noted = max(self.source_text.find(written, self.noted), self.noted)
        self.removals.note(sentence, self.noted)
