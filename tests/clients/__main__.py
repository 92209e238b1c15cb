"""Run a scenario with one client library and print the output: `python -m tests.clients NAME [SCENARIO]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.clients.harness import CONTRACT, start_harness
from tests.clients.runners import RUNNERS

if __name__ == "__main__":
    runner = next(one for one in RUNNERS if one.name == sys.argv[1])
    scenario = Path(sys.argv[2]) if len(sys.argv) > 2 else CONTRACT / "scenario.json"
    with tempfile.TemporaryDirectory() as folder, start_harness(Path(folder)) as harness:
        print("\n".join(harness.run(runner, scenario)))
