"""Look a copy up in a list of the newest posts, by what was sent, for platforms that store no marker of ours.

Others write with the same account. A post is the copy only if it was created since the operation was chosen and has the
text that was sent. The list proves the absence of the copy only as far back as it reaches.
"""

from __future__ import annotations

import hashlib
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


@dataclass(frozen=True)
class Lookup(Generic[T]):
    """A search for the copy with these keys. `is_like` is true for the copy, and for posts that resemble it."""

    keys: Keys
    made_at: Callable[[T], datetime | None]
    is_like: Callable[[T], bool]
    has_sent_text: Callable[[T], bool]

    def first(self, pages: Iterable[Page[T]]) -> T | CopyNotFound | CopyUnknown:
        """Return the copy among the newest posts.

        CopyUnknown if there is only a new post that resembles it, or an older one with the same text, because the
        clock of the platform may be wrong, or if the pages end before they reach back to the operation.
        """
        is_doubtful = False
        for page in pages:
            for post in filter(self.is_like, page.posts):
                if self._is_copy(post):
                    return post
                is_doubtful = is_doubtful or not self._is_older(post) or self.has_sent_text(post)
            if self._is_end(page):
                return CopyUnknown() if is_doubtful else CopyNotFound()
        return CopyUnknown()

    def all(self, pages: Iterable[Page[T]]) -> list[T]:
        """Return all copies among the newest posts, as far back as the pages reach, or to the time of the operation."""
        copies: list[T] = []
        for page in pages:
            copies += filter(self._is_copy, page.posts)
            if self._is_end(page):
                break
        return copies

    def _is_copy(self, post: T) -> bool:
        return self.is_like(post) and is_made_since(self.made_at(post), self.keys) and self.has_sent_text(post)

    def _is_older(self, post: T) -> bool:
        """Return True if the post was certainly created before the operation was chosen."""
        made, since = self.made_at(post), chosen_at(self.keys)
        return made is not None and since is not None and made < since

    def _is_end(self, page: Page[T]) -> bool:
        return page.is_last or reaches_back([self.made_at(post) for post in page.posts], chosen_at(self.keys))


def is_made_since(made_at: datetime | None, keys: Keys) -> bool:
    """Return True if a post was certainly created since the operation was chosen."""
    since = chosen_at(keys)
    return made_at is not None and since is not None and made_at >= since


def words_hash(text: str) -> str:
    """Return a hash of a text without its spaces and line breaks, which platforms change."""
    return hashlib.sha256("".join(text.split()).encode(errors="backslashreplace")).hexdigest()


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
