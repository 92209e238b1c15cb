"""What words must be like: forms are told the same as programs."""

from __future__ import annotations

from typing import Any

import pytest

from blogsvc.errors import Invalid
from blogsvc.posts.rules import check_fields, join_tags, split_tags
from tests.api_client import Api

# As the API calls the field, as we do, and values of which some will not do.
FIELDS: list[tuple[str, str, list[Any]]] = [
    ("title", "title", ["A title", "", "t" * 300, "t" * 301, "two\nlines"]),
    ("content", "content", ["", "# Text\n", "a\x00b", "x" * 1024 * 1024, "x" * (1024 * 1024 + 1)]),
    ("summary", "summary", ["", "two\nlines", "s" * 2000, "s" * 2001, "a\x00b"]),
    ("slug", "slug", ["a-slug", "A", "a--b", "-a", "a_b", "s" * 80, "s" * 81, "ä"]),
    (
        "canonicalUrl",
        "canonical_url",
        ["https://a.example/b?c#d", "http://[::1]:80/", "ftp://a.example", "https://", "//a", "https://[", "a b"],
    ),
    ("coverImage", "cover_image", ["https://a.example/" + "x" * 1982, "https://a.example/" + "x" * 1983, "/media/x"]),
    ("language", "language", ["en", "de-AT", "zh-Hant", "english", "e", "en_GB", "en-" + "x" * 8 + "-abcdefgh" * 4]),
    (
        "tags",
        "tags",
        [
            ["a"],
            [],
            ["a", "A"],
            [""],
            ["t" * 50],
            ["t" * 51],
            ["a\tb"],
            [*"abcdefghijklmnopqrst"],
            [*"abcdefghijklmnopqrstu"],
        ],
    ),
]
CASES = [(theirs, ours, value) for theirs, ours, values in FIELDS for value in values]


def refused(words: dict[str, Any]) -> bool:
    try:
        check_fields(words)
    except Invalid:
        return True
    return False


@pytest.mark.parametrize(("theirs", "ours", "value"), CASES, ids=lambda value: str(value)[:20])
def test_a_form_and_the_api_take_and_refuse_the_same(api: Api, theirs: str, ours: str, value: Any) -> None:
    answer = api.post("/posts", json={"title": "A post"} | {theirs: value})
    assert refused({ours: value}) == (answer.status_code == 422), answer.json


@pytest.mark.parametrize("own", [{"title": "t" * 301}, {"content": "\x00"}, {"tags": ["a", "A"]}, {"summary": "Fine."}])
def test_words_for_one_destination_are_held_to_the_same(api: Api, own: dict[str, Any]) -> None:
    answer = api.post("/posts", json={"title": "A post", "overrides": {"site": own}})
    assert refused({"overrides": {"site": own}}) == (answer.status_code == 422), answer.json


def test_every_fault_is_told_at_once_and_where_it_is() -> None:
    with pytest.raises(Invalid) as error:
        check_fields(
            {
                "title": "",
                "slug": "A",
                "overrides": {"hook": {"title": "t" * 301, "options": {"visibility": "v" * 201}}},
            }
        )
    assert [(fault.pointer, fault.code) for fault in error.value.faults] == [
        ("#/title", "too_short"),
        ("#/slug", "invalid"),
        ("#/overrides/hook/title", "too_long"),
        ("#/overrides/hook/options/visibility", "too_long"),
    ]


def test_tags_are_parted_by_commas() -> None:
    assert split_tags(" Blogging,, self  hosted ,blogging\n, C++ ") == ["Blogging", "self hosted", "C++"]
    assert split_tags("") == split_tags(" , ") == []


@pytest.mark.parametrize("tags", [["a", "b c"], ['Paris, "Texas"', "d"], ['"', ","], []])
def test_tags_that_are_written_out_are_read_as_they_were(tags: list[str]) -> None:
    assert split_tags(join_tags(tags)) == tags


@pytest.mark.parametrize("text", ["x" * 300_000, '"unclosed, quote', 'a"b', "\x00"])
def test_no_text_is_beyond_reading(text: str) -> None:
    assert all(isinstance(tag, str) for tag in split_tags(text))
