"""Cursor (keyset) pagination: page 10,000 costs as much as page 1.

Rows whose sort column is null come last, ordered by id. A separate query fetches them, so that
both queries can use an index.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

from flask import request
from itsdangerous import BadSignature
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from blogsvc import context
from blogsvc.api import schemas
from blogsvc.api.framework.operations import Reply
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.crypto import sign, unsign
from blogsvc.lib.time import parse
from blogsvc.models import Post, db
from blogsvc.models.base import Base

Sort = Literal[
    "createdAt", "-createdAt", "updatedAt", "-updatedAt", "scheduledAt", "-scheduledAt",
    "publishedAt", "-publishedAt", "title", "-title",
]  # fmt: skip

COLUMNS: dict[str, InstrumentedAttribute[Any]] = {
    "createdAt": Post.created_at,
    "updatedAt": Post.updated_at,
    "scheduledAt": Post.scheduled_at,
    "publishedAt": Post.published_at,
    "title": Post.title,
}


M = TypeVar("M", bound=Base)
R = TypeVar("R")


@dataclass(frozen=True)
class Order:
    """A sort order, and the value and id of the last row of the previous page."""

    sort: str
    value: Any = None
    id: str | None = None

    @property
    def column(self) -> InstrumentedAttribute[Any]:
        return COLUMNS[self.sort.removeprefix("-")]

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")

    def after(self, column: InstrumentedAttribute[Any], value: Any) -> ColumnElement[bool]:
        after: ColumnElement[bool] = column < value if self.descending else column > value
        return after

    def directed(self, column: InstrumentedAttribute[Any]) -> Any:
        return column.desc() if self.descending else column.asc()


# A row of a page: the post's id, its version and the value of the sort column.
Found = Row[str, str, Any]
Query = Select[str, str, Any]


def page(query: Query, order: Order, limit: int, *, can_have_values: bool = True) -> tuple[list[Found], str | None]:
    """Return a page of posts and the next cursor.

    Args:
        query: selects `id`, `version` and the sort value as `place`.
        can_have_values: False if the sort value of each post is null.
    """
    rows: list[Found] = []
    if can_have_values and (order.id is None or order.value is not None):
        rows = _fetch(_non_null_query(query, order), limit + 1)
    if len(rows) <= limit and order.column.nullable:
        rows += _fetch(_null_query(query, order), limit + 1 - len(rows))
    more = len(rows) > limit
    rows = rows[:limit]
    return rows, _cursor_after(order, rows[-1]) if more else None


def count(query: Query) -> int:
    """Return the number of posts on all pages of a query."""
    return db.session.scalar(select(func.count()).select_from(query.subquery())) or 0


def _fetch(query: Query, limit: int) -> list[Found]:
    return list(db.session.execute(query.limit(limit)))


def _non_null_query(query: Query, order: Order) -> Query:
    column = order.column
    if column.nullable:
        query = query.where(column.is_not(None))
    if order.id is not None:
        same = and_(column == order.value, order.after(Post.id, order.id))
        # `bound` is redundant, but lets the database scan one range of the index.
        bound = column <= order.value if order.descending else column >= order.value
        query = query.where(bound, or_(order.after(column, order.value), same))
    return query.order_by(order.directed(column), order.directed(Post.id))


def _null_query(query: Query, order: Order) -> Query:
    query = query.where(order.column.is_(None))
    if order.id is not None and order.value is None:
        query = query.where(order.after(Post.id, order.id))
    # All values are null, but PostgreSQL uses the index only if the query sorts by the column.
    return query.order_by(order.directed(order.column), order.directed(Post.id))


def _cursor_after(order: Order, last: Found) -> str:
    value = last.place
    text = value.isoformat() if isinstance(value, datetime) else value
    return _signed(order.sort, text, last.id)


def read_cursor(cursor: str | None, sort: str) -> Order:
    """Return the order and position of a cursor. Raises Invalid if it was altered or is from another sort order."""
    if cursor is None:
        return Order(sort)
    text, row_id = _unsigned(cursor, sort)
    is_time = text is not None and sort.removeprefix("-") != "title"
    return Order(sort, parse(text) if is_time else text, row_id)


def _signed(order: str, *place: Any) -> str:
    return sign(json.dumps([order, *place]).encode(), _key())


def _unsigned(cursor: str, order: str) -> list[Any]:
    """Return the position in a cursor of this order. Raises Invalid for any other cursor."""
    place: list[Any]
    try:
        its_order, *place = json.loads(unsign(cursor, _key()))
    except (BadSignature, ValueError) as error:
        raise Invalid(
            Fault("?cursor", "invalid", "The cursor is not valid. Send nextCursor of the previous page unchanged.")
        ) from error
    if its_order != order:
        raise Invalid(Fault("?cursor", "invalid", f"The cursor belongs to another list or sort order ({its_order})."))
    return place


def _key() -> bytes:
    key: bytes = context.tools().vault.derive("cursors")
    return key


def link_to(cursor: str | None) -> dict[str, str]:
    """Return the Link header for the next page (RFC 8288). It is relative because `Host` headers can be forged."""
    if cursor is None:
        return {}
    arguments = [(name, value) for name, value in request.args.items(multi=True) if name != "cursor"]
    return {"Link": f'<{request.path}?{urlencode([*arguments, ("cursor", cursor)])}>; rel="next"'}


def listed(kind: type[BaseModel], data: Iterable[BaseModel], cursor: str | None) -> Reply:
    """Return the response for one page of a list, with the Link header."""
    page = kind.model_construct(data=list(data), next_cursor=cursor)
    return Reply(page, headers=link_to(cursor), has_etag=False)


class PageQuery(schemas.Query):
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    """The maximum number of results per page, 1 to 100."""
    cursor: str | None = None
    """`nextCursor` of the previous page. Absent: the first page."""


def slice_of(rows: Sequence[R], query: PageQuery, place: Callable[[R], tuple[Any, ...]]) -> tuple[list[R], str | None]:
    """Return a page of rows that are sorted by their `place`, which is unique, and the next cursor."""
    order = request.path
    if query.cursor is not None:
        last = tuple(_unsigned(query.cursor, order))
        rows = [row for row in rows if place(row) > last]
    page = list(rows[: query.limit])
    return page, _signed(order, *place(page[-1])) if len(rows) > query.limit else None


def by_id(
    model: type[M], query: PageQuery, *conditions: ColumnElement[bool], by: str = "id", descending: bool = True
) -> tuple[list[M], str | None]:
    """Return a page of rows ordered by a unique column, and the next cursor.

    Ids sort by creation time, so the newest come first unless `descending` is False.
    """
    column = getattr(model, by)
    order = f"{model.__tablename__}{'-' if descending else '+'}"
    chosen = select(model).where(*conditions)
    if query.cursor is not None:
        (place,) = _unsigned(query.cursor, order)
        chosen = chosen.where(column < place if descending else column > place)
    chosen = chosen.order_by(column.desc() if descending else column).limit(query.limit + 1)
    rows = list(db.session.scalars(chosen))
    more, rows = len(rows) > query.limit, rows[: query.limit]
    return rows, _signed(order, getattr(rows[-1], by)) if more else None
