"""A block of raw HTML, written as Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nh3

from blogsvc.lib.rawhtml import (
    AROUND,
    ATTRIBUTES,
    CODE,
    HIDDEN,
    MARKS,
    MEDIA,
    SPECIAL,
    TAGS,
    Tag,
    code,
    rows,
    shifted,
    text,
)

_HEADING = re.compile("h[1-6]")
_BLOCKS = re.compile("address|article|aside|center|d[dlt]|details|div|fig.*|footer|header|main|nav|p|section|summary")
_DEEP = 20  # levels of lists, quotes and marks; each costs what is in it once more


def markdown(raw: str, tables: bool = False, strikes: bool = False) -> str:
    """A block of raw HTML as blocks of Markdown. Elements that it does not close end with it."""
    clean = nh3.clean(
        raw,
        tags=TAGS | {"h1", "iframe", "input", "rt", "ruby", "source", "strike", "tt"},
        clean_content_tags=set(HIDDEN),
        attributes={**ATTRIBUTES, "iframe": {"src"}, "source": {"src"}, "input": {"checked"}},
        link_rel=None,
    )
    return _Writer(tables, strikes).written(clean)


class _Writer(HTMLParser):
    """Reads HTML that the sanitiser has put in order, writes Markdown."""

    def __init__(self, tables: bool, strikes: bool) -> None:
        super().__init__()
        self._keeps_tables, self._keeps_strikes = tables, strikes
        self._out: list[str] = []
        self._line: list[str] = []
        self._open: list[tuple[Tag, int]] = []  # marks, and where in the line they begin
        self._indents: list[list[str]] = []  # before the next line, before those after it
        self._lists: list[int] = []  # the next number; 0 without
        self._rows: list[list[str]] | None = None
        self._media: tuple[Tag, str] | None = None
        self._pre: Tag | None = None

    def written(self, html: str) -> str:
        self.feed(html)
        self.close()
        self._end_block()
        return "\n\n".join(self._out)

    def handle_data(self, data: str) -> None:
        if self._media is not None:
            return
        raw = self._pre is not None or any(tag.name in CODE for tag, _ in self._open)
        blank = not data.strip() and not self._line
        self._line.append(data if raw else "" if blank else _inline(data, not self._line))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = Tag(tag, {name: value or "" for name, value in attrs})
        if tag in MEDIA:
            self._media = (found, "")
        elif tag == "source" and self._media:
            self._media = (self._media[0], self._media[1] or found.address())
        elif tag in ("br", "hr", "img", "input"):
            self._empty(found)
        elif tag in ("table", "tr", "td", "th", "caption"):
            self._open_table(tag)
        elif tag == "pre":
            self._end_block()
            self._pre = found
        elif tag in ("ul", "ol", "li", "blockquote"):
            self._open_indented(found)
        elif _HEADING.fullmatch(tag) or _BLOCKS.fullmatch(tag):
            self._end_block()
        elif self._pre is not None and tag == "code":
            self._pre = Tag("pre", found.attributes)
        if tag in MARKS or tag in CODE or tag in AROUND or tag in ("a", "sub", "sup", "summary", "dt"):
            self._open.append((found, len(self._line)))

    def handle_endtag(self, tag: str) -> None:
        if self._media is not None and tag in MEDIA:
            (media, source), self._media = self._media, None
            self._line.append(media.media(source))
        if self._open and self._open[-1][0].name == tag:
            self._close_mark()
        if tag in ("table", "td", "th"):
            self._close_table(tag)
        elif tag == "pre":
            self._end_code()
        elif _HEADING.fullmatch(tag):
            self._end_block("#" * max(2, int(tag[1])) + " ")
        elif tag in ("ul", "ol", "li", "blockquote"):
            self._close_indented(tag)
        elif _BLOCKS.fullmatch(tag):
            self._end_block()

    def _empty(self, tag: Tag) -> None:
        if tag.name == "hr":
            self._end_block()
            self._write("---")
        elif tag.name == "br":
            self._line.append(" " if self._rows is not None else "\\\n" if self._pre is None else "\n")
        elif tag.name == "input":
            self._line.append("☑ " if "checked" in tag.attributes else "☐ ")
        else:
            self._line.append(tag.picture())

    def _close_mark(self) -> None:
        tag, start = self._open.pop()
        said = "".join(self._line[start:])
        if self._pre is not None or len(self._open) > _DEEP or not said.strip():
            return
        lead, tail = said[: len(said) - len(said.lstrip())], said[len(said.rstrip()) :]
        self._line[start:] = [lead, self._marked(tag, said.strip()), tail]

    def _marked(self, tag: Tag, said: str) -> str:
        if tag.name in CODE:
            return code(" ".join(said.split()))
        if tag.name == "a":
            return f"[{said}]({tag.address('href')})" if tag.address("href") else said
        if tag.name in ("sub", "sup"):
            return shifted(said, tag.name) if re.fullmatch(r"[\w+=()-]{1,20}", said) else said
        if tag.name in AROUND:
            return said.join(AROUND[tag.name])
        mark = MARKS.get(tag.name, "**")
        return said if mark == "~~" and not self._keeps_strikes else f"{mark}{said}{mark}"

    def _open_indented(self, tag: Tag) -> None:
        self._end_block()
        if tag.name in ("ul", "ol"):
            first = tag.attributes.get("start", "1")
            self._lists.append(int(first) if tag.name == "ol" and re.fullmatch(r"\d{1,9}", first) else 0)
            return
        if tag.name == "blockquote":
            lead = ["> ", "> "]
        else:
            number = self._lists[-1] if self._lists else 0
            mark = f"{number}. " if number else "- "
            lead = [mark, " " * len(mark)]
            if number:
                self._lists[-1] = number + 1
        self._indents.append(lead if len(self._indents) < _DEEP else ["", ""])

    def _close_indented(self, tag: str) -> None:
        self._end_block()
        if tag in ("ul", "ol"):
            del self._lists[-1:]
        else:
            del self._indents[-1:]

    def _open_table(self, tag: str) -> None:
        if tag == "table" and self._rows is None:
            self._end_block()
            self._rows = []
        elif self._rows is None or tag == "caption":
            self._end_block()
        elif tag == "tr":
            self._rows.append([])
        else:
            self._line, self._open = [], []

    def _close_table(self, tag: str) -> None:
        if self._rows is None:
            return
        if tag != "table":
            said, self._line, self._open = " ".join("".join(self._line).split()), [], []
            self._rows = self._rows or [[]]
            self._rows[-1].append(said)
            return
        (header, *body), self._rows = (self._rows or [[]]), None
        self._write(rows(header, body, self._keeps_tables))

    def _end_block(self, mark: str = "") -> None:
        if self._rows is not None:
            self._line.append(" ")
            return
        said = re.sub(r"(?:\\\n)+$", "", "".join(self._line).strip())
        self._line, self._open = [], [(tag, 0) for tag, _ in self._open]
        if said:
            self._write(mark + (said.replace("\\\n", " ") if mark else said))

    def _end_code(self) -> None:
        tag, said = self._pre or Tag("pre"), "".join(self._line).strip("\n")
        self._pre, self._line, self._open = None, [], []
        language = re.sub(r".*language-([\w+#-]+).*|.*", r"\1", tag.attributes.get("class", ""), count=1)
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", said)), default=0))
        self._write(f"{fence}{language}\n{said}\n{fence}")

    def _write(self, block: str) -> None:
        lines = []
        for line in block.split("\n"):
            lines.append(("".join(lead[0] for lead in self._indents) + line).rstrip(" "))
            for lead in self._indents:
                lead[0] = lead[1]
        self._out.append("\n".join(lines))


def _inline(data: str, is_first: bool) -> str:
    """Text between marks: its outer spaces count."""
    said = SPECIAL.sub(r"\\\g<0>", re.sub(r"\s+", " ", data))
    return text(data) + " " * data[-1:].isspace() if is_first else said
