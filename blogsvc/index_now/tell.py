"""Tell search engines about changed pages, all changes of a minute in one request.

The changes are claimed in one transaction, sent outside of any, and settled in another. If the process stops while it
sends them, they are sent again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

from blogsvc.connectors.retry_after import retry_after
from blogsvc.context import Tools
from blogsvc.index_now.addresses import slugs_to_tell
from blogsvc.index_now.manage import can_be_told
from blogsvc.lib import blog_paths
from blogsvc.lib.back_off import BackOff, requested_wait
from blogsvc.lib.net.http import HttpError
from blogsvc.models import index_now, retry_write, transaction
from blogsvc.models.index_now import IndexNow, forget_changes

log = logging.getLogger(__name__)

# Tells all search engines that take part.
ENDPOINT = "https://api.indexnow.org/indexnow"
LANE = "index-now"
BACK_OFF = BackOff(tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480)), jitter=0.1)
OK = frozenset({200, 202})
# The reasons that IndexNow documents.
REASONS = {
    400: "The request was malformed.",
    403: "The search engines did not find the key of this blog. Check that its file can be read from outside.",
    422: "The addresses are not of this blog, or the key does not fit.",
    429: "Too many requests.",
}


@dataclass(frozen=True)
class Claim:
    """A request to send."""

    fence: int
    key: str
    slugs: list[str]


class Outcome(NamedTuple):
    """What came of a request. `status` is None without a response, `problem` is None on success."""

    status: int | None
    problem: str | None = None
    can_be_repeated: bool = False
    wait: timedelta | None = None


def due_lanes(tools: Tools) -> dict[str, object]:
    """Return the one lane if a request is due."""
    return {LANE: None} if index_now.is_due(tools.now()) else {}


def next_due_at(but: Collection[str]) -> datetime | None:
    """Return when the next request is due, unless the lane is among those that are being worked on."""
    return None if LANE in but else index_now.next_due_at()


def tell_next(_lane: str, tools: Tools) -> bool:
    """Tell search engines about the oldest changes. Returns False if no request is due."""
    claim = _claim(tools)
    if claim is None:
        return False
    outcome = _send(claim, tools) if claim.slugs else None
    retry_write(lambda: _settle(claim, outcome, tools), tools.config.lease_seconds)
    return True


def _claim(tools: Tools) -> Claim | None:
    with transaction():
        row, now = IndexNow.find(is_locked=True), tools.now()
        if row is None or not index_now.is_due(now):
            return None
        if not can_be_told(tools.config.public_url):
            forget_changes()
            return None
        fence = row.claim(now)
        return Claim(fence, row.key, slugs_to_tell(fence))


def _send(claim: Claim, tools: Tools) -> Outcome:
    url = tools.config.public_url
    document = {
        "host": urlsplit(url).netloc,
        "key": claim.key,
        "keyLocation": f"{url}/{claim.key}.txt",
        "urlList": [url + blog_paths.of_post(slug) for slug in claim.slugs],
    }
    headers = {"Content-Type": "application/json; charset=utf-8"}
    try:
        answer = tools.http.request("POST", ENDPOINT, headers=headers, content=json.dumps(document).encode())
    except HttpError as error:
        return Outcome(None, str(error), can_be_repeated=True)
    if answer.status in OK:
        return Outcome(answer.status)
    reason = REASONS.get(answer.status, "")
    problem = f"IndexNow answered {answer.status}. {reason}".strip()
    can_be_repeated = answer.status == 429 or answer.status >= 500
    return Outcome(answer.status, problem, can_be_repeated, requested_wait(retry_after(answer)))


def _settle(claim: Claim, outcome: Outcome | None, tools: Tools) -> None:
    """Store the outcome of a request; None if there was nothing to send."""
    with transaction():
        row, now = IndexNow.find(is_locked=True), tools.now()
        if row is None or row.fence != claim.fence or not row.is_on:
            return
        if outcome is None:
            row.forget_claimed()
        elif outcome.problem is None:
            row.record_told(len(claim.slugs), outcome.status or 0, now)
        elif outcome.can_be_repeated and row.failure_count < len(BACK_OFF):
            row.postpone(outcome.problem, now + (outcome.wait or BACK_OFF.after(row.failure_count)), now)
        else:
            row.give_up(outcome.problem, now)
    if outcome is not None:
        log.info("index-now urls=%d outcome=%s", len(claim.slugs), outcome.problem or outcome.status)
