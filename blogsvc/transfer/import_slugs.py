"""Settle the slugs of an import before its posts are made, so that links lead to posts that are made later."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count
from typing import Any

from sqlalchemy import Row, select

from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH
from blogsvc.models import Post, PostSlug, db, transaction
from blogsvc.models.import_job import ImportedPost, ImportJob, known_sources
from blogsvc.posts.slugs import RESERVED
from blogsvc.transfer.import_lease import ImportLease

_SETTLED = "slugs"  # the choice of an import with the slugs that are not those of the file, by the ids of entries


def settle(lease: ImportLease) -> None:
    """Store the slug that each post will have: a new one for a post whose slug another one has, or will have before.

    Posts that are here already have their slug here.
    """
    if _SETTLED in ImportJob.get(lease.import_id).choices:
        return
    with transaction():
        job = lease.row()
        query = select(ImportedPost.id, ImportedPost.slug, ImportedPost.source, ImportedPost.status)
        rows = db.session.execute(query.where(ImportedPost.import_id == job.id).order_by(ImportedPost.number)).all()
        slugs = _settled(rows, job.choices)
        changed = {str(row.id): slugs[row.id] for row in rows if slugs.get(row.id, row.slug) != row.slug}
        job.choices = {**job.choices, _SETTLED: changed}


def slug_of(entry_id: int, slug: str, choices: Mapping[str, Any]) -> str:
    """Return the slug that a post of an import will have. `slug` is that of the file."""
    return str(choices.get(_SETTLED, {}).get(str(entry_id), slug))


def is_unwanted_draft(status: str, choices: Mapping[str, Any]) -> bool:
    """Return True for a draft if the user wants none. A scheduled post is one unless it keeps its time."""
    is_draft = status == "draft" or (status == "scheduled" and not choices.get("schedule"))
    return is_draft and not choices.get("drafts", True)


def planned(import_: ImportJob, slugs: Collection[str]) -> set[str]:
    """Return those of the slugs that posts will have which the import has not made yet."""
    if not slugs:
        return set()
    query = select(ImportedPost.slug).where(ImportedPost.import_id == import_.id, ImportedPost.state == "waiting")
    found = db.session.scalars(query.where(ImportedPost.slug.in_(slugs)))
    return {*found, *(slug for slug in import_.choices.get(_SETTLED, {}).values() if slug in slugs)}


def vacant(slug: str, is_taken: Callable[[str], bool], *, first: int = 1) -> tuple[str, int]:
    """Return the slug, with a number if it is taken, and this number. Numbers before `first` are known to be taken."""
    for number in count(first):
        one = slug if number == 1 else f"{slug[: MAX_SLUG_LENGTH - 6].rstrip('-')}-{number}"
        if one not in RESERVED and not is_taken(one):
            return one, number
    raise AssertionError("there are endless numbers")


def _settled(rows: Iterable[Row[int, str, str, str]], choices: Mapping[str, Any]) -> dict[int, str]:
    """Return the slugs of posts by the ids of their entries."""
    rows = list(rows)
    here = _slugs_here({row.source for row in rows})
    in_use = PostSlug.taken({row.slug for row in rows})
    free = {row.slug for row in rows} - in_use
    settled, sources, taken, numbers = dict[int, str](), set[str](), set[str](), dict[str, int]()

    def is_taken(slug: str) -> bool:
        return slug in taken or slug in in_use or (slug not in free and db.session.get(PostSlug, slug) is not None)

    for row in rows:
        if row.source in here:
            settled[row.id] = here[row.source]
        elif row.source not in sources and not is_unwanted_draft(row.status, choices):
            if row.slug in in_use and choices.get("taken") != "rename":
                continue  # it will be skipped
            sources.add(row.source)
            slug, number = vacant(row.slug, is_taken, first=numbers.get(row.slug, 1))
            numbers[row.slug] = number + 1
            taken.add(slug)
            settled[row.id] = slug
    return settled


def _slugs_here(sources: Collection[str]) -> dict[str, str]:
    """Return the slugs of posts that are here already, by their sources."""
    ids = known_sources(sources)
    own = (source for source in sources if source.startswith("blogsvc:"))
    ids |= {source: source.partition(":")[2] for source in own if source not in ids}
    wanted, slugs = list(ids.values()), dict[str, str]()
    for start in range(0, len(wanted), 500):
        query = select(Post.id, Post.slug).where(Post.id.in_(wanted[start : start + 500]))
        slugs |= dict(iter(db.session.execute(query)))
    return {source: slugs[post_id] for source, post_id in ids.items() if post_id in slugs}
