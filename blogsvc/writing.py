"""Writing: create, edit, discard and restore a post. Nothing here is seen by a reader."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain, count
from secrets import randbelow
from typing import Any

from sqlalchemy import delete, select

from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.lib.text import slugify
from blogsvc.models import Address, Post, Revision, Setting, db, record, transaction
from blogsvc.models.setting import site_changed

# First parts of a path that are the service's own; no post may live there.
RESERVED = frozenset(
    {
        "api",
        "archive",
        "assets",
        "desk",
        "docs",
        "favicon.ico",
        "feed",
        "feed.json",
        "feed.xml",
        "health",
        "insights",
        "login",
        "logout",
        "media",
        "metrics",
        "page",
        "ready",
        "robots.txt",
        "search",
        "settings",
        "setup",
        "sitemap.xml",
        "static",
        "tag",
        "tags",
        "well-known",
    }
)


TRASH_IS_KEPT = timedelta(days=30)
# Of the 80 characters of a slug, what is left for the title beside a number.
LONGEST_STEM = 71
MOST_NUMBERED = 20
LONGEST_TITLE = 300
COPY = " (copy)"


def create(words: dict[str, Any], platforms: list[str] | None, now: datetime) -> Post:
    """A new draft. `words` is any of `words.WORDS`; without a slug one is made of the title.

    Raises Invalid where the slug is another post's or the service's own.
    """
    with transaction():
        slug = words.get("slug")
        words = {**words, "slug": _claimed(slug) if slug else _free_slug(words["title"])}
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
            words["slug"] = _move(post, words["slug"])
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
    live = post.live_revision() if post.published_at else None  # else it is only the words that once had a time
    post.has_unpublished_changes = live is not None and live.words() != post.words()


def discard(post: Post, now: datetime, *, withdraw: bool = False) -> None:
    """Put a post in the trash, off our blog and off every queue; with `withdraw`, take its copies down too."""
    with transaction():
        post.may("delete")
        for delivery in post.deliveries:
            if withdraw:
                delivery.want(None, now)
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


def duplicate(post: Post, now: datetime) -> Post:
    """A draft with the same words and destinations, at an address of its own and without a time."""
    words = post.words() | {"title": f"{post.title[: LONGEST_TITLE - len(COPY)]}{COPY}", "slug": None}
    return create(words | {"canonical_url": None}, list(post.platforms), now)


def restore_revision(post: Post, revision: Revision, now: datetime) -> Post:
    """Take the words of a revision for the working copy. The address stays: readers may know it."""
    with transaction():
        return edit(post, {**revision.words(), "slug": post.slug}, None, now)


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
        old = select(Post).where(Post.deleted_at < now - TRASH_IS_KEPT)
        ids = [post.id for post in db.session.scalars(old) if all(d.is_settled for d in post.deliveries)]
        _erase(ids, now)
        return len(ids)


def _erase(ids: list[str], now: datetime) -> None:
    db.session.execute(delete(Post).where(Post.id.in_(ids)))
    for post_id in ids:
        record("post.erased", now, postId=post_id)


def _move(post: Post, slug: str | None) -> str:
    """A new slug for a post. The old one goes on leading here if readers may know it, else it is set free."""
    slug = slug or _free_slug(post.title, but=post)
    mine = db.session.get(Address, slug)
    if mine is None or mine.post_id != post.id:
        _claimed(slug)
        db.session.add(Address(slug=slug, post_id=post.id))
    old = db.session.get(Address, post.slug)
    if old is not None and post.published_at is None and post.slug != slug:
        db.session.delete(old)
    return slug


def _claimed(slug: str) -> str:
    taken = slug in RESERVED or db.session.get(Address, slug) is not None
    if taken:
        raise Invalid(Fault("#/slug", "taken", f"The address {slug!r} is in use; choose another slug."))
    return slug


def _free_slug(title: str, but: Post | None = None) -> str:
    """The title as an address, numbered from 2 where others have it already."""
    stem = slugify(title, LONGEST_STEM) or "untitled"
    numbered = (f"{stem}-{number}" for number in range(2, MOST_NUMBERED))
    # Past those a number is drawn, so that the thousandth post of a name costs what the tenth does.
    drawn = (f"{stem}-{randbelow(10**8)}" for _ in count())
    return next(slug for slug in chain((stem,), numbered, drawn) if not _is_taken(slug, but))


def _is_taken(slug: str, but: Post | None) -> bool:
    return slug in RESERVED or _is_another(slug, but)


def _is_another(slug: str, but: Post | None) -> bool:
    there = db.session.get(Address, slug)
    return there is not None and (but is None or there.post_id != but.id)


def default_platforms() -> list[str]:
    """Where a post goes that names no platforms."""
    return list(Setting.read("default_platforms"))
