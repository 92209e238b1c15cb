"""What is to go: said half a year ahead, in the document and on each answer. The policy is docs/versions.md."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from flask import Response
from werkzeug.http import http_date

HALF_A_YEAR = timedelta(days=183)


@dataclass(frozen=True)
class Deprecation:
    """`since` is the day of the announcement, `sunset` the first on which it may be gone, `link` says what instead."""

    since: date
    sunset: date
    link: str

    def __post_init__(self) -> None:
        if self.sunset - self.since < HALF_A_YEAR:
            raise ValueError(f"What is announced on {self.since} goes on {self.since + HALF_A_YEAR} at the earliest.")

    def announce(self, response: Response) -> Response:
        """Add `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the link to what to do instead."""
        response.headers["Deprecation"] = f"@{int(_midnight(self.since).timestamp())}"
        response.headers["Sunset"] = http_date(_midnight(self.sunset))
        response.headers.add("Link", f'<{self.link}>; rel="deprecation"; type="text/html"')
        return response


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
