"""Tests of the client libraries against a real server: `make test-clients`. Skipped without `--clients`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.harness import Harness, start_harness


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("--clients") else True


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    """One server for all runners."""
    with start_harness(tmp_path_factory.mktemp("clients")) as harness:
        yield harness


def require_program(program: str) -> None:
    """Skip the test if a program is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"{program.upper()} IS NOT INSTALLED: its client library is not tested")
