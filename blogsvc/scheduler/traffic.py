"""The kinds of work that the scheduler runs: which lanes have work due, and how to process it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import inf
from time import monotonic

from blogsvc.connections.elsewhere import connections_of_others
from blogsvc.context import Tools
from blogsvc.delivery import deliver, extra_copies, reconcile, stage
from blogsvc.index_now import tell
from blogsvc.models import due_checks, due_deliveries, extra_copy, import_job, notice, webhook_delivery
from blogsvc.notices.send import send_next as send_next_notice
from blogsvc.transfer import importing
from blogsvc.transfer.import_lease import imports_of_others
from blogsvc.webhooks import deliver as webhook_deliver
from blogsvc.webhooks import manage


@dataclass(frozen=True)
class Turn:
    """For how long a lane is worked on: until nothing is due, until its time is over, or until the process ends."""

    is_closing: Callable[[], bool]
    # By `monotonic`.
    ends_at: float = inf

    def is_over(self) -> bool:
        return self.is_closing() or monotonic() >= self.ends_at


@dataclass(frozen=True)
class Traffic:
    """One kind of work, processed in lanes: which lanes have work due, and how to process the next item of a lane."""

    name: str
    # Each with something that changes when other work of the lane is the first that is due.
    due_lanes: Callable[[Tools], Mapping[str, object]]
    next_due_at: Callable[[Collection[str]], datetime | None]
    # Processes what is due in a lane, until nothing is due or the turn is over.
    work: Callable[[str, Tools, Turn], None]
    # How many lanes run in parallel.
    width: Callable[[Tools], int]
    # Which of these lanes only other processes can work on, and why.
    lanes_of_others: Callable[[Collection[str], Tools], Mapping[str, str]] = lambda lanes, tools: {}
    # Work without leases has none to expire.
    expire_leases: Callable[[Tools], None] = lambda tools: None


def one_by_one(process_next: Callable[[str, Tools], bool]) -> Callable[[str, Tools, Turn], None]:
    """Return the `work` of a lane whose items are processed by a function that returns False if none was due."""

    def work(lane: str, tools: Tools, turn: Turn) -> None:
        while not turn.is_over() and process_next(lane, tools):
            pass

    return work


def expire_delivery_leases(tools: Tools) -> None:
    deliver.expire_leases(tools)
    stage.expire_leases(tools)


def import_steps(import_id: str, tools: Tools, turn: Turn) -> None:
    while not turn.is_over() and importing.step(import_id, tools, turn.is_closing):
        pass


DELIVERIES = Traffic(
    "deliveries",
    stage.due_lanes,
    due_deliveries.next_due_at,
    lambda lane, tools, turn: stage.work_lane(lane, tools, turn.is_over),
    lambda tools: tools.config.lanes,
    connections_of_others,
    expire_delivery_leases,
)
# Low priority: no person waits for these checks.
SURVEYS = Traffic(
    "checks",
    lambda tools: dict.fromkeys(due_checks.due_connections(tools.now())),
    due_checks.next_due_at,
    one_by_one(reconcile.check_next),
    lambda tools: 2,
    connections_of_others,
)
SEARCHES = Traffic(
    "searches",
    lambda tools: dict.fromkeys(extra_copy.due_connections(tools.now())),
    extra_copy.next_due_at,
    one_by_one(extra_copies.search_next),
    lambda tools: 2,
    connections_of_others,
)
# As wide as the maximum number of webhooks, so that slow ones never delay others.
ANNOUNCEMENTS = Traffic(
    "webhooks",
    lambda tools: webhook_delivery.due_webhooks(tools.now()),
    webhook_delivery.next_due_at,
    one_by_one(webhook_deliver.send_next),
    lambda tools: manage.MAX_WEBHOOKS,
    expire_leases=webhook_deliver.expire_leases,
)
# One lane for each user. One e-mail at a time: mail servers count connections, and nobody waits for a second.
NOTICES = Traffic(
    "notices",
    lambda tools: dict.fromkeys(notice.due_users(tools.now())),
    notice.next_due_at,
    one_by_one(send_next_notice),
    lambda tools: 1,
)
# The search engines that IndexNow tells are one address.
INDEX_NOW = Traffic(
    "search engines",
    tell.due_lanes,
    tell.next_due_at,
    one_by_one(tell.tell_next),
    lambda tools: 1,
)
# One at a time, because imports may process large images.
IMPORTS = Traffic(
    "imports",
    lambda tools: dict.fromkeys(import_job.due_imports(tools.now())),
    import_job.next_due_at,
    import_steps,
    lambda tools: 1,
    imports_of_others,
)
# Deliveries come first: webhooks are told about them.
ALL_TRAFFIC = (DELIVERIES, ANNOUNCEMENTS, SURVEYS, SEARCHES, IMPORTS, NOTICES, INDEX_NOW)
# What workers on other machines can do, by name: the work whose lanes are not due while they are being worked on, by
# any process. The rest is little, and best done by few threads.
TRAFFIC_OF_WORKERS = {traffic.name: traffic for traffic in (DELIVERIES, ANNOUNCEMENTS)}
