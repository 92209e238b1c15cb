"""Ids: their form, and that they sort by creation."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from ulid import ULID

from blogsvc.lib.ids import _ulid, made_at, new_id

NOW = datetime(2026, 11, 21, 9, 0, 0, 123_000, tzinfo=UTC)


def test_an_id_is_its_prefix_and_a_lowercase_ulid():
    assert re.fullmatch(r"post_[0-9a-hjkmnp-tv-z]{26}", new_id("post"))


def test_an_id_contains_its_time_in_milliseconds():
    for milliseconds in range(1000):
        at = NOW + timedelta(milliseconds=milliseconds)
        ulid = ULID.from_str(new_id("post", at).removeprefix("post_").upper())
        assert ulid.milliseconds == 1_795_251_600_123 + milliseconds


def test_an_id_of_a_time_before_1970_is_a_ulid_that_sorts_first():
    old, new = (new_id("post", datetime(year, 1, 1, tzinfo=UTC)) for year in (1950, 1971))
    assert len(old) == len(new)
    assert old < new


def test_ids_of_one_millisecond_sort_by_creation():
    made = [new_id("post", NOW) for _ in range(2000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_ids_of_one_millisecond_keep_their_order_with_other_ids_between():
    made = []
    for _ in range(200):
        made.append(new_id("event", NOW))
        new_id("request")
    assert made == sorted(made)


def test_ids_sort_by_creation():
    made = [new_id("post") for _ in range(2000)]
    assert made == sorted(made)


def test_threads_never_create_the_same_id():
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: new_id("post", NOW), range(4000)))
    assert len(set(made)) == len(made)


def test_the_creation_time_can_be_read_from_an_id():
    assert made_at(new_id("post", NOW)) == NOW


@pytest.mark.parametrize("text", ["", "op-1", "post_", "post_" + "u" * 26, "post_" + "é" * 26])
def test_an_invalid_id_has_no_creation_time(text):
    assert made_at(text) is None


@pytest.mark.parametrize("number", [0, 1, 2**128 - 1, 0x0123456789ABCDEF0123456789ABCDEF])
def test_a_ulid_is_the_one_of_the_library(number: int) -> None:
    assert _ulid(number) == str(ULID.from_int(number)).lower()


def test_a_forked_process_makes_other_ids_than_its_parent() -> None:
    new_id("post")  # so that random bits are in memory
    reads, writes = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writes, new_id("post", NOW).encode())
        os._exit(0)
    os.waitpid(child, 0)
    with os.fdopen(reads) as told:
        os.close(writes)
        assert told.read() != new_id("post", NOW)
