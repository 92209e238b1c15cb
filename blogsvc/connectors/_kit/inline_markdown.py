"""Convert the Markdown of one paragraph to a platform's dialect. Supported syntax stays as written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from markdown_it.token import Token

from blogsvc.lib.markdown.figures import Figure
from blogsvc.lib.markdown.raw_html import AROUND, CODE, HIDDEN, MARKS, MEDIA, Tag, is_embed, read_tag, safe_tag
from blogsvc.lib.markdown.safe_urls import is_safe
from blogsvc.lib.markdown.writer import code_span, one_line, raised_or_lowered

# Text that some parser reads as an HTML tag or the start of one. After a backslash, every parser reads it as text.
_STRAY = re.compile(r"(?<!\\)((?:\\\\)*)<(?=/?[a-z][\w-]+(?:[\s/>]|$)|/?[a-z][^<>]*>|[a-z]\s+on|!--|\?)", re.IGNORECASE)
_PLAIN = re.compile(r"[^`\n<]{1,200}")
_BREAK = "\0"  # a placeholder for hard line breaks, because no text contains this character
# The title at the end of an image.
_TITLE = re.compile(
    r"""(?<!\s)\s++(?:"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|\((?:\\.|[^()\\])*+\))\s*+\)\Z""", re.DOTALL
)
_MERGING_MARKS, _SEPARATOR = ("*", "~", "`"), "\u2060"  # which no program shows, and where no line ends
_AFTER_BREAK = re.compile(r"[ \t]*\n?[ \t]*")

Edit = tuple[int, int, str]  # start, end, new text
Pair = tuple[Token, Tag, Token]


def escaped(words: str) -> str:
    """Escape everything in the text that a parser could read as an HTML tag."""
    return _STRAY.sub(r"\1\\<", words)


def edited(words: str, edits: Collection[Edit], between: Callable[[str], str] = str) -> str:
    """Apply edits to the text. An edit inside another is skipped."""
    parts, done = [], 0
    for start, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= done:
            parts += [between(words[done:start]), new]
            done = end
    return "".join([*parts, between(words[done:])])


@dataclass
class InlineDialect:
    """The syntax that a platform supports (`keeps`), and the unsupported syntax found so far (`lost`)."""

    keeps: Collection[str]
    env: Mapping[str, Any]
    lost: dict[str, None] = field(default_factory=dict)

    def words(self, inline: Token, one_line: bool = False, gaps: Collection[Edit] = ()) -> str:
        """Return the Markdown of a paragraph, a heading or a table cell.

        Joins its lines with `one_line`, or if the platform would show line breaks. `gaps` are more edits, for what is
        between its parts, and replace others there.
        """
        content = inline.content
        edits = [edit for edit in self._edits(inline.children or [], content, one_line) if edit[0] < edit[1]]
        return self.joined(edited(content, [*gaps, *edits], escaped))

    def figure(self, inline: Token, figure: Figure) -> str:
        """Return the Markdown of a figure: its image without a title, and the caption in italics below it."""
        figure.image.meta["is_captioned"] = True
        image = self.words(inline, one_line=True).strip()
        return f"{image}\n\n*{one_line(figure.caption)}*" if figure.caption else image

    def images(self, inline: Token, images: Sequence[Figure]) -> str:
        """Return the images of a paragraph that has nothing else, each as a figure."""
        starts = [image.parts[0].meta["at"][0] for image in images]
        gaps = []
        for image, after in zip(images, [*starts[1:], len(inline.content)], strict=True):
            image.image.meta["is_captioned"] = True
            caption = f"{_BREAK * 2}*{one_line(image.caption)}*" if image.caption else ""
            gaps.append((image.parts[0].meta["at"][1], after, f"{caption}{_BREAK * 2}"))
        return self.words(inline, gaps=gaps).strip()

    def joined(self, words: str) -> str:
        if "breaks" not in self.keeps:
            words = re.sub(r"(?<![ \t])[ \t]*+\n[ \t]*+|\n[ \t]*+", " ", words)
        return words.replace(_BREAK, "\n")

    def lacks(self, part: str) -> bool:
        """Return True if the platform does not support this syntax, and note that it was used."""
        if part not in self.keeps:
            self.lost[part] = None
        return part not in self.keeps

    def number(self, note: Token) -> str:
        """Return the reference of a footnote as text, for platforms without footnotes."""
        number = str(note.meta["id"] + 1)
        return rf"\[{number}\]" if number in self.env.get("references", {}) else f"[{number}]"

    def _edits(self, children: Sequence[Token], content: str, one_line: bool) -> Iterator[Edit]:
        for index, token in enumerate(children):
            if "at" not in token.meta:
                continue
            start, end = token.meta["at"]
            if token.type == "code_inline":
                yield start, end, content[start:end]
            elif token.type == "hardbreak":
                yield start, end, content[start:end].replace("\n", _BREAK)
            elif token.type in ("s_open", "s_close") and self.lacks("strikethrough"):
                yield start, end, ""
            elif token.type == "footnote_ref" and self.lacks("footnotes"):
                yield start, end, self.number(token)
            elif token.type == "link_open":
                yield _link_edit(children, index, content)
            elif token.type == "image":
                yield _image_edit(token, content)
            elif token.type == "image_width":
                yield start, end, ""
        html = [token for token in children if token.type == "html_inline" and "at" in token.meta]
        yield from self._html_edits(html, content, one_line)

    def _html_edits(self, raw: Sequence[Token], content: str, one_line: bool) -> Iterator[Edit]:
        pairs, alone = _paired([(token, read_tag(token.content)) for token in raw])
        if "html" in self.keeps:
            if any(is_embed(token.content) for token in raw):
                self.lacks("embeds")
            yield from ((p[0].meta["at"][0], p[2].meta["at"][1], "") for p in pairs if p[1].name in HIDDEN)
            yield from ((*token.meta["at"], safe_tag(token.content)) for token in raw)
            return
        if raw:
            self.lacks("html")
        ended = {closing.meta["at"][1] for _, tag, closing in pairs if tag.name in MARKS or tag.name in CODE}
        for pair in pairs:
            start, end = pair[0].meta["at"][0], pair[2].meta["at"][1]
            for edit in self._pair_edits(pair, content, raw):
                yield _apart(edit, content, (start, end), is_after_mark=start in ended)
        for token, tag in alone:
            start, end = token.meta["at"]
            new = _lone_tag_text(tag, one_line)
            after = _AFTER_BREAK.match(content, end) if _BREAK in new else None
            end = after.end() if after else end
            yield start, end, new if new != f"\\{_BREAK}" or content[end:].strip() else ""

    def _pair_edits(self, pair: Pair, content: str, raw: Sequence[Token]) -> Iterator[Edit]:
        opening, tag, closing = pair
        (start, after), (before, end) = opening.meta["at"], closing.meta["at"]
        inner = content[after:before]
        if tag.name in HIDDEN:
            yield start, end, ""
        elif tag.name in MEDIA:
            within = [read_tag(one.content) for one in raw if after <= one.meta["at"][0] < before]
            yield start, end, tag.media(next((one.address() for one in within if one.name == "source"), ""))
        elif tag.name in CODE and _PLAIN.fullmatch(inner):
            yield start, end, code_span(unescape(inner))
        elif tag.name in ("sub", "sup") and re.fullmatch(r"[\w+=()-]{1,20}", inner):
            yield start, end, raised_or_lowered(inner, tag.name)
        else:
            left, right = self._marks_around(tag, content, (start, after, before, end))
            yield start, after, left
            yield before, end, right

    def _marks_around(self, tag: Tag, content: str, places: tuple[int, int, int, int]) -> tuple[str, str]:
        if tag.name == "a" and (url := tag.address("href")):
            return "[", f"]({url})"
        mark = MARKS.get(tag.name, "")
        if mark and _would_mark(content, *places) and (mark != "~~" or "strikethrough" in self.keeps):
            return mark, mark
        return AROUND.get(tag.name, ("", ""))


def _apart(edit: Edit, content: str, element: tuple[int, int], *, is_after_mark: bool) -> Edit:
    """Return an edit with an invisible character between its marks and the same marks beside the element.

    Without it, `**a**` and `**b**` would be `**a****b**`, of which parsers show the asterisks.
    """
    start, end, new = edit
    if new[:1] in _MERGING_MARKS and start == element[0] and (is_after_mark or content[start - 1 : start] == new[:1]):
        new = _SEPARATOR + new
    if new[-1:] in _MERGING_MARKS and end == element[1] and content[end : end + 1] == new[-1:]:
        new = new + _SEPARATOR
    return start, end, new


def _paired(tags: Sequence[tuple[Token, Tag]]) -> tuple[list[Pair], list[tuple[Token, Tag]]]:
    """Match opening tags with their closing tags. Returns the pairs and the unmatched tags."""
    waiting: dict[str, list[int]] = {}
    pairs, paired = [], set()
    for index, (token, tag) in enumerate(tags):
        if not tag.is_closing:
            waiting.setdefault(tag.name, []).append(index)
        elif waiting.get(tag.name):
            opening = waiting[tag.name].pop()
            pairs.append((*tags[opening], token))
            paired |= {opening, index}
    return pairs, [one for index, one in enumerate(tags) if index not in paired]


def _lone_tag_text(tag: Tag, one_line: bool) -> str:
    """Return the text that replaces a tag without content."""
    if tag.name == "br":
        return " " if one_line else f"\\{_BREAK}"
    if tag.name == "img":
        return tag.image()
    if tag.name == "input":
        return "☑" if "checked" in tag.attributes else "☐"
    return tag.media() if tag.name in MEDIA and not tag.is_closing else ""


def _would_mark(content: str, start: int, after: int, before: int, end: int) -> bool:
    """Return True if asterisks at these positions would be parsed as emphasis."""
    sides = (
        (content[after : after + 1], content[start - 1 : start]),
        (content[before - 1 : before], content[end : end + 1]),
    )
    return after < before and all(
        not inside.isspace() and (inside.isalnum() or not outside.isalnum()) for inside, outside in sides
    )


def _link_edit(children: Sequence[Token], index: int, content: str) -> Edit:
    """Return the edit for a link, without looking for tags in its URL. An unsafe link becomes its text."""
    token = children[index]
    start, end = token.meta["at"]
    url, is_bare = str(token.attrs.get("href", "")), token.markup == "autolink"
    if is_safe(url):
        tail = content.rfind("](", start, end) if content[end - 1 : end] == ")" else end
        return (start, end, content[start:end]) if is_bare else (max(tail, start), end, content[max(tail, start) : end])
    if is_bare:
        return start, end, code_span(content[start + 1 : end - 1])
    level, parts = token.level, []
    for child in children[index + 1 :]:
        if child.type == "link_close" and child.level == level:
            break
        parts.append(child.content)
    return start, end, one_line("".join(parts))


def _image_edit(token: Token, content: str) -> Edit:
    start, end = token.meta["at"]
    if not is_safe(str(token.attrs.get("src", ""))):
        return start, end, one_line(token.content)
    words = start + 2 + len(token.content)
    rest = _TITLE.sub(")", content[words:end]) if "is_captioned" in token.meta else content[words:end]
    return start, end, content[start : start + 2] + escaped(token.content) + rest
