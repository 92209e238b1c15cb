"""Typography of text that was typed on a keyboard: dashes, ellipses and quotation marks. Addresses and code stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_core.smartquotes import process_inlines
from markdown_it.token import Token

from blogsvc.lib.text.autolinks import addresses
from blogsvc.lib.text.quotation_marks import quotation_marks

_QUOTES = 400  # per paragraph, converted in quadratic time
# Two hyphens are a dash between words or between spaces. Before a word, they are an option of a command.
_TYPED = re.compile(
    r"(?P<em>(?<!-)---(?![->]))"
    r"|(?P<en>(?:(?<=\s)|^)--(?=\s|\Z)|(?<=[^-<!\s])--(?![->\s]))"
    r"|(?P<ellipsis>(?<![./\\])\.\.\.(?![./\\]))"
)
# Without one of these, a paragraph has no address.
_SIGNS = ("://", "](", "][", "www.", "@")
_PRINTED = {"em": "—", "en": "–", "ellipsis": "…"}
# The type of text that stays as it is, as that after a backslash; the parser makes it usual text at the end.
_FIXED = "text_special"


def add_typography(parser: MarkdownIt, language: str) -> None:
    """Let a parser replace what is typed for dashes, ellipses and quotation marks with those of a language."""
    parser.options["typographer"], parser.options["quotes"] = True, quotation_marks(language)
    parser.core.ruler.before("text_join", "addresses", _fix_addresses)
    parser.core.ruler.before("text_join", "dashes", _print_dashes)
    parser.core.ruler.before("text_join", "quotes", _curl_quotes)


def _fix_addresses(state: StateCore) -> None:
    for block in state.tokens:
        if block.children and any(sign in block.content for sign in _SIGNS):
            block.children = list(_with_fixed_addresses(block.children))


def _with_fixed_addresses(tokens: list[Token]) -> Iterator[Token]:
    target = ""
    for token in tokens:
        if token.type == "link_open":
            target = unquote(str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            target = ""
        if token.type != "text":
            yield token
        elif target and token.content in target:
            yield token.copy(type=_FIXED)
        else:
            yield from _parts(token)


def _parts(text: Token) -> Iterator[Token]:
    done = 0
    for address in addresses(text.content):
        yield text.copy(content=text.content[done : address.start])
        yield text.copy(type=_FIXED, content=text.content[address.start : address.end])
        done = address.end
    yield text.copy(content=text.content[done:]) if done else text


def _print_dashes(state: StateCore) -> None:
    for block in state.tokens:
        for token in block.children or ():
            if token.type == "text" and ("--" in token.content or "..." in token.content):
                token.content = _TYPED.sub(lambda found: _PRINTED[str(found.lastgroup)], token.content)


def _curl_quotes(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline" and 0 < token.content.count('"') + token.content.count("'") <= _QUOTES:
            process_inlines(token.children or [], state)
