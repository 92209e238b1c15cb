"""A database with very many posts, inserted directly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection as RawConnection
from sqlalchemy import func, insert, select, text

from blogsvc.api.framework.cursors import COLUMNS
from blogsvc.lib.crypto import Vault, sign
from blogsvc.models import Connection, Delivery, Post, PostLabel, PostText
from tests.bench.servers import Place
from tests.databases import another

START = datetime(2016, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PLACE = "con_bench"  # the id of the connection that the live posts were delivered to
LAST_PAGE = 2000  # posts after the cursor of a last page
# The query of each list, and the column that its last page is sorted by.
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


def count(place: Place, table: str, where: str) -> int:
    with another(place.rows_url) as rows:
        return int(rows.scalar(text(f"SELECT count(*) FROM {table} WHERE {where}")))


def fill(place: Place, posts: int, *, start: datetime = START, apart: timedelta = MINUTE) -> None:
    """Insert posts up to this number. Every second one is live and has a copy, every thousandth is tagged `rare`."""
    with another(place.rows_url, writes=True) as rows:
        have = rows.scalar(select(func.count()).where(Post.id.startswith("post_bench"))) or 0
        if not have:
            rows.execute(insert(Connection), _connection(start))
        for first in range(have, posts, 10_000):
            numbers = range(first, min(first + 10_000, posts))
            rows.execute(insert(Post), [_post(number, start + number * apart) for number in numbers])
            rows.execute(insert(PostText), [_words(number) for number in numbers])
            rows.execute(insert(PostLabel), [label for number in numbers for label in _labels(number)])
            live = [_delivery(number, start + number * apart) for number in numbers if _is_live(number)]
            rows.execute(insert(Delivery), live)
        analyze(rows)


def analyze(rows: RawConnection) -> None:
    """Let PostgreSQL look at the new rows now, as it soon would by itself. SQLite never does in a real instance."""
    if rows.dialect.name == "postgresql":
        rows.execute(text("ANALYZE"))


def _is_live(number: int) -> bool:
    return number % 2 == 0


def _post(number: int, at: datetime) -> dict[str, Any]:
    is_live = _is_live(number)
    return {
        "id": id_of(number),
        "state": "published" if is_live else "draft",
        "platforms": ["site"],
        "word_count": 2,
        "revision_count": 0,
        "has_unpublished_changes": False,
        "created_at": at,
        "updated_at": at,
        "published_at": at if is_live else None,
        "scheduled_at": at if number % 4 == 0 else None,
        "title": f"{number * 7919 % 1_000_003:07} bench",  # its order differs from that of the id
        "content": "Some words.",
        "summary": "",
        "slug": f"bench-{number}",
        "tags": list(_tags(number)),
        "overrides": {},
        "version": "bench",
    }


def _connection(at: datetime) -> dict[str, Any]:
    names = {"id": PLACE, "name": "place", "connector": "webhook", "state": "connected", "account": "", "facts": {}}
    return names | {"settings": {}, "sealed": b"", "failure_count": 0, "created_at": at}


def _delivery(number: int, at: datetime) -> dict[str, Any]:
    """Return the row of a copy, whose changes are looked for in ten years."""
    return {
        "id": f"dlv_million{number:020}",
        "post_id": id_of(number),
        "destination": "place",
        "connection_id": PLACE,
        "state": "delivered",
        "remote_id": str(number),
        "extra": {},
        "keys": {},
        "delivered_at": at,
        "look_at": at + timedelta(days=3650),
        "wanted_at": at,
        "due_at": at,
        "created_at": at,
        "updated_at": at,
    }


def _words(number: int) -> dict[str, str]:
    return {"post_id": id_of(number), "text": f"{number} bench some words {' '.join(_tags(number))}"}


def id_of(number: int) -> str:
    return f"post_bench{number:021}"


def _tags(number: int) -> Iterator[str]:
    yield "common"
    if number % 1000 == 0:
        yield "rare"


def _labels(number: int) -> Iterator[dict[str, str]]:
    yield {"kind": "platform", "value": "site", "post_id": id_of(number)}
    for tag in _tags(number):
        yield {"kind": "tag", "value": tag, "post_id": id_of(number)}


def last_cursor(place: Place, question: str) -> str:
    """Return the cursor of a page near the end of a list, in which at least one post has a value to sort by.

    `LAST_PAGE` of these posts follow the cursor, or all but one in a shorter list.
    """
    parts = dict(part.split("=") for part in question.split("&"))
    sort = parts.get("sort", "-createdAt")
    column = COLUMNS[sort.removeprefix("-")]
    order = (column.asc(), Post.id.asc()) if sort.startswith("-") else (column.desc(), Post.id.desc())
    with another(place.rows_url) as rows:
        have = rows.scalar(select(func.count(column))) or 0
        query = select(column, Post.id).where(column.is_not(None)).order_by(*order).limit(1)
        value, row_id = rows.execute(query.offset(max(0, min(LAST_PAGE, have - 1)))).one()
    told = value.isoformat() if isinstance(value, datetime) else value
    key = Vault.open(place.instance / "secret.key").derive("cursors")
    return sign(json.dumps([sort, told, row_id]).encode(), key)
