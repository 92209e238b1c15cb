"""Syndication: deliver what is due, through connectors, and settle what became of it.

A delivery is claimed in one transaction, sent in none, and settled in another: whatever happens in
between, the row says that something was sent, and by which attempt. Nothing else calls connectors
to send.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import uniform
from time import monotonic, sleep

from blogsvc.articles import article_of
from blogsvc.connectors import base
from blogsvc.connectors.base import Article, Connector, Payload, Receipt
from blogsvc.errors import Busy, Fault, Invalid
from blogsvc.linking import connector_of
from blogsvc.models import SITE, Attempt, Connection, Delivery, db, record, transaction
from blogsvc.models.delivery import State, expired_leases, next_in_lane
from blogsvc.models.setting import site_changed
from blogsvc.toolbox import Toolbox

log = logging.getLogger(__name__)

BACK_OFF = tuple(timedelta(seconds=s) for s in (10, 60, 300, 1800, 7200, 21600, 43200))
JITTER = 0.2
# How long a platform is given to show what it accepted, before it is asked whether the copy is there.
LAG = timedelta(seconds=10)
# A longer Retry-After is a mistake, or not one that a machine should sit out.
LONGEST_WAIT = timedelta(days=1)


@dataclass(frozen=True)
class Errand:
    """All that an attempt needs, so that no row is held while it is out."""

    delivery_id: str
    fence: int
    operation: str
    article: Article | None
    keys: dict[str, str]
    receipt: Receipt | None
    copy_hash: str | None
    is_in_doubt: bool
    connector: Connector
    platform: str

    @property
    def is_look(self) -> bool:
        """Nothing may be sent before the doubt about the last time is settled, by looking."""
        return self.is_in_doubt and self.operation not in self.connector.repeatable


@dataclass(frozen=True)
class Landed:
    """The copy is there as wanted."""

    receipt: Receipt
    copy_hash: str
    note: str | None = None


@dataclass(frozen=True)
class Removed:
    """No copy is there, as wanted."""


@dataclass(frozen=True)
class Absent:
    """The attempt in doubt never arrived: it may be made again."""


class Lost(base.Uncertain):
    """Our own process stopped or stalled on the way; the platform is not to blame."""


Outcome = Landed | Removed | Absent | base.ConnectorError


def deliver_next(lane: str, tools: Toolbox) -> bool:
    """Deliver the oldest delivery due to one connection. False where there is none."""
    db.session.expunge_all()  # rows of the last time around are old
    errand = _claim(lane, tools)
    if errand is None:
        return False
    outcome = _attempt(errand)
    db.session.expunge_all()  # and so are those from before the answer: other lanes wrote since
    _settle_stubbornly(errand, outcome, tools)
    return True


def expire_leases(tools: Toolbox) -> None:
    """Deliveries whose process died or hung while `sending`: their outcome is unknown."""
    with transaction():
        now = tools.now()
        for delivery in expired_leases(now):
            error = Lost("The server stopped before the answer came.")
            _close_attempt(delivery, "lost", now, "lost", str(error))
            _Settlement(delivery, connector_of(delivery.connection, tools), now, tools, is_look=False).apply(error)


def _claim(lane: str, tools: Toolbox) -> Errand | None:
    with transaction():
        now = tools.now()
        delivery = next_in_lane(lane, now)
        if delivery is None:
            return None
        assert delivery.connection is not None
        connector = connector_of(delivery.connection, tools)
        was_in_doubt = delivery.is_in_doubt
        is_new = delivery.choose(now)
        article = article_of(delivery, tools.config.public_url)
        if is_new and delivery.operation == "create" and article is not None:
            delivery.keys = {**delivery.keys, **connector.mint(article)}
        delivery.claim(now, timedelta(seconds=tools.config.lease_seconds))
        record(
            "delivery.claimed",
            now,
            post_id=delivery.post_id,
            delivery_id=delivery.id,
            platform=delivery.platform,
            attempt=delivery.fence,
            operation=delivery.operation,
        )
        return Errand(
            delivery_id=delivery.id,
            fence=delivery.fence,
            operation=delivery.operation or "create",
            article=article,
            keys=dict(delivery.keys),
            receipt=_receipt(delivery),
            copy_hash=delivery.copy_hash,
            is_in_doubt=was_in_doubt,
            connector=connector,
            platform=delivery.platform,
        )


def _receipt(delivery: Delivery) -> Receipt | None:
    if delivery.remote_id is None:
        return None
    return Receipt(delivery.remote_id, delivery.url, delivery.version)


def _attempt(errand: Errand) -> Outcome:
    """Do the errand. Never raises: an error is an outcome."""
    try:
        return _send(errand)
    except base.ConnectorError as error:
        return error
    except Exception:
        log.exception("the connector for %s broke on %s", errand.platform, errand.delivery_id)
        return base.Uncertain("The connector failed in a way it should not; the log has the details.")


def _send(errand: Errand) -> Outcome:
    if errand.is_look:
        return _look(errand)
    if errand.operation == "delete":
        return _take_down(errand)
    assert errand.article is not None
    payload = errand.connector.compose(errand.article, {})
    if errand.operation == "create":
        return Landed(_create(errand, payload), payload.hash)
    assert errand.receipt is not None
    if payload.hash == errand.copy_hash:
        return Landed(errand.receipt, payload.hash)
    try:
        return Landed(errand.connector.update(payload, errand.keys, errand.receipt), payload.hash)
    except base.Unsupported as error:
        return Landed(errand.receipt, payload.hash, note=str(error))


def _create(errand: Errand, payload: Payload) -> Receipt:
    try:
        return errand.connector.publish(payload, errand.keys)
    except base.Duplicate as duplicate:
        if duplicate.receipt is not None:
            return duplicate.receipt
        found = errand.connector.find(errand.keys)
        if isinstance(found, base.Found):
            return found.receipt
        raise


def _look(errand: Errand) -> Outcome:
    """Settle a doubt by looking the copy up. Read-only."""
    try:
        found = errand.connector.find(errand.keys)
    except (base.Unavailable, base.Disconnected, base.Misconfigured):
        raise
    except base.ConnectorError as error:  # an answer to the question, but not to ours
        return base.Uncertain(str(error))
    if isinstance(found, base.NotFound):
        return Absent()
    if isinstance(found, base.CannotKnow) or errand.article is None:
        return base.Uncertain("Whether the copy arrived cannot be found out from here. Look, and say which it is.")
    return Landed(found.receipt, errand.connector.compose(errand.article, {}).hash)


def _take_down(errand: Errand) -> Outcome:
    try:
        if errand.receipt is not None:
            errand.connector.delete(errand.keys, errand.receipt)
    except base.Gone:
        pass
    return Removed()


def _settle_stubbornly(errand: Errand, outcome: Outcome, tools: Toolbox) -> None:
    """Nobody else knows the answer, so a busy database is asked again for as long as the lease lasts."""
    end = monotonic() + tools.config.lease_seconds
    while True:
        try:
            return _settle(errand, outcome, tools)
        except Busy:
            if monotonic() > end:
                raise
            sleep(0.1)


def _settle(errand: Errand, outcome: Outcome, tools: Toolbox) -> None:
    with transaction():
        delivery = db.session.get(Delivery, errand.delivery_id, with_for_update=True)
        if delivery is None or delivery.fence != errand.fence or delivery.state != "sending":
            log.warning("attempt %d of %s came back too late", errand.fence, errand.delivery_id)
            return
        now = tools.now()
        is_error = isinstance(outcome, base.ConnectorError)
        attempt = _close_attempt(
            delivery,
            "failed" if is_error else "succeeded",
            now,
            outcome.code if isinstance(outcome, base.ConnectorError) else None,
            str(outcome) if is_error else None,
        )
        log.info(
            "delivery=%s platform=%s operation=%s attempt=%d outcome=%s ms=%s",
            delivery.id,
            delivery.platform,
            errand.operation,
            errand.fence,
            outcome.code if isinstance(outcome, base.ConnectorError) else type(outcome).__name__.lower(),
            attempt.milliseconds if attempt else None,
        )
        _Settlement(delivery, errand.connector, now, tools, errand.is_look, errand.is_in_doubt).apply(outcome)


def _close_attempt(
    delivery: Delivery, outcome: str, now: datetime, code: str | None, detail: str | None
) -> Attempt | None:
    attempt = next((a for a in delivery.attempts if a.number == delivery.fence), None)
    if attempt is not None:
        attempt.close(outcome, now, code, detail)
    return attempt


@dataclass(frozen=True)
class _Settlement:
    """What an outcome means for the rows: the delivery, its lane, its post, and the record of it."""

    delivery: Delivery
    connector: Connector
    now: datetime
    tools: Toolbox
    is_look: bool
    was_in_doubt: bool = False

    def apply(self, outcome: Outcome) -> None:
        operation = self.delivery.operation
        match outcome:
            case Landed():
                self._landed(outcome)
            case Removed():
                self._lane.works()
                self.delivery.is_gone(self.now)
                self._record("delivery.withdrawn")
            case Absent():
                self.delivery.never_sent()
                self.delivery.again(self.now)
            case base.Uncertain():
                self._in_doubt(outcome)
            case base.Disconnected() | base.Misconfigured():
                self._refused_us(outcome)
            case base.Unavailable():
                self._later(outcome)
            case base.Gone() if operation == "update":
                self.delivery.lost()
                self._fail("gone", "The copy was removed there. Retry to make it anew.")
            case _:
                self.delivery.never_sent()
                self._fail(outcome.code, str(outcome))
        self._follow()

    @property
    def _lane(self) -> Connection:
        assert self.delivery.connection is not None
        return self.delivery.connection

    def _landed(self, outcome: Landed) -> None:
        self._lane.works()
        receipt = outcome.receipt
        self.delivery.landed(receipt.remote_id, receipt.url, receipt.version, outcome.copy_hash, self.now)
        self._record("delivery.succeeded", url=receipt.url, note=outcome.note)

    def _in_doubt(self, error: base.Uncertain) -> None:
        """Look it up where that can be done; say it again where that is harmless; else ask a person."""
        if not self.is_look and not isinstance(error, Lost):
            self._lane.stumbles(str(error), self.now, None)
        if self.delivery.operation in self.connector.repeatable:
            self._try_again("retrying", error)
        elif type(self.connector).can("find") and not self._is_past_patience:
            self._uncertain(error, self.now + max(LAG, self._back_off()))
        else:
            self._uncertain(error, None)

    def _uncertain(self, error: base.ConnectorError, look_at: datetime | None) -> None:
        self.delivery.postpone("uncertain", look_at, error.code, str(error), self.now)
        self._record("delivery.uncertain", detail=str(error))

    def _refused_us(self, error: base.ConnectorError) -> None:
        """Its account needs a person: the lane waits, and this delivery with it."""
        self._turned_away()
        if self._lane.disconnect(str(error)):
            record("connection.disconnected", self.now, platform=self._lane.name, detail=str(error))
        self._try_again("retrying", error)

    def _later(self, error: base.Unavailable) -> None:
        is_limit = isinstance(error, base.RateLimited)
        if is_limit or self.delivery.operation not in self.connector.repeatable:
            self._turned_away()
        # A wait of nothing at all is none: we would ask in a circle.
        wait = timedelta(seconds=min(error.retry_after, LONGEST_WAIT.total_seconds())) if error.retry_after else None
        self._lane.stumbles(str(error), self.now, wait)
        self._try_again("retrying", error, wait)

    def _try_again(self, state: State, error: base.ConnectorError, wait: timedelta | None = None) -> None:
        if self._is_past_patience and self.is_look:
            self._uncertain(error, None)
            return
        if self._is_past_patience:
            self._fail("gave_up", f"Given up after many tries. The last one said: {error}")
            return
        at = self.now + (self._back_off() if wait is None else wait)
        self.delivery.postpone(state, at, error.code, str(error), self.now)
        self._record(f"delivery.{state}", detail=str(error), nextAttemptAt=at.isoformat())

    def _turned_away(self) -> None:
        """This attempt did nothing. An earlier one that is in doubt may have, all the same."""
        if not self.was_in_doubt:
            self.delivery.never_sent()

    @property
    def _is_past_patience(self) -> bool:
        return self.now - self.delivery.wanted_at > timedelta(hours=self.tools.config.give_up_after_hours)

    def _back_off(self) -> timedelta:
        step = BACK_OFF[min(self.delivery.failure_count, len(BACK_OFF) - 1)]
        return step * uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 (spreads load, guards nothing)

    def _fail(self, code: str, detail: str) -> None:
        self.delivery.fail(code, detail, self.now)
        self._record("delivery.failed", code=code, detail=detail)

    def _record(self, type: str, **data: object) -> None:
        delivery = self.delivery
        record(type, self.now, post_id=delivery.post_id, delivery_id=delivery.id, platform=delivery.platform, **data)

    def _follow(self) -> None:
        """The post's state is its deliveries', written with them."""
        state = self.delivery.post.settle()
        if state:
            record(f"post.{state}", self.now, post_id=self.delivery.post_id)


def retry(delivery: Delivery, now: datetime) -> Delivery:
    """Try a delivery now, whatever its back-off says."""
    with transaction():
        delivery.may("retry")
        delivery.again(now)
        _reopen(delivery, now)
        return delivery


def resolve_delivered(delivery: Delivery, url: str | None, now: datetime) -> Delivery:
    """The author looked, and the copy is there."""
    with transaction():
        delivery.may("resolve")
        if delivery.operation == "delete":
            delivery.is_gone(now)
        else:
            delivery.landed(delivery.remote_id or url or delivery.id, url or delivery.url, None, "", now)
        record("delivery.succeeded", now, post_id=delivery.post_id, delivery_id=delivery.id, resolved="by hand")
        _reopen(delivery, now)
        return delivery


def resolve_again(delivery: Delivery, now: datetime) -> Delivery:
    """The author looked, and the copy is not there: send it again."""
    with transaction():
        delivery.may("resolve")
        delivery.never_sent()
        delivery.again(now)
        _reopen(delivery, now)
        return delivery


def withdraw(delivery: Delivery, now: datetime) -> Delivery:
    """Take the copy down there. The post, and its other copies, stay."""
    with transaction():
        delivery.may("withdraw")
        if delivery.platform == SITE:
            delivery.post.leave_site(now)
            site_changed()
        elif delivery.connection is None:
            raise Invalid(Fault("#", "no_connection", "Nothing is connected there any more; connect it first."))
        else:
            delivery.want(None, now)
        _reopen(delivery, now)
        return delivery


def _reopen(delivery: Delivery, now: datetime) -> None:
    state = delivery.post.settle()
    if state:
        record(f"post.{state}", now, post_id=delivery.post_id)
