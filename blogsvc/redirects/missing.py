"""Missing addresses: list them, suggest where each could lead, and forget one."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from blogsvc.lib import blog_paths
from blogsvc.models import MissingAddress, transaction
from blogsvc.models.missing_address import remove, worth_showing
from blogsvc.posts.closest_slugs import ClosestSlugs
from blogsvc.posts.old_addresses import find_addresses

MAX_SUGGESTIONS = 25


class Missing(NamedTuple):
    """A missing address, and the path of the post whose slug is closest to it."""

    row: MissingAddress
    suggestion: str | None


def missing_addresses() -> list[MissingAddress]:
    """Return the addresses without a page that are worth a redirect, those asked for most first.

    They were asked for on two days, or a page links to them, and nothing is found there by now.
    """
    rows = worth_showing()
    leads_to = find_addresses(row.path for row in rows)
    return [row for row in rows if leads_to[row.path] is None]


def with_suggestions(rows: list[MissingAddress]) -> list[Missing]:
    """Return the addresses with suggestions, which only the first MAX_SUGGESTIONS get."""
    slugs = ClosestSlugs.of_newest() if rows else ClosestSlugs([])
    suggested = [_suggestion(row.path, slugs) for row in rows[:MAX_SUGGESTIONS]]
    return [Missing(row, path) for row, path in zip_longest(rows, suggested)]


def ignore(path: str) -> None:
    """Forget a missing address. It comes back if readers ask for it again. Raises NotFound."""
    with transaction():
        remove([MissingAddress.get(path).path])


def _suggestion(path: str, slugs: ClosestSlugs) -> str | None:
    return next(map(blog_paths.of_post, slugs.to(path, 1)), None)
