"""Color contrast as defined by WCAG 2.2."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection

_HEX = re.compile(r"#[0-9a-f]{6}")
Rgb = tuple[int, int, int]
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


def parse(text: str) -> Rgb:
    """Parse `#rrggbb` to red, green and blue (0..255). Raises ValueError for anything else."""
    if not _HEX.fullmatch(text.lower()):
        raise ValueError(f"{text[:20]!r} is not a color such as #0b5c80.")
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def write(color: Rgb) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast ratio, from 1 (equal) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def least_contrast(color: Rgb, grounds: Collection[Rgb]) -> float:
    """Return the contrast ratio with that background which is the most like the color."""
    return min(contrast(color, ground) for ground in grounds)


def mixed(color: Rgb, other: Rgb, share: float) -> Rgb:
    """Return another color with a share (0..1) of the first, as `color-mix(in srgb, …)` does."""
    red, green, blue = (round(last + (part - last) * share) for part, last in zip(color, other, strict=True))
    return red, green, blue


def nearest_readable(color: Rgb, grounds: Callable[[Rgb], Collection[Rgb]], ratio: float) -> Rgb:
    """Return the nearest shade whose contrast with all its backgrounds is at least `ratio`.

    That is the color itself, or one mixed with as little black as needed, or with white on dark backgrounds. `grounds`
    returns the backgrounds of a shade, which may depend on it a little.
    """
    end = BLACK if all(readable_ink(ground) == BLACK for ground in grounds(color)) else WHITE

    def is_readable(step: int) -> bool:
        shade = mixed(end, color, step / 255)
        return least_contrast(shade, grounds(shade)) >= ratio

    return mixed(end, color, bisect_left(range(255), True, key=is_readable) / 255)


def readable_ink(ground: Rgb) -> Rgb:
    """Return white, or black where white is hard to read. One of them has a contrast of at least 4.5 to 1."""
    return WHITE if contrast(WHITE, ground) >= 4.5 else BLACK


def _luminance(color: Rgb) -> float:
    red, green, blue = (_linear(part / 255) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
