"""The database session, the column types, and the base class of the models."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session as FlaskSession
from sqlalchemy import JSON, DateTime, Index, MetaData, String, TextClause, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, declared_attr, registry
from sqlalchemy.types import TypeEngine

from blogsvc.models.database import is_lost


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, as an aware UTC datetime. Raises ValueError for a naive one.

    SQLite has no time zones, so the value is stored there without one.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("A time without a zone was about to be stored.")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def sorted_text(length: int) -> TypeEngine[str]:
    """Return a string type that sorts by code points on both databases, whatever the locale of PostgreSQL."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


def partial_index(name: str, *columns: str, where: TextClause) -> Index:
    """Return an index of the rows that meet a condition.

    The condition is named for SQLite only: naming it for PostgreSQL would import that dialect at each start. The
    migrations, which create the indexes, name it for both.
    """
    return Index(name, *columns, sqlite_where=where)


class Base(DeclarativeBase):
    """The base class of the models. The table name is the class name in snake case: ApiKey is `api_key`."""

    registry = registry(
        metadata=MetaData(
            naming_convention={
                "ix": "ix_%(table_name)s_%(column_0_N_name)s",
                "uq": "uq_%(table_name)s_%(column_0_N_name)s",
                "fk": "fk_%(table_name)s_%(column_0_N_name)s",
                "pk": "pk_%(table_name)s",
            }
        ),
        type_annotation_map={
            datetime: UtcDateTime,
            dict[str, Any]: JSON,
            dict[str, str]: JSON,
            list[str]: JSON,
        },
    )

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class ScopedSession(FlaskSession):
    """A session that ends without an error if its connection is lost: nothing is left to undo then.

    Otherwise, a request would fail with a connection that it does not need any more.
    """

    def rollback(self) -> None:
        self._end(super().rollback)

    def close(self) -> None:
        self._end(super().close)

    def _end(self, end: Callable[[], None]) -> None:
        try:
            end()
        except DBAPIError as error:  # by then, the session has let go of the connection
            if not is_lost(error):
                raise


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False, "class_": ScopedSession})
