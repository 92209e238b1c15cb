"""Figures: an image alone in a paragraph with a title, which is its caption, or with a width.

The width is written as attributes are in Pandoc, kramdown and Hugo: `![alt](url "Caption"){.wide}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

WIDTHS = ("wide", "full")
_WIDTH = re.compile(rf"\{{:?[ ]*\.({'|'.join(WIDTHS)})[ ]*\}}")
_ALONE = (["image"], ["link_open", "image", "link_close"])
_MOST_PARTS = 8  # of a paragraph that is a figure: a link, an image, a line break and a width


@dataclass(frozen=True)
class Figure:
    """An image alone in a paragraph, perhaps in a link. `parts` are the tokens of both."""

    parts: list[Token]
    width: str = ""

    @property
    def image(self) -> Token:
        return self.parts[len(self.parts) // 2]

    @property
    def caption(self) -> str:
        return str(self.image.attrs.get("title", "")).strip()


def add_widths(parser: MarkdownIt) -> None:
    """Let a parser read the width after an image. Where it means nothing, it is not shown either."""
    parser.inline.ruler.before("link", "image_width", _image_width)
    parser.add_render_rule("image_width", lambda *_: "")


def _image_width(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{" or state.pending or not _follows_image(state.tokens):
        return False
    found = _WIDTH.match(state.src, state.pos, state.posMax)
    if found and not silent:
        state.push("image_width", "", 0).meta["width"] = found[1]
    state.pos = found.end() if found else state.pos
    return found is not None


def _follows_image(tokens: Sequence[Token]) -> bool:
    """Return True if the last token is an image, perhaps in a link, or the line break after one."""
    before = [token.type for token in tokens[-3:] if token.type != "softbreak"]
    return before[-1:] == ["image"] or before[-2:] == ["image", "link_close"]


def figure_of(inline: Token) -> Figure | None:
    """Return the figure that a paragraph shows, or None if it is not an image alone with a caption or a width."""
    children = inline.children or []
    if len(children) > _MOST_PARTS:
        return None
    width = next((child.meta["width"] for child in children if child.type == "image_width"), "")
    parts = [child for child in children if child.type not in ("image_width", "softbreak")]
    if [part.type for part in parts] not in _ALONE:
        return None
    figure = Figure(parts, width)
    return figure if figure.caption or width else None


def show_figures(state: StateCore) -> None:
    """Make figures of the paragraphs that are one."""
    state.tokens = list(_with_figures(state.tokens))


def _with_figures(tokens: Sequence[Token]) -> Iterator[Token]:
    for index, token in enumerate(tokens):
        yield token
        if token.type != "inline" or [one.type for one in tokens[index - 1 : index + 2 : 2]] != [
            "paragraph_open",
            "paragraph_close",
        ]:
            continue
        if not tokens[index - 1].hidden and (figure := figure_of(token)) is not None:
            opening, closing = tokens[index - 1], tokens[index + 1]
            opening.tag = closing.tag = "figure"
            if figure.width:
                opening.attrSet("class", figure.width)
            token.children = figure.parts
            yield from caption_of(figure)


def caption_of(figure: Figure) -> list[Token]:
    """Return the tokens of the caption, which the image has no longer as its title."""
    caption = figure.caption
    figure.image.attrs.pop("title", None)
    if not caption:
        return []
    text = Token("text", "", 0, content=caption)
    words = Token("inline", "", 0, content=caption, children=[text])
    return [Token("figcaption_open", "figcaption", 1), words, Token("figcaption_close", "figcaption", -1)]
