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


def test_characters_of_scripts_without_spaces_are_words_beside_all_others() -> None:
    assert tokens("我们a们") == ["我", "们", "a", "们"]
    assert tokens("ไทย") == ["ไ", "ท", "ย"]
    assert tokens("Ǆ ﬁn №1 ½") == ["dz", "fin", "no1", "1", "2"]


def test_a_text_of_all_characters_there_are_does_not_fill_the_memory() -> None:
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)]))
    assert tokens(text) == tokens(text)
    assert tokens("Été 我") == ["ete", "我"]
