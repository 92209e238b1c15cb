"""POST and PUT of a post, written by hand for one database: the least that a view of Flask with the same rows can do.

It uses `sqlite3` directly, with the same durability, and writes the same rows as the API. It validates nothing, counts
no requests, and knows no permissions, destinations or databases other than SQLite.
"""

from __future__ import annotations

import json
import re
import sqlite3
import statistics
import threading
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from secrets import token_hex
from typing import Any

from flask import Flask, abort, jsonify, request

from tests.bench.rows import Row, Rows
from tests.bench.servers import Server

PATH, API = "/by-hand/posts", "/api/v1/posts"
TURNS, TIMES = 9, 100
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000", "cache_size=-4000")


class Writer:
    """The two views. Each thread has a connection of its own."""

    def __init__(self, file: Path) -> None:
        self.file, self.local = file, threading.local()

    @property
    def database(self) -> sqlite3.Connection:
        if not hasattr(self.local, "database"):
            self.local.database = sqlite3.connect(self.file, isolation_level=None)
            self.local.database.row_factory = sqlite3.Row
            for pragma in PRAGMAS:
                self.local.database.execute(f"PRAGMA {pragma}")
        database: sqlite3.Connection = self.local.database
        return database

    @cached_property
    def blank(self) -> dict[str, Any]:
        """What a new post has in columns that no request of the benchmark sets."""
        return dict(self._row("SELECT * FROM post WHERE state = 'draft'"))

    @cached_property
    def copied(self) -> set[str]:
        """The columns of a post that its revisions repeat."""
        return set(self._row("SELECT * FROM revision").keys()) & self.blank.keys()

    def write(self, post_id: str | None = None) -> Any:
        """Create a post, or change one."""
        key = request.headers["Authorization"].removeprefix("Bearer ")
        api_key = self._row("SELECT * FROM api_key WHERE hash = ?", sha256(key.encode()).digest()) or abort(401)
        body, now = request.get_json(), f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
        words = re.findall(r"\w+", body["content"].lower())
        text = " ".join([body["title"].lower(), *body["tags"], *words])
        changes = {"title": body["title"], "content": body["content"], "tags": json.dumps(body["tags"])}
        changes |= {"word_count": len(words), "updated_at": now, "version": token_hex(8)}
        self.database.execute("BEGIN IMMEDIATE")
        try:
            if post_id is None:
                post = self._create(changes, body["tags"], text, api_key["id"], now)
            else:
                post = self._change(post_id, changes, text, now)
            own = {"id": f"rev_{token_hex(13)}", "post_id": post["id"], "number": post["revision_count"]}
            own |= {"reason": "saved", "created_by": api_key["id"], "created_at": now}
            self._insert("revision", {name: post[name] for name in self.copied} | own)
            kind = "post.created" if post_id is None else "post.updated"
            event = {"id": f"evt_{token_hex(13)}", "type": kind, "post_id": post["id"], "data": "{}", "created_at": now}
            self._insert("event", event)
            self._row("SELECT events FROM webhook WHERE is_enabled = 1")
            self.database.execute("COMMIT")
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        return jsonify(post), 201 if post_id is None else 200

    def _create(self, changes: dict[str, Any], tags: list[str], text: str, key_id: str, now: str) -> dict[str, Any]:
        today = "UPDATE usage SET posts = posts + 1 WHERE creator_id = ? AND day = ?"
        self.database.execute(today, (key_id, now[:10]))
        self._row("SELECT value FROM setting WHERE name = 'default_platforms'")
        slug = "-".join(re.findall(r"[a-z0-9]+", changes["title"].lower()))
        if self._row("SELECT 1 FROM post_slug WHERE slug = ?", slug):
            slug = f"{slug}-{token_hex(4)}"
        own = {"id": f"post_{token_hex(13)}", "slug": slug, "created_at": now, "revision_count": 1}
        post = self.blank | changes | own
        self._insert("post", post)
        self._insert("post_slug", {"slug": slug, "post_id": post["id"], "was_shown": 0})
        self._insert("post_text", {"text": text, "post_id": post["id"]})
        labels = [("platform", "site", post["id"]), *(("tag", tag, post["id"]) for tag in tags)]
        self.database.executemany("INSERT INTO post_label (kind, value, post_id) VALUES (?, ?, ?)", labels)
        return post

    def _change(self, post_id: str, changes: dict[str, Any], text: str, now: str) -> dict[str, Any]:
        post = dict(self._row("SELECT * FROM post WHERE id = ?", post_id) or abort(404))
        changes = changes | {"revision_count": post["revision_count"] + 1}
        sets = ", ".join(f"{name} = :{name}" for name in changes)
        self.database.execute(f"UPDATE post SET {sets} WHERE id = :id", changes | {"id": post_id})
        self.database.execute("UPDATE post_text SET text = ? WHERE post_id = ?", (text, post_id))
        return post | changes

    def _row(self, statement: str, *values: Any) -> Any:
        return self.database.execute(statement, values).fetchone()

    def _insert(self, table: str, row: Mapping[str, Any]) -> None:
        names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
        self.database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)


def init(app: Flask, file: Path) -> None:
    writer = Writer(file)
    app.add_url_rule(PATH, "by_hand_post", writer.write, methods=["POST"])
    app.add_url_rule(f"{PATH}/<post_id>", "by_hand_put", writer.write, methods=["PUT"])


def rows(at: Server, post_id: str, draft: dict[str, Any]) -> Rows:
    """Compare the API with these views, in turns; the first one fills caches and does not count."""
    for method, end in (("POST", ""), ("PUT", f"/{post_id}")):
        turns = [[_cost(at, method, path + end, draft) for path in (PATH, API)] for _ in range(TURNS + 1)][1:]
        by_hand, ours = map(statistics.median, zip(*turns, strict=True))
        share = statistics.median(mine / its * 100 for mine, its in turns)
        what = f"{method} a post, beside a hand-written view"
        yield Row(what, share, "%", None, f"{by_hand:,.0f} of {ours:,.0f} µs")


def _cost(at: Server, method: str, path: str, draft: dict[str, Any]) -> float:
    """Return the CPU time of a request in microseconds. Each has another title, because an equal post is not stored."""
    headers = {"Authorization": f"Bearer {at.key}", "Content-Type": "application/json"}
    before = at.cpu_seconds()
    with closing(HTTPConnection("127.0.0.1", at.port)) as connection:
        for _ in range(TIMES):
            connection.request(method, path, json.dumps(draft | {"title": f"A post {token_hex(4)}"}), headers)
            answer = connection.getresponse()
            assert answer.status < 300, answer.read()
            answer.read()
    return (at.cpu_seconds() - before) / TIMES * 1e6
