"""Deprecation of operations, announced six months ahead. The policy is in docs/versions.md."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from flask import Response
from werkzeug.http import http_date

HALF_A_YEAR = timedelta(days=183)


@dataclass(frozen=True)
class Deprecation:
    """`since` is the date of the announcement, `sunset` the earliest date of removal, `link` the migration guide."""

    since: date
    sunset: date
    link: str

    def __post_init__(self) -> None:
        if self.sunset - self.since < HALF_A_YEAR:
            raise ValueError(
                f"A deprecation announced on {self.since} must have a sunset on {self.since + HALF_A_YEAR} or later."
            )

    def announce(self, response: Response) -> Response:
        """Add the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` to the migration guide."""
        response.headers["Deprecation"] = f"@{int(_midnight(self.since).timestamp())}"
        response.headers["Sunset"] = http_date(_midnight(self.sunset))
        response.headers.add("Link", f'<{self.link}>; rel="deprecation"; type="text/html"')
        return response


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
