"""Insert an object with one statement, at a third of the cost of a flush."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, cast

from sqlalchemy import Insert, Table, insert, inspect
from sqlalchemy.orm import Mapper, make_transient_to_detached
from sqlalchemy.orm.attributes import set_committed_value

from blogsvc.models.base import Base, db
from blogsvc.models.transactions import execute_write

T = TypeVar("T", bound=Base)


def insert_row(row: T) -> T:
    """Insert a new object at once, and keep it in the session as if it had been flushed.

    Its attributes without a value get their default, or None. Rows that it refers to must be stored already.
    """
    given = row.__dict__
    for name, default in _columns(type(row)):
        if name not in given:
            set_committed_value(row, name, default(None) if callable(default) else default)
    execute_write(_insert(type(row)), {name: given[name] for name, _ in _columns(type(row))})
    make_transient_to_detached(row)
    db.session.add(row)
    return row


@cache
def _insert(kind: type[Base]) -> Insert:
    return insert(cast(Table, kind.__table__))


@cache
def _columns(kind: type[Base]) -> tuple[tuple[str, Any], ...]:
    """Return the name of each column, which is that of its attribute, and its default: a value or a function."""
    mapper: Mapper[Any] = inspect(kind)
    defaults: Any = ((column.key, column.default) for column in mapper.columns)
    return tuple((name, default and default.arg) for name, default in defaults)
