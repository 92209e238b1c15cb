"""Suggest existing tags, so that authors reuse them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from blogsvc.lib.search_terms import fold
from blogsvc.models.base import db
from blogsvc.models.post import PostLabel


@dataclass(frozen=True)
class TagCount:
    """A tag and the number of posts that have it, including drafts and posts in the trash."""

    name: str
    count: int


def tags_like(beginning: str, most: int) -> list[TagCount]:
    """Return tags that contain a word starting with `beginning`, ignoring case and accents.

    Tags that start with it come first, then the most used. An empty beginning matches every tag.
    """
    wanted = " " + fold(beginning)
    found = [(place, tag) for tag in _tag_counts() if (place := f" {fold(tag.name)}".find(wanted)) >= 0]
    found.sort(key=lambda each: (each[0] > 0, -each[1].count, each[1].name.casefold(), each[1].name))
    return [tag for _, tag in found[:most]]


def _tag_counts() -> list[TagCount]:
    count = func.count()
    rows = db.session.execute(select(PostLabel.value, count).where(PostLabel.kind == "tag").group_by(PostLabel.value))
    return [TagCount(name, number) for name, number in rows]
