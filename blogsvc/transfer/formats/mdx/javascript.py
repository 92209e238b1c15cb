"""Find where brackets and statements of JavaScript end, also with JSX in them, whose words may look like JavaScript."""

from __future__ import annotations

import re

MAX_EXPRESSION = 50_000  # characters
# What follows `import` and `export` in JavaScript. English words that follow are no such beginning.
_STATEMENT = re.compile(
    r"""import\s*+(?:["'{]|\*\s*+as\s|(?:type\s++)?(?:\{|[\w$]++\s*+,|[\w$]++\s++from\s*+["']))
      | export\s*+[{*]
      | export\s++(?:const|let|var)\s++[\w$\[{]++\s*+[^\s\w]
      | export\s++(?:default\s++)?(?:async\s++)?function\b\s*+\*?\s*+[\w$]*+\s*+\(
      | export\s++(?:default\s++)?class\b\s*+[\w$]*+\s*+(?:extends\b|\{)
      | export\s++default\s*+(?:[({\["'`<\d]|async\b|[\w$.]++[ \t]*+(?:[;(,]|=>|$))
      | export\s++(?:type|interface|enum)\s++[\w$]++\s*+[={<]""",
    re.VERBOSE | re.MULTILINE,
)
# Tokens that may hide brackets, and brackets. Apostrophes in words and the slashes of addresses begin none.
_TOKEN = re.compile(
    r"""(?<!:)//[^\n]*+ | /\*.*?(?:\*/|\Z) | `(?:[^`\\]|\\.)*+`?
      | "(?:[^"\\\n]|\\.)*+"? | (?:(?<!\w)|(?<=\bfrom)|(?<=\bimport)|(?<=\breturn)|(?<=\bcase))'(?:[^'\\\n]|\\.)*+'?
      | (?<=[=(,:\[!&|?;])[ \t]*+/(?![/*>])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,500}+\]){1,500}+/
      | [(\[{)\]}\n]""",
    re.VERBOSE | re.DOTALL,
)
_BRACKET = re.compile(r"[(\[{)\]}\n]")
# What only Markdown has after blank lines at the beginning of a line: then a bracket before it was not read rightly.
_PROSE = re.compile(
    r"\n(?:[ \t]{0,100}+\n){1,5}+"
    r"(?:#{1,6} |[-*+>] |\d{1,3}\. |(?:import|export) |[A-Z][\w’']{0,40}+,? [A-Za-z])"
)
# A line of an expression that goes on although its brackets are closed.
_GOES_ON = re.compile(r"(?:[=+\-*/%&|?:,.<>]|=>|\bfrom|\bdefault)[ \t]*+$")
_BLANK_LINE = re.compile(r"\n[ \t]*+\n")


class JavaScript:
    """Parts of a text that are JavaScript. Reading them takes about linear time, whatever the text is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._budget = 20 * len(text) + 100_000  # characters that may be read

    def begins_statement(self, place: int) -> bool:
        """Return True if `import` or `export` at a place begins a statement, False for a word of a sentence."""
        return _STATEMENT.match(self.text, place) is not None

    def end_of_statement(self, place: int) -> int | None:
        """Return where the text after a statement begins; None if its end is not found."""
        while True:
            line_end = self._scanned(place, is_line=True)
            if line_end is None or line_end >= len(self.text):
                return line_end
            line = self.text[max(place, line_end - 200) : line_end].rstrip()
            next_line = self.text[line_end + 1 : line_end + 200].lstrip(" \t")
            goes_on = _GOES_ON.search(line) or next_line[:1] in (".", "?", ":", "+", "&", "|", "=")
            if not goes_on or next_line.startswith("\n"):
                return line_end + 1
            place = line_end + 1

    def next_blank_line(self, place: int) -> int:
        """Return where the next blank line begins, which ends each block of statements in a text without errors."""
        blank = _BLANK_LINE.search(self.text, place)
        return blank.start() + 1 if blank else len(self.text)

    def end_of_brackets(self, place: int) -> int | None:
        """Return where a pair of brackets ends; None if that is not found."""
        return self._scanned(place, is_line=False)

    def _scanned(self, place: int, *, is_line: bool) -> int | None:
        """Return where brackets are closed or, with `is_line`, the first line break or the end outside of brackets."""
        depth, limit, words_until = 0, min(len(self.text), place + MAX_EXPRESSION), place
        self._budget -= MAX_EXPRESSION // 10
        while self._budget > 0:
            token = (_BRACKET if place < words_until else _TOKEN).search(self.text, place, limit)
            if token is None:
                return limit if is_line and depth <= 0 and limit == len(self.text) else None
            kind = token[0]
            self._budget -= token.end() - place
            place = token.end()
            if kind in "([{":
                depth += 1
            elif kind in ")]}":
                depth -= 1
                if depth <= 0 and not is_line:
                    return place
            elif kind == "\n":
                if depth <= 0 and is_line:
                    return place - 1
                if _PROSE.match(self.text, place - 1):
                    return None
            elif kind[0] in "\"'" and (len(kind) == 1 or kind[-1] != kind[0]):
                place, words_until = token.start() + 1, token.end()
            elif (kind[0] == "`" and (len(kind) == 1 or kind[-1] != "`")) or (
                kind.startswith("/*") and not kind.endswith("*/")
            ):
                return None
        return None
