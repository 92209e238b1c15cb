"""The log: one line for each request and delivery attempt, as text or (BLOGSVC_LOG_JSON) as JSON."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Mapping
from time import localtime, perf_counter, strftime, time
from types import MappingProxyType
from typing import Any, ClassVar

from flask import Flask, Response, g, request

from blogsvc.config import Config
from blogsvc.http.token_links import without_token
from blogsvc.lib.ids import new_id
from blogsvc.server.log_handler import GatheringHandler

log = logging.getLogger("blogsvc")
access = logging.getLogger("blogsvc.access")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


class QuickFormatter(logging.Formatter):
    """Format the time once per second and not for each record, which takes longer than the rest of the line."""

    _second: tuple[str | None, int, str] = (None, 0, "")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        form, second, text = self._second
        if (form, second) != (datefmt, int(record.created)):
            text = strftime(datefmt or self.default_time_format, localtime(record.created))
            self._second = (datefmt, int(record.created), text)
        return text if datefmt else f"{text},{int(record.msecs):03d}"


class OneLineFormatter(QuickFormatter):
    """Format a record as one line. A traceback is indented, so that only records start at the beginning of a line."""

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\n", "\n    ")


class JsonFormatter(QuickFormatter):
    """Format a record as a JSON object. What `extra={"fields": {...}}` names has fields of its own."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        } | getattr(record, "fields", {})
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


class AccessRecord(logging.LogRecord):
    """The record of a request, made without looking up thread, process and line of code, which would take longer."""

    _SAME: ClassVar[dict[str, Any]] = vars(
        logging.LogRecord(access.name, logging.INFO, __file__, 0, "", None, None)
    ) | dict.fromkeys(("process", "processName", "thread", "threadName", "taskName"))

    def __init__(self, msg: str, args: tuple[object, ...], fields: Mapping[str, object] = MappingProxyType({})) -> None:
        vars(self).update(self._SAME)
        self.msg, self.args, self.fields = msg, args, fields
        self.created = time()
        self.msecs = self.created % 1 * 1000


def to_stderr(config: Config) -> None:
    """Write the log of this process to standard error. For the server and the command line, not for tests."""
    handler = GatheringHandler(sys.stderr, access.name)
    handler.setFormatter(
        JsonFormatter() if config.log_json else OneLineFormatter("%(asctime)s %(levelname)s %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for noisy in ("alembic", "httpx2", "httpcore2", "apscheduler", "flask-limiter", "boto3", "botocore"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def init(app: Flask) -> None:
    @app.before_request
    def begin() -> None:
        g.request_id = request_id(request.environ)
        g.began = perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        response.headers["X-Request-Id"] = g.request_id
        log_request(request.environ, request.path, response.status_code, g.began, g.request_id, g.get("key_id"))
        return response


def request_id(environ: dict[str, Any]) -> str:
    """Return the id that the client gave its request if it is valid, else a new one."""
    given = environ.get("HTTP_X_REQUEST_ID", "")
    return given if REQUEST_ID.fullmatch(given) else new_id("req")


def log_request(
    environ: Mapping[str, Any], path: str, status: int, began: float, request_id: str, key_id: str | None = None
) -> None:
    """Log an answered request without the query string, which may contain private data, and without tokens.

    `began` is the time of `perf_counter` when the request arrived. The address of the client and the id of the API key
    are only in the JSON log.
    """
    if not access.isEnabledFor(logging.INFO):
        return
    method, shown = environ["REQUEST_METHOD"], without_token(path).encode("unicode_escape").decode()
    milliseconds = (perf_counter() - began) * 1000
    fields = {
        "method": method,
        "path": shown,
        "status": status,
        "ms": round(milliseconds, 1),
        "request_id": request_id,
        "key_id": key_id,
        "client": environ.get("REMOTE_ADDR"),
    }
    access.handle(AccessRecord("%s %s %d %.1fms %s", (method, shown, status, milliseconds, request_id), fields))
