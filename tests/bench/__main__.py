"""Run all benchmarks, or those named: `make bench`, or `python -m tests.bench NAME ...`.

Absolute figures depend on the machine; the shares and multiples count. `--beside COMMIT` measures another commit in
turns with this tree, and `--record` replaces the figures in docs/performance.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime

from tests.bench import beside, cluster, costs, imports, keystrokes, page, places, reports, scale, staged, work
from tests.bench.rows import Row, Rows

PARTS: tuple[Callable[[], Rows], ...] = (
    costs.api,
    costs.public,
    costs.dashboard,
    work.at_rest,
    work.memory,
    work.lateness,
    work.fan_out,
    work.steady_load,
    work.listeners,
    scale.posts,
    reports.analytics,
    imports.importing,
    cluster.workers,
    cluster.hand_over,
    cluster.due_elsewhere,
    cluster.wrong_clocks,
    cluster.side_by_side,
)
# Measured only when named: the soak takes long, keystrokes need Chromium, and staged posts a real Ghost.
LONG_PARTS: tuple[Callable[[], Rows], ...] = (work.soak, keystrokes.keystrokes, staged.staged)


def main() -> None:
    parts = {part.__name__: part for part in (*PARTS, *LONG_PARTS)}
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", help=f"what to measure: {', '.join(parts)}; by default all but the last {len(LONG_PARTS)}"
    )
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--beside", metavar="COMMIT", help="measure this commit too, in turns")
    parser.add_argument("--record", action="store_true", help="replace the figures in docs/performance.md")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    places.database = asked.database
    measured = []
    with beside.checkout(asked.beside) as before:
        for name in asked.parts or [part.__name__ for part in PARTS]:
            old = before.rows(name, asked.database) if before else {}
            if not asked.json:
                print(f"{name}: {parts[name].__doc__}", flush=True)
            for row in parts[name]():
                measured.append(row)
                print(row.as_json() if asked.json else _line(row, old.get(row.what)), flush=True)
    if asked.record:
        page.PAGE.write_text(page.with_figures(page.PAGE.read_text(), measured, datetime.now(UTC).date()))


def _line(row: Row, before: Row | None) -> str:
    old = f"   before: {before.told}" if before else ""
    goal = f"   goal: {row.told_goal}{', missed' if row.is_missed else ''}" if row.goal is not None else ""
    return f"  {row.what:<64} {row.told:>10} {row.detail:>18}{old}{goal}"


if __name__ == "__main__":
    main()
