"""Calculations with times in SQL, for both databases.

SQLite stores times as text in UTC, such as 2026-11-24 09:00:00.000000.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from blogsvc.models.base import UtcDateTime


class hour_of(FunctionElement[Any]):  # noqa: N801  (a function of SQL, as below)
    """The start of the hour of a time."""

    type = UtcDateTime()
    inherit_cache = True


class day_of(FunctionElement[Any]):  # noqa: N801
    """The start of the UTC day of a time."""

    type = UtcDateTime()
    inherit_cache = True


class milliseconds_between(FunctionElement[Any]):  # noqa: N801
    """The whole milliseconds from one time to another."""

    type = BigInteger()
    inherit_cache = True


@compiles(hour_of, "sqlite")
def _hour_on_sqlite(element: hour_of, compiler: Any, **options: Any) -> str:
    return f"substr({compiler.process(element.clauses, **options)}, 1, 13) || ':00:00.000000'"


@compiles(hour_of, "postgresql")
def _hour_on_postgresql(element: hour_of, compiler: Any, **options: Any) -> str:
    return f"date_trunc('hour', {compiler.process(element.clauses, **options)}, 'UTC')"


@compiles(day_of, "sqlite")
def _day_on_sqlite(element: day_of, compiler: Any, **options: Any) -> str:
    return f"substr({compiler.process(element.clauses, **options)}, 1, 10) || ' 00:00:00.000000'"


@compiles(day_of, "postgresql")
def _day_on_postgresql(element: day_of, compiler: Any, **options: Any) -> str:
    return f"date_trunc('day', {compiler.process(element.clauses, **options)}, 'UTC')"


@compiles(milliseconds_between, "sqlite")
def _milliseconds_on_sqlite(element: milliseconds_between, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(each, **options) for each in element.clauses)
    return f"CAST(round((julianday({end}) - julianday({start})) * 86400000) AS INTEGER)"


@compiles(milliseconds_between, "postgresql")
def _milliseconds_on_postgresql(element: milliseconds_between, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(each, **options) for each in element.clauses)
    return f"CAST(round(extract(epoch FROM {end} - {start}) * 1000) AS BIGINT)"
