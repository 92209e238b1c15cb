"""Run the code of the guides and READMEs in all four languages, and compare its output with the text.

The code runs in an empty project with the client library installed from its package.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.conftest import require_program
from tests.clients.harness import Harness
from tests.clients.projects import CLIENTS, PROJECTS, Project
from tests.test_guides import BLOCK, GUIDES, OTHER_LANGUAGES

# Guides that use the command line of the server instead of the API.
SERVER_GUIDES = {"recover-access", "back-up-and-restore", "rotate-the-encryption-key", "publish-markdown-files"}
API_GUIDES = [guide for guide in GUIDES if guide.stem not in SERVER_GUIDES]
SetUp = Callable[[Project], Path]


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> SetUp:
    """Return the folder of a project, which is set up once."""
    folders: dict[str, Path] = {}

    def set_up(project: Project) -> Path:
        for program in project.required_programs:
            require_program(program)
        if project.name not in folders:
            folder = tmp_path_factory.mktemp(project.name)
            project.set_up(folder)
            folders[project.name] = folder
        return folders[project.name]

    return set_up


@pytest.fixture
def environ(harness: Harness) -> dict[str, str]:
    return {"BLOGSVC_URL": f"http://127.0.0.1:{harness.server.port}", "BLOGSVC_API_KEY": harness.key}


def blocks(text: str) -> dict[str, str]:
    """Return the code blocks by language. The expected output is under `text`."""
    return {language: code for language, _, code in BLOCK.findall(text)}


@pytest.mark.parametrize("guide", API_GUIDES, ids=lambda guide: guide.stem)
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_the_code_of_a_guide_prints_the_expected_output(
    project: Project, guide: Path, set_up: SetUp, environ: dict[str, str]
) -> None:
    folder = set_up(project)
    code = blocks(guide.read_text().partition(OTHER_LANGUAGES)[2])
    output = project.run(folder, code[project.language], environ)
    assert re.fullmatch(".*".join(map(re.escape, code["text"].split("…"))), output, re.DOTALL), output


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_the_first_example_of_the_readme_schedules_and_publishes_a_post(
    project: Project, set_up: SetUp, environ: dict[str, str]
) -> None:
    folder = set_up(project)
    readme = (CLIENTS / project.name / "README.md").read_text()
    example = next(code for language, _, code in BLOCK.findall(readme) if language == project.language)
    assert len(re.findall(r"\S\n", example)) <= 16
    output = project.run(folder, example, environ)
    assert re.search("scheduled.*published", output, re.DOTALL), output
