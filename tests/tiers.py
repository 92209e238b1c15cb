"""The tiers of the suite: the default one (`make test`, `make test-real`), and the exhaustive one (`-all`).

A matrix that tests one shared mechanism (the same check for every operation of the API, the same fault at
every request of every connector) runs its first case in the default tier, and all cases in the exhaustive one.
If all cases take minutes, such as the texts that are slow to render, only `make test-long` runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

exhaustive = pytest.mark.exhaustive
# For whole test functions, use the decorators `exhaustive` and `pytest.mark.long`.
LONG = (exhaustive, pytest.mark.long)


def every(nth: int, cases: Iterable[Any]) -> Callable[[Any], bool]:
    """Pick the first case of each `nth` for the default tier."""
    listed = list(cases)
    return lambda case: listed.index(case) % nth == 0


def matrix(
    names: str,
    cases: Iterable[Any],
    ids: Callable[[Any], str] = str,
    default: Callable[[Any], bool] | None = None,
    marks: Collection[pytest.MarkDecorator] = (exhaustive,),
) -> pytest.MarkDecorator:
    """Parametrize `names` over `cases`. Only the first case, or those that `default` picks, run in `make test`.

    The others get `marks`. For several `names`, with commas, each case is a tuple.
    """
    listed = list(cases)
    picks = default or (lambda case: case is listed[0])
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(*(case if "," in names else (case,)), id=ids(case), marks=() if picks(case) else marks)
            for case in listed
        ],
    )
