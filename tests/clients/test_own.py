"""The tests that each library brings along, in its language; and the types of those that have types."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from blogsvc.config import ROOT
from tests.clients.conftest import demand
from tests.clients.projects import CLIENTS, call

TSC = ROOT / ".venv" / "typescript" / "node_modules" / ".bin" / "tsc"


def test_python_s_own(tmp_path: Path) -> None:
    folder = CLIENTS / "python"
    options = ("-q", "-p", "no:cacheprovider", "-c", "pyproject.toml", "--rootdir", ".")
    assert " passed" in call(sys.executable, "-m", "pytest", *options, cwd=folder)


def test_python_s_types_are_sound() -> None:
    assert "no issues" in call(sys.executable, "-m", "mypy", "--cache-dir", "/dev/null", cwd=CLIENTS / "python")


def test_node_s_own() -> None:
    demand("node")
    assert "# fail 0" in call("node", "--test", "--test-reporter=tap", cwd=CLIENTS / "node")


def test_node_s_types_are_sound() -> None:
    if not TSC.exists():
        pytest.skip("NO TYPESCRIPT HERE: the types of the Node.js package are not checked")
    for project in (".", "check"):  # the library, and a program that uses it
        call(TSC, "--project", project, cwd=CLIENTS / "node")


def test_php_s_own() -> None:
    demand("phpunit")
    assert "OK (" in call("phpunit", "--colors=never", cwd=CLIENTS / "php")


def test_php_s_files_are_written_well() -> None:
    demand("php")
    for file in sorted((CLIENTS / "php").rglob("*.php")):
        call("php", "-l", file, cwd=CLIENTS / "php")


def test_ruby_s_own() -> None:
    demand("ruby")
    every = 'Dir["test/*_test.rb"].each { |file| require "./#{file}" }'
    assert "0 failures, 0 errors" in call("ruby", "-w", "-Ilib", "-Itest", "-e", every, cwd=CLIENTS / "ruby")
