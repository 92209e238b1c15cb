"""What was searched for is marked in the text as it was written."""

from __future__ import annotations

import pytest

from blogsvc.lib.text.search_matches import excerpt_around, marked
from blogsvc.lib.text.search_terms import terms


def shown(pieces: list[tuple[str, bool]]) -> str:
    return "".join(f"[{text}]" if is_match else text for text, is_match in pieces)


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("A ferry in the fog", "fer", "A [ferry] in the fog"),
        ("Ferry, ferries, offerings", "ferr", "[Ferry], [ferries], offerings"),
        ("Über die Brücke", "uber bruc", "[Über] die [Brücke]"),
        ("The blue pencil, a pencil blue", '"blue pencil"', "The [blue pencil], a pencil blue"),
        ("blue pencils", '"blue pencil"', "blue pencils"),
        ("ink and paper", "ink -paper", "[ink] and paper"),
        ("霧の中の渡し船", "渡し", "霧の中の[渡し]船"),
        ("<b>bold</b>", "bold", "<b>[bold]</b>"),
        ("nothing", "", "nothing"),
    ],
)
def test_matches_are_marked(text: str, asked: str, expected: str) -> None:
    assert shown(marked(text, terms(asked))) == expected


def test_an_excerpt_shows_the_words_around_the_first_match() -> None:
    text = f"{'before ' * 100}the ferry sails{' after' * 100}"
    excerpt = shown(excerpt_around(text, terms("ferry")))
    assert excerpt.startswith("… before")
    assert "before the [ferry] sails after" in excerpt
    assert excerpt.endswith("after …")
    assert 100 < len(excerpt) < 170


def test_an_excerpt_of_a_text_without_a_match_is_empty() -> None:
    assert excerpt_around("nothing of the kind", terms("ferry")) == []


def test_an_excerpt_ends_within_a_very_long_word() -> None:
    assert len(shown(excerpt_around("ferry" * 10_000, terms("ferry")))) < 170
