"""Send requests that the document allows and forbids to the real server: a short form of `make fuzz`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.run import Fuzz, expected_operations

pytestmark = pytest.mark.exhaustive

# Always the same, so that a change fails for its own requests only. `make fuzz` takes another seed each time.
SEED = 7


def test_random_requests_cause_no_server_error_and_no_undocumented_response(tmp_path: Path) -> None:
    with Fuzz(tmp_path, SEED) as fuzz:
        figures = fuzz.run(requests=1, examples=1)
        print(figures, *fuzz.faults, sep="\n\n")
    assert fuzz.faults == []
    assert expected_operations() <= figures.operations
    assert figures.requests > 1000
