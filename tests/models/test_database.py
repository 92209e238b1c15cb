"""Database errors, connection pools, locks and timeouts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from time import monotonic, sleep

import psycopg.errors
import pytest
from flask import Flask
from sqlalchemy import NullPool, create_engine, select, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, TimeoutError

from blogsvc.config import Config
from blogsvc.errors import Busy
from blogsvc.models import Post, Setting, database, db, transaction
from tests.databases import another, holding


def database_error(state: str) -> DBAPIError:
    """Return a PostgreSQL error with this SQLSTATE, as SQLAlchemy raises it."""
    return OperationalError("SELECT 1", {}, psycopg.errors.lookup(state)("It said so."))


@pytest.mark.parametrize(
    "state",
    [
        pytest.param("55P03", id="the lock did not come"),
        pytest.param("53100", id="the disk is full"),
        pytest.param("53300", id="too many connections"),
        pytest.param("57P01", id="it shuts down"),
        pytest.param("57P02", id="it crashed"),
        pytest.param("57P03", id="it starts"),
        pytest.param("08006", id="the connection is lost"),
        pytest.param("40001", id="rolled back for another"),
        pytest.param("40P01", id="a deadlock"),
        pytest.param("25P03", id="the transaction stood still"),
    ],
)
def test_a_temporary_database_error_counts_as_busy(state: str) -> None:
    assert isinstance(database.as_busy(database_error(state)), Busy)


@pytest.mark.parametrize("state", ["23505", "42P01", "22021", "28P01", "57014"])
def test_a_permanent_database_error_does_not_count_as_busy(state: str) -> None:
    assert database.as_busy(database_error(state)) is None


def test_an_unreachable_server_counts_as_busy() -> None:
    nowhere = create_engine("postgresql+psycopg://postgres@127.0.0.1:1/none", poolclass=NullPool)
    with pytest.raises(OperationalError) as caught, nowhere.connect():
        pass
    assert isinstance(database.as_busy(caught.value), Busy)


def test_an_exhausted_connection_pool_counts_as_busy() -> None:
    assert isinstance(database.as_busy(TimeoutError("QueuePool limit reached")), Busy)


def test_a_constraint_violation_does_not_count_as_busy(app: Flask) -> None:
    with transaction():
        Setting.write("blog_title", "Once")
    with pytest.raises(IntegrityError) as caught:
        db.session.execute(Setting.__table__.insert().values(name="blog_title", value="Twice"))  # type: ignore[attr-defined]
    assert database.as_busy(caught.value) is None
    db.session.rollback()


@pytest.mark.parametrize(("threads", "lanes"), [(4, 32), (1, 1)])
def test_every_thread_can_have_a_connection_at_the_same_time(
    app: Flask, config: Config, threads: int, lanes: int
) -> None:
    config = replace(config, threads=threads, lanes=lanes)
    options = database.options(config.rows_url, threads + lanes, busy_timeout_seconds=0.5)
    engine = create_engine(config.rows_url, **options)
    database.prepare(engine, 0.5)
    together = Barrier(threads + lanes)

    def read(_: int) -> int:
        with engine.connect() as connection:
            together.wait(30)
            return len(connection.execute(select(Post.id)).all())

    with ThreadPoolExecutor(threads + lanes) as pool:
        assert list(pool.map(read, range(threads + lanes))) == [0] * (threads + lanes)
    engine.dispose()


def test_a_read_transaction_sees_one_snapshot_during_concurrent_writes(
    app: Flask, config: Config, a_post: Callable[..., Post]
) -> None:
    with another(config.rows_url) as reader:
        assert len(reader.execute(select(Post.id)).all()) == 0
        a_post()
        assert len(reader.execute(select(Post.id)).all()) == 0
    with another(config.rows_url) as reader:
        assert len(reader.execute(select(Post.id)).all()) == 1


@pytest.mark.postgres("its snapshot may be older than its lock; on SQLite they are the same")
def test_a_write_transaction_sees_everything_committed_before_its_lock(config: Config) -> None:
    with ThreadPoolExecutor(1) as pool:
        with another(config.rows_url, writes=True) as first:
            second = pool.submit(_rows_under_the_lock, config.rows_url)
            first.execute(Setting.__table__.insert().values(name="x", value=1))  # type: ignore[attr-defined]
            _wait_until_somebody_waits(first)
        assert second.result(30) == 1


def _wait_until_somebody_waits(connection: Connection) -> None:
    end = monotonic() + 30
    query = "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database WHERE NOT granted"
    while not connection.scalar(text(f"{query} AND locktype = 'advisory' AND datname = current_database()")):
        assert monotonic() < end, "nobody waits for the lock"
        sleep(0.01)


def _rows_under_the_lock(url: str) -> int:
    with another(url, writes=True) as rows:
        return len(rows.execute(select(Setting.name).where(Setting.name == "x")).all())


@pytest.mark.postgres("a writer on another machine may disappear; on SQLite all are on one machine")
def test_an_idle_writer_loses_its_lock(config: Config) -> None:
    impatient = create_engine(config.rows_url, poolclass=NullPool)
    database.prepare(impatient, 10, writer_is_gone_after_seconds=0.2)
    with pytest.raises(DBAPIError) as caught, holding(impatient) as vanished:
        _idle_while_another_writes(vanished, config.rows_url)
    assert isinstance(database.as_busy(caught.value), Busy)


def _idle_while_another_writes(vanished: Connection, url: str) -> None:
    with another(url, writes=True):
        pass  # it waits for the lock, and gets it
    vanished.execute(select(Post.id))
