"""The look of the blog: its color, typeface, width and layout, and custom CSS."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, cast, get_args

from pydantic import Field

from blogsvc import context
from blogsvc.api.framework import etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Line, Out, Text, spelled
from blogsvc.models import transaction
from blogsvc.models.theme import CHOICES, MAX_CSS_LENGTH, Theme, save_theme

Scheme = Literal["auto", "light", "dark"]
Face = Literal["harbour", "charter", "sans", "antique", "typewriter"]
Width = Literal["narrow", "normal", "wide"]
Layout = Literal["list", "cards"]
assert {
    "scheme": get_args(Scheme),
    "face": get_args(Face),
    "width": get_args(Width),
    "layout": get_args(Layout),
} == CHOICES


class LookIn(In):
    """The whole look. It replaces the present one."""

    computed: ClassVar[frozenset[str]] = frozenset({"linkColors"})

    color: Annotated[Line, *spelled("#[0-9A-Fa-f]{6}", "Must be a color such as #0b5c80.")]
    """The color of links and marks: `#` and six hexadecimal digits.

    Any color can be chosen: `linkColors` has the shades that are shown.
    """
    scheme: Scheme
    """`auto` for light or dark pages as each reader's system is set, or `light` or `dark` for all readers."""
    face: Face
    """The typeface. `harbour` is sent with the blog; the others are those of the reader's system."""
    width: Width
    """The width of the text: about 60, 68 or 78 characters in a line."""
    layout: Layout
    """How lists show posts: `list` for rows with small images, or `cards` with large ones."""
    css: Annotated[Text, Field(max_length=MAX_CSS_LENGTH)]
    """Custom CSS after the style sheet of the blog, up to 65,536 characters. May be empty.

    `url()` takes only files of this blog, such as `url(/media/sea.webp)`, and fragments. `@import`, `@charset` and
    `@namespace` are refused, and so is a syntax error; the error names the line.
    """


class LinkColorOut(Out):
    """The color of links on light or dark pages."""

    scheme: Literal["light", "dark"]
    """Of which pages."""
    color: str
    """The nearest shade of `color` that is readable, for example `#3c7900`."""
    contrast: float
    """Its contrast with that background which is the most like it, at least 4.5 (to 1)."""
    note: str
    """Why it is not `color`, in one sentence. Empty if it is."""


class LookOut(Out):
    """The look of the blog."""

    color: str
    """The color that was chosen for links and marks."""
    scheme: Scheme
    """`auto` for light or dark pages as each reader's system is set, or `light` or `dark` for all readers."""
    face: Face
    """The typeface. `harbour` is sent with the blog; the others are those of the reader's system."""
    width: Width
    """The width of the text: about 60, 68 or 78 characters in a line."""
    layout: Layout
    """How lists show posts: `list` for rows with small images, or `cards` with large ones."""
    css: str
    """Custom CSS after the style sheet of the blog. Empty if there is none."""
    link_colors: list[LinkColorOut]
    """The colors of links on light and on dark pages, computed from `color`. Only one if `scheme` is not `auto`."""


def _document() -> LookOut:
    theme = Theme.read()
    shown = [color._replace(contrast=round(color.contrast, 2)) for color in theme.link_colors]
    return LookOut.model_construct(
        color=theme.color,
        scheme=cast(Scheme, theme.scheme),
        face=cast(Face, theme.face),
        width=cast(Width, theme.width),
        layout=cast(Layout, theme.layout),
        css=theme.css,
        link_colors=[LinkColorOut.model_construct(**color._asdict()) for color in shown],
    )


@operation(
    "GET",
    "/blog/look",
    "Get the look of the blog",
    scope="platforms:read",
    answers={200: LookOut, 304: None},
)
def get_look() -> Reply:
    """Returns the options of the blog's look, its custom CSS, and the colors of links that readers see."""
    return Reply(_document())


@operation(
    "PUT",
    "/blog/look",
    "Replace the look of the blog",
    scope="platforms:write",
    body=LookIn,
    answers={200: LookOut},
    refuses=(412,),
)
def replace_look(body: LookIn) -> Reply:
    """Replaces the look of the blog. Readers see it at once."""
    with transaction():
        etags.require_match(_document)
        save_theme(Theme(**{name: getattr(body, name) for name in (*CHOICES, "color", "css")}), context.now())
    return Reply(_document())
