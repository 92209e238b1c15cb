"""`.ci/run`: every tier runs, a failed test gets a second chance, and the summary tells what happened."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from blogsvc.config import ROOT

# Tiers as in the Makefile of the project: each runs pytest once.
MAKEFILE = f"""
PARALLEL := --numprocesses=2
PYTEST := PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest $(PYTEST_OPTIONS)
%:
	$(PYTEST) test_$*.py
test-all:
	$(PYTEST) test_waiting.py
alone:
	$(PYTEST) -p xdist.plugin $(PARALLEL) test_alone.py
unreadable:
	$(PYTEST) test_unreadable.py test_steady.py
interrupted:
	$(PYTEST) test_steady.py
	false
check:
	echo checked
	test ! -e untidy
"""
TESTS = {
    "steady": "def test_passes(): pass\n\ndef test_is_skipped(): __import__('pytest').skip('not here')\n",
    # Fails unless a file exists that its first run leaves behind.
    "flaky": """from pathlib import Path


def test_passes():
    with Path("passed").open("a") as file:
        file.write("once,")

def test_is_steady(): pass

def test_fails_once():
    has_run = Path("has-run").exists()
    Path("has-run").touch()
    assert has_run
""",
    "broken": "def test_passes(): pass\n\ndef test_always_fails(): assert False\n",
    "unreadable": "import nothing_of_this_name\n",
    "empty": "",
    # Takes twenty seconds.
    "waiting": """from time import sleep

import pytest

@pytest.mark.parametrize("number", range(200))
def test_waits(number): sleep(0.1)
""",
    # Fails twice, the second time six seconds after the first.
    "late": """from pathlib import Path
from time import sleep

def test_fails():
    if not Path("has-run").exists():
        Path("has-run").touch()
        sleep(6)
    assert False
""",
    "alone": """import os
from pathlib import Path

def test_fails_beside_others():
    assert "PYTEST_XDIST_WORKER" not in os.environ
""",
}


@dataclass
class Finished:
    project: Path
    status: int
    output: str

    def row(self, tier: str) -> list[str]:
        """The row of a tier in the summary, without its seconds."""
        line = re.search(rf"^{tier} +\d+ +(.*)$", self.output.partition("===== Summary =====")[2], re.MULTILINE)
        assert line, self.output
        return line[1].split(maxsplit=4)


def a_project(folder: Path) -> Path:
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "tests/deadline.py", folder / "tests")
    (folder / "Makefile").write_text(MAKEFILE)
    for name, text in TESTS.items():
        (folder / f"test_{name}.py").write_text(text)
    return folder


def run(project: Path, *tiers: str) -> Finished:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MAKE"))}
    done = subprocess.run(
        ["bash", ".ci/run", *tiers],
        cwd=project,
        env=environ | {"PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Finished(project, done.returncode, done.stdout)


@pytest.fixture(scope="module")
def passing(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run in which some tests pass only the second time."""
    return run(a_project(tmp_path_factory.mktemp("passing")), "check", "steady", "flaky", "alone")


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run in which each tier but the last one fails in its own way."""
    project = a_project(tmp_path_factory.mktemp("failing"))
    (project / "untidy").touch()
    return run(project, "check", "broken", "unreadable", "empty", "interrupted", "steady")


def test_a_run_passes_if_every_test_passes_at_last(passing: Finished) -> None:
    assert passing.status == 0
    assert passing.row("check") == ["-", "-", "-", "-", "passed"]
    assert passing.row("steady") == ["1", "0", "0", "1", "passed"]


def test_a_test_that_passes_the_second_time_is_named_as_flaky(passing: Finished) -> None:
    assert passing.row("flaky") == ["3", "0", "1", "0", "passed"]
    assert "\nflaky: test_flaky.py::test_fails_once\n" in passing.output


def test_only_the_failed_tests_run_again(passing: Finished) -> None:
    assert (passing.project / "passed").read_text() == "once,"


def test_a_failed_test_runs_again_without_workers(passing: Finished) -> None:
    assert passing.row("alone") == ["1", "0", "1", "0", "passed"]


def test_the_last_line_counts_all_tests(passing: Finished, failing: Finished) -> None:
    assert passing.output.endswith("\n5 passed, 0 failed, 1 skipped\n")
    assert failing.output.endswith("\n4 passed, 2 failed, 3 skipped\n")


def test_a_test_that_fails_twice_fails_its_tier(failing: Finished) -> None:
    assert failing.status == 1
    assert failing.row("broken") == ["1", "1", "0", "0", "failed"]
    assert "\nfailed twice: test_broken.py::test_always_fails\n" in failing.output


def test_every_tier_runs_even_if_the_one_before_failed(failing: Finished) -> None:
    assert failing.row("steady") == ["1", "0", "0", "1", "passed"]


def test_a_tier_that_executes_no_test_fails(failing: Finished) -> None:
    assert failing.row("empty") == ["0", "0", "0", "0", "no test was executed"]


def test_a_file_that_cannot_be_imported_fails_its_tier_and_the_other_files_run(failing: Finished) -> None:
    assert failing.row("unreadable") == ["1", "1", "0", "1", "failed"]


def test_a_tier_that_fails_without_a_failed_test_fails(failing: Finished) -> None:
    assert failing.row("interrupted") == ["1", "0", "0", "1", "make interrupted failed without a failed test"]


def test_a_check_that_fails_is_not_repeated(failing: Finished) -> None:
    assert failing.row("check") == ["-", "-", "-", "-", "make check failed"]
    assert failing.output.count("\nchecked\n") == 1


@pytest.mark.parametrize("tier", ["broken", "empty"])
def test_one_failed_tier_is_enough_to_fail_the_run(tmp_path: Path, tier: str) -> None:
    assert run(a_project(tmp_path), "steady", tier).status == 1


def test_a_failure_of_an_earlier_run_is_not_repeated(tmp_path: Path) -> None:
    project = a_project(tmp_path)
    run(project, "broken")
    (project / "test_broken.py").write_text("def test_passes(): pass\n")
    finished = run(project, "broken")
    assert finished.status == 0
    assert finished.row("broken") == ["1", "0", "0", "0", "passed"]


def a_short_run(folder: Path) -> Path:
    """A project whose exhaustive tests get six seconds."""
    project = a_project(folder)
    tiers = project / ".ci/tiers.py"
    tiers.write_text(re.sub(r"^(LIMIT|LEAST)_SECONDS = \d+", r"\1_SECONDS = 6", tiers.read_text(), flags=re.MULTILINE))
    return project


def test_the_exhaustive_tests_run_as_far_as_there_is_time_and_the_summary_counts_the_others(tmp_path: Path) -> None:
    finished = run(a_short_run(tmp_path), "test-all", "steady")
    passed, failed, flaky, left_out, result = finished.row("test-all")
    assert int(passed) > 0
    assert int(left_out) > 0
    assert (int(passed) + int(left_out), failed, flaky, result) == (200, "0", "0", "passed")
    assert f"\ntest-all: there was no time for {left_out} test" in finished.output
    assert finished.row("steady") == ["1", "0", "0", "1", "passed"]


def test_a_failed_test_runs_again_even_if_there_is_no_time_left(tmp_path: Path) -> None:
    project = a_short_run(tmp_path)
    (project / "test_late.py").rename(project / "test_waiting.py")
    assert "\nfailed twice: test_waiting.py::test_fails\n" in run(project, "test-all").output


def test_the_tiers_are_targets_of_the_makefile() -> None:
    tiers = re.search(r"^TIERS = \((.*?)^\)", (ROOT / ".ci/tiers.py").read_text(), re.MULTILINE | re.DOTALL)
    assert tiers
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r'"(.+?)"', tiers[1])) <= set(targets)
