"""Colour contrast as defined by WCAG 2.2."""

from __future__ import annotations

import re

_HEX = re.compile(r"#[0-9a-f]{6}")
Rgb = tuple[int, int, int]


def parse(text: str) -> Rgb:
    """Parse `#rrggbb` to red, green and blue (0..255). Raises ValueError for anything else."""
    if not _HEX.fullmatch(text.lower()):
        raise ValueError(f"{text[:20]!r} is not a color such as #006b9f.")
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def write(colour: Rgb) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast ratio, from 1 (equal) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def towards_white(colour: Rgb, ground: Rgb, ratio: float) -> Rgb:
    """Lighten the colour in steps of 5 % until its contrast with a dark background is at least `ratio`."""
    mixed = ((round(part + (255 - part) * step / 20) for part in colour) for step in range(21))
    lighter = ((red, green, blue) for red, green, blue in mixed)
    return next(one for one in lighter if contrast(one, ground) >= ratio)


def _luminance(colour: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
