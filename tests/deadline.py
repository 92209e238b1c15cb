"""A pytest plugin for `.ci/run`: tests that would begin after a given time are skipped (`--until=UNIX_TIME`)."""

from __future__ import annotations

import time

import pytest

# `.ci/tiers.py` counts the tests that were skipped for this reason.
REASON = "no time left in this run"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--until", type=float, help="skip the tests that begin after this time (in seconds since 1970)")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.time() > item.config.getoption("--until"):
        pytest.skip(REASON)
