"""Text length in the units of platforms, and shortening."""

import random

import pytest

from blogsvc.lib.text.length import length, shorten

FAMILY = "👩‍👩‍👧‍👦"
UNITS = ("characters", "graphemes", "utf16", "bytes", "weighted")
# Text that counts differently in each unit: emoji sequences, flags, combining marks, right-to-left, CJK, Hangul jamo.
PIECES = [
    "tree", " ", "\n", "–", ", ", FAMILY, "🇩🇪", "👍🏽", "é", "e\u0301\u0323", "नमस्ते", "שלום", "مرحبا", "漢字", "각",
    "1️⃣", "\u200f", "#", "https://a.example/b", "…", "\r\n", "\ufe0f", "\u200d",
]  # fmt: skip


def texts(count=300):
    rng = random.Random("lengths")
    return ["".join(rng.choices(PIECES, k=rng.randrange(40))) for _ in range(count)]


@pytest.mark.parametrize(
    ("text", "characters", "graphemes", "utf16", "bytes_", "weighted"),
    [
        ("", 0, 0, 0, 0, 0),
        ("tree", 4, 4, 4, 4, 4),
        ("größe", 5, 5, 5, 7, 5),
        (FAMILY, 7, 1, 11, 25, 2),
        ("🇩🇪", 2, 1, 4, 8, 2),
        ("👍🏽", 2, 1, 4, 8, 2),
        ("e\u0301", 2, 1, 2, 3, 1),
        ("漢字", 2, 2, 2, 6, 4),
        ("שלום", 4, 4, 4, 8, 4),
        ("“a” – b…", 8, 8, 8, 16, 9),
        ("𝒳", 1, 1, 2, 4, 2),
        ("\ud800", 1, 1, 1, 3, 2),
    ],
)
def test_each_unit_counts_differently(text, characters, graphemes, utf16, bytes_, weighted):
    assert [length(text, unit) for unit in UNITS] == [characters, graphemes, utf16, bytes_, weighted]


def test_items_are_counted_on_a_list_only():
    with pytest.raises(ValueError, match="count the list"):
        length("a, b", "items")


def test_a_text_that_fits_is_unchanged():
    assert shorten("  two words ", 12) == "  two words "


def test_a_text_whose_last_space_is_far_from_its_end_is_cut_in_a_word():
    japanese = "日本語の文章は単語の間に空白がない" * 20
    assert shorten(f"Tool {japanese}", 300) == f"Tool {japanese[:294]}…"
    assert shorten("Of Donaudampfschifffahrt", 20) == "Of Donaudampfschiff…"


def test_an_address_is_left_out_rather_than_cut():
    assert shorten("See https://a.example/of-trees for more", 28) == "See…"
    assert shorten("See https://a.example/of-trees for more", 36) == "See https://a.example/of-trees for…"
    assert shorten("https://a.example/of-trees", 12) == "https://a.e…"


def test_a_text_is_cut_after_a_word():
    assert shorten("Of trees and bushes", 10) == "Of trees…"
    assert shorten("Of trees and bushes", 13) == "Of trees and…"
    assert shorten("Of trees, and bushes", 11) == "Of trees…"


def test_one_long_word_is_cut_at_the_limit():
    assert shorten("Donaudampfschifffahrt", 6) == "Donau…"


def test_if_not_even_the_ellipsis_fits_nothing_is_left():
    assert shorten("tree", 0) == ""
    assert shorten("tree", -5) == ""
    assert shorten("trees", 2, "bytes") == ""
    assert shorten("tree", 1) == "…"


@pytest.mark.parametrize(("unit", "most"), [("graphemes", 2), ("utf16", 12), ("bytes", 28), ("weighted", 4)])
def test_an_emoji_sequence_at_the_limit_is_kept_whole_or_removed(unit, most):
    assert shorten(FAMILY * 3, most, unit) == f"{FAMILY}…"
    assert shorten(FAMILY * 3, most - 1, unit) == "…"


def test_right_to_left_text_is_cut_at_its_end():
    assert shorten("שלום עולם טוב", 10) == "שלום עולם…"


@pytest.mark.parametrize("unit", UNITS)
def test_a_shortened_text_fits_and_is_a_prefix(unit):
    for text in texts():
        for most in (0, 1, 2, 5, 17, 40):
            short = shorten(text, most, unit)
            assert length(short, unit) <= most
            assert short == text or text.startswith(short[:-1])


@pytest.mark.parametrize("unit", UNITS)
def test_lengths_of_lines_add_up(unit):
    """Sums of parts rely on this: nothing joins across the end of a line."""
    for one, other in zip(texts(100), texts(200)[100:], strict=True):
        one, other = one.rstrip("\r"), other.lstrip("\n")
        assert length(f"{one}\n\n{other}", unit) == length(one, unit) + length("\n\n", unit) + length(other, unit)


@pytest.mark.parametrize("unit", UNITS)
def test_shortening_a_mebibyte_is_fast(unit):
    assert length(shorten("a🌳 " * 2**18, 500, unit), unit) <= 500
