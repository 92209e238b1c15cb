"""Find whole links and images in Markdown where the renderer finds them, with their words and brackets.

For texts that are shown as they are typed, except for their links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from markdown_it import helpers
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token

from blogsvc.lib.markdown.addresses import CELLS, STEPS, Located, LocatedParser, Source
from blogsvc.lib.markdown.contents import text_of
from blogsvc.lib.markdown.render import LINES, environment, grammar, normalised

_ESCAPED = re.compile(r"\\([^\w\s])")


class PlacedLink(NamedTuple):
    """A link or an image and its place in the text.

    `words` are those between its brackets as typed, but with the alt texts of images, and without backslashes.
    """

    start: int
    end: int
    url: str
    words: str


class Links(NamedTuple):
    """The links of a text, in order, and the places of the lines that define their addresses."""

    links: list[PlacedLink]
    definitions: list[tuple[int, int]]


class _AnyAddress(LocatedParser):
    def validateLink(self, url: str) -> bool:  # noqa: N802 (theirs)
        return True


def links_in(text: str, *, with_refused: bool = False) -> Links:
    """Return the links and images, without addresses between angle brackets, and without images in links.

    Args:
        with_refused: also those that are shown as they are typed, because their addresses are not safe.
    """
    source = Source(text)
    if "[" not in text or len(source.lines) > LINES:
        return Links([], [])
    parser, written = grammar(_AnyAddress() if with_refused else LocatedParser()), normalised(text)
    parser.inline.ruler.at("link", _located(link))
    parser.inline.ruler.at("image", _located(image))
    parser.core.ruler.enableOnly(STEPS)
    env = environment(written)
    used: set[int] = set()
    found = list(_in_blocks(parser.parse(written, env), source, used))
    maps = [one["map"] for one in env["references"].values() if id(one["href"]) in used]
    return Links(
        sorted(one for one in found if 0 <= one.start < one.end),
        sorted((source.starts[first], _end_of_definition(source, last, len(text))) for first, last in maps),
    )


def _end_of_definition(source: Source, line: int, end: int) -> int:
    """Return where the text goes on after a definition that ends before this line: after the empty lines there."""
    while line < len(source.lines) and not source.lines[line].strip():
        line += 1
    return source.starts[line] if line < len(source.lines) else end


def _located(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """Return a rule for links or images whose tokens know where they are written, and where their words end."""
    before = 2 if rule is image else 1

    def located(state: StateInline, silent: bool) -> bool:
        start, number = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            label_end = helpers.parseLinkLabel(state, start + before - 1, rule is link)
            opened = next(one for one in state.tokens[number:] if one.type in ("link_open", "image"))
            opened.meta |= {"start": start, "words": (start + before, label_end), "end": state.pos}
        return True

    return located


def _in_blocks(tokens: Sequence[Token], source: Source, used: set[int]) -> Iterator[PlacedLink]:
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.map is None or token.type != "inline":
            continue
        is_cell = before is not None and before.type in CELLS
        found = list(_in_line(token, used))
        if found or is_cell:
            place = source.places(token.content, token.map[0], is_cell=is_cell)
            for one in found:
                yield one._replace(start=place(one.start), end=place(one.end - 1) + 1)


def _in_line(inline: Token, used: set[int]) -> Iterator[PlacedLink]:
    end = 0
    children = inline.children or []
    for number, token in enumerate(children):
        url = token.attrs.get("src" if token.type == "image" else "href")
        if "end" not in token.meta or not isinstance(url, Located):
            continue
        used.add(id(url))
        if token.meta["start"] < end:  # an image in a link
            continue
        end = token.meta["end"]
        yield PlacedLink(token.meta["start"], end, url.url, _words(inline.content, children[number:]))


def _words(content: str, tokens: Sequence[Token]) -> str:
    """Return the words of a link or an image, which is the first of the tokens."""
    first = tokens[0]
    if first.type == "image":
        return text_of(first).strip()
    done, end = first.meta["words"]
    parts = []
    for token in tokens[1:]:
        if token.type == "image" and done <= token.meta.get("start", -1) < end:
            parts += [_ESCAPED.sub(r"\1", content[done : token.meta["start"]]), text_of(token)]
            done = token.meta["end"]
    return "".join([*parts, _ESCAPED.sub(r"\1", content[done:end])]).strip()
