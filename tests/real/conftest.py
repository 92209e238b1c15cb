"""Real servers, on loopback: `make test-real`. Without `--real` nothing here is collected."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("--real") else True
