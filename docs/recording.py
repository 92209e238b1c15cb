"""Run the scenario against a new instance at a fixed time, and record its requests and responses.

Random values (ids, keys, entity tags, cursors) are replaced by values that depend only on their order, so that each run
gives the same bytes.
"""

from __future__ import annotations

import json as json_
import logging
import re
import sqlite3
import tempfile
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from flask import Flask
from ulid import ULID
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from blogsvc import create_app, make_tools, migrate
from blogsvc.api.framework.idempotency import running
from blogsvc.auth import api_keys
from blogsvc.config import Config
from blogsvc.connections import manage
from blogsvc.models import db, transaction
from blogsvc.scheduler.one_pass import one_pass
from tests.clock import NOW, Time
from tests.outside import Outside, Reply, Seen

PREFIX = "/api/v1"
# The response headers to record; the other headers are the same on every response.
TELLING = (
    "Location",
    "ETag",
    "Link",
    "Allow",
    "Retry-After",
    "WWW-Authenticate",
    "Idempotency-Replayed",
    "Deprecation",
    "Sunset",
)
LONGEST_BODY = 2_000  # bytes; longer bodies are not recorded
A_WAIT = 42  # seconds; replaces real waits, which depend on the current time


class Play:
    """One instance and a client of it. Calling it sends a request and records it with its response."""

    def __init__(self, app: Flask, time: Time, outside: Outside) -> None:
        self.app, self.time, self.outside = app, time, outside
        self.tools = app.extensions["tools"]
        self.client = app.test_client()
        self.exchanges: list[dict[str, Any]] = []
        self.key: str | None = self.new_key()
        self._stable = Stable()

    def __call__(
        self, title: str, method: str, path: str, json: Any = None, *, chunks: int | None = None, **options: Any
    ) -> Any:
        """Send a request, record it as an example with this title, and return the JSON document of the response.

        `options` are those of Werkzeug's test client: `headers`, `query_string`, `data` (a dict with files is sent as
        multipart). If `chunks` is given, only that many chunks of the response are read, for responses that don't end.
        """
        answer = self.ask(method, path, json, **options)
        body = b"".join(islice(answer.iter_encoded(), chunks)) if chunks else answer.data
        exchange = {
            "operation": self._operation(method, path),
            "title": title,
            "request": _request(method, answer.request.path, answer.request.query_string.decode(), json, options),
            "answer": _answer(answer, body),
        }
        answer.close()
        self.exchanges.append(self._stable(exchange))
        return json_.loads(body) if answer.is_json and body else None

    def ask(self, method: str, path: str, json: Any = None, **options: Any) -> TestResponse:
        """Send a request without recording it."""
        sent = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        options["headers"] = sent | options.get("headers", {})
        with self.app.app_context():
            return self.client.open(PREFIX + path, method=method, json=json, **options)

    def do(self, deed: Callable[[], Any]) -> Any:
        """Call a function inside the application, for what no API operation does."""
        with self.app.app_context():
            return deed()

    def new_key(self, *scopes: str, **limits: int) -> str:
        """Create an API key and return its text.

        Without `scopes` it has all of them. `limits` are its requests per minute by rate tier.
        """

        def make() -> str:
            with transaction():
                row, text = api_keys.create("my laptop", list(scopes) or ["all"], None, self.tools.now())
                row.limits = limits
                return text

        text: str = self.do(make)
        return text

    def connect(self, name: str, url: str) -> None:
        """Connect a webhook that accepts every message after a short delay."""

        def take(_seen: Seen) -> Reply:
            self.time.passes(milliseconds=412)
            return Reply()

        self.outside.teach("POST", url, take)
        self.do(lambda: manage.connect("webhook", name, {"url": url}, self.tools))

    def tick(self) -> None:
        """Run one pass of the scheduler."""
        self.do(lambda: one_pass(self.app, self.tools))

    @property
    def database(self) -> Path:
        path: Path = self.tools.config.instance / "blogsvc.db"
        return path

    @contextmanager
    def beside(self) -> Iterator[sqlite3.Connection]:
        """Open the database like another process does."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as other:
            yield other

    @contextmanager
    def at_work_on(self, idempotency_key: str) -> Iterator[None]:
        """Behave as if a request with this idempotency key is in progress."""
        key_id = self.ask("GET", "/me").json["id"]
        with self.app.app_context():
            requests = running()
        with requests.alone((key_id, idempotency_key)):
            yield

    def _operation(self, method: str, path: str) -> str | None:
        """Return the name of the operation that a request calls, or None."""
        try:
            endpoint, _ = self.app.url_map.bind("").match(PREFIX + path.partition("?")[0], method)
        except HTTPException:
            return None
        return str(endpoint).removeprefix("api.")


def exchanges(*plays: Callable[[Play], None]) -> list[dict[str, Any]]:
    """Run the plays in order on one new instance, and return the recorded requests and responses."""
    with tempfile.TemporaryDirectory() as folder:
        time, outside = Time(NOW), Outside()
        config = Config(instance=Path(folder) / "instance", base_url="https://blog.example", busy_timeout_seconds=0.5)
        tools = replace(make_tools(config), http=outside.http(), now=time, steady=lambda: time().timestamp())
        app = create_app(tools=tools)
        migrate(app)
        logging.disable()  # the scenario causes errors on purpose
        try:
            play = Play(app, time, outside)
            for part in plays:
                play.key = play.new_key()  # the limit of requests per minute is for each key
                part(play)
            return play.exchanges
        finally:
            logging.disable(logging.NOTSET)
            with app.app_context():
                db.engine.dispose()


def _request(method: str, path: str, query: str, json: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the recorded form of a request, without the API key and the contents of files."""
    data = options.get("data")
    shown = {"method": method, "path": path + ("?" + query if query else "")}
    headers = {name: value for name, value in options.get("headers", {}).items() if name != "Authorization"}
    if headers:
        shown["headers"] = headers
    if json is not None:
        shown["body"] = json
    elif isinstance(data, dict):
        shown["form"] = {name: part if isinstance(part, str) else {"file": part[1]} for name, part in data.items()}
    elif data is not None and len(data) <= LONGEST_BODY:
        shown["text"] = data
    return shown


def _answer(answer: TestResponse, body: bytes) -> dict[str, Any]:
    shown: dict[str, Any] = {"status": answer.status_code}
    headers = {name: answer.headers[name] for name in TELLING if name in answer.headers}
    if "Allow" in headers:
        headers["Allow"] = ", ".join(sorted(headers["Allow"].split(", ")))
    if answer.status_code == 429:
        headers["Retry-After"] = str(A_WAIT)
    if headers:
        shown["headers"] = headers
    if body and answer.is_json:
        shown |= {"type": answer.mimetype, "body": json_.loads(body)}
    elif body and answer.mimetype.startswith("text/"):
        shown |= {"type": answer.mimetype, "text": body.decode()}
    return shown


class Stable:
    """Replaces random values in every string of a document. Equal values get equal replacements."""

    PATTERNS = (
        ("id", re.compile(r"\b([a-z]{2,10})_[0-9a-hjkmnp-tv-z]{26}\b")),
        ("key", re.compile(r"\b(bsk)_[0-9A-Za-z]{6,40}")),
        ("secret", re.compile(r"\b(whsec)_[0-9A-Za-z+/=]{20,}")),
        ("ticket", re.compile(r"\b(tkt)_[\w-]{43}(?![\w-])")),
        ("tag", re.compile(r'(")[0-9a-f]{27}"')),
        ("cursor", re.compile(r"()\b[\w-]{10,}\.[\w-]{43}(?![\w-])")),
        ("name", re.compile(r"(/media/[0-9a-z-]+-)[0-9a-hjkmnp-tv-z]{10}(?=[-.])")),
        ("wait", re.compile(r"(?<=wait )()\d+(?= s\b)")),
    )

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._count: dict[tuple[str, str], int] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            for kind, pattern in self.PATTERNS:
                value = pattern.sub(lambda match, kind=kind: self._instead(kind, match), value)
            return value
        if isinstance(value, dict):
            return {self(name): A_WAIT if name == "retryAfter" else self(part) for name, part in value.items()}
        return [self(part) for part in value] if isinstance(value, list) else value

    def _instead(self, kind: str, match: re.Match[str]) -> str:
        # A key appears in full once, later only by its prefix.
        known, group = match[0][:10] if kind == "key" else match[0], (kind, match[1])
        if (kind, known) not in self._known:
            self._count[group] = self._count.get(group, 0) + 1
            self._known[kind, known] = _made_up(kind, match[1], self._count[group])
        made = self._known[kind, known]
        return made[: len(match[0])] if kind == "key" else made


def _made_up(kind: str, prefix: str, number: int) -> str:
    """Return the n-th replacement of a kind. It looks real but is not valid."""
    digest = sha256(f"{kind} {prefix} {number}".encode()).digest()
    match kind:
        case "id":
            # Like real ids: a time, a counter and random bits, so that they sort.
            at = int(NOW.timestamp() * 1000).to_bytes(6, "big")
            return f"{prefix}_{str(ULID.from_bytes(at + number.to_bytes(4, 'big') + digest[:6])).lower()}"
        case "key":
            return f"{prefix}_{re.sub('[^0-9A-Za-z]', '', b64encode(digest * 2).decode())[:40]}"
        case "secret":
            return f"{prefix}_{b64encode(digest[:24]).decode()}"
        case "ticket":
            return f"{prefix}_{urlsafe_b64encode(digest).decode()[:43]}"
        case "tag":
            return f'"{digest.hex()[:27]}"'
        case "name":
            return f"{prefix}{str(ULID.from_bytes(digest[:16])).lower()[-10:]}"
        case "cursor":
            return f"{urlsafe_b64encode(digest[:24]).decode()}.{urlsafe_b64encode(digest).decode()[:43]}"
    return str(A_WAIT)


def written(shown: list[dict[str, Any]]) -> str:
    """Return the recorded exchanges as JSON text."""
    return json_.dumps(shown, ensure_ascii=False, indent=1) + "\n"
