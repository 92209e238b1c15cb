"""Each task of the guides in each of the four languages: run as it stands there, it prints what stands there.

So is the README of each library. All of it is run in an empty project with the package that its own tool built.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.conftest import demand
from tests.clients.harness import Harness
from tests.clients.projects import CLIENTS, PROJECTS, Project
from tests.test_guides import BLOCK, GUIDES, OTHER_LANGUAGES

# What is done at the server's machine, and not by the API.
AT_THE_SERVER = {"recover-access", "back-up-and-restore"}
TOLD = [guide for guide in GUIDES if guide.stem not in AT_THE_SERVER]
SetUp = Callable[[Project], Path]


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> SetUp:
    """The folder of a project with the package in it, set up once."""
    folders: dict[str, Path] = {}

    def set_up(project: Project) -> Path:
        for program in project.needs:
            demand(program)
        if project.name not in folders:
            folder = tmp_path_factory.mktemp(project.name)
            project.set_up(folder)
            folders[project.name] = folder
        return folders[project.name]

    return set_up


@pytest.fixture
def environ(playing: Harness) -> dict[str, str]:
    return {"BLOGSVC_URL": f"http://127.0.0.1:{playing.server.port}", "BLOGSVC_API_KEY": playing.key}


def blocks(text: str) -> dict[str, str]:
    """The code in each language, and under `text` what it prints."""
    return {language: code for language, _, code in BLOCK.findall(text)}


@pytest.mark.parametrize("guide", TOLD, ids=lambda guide: guide.stem)
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_task_is_done_in_this_language_too(
    project: Project, guide: Path, set_up: SetUp, environ: dict[str, str]
) -> None:
    folder = set_up(project)
    told = blocks(guide.read_text().partition(OTHER_LANGUAGES)[2])
    printed = project.play(folder, told[project.language], environ)
    assert re.fullmatch(".*".join(map(re.escape, told["text"].split("…"))), printed, re.DOTALL), printed


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_the_first_program_of_its_readme_schedules_and_publishes(
    project: Project, set_up: SetUp, environ: dict[str, str]
) -> None:
    folder = set_up(project)
    readme = (CLIENTS / project.name / "README.md").read_text()
    first = next(code for language, _, code in BLOCK.findall(readme) if language == project.language)
    assert len(re.findall(r"\S\n", first)) <= 16
    printed = project.play(folder, first, environ)
    assert re.search("scheduled.*published", printed, re.DOTALL), printed
