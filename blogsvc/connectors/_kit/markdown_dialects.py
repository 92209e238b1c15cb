"""Convert Markdown to a platform's dialect by editing the source, so that everything else stays as written."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from markdown_it.token import Token

from blogsvc.connectors._kit.block_edits import MARKERS, TASK, BlockEdits
from blogsvc.connectors._kit.inline_markdown import Edit, InlineDialect, edited, escaped
from blogsvc.lib.html_to_markdown import convert_without_html
from blogsvc.lib.markdown import galleries
from blogsvc.lib.markdown.contents import is_marker
from blogsvc.lib.markdown.figures import figure_of
from blogsvc.lib.markdown.marks import parse
from blogsvc.lib.markdown.raw_html import HIDDEN, is_embed, safe_tag
from blogsvc.lib.markdown.render import RAW_TAGS, opening_tags
from blogsvc.lib.markdown.safe_urls import is_safe
from blogsvc.lib.markdown.writer import table, table_as_list

TOO_LONG = "too long"
_DELIMITERS = {"left": ":--", "right": "--:", "center": ":-:"}
_AT_START = re.compile(
    r"(?=(?:#{1,6}|[-+*]|\d{1,9}[.)])(?:\s|$)|>|```|~~~|\[[^\]]*\]:"
    r"|=+\s*$|([-*_])[ \t]*(?:\1[ \t]*){2,}$)(\d*)"
)
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n)*")
_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<[/!?]?[a-z](?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*>", re.IGNORECASE | re.DOTALL)
_HIDDEN = re.compile(rf"<({'|'.join(sorted(HIDDEN))})\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def rewritten(text: str, keeps: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the text with only the supported syntax, and the unsupported syntax that was found, in order."""
    marked = parse(text)
    if marked.tokens is None:
        fence = "`" * (1 + max((len(run) for run in re.findall("`{2,}", marked.text)), default=2))
        return f"{fence}\n{marked.text}\n{fence}\n", (TOO_LONG,)
    return _Rewriting(marked, marked.tokens, InlineDialect(keeps, marked.env)).done()


@dataclass
class _Note:
    """A footnote at its original position."""

    start: int
    end: int
    token: Token
    begins_with_words: bool


@dataclass
class _Rewriting(BlockEdits):
    notes: dict[str, _Note] = field(default_factory=dict)
    opened: int = 0

    def done(self) -> tuple[str, tuple[str, ...]]:
        index = 0
        while index < len(self.tokens):
            index = self._block(index) + 1
        self.edits += [*self._unsafe_references(), *self._too_deep_lines()]
        self.edits.sort()
        notes = self._notes()
        body = edited(self.source.text, [self._with_empty_lines(edit) for edit in self.edits])
        if self.edits and body.endswith("\n"):
            body = body.rstrip("\n") + "\n"
        if notes:
            body = "\n\n".join([body.rstrip(), "**Notes**", *notes]).lstrip() + "\n"
        return body, tuple(self.wording.lost)

    def _with_empty_lines(self, edit: Edit) -> Edit:
        """Extend an edit that removes a block to the blank lines after it."""
        start, end, new = edit
        is_whole = not new and (start == 0 or self.source.text.startswith("\n\n", start - 2))
        after = _EMPTY_LINES.match(self.source.text, end) if is_whole else None
        return (start, after.end(), new) if after else edit

    def _block(self, index: int) -> int:
        """Process the block that starts at this token. Returns the index of the last token processed."""
        token = self.tokens[index]
        match token.type:
            case "paragraph_open" if is_marker(self.tokens, index):
                self.remove_contents(token)
                return index + 1
            case "paragraph_open" | "heading_open":
                self._paragraph(token, self.tokens[index + 1])
                return index + 1
            case "html_block":
                self._raw(token)
            case "fence":
                self.rewrite_fence(token)
            case galleries.OPENING:
                return self.rewrite_gallery(index)
            case "container_gallery_close":
                self.remove_line(self.opened_galleries.pop())
            case "table_open":
                return self._table(index)
            case "list_item_open" if "checked" in token.meta and self.wording.lacks("tasks"):
                self._task(token, self.tokens[index + 1])
            case "alert_open":
                if self.wording.lacks("alerts") or "is_titled" in token.meta:
                    self.rewrite_alert(token, *self.tokens[index + 2 : index + 5 : 2])
                return index + 3
            case "footnote_reference_open" if "<" in token.meta["label"] or self.wording.lacks("footnotes"):
                start = self.source.starts[token.map[0]] if token.map else 0
                end = self.source.end(token.map[1] - 1) if token.map else 0
                is_paragraph = self.tokens[index + 1].type == "paragraph_open"
                self.notes[token.meta["label"]] = _Note(start, end, token, is_paragraph)
        return index

    def _paragraph(self, opening: Token, inline: Token) -> None:
        is_heading, underlined = opening.type == "heading_open", opening.markup in ("=", "-")
        if inline.type == "inline" and not (is_heading or opening.hidden) and (figure := figure_of(inline)) is not None:
            self.replace(opening, self.wording.figure(inline, figure))
            return
        if inline.type == "inline":
            new = self.wording.words(inline, one_line=is_heading and not underlined)
        else:
            new = self.wording.joined(_as_plain_text(inline.content))
        if new == inline.content or not opening.map:
            return
        if is_heading and not underlined:
            new = f"{opening.markup} {new}"
        else:
            new = "\n".join(_escaped_start(line.lstrip(" \t")) for line in new.split("\n"))
        self.replace(opening, new, opening.map[1] - (2 if underlined else 1))

    def _raw(self, token: Token) -> None:
        self.opened += opening_tags(token.content)
        content = token.content.rstrip()
        last = token.map[0] + content.count("\n") if token.map else None
        if self.opened > RAW_TAGS:
            new = _as_plain_text(content)
        elif "html" in self.wording.keeps:
            new = _sanitized(content)
            if is_embed(content):
                self.wording.lacks("embeds")
        else:
            self.wording.lacks("html")
            keeps = self.wording.keeps
            new = convert_without_html(content, tables="tables" in keeps, strikethrough="strikethrough" in keeps)
        if new != content:
            self.replace(token, new, last)

    def _table(self, index: int) -> int:
        opening, cells = self.tokens[index], list[list[str]]()
        changed, aligned = False, []
        while self.tokens[index].type != "table_close":
            index += 1
            token = self.tokens[index]
            if token.type == "tr_open":
                cells.append([])
            elif token.type == "th_open":
                aligned.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type in ("inline", "text"):
                is_marked = token.type == "inline"
                cells[-1].append(
                    self.wording.words(token, one_line=True) if is_marked else _as_plain_text(token.content)
                )
                changed = changed or cells[-1][-1] != token.content
        if self.wording.lacks("tables"):
            self.replace(opening, table_as_list(cells[0], cells[1:]))
        elif changed:
            self.replace(opening, table(cells[0], cells[1:], [_DELIMITERS.get(one, "---") for one in aligned]))
        return index

    def _task(self, item: Token, first: Token) -> None:
        start, end = self.source.starts[item.map[0]], self.source.end(item.map[0])  # type: ignore[index]
        inside = first.meta.get("at", end)
        box = self.source.text.rfind("[", start, inside if start <= inside <= end else end)
        if box >= 0 and TASK.match(self.source.text, box):
            self.edits.append((box, box + 3, "☑" if item.meta["checked"] else "☐"))

    def _unsafe_references(self) -> Iterator[Edit]:
        env = self.source.env
        for reference in [*env["references"].values(), *env.get("duplicate_refs", ())]:
            if not is_safe(reference["href"]):
                first, after = reference["map"]
                yield self.source.starts[first], self.source.end(after - 1), ""

    def _too_deep_lines(self) -> Iterator[Edit]:
        """Remove lines that are nested too deep, as on our own pages."""
        if not self.source.can_be_cut:
            return
        leaves = ("inline", "text", "html_block", "fence", "code_block", "hr", "table_open", "alert_title_open")
        leaf_lines = {line for token in self.tokens if token.map and token.type in leaves for line in range(*token.map)}
        leaf_lines |= {
            line for reference in self.source.env["references"].values() for line in range(*reference["map"])
        }
        leaf_lines |= {token.map[0] for token in self.tokens if token.map and token.type == "alert_open"}
        for line, start in enumerate(self.source.starts):
            end = self.source.end(line)
            if line not in leaf_lines and not MARKERS.fullmatch(self.source.text, start, end):
                yield start, end, ""

    def _notes(self) -> list[str]:
        """Return the footnotes as a numbered list for the end of the text, and remove them where they were.

        A footnote whose name looks like a tag is removed even if the platform supports footnotes.
        """
        env = self.source.env.get("footnotes", {"list": {}})
        cited = [(number, self.notes.get(one["label"])) for number, one in env["list"].items()]
        is_kept = "footnotes" in self.wording.keeps
        texts = [self._note(number, note) for number, note in cited if note and not is_kept]
        starts = [note.start for note in self.notes.values()]
        ends = [note.end for note in self.notes.values()]
        kept = [edit for edit in self.edits if (at := bisect_right(starts, edit[0])) == 0 or edit[0] >= ends[at - 1]]
        self.edits = [*kept, *((start, end, "") for start, end in zip(starts, ends, strict=True))]
        return texts

    def _note(self, number: int, note: _Note) -> str:
        first, last = bisect_left(self.edits, (note.start,)), bisect_left(self.edits, (note.end,))
        moved = [(a - note.start, b - note.start, new) for a, b, new in self.edits[first:last]]
        lines = edited(self.source.text[note.start : note.end], moved).split("\n")
        lead = self.source.text[note.start : note.token.meta["at"]]
        head = lines[0][len(lead) :].partition("]:")[2].strip()
        rest = [re.sub(r"^(?: {1,4}|\t)", "", line.removeprefix(lead)) for line in lines[1:]]
        mark = self.wording.number(Token("", "", 0, meta={"id": number}))
        return "\n".join([f"{mark} {head}" if note.begins_with_words else f"{mark}\n\n{head}", *rest]).rstrip()


def _escaped_start(line: str) -> str:
    """Escape the start of a line if a parser could now read it as a heading, a list or another block."""
    found = _AT_START.match(line)
    return f"{found[2]}\\{line[found.end() :]}" if found else line


def _as_plain_text(content: str) -> str:
    """Escape content that is too complex to parse. Our own pages also show it as plain text."""
    return escaped(content).replace("](", r"]\(")


def _sanitized(content: str) -> str:
    """Return raw HTML without scripts and other active content."""
    whole = _TAG.sub(lambda tag: safe_tag(tag[0]), _HIDDEN.sub("", content))
    return re.sub(
        r"<(?=[!?]|/?(?:script|iframe|object|embed|style|svg|math|form)\b|[a-z][^<>]*$)", "&lt;", whole, flags=re.I
    )
