"""Hand lanes over to workers on other machines, as long as these do their work."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from math import inf
from random import uniform
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from blogsvc.context import InMemory, Tools
from blogsvc.models.process import is_any_consuming
from blogsvc.scheduler.traffic import Traffic

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger(__name__)

# A lane that still has the same work due after this time gets another message, because one may be lost. Seconds.
SEND_AGAIN_AFTER = 10.0
# The shortest and longest time for a lane that only some workers can work on. With Redis, messages in a fixed rhythm
# may all go to the same worker, which need not be one of them.
TRY_OTHERS_AFTER = 1.0, 4.0
# After as many messages without an effect, the lane is worked on here: the workers may be busy, or use another broker.
MAX_MESSAGES = 2
# After the broker failed, the schedulers do the work for the first of these times; for twice as long each time that it
# fails again, up to the second, because each try may take a while. Seconds.
DO_WITHOUT_FOR, DO_WITHOUT_AT_MOST = 5.0, 40.0
# The longest time to send messages without doing anything else; the others follow. Seconds.
MAX_SENDING = 2.0


class Sent(NamedTuple):
    """The messages about a lane: what was due first, how many were sent about that, and when the next one is needed."""

    first: object
    number: int
    next_at: float


class LaneMessages:
    """Sends messages about lanes with due work, and remembers which, so that each is sent about once."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._lock = Lock()
        self._sent: dict[str, dict[str, Sent]] = {}  # by traffic and lane
        # For how long to do without the broker after it failed; 0 if it did not fail.
        self._pause, self._failed_at = 0.0, -inf
        self._is_unanswered = False
        self._celery: Celery | None = None

    def can_send(self) -> bool:
        """Return True if a worker would receive a message, as far as is known."""
        if not self._tools.config.broker or not self._is_broker_up() or not is_any_consuming(self._tools.now()):
            return False
        self._load()
        return True

    def hand_over(self, traffic: Traffic) -> list[str]:
        """Send a message for each lane with due work that needs one. Return the lanes to work on here.

        These are all of them if the broker does not accept a message, because nothing tells whether those of before
        have arrived, and otherwise the lanes whose messages had no effect.
        """
        with self._lock:
            due = traffic.due_lanes(self._tools)  # inside, so that what is remembered is never older
            of_others = traffic.lanes_of_others(due, self._tools)
            if not self._is_broker_up():
                return list(due)
            before = self._sent.get(traffic.name, {})
            self._sent[traffic.name] = sent = {
                lane: before[lane] for lane, first in due.items() if lane in before and before[lane].first == first
            }
            try:
                self._send_to(traffic, due, of_others, sent)
            except Exception as error:  # of one of the transports, which have no common one
                self._note_failure(error)
                return list(due)
            return self._unanswered(sent)

    def lanes_of(self, traffic: Traffic) -> set[str]:
        """Return the lanes that had the same work due when they were handed over last."""
        with self._lock:
            return set(self._sent.get(traffic.name, ()))

    def seconds_to_next(self) -> float:
        """Return when a lane may need another message; infinity if none has one."""
        with self._lock:
            next_at = [sent.next_at for lanes in self._sent.values() for sent in lanes.values()]
        return max(0.0, min(next_at, default=inf) - self._tools.steady())

    def _send_to(
        self, traffic: Traffic, due: Mapping[str, object], of_others: Collection[str], sent: dict[str, Sent]
    ) -> None:
        began_at = self._tools.steady()
        for lane, first in due.items():
            now = self._tools.steady()
            if now - began_at > MAX_SENDING:
                return
            last = sent.get(lane, Sent(first, 0, -inf))
            if now < last.next_at:
                continue
            if last.number < MAX_MESSAGES:
                self._send(traffic, lane)
                self._note_success()
            if lane in of_others:  # asked for until a worker that can do it gets the message
                wait = uniform(*TRY_OTHERS_AFTER)  # noqa: S311 (guards nothing)
                sent[lane] = Sent(first, 0, now + wait)
            else:
                sent[lane] = Sent(first, last.number + 1, now + SEND_AGAIN_AFTER)

    def _unanswered(self, sent: Mapping[str, Sent]) -> list[str]:
        """Return the lanes whose messages had no effect. Log it the first time."""
        lanes = [lane for lane, last in sent.items() if last.number > MAX_MESSAGES]
        if lanes and not self._is_unanswered:
            log.warning("workers did not do what messages asked for; are they busy, or do they use another broker?")
        self._is_unanswered = self._is_unanswered or bool(lanes)
        return lanes

    def _is_broker_up(self) -> bool:
        return self._tools.steady() - self._failed_at >= self._pause

    def _send(self, traffic: Traffic, lane: str) -> None:
        from blogsvc.scheduler.celery_app import send

        send(self._load(), traffic.name, lane)

    def _load(self) -> Celery:
        """Return Celery, which is imported where there are workers only: it takes memory and time."""
        if self._celery is None:
            from blogsvc.scheduler.celery_app import make_celery

            self._celery = make_celery(self._tools.config)
        return self._celery

    def _note_failure(self, error: Exception) -> None:
        if not self._pause:
            log.warning("the broker does not accept messages, so schedulers do the work of workers: %s", error)
        self._pause = min(2 * self._pause, DO_WITHOUT_AT_MOST) or DO_WITHOUT_FOR
        self._failed_at = self._tools.steady()
        self._sent.clear()

    def _note_success(self) -> None:
        if self._pause:
            log.info("the broker accepts messages again")
            self._pause = 0.0


lane_messages = InMemory(LaneMessages)
