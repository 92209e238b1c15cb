"""Every regular expression takes linear time: no text of an author can block a thread."""

from __future__ import annotations

import importlib
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from types import FrameType
from typing import Any

import pytest

from blogsvc.api.framework.openapi import document
from blogsvc.config import ROOT
from blogsvc.connectors.folder.site_layouts import LAYOUTS
from blogsvc.lib.text import excerpt, slugify, strip_front_matter, word_count, written_words
from tests.tiers import exhaustive

LENGTH = 1_000  # characters; a quadratic pattern takes some ms for it, a cubic or worse one many seconds
LONGEST = 2.0  # seconds for one text
LETTERS = tuple("a0 -_.:/\n\t<>[]\"'=#@é中")
ENDS = ("", "!", "\n\n", "\x00")


def patterns() -> dict[str | bytes, re.Pattern[Any]]:
    """Return the patterns that our modules compile, and those in the OpenAPI document."""
    found: dict[str | bytes, re.Pattern[Any]] = {}
    for file in (ROOT / "blogsvc").rglob("*.py"):
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if "migrations" not in name:
            values = vars(importlib.import_module(name)).values()
            found |= {each.pattern: each for each in values if isinstance(each, re.Pattern)}
    return found | {text: re.compile(text) for text in _told(document())}


def _told(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            yield part["pattern"]
        yield from (text for each in part.values() for text in _told(each))
    elif isinstance(part, list):
        yield from (text for each in part for text in _told(each))


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Stop a match that would not end."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def slow_texts(pattern: re.Pattern[Any]) -> Iterator[str]:
    for first, second, end in product(LETTERS, LETTERS, ENDS):
        words = (first + second) * (LENGTH // 2) + end
        text: Any = words.encode() if isinstance(pattern.pattern, bytes) else words
        with stopped_after(LONGEST):
            try:
                pattern.search(text)
                pattern.fullmatch(text)
            except TimeoutError:
                yield repr((first + second, end))
                return


# Functions that read a whole text, up to the MiB that a post may have.
WHOLE: dict[str, Callable[[str], object]] = {
    "slugify": slugify,
    "front matter": strip_front_matter,
    "word count": word_count,
    "written words": written_words,
    "excerpt": lambda text: excerpt(text, 240),
    "Hugo": LAYOUTS["hugo"].text,
    "Jekyll": LAYOUTS["jekyll"].text,
    "Astro": LAYOUTS["astro"].text,
}
BEGINNINGS = (
    "{{<",
    "{{%",
    "{{</*",
    "![",
    "![a](",
    "<img src=",
    "<p>",
    "<a",
    "---\na: ",
    "+++\n",
    "\\",
    "'",
    "a-",
    "a ",
    "&",
    "<!--",
)


@pytest.mark.parametrize("name", WHOLE)
def test_a_long_text_is_matched_in_one_pass(name: str) -> None:
    for beginning in (*BEGINNINGS, *LETTERS):
        text = (beginning * 200_000)[:200_000]
        with stopped_after(30):
            WHOLE[name](text)


@exhaustive
def test_every_pattern_ends_in_bounded_time_for_any_text() -> None:
    assert {text: slow for text, pattern in patterns().items() if (slow := list(slow_texts(pattern)))} == {}


def test_the_check_itself_detects_a_catastrophic_pattern() -> None:
    began = time.monotonic()
    assert list(slow_texts(re.compile(r"(a+)+$")))
    assert time.monotonic() - began < 60


def test_patterns_are_found() -> None:
    assert len(patterns()) > 30
