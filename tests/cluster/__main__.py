"""The long form: `python -m tests.cluster --rounds 1000 --seed 7`."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom

from tests.cluster.brokers import own_broker
from tests.cluster.storm import Storm
from tests.own_postgres import own_postgres


def keep_logs(folder: Path) -> Path:
    """Copy the logs of all processes, and return where they are."""
    kept = Path(tempfile.mkdtemp(prefix="cluster-"))
    for log in folder.glob("*/*.log"):
        shutil.copy(log, kept / f"{log.parent.name}.log")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument("--longest-stop", type=float, default=30.0, help="of a process that stands still, in seconds")
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cluster-")))
        postgres = stack.enter_context(own_postgres())
        brokers = {name: stack.enter_context(own_broker(name)) for name in ("redis", "rabbitmq")}
        storm = Storm(folder, asked.seed, postgres, brokers, asked.longest_stop)
        try:
            figures = storm.run(asked.rounds, report=10)
        except BaseException:
            print(*storm.faults, f"the logs: {keep_logs(folder)}", sep="\n")
            raise
        if storm.faults:
            print(*storm.faults, f"the logs: {keep_logs(folder)}", sep="\n")
    print(figures, storm.done, f"{len(storm.reader.ids)} events")
    return 1 if storm.faults else 0


if __name__ == "__main__":
    sys.exit(main())
