"""The scenario runners of all client libraries."""

from __future__ import annotations

import sys
from pathlib import Path

from blogsvc.config import ROOT
from tests.clients.harness import Runner

CLIENTS = ROOT / "clients"


def _runner(
    name: str, program: str, language: str, suffix: str, *options: str, requires_file: Path | None = None
) -> Runner:
    script = CLIENTS / language / "contract" / f"run_scenario.{suffix}"
    return Runner(name, (program, str(script), *options), program, requires_file)


RUNNERS = (
    _runner("python", sys.executable, "python", "py"),
    _runner("python-async", sys.executable, "python", "py", "--async"),
    _runner("node", "node", "node", "mjs"),
    _runner("php", "php", "php", "php"),
    # With Guzzle as the PSR-18 client.
    _runner("php-psr18", "php", "php", "php", "--psr18", requires_file=Path("/usr/share/php/GuzzleHttp/autoload.php")),
    _runner("ruby", "ruby", "ruby", "rb"),
)
