"""The databases of tests: one file each, or with `--database=postgres` one database each.

with Postgres("postgresql+psycopg://postgres@127.0.0.1:5432/postgres") as databases:
    databases.keep_template(migrate)
    url = databases.lend()
    ...
    databases.give_back(url)

Copying and dropping a database takes a tenth of a second each, so a database without connections is emptied and lent
again; one that is still in use is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from secrets import token_hex
from time import monotonic, sleep
from typing import Protocol, Self

from sqlalchemy import NullPool, create_engine, make_url, text
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from blogsvc.models import database

URL = "TEST_POSTGRES_URL"
DEFAULT_URL = "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"
HOW_TO_GET_ONE = f"""No PostgreSQL answers at {{url}}: {{why}}
Debian:  sudo apt install postgresql; then let 127.0.0.1 in (pg_hba.conf) and name it: {URL}=postgresql+psycopg://...
Docker:  docker run --rm -d -p 127.0.0.1:5432:5432 -e POSTGRES_HOST_AUTH_METHOD=trust postgres:17
Its user must be allowed to make databases. Without {URL} it is looked for at {DEFAULT_URL}."""


# A locale whose sort order differs from code points, which must make no difference.
FOREIGN = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"


class Databases(Protocol):
    """Lends database URLs; "" is the file in the instance directory."""

    def keep_template(self, migrate: Callable[[str], None]) -> None:
        """Create the schema once with `migrate`; `lend` returns copies of it."""

    def lend(self, *, is_blank: bool = False) -> str:
        """Return a database with the schema and no rows, or without a schema (`is_blank`)."""

    def give_back(self, url: str) -> None: ...


class Sqlite:
    """Nothing to lend: copying an instance directory copies its database."""

    def keep_template(self, migrate: Callable[[str], None]) -> None:
        migrate("")

    def lend(self, *, is_blank: bool = False) -> str:
        return ""

    def give_back(self, url: str) -> None:
        pass


class NoServer(Exception):
    """No PostgreSQL server responds. The message says how to start one."""


class Postgres:
    """Databases on one server, named after the connection of this process, to find leftovers of killed runs."""

    PREFIX = "blogsvc_test_"

    def __init__(self, url: str | None = None) -> None:
        self.url = make_url(url or os.environ.get(URL) or DEFAULT_URL)
        self.name = self.PREFIX + token_hex(4)
        self.made = 0
        self.clean: list[str] = []
        self.template = "template0"

    def __enter__(self) -> Self:
        options = {"application_name": self.name, "connect_timeout": 5}
        self.engine = create_engine(self.url, isolation_level="AUTOCOMMIT", connect_args=options)
        try:
            self.server = self.engine.connect()
        except OperationalError as error:
            raise NoServer(HOW_TO_GET_ONE.format(url=self.url, why=str(error.orig).strip())) from None
        self._drop_leftovers()
        return self

    def __exit__(self, *_error: object) -> None:
        for name in self._names(self.name):
            self._drop(name)
        self.server.close()
        self.engine.dispose()

    def keep_template(self, migrate: Callable[[str], None]) -> None:
        url = self.lend(is_blank=True)
        migrate(url)
        with another(url) as rows:
            seeded = {table for table in _tables(rows) if rows.scalar(text(f'SELECT EXISTS (TABLE "{table}")'))}
        seeded -= {"setting"}  # the fingerprint of the key, which each command writes if it is missing
        assert not seeded, f"A migration leaves rows in {seeded}: _empty must put them back."
        self.template = make_url(url).database or ""

    def lend(self, *, is_blank: bool = False) -> str:
        if self.clean and not is_blank:
            return self.clean.pop()
        self.made += 1
        name = f"{self.name}_{self.made}"
        template = f"template0 {FOREIGN}" if is_blank else self.template
        self._do(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self.url.set(database=name).render_as_string(hide_password=False)

    def give_back(self, url: str) -> None:
        name = make_url(url).database or ""
        try:
            if self._is_left(name) and _empty(url):
                return self.clean.append(url)
        except SQLAlchemyError:
            pass  # the test changed more than rows
        return self._drop(name)

    def _is_left(self, name: str, seconds: float = 0.5) -> bool:
        """Return True if nobody is connected; a closed connection takes a moment to disappear."""
        end = monotonic() + seconds
        query = text("SELECT count(*) FROM pg_stat_activity WHERE datname = :name AND backend_type = 'client backend'")
        while self.server.scalar(query, {"name": name}):
            if monotonic() > end:
                return False
            sleep(0.005)
        return True

    def _drop_leftovers(self) -> None:
        """Drop the databases of killed runs."""
        alive = set(self.server.scalars(text("SELECT application_name FROM pg_stat_activity")))
        for name in self._names(self.PREFIX):
            if name.rpartition("_")[0] not in alive:
                self._drop(name)

    def _names(self, prefix: str) -> list[str]:
        query = text("SELECT datname FROM pg_database WHERE starts_with(datname, :prefix)")
        return list(self.server.scalars(query, {"prefix": prefix}))

    def _drop(self, name: str) -> None:
        self._do(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _do(self, statement: str) -> None:
        self.server.exec_driver_sql(statement)


def _tables(rows: Connection) -> list[str]:
    """Return all tables except the one with the schema version."""
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
    return list(rows.scalars(text(query)))


def _empty(url: str) -> bool:
    """Delete all rows, ignoring constraints and triggers. Return False if there is no schema."""
    with another(url) as rows:
        rows.exec_driver_sql("SET session_replication_role = replica")
        if not (tables := _tables(rows)):
            return False
        rows.exec_driver_sql("; ".join(f'DELETE FROM "{table}"' for table in tables))
    return True


def engine_of(url: str, busy_timeout_seconds: float = 10) -> Engine:
    """Return an engine without a pool: each connection acts as another process."""
    engine = create_engine(url, poolclass=NullPool)
    database.prepare(engine, busy_timeout_seconds)
    return engine


@contextmanager
def another(rows_url: str, *, writes: bool = False, busy_timeout_seconds: float = 10) -> Iterator[Connection]:
    """Yield a connection of another process, in a transaction with the write lock (`writes`) or without."""
    with holding(engine_of(rows_url, busy_timeout_seconds), writes=writes) as connection:
        yield connection


@contextmanager
def holding(engine: Engine, *, writes: bool = True) -> Iterator[Connection]:
    with engine.connect().execution_options(**(database.WRITES if writes else {})) as connection, connection.begin():
        yield connection


@contextmanager
def databases(kind: str) -> Iterator[Databases]:
    """Yield the database backend "sqlite" or "postgres". Raises NoServer."""
    if kind == "sqlite":
        yield Sqlite()
        return
    with Postgres() as server:
        yield server
