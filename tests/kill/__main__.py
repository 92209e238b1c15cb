"""The long form: `python -m tests.kill --rounds 1000 --real-holds 10 --seed 7`.

With `--database=postgres`, on a PostgreSQL server of its own, which is stopped and started during the rounds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom

from tests.kill.harness import Harness
from tests.own_postgres import own_postgres


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--real-holds", type=int, default=0, help="more rounds, with requests held up to 60 seconds")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kill-"))
        postgres = stack.enter_context(own_postgres()) if asked.database == "postgres" else None
        harness = Harness(Path(folder), asked.seed, postgres.url if postgres else "", postgres)
        figures = harness.run(asked.rounds, asked.real_holds, report=10)
        if harness.faults:
            kept = Path(tempfile.mkdtemp(prefix="killed-")) / "log"
            kept.write_bytes(harness.server.log.read_bytes())
            print(*harness.faults, f"the log: {kept}", sep="\n")
    print(figures)
    return 1 if harness.faults else 0


if __name__ == "__main__":
    sys.exit(main())
