"""Everybody who plays the contract."""

from __future__ import annotations

import sys
from pathlib import Path

from blogsvc.config import ROOT
from tests.clients.harness import Driver

CLIENTS = ROOT / "clients"


def _driver(name: str, program: str, language: str, file: str, *options: str, beside: Path | None = None) -> Driver:
    return Driver(name, (program, str(CLIENTS / language / "contract" / file), *options), program, beside)


DRIVERS = (
    _driver("python", sys.executable, "python", "play.py"),
    _driver("python-async", sys.executable, "python", "play.py", "--async"),
    _driver("node", "node", "node", "play.mjs"),
    _driver("php", "php", "php", "play.php"),
    # The same through a client of the user's own, by PSR-18.
    _driver("php-psr18", "php", "php", "play.php", "--psr18", beside=Path("/usr/share/php/GuzzleHttp/autoload.php")),
    _driver("ruby", "ruby", "ruby", "play.rb"),
)
