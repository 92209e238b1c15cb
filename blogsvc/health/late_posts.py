"""Log that scheduled posts are late, and why, soon after it happens."""

from __future__ import annotations

import logging
from collections.abc import Callable

from blogsvc.context import Tools
from blogsvc.models.clock import ahead_of_servers
from blogsvc.models.late_posts import late_after, late_posts

log = logging.getLogger(__name__)


class LateWatch:
    """Logs once that posts are late, and once that none is any more. Call `look` regularly.

    Args:
        trouble: returns why the last pass of the scheduler failed, or None.
    """

    def __init__(self, tools: Tools, trouble: Callable[[], str | None]) -> None:
        self.tools, self.trouble = tools, trouble
        self.is_told = False

    def look(self) -> None:
        late = late_posts(self.tools.now(), late_after(self.tools.config))
        if late.number and not self.is_told:
            posts = "1 scheduled post is" if late.number == 1 else f"{late.number} scheduled posts are"
            log.error("%s late by up to %.0f s: %s", posts, late.seconds, self._reason())
        elif self.is_told and not late.number:
            log.info("no scheduled post is late any more")
        self.is_told = bool(late.number)

    def _reason(self) -> str:
        ahead = ahead_of_servers(self.tools.now(), self.tools.http.dates, self.tools.boot)
        if ahead is not None and ahead.total_seconds() > 0:
            return f"the system time is {ahead.total_seconds():.0f} s ahead of that of other servers"
        return self.trouble() or "the scheduler is still busy with other work"
