"""The kinds of work that the scheduler runs: which lanes have work due, and how to process it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from blogsvc.context import Tools
from blogsvc.delivery import deliver, extra_copies, reconcile, stage
from blogsvc.models import due_checks, due_deliveries, extra_copy, import_job, notice, webhook_delivery
from blogsvc.notices.send import send_next as send_next_notice
from blogsvc.transfer import importing
from blogsvc.webhooks import deliver as webhook_deliver
from blogsvc.webhooks import manage


@dataclass(frozen=True)
class Traffic:
    """One kind of work, processed in lanes: which lanes have work due, and how to process the next item of a lane."""

    due_lanes: Callable[[Tools], list[str]]
    next_due_at: Callable[[Collection[str]], datetime | None]
    # Processes what is due in a lane, until nothing is due or the last argument returns True.
    work: Callable[[str, Tools, Callable[[], bool]], None]
    # How many lanes run in parallel.
    width: Callable[[Tools], int]
    # Work without leases has none to expire.
    expire_leases: Callable[[Tools], None] = lambda tools: None


def one_by_one(process_next: Callable[[str, Tools], bool]) -> Callable[[str, Tools, Callable[[], bool]], None]:
    """Return the `work` of a lane whose items are processed by a function that returns False if none was due."""

    def work(lane: str, tools: Tools, is_closing: Callable[[], bool]) -> None:
        while not is_closing() and process_next(lane, tools):
            pass

    return work


def expire_delivery_leases(tools: Tools) -> None:
    deliver.expire_leases(tools)
    stage.expire_leases(tools)


DELIVERIES = Traffic(
    stage.due_lanes,
    due_deliveries.next_due_at,
    stage.work_lane,
    lambda tools: tools.config.lanes,
    expire_delivery_leases,
)
# Low priority: no person waits for these checks.
SURVEYS = Traffic(
    lambda tools: due_checks.due_connections(tools.now()),
    due_checks.next_due_at,
    one_by_one(reconcile.check_next),
    lambda tools: 2,
)
SEARCHES = Traffic(
    lambda tools: extra_copy.due_connections(tools.now()),
    extra_copy.next_due_at,
    one_by_one(extra_copies.search_next),
    lambda tools: 2,
)
# As wide as the maximum number of webhooks, so that slow ones never delay others.
ANNOUNCEMENTS = Traffic(
    lambda tools: webhook_delivery.due_webhooks(tools.now()),
    webhook_delivery.next_due_at,
    one_by_one(webhook_deliver.send_next),
    lambda tools: manage.MAX_WEBHOOKS,
    webhook_deliver.expire_leases,
)
# One lane for each user. One e-mail at a time: mail servers count connections, and nobody waits for a second.
NOTICES = Traffic(
    lambda tools: notice.due_users(tools.now()),
    notice.next_due_at,
    one_by_one(send_next_notice),
    lambda tools: 1,
)
# One at a time, because imports may process large images.
IMPORTS = Traffic(
    lambda tools: import_job.due_imports(tools.now()),
    import_job.next_due_at,
    importing.work,
    lambda tools: 1,
)
