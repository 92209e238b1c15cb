"""Tests against real servers on loopback: `make test-real`. Without `--real` nothing here is collected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.wordpress.server import WordPress, wordpress


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("--real") else True


@pytest.fixture(scope="session")
def wordpress_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WordPress]:
    """One WordPress for all tests."""
    with wordpress(tmp_path_factory.mktemp("wordpress")) as server:
        yield server


@pytest.fixture
def wordpress_site(wordpress_server: WordPress) -> WordPress:
    """The same, with nothing published on it."""
    wordpress_server.clear()
    return wordpress_server
