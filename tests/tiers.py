"""The tiers of the suite: what `make test` runs, and what is left to `make test-all`.

A matrix that tests one shared mechanism (the same check for every operation of the API, the same fault at
every request of every connector) runs for its first case in the default tier, and for all in the exhaustive one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

exhaustive = pytest.mark.exhaustive


def matrix(
    name: str, cases: Iterable[Any], ids: Callable[[Any], str] = str, default: Callable[[Any], bool] | None = None
) -> pytest.MarkDecorator:
    """Parametrize `name` over `cases`. Only the first case, or those that `default` picks, run in `make test`."""
    listed = list(cases)
    picks = default or (lambda case: case is listed[0])
    return pytest.mark.parametrize(
        name, [pytest.param(case, id=ids(case), marks=() if picks(case) else (exhaustive,)) for case in listed]
    )
