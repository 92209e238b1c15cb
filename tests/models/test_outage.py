"""The log has one line when the database can't be used, and one when it can be used again."""

from __future__ import annotations

import pytest

from blogsvc.models.outage import Outage


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outage(clock: Clock) -> Outage:
    return Outage("it is gone", "it is back", clock)


def test_only_the_first_error_and_the_first_success_are_logged(
    outage: Outage, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    outage.end()
    outage.begin("closed\n\tby the server")
    clock.seconds = 4.0
    outage.begin("refused")
    assert outage.is_on
    outage.end()
    outage.end()
    assert not outage.is_on
    assert caplog.messages == ["it is gone: closed by the server", "it is back after 4.0 s"]


def test_a_success_among_errors_does_not_end_an_outage(
    outage: Outage, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for clock.seconds in (0.0, 2.0, 4.0):
        outage.begin("the disk is full")
        outage.end(calm=30.0)
    clock.seconds = 33.9
    outage.end(calm=30.0)
    assert outage.is_on
    clock.seconds = 34.0
    outage.end(calm=30.0)
    assert caplog.messages == ["it is gone: the disk is full", "it is back after 34.0 s"]
