"""Search platforms for extra copies, tell the author about them, and remove those that nobody wants.

After a doubt, a copy may have been created twice: by the request that was given up, and by the one after it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from blogsvc.connections.load import connector_of, save_session
from blogsvc.connectors import base
from blogsvc.connectors.base import Connector, Keys, Receipt
from blogsvc.context import Tools
from blogsvc.errors import Busy, StateConflict
from blogsvc.lib.text.plain import within
from blogsvc.models import Connection, CopySearch, Delivery, ExtraCopy, db, transaction
from blogsvc.models.extra_copy import (
    AT_REST,
    SOON,
    count_extra_copies,
    extra_copies_of,
    forget_extra_copies,
    next_of,
    without_taken,
)

log = logging.getLogger(__name__)

# The pause after a search that failed.
PAUSE = timedelta(hours=1)
# A copy that appears soon after a withdrawal was created by our own late request, and is removed without asking.
LATE = SOON[-1] + timedelta(minutes=5)


@dataclass(frozen=True)
class Search:
    """All data that a search needs, so that no transaction stays open while it runs.

    `ours` is the id of the copy that the delivery knows. `is_unwanted` says that any other copy is to be removed.
    """

    delivery_id: str
    fence: int
    lane: str
    connector: Connector
    keys: Keys
    ours: str | None
    known: tuple[ExtraCopy, ...]
    is_unwanted: bool


@dataclass
class SearchResult:
    """The extra copies on the platform, without those that were removed, and why others could not be removed."""

    copies: list[Receipt] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    trouble: base.ConnectorError | None = None


def remove_extra_copies(delivery: Delivery, now: datetime) -> Delivery:
    """Remove all extra copies from the platform, as the author decided. Raises StateConflict if there is none."""
    with transaction():
        found, search = extra_copies_of(delivery.id), CopySearch.of(delivery)
        if not found or search is None:
            raise StateConflict("There is no extra copy to remove.", state=delivery.state)
        for extra in found:
            extra.is_unwanted, extra.is_kept, extra.error_detail = True, False, None
        count_extra_copies(delivery)
        delivery.updated_at = now
        search.search_now(now)
        return delivery


def keep_extra_copies(delivery: Delivery) -> bool:
    """Keep the extra copies on the platform, as the author decided. Returns False if there is none to decide about."""
    if not delivery.extra_count:
        return False
    for extra in extra_copies_of(delivery.id):
        extra.is_unwanted, extra.is_kept = False, True
    count_extra_copies(delivery)
    return True


def search_next(lane: str, tools: Tools) -> bool:
    """Run one due search of a connection. Returns False if none is due."""
    with transaction():
        now = tools.now()
        due = next_of(lane, now)
        if due is None:
            return False
        search = _search_of(due, now, tools)
        due.go_on(now)
    result = _run(search)
    with transaction():
        save_session(db.session.get(Connection, lane), search.connector, tools)
        _store(search, result, tools.now())
    return True


def _search_of(due: CopySearch, now: datetime, tools: Tools) -> Search:
    delivery = due.delivery
    assert delivery.connection is not None
    known = tuple(extra_copies_of(delivery.id))
    db.session.flush()
    for extra in known:
        db.session.expunge(extra)  # read outside of the transaction
    return Search(
        delivery.id,
        delivery.fence,
        delivery.connection.id,
        connector_of(delivery.connection, tools),
        dict(due.keys),
        delivery.remote_id,
        known,
        is_unwanted=delivery.state == "withdrawn" and now - due.started_at <= LATE,
    )


def _run(search: Search) -> SearchResult:
    """Run a search. Errors of the platform or of the connector are results. Raises Busy if the database is busy."""
    result, connector = SearchResult(), search.connector
    try:
        known = {extra.remote_id: extra for extra in search.known}
        on_platform = {copy.remote_id: copy for copy in connector.find_all(search.keys)}
        missing = [extra for extra in search.known if extra.remote_id not in on_platform]
        on_platform |= {extra.remote_id: extra.receipt for extra in missing if not _is_gone(search, extra.receipt)}
        for copy in without_taken(search.delivery_id, on_platform.values()):
            if copy.remote_id == search.ours:
                continue
            extra = known.get(copy.remote_id)
            is_unwanted = extra.is_unwanted if extra is not None else search.is_unwanted
            if not is_unwanted or not _removed(search, copy, result):
                result.copies.append(copy)
    except base.ConnectorError as error:
        result.trouble = error
    except Busy:
        raise
    except Exception:
        log.exception("the connector of %s broke on the search for copies", search.delivery_id)
        result.trouble = base.Uncertain("The connector failed in a way it should not; the log has the details.")
    return result


def _is_gone(search: Search, copy: Receipt) -> bool:
    """Return True if the platform says that a copy, which it does not list, no longer exists."""
    try:
        search.connector.fetch_version(search.keys, copy)
    except base.Gone:
        return True
    except base.Unsupported:
        return True
    return False


def _removed(search: Search, copy: Receipt, result: SearchResult) -> bool:
    try:
        search.connector.delete(search.keys, copy)
    except base.Gone:
        return True
    except (base.Unsupported, base.Rejected, base.Conflict) as error:
        result.problems[copy.remote_id] = str(error)
        return False
    return True


def _store(search: Search, result: SearchResult, now: datetime) -> None:
    """Store the result, unless the copy was sent again in the meantime. Records an event for each new extra copy."""
    delivery = db.session.get(Delivery, search.delivery_id)
    due = db.session.get(CopySearch, search.delivery_id)
    if delivery is None or due is None:
        return
    if isinstance(result.trouble, base.Unsupported):
        db.session.delete(due)
        return
    if result.trouble is not None:
        log.info("the search for extra copies failed: %s", result.trouble)
        due.search_at = now + PAUSE
        return
    if delivery.fence != search.fence or delivery.state not in AT_REST:
        due.search_at = now + SOON[0]
        return
    known = {extra.remote_id: extra for extra in extra_copies_of(delivery.id)}
    remote_ids = {copy.remote_id for copy in result.copies}
    for copy in result.copies:
        if copy.remote_id not in known:
            known[copy.remote_id] = ExtraCopy.record(delivery, copy, now)
            delivery.record("delivery.duplicated", now, url=copy.url, remoteId=copy.remote_id)
        if (problem := result.problems.get(copy.remote_id)) is not None:
            known[copy.remote_id].is_unwanted, known[copy.remote_id].error_detail = False, within(problem, 2000)
    forget_extra_copies(delivery, [remote_id for remote_id in known if remote_id not in remote_ids])
