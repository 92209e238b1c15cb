"""What the tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import text

from blogsvc.config import Config
from blogsvc.models.database import schema_versions
from tests.databases import another

SetVersion = Callable[[str], None]


@pytest.fixture
def set_version(environment: dict[str, str]) -> Iterator[SetVersion]:
    """Return a function that changes the version of the schema in the database. It is put back after the test."""
    changed = False

    def change(version: str) -> None:
        nonlocal changed
        changed = True
        with another(Config.load(environment).rows_url, writes=True) as rows:
            rows.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})

    yield change
    if changed:
        change(schema_versions()[-1])
