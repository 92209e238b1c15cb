"""Drafting: what the editor does to a working copy while somebody writes.

It is saved in every state of the post, and no state is changed by it: what is live or has a time stays as it
is until the author says so.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.models import Post, Revision, Setting, record, transaction
from blogsvc.posts import slugs
from blogsvc.posts.rules import MAX_CONTENT_BYTES, MAX_TITLE_LENGTH


def begin(author_id: str | None, now: datetime) -> Post:
    """An empty draft, so that there is something to save to from the first letter on."""
    with transaction():
        words = {"title": "", "content": "", "summary": "", "slug": slugs.free_slug("")}
        post = Post.write(words, list(Setting.read("default_platforms")), now)
        post.author_id = author_id
        post.autosave(now)
        record("post.created", now, post_id=post.id)
        return post


def tidied(title: str, content: str) -> dict[str, str]:
    """The words of the editor as they are kept: a title in one line, ends of lines as they are here, nothing that is
    no text. Raises Invalid where there is too much of them."""
    words = {"title": " ".join(_text(title).split()), "content": _text(content).replace("\r\n", "\n")}
    faults = []
    if len(words["title"]) > MAX_TITLE_LENGTH:
        faults.append(Fault("#/title", "too_long", f"A title has at most {MAX_TITLE_LENGTH} characters."))
    if len(words["content"].encode()) > MAX_CONTENT_BYTES:
        faults.append(Fault("#/content", "too_long", "A text may have at most 1 MiB."))
    if faults:
        raise Invalid(*faults)
    return words


def _text(text: str) -> str:
    """Without NUL, and without halves of characters, such as an emoji that was cut in two."""
    return text.replace("\0", "").encode(errors="replace").decode()


def autosave(
    post: Post,
    changes: dict[str, Any],
    platforms: list[str] | None,
    rev: str,
    now: datetime,
    *,
    apart: bool = False,
) -> Post:
    """Write the working copy, in whatever state the post is. `rev` is the `post.rev` of what the author looks at.

    With `apart` in a revision of its own, so that what it writes over is kept. Raises Stale, and writes nothing,
    where what would be changed is not any more what the author saw; Invalid where a slug is taken. Nothing is
    changed, and nothing raised, where it is saved already.
    """
    with transaction():
        post.may("edit")
        wanted = changes if platforms is None else {**changes, "platforms": platforms}
        wanted = {name: value for name, value in wanted.items() if getattr(post, name) != value}
        if not wanted:
            return post
        post.demand_seen(rev, wanted)
        is_news = _write(post, wanted, now, apart)
        post.note_changes()
        if is_news:  # subscribers hear of a writing session, not of every pause in it
            record("post.updated", now, post_id=post.id, fields=sorted(wanted))
        return post


def _write(post: Post, wanted: dict[str, Any], now: datetime, apart: bool) -> bool:
    """Answers whether a new revision was begun."""
    words = {name: value for name, value in wanted.items() if name != "platforms"}
    if "slug" in words:
        words["slug"] = slugs.change_slug(post, words["slug"])
    elif "title" in words and _follows_title(post):
        words["slug"] = slugs.change_slug(post, slugs.free_slug(words["title"], but=post))
    post.rewrite(words, wanted.get("platforms", post.platforms), now)
    before = post.revision_count
    if apart:
        post.revise("autosaved", now)
    else:
        post.autosave(now)
    return post.revision_count > before


def _follows_title(post: Post) -> bool:
    """Whether the slug is still the title's: nobody knows it yet, and the author chose none."""
    return post.state == "draft" and post.published_at is None and slugs.is_slug_of(post.title, post.slug)


def set_aside(post: Post, words: dict[str, Any], now: datetime) -> Revision | None:
    """Keep in the history what the author wrote and then let go for what was written elsewhere; None where it is
    the same."""
    with transaction():
        post.may("edit")
        if all(getattr(post, name) == value for name, value in words.items()):
            return None
        return post.set_aside(words, now)


def update_schedule(post: Post, now: datetime) -> Post:
    """Let what has a time go out in the words as they stand. Raises StateConflict where it has none any more."""
    with transaction():
        if post.state != "scheduled":
            raise StateConflict("This post has no time any more at which it goes out.", state=post.state)
        post.demand_words("scheduled")
        post.pin("scheduled", now)
        post.updated_at = now
        record("post.updated", now, post_id=post.id, fields=[])
        return post
