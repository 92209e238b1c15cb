"""Suggest existing tags, so that authors reuse them, and write tags as text."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass

from sqlalchemy import ColumnElement, String, and_, cast, func, not_, or_, select

from blogsvc.lib.text.search_terms import fold
from blogsvc.models.base import db
from blogsvc.models.post import Post
from blogsvc.models.post_conditions import has_label
from blogsvc.models.post_labels import PostLabel
from blogsvc.models.revision import Revision
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
    query = select(PostLabel.value, func.count()).where(PostLabel.kind == "tag").group_by(PostLabel.value)
    if user is not None and not user.is_at_least("editor"):
        is_on_site = Post.site_revision_id.is_not(None) & Post.deleted_at.is_(None)
        # Only then the public revision has the tags of the working copy, which PostLabel holds.
        is_public = and_(is_on_site, not_(Post.has_unpublished_changes), Post.site_revision_id == Post.live_revision_id)
        query = query.join(Post, Post.id == PostLabel.post_id).where(or_(user.visible_posts(), is_public))
    return [TagCount(name, number) for name, number in db.session.execute(query)]


def is_shown_with(tag: str) -> ColumnElement[bool]:
    """Filter a query for posts and their revisions on the blog by a tag of that revision.

    PostLabel holds the tags of the working copy, so posts with unpublished changes are filtered by their
    revision.
    """
    is_ahead = or_(Post.has_unpublished_changes, Post.site_revision_id != Post.live_revision_id)
    text = cast(Revision.tags, String)
    # LIKE is case-sensitive on PostgreSQL but not on SQLite.
    is_in_revision = func.replace(text, json.dumps(tag), "") != text
    return or_(and_(not_(is_ahead), has_label("tag", [tag])), and_(is_ahead, is_in_revision))


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
