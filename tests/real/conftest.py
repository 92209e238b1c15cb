"""Tests against real servers on loopback: `make test-real`. Without `--real` nothing here is collected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.ghost.server import Ghost, ghost
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


@pytest.fixture(scope="session")
def ghost_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ghost]:
    """One Ghost for all tests."""
    with ghost(tmp_path_factory.mktemp("ghost")) as server:
        yield server


@pytest.fixture
def ghost_site(ghost_server: Ghost) -> Ghost:
    """The same, with nothing published on it and no members."""
    ghost_server.clear()
    return ghost_server
