"""Validation of fields: forms and the API give the same result."""

from __future__ import annotations

from typing import Any

import pytest

from blogsvc.errors import Invalid
from blogsvc.posts.rules import check_fields
from blogsvc.posts.tags import join_tags, split_tags
from tests.api_client import Api

# The name of the field in the API, ours, and values of which some are invalid.
FIELDS: list[tuple[str, str, list[Any]]] = [
    ("title", "title", ["A title", "", "t" * 300, "t" * 301, "two\nlines"]),
    ("content", "content", ["", "# Text\n", "a\x00b", "x" * 1024 * 1024, "x" * (1024 * 1024 + 1)]),
    ("summary", "summary", ["", "two\nlines", "s" * 2000, "s" * 2001, "a\x00b"]),
    ("slug", "slug", ["a-slug", "A", "a--b", "-a", "a_b", "s" * 80, "s" * 81, "ä", "Ä", "a\u0308", "東京", "a\u200d"]),
    (
        "canonicalUrl",
        "canonical_url",
        ["https://a.example/b?c#d", "http://[::1]:80/", "ftp://a.example", "https://", "//a", "https://[", "a b"],
    ),
    ("coverImage", "cover_image", ["https://a.example/" + "x" * 1982, "https://a.example/" + "x" * 1983, "/media/x"]),
    ("coverAlt", "cover_alt", ["", "A ferry", "two\nlines", "a" * 1500, "a" * 1501, "a\x00b"]),
    ("coverCaption", "cover_caption", ["", "By [Ada](https://a.example)", "two\nlines", "a" * 1000, "a" * 1001]),
    ("metaTitle", "meta_title", ["", "A title", "two\nlines", "a" * 300, "a" * 301]),
    ("kind", "kind", ["post", "page", "story"]),
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


def is_rejected(words: dict[str, Any]) -> bool:
    try:
        check_fields(words)
    except Invalid:
        return True
    return False


@pytest.mark.parametrize(("theirs", "ours", "value"), CASES, ids=lambda value: str(value)[:20])
def test_the_form_and_the_api_accept_and_reject_the_same_values(api: Api, theirs: str, ours: str, value: Any) -> None:
    answer = api.post("/posts", json={"title": "A post"} | {theirs: value})
    assert is_rejected({ours: value}) == (answer.status_code == 422), answer.json


@pytest.mark.parametrize("own", [{"title": "t" * 301}, {"content": "\x00"}, {"tags": ["a", "A"]}, {"summary": "Fine."}])
def test_overrides_of_one_destination_are_validated_like_the_post(api: Api, own: dict[str, Any]) -> None:
    answer = api.post("/posts", json={"title": "A post", "overrides": {"site": own}})
    assert is_rejected({"overrides": {"site": own}}) == (answer.status_code == 422), answer.json


def test_every_error_is_returned_at_once_with_its_pointer() -> None:
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


def test_tags_are_separated_by_commas() -> None:
    assert split_tags(" Blogging,, self  hosted ,blogging\n, C++ ") == ["Blogging", "self hosted", "C++"]
    assert split_tags("") == split_tags(" , ") == []


@pytest.mark.parametrize("tags", [["a", "b c"], ['Paris, "Texas"', "d"], ['"', ","], []])
def test_joined_tags_split_into_the_same_tags(tags: list[str]) -> None:
    assert split_tags(join_tags(tags)) == tags


@pytest.mark.parametrize("text", ["x" * 300_000, '"unclosed, quote', 'a"b', "\x00"])
def test_any_text_can_be_split_into_tags(text: str) -> None:
    assert all(isinstance(tag, str) for tag in split_tags(text))
