"""Typography of text that was typed on a keyboard: dashes, ellipses and quotation marks. Addresses and code stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from blogsvc.lib.markdown.quotes import curl_quotes
from blogsvc.lib.markdown.raw_html import CODE
from blogsvc.lib.markdown.tag_addresses import addresses_of_tag
from blogsvc.lib.text.autolinks import addresses
from blogsvc.lib.text.quotation_marks import quotation_marks

_MARKS = "\"'“”‘’„‚«»‹›"
# Before these, two hyphens are an option of a command: it follows a bracket, an operator or a quotation mark.
_BEFORE_OPTION = rf"\s<!(\[{{/|=:+,;\\@#$&~^*`>{_MARKS}「『【《〈（〔［｛／｜＝：，、¡¿-"
# Two hyphens are a dash between words or between spaces.
_TYPED = re.compile(
    r"(?P<em>(?<!-)---(?![->]))"
    rf"|(?P<en>(?:(?<=\s)|^)--(?=\s|\Z)|(?:(?<=[^{_BEFORE_OPTION}])|(?<=[\w.,!?%…)][{_MARKS}]))--(?![->\s]))"
    r"|(?P<ellipsis>(?<![./\\])\.\.\.(?![./\\]))"
)
# Tags between which text is code or the text of a link, and comments, whose tags are none.
_TAG = re.compile(
    rf"<!--.*?(?:-->|\Z)|<(?P<closing>/?)(?P<name>a|pre|var|{'|'.join(sorted(CODE))})(?=[\s/>])",
    re.DOTALL | re.IGNORECASE,
)
# Addresses that are no links: of e-mail, of domains with other letters, and paths. Only they can have marks inside.
_WRITTEN = re.compile(
    r"[\w.+-]{1,64}+(?:'[\w.+-]{1,64}+){0,3}+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,5}+"
    r"|(?<![\w-])xn--[\w.-]{1,200}+"
    r"|(?<![\w/'.~-])(?:\.{0,2}+|~|[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,5}+)(?:/[\w.~%+-]{1,100}+(?:'[\w.~%+-]{2,100}+){0,3}+){1,30}+"
)
_HOST = re.compile(r"(?:https?://)?(?:www\.)?")
_PRINTED = {"em": "—", "en": "–", "ellipsis": "…"}
# The type of text that stays as it is, as that after a backslash; the parser makes it usual text at the end.
_FIXED = "text_special"


def add_typography(parser: MarkdownIt, language: str) -> None:
    """Let a parser replace what is typed for dashes, ellipses and quotation marks with those of a language."""
    marks = quotation_marks(language)

    def curl_all(state: StateCore) -> None:
        for token in state.tokens:
            if token.children:
                curl_quotes(token.children, marks)

    parser.core.ruler.before("text_join", "fixed_text", _fix_text)
    parser.core.ruler.before("text_join", "dashes", _print_dashes)
    parser.core.ruler.before("text_join", "quotes", curl_all)


def _fix_text(state: StateCore) -> None:
    """Fix what is an address or code."""
    around = _Surroundings(state.md)
    for block in state.tokens:
        if block.type == "html_block":
            around.read(block)
        elif block.children:
            within = replace(around)
            block.children = list(_with_fixed_text(block.children, within))
            # What begins in a line of text ends with it. What begins in a block of raw HTML can end there.
            around.code, around.target = min(around.code, within.code), around.target and within.target


@dataclass
class _Surroundings:
    """What text is in: the number of elements of code, and the address to which a link leads."""

    parser: MarkdownIt
    code: int = 0
    target: str = ""

    def read(self, token: Token) -> None:
        """Go on behind a token."""
        if token.type == "link_open":
            self._lead_to(str(token.attrs.get("href", "")))
        elif token.type == "link_close":
            self.target = ""
        elif token.type in ("html_block", "html_inline"):
            for tag in _TAG.finditer(token.content):
                self._read_tag(tag)

    def _read_tag(self, tag: re.Match[str]) -> None:
        name = (tag["name"] or "").lower()
        if name == "a":
            found, _ = ([], 0) if tag["closing"] else addresses_of_tag(name, tag.string, tag.end())
            self._lead_to(found[0].url if found else "")
        elif name:
            self.code = max(0, self.code + (-1 if tag["closing"] else 1))

    def _lead_to(self, href: str) -> None:
        self.target = _compared(unquote(self.parser.normalizeLinkText(href))) if href else ""

    def keep(self, text: str) -> bool:
        return self.code > 0 or (bool(self.target) and _compared(text) in self.target)


def _compared(address: str) -> str:
    """Return an address without what people leave out, or the text of a link that may be one."""
    return _HOST.sub("", address.strip().casefold(), count=1).rstrip("/")


def _with_fixed_text(tokens: list[Token], around: _Surroundings) -> Iterator[Token]:
    for token in tokens:
        around.read(token)
        if token.type != "text":
            yield token
        elif around.keep(token.content):
            yield token.copy(type=_FIXED)
        else:
            yield from _parts(token)


def _parts(text: Token) -> Iterator[Token]:
    done = 0
    places = [(address.start, address.end) for address in addresses(text.content)]
    if _may_have_addresses(text.content):
        places = sorted([*places, *(address.span() for address in _WRITTEN.finditer(text.content))])
    for start, end in places:
        if start < done:
            continue
        yield text.copy(content=text.content[done:start])
        yield text.copy(type=_FIXED, content=text.content[start:end])
        done = end
    yield text.copy(content=text.content[done:]) if done else text


def _may_have_addresses(text: str) -> bool:
    return "@" in text or "xn--" in text or ("/" in text and ("--" in text or "'" in text))


def _print_dashes(state: StateCore) -> None:
    for block in state.tokens:
        for token in block.children or ():
            if token.type == "text" and ("--" in token.content or "..." in token.content):
                token.content = _TYPED.sub(lambda found: _PRINTED[str(found.lastgroup)], token.content)
