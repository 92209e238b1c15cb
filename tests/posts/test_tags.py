"""Tags to choose from while one is typed."""

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


def test_the_most_used_come_first_and_each_says_how_often() -> None:
    assert [(tag.name, tag.count) for tag in tags_like("", 3)] == [("self-hosted", 3), ("books", 2), ("Blogging", 1)]


def test_case_and_accents_are_as_nothing() -> None:
    assert names("BLO") == ["Blogging"]
    assert names("ecri") == names("Écri") == ["Écriture"]


def test_a_later_word_counts_after_the_first() -> None:
    assert names("ho") == ["self-hosted"]
    assert names("b") == ["books", "Blogging"]
    assert names("l") == ["web log"]
    assert names("self ho") == ["self-hosted"]


def test_platforms_are_no_tags_and_signs_no_pattern() -> None:
    assert names("site") == []
    assert names("c++") == ["C++"]
    assert names("elf") == names("zebra") == []
