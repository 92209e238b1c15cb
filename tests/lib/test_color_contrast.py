"""Contrast as WCAG defines it, and the nearest shades that are readable."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest

from blogsvc.lib.color_contrast import BLACK, WHITE, contrast, least_contrast, nearest_readable, readable_ink
from blogsvc.models.theme import backgrounds

# All colors of a coarse cube: 8 steps of red, green and blue.
COLORS = list(product((0, 36, 73, 109, 146, 182, 219, 255), repeat=3))


def test_contrast_matches_the_wcag_formula() -> None:
    assert round(contrast((0, 0, 0), (255, 255, 255)), 2) == 21
    assert round(contrast((118, 118, 118), (255, 255, 255)), 2) == 4.54


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_color_has_a_shade_that_is_readable_on_the_page_and_in_callouts(scheme: str) -> None:
    on = partial(backgrounds, scheme)
    for color in COLORS:
        shade = nearest_readable(color, on, 4.5)
        assert least_contrast(shade, on(shade)) >= 4.5, color
        if least_contrast(color, on(color)) >= 4.5:
            assert shade == color
        else:  # no step too far
            assert least_contrast(shade, on(shade)) < 4.75, color


def test_a_letter_is_readable_on_every_color() -> None:
    assert (readable_ink((0, 0, 0)), readable_ink((255, 255, 255))) == (WHITE, BLACK)
    for color in COLORS:
        assert contrast(readable_ink(color), color) >= 4.5, color
