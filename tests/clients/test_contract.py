"""Everybody plays the same story on the same server, and says the same, line for line."""

from __future__ import annotations

import pytest

from tests.clients.conftest import demand
from tests.clients.drivers import DRIVERS
from tests.clients.harness import CONTRACT, Driver, Harness

EXPECTED = (CONTRACT / "expected.txt").read_text().rstrip("\n").split("\n")


@pytest.mark.parametrize("driver", DRIVERS, ids=lambda driver: driver.name)
def test_a_library_tells_the_story_line_for_line(driver: Driver, playing: Harness) -> None:
    demand(driver.needs)
    if driver.beside is not None and not driver.beside.exists():
        pytest.skip(f"NO {driver.beside} HERE: {driver.name} is not played")
    playing.road.seen.clear()
    playing.told = 0
    assert playing.play(driver) == EXPECTED
    assert {seen.user_agent.split("/")[0] for seen in playing.road.seen} == {f"blogsvc-{driver.name.split('-')[0]}"}
