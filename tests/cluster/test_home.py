"""At home, with SQLite and without a broker, nothing of a cluster is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.fleet import Fleet

TRAP = "from pathlib import Path; Path(__file__).with_name('was imported').touch()\n"
PACKAGES = ("celery", "kombu", "redis", "psycopg")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Fleet]:
    home = Fleet(tmp_path, database_url="")
    yield home
    home.end()


def test_a_server_at_home_does_not_load_the_packages_of_a_cluster(home: Fleet, tmp_path: Path) -> None:
    traps = tmp_path / "traps"
    for package in PACKAGES:
        (traps / package).mkdir(parents=True)
        (traps / package / "__init__.py").write_text(TRAP)
    server = home.member("server")
    server.packages = traps
    home.key = home.make_key(server)
    server.start()
    server.wait_until_ready()
    home.wait_until_published(server, home.schedule(server))
    assert [path.parent.name for path in traps.glob("*/was imported")] == []
    assert home.tracebacks() == []
