"""Galleries: the images in `::: gallery` … `:::`, whose other paragraphs are the caption.

The caption begins with those of the images, which are their titles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin

from blogsvc.lib.markdown.figures import Figure

OPENING = "container_gallery_open"
_NAMES = ("gallery", "{.gallery}")
_BETWEEN = frozenset({"hardbreak", "image_width", "softbreak"})


@dataclass
class Gallery:
    """The images, the paragraphs of the caption, and where it ends."""

    images: list[Figure] = field(default_factory=list)
    caption: list[Token] = field(default_factory=list)
    last: int = 0


def add_galleries(parser: MarkdownIt) -> None:
    """Let a parser read galleries. Where one has no images, its fences are not shown either.

    A gallery can't be in another one: each looks for its end in all lines that follow.
    """
    parser.use(container_plugin, "gallery", validate=_is_gallery, render=lambda *_: "")
    rule = next(rule for rule in parser.block.ruler.__rules__ if rule.name == "container_gallery")
    rule.fn = partial(_outside_galleries, rule.fn)


def _outside_galleries(rule: Callable[..., bool], state: StateBlock, start: int, end: int, silent: bool) -> bool:
    is_after_text = state.bMarks[start] + state.tShift[start] >= len(state.src)  # where the plugin would read
    if state.env.get("is_in_gallery") or is_after_text:
        return False
    state.env["is_in_gallery"] = not silent
    found = rule(state, start, end, silent)
    state.env["is_in_gallery"] = False
    return found


def _is_gallery(name: str, _markup: str) -> bool:
    return name.strip().lower() in _NAMES


def gallery_at(tokens: Sequence[Token], index: int) -> Gallery | None:
    """Return the gallery that opens at this token, or None if it has no images, or other blocks than paragraphs."""
    gallery = Gallery()
    for gallery.last in range(index + 1, len(tokens)):
        token = tokens[gallery.last]
        if token.type == "inline":
            images = images_of(token)
            gallery.images += images
            gallery.caption += [] if images else [token]
        elif token.type not in ("paragraph_open", "paragraph_close"):
            break
    is_closed = tokens[gallery.last].type == "container_gallery_close"
    return gallery if is_closed and gallery.images else None


def images_of(inline: Token) -> list[Figure]:
    """Return the images of a paragraph, each with the link around it, or [] if the paragraph has anything else."""
    images: list[Figure] = []
    link: list[Token] = []
    for token in inline.children or ():
        if token.type in _BETWEEN or (token.type == "text" and not token.content.strip()):
            continue
        link.append(token)
        types = [one.type for one in link]
        if types in (["image"], ["link_open", "image", "link_close"]):
            images.append(Figure(link))
            link = []
        elif types not in (["link_open"], ["link_open", "image"]):
            return []
    return [] if link else images


def show_galleries(state: StateCore) -> None:
    """Make figures of the galleries."""
    state.tokens = list(_with_galleries(state.tokens))


def _with_galleries(tokens: Sequence[Token]) -> Iterator[Token]:
    done = 0
    for index, token in enumerate(tokens):
        if index < done:
            continue
        gallery = gallery_at(tokens, index) if token.type == OPENING else None
        if gallery is None:
            yield token
        else:
            done = gallery.last + 1
            yield from _figure(gallery)


def _figure(gallery: Gallery) -> Iterator[Token]:
    caption = _caption(gallery)
    yield Token("figure_open", "figure", 1, attrs={"class": "gallery wide"}, block=True)
    yield Token("inline", "", 0, children=[token for image in gallery.images for token in _linked(image)])
    if caption is not None:
        yield from (Token("figcaption_open", "figcaption", 1), caption, Token("figcaption_close", "figcaption", -1))
    yield Token("figure_close", "figure", -1, block=True)


def _caption(gallery: Gallery) -> Token | None:
    """Return the captions of the images in one line, which they have no longer as titles, and that of the gallery."""
    of_images = " · ".join(image.caption for image in gallery.images if image.caption)
    for one in gallery.images:
        one.image.attrs.pop("title", None)
    lines = [[Token("text", "", 0, content=of_images)]] if of_images else []
    lines += [list(paragraph.children or ()) for paragraph in gallery.caption]
    if not lines:
        return None
    children = lines[0]
    for line in lines[1:]:
        children += [Token("hardbreak", "br", 0), *line]
    content = "\n".join([of_images, *(paragraph.content for paragraph in gallery.caption)])
    return Token("inline", "", 0, content=content, children=children)


def _linked(image: Figure) -> list[Token]:
    """Return an image in its own link, or else in a link to its file."""
    if len(image.parts) > 1:
        return image.parts
    opening = Token("link_open", "a", 1, attrs={"href": image.image.attrs["src"]})
    return [opening, image.image, Token("link_close", "a", -1)]
