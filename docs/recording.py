"""Plays the scenario against an instance of its own, at a fixed time, and writes down what was asked and answered.

What chance decides (ids, keys, entity tags, cursors) is replaced by what depends on nothing but its turn, so
that playing it again gives the same bytes.
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

from blogsvc import create_app, make_tools, migrate, scheduler
from blogsvc.auth import api_keys
from blogsvc.config import Config
from blogsvc.connections import manage
from blogsvc.models import db, transaction
from tests.clock import NOW, Time
from tests.outside import Outside, Reply, Seen

PREFIX = "/api/v1"
# The headers of an answer that say something of it; the rest is the same on every answer.
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
LONGEST_BODY = 2_000  # bytes; what is longer is not shown
A_WAIT = 42  # seconds; how long the wait really was depends on the second in which this is played


class Play:
    """One instance, and a client of it. Calling it asks something, and writes that down."""

    def __init__(self, app: Flask, time: Time, outside: Outside) -> None:
        self.app, self.time, self.outside = app, time, outside
        self.tools = app.extensions["toolbox"]
        self.client = app.test_client()
        self.exchanges: list[dict[str, Any]] = []
        self.key: str | None = self.new_key()
        self._stable = Stable()

    def __call__(
        self, title: str, method: str, path: str, json: Any = None, *, chunks: int | None = None, **options: Any
    ) -> Any:
        """Ask, write it down as an example with this title, and give the document that was answered.

        `options` are those of a request of Werkzeug's test client: `headers`, `query_string`, `data` (a dict with
        files is sent as multipart). Of an answer that does not end, the first `chunks` are read.
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
        """Ask without writing it down."""
        sent = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        options["headers"] = sent | options.get("headers", {})
        with self.app.app_context():
            return self.client.open(PREFIX + path, method=method, json=json, **options)

    def do(self, deed: Callable[[], Any]) -> Any:
        """Do something in the application that no operation does."""
        with self.app.app_context():
            return deed()

    def new_key(self, *scopes: str, **limits: int) -> str:
        """The text of a new key, for everything unless scopes are named; `limits` are its calls a minute."""

        def make() -> str:
            with transaction():
                row, text = api_keys.create("the editor's desk", list(scopes) or ["all"], None, self.tools.now())
                row.limits = limits
                return text

        text: str = self.do(make)
        return text

    def connect(self, name: str, url: str) -> None:
        """Connect a webhook that takes whatever it is sent, a moment later."""

        def take(_seen: Seen) -> Reply:
            self.time.passes(milliseconds=412)
            return Reply()

        self.outside.teach("POST", url, take)
        self.do(lambda: manage.connect("webhook", name, {"url": url}, self.tools))

    def tick(self) -> None:
        """One pass of the clock."""
        self.do(lambda: scheduler.one_pass(self.app, self.tools))

    @property
    def database(self) -> Path:
        path: Path = self.tools.config.instance / "blogsvc.db"
        return path

    @contextmanager
    def beside(self) -> Iterator[sqlite3.Connection]:
        """The database, as another process has it open."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as other:
            yield other

    @contextmanager
    def at_work_on(self, idempotency_key: str) -> Iterator[None]:
        """As while a request of this client with that key is being worked on."""
        key_id = self.ask("GET", "/me").json["id"]
        with self.app.extensions["running"].alone((key_id, idempotency_key)):
            yield

    def _operation(self, method: str, path: str) -> str | None:
        """The operation that a request is for; None where there is none."""
        try:
            endpoint, _ = self.app.url_map.bind("").match(PREFIX + path.partition("?")[0], method)
        except HTTPException:
            return None
        return str(endpoint).removeprefix("api.")


def exchanges(*plays: Callable[[Play], None]) -> list[dict[str, Any]]:
    """All that the plays ask, on one new instance, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        time, outside = Time(NOW), Outside()
        config = Config(instance=Path(folder) / "instance", base_url="https://blog.example", busy_timeout_seconds=0.5)
        app = create_app(tools=replace(make_tools(config), door=outside.door(), now=time))
        migrate(app)
        logging.disable()  # a scenario shows what goes wrong, too
        try:
            play = Play(app, time, outside)
            for part in plays:
                part(play)
            return play.exchanges
        finally:
            logging.disable(logging.NOTSET)
            with app.app_context():
                db.engine.dispose()


def _request(method: str, path: str, query: str, json: Any, options: dict[str, Any]) -> dict[str, Any]:
    """What was asked, as it is shown: the key is left out, and of files the contents."""
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
    """Replaces what chance decides, in every text of a document; the same by the same."""

    PATTERNS = (
        ("id", re.compile(r"\b([a-z]{2,10})_[0-9a-hjkmnp-tv-z]{26}\b")),
        ("key", re.compile(r"\b(bsk)_[0-9A-Za-z]{6,40}")),
        ("secret", re.compile(r"\b(whsec)_[0-9A-Za-z+/=]{20,}")),
        ("tag", re.compile(r'(")[0-9a-f]{27}"')),
        ("cursor", re.compile(r"()\b[\w-]{10,}\.[\w-]{43}(?![\w-])")),
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
        # A key is shown whole once, and then by its beginning.
        known, group = match[0][:10] if kind == "key" else match[0], (kind, match[1])
        if (kind, known) not in self._known:
            self._count[group] = self._count.get(group, 0) + 1
            self._known[kind, known] = _made_up(kind, match[1], self._count[group])
        made = self._known[kind, known]
        return made[: len(match[0])] if kind == "key" else made


def _made_up(kind: str, prefix: str, number: int) -> str:
    """The n-th of its kind: it looks like a real one, and is none."""
    digest = sha256(f"{kind} {prefix} {number}".encode()).digest()
    match kind:
        case "id":
            # As real ones: a time, a count and chance, so that they sort.
            at = int(NOW.timestamp() * 1000).to_bytes(6, "big")
            return f"{prefix}_{str(ULID.from_bytes(at + number.to_bytes(4, 'big') + digest[:6])).lower()}"
        case "key":
            return f"{prefix}_{re.sub('[^0-9A-Za-z]', '', b64encode(digest * 2).decode())[:40]}"
        case "secret":
            return f"{prefix}_{b64encode(digest[:24]).decode()}"
        case "tag":
            return f'"{digest.hex()[:27]}"'
        case "cursor":
            return f"{urlsafe_b64encode(digest[:24]).decode()}.{urlsafe_b64encode(digest).decode()[:43]}"
    return str(A_WAIT)


def written(shown: list[dict[str, Any]]) -> str:
    """The exchanges as they are stored."""
    return json_.dumps(shown, ensure_ascii=False, indent=1) + "\n"
