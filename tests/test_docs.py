"""The documentation matches the code: generated pages are up to date, and the others name what exists."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import click
import pytest
from flask import Flask

from blogsvc.api.framework.openapi import path_of
from blogsvc.api.framework.operations import OPERATIONS
from blogsvc.api.framework.problems import PROBLEM_TYPES
from blogsvc.cli import main
from blogsvc.config import ROOT, Config
from blogsvc.connectors import connectors
from blogsvc.models import SITE
from blogsvc.models.event_types import EVENT_TYPES
from blogsvc.models.key import KEY_SCOPES
from blogsvc.web.framework.sign_in_limits import CODES_AN_HOUR
from docs.__main__ import examples, pages
from docs.scenario import UNMET
from tests.api_client import Api
from tests.receiver import free_port

README = ROOT / "README.md"
DOCS = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "guides").glob("*.md"))]
VENDORED = ROOT / "static" / "vendor" / "README.md"
OURS = [
    README,
    VENDORED,
    ROOT / "SECURITY.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "blogsvc/connectors/README.md",
    *DOCS,
]
# Pages with a table whose first column is not unique: servers by what they run, and events by what causes them.
MANY_ROWS_FOR_ONE = {"asvs.md", "events.md"}
START = 30.0  # seconds for a server to be ready


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def made(file: str) -> str:
    return (ROOT / "docs" / file).read_text()


@pytest.fixture(scope="module")
def fresh() -> dict[str, str]:
    return pages()


@pytest.mark.parametrize(
    "file", ["api.md", "cli.md", "connectors.md", "events.md", "settings.md", "themes.md", "web-routes.md"]
)
def test_the_generated_pages_are_up_to_date(fresh: dict[str, str], file: str) -> None:
    assert made(file) == fresh[file], f"docs/{file} is not what the code says now: run `make docs`."


def test_the_examples_are_up_to_date() -> None:
    assert made("examples.json") == examples(), "docs/examples.json is stale: run `make docs`."


def test_every_operation_has_an_example_of_its_success() -> None:
    shown = {found["operation"] for found in json.loads(made("examples.json")) if found["answer"]["status"] < 400}
    missing = [declared.name for declared in OPERATIONS if declared.name not in shown]
    assert missing == [], "add a line for each to docs/scenario.py, then run `make docs`."


def test_every_problem_that_can_occur_has_an_example() -> None:
    answered = (found["answer"] for found in json.loads(made("examples.json")))
    met = {answer["body"]["type"].rpartition("/")[2] for answer in answered if answer["status"] >= 400}
    assert set(PROBLEM_TYPES) - met == set(UNMET), "docs/scenario.py triggers more or fewer of them"


def test_generating_the_pages_twice_gives_the_same(fresh: dict[str, str]) -> None:
    assert pages() == fresh


def test_no_page_contains_a_path_of_this_machine(fresh: dict[str, str]) -> None:
    assert [file for file, text in fresh.items() if str(ROOT) in text] == []


def test_every_setting_is_documented() -> None:
    text = made("settings.md")
    for setting in fields(Config):
        assert f"| `{setting.metadata['variable']}` |" in text
        assert setting.metadata["description"] in text


def test_every_operation_and_scope_is_documented() -> None:
    text = made("api.md")
    for operation in OPERATIONS:
        path = path_of(operation.path)
        assert f"\n### {operation.method} {path}\n\n{operation.summary}.\n" in text
    for scope in KEY_SCOPES:
        assert f"| `{scope}` |" in text


def test_every_route_is_documented(app: Flask) -> None:
    text = made("api.md") + made("web-routes.md")
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule).removeprefix("/api/v1")
        assert rule.endpoint == "static" or f"{path}`" in text, rule.rule


def test_each_decision_has_a_date_and_the_newest_is_last() -> None:
    headings = re.findall(r"^## (.+)", made("decisions.md"), re.MULTILINE)
    days = [re.findall(r"\((\d{4}-\d\d-\d\d)", heading) for heading in headings]
    assert all(days)
    assert days == sorted(days)


def test_every_problem_type_is_documented() -> None:
    text = made("api.md")
    for kind in PROBLEM_TYPES.values():
        assert f"| `{kind.slug}` | {kind.status} | {kind.title} | {kind.meaning} |" in text


def test_every_event_is_documented() -> None:
    text = made("events.md")
    for kind, what in EVENT_TYPES.items():
        assert f"| `{kind}` | {what} |" in text


def test_every_connector_and_its_fields_are_documented() -> None:
    text = made("connectors.md")
    for key, kind in connectors().items():
        assert f"(`{key}`)\n" in text
        for field in kind.fields:
            assert f"| `{field.name}` |" in text


def test_the_api_describes_each_connector_as_the_docs_do(api: Api) -> None:
    told = dict(re.findall(r"^## [^\n]*\(`([\w-]+)`\)\n(.*?)(?=^## |\Z)", made("connectors.md"), re.M | re.S))
    offered = api.get("/connectors?limit=100").json["data"]
    assert {kind["key"] for kind in offered} == set(told) - {SITE}
    for kind in offered:
        said = told[kind["key"]]
        assert f"- Operations: {', '.join(f'`{one}`' for one in ['publish', *kind['abilities']])}." in said
        assert f"- Duplicates: {kind['once']}" in said
        assert all(f"- {limitation}\n" in said for limitation in kind["limitations"])
        assert all(f"| `{asked['name']}` |" in said for asked in [*kind["fields"], *kind["options"]])


def test_every_command_and_option_is_documented() -> None:
    text = made("cli.md")
    for path, command in _commands(main, "blogsvc"):
        assert f"\n## {path}\n" in text
        for option in command.params:
            assert option.opts[0] in text or isinstance(option, click.Argument), f"{path} {option.opts[0]}"


def _commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from _commands(found, f"{path} {child}")


@pytest.mark.parametrize("page", OURS, ids=name)
def test_every_link_works(page: Path) -> None:
    words = re.sub(r"`[^`\n]*`", "", page.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", words):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:|/", file):  # server paths are tested with the pages
            continue
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), f"{name(page)} links to {target}, which is not there"
        if anchor:
            assert anchor in _anchors(there), f"{name(page)} links to {target}, which has no such heading"


def _anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", OURS, ids=name)
def test_every_environment_variable_mentioned_is_a_setting(page: Path) -> None:
    known = {setting.metadata["variable"] for setting in fields(Config)}
    assert {"HOST", "PORT"} <= known
    of_clients = {"BLOGSVC_URL", "BLOGSVC_API_KEY"}
    assert set(re.findall(r"\bBLOGSVC_[A-Z][A-Z_]*", page.read_text())) <= known | of_clients


def test_the_durations_in_the_text_are_the_defaults_of_their_settings() -> None:
    defaults = {setting.metadata["variable"]: setting.default for setting in fields(Config)}
    said = [
        (float(number), variable)
        for page in OURS
        for number, variable in re.findall(r"([\d.]+) (?:seconds|hours|days) \(`(BLOGSVC_\w+)`\)", page.read_text())
    ]
    assert len(said) >= 2
    assert said == [(defaults[variable], variable) for _, variable in said]


def test_the_number_of_wrong_codes_in_the_text_is_the_limit() -> None:
    said = [
        (name(page), number)
        for page in OURS
        for number in re.findall(r"(\d+)(?: wrong)?(?: two-factor)? codes (?:an|per) hour", _as_one_line(page))
    ]
    assert {"docs/asvs.md", "docs/security.md", "docs/guides/recover-access.md"} <= {page for page, _ in said}
    assert said == [(page, str(CODES_AN_HOUR.amount)) for page, _ in said]


def _as_one_line(page: Path) -> str:
    return " ".join(page.read_text().split())


@pytest.mark.parametrize("page", OURS, ids=name)
def test_no_table_has_two_rows_for_the_same_thing(page: Path) -> None:
    for table in re.findall(r"(?:^\|.*\n)+", page.read_text(), re.MULTILINE):
        _, _, *rows = table.splitlines()
        assert [row for row, count in Counter(rows).items() if count > 1] == []
        if page.name not in MANY_ROWS_FOR_ONE:
            first_cells = Counter(row.split("|")[1].strip() for row in rows)
            assert [cell for cell, count in first_cells.items() if cell and count > 1] == []


@pytest.mark.parametrize("page", OURS, ids=name)
def test_every_make_target_mentioned_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(), re.MULTILINE)) <= targets


def test_the_architecture_page_shows_every_package() -> None:
    text = made("architecture.md")
    diagram = re.search(r"```text\n(.*?)```", text, re.DOTALL)
    assert diagram is not None
    shown = set(re.findall(r"(?<![\w/.])[a-z_]+(?:\.py|/(?=[ \n]))", diagram[1]))
    assert shown - {"app.py", "blogsvc/"} == _modules_of(ROOT / "blogsvc")


def test_the_architecture_page_lists_every_module_of_a_package() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| (`.*`) \|$", made("architecture.md"), re.MULTILINE))
    assert {"posts", "delivery", "connections", "auth", "media", "webhooks", "analytics", "transfer"} <= set(listed)
    for package, names in listed.items():
        there = {re.sub(r"(\.py|/)$", "", name) for name in _modules_of(ROOT / "blogsvc" / package)} - {"__init__"}
        assert set(re.findall(r"`(\w+)`", names)) == there, f"docs/architecture.md lists other modules of {package}"


def _modules_of(package: Path) -> set[str]:
    """Return the modules and packages in a directory; a package ends with a slash."""
    packages = {f"{path.name}/" for path in package.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    return packages | {path.name for path in package.glob("*.py")}


@pytest.fixture
def server(tmp_path: Path, blank_database_url: str) -> Iterator[dict[str, str]]:
    """Run a real server on an instance of its own, started as the README says. Yields its environment."""
    assert "`.venv/bin/blogsvc serve`" in README.read_text()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("BLOGSVC_")}
    ours = {"BLOGSVC_INSTANCE": str(tmp_path / "instance"), "BLOGSVC_DATABASE_URL": blank_database_url}
    environ = plain | ours | {"PORT": str(free_port())}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([_blogsvc(), "serve"], env=environ, cwd=ROOT, stderr=log)
    try:
        _wait_until_ready(process, environ["PORT"], tmp_path / "log")
        yield environ
    finally:
        process.terminate()
        process.wait(START)
    assert process.returncode == 0


def _blogsvc() -> str:
    found = shutil.which("blogsvc", path=str(Path(sys.executable).parent))
    assert found is not None, "blogsvc is not installed beside this Python: run `make test`."
    return found


def _wait_until_ready(process: subprocess.Popen[bytes], port: str, log: Path) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"http://127.0.0.1:{port}/ready") as answer:
                assert answer.status == 200
                return
        except URLError:
            time.sleep(0.05)
    raise AssertionError(f"The server did not get ready: {log.read_text()}")


def test_the_first_post_of_the_readme_is_published(server: dict[str, str]) -> None:
    block = re.search(r"<!-- first-post -->\n```sh\n(.*?)```", README.read_text(), re.DOTALL)
    assert block is not None
    commands = (
        block[1].replace(".venv/bin/blogsvc", _blogsvc()).replace("127.0.0.1:8000", f"127.0.0.1:{server['PORT']}")
    )
    script = ["bash", "-euo", "pipefail", "-c", commands]
    done = subprocess.run(script, env=server, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert '"status":"scheduled"' in done.stdout
    assert "It <em>begins</em>." in done.stdout
