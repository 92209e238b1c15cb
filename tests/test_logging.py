"""The lines of the log."""

from __future__ import annotations

import json
import logging
from datetime import datetime

from blogsvc.server.logging import JsonFormatter, OneLineFormatter


def record_at(created: float) -> logging.LogRecord:
    record = logging.LogRecord("a", logging.INFO, "", 0, "some words", None, None)
    record.created, record.msecs = created, created % 1 * 1000
    return record


def test_each_line_has_its_time() -> None:
    formatter = OneLineFormatter("%(asctime)s %(levelname)s %(message)s")
    plain = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    for created in (1_795_251_600.123, 1_795_251_600.999, 1_795_251_601.0, 1_795_251_600.5):
        assert formatter.format(record_at(created)) == plain.format(record_at(created))


def test_json_lines_have_the_time_with_its_zone() -> None:
    formatter = JsonFormatter()
    for created in (1_795_251_600, 1_795_251_601, 1_795_251_600):
        line = json.loads(formatter.format(record_at(created)))
        assert datetime.fromisoformat(line["time"]).timestamp() == created
        assert line["message"] == "some words"
