"""A database of very many posts, written row by row past the service, as no client could in the time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from blogsvc.lib.crypto import Vault, sign

START = datetime(2016, 1, 1)  # noqa: DTZ001 (as the database stores it)
# What is asked for, and of which column's order the last page is wanted.
QUESTIONS = (
    "sort=-createdAt",
    "sort=createdAt",
    "sort=-updatedAt",
    "sort=title",
    "sort=-publishedAt",
    "sort=scheduledAt",
    "status=draft",
    "status=published&sort=title",
    "tag=rare",
    "tag=common&sort=-updatedAt",
    "platform=site&status=published",
    "createdAfter=2017-01-01T00:00:00Z",
    "q=rare",
    "q=bench",
)


def count(instance: Path, table: str, where: str) -> int:
    with closing(sqlite3.connect(instance / "blogsvc.db")) as rows:
        return int(rows.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0])


def fill(instance: Path, posts: int) -> None:
    """Posts up to this number, a minute apart; every other one is live, every thousandth tagged `rare`."""
    with closing(sqlite3.connect(instance / "blogsvc.db")) as rows:
        have = rows.execute("SELECT count(*) FROM post WHERE id LIKE 'post_bench%'").fetchone()[0]
        rows.execute("PRAGMA synchronous=OFF")
        rows.executemany(
            "INSERT INTO post (id, state, platforms, word_count, revision_count, has_unpublished_changes, created_at,"
            " updated_at, published_at, scheduled_at, title, content, summary, slug, tags, overrides, version)"
            " VALUES (?, ?, '[\"site\"]', 2, 0, 0, ?, ?, ?, ?, ?, 'Some words.', '', ?, ?, '{}', 'bench')",
            (_post(number) for number in range(have, posts)),
        )
        rows.executemany(
            "INSERT INTO post_text (post_id, text) VALUES (?, ?)",
            ((_id(number), f"{number} bench some words {' '.join(_tags(number))}") for number in range(have, posts)),
        )
        rows.executemany("INSERT INTO label VALUES (?, ?, ?)", _labels(have, posts))
        rows.commit()
        rows.execute("ANALYZE")
        rows.commit()


def _post(number: int) -> tuple[object, ...]:
    at = str(START + timedelta(minutes=number)) + ".000000"
    is_live = number % 2 == 0
    tags = json.dumps(list(_tags(number)))
    scheduled = at if number % 4 == 0 else None
    state = "published" if is_live else "draft"
    slug = f"bench-{number}"
    # The title's order is not the id's.
    title = f"{number * 7919 % 1_000_003:07} bench"
    return _id(number), state, at, at, at if is_live else None, scheduled, title, slug, tags


def _id(number: int) -> str:
    return f"post_bench{number:021}"


def _tags(number: int) -> Iterator[str]:
    yield "common"
    if number % 1000 == 0:
        yield "rare"


def _labels(start: int, end: int) -> Iterator[tuple[str, str, str]]:
    for number in range(start, end):
        yield "platform", "site", _id(number)
        for tag in _tags(number):
            yield "tag", tag, _id(number)


def last_cursor(instance: Path, question: str) -> str:
    """The cursor of a page near the end of the whole list, in the order that is asked for."""
    parts = dict(part.split("=") for part in question.split("&"))
    sort = parts.get("sort", "-createdAt")
    names = {"createdAt": "created_at", "updatedAt": "updated_at", "scheduledAt": "scheduled_at"}
    names |= {"publishedAt": "published_at", "title": "title"}
    column = names[sort.removeprefix("-")]
    order = "ASC" if sort.startswith("-") else "DESC"
    with closing(sqlite3.connect(instance / "blogsvc.db")) as rows:
        query = f"SELECT {column}, id FROM post WHERE {column} IS NOT NULL ORDER BY {column} {order}, id {order}"
        value, row_id = rows.execute(f"{query} LIMIT 1 OFFSET 2500").fetchone()
    if column != "title":
        value = value.replace(" ", "T") + "+00:00"
    key = Vault.open(instance / "secret.key").derive("cursors")
    return sign(json.dumps([sort, value, row_id]).encode(), key)
