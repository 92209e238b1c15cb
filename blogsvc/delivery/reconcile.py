"""Surveys: ask the platforms how the copies do, and whether they are as we left them. Nothing is changed there."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from blogsvc.connections.load import connector_of, keep_session
from blogsvc.connectors import base
from blogsvc.connectors.base import Connector, Figures, Receipt
from blogsvc.context import Toolbox
from blogsvc.models import SITE, Connection, Delivery, Post, Stat, db, record, transaction
from blogsvc.models.due_checks import leave_alone, next_of, put_off, set_quietly

log = logging.getLogger(__name__)

# A platform that fails once is left alone for so long, or for as long as it says.
PAUSE = timedelta(hours=1)
# Copies that are looked at side by side, for somebody who waits.
AT_ONCE = 8

Standing = Literal["in-step", "edited", "gone", "unknown"]


@dataclass(frozen=True)
class Question:
    """All that asking about a copy needs, so that no row is held while it is out."""

    delivery_id: str
    platform: str
    lane: str | None
    keys: dict[str, str]
    receipt: Receipt
    connector: Connector


@dataclass
class Finding:
    """What a platform said of a copy. `trouble`: why it could not be asked; `unsaid`: why it never tells."""

    question: Question
    standing: Standing = "unknown"
    figures: Figures | None = None
    trouble: base.ConnectorError | None = None
    unsaid: str | None = None

    @property
    def detail(self) -> str | None:
        """Why nothing is known, where that is so."""
        return str(self.trouble) if self.trouble else self.unsaid


def survey_next(lane: str, tools: Toolbox) -> bool:
    """Ask about one copy of a connection that is due. False where there is none."""
    with transaction():
        now = tools.now()
        delivery = next_of(lane, now)
        if delivery is None:
            return False
        wants = put_off(delivery, now)
        question = _question(delivery, tools)
    if question is None:
        return True
    finding = _ask(question, *wants)
    with transaction():
        _keep(finding, tools)
        if finding.trouble is not None:
            _wait(lane, finding.trouble, tools.now())
    return True


def look_now(post: Post, tools: Toolbox) -> list[tuple[Delivery, Finding]]:
    """Whether each copy of a post is there, and as it was sent: asked now, and remembered."""
    post_id = post.id
    questions = [one for delivery in post.deliveries if (one := _question(delivery, tools)) is not None]
    db.session.rollback()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        findings = list(pool.map(lambda question: _ask(question, False, True), questions))
    with transaction():
        for finding in findings:
            _keep(finding, tools)
    return _with_rows(Post.get(post_id), findings)


def _with_rows(post: Post, findings: Sequence[Finding]) -> list[tuple[Delivery, Finding]]:
    by_id = {finding.question.delivery_id: finding for finding in findings}
    return [(delivery, by_id[delivery.id]) for delivery in post.deliveries if delivery.id in by_id]


def _question(delivery: Delivery, tools: Toolbox) -> Question | None:
    """None where no copy is known to be there, or where it is ours to know."""
    if delivery.receipt is None or delivery.platform == SITE:
        return None
    connector = connector_of(delivery.connection, tools)
    keys = dict(delivery.keys)
    return Question(delivery.id, delivery.platform, delivery.connection_id, keys, delivery.receipt, connector)


def _ask(question: Question, is_to_measure: bool, is_to_look: bool) -> Finding:
    """Never raises: an error is a finding."""
    finding = Finding(question)
    try:
        if is_to_look:
            finding.standing = _standing(question)
        if is_to_measure and finding.standing != "gone":
            finding.figures = question.connector.stats(question.receipt)
    except base.Gone:
        finding.standing = "gone"
    except base.Unsupported as error:
        finding.unsaid = str(error)
    except base.ConnectorError as error:
        finding.trouble = error
    except Exception:
        log.exception("the connector for %s broke on looking at %s", question.platform, question.delivery_id)
        finding.trouble = base.Uncertain("The connector failed in a way it should not; the log has the details.")
    return finding


def _standing(question: Question) -> Standing:
    there = question.connector.look(question.keys, question.receipt)
    return "in-step" if there.version == question.receipt.version else "edited"


def _keep(finding: Finding, tools: Toolbox) -> None:
    """What was found, and what the connector put aside on the way."""
    if finding.question.lane is not None:
        keep_session(db.session.get(Connection, finding.question.lane), finding.question.connector, tools)
    _note(finding, tools.now())


def _note(finding: Finding, now: datetime) -> None:
    """Keep what was found, unless the copy was sent anew meanwhile, and say so where it is news."""
    delivery = db.session.get(Delivery, finding.question.delivery_id)
    if delivery is None or delivery.state != "delivered" or delivery.receipt != finding.question.receipt:
        return
    if finding.figures is not None and finding.figures != Figures():
        db.session.add(Stat.of(delivery.id, finding.figures, now))
    if finding.standing == "unknown":
        return
    drift = None if finding.standing == "in-step" else finding.standing
    set_quietly(delivery.id, looked_at=now)
    if drift == delivery.drift:
        return
    delivery.has_drifted(drift)
    if drift is not None:
        told = {"platform": delivery.platform, "drift": drift, "url": delivery.url}
        record("delivery.drifted", now, post_id=delivery.post_id, delivery_id=delivery.id, **told)


def _wait(lane: str, trouble: base.ConnectorError, now: datetime) -> None:
    log.info("asking about copies failed: %s", trouble)
    asked = getattr(trouble, "retry_after", None)
    leave_alone(lane, now + max(PAUSE, timedelta(seconds=min(asked or 0, 86400))))
