"""Front matter, by the judgement of a YAML parser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml

from blogsvc.lib.front_matter import front_matter


def read(fields):
    head = front_matter(fields)
    assert head.startswith("---\n")
    assert head.endswith("\n---\n")
    return yaml.safe_load(head[4:-4])


@pytest.mark.parametrize("character", [chr(code) for code in (0, 7, 0x1F, 0x7F, 0x85, 0x9F, 0x2028, 0xFEFF, 0x1F333)])
def test_every_character_survives(character):
    assert read({"title": f"a{character}b"}) == {"title": f"a{character}b"}


def test_half_a_character_becomes_a_mark():
    assert read({"title": "a\ud83cb"}) == {"title": "a\ufffdb"}


def test_a_moment_is_a_moment_in_utc():
    berlin = timezone(timedelta(hours=1))
    moment = datetime(2026, 11, 20, 11, 0, 0, 999, berlin)
    assert read({"date": moment}) == {"date": datetime(2026, 11, 20, 10, 0, tzinfo=UTC)}


def test_what_is_not_there_is_left_out_and_what_is_empty_or_false_is_not():
    assert read({"a": None, "b": [], "c": (), "d": "", "e": False}) == {"d": "", "e": False}


def test_lists_are_lists_of_text():
    assert read({"tags": ("a, b", "[c]", "yes", "7")}) == {"tags": ["a, b", "[c]", "yes", "7"]}
