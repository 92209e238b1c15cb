"""Programs that were written from the published specification alone, without a client library, run at the first try.

The specification does not list the values of `platforms`: the programs get one that is not connected yet, and one
that a person posts to.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.conftest import require_program
from tests.running_server import Served, serving

PROGRAMS = Path(__file__).parent / "specification"
COMMANDS = {
    "posts.sh": ("bash",),
    "posts.py": (sys.executable,),
    "posts.mjs": ("node",),
    "posts.php": ("php",),
    "posts.rb": ("ruby",),
}
MAX_LINES = 40


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("specification"), shared_database_url) as served:
        yield served


@pytest.mark.parametrize("platform", ["wordpress", "medium"])
@pytest.mark.parametrize("program", sorted(COMMANDS))
def test_a_program_written_from_the_specification_runs_all_operations(
    served: Served, program: str, platform: str
) -> None:
    file = PROGRAMS / program
    assert len(file.read_text().splitlines()) <= MAX_LINES
    require_program(COMMANDS[program][0])
    environ = {"KEY": served.key, "BASE": f"http://127.0.0.1:{served.server.port}", "PLATFORM": platform}
    ran = subprocess.run(
        [*COMMANDS[program], str(file)], env=os.environ | environ, capture_output=True, text=True, timeout=120
    )
    done = ["created", "listed", "updated", "published", "measured", "deleted"]
    assert (ran.stdout.split(), ran.stderr, ran.returncode) == (done, "", 0)


def test_the_programs_cover_every_language_of_the_client_libraries() -> None:
    assert {file.name for file in PROGRAMS.iterdir()} == set(COMMANDS)
