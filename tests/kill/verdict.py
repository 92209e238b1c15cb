"""Compares the ledger, the platform, the webhook receiver and the rows after a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tests.kill.ledger import Known
from tests.receiver import Received

if TYPE_CHECKING:
    from tests.kill.harness import Harness

CERTAIN = ("faulty-key", "faulty-find")
PLACES = (*CERTAIN, "faulty-none")


class Verdict:
    """Each list contains failures in sentences; all must be empty."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.accounts = {name: harness.platform.account(name) for name in PLACES}
        self.lost = [fault for known in harness.posts.values() for fault in self._lost(known)]
        self.early = [fault for known in harness.posts.values() for fault in self._early(known)]
        self.doubled = [*self._doubled_posts(), *self._doubled_copies(), *self._doubled_messages()]
        self.untrue = self._untrue()
        self.others = [error for writer in harness.writers for error in writer.errors]
        self.others += [f"in the log: {text}" for text in harness.server.tracebacks()]
        if harness.engine.dialect.name == "sqlite" and harness.rows("PRAGMA integrity_check") != [("ok",)]:
            self.others.append("the database is damaged")

    @property
    def faults(self) -> list[str]:
        return self.lost + self.early + self.doubled + self.untrue + self.others

    @property
    def deliveries(self) -> int:
        """Return the number of copies created and messages accepted, without repetitions."""
        made = sum(len(account.made) for account in self.accounts.values())
        return made + len({received.headers["webhook-id"] for received, _ in self.messages})

    @cached_property
    def messages(self) -> list[tuple[Received, dict[str, Any]]]:
        """Return the messages that the receiver accepted; a request interrupted by a kill does not count."""
        taken = self.harness.receiver.accepted
        whole = [received for received in taken if len(received.body) == int(received.headers["Content-Length"])]
        return [(received, received.json()) for received in whole]

    @cached_property
    def titles(self) -> dict[tuple[str, str], list[str]]:
        """Return the final titles of each copy, by destination and post."""
        titles = defaultdict(list)
        for name, account in self.accounts.items():
            for copy in account.copies.values():
                titles[name, copy["post"]].append(copy["title"])
        for _, message in self.messages:
            if "title" in message["data"]:
                titles["hook", message["data"]["id"]] = [message["data"]["title"]]
        return titles

    @cached_property
    def states(self) -> dict[tuple[str, str], str]:
        rows = self.harness.rows("SELECT destination, post_id, state FROM delivery")
        return {(platform, post_id): state for platform, post_id, state in rows}

    def _lost(self, known: Known) -> list[str]:
        """Return copies that are missing, have a wrong title, or should have been removed."""
        if known.is_deleted and known.is_withdrawn:
            there = [name for name in CERTAIN if self.titles.get((name, known.id))]
            return [f"{known.id} was withdrawn and is on {name}" for name in there]
        if known.is_deleted is not False or not known.is_surely_public:
            return []
        return [fault for name in known.platforms if name != "site" for fault in self._lost_at(name, known)]

    def _lost_at(self, name: str, known: Known) -> list[str]:
        titles, state = self.titles.get((name, known.id), []), self.states.get((name, known.id))
        if name == "faulty-none":  # an uncertain delivery is for the author, and copies cannot be updated there
            is_well = state == "uncertain" or (state == "delivered" and len(titles) == 1)
        else:
            is_well = state == "delivered" and len(titles) == 1 and titles[0] in known.public
        return [] if is_well else [f"{known.id} on {name} is {state} as {titles}, not one of {known.public}"]

    def _untrue(self) -> list[str]:
        """Return the deliveries that say, wrongly, that a copy is there or not. One in doubt says neither."""
        rows = self.harness.rows("SELECT destination, post_id, state, remote_id FROM delivery WHERE NOT is_in_doubt")
        faults = []
        for name, post_id, state, remote_id in rows:
            titles, is_said = self.titles.get((name, post_id), []), remote_id is not None and state != "withdrawn"
            if name in PLACES and is_said != bool(titles):
                faults.append(f"{post_id} on {name} is {state} as {remote_id}, and is there as {titles}")
        return faults

    def _early(self, known: Known) -> list[str]:
        if known.scheduled_at is None or known.was_published_by_hand:
            return []
        due = known.scheduled_at.timestamp()
        return [f"{known.id} was on {name} {due - at:.3f} s early" for name, at in self.made[known.id] if at < due]

    @cached_property
    def made(self) -> dict[str, list[tuple[str, float]]]:
        """Return where and when copies of each post were created."""
        made = defaultdict(list)
        for name, account in self.accounts.items():
            for post_id, at in account.made:
                made[post_id].append((name, at))
        return made

    def _doubled_copies(self) -> list[str]:
        times = Counter((name, post_id) for post_id, made in self.made.items() for name, _ in made)
        return [f"{name} made {post_id} {n} times" for (name, post_id), n in times.items() if n > 1]

    def _doubled_posts(self) -> list[str]:
        """Return posts that were created twice although the request was repeated with one idempotency key."""
        first = "SELECT title, count(*) FROM revision WHERE number = 1 GROUP BY title HAVING count(*) > 1"
        return [f"{title} was made {times} times" for title, times in self.harness.rows(first)]

    def _doubled_messages(self) -> list[str]:
        """Return messages sent under several ids; repetitions have the same id."""
        ids = defaultdict(set)
        for received, message in self.messages:
            if message["type"] == "post.published":
                ids[message["data"]["id"]].add(received.headers["webhook-id"])
        return [f"hook has {post_id} twice: {found}" for post_id, found in ids.items() if len(found) > 1]
