"""Missing addresses: list them, suggest where each could lead, and forget one."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import NamedTuple

from sqlalchemy import select

from blogsvc.lib import blog_paths
from blogsvc.models import MissingAddress, Post, Revision, db, transaction
from blogsvc.models.missing_address import remove, worth_showing
from blogsvc.posts.old_addresses import find_addresses

# How many of the newest posts a suggestion comes from, and for how many addresses there is one.
MAX_SLUGS = 2_000
MAX_SUGGESTIONS = 25
# How similar two slugs must be, from 0 to 1.
_LIKENESS = 0.6
_AT_END = re.compile(r"(?:\.\w{1,5})?$")


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
    slugs = _published_slugs() if rows else []
    return [
        Missing(row, closest(row.path, slugs) if number < MAX_SUGGESTIONS else None) for number, row in enumerate(rows)
    ]


def closest(path: str, slugs: list[str]) -> str | None:
    """Return the path of the slug that is closest to the last part of a path; None if none is similar."""
    wanted = _AT_END.sub("", path.rpartition("/")[2].casefold())[:100]
    found = get_close_matches(wanted, slugs, n=1, cutoff=_LIKENESS) if wanted else []
    return blog_paths.of_post(found[0]) if found else None


def ignore(path: str) -> None:
    """Forget a missing address. It comes back if readers ask for it again. Raises NotFound."""
    with transaction():
        remove([MissingAddress.get(path).path])


def _published_slugs() -> list[str]:
    query = select(Revision.slug).join(Post, Post.site_revision_id == Revision.id).where(Post.deleted_at.is_(None))
    return list(db.session.scalars(query.order_by(Post.published_at.desc()).limit(MAX_SLUGS)))
