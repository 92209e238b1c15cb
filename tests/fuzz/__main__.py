"""The long form: `python -m tests.fuzz --requests 100000 --seed 7`."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from random import SystemRandom

from tests.fuzz.run import Fuzz, expected_operations


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--examples", type=int, default=200, help="of each operation in each round")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, Fuzz(Path(folder), asked.seed) as fuzz:
        figures = fuzz.run(asked.requests, asked.examples)
        print(figures)
        faults = fuzz.faults + [f"{name} was never asked" for name in expected_operations() - figures.operations]
        if faults:
            kept = Path(tempfile.mkdtemp(prefix="fuzzed-")) / "log"
            shutil.copy(fuzz.server.log, kept)
            print(*faults, f"the server's log: {kept}", f"seed {asked.seed}", sep="\n\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
