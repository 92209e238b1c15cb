"""Every client library runs the same scenario against the same server, with the same output."""

from __future__ import annotations

import pytest

from tests.clients.conftest import require_program
from tests.clients.harness import CONTRACT, Harness, Runner
from tests.clients.runners import RUNNERS

EXPECTED = (CONTRACT / "expected.txt").read_text().rstrip("\n").split("\n")


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.name)
def test_the_scenario_has_the_expected_output(runner: Runner, harness: Harness) -> None:
    require_program(runner.requires_program)
    if runner.requires_file is not None and not runner.requires_file.exists():
        pytest.skip(f"{runner.requires_file} IS NOT INSTALLED: {runner.name} is not tested")
    harness.proxy.requests.clear()
    harness.counted_requests = 0
    assert harness.run(runner) == EXPECTED
    user_agents = {request.user_agent.split("/")[0] for request in harness.proxy.requests}
    assert user_agents == {f"blogsvc-{runner.name.split('-')[0]}"}
