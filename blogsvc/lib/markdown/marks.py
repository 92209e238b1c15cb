"""Parse Markdown with source positions, so that parts can be changed and the rest stays as written.

The tokens are those of `markdown.render`, without changes for display: quotes are not converted, and
footnotes stay in place. `meta["at"]` of a token is its position: for a block the offset of its text, for an
inline token its start and end in the paragraph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from blogsvc.lib.markdown.render import LINES, NESTING, environment, grammar, normalised


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 (theirs)
        """Accept unsafe links as links, too, so that they are removed, and no other parser finds them."""
        return True


@dataclass(frozen=True)
class Marked:
    """A parsed text. `starts` has the offset of each line. `tokens` is None if the text has too many lines."""

    text: str
    tokens: list[Token] | None
    env: dict[str, Any]
    starts: list[int]

    def end(self, line: int) -> int:
        """Return the offset of the end of a line, without its newline."""
        return self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)

    @property
    def can_be_cut(self) -> bool:
        """Return True if text may be missing from the tokens, because it is nested too deep."""
        return any(token.level >= NESTING - 2 for token in self.tokens or ())


def parse(text: str) -> Marked:
    """Parse a text, in linear time."""
    text = normalised(text)
    starts = [0]
    for line in text.split("\n")[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    if len(starts) > LINES:
        return Marked(text, None, {}, starts)
    parser = grammar(_Parser("commonmark"))
    parser.core.ruler.disable("footnote_tail")
    _wrap(parser.inline.ruler, _placed)
    _wrap(parser.block.ruler, _placed_block)
    env = environment(text)
    return Marked(text, parser.parse(text, env), env, starts)


def _wrap(ruler: Ruler[Any], wrapper: Callable[[Any], Any]) -> None:
    for rule in ruler.__rules__:  # `Ruler.at` would drop the list of what a rule may interrupt
        rule.fn = wrapper(rule.fn)
    ruler.__cache__ = None


def _placed(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    def placed(state: StateInline, silent: bool) -> bool:
        start, known = state.pos, len(state.tokens)
        found = rule(state, silent)
        for token in state.tokens[known:]:
            token.meta.setdefault("at", (start, state.pos))
        return found

    return placed


def _placed_block(rule: Callable[..., bool]) -> Callable[..., bool]:
    def placed(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        at, known = state.bMarks[line] + state.tShift[line], len(state.tokens)
        found = rule(state, line, end, silent)
        for token in state.tokens[known : known + 1]:
            token.meta.setdefault("at", at)
        return found

    return placed
