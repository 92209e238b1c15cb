"""Tag suggestions while typing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.models import Post
from blogsvc.posts.tags import tags_like


def names(beginning: str, most: int = 10) -> list[str]:
    return [tag.name for tag in tags_like(beginning, most)]


@pytest.fixture(autouse=True)
def posts(a_post: Callable[..., Post]) -> None:
    a_post(tags=["Blogging", "self-hosted", "Écriture"])
    a_post(tags=["self-hosted", "books", "web log"])
    a_post(tags=["self-hosted", "books", "C++"], platforms=["site"])


def test_the_most_used_tags_come_first_with_their_counts() -> None:
    assert [(tag.name, tag.count) for tag in tags_like("", 3)] == [("self-hosted", 3), ("books", 2), ("Blogging", 1)]


def test_tag_suggestions_ignore_case_and_accents() -> None:
    assert names("BLO") == ["Blogging"]
    assert names("ecri") == names("Écri") == ["Écriture"]


def test_tags_that_match_in_a_later_word_come_after_the_first() -> None:
    assert names("ho") == ["self-hosted"]
    assert names("b") == ["books", "Blogging"]
    assert names("l") == ["web log"]
    assert names("self ho") == ["self-hosted"]


def test_platforms_are_not_suggested_and_special_characters_are_literal() -> None:
    assert names("site") == []
    assert names("c++") == ["C++"]
    assert names("elf") == names("zebra") == []
