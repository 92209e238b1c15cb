"""The same benchmarks in another commit, and the tables of both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
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


def commit(revision: str) -> str:
    """Return the short name of a commit."""
    return _git("rev-parse", "--short", revision).strip()


def table(name: str, rows: Sequence[Row], before: Mapping[str, Row] | None) -> str:
    """Return the rows of a part as a table in Markdown, with the figures of the other commit if there is one."""
    lines = ["| | before | now | goal | |", "|---|---|---|---|---|"]
    for row in rows:
        old = _cell(before[row.what]) if before and row.what in before else "-"
        verdict = "**missed**" if row.is_missed else ""
        lines.append(f"| {row.what} | {old} | {_cell(row)} | {row.told_goal or '-'} | {verdict} |")
    return f"### {name}\n\n" + "\n".join(lines)


def _cell(row: Row) -> str:
    return f"{row.told} ({row.detail})" if row.detail else row.told


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=BENCH, stdout=subprocess.PIPE, text=True, check=True).stdout
