"""Mutation tests: `make mutants`, or `python -m tests.mutants NAME ...`.

Applies one fault at a time to a copy of the checkout and runs the tests of the default tier that should detect it. A
mutant is `killed` if a test fails, `survived` if none does, and `stale` if the code that it changes is no longer there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from blogsvc.config import ROOT
from tests.mutants.mutants import MUTANTS, Mutant

TIME_LIMIT = 600.0  # seconds for the tests of one mutant
# Without a random order, the most specific test file runs first.
PYTEST = ("-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not exhaustive")
FAILURE = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


@contextmanager
def copied_checkout() -> Iterator[Path]:
    """A copy of the tracked files, with a link to the virtual environment."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "checkout"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():  # a file may be deleted but not committed yet
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        (copy / ".venv").symlink_to((ROOT / ".venv").resolve())
        (Path(folder) / "tmp").mkdir()
        yield copy


def first_failure(copy: Path, tests: Iterable[str], time_limit: float | None = None) -> str | None:
    """Run the tests in the copy. Return the first one that fails, None if all pass."""
    environ = os.environ | {"PYTHONPATH": str(copy), "TMPDIR": str(copy.parent / "tmp")}
    run = subprocess.Popen(
        [sys.executable, *PYTEST, *tests],
        cwd=copy,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = run.communicate(timeout=time_limit)
    except subprocess.TimeoutExpired:
        return f"(no result after {time_limit:.0f} s)"
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)  # with the servers that the tests started
            run.wait()
    if run.returncode == 0:
        return None
    found = FAILURE.search(output)
    if run.returncode != 1 or found is None:
        raise SystemExit(f"The tests could not run:\n{output}")
    return found[1]


def result_of(mutant: Mutant, copy: Path) -> tuple[str, str]:
    """Return killed, survived or stale, and the test that failed."""
    file = copy / mutant.path
    original = file.read_text()
    if original.count(mutant.before) != 1:
        return "stale", f"{mutant.path} has changed"
    file.write_text(original.replace(mutant.before, mutant.after))
    try:
        failed = first_failure(copy, mutant.tests, TIME_LIMIT)
    finally:
        file.write_text(original)
    return ("survived", " ".join(mutant.tests)) if failed is None else ("killed", failed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="the mutants to test; all by default")
    names = set(parser.parse_args().names)
    if unknown := names - {one.name for mutants in MUTANTS.values() for one in mutants}:
        parser.error(f"unknown mutants: {', '.join(sorted(unknown))}")
    wanted = {area: [one for one in mutants if not names or one.name in names] for area, mutants in MUTANTS.items()}
    chosen = {area: mutants for area, mutants in wanted.items() if mutants}
    scores: Counter[str] = Counter()
    with copied_checkout() as copy:
        every = dict.fromkeys(test for mutants in chosen.values() for one in mutants for test in one.tests)
        if failed := first_failure(copy, every):
            raise SystemExit(f"{failed} fails without any mutant. Fix it first.")
        for area, mutants in chosen.items():
            for mutant in mutants:
                result, detail = result_of(mutant, copy)
                scores[area] += result == "killed"
                print(f"{result:<8}  {mutant.name:<42}  {detail}", flush=True)
    print()
    for area, mutants in chosen.items():
        print(f"{area:<10}  {scores[area]:>2} of {len(mutants):>2}")
    total = sum(map(len, chosen.values()))
    print(f"{'all':<10}  {scores.total():>2} of {total:>2}")
    return 0 if scores.total() == total else 1


if __name__ == "__main__":
    sys.exit(main())
