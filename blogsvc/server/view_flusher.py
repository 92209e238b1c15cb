"""Write what this process has counted, a moment after the first: page views, redirects and missing addresses."""

from __future__ import annotations

import logging
from threading import Lock, Timer
from typing import Any

from flask import Flask

from blogsvc.analytics import page_views
from blogsvc.errors import Busy
from blogsvc.models.background_errors import log_failure
from blogsvc.redirects import counting

log = logging.getLogger(__name__)

# How long counts wait for others, to be written together. Seconds.
VIEWS_WAIT = 1.0


class ViewFlusher:
    """Writes the counts of one application in batches, until it is stopped."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.is_closing = self.is_waiting = False
        self._lock = Lock()
        self._timer: Timer | None = None

    def start(self) -> None:
        self.is_closing = False
        page_views.views_waiting.connect(self._flush_soon)
        counting.counts_waiting.connect(self._flush_soon)

    def stop(self) -> None:
        """Stop, and write what is left."""
        page_views.views_waiting.disconnect(self._flush_soon)
        counting.counts_waiting.disconnect(self._flush_soon)
        with self._lock:
            self.is_closing, timer = True, self._timer
        if timer is not None:
            timer.cancel()
            timer.join()
        self._flush()

    def _flush_soon(self, _sender: Any = None) -> None:
        with self._lock:
            if self.is_closing or self.is_waiting:
                return
            self.is_waiting = True
            self._timer = Timer(VIEWS_WAIT, self._flush)
            self._timer.name, self._timer.daemon = "views", True
            self._timer.start()

    def _flush(self) -> None:
        with self._lock:
            self.is_waiting = False
        with self.app.app_context():
            try:
                page_views.flush_views()
                counting.flush_counts()
            except Busy as error:
                log_failure(log, error, "views could not be written; the server tries again later")
                self._flush_soon()
