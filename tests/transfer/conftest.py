"""Fixtures for imports and exports."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blogsvc.config import Config
from tests.databases import Databases


@pytest.fixture
def elsewhere(config: Config, empty_instance: Path, databases: Databases, tmp_path: Path) -> Iterator[Config]:
    """The settings of a second instance, which is empty."""
    shutil.copytree(empty_instance, tmp_path / "elsewhere")
    url = databases.lend()
    yield replace(config, instance=tmp_path / "elsewhere", base_url="https://new.example", database_url=url)
    databases.give_back(url)
