"""The files of the repository host: workflows, issue forms, hooks and the metadata of the package."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from blogsvc.config import ROOT

GITHUB = ROOT / ".github"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# A version tag of an action, by its major version. pypa publishes its major version as a branch.
MAJOR = re.compile(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)")


def read(path: Path) -> Any:
    """The content of a YAML file. All scalars are strings, so that the key `on` stays a string."""
    return yaml.load(path.read_text(), Loader=yaml.BaseLoader)


@pytest.fixture(params=["test", "release"])
def workflow(request: pytest.FixtureRequest) -> Any:
    return read(GITHUB / "workflows" / f"{request.param}.yml")


def steps_of(workflow: Any) -> list[Any]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_a_workflow_runs_only_targets_that_exist(workflow: Any) -> None:
    commands = "\n".join(step["run"] for step in steps_of(workflow) if "run" in step)
    wanted = {name for line in re.findall(r"^make (.*)$", commands, re.MULTILINE) for name in line.split()}
    assert wanted
    assert wanted <= TARGETS


def test_a_workflow_pins_actions_to_a_major_version(workflow: Any) -> None:
    actions = [step["uses"] for step in steps_of(workflow) if "uses" in step]
    assert actions
    assert [action for action in actions if not MAJOR.fullmatch(action)] == []


def test_a_workflow_has_read_only_permissions_by_default(workflow: Any) -> None:
    assert workflow["permissions"] == {"contents": "read"}


def test_the_release_is_built_once_and_only_two_jobs_have_an_id_token() -> None:
    jobs = read(GITHUB / "workflows" / "release.yml")["jobs"]
    assert [name for name, job in jobs.items() if job.get("permissions", {}).get("id-token") == "write"] == [
        "attest",
        "publish",
    ]
    assert [name for name, job in jobs.items() if "make dist" in str(job)] == ["build"]
    assert jobs["publish"]["environment"] == "pypi"
    assert [jobs[name]["needs"] for name in ("attest", "publish", "release")] == ["build", "attest", "publish"]
    assert "secrets." not in str(jobs)


def test_the_tests_run_on_every_supported_python_version() -> None:
    tested = read(GITHUB / "workflows" / "test.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    named = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert tested == named
    assert PROJECT["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("name", ["bug", "connector", "feature"])
def test_an_issue_form_has_a_name_and_labeled_fields_with_unique_ids(name: str) -> None:
    form = read(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")
    assert form["name"]
    assert form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert fields
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


def test_the_hooks_run_installed_tools_only() -> None:
    repositories = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert {repository["repo"] for repository in repositories} == {"local"}
    for hook in repositories[0]["hooks"]:
        is_pattern = hook["language"] == "pygrep"  # part of pre-commit
        assert is_pattern or hook["entry"].startswith((".venv/bin/", "node_modules/.bin/"))
        assert is_pattern or hook["language"] == "system"


@pytest.mark.parametrize(("length", "is_refused"), [(72, False), (73, True)])
def test_a_hook_refuses_long_subjects_whatever_the_body(length: int, is_refused: bool) -> None:
    hooks = read(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    (pattern,) = [hook["entry"] for hook in hooks if hook["language"] == "pygrep"]
    message = f"{'s' * length}\n\n{'b' * 90}\n"
    # The flags of pre-commit for a pattern with --multiline.
    assert bool(re.search(pattern, message, re.MULTILINE | re.DOTALL)) is is_refused


@pytest.mark.parametrize(
    ("auditor", "code", "told"),
    [
        ("echo '{}'; exit 0", 0, "No known vulnerabilities."),
        ('echo \'{"vulns": ["CVE-1"]}\'; exit 1', 2, "There are known vulnerabilities"),
        ("echo ERROR: not found >&2; exit 1", 2, "Nothing was audited"),
    ],
)
def test_the_audit_says_what_it_found_or_that_it_could_not_look(
    tmp_path: Path, auditor: str, code: int, told: str
) -> None:
    stub = tmp_path / "pip-audit"
    stub.write_text(f"#!/bin/sh\n{auditor}\n")
    stub.chmod(0o755)
    command = ["make", "--old-file=.venv/audit.stamp", "audit", f"PIP_AUDIT={stub}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, "make fails with 2, whatever the code of the recipe"
    assert told in done.stdout + done.stderr
    assert ("CVE-1" in done.stdout) == ("CVE-1" in auditor)


def test_the_changelog_has_notes_for_this_version() -> None:
    sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    [notes] = [section for section in sections if section.startswith(f"[{PROJECT['version']}]")]
    assert "### Added" in notes
