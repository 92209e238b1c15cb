"""Ids: their form, and that they sort by creation."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from ulid import ULID

from blogsvc.lib.ids import made_at, new_id

NOW = datetime(2026, 11, 21, 9, 0, 0, 123_000, tzinfo=UTC)


def test_an_id_is_its_prefix_and_a_lowercase_ulid():
    assert re.fullmatch(r"post_[0-9a-hjkmnp-tv-z]{26}", new_id("post"))


def test_an_id_carries_its_time_to_the_millisecond():
    for milliseconds in range(1000):
        at = NOW + timedelta(milliseconds=milliseconds)
        ulid = ULID.from_str(new_id("post", at).removeprefix("post_").upper())
        assert ulid.milliseconds == 1_795_251_600_123 + milliseconds


def test_ids_of_one_millisecond_sort_as_they_were_made():
    made = [new_id("post", NOW) for _ in range(2000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_ids_of_one_millisecond_keep_their_order_though_others_are_made_in_between():
    made = []
    for _ in range(200):
        made.append(new_id("event", NOW))
        new_id("request")
    assert made == sorted(made)


def test_ids_of_the_present_sort_as_they_were_made():
    made = [new_id("post") for _ in range(2000)]
    assert made == sorted(made)


def test_threads_never_make_the_same_id():
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: new_id("post", NOW), range(4000)))
    assert len(set(made)) == len(made)


def test_an_id_tells_when_it_was_made():
    assert made_at(new_id("post", NOW)) == NOW


@pytest.mark.parametrize("text", ["", "op-1", "post_", "post_" + "u" * 26, "post_" + "é" * 26])
def test_what_is_no_id_of_ours_tells_nothing(text):
    assert made_at(text) is None
