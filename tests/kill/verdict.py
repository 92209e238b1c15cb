"""Compares the ledger, the platform, the webhook receiver and the rows after a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tests.faulty_platform import is_public
from tests.kill.ledger import SITE, Known
from tests.receiver import Received

if TYPE_CHECKING:
    from tests.kill.harness import Harness

# Connectors that can find out what has arrived, or repeat safely.
CERTAIN = ("faulty-key", "faulty-find", "faulty-draft", "faulty-stage")
FIXED = "faulty-none"  # its copies cannot be changed
PLACES = (*CERTAIN, "faulty-blind", FIXED)
BROKEN = "faulty-broken"
# What an error says if somebody changed a copy on the platform, which nobody does here.
CHANGED = ("conflict", "edited", "gone")


class Verdict:
    """Each list contains failures in sentences; all must be empty."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.accounts = {name: harness.platform.account(name) for name in PLACES}
        self.excused = {(name, post_id) for name in PLACES for post_id in self._created_despite_limit(name)}
        self.lost = [fault for known in harness.posts.values() for fault in self._lost(known)]
        self.early = [fault for known in harness.posts.values() for fault in self._early(known)]
        self.doubled = [*self._doubled_posts(), *self._doubled_copies(), *self._doubled_messages()]
        self.untrue = [*self._untrue(), *self._false_changes(), *self._links_to_itself()]
        self.others = [error for writer in harness.writers for error in writer.errors]
        self.others += [f"in the log: {text}" for text in harness.tracebacks()]
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
        """Return the final titles of each public copy, by destination and post."""
        titles = defaultdict(list)
        for name, account in self.accounts.items():
            for copy in filter(is_public, account.copies.values()):
                titles[name, copy["post"]].append(copy["title"])
        for _, message in self.messages:
            if "title" in message["data"]:
                titles["hook", message["data"]["id"]] = [message["data"]["title"]]
        return titles

    @cached_property
    def states(self) -> dict[tuple[str, str], str]:
        rows = self.harness.rows("SELECT destination, post_id, state FROM delivery")
        return {(platform, post_id): state for platform, post_id, state in rows}

    def _created_despite_limit(self, name: str) -> set[str]:
        """Return the posts that a platform published and answered with 429, where blogsvc counts on it not to.

        That is where it can't ask whether the copy is there, and where it does not repeat the request because the text
        was withdrawn.
        """
        account = self.accounts[name]
        if name not in CERTAIN:
            return {call.body["post"] for call in account.creates if call.behaviour == "429-after"}
        # The last writes of each creation, and of each copy.
        last = {(call.path, call.body.get("marker")): call for call in account.calls if call.method != "GET"}
        limited = [call for call in last.values() if call.behaviour == "429-after"]
        ids = {call.path.rpartition("/")[2] for call in limited}
        markers = {call.body["marker"] for call in limited if call.method == "POST"}
        copies, posts = account.copies.values(), self.harness.posts
        found = {copy["post"] for copy in copies if copy["id"] in ids or copy["marker"] in markers}
        return {post_id for post_id in found if post_id not in posts or posts[post_id].is_ever_withdrawn}

    def _lost(self, known: Known) -> list[str]:
        """Return copies that are missing, have a wrong title, or should have been removed."""
        if known.is_withdrawn and known.is_deleted is not None:
            there = [
                name for name in CERTAIN if self.titles.get((name, known.id)) and (name, known.id) not in self.excused
            ]
            return [f"{known.id} was withdrawn and is on {name}" for name in there]
        if known.is_deleted is not False or not known.is_surely_public:
            return []
        return [fault for name in known.platforms if name != SITE for fault in self._lost_at(name, known)]

    def _lost_at(self, name: str, known: Known) -> list[str]:
        if (name, known.id) in self.excused:
            return []
        titles, state = self.titles.get((name, known.id), []), self.states.get((name, known.id))
        is_there = state == "delivered" and len(titles) == 1
        if name == BROKEN:
            is_well = state in ("failed", "uncertain")
        elif name == FIXED:
            is_well = is_there or state == "uncertain"
        else:
            is_new = is_there and titles[0] in known.public
            is_well = is_new or (name not in CERTAIN and state == "uncertain")  # that is for the author
        return [] if is_well else [f"{known.id} on {name} is {state} as {titles}, not one of {known.public}"]

    def _untrue(self) -> list[str]:
        """Return the deliveries that say, wrongly, which text is there, or that none is. One in doubt says neither.

        Nothing more is sent for a deleted post, so a late update of it may still change a copy that stays.
        """
        rows = self.harness.rows(
            "SELECT destination, delivery.post_id, delivery.state, remote_id, revision.title FROM delivery"
            " LEFT JOIN revision ON revision.id = copy_revision_id WHERE NOT is_in_doubt"
        )
        faults, posts = [], self.harness.posts
        for name, post_id, state, remote_id, title in rows:
            titles, is_said = self.titles.get((name, post_id), []), remote_id is not None and state != "withdrawn"
            is_frozen = name == FIXED or (post_id in posts and posts[post_id].is_deleted is not False)
            expected = titles[:1] or [title] if is_frozen else [title]
            is_known = name in PLACES and (name, post_id) not in self.excused
            if is_known and titles != (expected if is_said else []):
                faults.append(f"{post_id} on {name} is {state} as {remote_id} with {title}, and is there as {titles}")
        return faults

    def _false_changes(self) -> list[str]:
        """Return the deliveries that say that somebody changed their copy."""
        rows = self.harness.rows("SELECT destination, post_id, drift, error_code, error_detail FROM delivery")
        return [
            f"{post_id} on {name} was changed by nobody, and is said to be {drift or code}: {detail}"
            for name, post_id, drift, code, detail in rows
            if drift or code in CHANGED
        ]

    def _links_to_itself(self) -> list[str]:
        """Return the copies that call themselves the original."""
        copies = [copy for account in self.accounts.values() for copy in account.copies.values()]
        return [f"{copy['url']} links to itself as the original" for copy in copies if copy["original"] == copy["url"]]

    def _early(self, known: Known) -> list[str]:
        if known.scheduled_at is None or known.was_published_by_hand:
            return []
        due = known.scheduled_at.timestamp()
        return [f"{known.id} was on {name} {due - at:.3f} s early" for name, at in self.made[known.id] if at < due]

    @cached_property
    def made(self) -> dict[str, list[tuple[str, float]]]:
        """Return where and when copies of each post became public."""
        made = defaultdict(list)
        for name, account in self.accounts.items():
            for post_id, at in account.shown:
                made[post_id].append((name, at))
        return made

    def _doubled_copies(self) -> list[str]:
        """Return copies that were made more often than their post was published, and those that are there twice."""
        times = Counter((name, post_id) for name, account in self.accounts.items() for post_id, _ in account.made)
        doubled = [
            f"{name} made {post_id} {n} times"
            for (name, post_id), n in times.items()
            if n > self._publications(post_id) and (name, post_id) not in self.excused
        ]
        return doubled + [
            f"{place} is there as {titles}"
            for place, titles in self.titles.items()
            if len(titles) > 1 and place not in self.excused
        ]

    def _publications(self, post_id: str) -> int:
        """Return how often a post can have been published: again after each time that it was unpublished."""
        known = self.harness.posts.get(post_id)
        return 1 + (known.unpublished if known else 0)

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
        return [
            f"hook has {post_id} as {found}"
            for post_id, found in ids.items()
            if len(found) > self._publications(post_id)
        ]
