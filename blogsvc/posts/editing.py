"""Writing: create, edit, discard and restore a post. Nothing here is seen by a reader."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select

from blogsvc.errors import StateConflict
from blogsvc.models import Post, Revision, Setting, db, record, transaction
from blogsvc.models.setting import site_changed
from blogsvc.posts import slugs
from blogsvc.posts.rules import MAX_TITLE_LENGTH

TRASH_KEPT_FOR = timedelta(days=30)
COPY_SUFFIX = " (copy)"


def create(words: dict[str, Any], platforms: list[str] | None, now: datetime) -> Post:
    """A new draft. `words` is any of `words.WORDS`; without a slug one is made of the title.

    Raises Invalid where the slug is another post's or the service's own.
    """
    with transaction():
        slug = words.get("slug")
        words = {**words, "slug": slugs.require_free(slug) if slug else slugs.free_slug(words["title"])}
        post = Post.write(words, default_platforms() if platforms is None else platforms, now)
        post.revise("saved", now)
        record("post.created", now, post_id=post.id)
        return post


def edit(post: Post, changes: dict[str, Any], platforms: list[str] | None, now: datetime) -> Post:
    """Change the working copy. A schedule follows it; what is live does not, until published again."""
    with transaction():
        post.may("edit")
        words = {name: value for name, value in changes.items() if getattr(post, name) != value}
        if "slug" in words:
            words["slug"] = slugs.change_slug(post, words["slug"])
        if not words and platforms in (None, post.platforms):
            return post
        post.rewrite(words, post.platforms if platforms is None else platforms, now)
        _follow(post, now)
        record("post.updated", now, post_id=post.id, fields=sorted(words))
        return post


def _follow(post: Post, now: datetime) -> None:
    """What an edit means for the revision that is live, or pinned to be."""
    if post.state == "scheduled":
        post.demand_words("scheduled")
        post.pin("scheduled", now)
        return
    post.revise("saved", now)
    post.note_changes()


def discard(post: Post, now: datetime, *, withdraw: bool = False) -> None:
    """Put a post in the trash, off our blog and off every queue; with `withdraw`, take its copies down too."""
    with transaction():
        post.may("delete")
        for delivery in post.deliveries:
            if withdraw:
                delivery.want_none(now)
            else:
                delivery.cancel(now)
        if post.site_revision_id is not None:
            post.leave_site(now)
            site_changed()
        post.deleted_at = post.updated_at = now
        record("post.deleted", now, post_id=post.id, withdraw=withdraw)


def restore(post: Post, now: datetime) -> Post:
    """Take a post out of the trash: as a draft, or as unpublished where it had been live."""
    with transaction():
        if post.deleted_at is None:
            raise StateConflict("This post is not in the trash.", state=post.state)
        post.deleted_at, post.updated_at = None, now
        post.retire()
        record("post.restored", now, post_id=post.id)
        return post


def duplicate(post: Post, now: datetime, author_id: str | None = None) -> Post:
    """A draft with the same words and destinations, at an address of its own and without a time.

    It is `author_id`'s: who may see no posts but their own would else lose sight of it.
    """
    words = post.words() | {"title": f"{post.title[: MAX_TITLE_LENGTH - len(COPY_SUFFIX)]}{COPY_SUFFIX}", "slug": None}
    with transaction():
        copy = create(words | {"canonical_url": None}, list(post.platforms), now)
        copy.author_id = author_id
        return copy


def restore_revision(post: Post, revision: Revision, now: datetime) -> Post:
    """Take the words of a revision for the working copy, as another revision: nothing is lost by it.

    The address stays, since readers may know it; so does what is live, or has a time, until the author says so.
    """
    with transaction():
        post.may("edit")
        wanted = revision.words() | {"slug": post.slug}
        words = {name: value for name, value in wanted.items() if getattr(post, name) != value}
        if not words:
            return post
        post.revise("saved", now)  # whatever no revision holds yet
        post.rewrite(words, post.platforms, now)
        post.revise("restored", now).restored_from = revision.number
        post.note_changes()
        record("post.updated", now, post_id=post.id, fields=sorted(words))
        return post


def erase(post: Post, now: datetime) -> None:
    """Erase a post with all that belongs to it. Its copies elsewhere stay where they are.

    Raises StateConflict while something is on its way there, since nobody could follow it any more.
    """
    with transaction():
        if any(delivery.state == "sending" for delivery in post.deliveries):
            raise StateConflict(
                "Something of this post is on its way; try again once it has arrived.", state=post.state
            )
        if post.site_revision_id is not None:
            site_changed()
        _erase([post.id], now)


def empty_trash(now: datetime) -> int:
    """Erase what was discarded 30 days ago, unless a copy of it is still to be taken down. Answers how many went."""
    with transaction():
        old = select(Post).where(Post.deleted_at < now - TRASH_KEPT_FOR)
        ids = [post.id for post in db.session.scalars(old) if all(d.is_settled for d in post.deliveries)]
        _erase(ids, now)
        return len(ids)


def _erase(ids: list[str], now: datetime) -> None:
    db.session.execute(delete(Post).where(Post.id.in_(ids)))
    for post_id in ids:
        record("post.erased", now, postId=post_id)


def default_platforms() -> list[str]:
    """Where a post goes that names no platforms."""
    return list(Setting.read("default_platforms"))
