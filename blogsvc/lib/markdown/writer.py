"""Write Markdown that displays a given text unchanged: escaped text, code, superscripts, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal
from urllib.parse import quote

from mdit_py_plugins.gfm_autolink._match import match_http, match_www

# Every character that is syntax in some Markdown parser.
MARKS = re.compile(r"[\\`*_~\[\]<>]|&(?=#?\w{1,32};)")
# The characters that are syntax in our Markdown. At the end of the text, the line may continue with other elements.
_ACTIVE = (
    r"[\\`]|(?<!\S\s)[*~]|[*~](?!\s\S)|(?<![^\W_])_|_(?![^\W_])"
    r"|\{(?=:?[ ]*\.(?:full|wide)[ ]*\})"
    r"|<(?=[a-zA-Z/!?]|\Z)|&(?=#?\w{0,32}(?:;|\Z))|\[(?=[ xX]\]|\^|!|(?i:\[toc\]\])|\Z)|\](?=[(\[:]|\Z)|!(?=\[|\Z)"
)
_MARKS_WITHIN = {
    "text": re.compile(_ACTIVE),
    "link": re.compile(rf"[\[\]]|{_ACTIVE}"),
    "image": re.compile(rf"[\[\]]|{_ACTIVE}"),
}
_BLOCK_START = re.compile(
    r"^([ \t]*)(?=#{1,6}(?:\s|$)|[-+*](?:\s|$)|[>|]|:::)|^([ \t]*\d{0,9})(?=[.)](?:\s|$))", re.MULTILINE
)
_RULE = re.compile(r"^[ \t]*(?:[-:|][-:| \t]*|=+[ \t]*)$", re.MULTILINE)
_ADDRESS_START = re.compile(r"(?<![^\s*_~(])(?:https?://|www\.)")
_EMAIL_NAME = re.compile(r"[A-Za-z0-9.+_-]{1,200}+(?=@)")
_WORD = re.compile(r"[^\s<]{1,2000}")
_RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,30}")
_FILE = re.compile(r'[^"`\\&\n]{1,200}')
_MAX_REPEATED = 10_000  # characters that a list may add to four times the size of its table


def escape(
    text: str, *, starts_line: bool = True, ends_line: bool = True, within: Literal["text", "link", "image"] = "text"
) -> str:
    """Return Markdown that displays a plain text on our own pages, with as few backslashes as possible.

    Args:
        starts_line: Each line of the text starts a line of Markdown, so it must not start a list or a heading.
        ends_line: No other element follows on the same line, which could complete syntax at the end of the text.
        within: Where the text is used. In a link or the alternative text of an image, brackets are escaped, too.
    """
    changes = list(_addresses(text, ends_line)) if within != "link" else []
    in_addresses = {place for start, end, _ in changes for place in range(start, end)}
    marks = _MARKS_WITHIN[within].finditer(f"{text}\n" if ends_line else text)
    changes += [(one.start(), one.end(), f"\\{one[0]}") for one in marks if one.start() not in in_addresses]
    escaped_places = {start for start, _, _ in changes}
    for at in _EMAIL_NAME.finditer(text):
        # An escaped character in it would keep the rest from being read as it is.
        if at.end() not in in_addresses and not escaped_places.isdisjoint(range(*at.span())):
            changes.append((at.end(), at.end() + 1, r"\@"))
    parts: list[str] = []
    end = 0
    for start, after, markdown in sorted(changes):
        parts += [text[end:start], markdown]
        end = after
    escaped = "".join([*parts, text[end:]])
    return _escape_block_starts(escaped) if starts_line else escaped


def escape_every_mark(text: str, *, starts_line: bool = True) -> str:
    """Return Markdown that displays a plain text in any Markdown parser."""
    escaped = MARKS.sub(r"\\\g<0>", text)
    return _escape_block_starts(escaped) if starts_line else escaped


def one_line(text: str) -> str:
    """Return one line of Markdown that displays a plain text in any Markdown parser."""
    return escape_every_mark(" ".join(text.split()))


def _addresses(text: str, ends_line: bool) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the end and the Markdown of each address that our Markdown turns into a link."""
    end, first = 0, len(text) - len(text.lstrip())
    for start in (found.start() for found in _ADDRESS_START.finditer(text)):
        word = _WORD.match(text, start)
        if word is None or start < end:
            continue
        link = match_www(word[0]) if word[0].startswith("www.") else match_http(word[0])
        if link is None:  # such as a host with an underscore, which would be one without it if that is escaped
            if _MARKS_WITHIN["text"].search(word[0]):
                dot = start + (3 if word[0].startswith("www.") else word[0].index(":"))
                yield dot, dot + 1, f"\\{text[dot]}"
            end = word.end()
            continue
        end = start + link[1]
        after = text[word.end() : word.end() + 1]
        ends_word = (after in " \t\r\n" if after else ends_line) and not text[end : word.end()].strip("?!.,:;'\")")
        # What comes before the text, or a no-break space, keeps an address from becoming a link.
        is_link = start > first and text[start - 1] in " \t\r\n*_~("
        is_bare = ends_word and (is_link or not _MARKS_WITHIN["text"].search(word[0]))
        yield start, end, text[start:end] if is_bare else linked_address(text[start:end])


def linked_address(address: str) -> str:
    """Return Markdown that links an address to itself, whatever follows."""
    if address.startswith("www.") or ">" in address:
        url = re.sub(r"[()<>\\]", lambda mark: quote(mark[0]), address)
        scheme = "http://" if address.startswith("www.") else ""
        return f"[{escape(address, starts_line=False, within='link')}]({scheme}{url})"
    return f"<{address}>"


def _escape_block_starts(text: str) -> str:
    text = _RULE.sub(lambda line: re.sub(r"[-=|]", r"\\\g<0>", line[0]), text)
    return _BLOCK_START.sub(r"\1\2\\", text)


def title(text: str) -> str:
    """Return a plain text as the title of a link or an image, in quotation marks."""
    return '"' + re.sub(r'[\\"]|&(?=#?\w{1,32};)', r"\\\g<0>", " ".join(text.split())) + '"'


def alt_text(text: str) -> str:
    """Return a plain text as the alternative text of an image, between its brackets."""
    return escape(" ".join(text.split()), starts_line=False, within="image")


def code_span(text: str) -> str:
    """Return a one-line text as inline code."""
    if not text.strip():
        return text
    fence = _longer_than_in(text, 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code_block(code: str, language: str = "", file: str = "") -> str:
    """Return a fenced code block. The language and the file name are left out if they can't be in its first line."""
    fence = _longer_than_in(code, 3)
    info = language if _LANGUAGE.fullmatch(language) else ""
    info += f' title="{file}"' if _FILE.fullmatch(file) else ""
    return f"{fence}{info}\n{code}\n{fence}"


def _longer_than_in(text: str, shortest: int) -> str:
    """Return a fence of at least `shortest` backticks that is longer than any run of backticks in the text."""
    return "`" * max(shortest, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def raised_or_lowered(text: str, tag: str) -> str:
    """Return a superscript (`sup`) or subscript (`sub`) in Unicode, or else as `^(...)` or `_(...)`."""
    moved = text.translate(_RAISED if tag == "sup" else _LOWERED)
    if not any(a == b for a, b in zip(moved, text, strict=True)):
        return moved
    mark = "^" if tag == "sup" else "_"
    return mark + (text if len(text) == 1 else f"({text})")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], alignment: Sequence[str] = ()) -> str:
    """Return a Markdown table. Cells are Markdown; `alignment` has the delimiter of each column, such as `:--`."""
    width = max(len(header), *(len(row) for row in rows), 1)
    header = [*header, *[""] * (width - len(header))]
    delimiters = [*alignment, *["---"] * (width - len(alignment))]
    lines = [[re.sub(r"\n+", " ", cell).replace("|", r"\|") for cell in line] for line in (header, *rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], delimiters, *lines[1:]))


def table_as_list(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as a list with one item per row. Each cell follows the heading of its column.

    Returns a code block instead if the repeated headings would make the list too long.
    """
    size = sum(len(cell) for row in (header, *rows) for cell in row)
    if sum(len(cell) + 8 for cell in header) * (len(rows) + 1) > 3 * size + _MAX_REPEATED:
        return code_block("\n".join(" | ".join(row) for row in (header, *rows)))
    named = [f"**{name}:** " if name and not MARKS.search(name) else f"{name}: " if name else "" for name in header]
    named += [""] * max((len(row) - len(header) for row in rows), default=0)
    items = ["; ".join(f"{name}{cell}" for name, cell in zip(named, row, strict=False) if cell) for row in rows]
    return "\n".join(f"- {item}" for item in items if item) or "- " + "; ".join(filter(None, header))
