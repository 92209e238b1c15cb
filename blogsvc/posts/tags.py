"""Suggest existing tags, so that authors reuse them, and write tags as text."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, or_, select

from blogsvc.lib.text.search_terms import fold
from blogsvc.models.base import db
from blogsvc.models.post import Post
from blogsvc.models.post_labels import SITE_TAG, PostLabel
from blogsvc.models.user import User

MAX_TAGS_TEXT_LENGTH = 10_000
_NEEDS_QUOTES = re.compile('[,"]')


@dataclass(frozen=True)
class TagCount:
    """A tag and the number of posts that have it, including drafts and posts in the trash."""

    name: str
    count: int


def tags_like(beginning: str, limit: int | None = None, user: User | None = None) -> list[TagCount]:
    """Return tags that contain a word starting with `beginning`, ignoring case and accents.

    Tags that start with it come first, then the most used. An empty beginning matches every tag. With `user`, only
    posts count that are public or that the user may see.
    """
    wanted = " " + fold(beginning)
    found = [(place, tag) for tag in _tag_counts(user) if (place := f" {fold(tag.name)}".find(wanted)) >= 0]
    found.sort(key=lambda each: (each[0] > 0, -each[1].count, each[1].name.casefold(), each[1].name))
    return [tag for _, tag in found[:limit]]


def _tag_counts(user: User | None) -> list[TagCount]:
    query = select(PostLabel.value, func.count(PostLabel.post_id.distinct())).group_by(PostLabel.value)
    is_tag = PostLabel.kind == "tag"
    if user is None or user.is_at_least("editor"):
        query = query.where(is_tag)
    else:
        is_visible = is_tag & PostLabel.post_id.in_(select(Post.id).where(user.visible_posts()))
        query = query.where(or_(is_visible, PostLabel.kind == SITE_TAG))
    return [TagCount(name, number) for name, number in db.session.execute(query)]


def shown_among(names: Collection[str]) -> set[str]:
    """Return those of the tags with which readers see a post."""
    shown = select(PostLabel.value).where(PostLabel.kind == SITE_TAG, PostLabel.value.in_(names)).distinct()
    return set(db.session.scalars(shown)) if names else set()


def split_tags(text: str) -> list[str]:
    """Split a comma-separated list of tags. Repeated tags, ignoring case, appear once."""
    tags: dict[str, str] = {}
    # Cut the text, because the csv module raises an error for very long fields.
    for tag in next(csv.reader([" ".join(text[:MAX_TAGS_TEXT_LENGTH].split())], skipinitialspace=True), []):
        if name := tag.strip():
            tags.setdefault(name.casefold(), name)
    return list(tags.values())


def join_tags(tags: list[str]) -> str:
    """Join tags for `split_tags`. A tag that contains a comma is quoted."""
    return ", ".join('"' + tag.replace('"', '""') + '"' if _NEEDS_QUOTES.search(tag) else tag for tag in tags)
