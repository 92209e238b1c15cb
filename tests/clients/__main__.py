"""Play one driver, and print what it says: `python -m tests.clients NAME [SCENARIO]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.clients.drivers import DRIVERS
from tests.clients.harness import CONTRACT, harness

if __name__ == "__main__":
    driver = next(one for one in DRIVERS if one.name == sys.argv[1])
    scenario = Path(sys.argv[2]) if len(sys.argv) > 2 else CONTRACT / "scenario.json"
    with tempfile.TemporaryDirectory() as folder, harness(Path(folder)) as playing:
        print("\n".join(playing.play(driver, scenario)))
