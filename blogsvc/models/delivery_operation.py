"""The operation that a delivery sends: create, update or delete the copy.

Before the first byte is sent, an operation is armed: chosen, given an idempotency key, and committed. While
`is_in_doubt` is set, the platform may have received the operation, and no other one is sent.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.connectors.base import Operation
from blogsvc.lib.ids import new_id
from blogsvc.lib.time import parse, stamp
from blogsvc.models import attempt
from blogsvc.models.delivery_states import State
from blogsvc.models.late_writes import LateWrite, LateWrites
from blogsvc.models.lease import Retried
from blogsvc.models.platform_copy import PlatformCopy
from blogsvc.models.transactions import wake_scheduler

# Keys for the engine: the URL of the original, and that the request is in doubt only because of a rate limit.
ORIGINAL, RATE_LIMITED = "original", "rate_limited"
# How that doubt is ended: values of RATE_LIMITED.
LOOK_UP, REPEAT = "look_up", "repeat"


class DeliveryOperation(Retried, LateWrites, PlatformCopy):
    """The columns of a delivery about what is wanted and what is being sent."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    # The wanted revision. None to remove the copy.
    revision_id: Mapped[str | None] = mapped_column(String(40))
    # The author wants the copy deleted, not kept as a draft.
    is_deletion_wanted: Mapped[bool] = mapped_column(default=False)
    # The current operation.
    operation: Mapped[Operation | None] = mapped_column(String(10))
    armed_revision_id: Mapped[str | None] = mapped_column(String(40))
    keys: Mapped[dict[str, str]] = mapped_column(default=dict)
    is_in_doubt: Mapped[bool] = mapped_column(default=False)
    updated_at: Mapped[datetime]

    @property
    def is_settled(self) -> bool:
        if self.is_in_doubt or self.is_being_put_right:
            return False
        if self.revision_id is None:
            return self.remote_id is None or (self.is_draft and not self.is_deletion_wanted)
        return self.copy_revision_id == self.revision_id

    @property
    def needed_operation(self) -> Operation:
        """The operation that updates the copy to the wanted revision."""
        if self.revision_id is None:
            return "delete"
        return "create" if self.remote_id is None else "update"

    def choose(self, now: datetime) -> bool:
        """Choose the next operation, before it is claimed. Return True if it is a new one.

        An operation that is in doubt or was not completed is repeated with the same idempotency keys.
        """
        wanted = (self.needed_operation, self.revision_id)
        if self.is_in_doubt or wanted == (self.operation, self.armed_revision_id):
            return False
        self.operation, self.armed_revision_id = wanted
        kept = {name: key for name, key in self.keys.items() if name != ORIGINAL}
        self.keys = {**kept, "operation": new_id("op", now), "armed_at": stamp(now)}
        return True

    @property
    def current_write(self) -> LateWrite:
        """What the current operation writes when it is executed."""
        return LateWrite(self.keys["operation"], self.armed_revision_id, self.keys.get(ORIGINAL) or None)

    def keep_original(self, url: str | None) -> str | None:
        """Return the URL of the original for the current operation: `url` unless an earlier attempt had another one.

        All attempts send the same text, so that the platform's copy is recognized.
        """
        self.keys = {ORIGINAL: url or "", **self.keys}
        return self.keys[ORIGINAL] or None

    def claim(self, now: datetime, lease: timedelta, owner: str) -> None:
        """Start an attempt."""
        self.is_in_doubt, self.updated_at = True, now
        attempt.open_attempt(self.id, self.begin_attempt(now, lease, owner), self.operation, now)

    def close_attempt(self, outcome: str, now: datetime, code: str | None = None, detail: str | None = None) -> None:
        """Store the outcome of the latest attempt."""
        attempt.close_attempt(self.id, self.fence, outcome, now, code, detail)

    @property
    def is_link_only(self) -> bool:
        """True if the platform's id of the copy is not known: a person posted it, or said that it arrived."""
        return self.remote_id == self.id

    def postpone(
        self, state: State, at: datetime | None, code: str, detail: str, now: datetime, *, is_failure: bool = True
    ) -> None:
        """Record an unsuccessful attempt, and retry at this time, or never automatically if it is None.

        An attempt that made progress is no failure, so it does not lengthen the back-off.
        """
        self.end_attempt(state, at, code, detail)
        self.updated_at = now
        self.failure_count += is_failure
        wake_scheduler()

    def record_not_sent(self) -> None:
        """Record that the platform did not receive the operation, or rejected it. A different one may be sent next."""
        self.end_doubt()
        if self.operation == "create" and not self.is_mail_spent:
            before = self.keys.get("mailed_before")
            self.mailed_at, self.is_mail_spent = parse(before) if before else None, bool(before)

    def end_doubt(self) -> None:
        """Record that the outcome of the operation is known."""
        self.is_in_doubt = False
        self.keys = {name: key for name, key in self.keys.items() if name != RATE_LIMITED}

    def doubt_rate_limit(self, *, is_repeated: bool) -> None:
        """Record that the platform rejected the operation because of a rate limit. It may have executed it before.

        Then it is looked up or, if it `is_repeated`, sent again as it was, unless its text is withdrawn.
        """
        self.keys = {**self.keys, RATE_LIMITED: REPEAT if is_repeated else LOOK_UP}
        self._drop_doubt_of_withdrawn_text()

    def doubt_repetition(self) -> None:
        """Record that the repetition of a rate-limited operation may have been executed."""
        if self.keys.get(RATE_LIMITED) == REPEAT:
            self.keys = {name: key for name, key in self.keys.items() if name != RATE_LIMITED}

    @property
    def is_only_rate_limited(self) -> bool:
        """True if the operation was rejected because of a rate limit. Such a doubt is dropped if the author ends it."""
        return RATE_LIMITED in self.keys

    def drop_doubt_of_rate_limit(self) -> None:
        """Count an operation that was only rejected because of a rate limit as not sent: it is ended or moved."""
        if self.is_only_rate_limited and self.state != "sending":
            self.record_not_sent()

    def _drop_doubt_of_withdrawn_text(self) -> None:
        """Count a rate-limited operation as not sent if it would be repeated although its text is withdrawn."""
        is_text_withdrawn = self.revision_id is None and self.operation != "delete"
        if is_text_withdrawn and self.keys.get(RATE_LIMITED) == REPEAT:
            if self.operation == "update":
                self.add_late_write(self.current_write)  # it may have been executed all the same
            self.record_not_sent()

    def record_possible_mail(self, now: datetime) -> None:
        """Record that the current operation may e-mail subscribers, for the first time or again."""
        if self.mailed_at is not None:
            self.keys = {**self.keys, "mailed_before": stamp(self.mailed_at)}
        self.mailed_at, self.is_mail_spent = now, False

    def forget_copy(self) -> None:
        """Forget the copy, because it no longer exists. The next operation creates it again, and e-mails it no more.

        Its id stays in the keys, because some platforms keep a deleted copy and accept no second one.
        """
        former_id = self.keys.get("former_id") if self.remote_id is None or self.is_link_only else self.remote_id
        self.is_mail_spent = self.mailed_at is not None
        self.remote_id = self.url = self.version = self.copy_revision_id = self.copy_hash = None
        self.operation = self.armed_revision_id = None
        self.keys = {"former_id": former_id} if former_id else {}
        self.extra, self.is_in_doubt, self.first_delivered_at = {}, False, None
        self.look_at = self.measure_at = self.late_until = None
        self.forget_late_writes()
        self.is_draft = False
        self.losses = self.losses_dismissed_at = None
        self.record_drift(None)

    def fail(self, code: str, detail: str, now: datetime) -> None:
        self.end_attempt("failed", None, code, detail)
        self.updated_at = now
