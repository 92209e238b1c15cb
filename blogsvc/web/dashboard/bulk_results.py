"""Run an action on many posts, each in a savepoint of its own, and summarise the results in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from flask import request

from blogsvc.errors import BlogError, Busy, StateConflict
from blogsvc.models import Delivery, Post, transaction
from blogsvc.models.transactions import savepoint
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import Undo, notice
from blogsvc.web.framework.wording import POST_STATES

# More than a page shows.
MAX_BULK_POSTS = 200
# The number of failed posts that the summary names.
MAX_POSTS_NAMED = 3


@dataclass
class BulkOutcome:
    """The posts that succeeded, and the name and error of those that failed."""

    done: list[Post] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    def tell(self, done: str, undo: Undo | None = None) -> None:
        """Show "8 posts scheduled, 1 failed: ..." on the next page. `done` is a past participle: "scheduled"."""
        count = len(self.done)
        parts = [f"{count} {'post' if count == 1 else 'posts'} {done}"] if count else []
        if self.refused:
            parts.append(f"{len(self.refused)} failed")
        if not parts:
            return
        why = "; ".join(f"“{name}”: {reason}" for name, reason in self.refused[:MAX_POSTS_NAMED])
        rest = f"; and {len(self.refused) - MAX_POSTS_NAMED} more" if len(self.refused) > MAX_POSTS_NAMED else ""
        text = ", ".join(parts) + (f": {why}{rest}" if why else "")
        ended = text if text.endswith((".", "!", "?")) else f"{text}."
        notice(ended, "trouble" if self.refused else "done", undo if self.done else None)


def chosen() -> list[str]:
    """Return the ids of the selected posts, without duplicates."""
    given = request.form.getlist("post") if request.method == "POST" else request.args.getlist("post")
    return list(dict.fromkeys(one.replace("\0", "") for one in given))[:MAX_BULK_POSTS]


def seen(ids: Iterable[str], *, trashed: bool = False) -> list[Post]:
    """Return the posts that exist and that the user may see."""
    posts = []
    for post_id in ids:
        try:
            posts.append(current_user.post(post_id, trashed=trashed))
        except BlogError:
            continue
    return posts


def each(ids: Iterable[str], act: Callable[[Post], object], *, trashed: bool = False) -> BulkOutcome:
    """Run an action on each post. A failure does not affect the other posts."""

    def find(post_id: str) -> tuple[Post, Post]:
        post = current_user.post(post_id, trashed=trashed)
        return post, post

    return _each(ids, find, act)


def each_delivery(ids: Iterable[str], act: Callable[[Delivery], object]) -> BulkOutcome:
    """Run an action on each delivery. A failure does not affect the other deliveries."""

    def find(delivery_id: str) -> tuple[Post, Delivery]:
        delivery = Delivery.get(delivery_id)
        current_user.user().require_visible(delivery.post)
        return delivery.post, delivery

    return _each(ids, find, act)


T = TypeVar("T")


def _each(ids: Iterable[str], find: Callable[[str], tuple[Post, T]], act: Callable[[T], object]) -> BulkOutcome:
    outcome = BulkOutcome()
    with transaction():
        for one in ids:
            _try(one, find, act, outcome)
    return outcome


def _try(row_id: str, find: Callable[[str], tuple[Post, T]], act: Callable[[T], object], outcome: BulkOutcome) -> None:
    name = "A post"
    try:
        with savepoint():
            post, thing = find(row_id)
            name = post.title or "Untitled"
            act(thing)
    except Busy:
        raise
    except BlogError as error:
        outcome.refused.append((name, _reason(error)))
    else:
        outcome.done.append(post)


def _reason(error: BlogError) -> str:
    """Return the error message, with the state of the post in the words of the interface."""
    if isinstance(error, StateConflict) and error.allowed and error.state in POST_STATES:
        return f"the post is {POST_STATES[error.state].lower()}"
    return str(error)
