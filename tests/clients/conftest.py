"""The client libraries, played against a real server: `make test-clients`. Without `--clients` nothing is collected."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.harness import Harness, harness


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("--clients") else True


@pytest.fixture(scope="session")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    """One server for all who play."""
    with harness(tmp_path_factory.mktemp("clients")) as playing:
        yield playing


def demand(program: str) -> None:
    """Skip, loudly, what cannot be had here."""
    if shutil.which(program) is None:
        pytest.skip(f"NO {program.upper()} HERE: its client library is not tested")
