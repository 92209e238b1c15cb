"""The long form: `python -m tests.kill --rounds 1000 --seed 7`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from random import SystemRandom

from tests.databases import databases
from tests.kill.harness import Harness


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    with tempfile.TemporaryDirectory(prefix="kill-") as folder, databases(asked.database) as lent:
        harness = Harness(Path(folder), asked.seed, lent.lend(is_blank=True))
        figures = harness.run(asked.rounds, report=10)
        if harness.faults:
            kept = Path(tempfile.mkdtemp(prefix="killed-")) / "log"
            kept.write_bytes(harness.server.log.read_bytes())
            print(*harness.faults, f"the log: {kept}", sep="\n")
    print(figures)
    return 1 if harness.faults else 0


if __name__ == "__main__":
    sys.exit(main())
