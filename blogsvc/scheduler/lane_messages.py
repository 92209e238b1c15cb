"""Hand lanes over to workers on other machines, as long as there are any."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from math import inf
from threading import Lock
from typing import TYPE_CHECKING

from blogsvc.context import InMemory, Tools
from blogsvc.models.process import is_any_consuming
from blogsvc.scheduler.traffic import Traffic

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger(__name__)

# A lane that still has the same work due after this time gets another message, because one may be lost. Seconds.
SEND_AGAIN_AFTER = 10.0
# After the broker failed, the schedulers do the work for the first of these times; for twice as long each time that it
# fails again, up to the second, because each try may take a while. Seconds.
DO_WITHOUT_FOR, DO_WITHOUT_AT_MOST = 5.0, 40.0


class LaneMessages:
    """Sends messages about lanes with due work, and remembers which, so that each is sent about once."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._lock = Lock()
        # The lanes of each traffic that have a message: what was due first then, and the seconds at which it was sent.
        self._sent: dict[str, dict[str, tuple[object, float]]] = {}
        # For how long to do without the broker after it failed; 0 if it did not fail.
        self._pause, self._failed_at = 0.0, -inf
        self._celery: Celery | None = None

    def can_send(self) -> bool:
        """Return True if a worker would receive a message, as far as is known."""
        if not self._tools.config.broker or not self._is_broker_up() or not is_any_consuming(self._tools.now()):
            return False
        self._load()
        return True

    def send(self, traffic: Traffic, due: Mapping[str, object]) -> bool:
        """Send a message for each due lane that needs one. Returns False if the broker does not accept it.

        Then all the lanes are to be worked on here: nothing tells whether messages of before have arrived.
        """
        with self._lock:
            if not self._is_broker_up():
                return False
            now, sent = self._tools.steady(), self._sent.get(traffic.name, {})
            self._sent[traffic.name] = sent = {lane: sent[lane] for lane in due if lane in sent}
            for lane, first in due.items():
                if lane in sent and sent[lane][0] == first and now - sent[lane][1] < SEND_AGAIN_AFTER:
                    continue
                try:
                    self._send(traffic, lane)
                except Exception as error:  # of one of the transports, which have no common one
                    self._note_failure(error)
                    return False
                self._note_success()
                sent[lane] = first, now
            return True

    def lanes_of(self, traffic: Traffic) -> set[str]:
        """Return the lanes that have a message, and had the same work due when `send` was called last."""
        with self._lock:
            return set(self._sent.get(traffic.name, ()))

    def seconds_to_next(self) -> float:
        """Return when a lane may need another message; infinity if none has one."""
        with self._lock:
            sent_at = [at for lanes in self._sent.values() for _, at in lanes.values()]
        return min(sent_at, default=inf) + SEND_AGAIN_AFTER - self._tools.steady()

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
