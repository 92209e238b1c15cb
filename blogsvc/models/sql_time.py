"""Calculations with times in SQL, for both databases.

SQLite stores times as text in UTC, such as 2026-11-24 09:00:00.000000.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from blogsvc.models.base import UtcDateTime


class _StartOf(FunctionElement[Any]):
    """The start of a unit of time in UTC. `digits` is the length of its text on SQLite, and `rest` what follows."""

    type = UtcDateTime()
    inherit_cache = True
    unit: ClassVar[str]
    digits: ClassVar[int]
    rest: ClassVar[str]


class hour_of(_StartOf):  # noqa: N801  (a function of SQL, as below)
    """The start of the hour of a time."""

    inherit_cache = True
    unit, digits, rest = "hour", 13, ":00:00.000000"


class day_of(_StartOf):  # noqa: N801
    """The start of the UTC day of a time."""

    inherit_cache = True
    unit, digits, rest = "day", 10, " 00:00:00.000000"


class month_of(_StartOf):  # noqa: N801
    """The start of the UTC month of a time."""

    inherit_cache = True
    unit, digits, rest = "month", 7, "-01 00:00:00.000000"


class milliseconds_between(FunctionElement[Any]):  # noqa: N801
    """The whole milliseconds from one time to another."""

    type = BigInteger()
    inherit_cache = True


@compiles(_StartOf, "sqlite")
def _start_on_sqlite(element: _StartOf, compiler: Any, **options: Any) -> str:
    return f"substr({compiler.process(element.clauses, **options)}, 1, {element.digits}) || '{element.rest}'"


@compiles(_StartOf, "postgresql")
def _start_on_postgresql(element: _StartOf, compiler: Any, **options: Any) -> str:
    return f"date_trunc('{element.unit}', {compiler.process(element.clauses, **options)}, 'UTC')"


@compiles(milliseconds_between, "sqlite")
def _milliseconds_on_sqlite(element: milliseconds_between, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(each, **options) for each in element.clauses)
    return f"CAST(round((julianday({end}) - julianday({start})) * 86400000) AS INTEGER)"


@compiles(milliseconds_between, "postgresql")
def _milliseconds_on_postgresql(element: milliseconds_between, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(each, **options) for each in element.clauses)
    return f"CAST(round(extract(epoch FROM {end} - {start}) * 1000) AS BIGINT)"
