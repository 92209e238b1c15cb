"""The databases of the tests themselves: empty when lent, dropped at the end, and never those of another run."""

from __future__ import annotations

import pytest
from sqlalchemy import make_url, select, text
from sqlalchemy.exc import OperationalError

from blogsvc.models import Setting
from tests.databases import Postgres, another, engine_of

pytestmark = pytest.mark.postgres("SQLite files are in the directory of the test")


def is_there(url: str) -> bool:
    try:
        with another(url) as rows:
            return rows.scalar(text("SELECT 1")) == 1
    except OperationalError:
        return False


def test_databases_of_a_killed_run_are_removed_and_those_of_a_live_run_are_not() -> None:
    with Postgres() as other:
        theirs = other.lend(is_blank=True)
        killed = Postgres().__enter__()
        left = killed.lend(is_blank=True)
        with Postgres():
            assert is_there(left), "while that run is alive"
        killed.server.close()
        killed.engine.dispose()
        with Postgres():
            assert (is_there(left), is_there(theirs)) == (False, True)
    assert not is_there(theirs)


def test_a_database_is_empty_when_it_is_lent_again(databases: Postgres, database_url: str) -> None:
    with another(database_url, writes=True) as rows:
        rows.execute(Setting.__table__.insert().values(name="x", value=1))  # type: ignore[attr-defined]
    databases.give_back(database_url)
    again = databases.lend()
    assert make_url(again).database == make_url(database_url).database
    with another(again) as rows:
        assert rows.execute(select(Setting.name)).all() == []


def test_a_database_still_in_use_is_not_lent_again(databases: Postgres) -> None:
    url = databases.lend()
    engine = engine_of(url)
    held = engine.connect()
    held.execute(text("SELECT 1"))
    databases.give_back(url)
    assert not is_there(url)
    held.invalidate()
    held.close()
