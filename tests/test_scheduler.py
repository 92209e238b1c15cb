"""The lanes of the scheduler. tests/faults and tests/posts/test_schedules.py run the scheduler as a whole."""

from __future__ import annotations

from threading import Event

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.scheduler.lanes import Lanes
from blogsvc.scheduler.traffic import Traffic, Turn


@pytest.mark.parametrize("error", [None, RuntimeError("a fault of the code")])
def test_the_scheduler_is_woken_when_a_lane_is_free_again(app: Flask, tools: Tools, error: Exception | None) -> None:
    def work(lane: str, tools: Tools, turn: Turn) -> None:
        if error is not None:
            raise error

    woken = Event()
    traffic = Traffic(
        "work",
        due_lanes=lambda tools: {"one": None},
        next_due_at=lambda but: None,
        work=work,
        expire_leases=lambda tools: None,
        width=lambda tools: 1,
    )
    lanes = Lanes(traffic, app, tools, when_free=woken.set)
    lanes.open_due()
    assert woken.wait(10)
    assert lanes.running() == set()
    assert lanes.close(grace_seconds=5)
