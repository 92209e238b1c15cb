"""Add a tag to posts, or remove one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from blogsvc.errors import Fault, Invalid
from blogsvc.models import Post, record, transaction
from blogsvc.posts import rules


def tag(post: Post, name: str, now: datetime) -> Post:
    """Add a tag. Does nothing if the post has it in any case. Raises Invalid."""
    name = " ".join(name.split())
    if wrong := rules.wrong_value("tag", name):
        raise Invalid(replace(wrong, pointer="#/tag"))
    with transaction():
        if _has(post, name):
            return post
        if len(post.tags) >= rules.MAX_TAGS:
            raise Invalid(Fault("#/tag", "too_many", f"A post can have at most {rules.MAX_TAGS} tags."))
        return _retag(post, [*post.tags, name], now)


def untag(post: Post, name: str, now: datetime) -> Post:
    """Remove a tag, ignoring case. Does nothing if the post does not have it."""
    name = " ".join(name.split())
    with transaction():
        if not _has(post, name):
            return post
        return _retag(post, [tag for tag in post.tags if tag.casefold() != name.casefold()], now)


def _has(post: Post, name: str) -> bool:
    return name.casefold() in {tag.casefold() for tag in post.tags}


def _retag(post: Post, tags: list[str], now: datetime) -> Post:
    """Save the tags.

    A scheduled post will be published with the new tags, unless it has other edits that its author has not
    scheduled.
    """
    post.require_move("edit")
    pinned = post.pinned_revision()
    is_in_step = pinned is not None and pinned.fields() == post.fields()
    post.rewrite({"tags": tags}, post.platforms, now)
    if post.state == "scheduled" and is_in_step:
        post.pin("scheduled", now)
    else:
        post.revise("saved", now)
        post.note_changes()
    record("post.updated", now, post_id=post.id, fields=["tags"])
    return post
