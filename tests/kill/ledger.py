"""The ledger: each post as its writer knows it, and what the server must return for it."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from threading import Event
from typing import Any

SITE = "site"  # this blog
LIVE = {"publishing", "published", "partial", "failed"}
TIMED = {"scheduled", *LIVE}
Call = Callable[..., tuple[int, Any]]
numbers = count(1)


@dataclass
class Known:
    """One post. If a response was lost, both the state before and the requested one are possible."""

    id: str
    platforms: list[str]
    titles: set[str]
    scheduled_at: datetime | None = None
    # Titles that copies may have; empty before publishing was requested.
    public: set[str] = field(default_factory=set)
    was_published_by_hand: bool = False
    is_surely_public: bool = False
    # Published manually, and the response arrived: it does not wait for the scheduler.
    is_surely_live: bool = False
    is_deleted: bool | None = False
    # No copy may be public.
    is_withdrawn: bool = False
    # How often it was unpublished, after which publishing creates copies again.
    unpublished: int = 0
    # A response was lost: no more requests for this post.
    is_closed: bool = False

    @property
    def is_ever_withdrawn(self) -> bool:
        """True if its copies were to be removed at some time, or may have been."""
        return self.unpublished > 0 or self.is_withdrawn or self.is_deleted is not False

    def faults(self, status: int, document: Any, is_in_trash: bool) -> list[str]:
        """Return differences between the document of the server and the ledger."""
        if self.is_deleted is None:
            return []
        if self.is_deleted:
            return [] if status == 404 and is_in_trash else [f"{self.id} was deleted, and is there again"]
        if status != 200:
            return [f"{self.id} is lost: {status}"]
        said = []
        if document["title"] not in self.titles:
            said.append(f"{self.id} is called {document['title']!r}, not {self.titles}")
        expected = LIVE if self.is_surely_live else TIMED
        if self.is_surely_public and document["status"] not in expected:
            said.append(f"{self.id} is {document['status']}, not one of {expected}")
        return said


@dataclass
class Draft:
    """A requested post, with an idempotency key to repeat the request."""

    title: str
    platforms: list[str]
    at: datetime | None
    body: dict[str, Any]


@dataclass
class Writer:
    """One client that writes as fast as possible, and keeps the ledger of its own posts."""

    call: Call
    random: Random
    places: list[str]
    posts: dict[str, Known] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    acknowledged: int = 0
    refusals: dict[int, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    # Requests that were not sent, and those that were interrupted.
    refused: int = 0
    cut_off: int = 0
    # Posts whose responses were lost. They are requested again, and must be created once.
    unanswered: list[Draft] = field(default_factory=list)
    repeated: int = 0
    new_posts: int = 4  # per round
    pause: float = 0.03  # the longest time between two requests, in seconds

    def write_until(self, stop: Event) -> None:
        left = self.new_posts
        while not stop.is_set():
            known = self._one_of_mine()
            if self.unanswered:
                self.repeated += 1
                self._ask_for(self.unanswered.pop())
            elif left and (known is None or self.random.random() < 0.3):
                left -= 1
                self._create()
            elif known is not None:
                self.touched.add(known.id)
                verbs = [self._edit, self._publish, self._unpublish, self._delete]
                self.random.choices(verbs, [10, 8, 3, 2])[0](known)
            time.sleep(self.random.uniform(0, self.pause))

    def _one_of_mine(self) -> Known | None:
        open_ = [known for known in list(self.posts.values())[-30:] if not known.is_closed]
        return self.random.choice(open_) if open_ else None

    def _ask(
        self, method: str, path: str, json_: Any = None, idempotency_key: str | None = None
    ) -> tuple[int | None, Any]:
        """Return the response; None if it was lost, and the request may or may not have been executed."""
        try:
            status, document = self.call(method, f"/api/v1{path}", json_=json_, idempotency_key=idempotency_key)
        except ConnectionRefusedError:
            self.refused += 1
            return 0, None
        except (OSError, http.client.HTTPException):
            self.cut_off += 1
            return None, None
        if 200 <= status < 300:
            self.acknowledged += 1
        else:
            self.refusals[status] = self.refusals.get(status, 0) + 1
        if status == 500 and document["type"].endswith("/outcome-unknown"):
            self.cut_off += 1
            return None, None
        if status >= 500 and status != 503:
            self.errors.append(f"{method} {path} answered {status}: {document}")
        return status, document

    def _create(self) -> None:
        title = f"Post {next(numbers)}"
        # Many posts without this blog, so that their copies link to one of them as the original.
        chances = ((place, 0.4 if place == SITE else 0.7) for place in self.places)
        platforms = [place for place, chance in chances if self.random.random() < chance] or [SITE]
        body: dict[str, Any] = {"title": title, "content": f"Of *{title}*.", "platforms": platforms}
        at = None
        if self.random.random() < 0.5:
            at = datetime.now(UTC) + timedelta(seconds=self.random.uniform(0.1, 0.9))
            body["scheduledAt"] = at.isoformat()
        self._ask_for(Draft(title, platforms, at, body))

    def _ask_for(self, draft: Draft) -> None:
        status, document = self._ask("POST", "/posts", draft.body, idempotency_key=draft.title)
        if status is None:
            self.unanswered.append(draft)
        elif status == 201:
            public = {draft.title} if draft.at else set()
            known = Known(document["id"], draft.platforms, {draft.title}, draft.at, public, False, draft.at is not None)
            self.posts[known.id] = known
            self.touched.add(known.id)

    def _edit(self, known: Known) -> None:
        title, publishes = f"Post {next(numbers)}", self.random.random() < 0.3
        status, _ = self._ask("PUT", f"/posts/{known.id}", {"title": title, "publish": publishes})
        if status == 200:
            known.titles = {title}
        elif status is None:
            known.titles.add(title)
            known.is_closed = True
        else:
            return
        if publishes:
            known.was_published_by_hand, known.is_withdrawn = True, False
        if publishes and status == 200:
            known.public, known.is_surely_public, known.is_surely_live = {title}, True, True
        elif publishes or known.scheduled_at:
            known.public.add(title)  # the schedule follows an edit, unless its time has come

    def _publish(self, known: Known) -> None:
        status, _ = self._ask("POST", f"/posts/{known.id}/publish")
        if status == 202:
            known.public, known.is_surely_public, known.is_surely_live = set(known.titles), True, True
        elif status is None:
            known.public |= known.titles
            known.is_closed = True
        else:
            return
        known.was_published_by_hand, known.is_withdrawn = True, False

    def _unpublish(self, known: Known) -> None:
        status, _ = self._ask("POST", f"/posts/{known.id}/unpublish")
        if status == 202:
            known.is_withdrawn, known.scheduled_at = True, None
        elif status is None:
            known.is_closed = True
        else:
            return
        known.unpublished += 1
        known.is_surely_public = known.is_surely_live = False

    def _delete(self, known: Known) -> None:
        withdraws = self.random.random() < 0.5
        status, _ = self._ask("DELETE", f"/posts/{known.id}{'?withdraw=true' if withdraws else ''}")
        if status in (200, 202, 204):
            known.is_deleted, known.is_closed = True, True
            known.is_withdrawn |= withdraws
        elif status is None:
            known.is_deleted, known.is_closed = None, True
