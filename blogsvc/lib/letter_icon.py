"""The icon of a blog without one of its own: the first letter of its title on a color."""

from __future__ import annotations

from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from blogsvc.lib import color_contrast
from blogsvc.lib.text.length import graphemes

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

# Drawn larger and then made smaller, so that small icons have smooth edges.
_DRAWN = 512
_LETTER = 340  # the size of the font, of 512
_LINES = ((128, 152, 400), (128, 248, 400), (128, 344, 320))


def letter_of(title: str) -> str:
    """Return the first grapheme of a title that begins with a letter or a digit, or else its first one."""
    found = [one for one in graphemes(title) if not one.isspace()]
    return next((one for one in found if one[0].isalnum()), found[0] if found else "")


def svg(letter: str, color: str) -> str:
    """Return the icon as SVG, where the browser has a font for every script."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
        f'<rect width="32" height="32" rx="5" fill="{color}"/>'
        f'<text x="16" y="17" fill="{_ink(color)}" font-family="system-ui, sans-serif" font-size="21" font-weight="600"'
        f' text-anchor="middle" dominant-baseline="central">{escape(letter)}</text></svg>'
    )


def png(letter: str, color: str, size: int, fonts: tuple[Path, ...]) -> bytes:
    """Return the icon as a square PNG without transparency. A letter that is in no font becomes lines of text."""
    from PIL import Image, ImageDraw  # most processes draw no icon

    image = Image.new("RGB", (_DRAWN, _DRAWN), color)
    draw, ink = ImageDraw.Draw(image), _ink(color)
    if (font := _font_with(letter, fonts)) is not None:
        draw.text((_DRAWN / 2, _DRAWN / 2), letter, ink, font, anchor="mm")
    else:
        for left, top, right in _LINES:
            draw.rectangle((left, top, right, top + 40), ink)
    out = BytesIO()
    image.resize((size, size), Image.Resampling.LANCZOS).save(out, "PNG", optimize=True)
    return out.getvalue()


def _ink(color: str) -> str:
    """Return the color of the letter, which is readable on any color."""
    return color_contrast.write(color_contrast.readable_ink(color_contrast.parse(color)))


def _font_with(letter: str, files: tuple[Path, ...]) -> FreeTypeFont | None:
    """Return the first font with this letter. Some builds of FreeType read no WOFF2 files."""
    from PIL import ImageFont

    for file in files:
        try:
            font = ImageFont.truetype(str(file), _LETTER)
        except OSError:
            continue
        missing = bytes(font.getmask("\U0010ffff"))
        if letter and all(bytes(font.getmask(each)) != missing for each in letter):
            return font
    return None


def ico(png: bytes, size: int) -> bytes:
    """Return an ICO file with one image, a square PNG of at most 255 pixels."""
    entry = bytes((size, size, 0, 0)) + (1).to_bytes(2, "little") + (32).to_bytes(2, "little")
    offset = 6 + 16
    head = (0).to_bytes(2, "little") + (1).to_bytes(2, "little") + (1).to_bytes(2, "little")
    return head + entry + len(png).to_bytes(4, "little") + offset.to_bytes(4, "little") + png
