"""Check copies on their platforms: whether they exist, were edited or lost something, and their figures.

Changes nothing there. A copy that a late write may have changed is queued to be sent again.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from blogsvc.connections.load import connector_of, save_session
from blogsvc.connections.manage import refresh_facts, verify_if_due
from blogsvc.connectors import base
from blogsvc.connectors.base import Connector, Figures, Mailing, Receipt
from blogsvc.context import Tools
from blogsvc.delivery.mailing import mail_of, note_mailing
from blogsvc.delivery.read_back import Reading, SentText, read_copy, sent_text, store
from blogsvc.lib.back_off import requested_wait
from blogsvc.models import SITE, Connection, CopyStats, Delivery, Post, db, transaction
from blogsvc.models.due_checks import next_of, postpone, set_quietly, stop_checks

log = logging.getLogger(__name__)

# The pause after a platform fails, if it does not ask for a longer one.
PLATFORM_PAUSE = timedelta(hours=1)
# Platforms may show a copy late, so a younger one doesn't count as changed or deleted without a person's question.
SETTLED_AFTER = timedelta(hours=1)
# Copies checked in parallel while a user waits for the result.
BATCH_SIZE = 8

# States of a delivery whose copy nothing is sent to.
RESTING = ("delivered", "withdrawn")

CopyState = Literal["in-step", "edited", "gone", "unknown"]


@dataclass(frozen=True)
class CopyCheck:
    """All data that a check needs, so that no transaction stays open while it runs."""

    delivery_id: str
    platform: str
    lane: str | None
    keys: dict[str, str]
    receipt: Receipt
    connector: Connector
    sent: SentText | None = None
    mail_id: str | None = None
    is_young: bool = False
    is_link_only: bool = False


@dataclass
class CheckResult:
    """The result of a check.

    `trouble` is the error of a failed check; `unsaid` says why this platform supports none. `is_looked_at` says that
    the check was to find changes.
    """

    question: CopyCheck
    is_looked_at: bool = False
    state: CopyState = "unknown"
    figures: Figures | None = None
    reading: Reading | None = None
    mailing: Mailing | None = None
    trouble: base.ConnectorError | None = None
    unsaid: str | None = None

    @property
    def detail(self) -> str | None:
        """Return why the status is unknown, if it is."""
        return str(self.trouble) if self.trouble else self.unsaid


def check_next(lane: str, tools: Tools) -> bool:
    """Check one due copy of a connection, or verify it if it is disconnected. Returns False if nothing is due."""
    if verify_if_due(lane, tools):
        return True
    with transaction():
        now = tools.now()
        delivery = next_of(lane, now)
        if delivery is None:
            return False
        wants = postpone(delivery, now)
        question = _check_of(delivery, tools, is_to_look=wants[1])
        is_young = delivery.delivered_at is not None and now - delivery.delivered_at < SETTLED_AFTER
    if question is None:
        return True
    finding = _run_check(replace(question, is_young=is_young), *wants)
    with transaction():
        _store_result(finding, tools)
        if finding.trouble is not None:
            _pause_checks(lane, finding.trouble, tools.now())
    if finding.trouble is None and question.mail_id is not None:
        refresh_facts(lane, tools)
    return True


def check_now(post: Post, tools: Tools) -> list[tuple[Delivery, CheckResult]]:
    """Check all copies of a post now, store the results and return them."""
    post_id = post.id
    questions = [
        check
        for delivery in post.deliveries
        if not delivery.is_draft and (check := _check_of(delivery, tools, True)) is not None
    ]
    db.session.rollback()
    with ThreadPoolExecutor(BATCH_SIZE) as pool:
        findings = list(pool.map(lambda question: _run_check(question, False, True), questions))
    with transaction():
        for finding in findings:
            _store_result(finding, tools)
    by_id = {finding.question.delivery_id: finding for finding in findings}
    return [(delivery, by_id[delivery.id]) for delivery in Post.get(post_id).deliveries if delivery.id in by_id]


def _check_of(delivery: Delivery, tools: Tools, is_to_look: bool) -> CopyCheck | None:
    """Return None if there is no copy to check: none is known, or it is on this blog."""
    is_unseen = delivery.is_draft and not delivery.late_writes
    if delivery.receipt is None or is_unseen or delivery.destination == SITE:
        return None
    connector = connector_of(delivery.connection, tools)
    keys = dict(delivery.keys)
    sent = sent_text(delivery, connector, tools) if is_to_look else None
    lane, mail_id = delivery.connection_id, mail_of(delivery, connector)
    check = CopyCheck(delivery.id, delivery.destination, lane, keys, delivery.receipt, connector, sent, mail_id)
    return replace(check, is_link_only=delivery.is_link_only)


def _run_check(question: CopyCheck, is_to_measure: bool, is_to_look: bool) -> CheckResult:
    """Run a check. Never raises: errors are results."""
    finding = CheckResult(question, is_to_look)
    try:
        if question.is_link_only:
            raise base.Unsupported(f"blogsvc knows only the link of this copy. Check it on {question.connector.label}.")
        finding.mailing = _mailing(question)
        finding.reading = read_copy(question.sent, question.connector, question.keys, question.receipt)
        if is_to_look:
            copy = question.connector.fetch_version(question.keys, question.receipt)
            finding.state = "in-step" if copy.version == question.receipt.version else "edited"
        if is_to_measure and finding.state != "gone":
            finding.figures = question.connector.stats(question.receipt)
    except base.Gone:
        finding.state = "gone"
    except base.Unsupported as error:
        finding.unsaid = str(error)
    except base.ConnectorError as error:
        finding.trouble = error
    except Exception:
        log.exception("the connector for %s broke on looking at %s", question.platform, question.delivery_id)
        finding.trouble = base.Uncertain("The connector failed in a way it should not; the log has the details.")
    return finding


def _mailing(question: CopyCheck) -> Mailing | None:
    """Return how the e-mail is doing. One that is gone says nothing about the copy."""
    with suppress(base.Gone):
        return question.connector.mailing(question.mail_id) if question.mail_id is not None else None
    return None


def _store_result(finding: CheckResult, tools: Tools) -> None:
    """Store the result, and what the connector saved for its next session."""
    if finding.question.lane is not None:
        save_session(db.session.get(Connection, finding.question.lane), finding.question.connector, tools)
    _note(finding, tools.now())


def _note(finding: CheckResult, now: datetime) -> None:
    """Store the result, unless the copy was sent again in the meantime. Records an event if the copy drifted."""
    delivery = db.session.get(Delivery, finding.question.delivery_id)
    if delivery is None or delivery.state not in RESTING or delivery.receipt != finding.question.receipt:
        return
    if delivery.late_writes and finding.is_looked_at:
        if delivery.is_late_write_possible(now):
            return  # it is looked at again when none is possible any more
        if _is_to_be_put_right(finding, delivery):
            delivery.put_right(now)
            delivery.post.settle(now)
            return
        if finding.trouble is None:
            set_quietly(delivery.id, stored_late_writes=None)
    if delivery.is_draft:
        if finding.trouble is None:
            set_quietly(delivery.id, look_at=None)
        return
    if finding.mailing is not None:
        note_mailing(delivery, finding.mailing, now)
    if finding.figures is not None and finding.figures != Figures():
        db.session.add(CopyStats.of(delivery.id, finding.figures, now))
    if finding.state in ("edited", "gone") and finding.question.is_young:
        return
    if finding.reading is not None and finding.state in ("in-step", "unknown"):
        store(delivery, finding.reading, now)
    if finding.state == "unknown":
        return
    drift = None if finding.state == "in-step" else finding.state
    set_quietly(delivery.id, looked_at=now)
    if drift == delivery.drift:
        return
    delivery.record_drift(drift)
    if drift is not None:
        delivery.record("delivery.drifted", now, drift=drift, url=delivery.url)


def _is_to_be_put_right(finding: CheckResult, delivery: Delivery) -> bool:
    """Return True if late writes have changed the copy, or may have where the platform can't tell."""
    if delivery.connection is None:
        return False
    is_untold = finding.state == "unknown" and finding.unsaid is not None
    # Platforms don't show drafts, so a draft that is gone is as wanted.
    is_hidden = finding.state == "gone" and any(write.revision_id is None for write in delivery.late_writes)
    return finding.state == "edited" or is_untold or (is_hidden and not delivery.is_draft)


def _pause_checks(lane: str, trouble: base.ConnectorError, now: datetime) -> None:
    log.info("asking about copies failed: %s", trouble)
    asked = requested_wait(getattr(trouble, "retry_after", None))
    stop_checks(lane, now + max(PLATFORM_PAUSE, asked or PLATFORM_PAUSE))
