"""Many posts at once: each is done or refused for itself, and what became of them is said in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from flask import request

from blogsvc.errors import BlogError, Busy, StateConflict
from blogsvc.models import Delivery, Post, db, transaction
from blogsvc.web import current_person
from blogsvc.web.rendering import notice
from blogsvc.web.wording import POST_STATES

# A page has fewer; more are not asked for by a person.
MAX_BULK_POSTS = 200
# Of those that could not be done, so many are named.
MAX_POSTS_NAMED = 3


@dataclass
class BulkOutcome:
    """What was done, and what was not and why: the post's name, and the reason."""

    done: list[Post] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    def tell(self, done: str) -> None:
        """Show "8 posts scheduled, 1 failed: ..." on the next page. `done` is a past participle: "scheduled"."""
        count = len(self.done)
        said = [f"{count} {'post' if count == 1 else 'posts'} {done}"] if count else []
        if self.refused:
            said.append(f"{len(self.refused)} failed")
        if not said:
            return
        why = "; ".join(f"“{name}”: {reason}" for name, reason in self.refused[:MAX_POSTS_NAMED])
        rest = f"; and {len(self.refused) - MAX_POSTS_NAMED} more" if len(self.refused) > MAX_POSTS_NAMED else ""
        text = ", ".join(said) + (f": {why}{rest}" if why else "")
        notice(text if text.endswith((".", "!", "?")) else f"{text}.", "trouble" if self.refused else "done")


def chosen() -> list[str]:
    """The ids of the posts that were chosen, each once."""
    given = request.form.getlist("post") if request.method == "POST" else request.args.getlist("post")
    return list(dict.fromkeys(one.replace("\0", "") for one in given))[:MAX_BULK_POSTS]


def seen(ids: Iterable[str], *, trashed: bool = False) -> list[Post]:
    """Those of the posts that are there and may be seen."""
    found = []
    for post_id in ids:
        try:
            found.append(current_person.post(post_id, trashed=trashed))
        except BlogError:
            continue
    return found


def each(ids: Iterable[str], act: Callable[[Post], object], *, trashed: bool = False) -> BulkOutcome:
    """Do this to each of the posts, all or nothing for itself."""

    def find(post_id: str) -> tuple[Post, Post]:
        post = current_person.post(post_id, trashed=trashed)
        return post, post

    return _each(ids, find, act)


def each_delivery(ids: Iterable[str], act: Callable[[Delivery], object]) -> BulkOutcome:
    """The same for deliveries."""

    def find(delivery_id: str) -> tuple[Post, Delivery]:
        delivery = Delivery.get(delivery_id)
        current_person.person().demand_sight(delivery.post)
        return delivery.post, delivery

    return _each(ids, find, act)


T = TypeVar("T")


def _each(ids: Iterable[str], find: Callable[[str], tuple[Post, T]], act: Callable[[T], object]) -> BulkOutcome:
    outcome = BulkOutcome()
    with transaction():
        for one in ids:
            _try(one, find, act, outcome)
    return outcome


def _try(one: str, find: Callable[[str], tuple[Post, T]], act: Callable[[T], object], outcome: BulkOutcome) -> None:
    savepoint = db.session.begin_nested()
    name = "A post"
    try:
        post, thing = find(one)
        name = post.title or "Untitled"
        act(thing)
    except Busy:
        raise
    except BlogError as error:
        savepoint.rollback()
        outcome.refused.append((name, _reason(error)))
    else:
        savepoint.commit()
        outcome.done.append(post)


def _reason(error: BlogError) -> str:
    """The words of an error, without those that are meant for programs."""
    if isinstance(error, StateConflict) and error.allowed and error.state in POST_STATES:
        return f"the post is {POST_STATES[error.state].lower()}"
    return str(error)
