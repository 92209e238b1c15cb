"""The same benchmarks in another commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.rows import Row

BENCH = Path(__file__).parent


@dataclass(frozen=True)
class Checkout:
    """A work tree of another commit, with the benchmarks of this one."""

    tree: Path

    def rows(self, part: str, database: str) -> dict[str, Row]:
        """Return the rows of a part by what they measure; none if that commit cannot run it."""
        command = [sys.executable, "-m", "tests.bench", part, "--json", "--database", database]
        environment = os.environ | {"PYTHONPATH": str(self.tree)}
        run = subprocess.run(command, cwd=self.tree, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        rows = [Row.from_json(line) for line in run.stdout.splitlines()]
        return {row.what: row for row in rows}


@contextmanager
def checkout(revision: str | None) -> Iterator[Checkout | None]:
    """Yield a work tree of a commit, which is removed afterwards; None without a commit."""
    if revision is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="bench-beside") as folder:
        tree = Path(folder) / "tree"
        _git("worktree", "add", "--quiet", "--detach", str(tree), revision)
        try:
            shutil.rmtree(tree / "tests" / "bench")
            shutil.copytree(BENCH, tree / "tests" / "bench")
            yield Checkout(tree)
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=BENCH, check=True)
