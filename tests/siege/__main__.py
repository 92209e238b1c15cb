"""The long form: `python -m tests.siege --seconds 20`, and `--only NAME` for one attack."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.siege.attacks import ATTACKS
from tests.siege.harness import besieged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="how long each attack is measured")
    parser.add_argument("--only", choices=ATTACKS, help="the only attack to run")
    asked = parser.parse_args()
    faults = []
    for name in [asked.only] if asked.only else ATTACKS:
        with tempfile.TemporaryDirectory(prefix="siege-") as folder, besieged(Path(folder)) as siege:
            finding = siege.endure(name, asked.seconds)
        print(finding, flush=True)
        faults += finding.faults + finding.excesses
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
