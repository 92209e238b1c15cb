"""Words for the search: the same, however they are written."""

from __future__ import annotations

import pytest

from blogsvc.lib.text.search_terms import tokens


@pytest.mark.parametrize(
    "text", ["Plain ASCII words", "under_scores, CamelCase and 1,234 numbers!", "a@b.example/c?d=e", "\t\n --- ", ""]
)
def test_ascii_text_has_the_same_words_beside_text_in_another_script(text: str) -> None:
    assert [*tokens(text), "ete"] == tokens(f"{text} Été")


def test_case_accents_and_letters_that_do_not_decompose_make_no_difference() -> None:
    assert tokens("ÜBERGRÖSSE Übergröße Łódź Æsir") == ["ubergrosse", "ubergrosse", "lodz", "aesir"]
