"""AT Protocol record keys, which sort by time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogsvc.connectors._kit import atproto_tid


def test_a_tid_contains_its_time():
    before = datetime.now(UTC)
    assert before <= atproto_tid.moment(atproto_tid.mint()) <= datetime.now(UTC)


def test_a_known_tid_is_parsed():
    assert atproto_tid.moment("3jzfcijpj2z2a") == datetime(2023, 6, 30, 15, 3, 1, 887007, UTC)


def test_tids_sort_by_time():
    minted = [atproto_tid.mint() for _ in range(50)]
    assert sorted(minted, key=lambda one: one[:11]) == minted
    assert len(set(minted)) == 50


def test_the_tid_of_a_text_is_deterministic_and_unique():
    assert atproto_tid.of("https://blog.example") == atproto_tid.of("https://blog.example")
    made = {atproto_tid.of(f"https://{n}.example") for n in range(500)}
    assert len(made) == 500
    assert all(atproto_tid.is_one(one) for one in made)


@pytest.mark.parametrize(
    "text", ["", "of-trees", "3jzfcijpj2z2", "3jzfcijpj2z2a1", "zzzzzzzzzzzzz", "3JZFCIJPJ2Z2A", "self"]
)
def test_an_invalid_tid_is_rejected(text):
    assert not atproto_tid.is_one(text)
    with pytest.raises(ValueError, match="no TID"):
        atproto_tid.moment(text)
