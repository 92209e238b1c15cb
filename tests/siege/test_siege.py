"""Attacks on a real server: everybody else is answered. `make siege` also measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.siege.attacks import ATTACKS
from tests.siege.harness import besieged

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("name", ATTACKS)
def test_other_clients_are_answered_during_an_attack(tmp_path: Path, name: str) -> None:
    with besieged(tmp_path) as siege:
        finding = siege.endure(name, seconds=3)
    assert len(finding.seen.seconds) > 10
    assert finding.faults == []
