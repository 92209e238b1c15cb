"""A database with very many posts, inserted directly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection as RawConnection
from sqlalchemy import delete, func, insert, select, text, update

from blogsvc.api.framework.cursors import COLUMNS
from blogsvc.lib.crypto import Vault, sign
from blogsvc.lib.text.facts import searchable
from blogsvc.models import (
    Author,
    Connection,
    Delivery,
    Post,
    PostLabel,
    PostSlug,
    PostText,
    Revision,
    Series,
)
from blogsvc.models.post_fields import EMPTY_VALUES
from blogsvc.models.post_labels import SITE_AUTHOR, SITE_SERIES, SITE_TAG
from blogsvc.models.site_search import SiteWords
from tests.bench.servers import Place
from tests.databases import another

START = datetime(2016, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PLACE = "con_bench"  # the id of the connection that the live posts were delivered to
AUTHORS = "common", "rare"
OLD = 10_000  # posts that are tagged `old`
LAST_PAGE = 2000  # posts after the cursor of a last page
SORTS = ("-createdAt", "-updatedAt", "title", "-publishedAt")
FILTERS = (
    "status=draft",
    "status=published",
    "status=unpublished",
    "tag=common",
    "tag=rare",
    "tag=old",
    "platform=site",
    "createdAfter=2016-01-02T00:00:00Z",
    "createdBefore=2016-01-02T00:00:00Z",
    "q=bench",
    "q=ben",
    "q=rare",
)
DASHBOARD_FILTERS = (
    *(f"tag={tag}" for tag in ("common", "rare", "old")),
    *(f"by={author}" for author in ("common", "rare")),
    *(f"q={word}" for word in ("bench", "ben", "rare")),
    "to=site",
)
# The queries of lists: each order, each filter in each order, and filters together.
QUESTIONS = (
    *(f"sort={sort}" for sort in (*SORTS, "createdAt", "updatedAt", "-title", "publishedAt", "scheduledAt")),
    *(f"{each}&sort={sort}" for each in FILTERS for sort in SORTS),
    "platform=site&status=published",
    "platform=site&status=published&sort=title",
    "tag=rare&status=published&sort=title",
    "tag=common&status=draft&sort=-updatedAt",
    "q=bench&status=published&sort=title",
    "q=bench -rare",
    "q=bench words",
)

BLOG = (
    "/",
    "/?page=2",
    "/tag/common",
    "/tag/rare",
    "/tag/old",
    "/author/common",
    "/author/rare",
    "/series/rare",
    "/bench-4000",
    "/tags",
    "/archive",
    "/feed.xml",
    "/feed.json",
    "/feed/tag/rare",
    "/feed/tag/common",
    "/feed/author/common",
    "/sitemap.xml",
    "/search?q=bench",
    "/search?q=bench&page=50",
    "/search?q=ben",
    "/search?q=rare",
    "/search?q=bench+-rare",
)
DASHBOARD = (
    "/desk",
    "/desk?in=drafts",
    "/desk?in=scheduled",
    "/desk?in=published",
    "/desk?in=pages",
    "/desk?in=trash",
    *(f"/desk?in={name}&{each}" for name in ("all", "drafts", "published") for each in DASHBOARD_FILTERS),
    "/desk/commands?q=bench",
)


def count(place: Place, table: str, where: str) -> int:
    with another(place.rows_url) as rows:
        return int(rows.scalar(text(f"SELECT count(*) FROM {table} WHERE {where}")))


def fill(place: Place, posts: int, *, start: datetime = START, apart: timedelta = MINUTE) -> None:
    """Insert posts up to this number. Every second one is on the blog and has a copy.

    A few are tagged `rare`, by another author, in a series or unpublished: one of a thousand each. The first ten
    thousand are tagged `old`.
    """
    with another(place.rows_url, writes=True) as rows:
        have = rows.scalar(select(func.count()).where(Post.id.startswith("post_bench"))) or 0
        if not have:
            rows.execute(insert(Connection), _connection(start))
            rows.execute(insert(Author), [_author(slug, start) for slug in AUTHORS])
            rows.execute(insert(Series), {"id": "ser_bench", "slug": "rare", "title": "Rare", "created_at": start})
        for first in range(have, posts, 10_000):
            numbers = range(first, min(first + 10_000, posts))
            rows.execute(insert(Post), [_post(number, start + number * apart) for number in numbers])
            rows.execute(insert(PostText), [_words(number) for number in numbers])
            rows.execute(insert(PostSlug), [_slug(number) for number in numbers])
            rows.execute(insert(PostLabel), [label for number in numbers for label in _labels(number)])
            live = [number for number in numbers if _is_live(number)]
            rows.execute(insert(Delivery), [_delivery(number, start + number * apart) for number in live])
            rows.execute(insert(Revision), [_revision(number, start + number * apart) for number in live])
            rows.execute(insert(SiteWords), [_site_words(number) for number in live])
        analyze(rows)


def schedule(place: Place, after: datetime) -> None:
    """Let the posts that are live from this time on be scheduled instead, for as long as the others are drafts."""
    with another(place.rows_url, writes=True) as rows:
        later = update(Post).where(Post.published_at > after)
        rows.execute(later.values(state="scheduled", scheduled_at=Post.published_at, published_at=None))
        rows.execute(delete(Delivery).where(Delivery.post_id.in_(select(Post.id).where(Post.state == "scheduled"))))


def touch(place: Place) -> None:
    """Commit a change, so that nothing that a server has read before is known to be as new."""
    with another(place.rows_url, writes=True) as rows:
        rows.execute(update(Connection).where(Connection.id == PLACE).values(verify_count=Connection.verify_count + 1))


def analyze(rows: RawConnection) -> None:
    """Let PostgreSQL look at the new rows now, as it soon would by itself. SQLite never does in a real instance."""
    if rows.dialect.name == "postgresql":
        rows.execute(text("ANALYZE"))


def _is_live(number: int) -> bool:
    return number % 2 == 0


def _is_rare(number: int) -> bool:
    return number % 1000 == 0


def _post(number: int, at: datetime) -> dict[str, Any]:
    is_live, is_withdrawn = _is_live(number), number % 1000 == 1
    return _fields(number) | {
        "id": id_of(number),
        "state": "published" if is_live else "unpublished" if is_withdrawn else "draft",
        "platforms": ["site"],
        "word_count": 2,
        "author_id": AUTHORS[_is_rare(number)],
        "revision_count": int(is_live),
        "live_revision_id": _revision_id(number) if is_live else None,
        "site_revision_id": _revision_id(number) if is_live else None,
        "has_unpublished_changes": False,
        "created_at": at,
        "updated_at": at,
        "published_at": at if is_live or is_withdrawn else None,
        "scheduled_at": at if number % 4 == 0 else None,
        "version": "bench",
    }


def _fields(number: int) -> dict[str, Any]:
    """Return what a post and its revision share."""
    return EMPTY_VALUES | {
        "title": f"{number * 7919 % 1_000_003:07} bench",  # its order differs from that of the id
        "content": "Some words.",
        "slug": f"bench-{number}",
        "tags": list(_tags(number)),
        "authors": [AUTHORS[_is_rare(number)]],
        "series": "rare" if _is_rare(number) else None,
    }


def _revision(number: int, at: datetime) -> dict[str, Any]:
    names = {"id": _revision_id(number), "post_id": id_of(number), "number": 1, "reason": "published"}
    return _fields(number) | names | {"html": "<p>Some words.</p>", "created_at": at}


def _revision_id(number: int) -> str:
    return f"rev_bench{number:021}"


def _slug(number: int) -> dict[str, Any]:
    return {"slug": f"bench-{number}", "post_id": id_of(number), "was_shown": _is_live(number)}


def _author(slug: str, at: datetime) -> dict[str, Any]:
    return {"id": f"auth_{slug}", "slug": slug, "name": slug, "bio": "", "links": [], "created_at": at}


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


def _site_words(number: int) -> dict[str, str]:
    fields = _fields(number)
    title, words = searchable(fields["title"], "", fields["tags"], "<p>Some words.</p>")
    return {"post_id": id_of(number), "title": title, "text": words}


def id_of(number: int) -> str:
    return f"post_bench{number:021}"


def _tags(number: int) -> Iterator[str]:
    yield "common"
    if _is_rare(number):
        yield "rare"
    if number < OLD:
        yield "old"


def _labels(number: int) -> Iterator[dict[str, str]]:
    yield {"kind": "platform", "value": "site", "post_id": id_of(number)}
    labels = [("tag", tag) for tag in _tags(number)]
    if _is_live(number):
        labels += [(SITE_TAG, tag) for tag in _tags(number)] + [(SITE_AUTHOR, AUTHORS[_is_rare(number)])]
        labels += [(SITE_SERIES, "rare")] if _is_rare(number) else []
    for kind, value in labels:
        yield {"kind": kind, "value": value, "post_id": id_of(number)}


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
