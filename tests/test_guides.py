"""The commands in the guides are run, in order, against a real server."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from blogsvc.api.docs_pages import guides
from blogsvc.config import ROOT
from tests.blog.reading import attributes, parse_page
from tests.kill.server import Server, environment
from tests.receiver import free_port

pytestmark = pytest.mark.exhaustive

GUIDES = sorted((ROOT / "docs" / "guides").glob("[a-z]*.md"))
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = "--- a guide's next block ---"
# The rest is run by tests/clients/test_guides.py.
OTHER_LANGUAGES = "\n## Client libraries\n"
MOST = 60  # seconds


@dataclass
class Step:
    """Commands, and the output that the guide shows."""

    command: str
    printed: str | None = None


def steps(guide: Path) -> list[Step]:
    found: list[Step] = []
    with_curl, _, _in_other_languages = guide.read_text().partition(OTHER_LANGUAGES)
    for language, name, text in BLOCK.findall(with_curl):
        match language:
            case "sh":
                found.append(Step(text))
            case "python":
                run = f"cat > {shlex.quote(name)}" if name else "python3 -"
                found.append(Step(f"{run} <<'PYTHON'\n{text}PYTHON\n"))
            case "yaml" | "js":
                pass  # a configuration for another service, or a page of another site
            case _:
                assert found[-1].printed is None, f"{guide.name} says twice what one block prints"
                found[-1].printed = text
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("guides") / "instance", shared_database_url)
    server.start()
    try:
        server.wait_until_ready()
        yield server
    finally:
        assert server.terminate() == 0


def _marked(guide: Path) -> Any:
    backs_up = guide.stem == "back-up-and-restore"
    marks = [pytest.mark.sqlite("PostgreSQL is backed up with pg_dump")] if backs_up else []
    return pytest.param(guide, marks=marks, id=guide.stem)


@pytest.fixture
def shell(server: Server, tmp_path: Path) -> dict[str, str]:
    """Yield the environment of a person who follows a guide on the server."""
    beside_python = str(Path(sys.executable).parent)
    environ = environment(server.instance, server.port, server.database_url) | {
        "PATH": os.pathsep.join([beside_python, os.environ["PATH"]]),
        "BLOGSVC": f"http://127.0.0.1:{server.port}",
        "HOOK_PORT": str(free_port()),
        "COPY_PORT": str(free_port()),
    }
    made = subprocess.run(
        ["blogsvc", "key", "create", "guide"], env=environ, capture_output=True, text=True, check=True
    )
    return environ | {"KEY": made.stdout.strip()}


@pytest.mark.parametrize("guide", [_marked(guide) for guide in GUIDES])
def test_the_commands_of_a_guide_print_the_output_shown(guide: Path, shell: dict[str, str], tmp_path: Path) -> None:
    told = steps(guide)
    script = "".join(f"{step.command}\necho\necho {shlex.quote(MARK)}\n" for step in told)
    code, out, err = _run(script, shell, tmp_path)
    printed = out.split(MARK)

    for step, text in zip(told, printed, strict=False):
        if step.printed is not None:
            assert re.fullmatch(_pattern(step.printed), text.strip(), re.DOTALL), f"{step.command}\nprinted {text}"
    assert code == 0, err
    assert len(printed) == len(told) + 1


def _run(script: str, shell: dict[str, str], folder: Path) -> tuple[int, str, str]:
    """Return exit code, output and errors. Processes started by the script end with it."""
    command = ["bash", "-euo", "pipefail", "-c", script]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=shell, cwd=folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=MOST)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return process.returncode, out, err


def _pattern(printed: str) -> str:
    """Return a pattern for the output, in which … matches anything."""
    return ".*".join(re.escape(part) for part in printed.strip().split("…"))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_every_guide_shows_output(guide: Path) -> None:
    assert any(step.printed for step in steps(guide))


def test_the_list_of_guides_is_complete(client: FlaskClient) -> None:
    assert set(guides()) == {guide.stem for guide in GUIDES}
    for name, title in guides().items():
        assert (ROOT / "docs" / "guides" / f"{name}.md").read_text().startswith(f"# {title}\n")


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_every_guide_is_a_docs_page_with_working_links(client: FlaskClient, guide: Path) -> None:
    answer = client.get(f"/api/v1/docs/guides/{guide.stem}")
    assert answer.status_code == 200
    page = parse_page(answer.text)
    assert guide.read_text().partition("\n")[0] == f"# {''.join(page.find('.//{*}h1').itertext())}"
    for link in attributes(page, "a"):
        if link["href"].startswith("/"):
            assert client.get(link["href"].partition("#")[0]).status_code == 200, link["href"]
        else:
            assert link["href"].startswith(("#", "https://")), link["href"]
