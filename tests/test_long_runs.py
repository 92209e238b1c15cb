"""The modules of the long runs in the Makefile can be imported."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FOLDERS = ("bench", "browser", "fidelity", "fuzz", "kill", "siege")
FILES = sorted(file for folder in FOLDERS for file in (HERE / folder).glob("*.py"))
MODULES = [f"tests.{file.parent.name}.{file.stem}" for file in FILES if not file.name.startswith("test_")]


@pytest.mark.parametrize("name", MODULES)
def test_each_long_run_can_be_imported(name: str) -> None:
    import_module(name)
