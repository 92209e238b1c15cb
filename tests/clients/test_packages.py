"""Run the tests and type checks of each client library in its language."""

from __future__ import annotations

import sys

import pytest

from blogsvc.config import ROOT
from tests.clients.conftest import require_program
from tests.clients.projects import CLIENTS, call

TSC = ROOT / ".venv" / "typescript" / "node_modules" / ".bin" / "tsc"


def test_the_tests_of_the_python_library_pass() -> None:
    folder = CLIENTS / "python"
    options = ("-q", "-p", "no:cacheprovider", "-c", "pyproject.toml", "--rootdir", ".")
    assert " passed" in call(sys.executable, "-m", "pytest", *options, cwd=folder)


def test_the_types_of_the_python_library_are_correct() -> None:
    assert "no issues" in call(sys.executable, "-m", "mypy", "--cache-dir", "/dev/null", cwd=CLIENTS / "python")


def test_the_tests_of_the_node_library_pass() -> None:
    require_program("node")
    assert "# fail 0" in call("node", "--test", "--test-reporter=tap", cwd=CLIENTS / "node")


def test_the_types_of_the_node_library_are_correct() -> None:
    if not TSC.exists():
        pytest.skip("TYPESCRIPT IS NOT INSTALLED: the types of the Node.js library are not checked")
    for project in (".", "check"):  # the library, and a program that uses it
        call(TSC, "--project", project, cwd=CLIENTS / "node")


def test_the_tests_of_the_php_library_pass() -> None:
    require_program("phpunit")
    assert "OK (" in call("phpunit", "--colors=never", cwd=CLIENTS / "php")


def test_the_php_files_have_no_syntax_errors() -> None:
    require_program("php")
    for file in sorted((CLIENTS / "php").rglob("*.php")):
        call("php", "-l", file, cwd=CLIENTS / "php")


def test_the_tests_of_the_ruby_library_pass() -> None:
    require_program("ruby")
    load_all = 'Dir["test/*_test.rb"].each { |file| require "./#{file}" }'
    assert "0 failures, 0 errors" in call("ruby", "-w", "-Ilib", "-Itest", "-e", load_all, cwd=CLIENTS / "ruby")
