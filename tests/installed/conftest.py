"""The built wheel in an empty environment: `make test-installed`. Without `--installed` nothing is collected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installed.installation import Installation, build_wheel, install


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if config.getoption("--installed") else True


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution."""
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and its locked dependencies, and nothing else."""
    return install(wheel, tmp_path_factory.mktemp("environment"))


@pytest.fixture
def installed(environment: Path, tmp_path: Path) -> Installation:
    """The installed commands, run by a user who has no data yet."""
    return Installation(environment / "bin", tmp_path / "home")
