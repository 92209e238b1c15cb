"""Apply the outcome of an attempt to the delivery, its connection, its post and the event log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from blogsvc.connections.verify import mark_disconnected
from blogsvc.connectors import base
from blogsvc.connectors.base import Connector, Receipt
from blogsvc.context import Tools
from blogsvc.delivery.retry_delays import DELIVERY_BACK_OFF, LATE_LOOKUP_DELAY, LOOKUP_DELAY, SECOND_LOOKUP
from blogsvc.lib.back_off import requested_wait
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, CopySearch, Delivery
from blogsvc.models.due_checks import schedule_checks, schedule_late_check
from blogsvc.models.due_deliveries import release_lane
from blogsvc.models.extra_copy import forget_extra_copies
from blogsvc.models.setting import site_changed

EARLIER_COPY = "An earlier attempt may have created the copy, so its text is updated next."
EARLIER_MAIL = " Subscribers may have been e-mailed the earlier text, which can't be changed."


@dataclass(frozen=True)
class Delivered:
    """The copy is on the platform, as wanted, unless it may be that of an earlier operation."""

    receipt: Receipt
    copy_hash: str
    note: str | None = None
    is_of_earlier_operation: bool = False


@dataclass(frozen=True)
class Withdrawn:
    """The copy is removed or a draft, as wanted, and the extra copies with these ids are removed."""

    draft: Receipt | None = None
    extra_copies: frozenset[str] = frozenset()


@dataclass(frozen=True)
class NotSent:
    """The uncertain attempt did not arrive, so it is safe to send again."""


@dataclass(frozen=True)
class HandedOver:
    """A person does what the operation needs, because blogsvc can't send to the platform."""


@dataclass(frozen=True)
class DraftFound:
    """The staged draft, whose creation was in doubt, is on the platform. It is published next."""

    receipt: Receipt


@dataclass(frozen=True)
class DraftMissing:
    """There is no staged draft, so the copy is created without one."""


class OutcomeUnknown(base.Unanswered):
    """This process stopped or hung during the attempt; the request may still be on its way."""


class LookupUnanswered(base.Uncertain):
    """The lookup worked but can't tell: another one later would not tell either."""

    def __init__(self) -> None:
        super().__init__("blogsvc can't find out whether the copy arrived. Check the platform, then say which it is.")


Outcome = Delivered | Withdrawn | NotSent | HandedOver | DraftFound | DraftMissing | base.ConnectorError


@dataclass(frozen=True)
class Settlement:
    """Applies an outcome to the delivery, its connection, its post and the event log."""

    delivery: Delivery
    connector: Connector
    now: datetime
    tools: Tools
    started_at: datetime
    is_look: bool = False
    was_in_doubt: bool = False
    has_draft: bool = False

    def apply(self, outcome: Outcome) -> None:
        operation, url = self.delivery.operation, self.delivery.url
        match outcome:
            case Delivered() if self._is_taken(outcome.receipt.remote_id):
                self._apply_taken()
            case Delivered():
                self._apply_delivered(outcome)
            case Withdrawn(draft=None) if self._can_be_created_late:
                self._delete_again_later()
            case Withdrawn():
                self._note_success()
                if outcome.draft is not None:
                    self._forget_overtaken_writes()
                    self.delivery.record_kept_draft(outcome.draft, self.now)
                    schedule_late_check(self.delivery, self.connector, self.now)
                else:
                    self.delivery.mark_removed(self.now)
                self.delivery.record("delivery.withdrawn", self.now, isDraft=outcome.draft is not None)
                self._search_after_withdrawal(outcome)
            case HandedOver():
                self._note_success()
                self.delivery.hand_over(self.now)
                if self.delivery.revision_id is not None and self.delivery.post.deleted_at is not None:
                    self.delivery.cancel(self.now)  # the post was discarded meanwhile
            case NotSent() if self.delivery.is_late_write_possible(self.now):
                error = base.Unanswered("No copy yet. The request may still arrive.")
                self._mark_uncertain(error, self.delivery.late_until)
            case NotSent():
                if self.delivery.operation == "create" and not self.delivery.is_only_rate_limited:
                    CopySearch.begin(self.delivery, self.now)
                self._send_again()
            case LookupUnanswered() if self.delivery.is_only_rate_limited:
                self._send_again()  # hardly any platform limits what it has executed
            case DraftFound() | DraftMissing():
                self.delivery.record_not_sent()
                self._try_again(base.Unavailable("The draft was looked up."), timedelta(0))
            case LookupUnanswered():
                self._apply_unanswered(outcome)
            case base.UnusableId():
                self._mark_uncertain(outcome, None)
            case base.Uncertain():
                self._apply_uncertain(outcome)
            case base.Disconnected() | base.Misconfigured():
                self._apply_disconnected(outcome)
            case base.Unavailable():
                self._apply_unavailable(outcome)
            case base.Conflict() | base.Gone() if self._is_only_put_right:
                self.delivery.leave_changed("gone" if isinstance(outcome, base.Gone) else "edited", self.now)
            case base.Conflict() if operation == "delete":
                self.delivery.record_not_sent()
                self._fail("edited", str(outcome))
            case base.Gone() if operation == "update":
                self.delivery.forget_copy()
                self._fail("gone", "The copy was removed there. Retry to make it anew.")
            case _:
                self.delivery.record_not_sent()
                self._fail(outcome.code, str(outcome))
        if self.delivery.url != url and self.delivery.post.site_revision_id is not None:
            site_changed()  # the page on this blog lists its copies
        self.delivery.post.settle(self.now)

    @property
    def _lane(self) -> Connection:
        assert self.delivery.connection is not None
        return self.delivery.connection

    def _note_success(self) -> None:
        """Record that the account works. If deliveries were paused, all of them are due now."""
        if self._lane.record_success():
            release_lane(self._lane.id, self.now)

    def _apply_delivered(self, outcome: Delivered) -> None:
        self._note_success()
        receipt, note = outcome.receipt, outcome.note
        self._forget_overtaken_writes()
        if outcome.is_of_earlier_operation:
            note = EARLIER_COPY + (EARLIER_MAIL if self.delivery.mailed_at else "")
            self.delivery.record_earlier_copy(receipt, self.now)
        else:
            self.delivery.record_delivered(receipt, outcome.copy_hash, self.now)
        schedule_checks(self.delivery, self.connector, self.now)
        schedule_late_check(self.delivery, self.connector, self.now)
        self.delivery.record("delivery.succeeded", self.now, url=receipt.url, note=note)

    def _note_late_write(self) -> None:
        """Note that the request may be executed later, so that the copy is looked at again then.

        A copy that is created late is found otherwise: before another one is sent, or by the search for extra copies.
        """
        self.delivery.expect_late_execution(self.now)
        is_found_otherwise = self.delivery.operation == "create" and "create" not in self.connector.repeatable
        if not (is_found_otherwise or type(self.connector).can("hand_over")):
            self.delivery.add_late_write(self.delivery.current_write)

    @property
    def _can_be_created_late(self) -> bool:
        """Return True if a late write can create the copy again after it was deleted."""
        has_text = any(write.revision_id is not None for write in self.delivery.late_writes)
        return has_text and self.delivery.is_late_write_possible(self.now) and not self._is_past_deadline

    def _delete_again_later(self) -> None:
        """Delete the copy once more when no late write can create it again."""
        assert self.delivery.late_until is not None
        self._note_success()
        reason = base.Unavailable("It was deleted. A late request may create it again, so blogsvc looks again.")
        self._try_again(reason, self.delivery.late_until - self.now, is_failure=False)

    def _forget_overtaken_writes(self) -> None:
        """Forget the late writes if none could be executed any more when this attempt began."""
        if not self.delivery.is_late_write_possible(self.started_at):
            self.delivery.forget_late_writes()

    @property
    def _is_only_put_right(self) -> bool:
        """Return True if all that the attempt wants is to undo what a late write may have written."""
        return self.delivery.is_being_put_right and self.delivery.armed_revision_id == self.delivery.copy_revision_id

    def _is_taken(self, remote_id: str) -> bool:
        """Return True if the platform named the copy of another post as the new copy of this one."""
        is_new = self.connector.has_unique_ids and remote_id != self.delivery.remote_id
        return is_new and self.delivery.is_taken(remote_id)

    def _apply_taken(self) -> None:
        """Leave the copy of another post alone, and ask a person."""
        label = self.connector.label
        detail = f"{label} returned the copy of another post. Check {label}, then say whether this post arrived."
        self._mark_uncertain(base.Duplicate(detail), None)

    def _apply_uncertain(self, error: base.Uncertain) -> None:
        """Look the copy up if possible, send again if that cannot duplicate it, else ask a person."""
        if not self.is_look and not isinstance(error, OutcomeUnknown):
            self._lane.record_failure(str(error), self.now, None)
        self.delivery.doubt_repetition()
        if isinstance(error, base.Unanswered):
            self._note_late_write()
        if self.delivery.operation in self.connector.repeatable:
            self._try_again(error)
        elif type(self.connector).can("find") and not self._is_past_deadline:
            delay = LATE_LOOKUP_DELAY if isinstance(error, base.Unanswered) else LOOKUP_DELAY
            self._mark_uncertain(error, max(self._next_try, self.now + delay))
        else:
            self._mark_uncertain(error, None)

    def _search_after_withdrawal(self, outcome: Withdrawn) -> None:
        """Search again for copies of late requests, if this delivery was in doubt."""
        if (search := CopySearch.of(self.delivery)) is not None:
            forget_extra_copies(self.delivery, outcome.extra_copies)
            search.restart(self.now)

    def _send_again(self) -> None:
        self.delivery.record_not_sent()
        self._try_again(base.Unavailable("The last attempt did not arrive."), timedelta(0))

    def _apply_unanswered(self, error: LookupUnanswered) -> None:
        """Ask the author, after the second lookup in a row that can't tell."""
        is_second = self.delivery.error_detail == str(error)
        self._mark_uncertain(error, None if is_second or self._is_past_deadline else self.now + SECOND_LOOKUP)

    def _mark_uncertain(self, error: base.ConnectorError, look_at: datetime | None) -> None:
        self.delivery.postpone("uncertain", look_at, error.code, str(error), self.now)
        self.delivery.record("delivery.uncertain", self.now, detail=str(error))

    def _apply_disconnected(self, error: base.Disconnected | base.Misconfigured) -> None:
        """Handle an account that does not work: its lane waits, and this delivery with it."""
        self._note_not_sent()
        mark_disconnected(self._lane, error, self.now)
        self._try_again(error)

    def _apply_unavailable(self, error: base.Unavailable) -> None:
        if error.can_be_late:
            self._note_late_write()
        is_limit = isinstance(error, base.RateLimited)
        if not is_limit:
            self.delivery.doubt_repetition()
        is_repeatable = self.delivery.operation in self.connector.repeatable
        # Some platforms limit the rate after they have executed the request, so the copy is looked up before it is sent
        # again, or the same request is repeated before another one. A draft is looked at when it is published.
        if is_limit and not self.has_draft and (is_repeatable or type(self.connector).can("find")):
            if not self.was_in_doubt:
                self.delivery.doubt_rate_limit(is_repeated=is_repeatable)
        elif is_limit or not is_repeatable:
            self._note_not_sent()
        wait = requested_wait(error.retry_after)
        if self.connector.uploads.made and not is_limit:  # the next attempt continues with the other images
            self._try_again(error, wait or timedelta(0), is_failure=False)
            return
        self._lane.record_failure(str(error), self.now, wait)
        self._try_again(error, wait)

    def _try_again(self, error: base.ConnectorError, wait: timedelta | None = None, *, is_failure: bool = True) -> None:
        if not self._is_past_deadline:
            at = self._next_try if wait is None else self.now + wait
            self.delivery.postpone("retrying", at, error.code, str(error), self.now, is_failure=is_failure)
            expected = self.delivery.expected_at
            self.delivery.record(
                "delivery.retrying", self.now, detail=str(error), nextAttemptAt=stamp(expected) if expected else None
            )
            if self.delivery.revision_id is not None and self.delivery.post.deleted_at is not None:
                self.delivery.cancel(self.now)  # an update that was being sent when the post was discarded
        elif self.is_look and self.delivery.is_in_doubt:
            self._mark_uncertain(error, None)
        else:
            self._fail("gave_up", f"Given up after many tries. The last one said: {error}")

    def _note_not_sent(self) -> None:
        """Note that this attempt changed nothing. An earlier uncertain attempt stays uncertain."""
        if not self.was_in_doubt:
            self.delivery.record_not_sent()

    @property
    def _deadline(self) -> datetime:
        return self.delivery.wanted_at + timedelta(hours=self.tools.config.give_up_after_hours)

    @property
    def _is_past_deadline(self) -> bool:
        """Return True if the delivery is given up after this attempt. What a person does can take any time."""
        return self.now >= self._deadline and not type(self.connector).can("hand_over")

    @property
    def _next_try(self) -> datetime:
        """Return the time after the back-off, or the deadline if that is earlier, for one last attempt."""
        after = self.now + DELIVERY_BACK_OFF.after(self.delivery.failure_count)
        return min(after, self._deadline) if self.now < self._deadline else after

    def _fail(self, code: str, detail: str) -> None:
        self.delivery.fail(code, detail, self.now)
        self.delivery.record("delivery.failed", self.now, code=code, detail=detail)
