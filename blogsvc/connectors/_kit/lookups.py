"""Look a copy up in a list of the newest posts, which proves its absence only as far back as the list reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Generic, TypeVar

from blogsvc.connectors._kit.dates import iso_date
from blogsvc.connectors.types import CopyNotFound, CopyUnknown, Keys

T = TypeVar("T")

CLOCKS_DIFFER = timedelta(minutes=5)  # the most by which the clock of a platform may differ from ours


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of posts, newest first. `is_last` means that the platform has no older ones."""

    posts: Sequence[T]
    is_last: bool


def search(
    pages: Iterable[Page[T]], is_copy: Callable[[T], bool], made_at: Callable[[T], datetime | None], keys: Keys
) -> T | CopyNotFound | CopyUnknown:
    """Return the copy among the newest posts; CopyUnknown if the pages end before they reach back to its operation."""
    for page in pages:
        for post in page.posts:
            if is_copy(post):
                return post
        if page.is_last or reaches_back([made_at(post) for post in page.posts], chosen_at(keys)):
            return CopyNotFound()
    return CopyUnknown()


def search_all(
    pages: Iterable[Page[T]], is_copy: Callable[[T], bool], made_at: Callable[[T], datetime | None], keys: Keys
) -> list[T]:
    """Return all copies among the newest posts, as far back as the pages reach, or to the time of the operation."""
    found: list[T] = []
    for page in pages:
        found += filter(is_copy, page.posts)
        if page.is_last or reaches_back([made_at(post) for post in page.posts], chosen_at(keys)):
            break
    return found


def chosen_at(keys: Keys) -> datetime | None:
    """Return the time before which no attempt of the operation was made, on any clock; None if it is unknown."""
    chosen = iso_date(keys.get("armed_at"))
    return chosen - CLOCKS_DIFFER if chosen else None


def reaches_back(moments: Sequence[datetime | None], since: datetime | None) -> bool:
    """Return True if a list, newest first, includes everything since then. Else it may be one page of many."""
    known = [one for one in moments if one is not None]
    if since is None or not known or len(known) < len(moments):
        return False
    return known[-1] < since and all(newer >= older for newer, older in pairwise(known))
