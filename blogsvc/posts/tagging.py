"""Tagging: give posts a tag, or take one from them."""

from __future__ import annotations

from datetime import datetime

from blogsvc.errors import Fault, Invalid
from blogsvc.models import Post, record, transaction
from blogsvc.posts.rules import MAX_TAG_LENGTH, MAX_TAGS


def tag(post: Post, name: str, now: datetime) -> Post:
    """One that the post has already, in whatever case, stays as it is written there. Raises Invalid."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= MAX_TAG_LENGTH or not name.isprintable():
        raise Invalid(Fault("#/tag", "invalid", f"A tag is one line of 1 to {MAX_TAG_LENGTH} characters."))
    with transaction():
        if _has(post, name):
            return post
        if len(post.tags) >= MAX_TAGS:
            raise Invalid(Fault("#/tag", "too_many", f"A post has at most {MAX_TAGS} tags."))
        return _retag(post, [*post.tags, name], now)


def untag(post: Post, name: str, now: datetime) -> Post:
    """One that it does not have is no fault."""
    name = " ".join(name.split())
    with transaction():
        if not _has(post, name):
            return post
        return _retag(post, [tag for tag in post.tags if tag.casefold() != name.casefold()], now)


def _has(post: Post, name: str) -> bool:
    return name.casefold() in {tag.casefold() for tag in post.tags}


def _retag(post: Post, tags: list[str], now: datetime) -> Post:
    """What has a time goes out with the tags that it has now, unless it has other newer edits: those are not finished,
    or they would be in it."""
    post.may("edit")
    pinned = post.pinned_revision()
    is_in_step = pinned is not None and pinned.words() == post.words()
    post.rewrite({"tags": tags}, post.platforms, now)
    if post.state == "scheduled" and is_in_step:
        post.pin("scheduled", now)
    else:
        post.revise("saved", now)
        post.note_changes()
    record("post.updated", now, post_id=post.id, fields=["tags"])
    return post
