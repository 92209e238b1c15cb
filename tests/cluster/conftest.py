"""A PostgreSQL server of the tests' own, with a database for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.fleet import Fleet
from tests.conftest import make_empty_instance
from tests.databases import Databases, Postgres
from tests.own_postgres import own_postgres_or_skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.exhaustive)


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    with own_postgres_or_skip() as server, Postgres(server.url) as databases:
        yield databases


@pytest.fixture(scope="session")
def empty_instance(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Path:
    return make_empty_instance(tmp_path_factory.mktemp("cluster") / "instance", databases)


@pytest.fixture
def fleet(tmp_path: Path, databases: Databases) -> Iterator[Fleet]:
    url = databases.lend(is_blank=True)
    fleet = Fleet(tmp_path, url)
    yield fleet
    fleet.end()
    databases.give_back(url)
