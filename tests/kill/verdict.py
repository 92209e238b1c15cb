"""What came of it all: the ledger, the platform and the rows held against one another."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from tests.kill.ledger import Known

if TYPE_CHECKING:
    from tests.kill.harness import Figures, Harness

CERTAIN = ("faulty-key", "faulty-find")


def of(harness: Harness) -> Figures:
    """The figures; every fault that they count is said in `harness.faults`."""
    from tests.kill.harness import Figures

    figures = Figures(posts=len(harness.posts))
    figures.deliveries = sum(len(harness.platform.account(name).made) for name in (*CERTAIN, "faulty-none"))
    figures.calls = sum(len(account.calls) for account in harness.platform.accounts.values())
    figures.uncertain = len(harness.rows("SELECT 1 FROM delivery WHERE state = 'uncertain'"))
    early = [fault for known in harness.posts.values() for fault in _early(known, harness)]
    lost = [fault for known in harness.posts.values() for fault in _lost(known, harness)]
    doubled = _doubled(harness)
    figures.early, figures.lost, figures.doubled = len(early), len(lost), len(doubled)
    harness.faults += early + lost + doubled
    harness.faults += [error for writer in harness.writers for error in writer.errors]
    harness.faults += [f"in the log: {text}" for text in harness.server.tracebacks()]
    if harness.rows("PRAGMA integrity_check") != [("ok",)]:
        harness.faults.append("the database is damaged")
    figures.deliveries += len({received.headers["webhook-id"] for received in harness.receiver.accepted})
    return figures


def _doubled(harness: Harness) -> list[str]:
    faults = []
    for name in (*CERTAIN, "faulty-none"):
        account = harness.platform.account(name)
        faults += [f"{name} has {copy['post']} twice" for copy in account.doubled]
        times = Counter(post_id for post_id, _ in account.made)
        faults += [f"{name} made {post_id} {n} times" for post_id, n in times.items() if n > 1]
    faults += [f"hook has {post_id} twice: {ids}" for post_id, ids in _hooked(harness).items() if len(ids) > 1]
    return faults


def _hooked(harness: Harness) -> dict[str, set[str]]:
    """Of each post, the ids of the messages that said it was published: repetitions have the same."""
    ids = defaultdict(set)
    for received in harness.receiver.accepted:
        message = received.json()
        if message["type"] == "post.published":
            ids[message["data"]["id"]].add(received.headers["webhook-id"])
    return ids


def _lost(known: Known, harness: Harness) -> list[str]:
    """What should be there, with the words that it should have, and is not; or should be gone and is there."""
    if known.is_deleted and known.is_withdrawn:
        return [
            f"{known.id} was withdrawn and is on {name}"
            for name in CERTAIN
            if harness.platform.account(name).copies_of(known.id)
        ]
    if known.is_deleted is not False or not known.is_surely_public:
        return []
    faults = []
    for name in known.platforms:
        titles = _titles(known, name, harness)
        if titles is not None and (len(titles) != 1 or not set(titles) <= known.public):
            faults.append(f"{known.id} on {name} is {titles}, not one of {known.public}")
    return faults


def _titles(known: Known, name: str, harness: Harness) -> list[str] | None:
    """The titles of the copies; None where nothing can be said."""
    if name in CERTAIN:
        return harness.platform.account(name).titles_of(known.id)
    if name == "hook":
        said = [message["data"]["title"] for message in _messages(known, harness)]
        return said[-1:]
    if name == "faulty-none" and _state(known, name, harness) == "delivered":
        # It cannot be changed there: the words are those of the beginning.
        return [known.public.copy().pop()] * len(harness.platform.account(name).copies_of(known.id))
    return None


def _messages(known: Known, harness: Harness) -> list[dict[str, Any]]:
    messages = [received.json() for received in harness.receiver.accepted]
    return [message for message in messages if message["data"].get("id") == known.id]


def _state(known: Known, name: str, harness: Harness) -> str | None:
    found = harness.rows(f"SELECT state FROM delivery WHERE post_id = '{known.id}' AND platform = '{name}'")
    return found[0][0] if found else None


def _early(known: Known, harness: Harness) -> list[str]:
    if known.scheduled_at is None or known.was_published_by_hand:
        return []
    due = known.scheduled_at.timestamp()
    return [
        f"{known.id} was on {account.name} {due - at:.3f} s early"
        for account in harness.platform.accounts.values()
        for post_id, at in account.made
        if post_id == known.id and at < due
    ]
