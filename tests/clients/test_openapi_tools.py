"""Common tools accept the OpenAPI document: linters, a validator in JavaScript, and generators of clients."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from blogsvc.api.framework.openapi import document
from blogsvc.config import ROOT
from tests.clients.harness import Harness
from tests.clients.projects import COMMAND_TIMEOUT

FILES = Path(__file__).parent / "openapi"
TOOLS = ROOT / ".venv" / "openapi-tools"
BIN = TOOLS / "node_modules" / ".bin"
PYTHON_BIN = ROOT / ".venv" / "openapi-python" / "bin"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the document as openapi.json."""
    if not (BIN / "redocly").exists():
        pytest.skip("THE OPENAPI TOOLS ARE NOT INSTALLED: the document is not checked with them")
    folder = tmp_path_factory.mktemp("openapi")
    (folder / "openapi.json").write_text(json.dumps(document(base_url="https://blog.example.org")))
    (folder / "node_modules").symlink_to(TOOLS / "node_modules")
    for file in FILES.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    return folder


def run(folder: Path, program: str | Path, *options: str, **variables: str) -> str:
    """Run a tool without its telemetry, and return its output. Fails if the tool does."""
    result = subprocess.run(
        [program, *options],
        cwd=folder,
        env={**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", **variables},
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_spectral_finds_nothing(folder: Path) -> None:
    run(folder, BIN / "spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", "openapi.json")


def test_redocly_finds_nothing(folder: Path) -> None:
    found = json.loads(run(folder, BIN / "redocly", "lint", "--format", "json", "openapi.json"))
    assert [f"{one['ruleId']}: {one['message']}" for one in found["problems"]] == []


def test_ajv_compiles_every_schema(folder: Path) -> None:
    assert " schemas compiled" in run(folder, "node", "compile.mjs", "openapi.json")


def test_the_types_of_openapi_typescript_compile_in_a_program(folder: Path) -> None:
    run(folder, BIN / "openapi-typescript", "openapi.json", "--output", "openapi.ts")
    run(folder, BIN / "tsc", "--strict", "--noEmit", "--skipLibCheck", "program.ts")


def test_a_client_with_the_types_of_openapi_typescript_publishes_a_post(folder: Path, harness: Harness) -> None:
    run(folder, BIN / "openapi-typescript", "openapi.json", "--output", "openapi.ts")
    run(folder, BIN / "tsc", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", "publish.ts")
    assert_published(run(folder, "node", "publish.js", **variables(harness)))


def test_the_client_of_openapi_python_client_publishes_a_post(folder: Path, harness: Harness) -> None:
    if not (PYTHON_BIN / "openapi-python-client").exists():
        pytest.skip("OPENAPI-PYTHON-CLIENT IS NOT INSTALLED: no Python client is made of the document")
    path = f"{PYTHON_BIN}:{os.environ['PATH']}"  # it formats what it writes with the ruff beside it
    made = run(
        folder, PYTHON_BIN / "openapi-python-client", "generate", "--path=openapi.json", "--meta=none", PATH=path
    )
    assert "Warning" not in made
    assert_published(run(folder, PYTHON_BIN / "python", "publish.py", **variables(harness)))


def variables(harness: Harness) -> dict[str, str]:
    return {"BLOGSVC_URL": f"http://127.0.0.1:{harness.server.port}", "BLOGSVC_API_KEY": harness.key}


def assert_published(output: str) -> None:
    listed, refused = output.splitlines()
    assert {"title": "Gold", "status": "published", "summary": "By a tenth."} in json.loads(listed)
    assert refused == "#/title"
