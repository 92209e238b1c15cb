"""The log: one line for each request and delivery attempt, as text or (BLOGSVC_LOG_JSON) as JSON."""

from __future__ import annotations

import json
import logging
import re
import sys
from time import perf_counter

from flask import Flask, Response, g, request

from blogsvc.config import Config
from blogsvc.lib.ids import new_id

access = logging.getLogger("blogsvc.access")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


class OneLineFormatter(logging.Formatter):
    """Format a record as one line. A traceback is indented, so that only records start at the beginning of a line."""

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\n", "\n    ")


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def to_stderr(config: Config) -> None:
    """Write the log of this process to standard error. For the server and the command line, not for tests."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter() if config.log_json else OneLineFormatter("%(asctime)s %(levelname)s %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for noisy in ("alembic", "httpx2", "httpcore2", "apscheduler"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def init(app: Flask) -> None:
    @app.before_request
    def begin() -> None:
        given = request.headers.get("X-Request-Id", "")
        g.request_id = given if REQUEST_ID.fullmatch(given) else new_id("req")
        g.began = perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        response.headers["X-Request-Id"] = g.request_id
        access.info(
            "%s %s %d %.1fms %s",
            request.method,
            _path_without_token().encode("unicode_escape").decode(),
            response.status_code,
            (perf_counter() - g.began) * 1000,
            g.request_id,
        )
        return response


def _path_without_token() -> str:
    """Return the path without the query string, which may contain private data, and without tokens in the path."""
    token = (request.view_args or {}).get("token")
    return request.path.replace(token, "...") if token else request.path
