"""The client libraries cover the API: every operation has a method, and the contract's scenario calls every method."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from blogsvc.api.framework.openapi import document
from blogsvc.config import ROOT
from clients.generator.__main__ import CLIENTS, generate, is_generated, manifests, stale_files
from clients.generator.manifests import PROJECT_URL, with_address
from clients.generator.model import METHODS, load

CONTRACT = CLIENTS / "contract"
FILES = generate()
# The kinds of errors that the libraries raise.
ERROR_KINDS = {
    *("Configuration", "Connection", "Timeout", "API", "BadRequest", "Authentication", "PermissionDenied", "NotFound"),
    *("Conflict", "PreconditionFailed", "Invalid", "RateLimit", "Server", "WaitTimeout", "WebhookSignature"),
}
# The statuses that the libraries handle, with or (405, 406, 413, 415) without an error class of their own.
KNOWN_STATUSES = {
    "400",
    "401",
    "403",
    "404",
    "405",
    "406",
    "409",
    "412",
    "413",
    "415",
    "422",
    "429",
    "500",
    "502",
    "503",
}


def operations() -> Iterator[dict[str, Any]]:
    for path in document()["paths"].values():
        yield from path.values()


def steps() -> Iterator[dict[str, Any]]:
    """Yield all steps of the scenario, including nested ones."""
    remaining = list(json.loads((CONTRACT / "scenario.json").read_text())["steps"])
    while remaining:
        step = remaining.pop()
        yield step
        remaining += [inner for nested in step.get("stepsAfter", {}).values() for inner in nested]


def test_every_operation_has_a_method() -> None:
    assert set(METHODS) == {operation["operationId"] for operation in operations()}


def test_the_generated_files_are_up_to_date() -> None:
    stale = [str(path.relative_to(CLIENTS)) for path, text in FILES.items() if path.read_text() != text]
    assert stale == [], "run: make clients"
    assert [str(path) for path, text in FILES.items() if not is_generated(text)] == []


def test_no_generated_file_is_stale() -> None:
    assert stale_files(FILES) == []


def test_the_scenario_calls_every_method() -> None:
    called = {step.get("call") or step.get("iterate") or step.get("pages") for step in steps()}
    called |= {"events.stream" for step in steps() if "stream" in step}
    api = load()
    methods = {f"{resource.name}.{method.name}" for resource in api.resources for method in resource.methods}
    assert methods | {"me", "posts.wait"} <= called


def test_the_scenario_sends_every_field_of_a_post() -> None:
    sent: set[str] = set()
    for step in steps():
        if step.get("call") in ("posts.create", "posts.update"):
            sent |= set(step.get("fields", {}))
    schemas = document()["components"]["schemas"]
    assert sent == set(schemas["PostInput"]["properties"]) | set(schemas["PostChange"]["properties"])


def test_every_kind_of_error_occurs_in_the_scenario() -> None:
    lines = (CONTRACT / "expected.txt").read_text().splitlines()
    kinds = {line.partition(": ! ")[2].split(" ")[0] for line in lines if ": ! " in line}
    assert kinds == ERROR_KINDS


def test_the_libraries_handle_every_status_of_the_api() -> None:
    statuses = {status for operation in operations() for status in operation["responses"]}
    assert {status for status in statuses if status >= "400"} <= KNOWN_STATUSES


# The files with the version of a client library, and the text around it.
VERSIONS = {
    "node/package.json": r'^  "version": "(.+)",$',
    "node/src/version.js": r'^export const VERSION = "(.+)";$',
    "php/src/Client.php": r"^    public const VERSION = '(.+)';$",
    "python/src/blogsvc_client/_version.py": r'^__version__ = "(.+)"$',
    "ruby/lib/blogsvc/version.rb": r'^  VERSION = "(.+)"$',
}


def test_all_libraries_have_the_same_version() -> None:
    found = {path: re.findall(line, (CLIENTS / path).read_text(), re.MULTILINE) for path, line in VERSIONS.items()}
    version = found["node/package.json"]
    assert len(version) == 1
    assert {path for path, versions in found.items() if versions != version} == set()
    changelogs = [(CLIENTS / name / "CHANGELOG.md").read_text() for name in ("node", "php", "python", "ruby")]
    assert [re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)[:1] for text in changelogs] == [version] * 4


def test_the_release_page_names_every_file_with_a_version_of_a_client_library() -> None:
    page = (ROOT / "docs" / "releasing.md").read_text()
    assert {path for path in VERSIONS if f"`clients/{path}`" not in page} == set()


def test_the_packages_have_a_licence_and_keywords() -> None:
    python = tomllib.loads((CLIENTS / "python/pyproject.toml").read_text())["project"]
    node = json.loads((CLIENTS / "node/package.json").read_text())
    php = json.loads((CLIENTS / "php/composer.json").read_text())
    gemspec = (CLIENTS / "ruby/blogsvc.gemspec").read_text()
    assert {one["license"] for one in (python, node, php)} == {"MIT"}
    assert 'spec.license = "MIT"' in gemspec
    assert all({"blogsvc", "publishing", "scheduling"} <= set(one["keywords"]) for one in (python, node, php))
    assert re.search('"keywords" => "blogsvc, .*publishing, scheduling', gemspec)
    licence = (ROOT / "LICENSE").read_text()
    assert all((CLIENTS / name / "LICENSE").read_text() == licence for name in ("python", "node", "php", "ruby"))


def test_the_manifests_have_the_address_of_the_project_and_no_other() -> None:
    for path, text in manifests().items():
        assert path.read_text() == text, "run: make clients"
        assert set(re.findall(r"https?://[^\"\s]+", text)) <= {
            PROJECT_URL,
            f"{PROJECT_URL}/issues",
            f"{PROJECT_URL}.git",
        }


def test_one_constant_sets_the_address_in_all_manifests() -> None:
    url = "https://git.example.org/blogsvc"
    texts = {path.suffix: text for path, text in manifests(url).items() if path.parent.name != "php"}
    assert tomllib.loads(texts[".toml"])["project"]["urls"] == {"Homepage": url, "Issues": f"{url}/issues"}
    node = json.loads(texts[".json"])
    assert (node["homepage"], node["repository"]["url"], node["bugs"]) == (url, f"git+{url}.git", f"{url}/issues")
    php = json.loads(manifests(url)[CLIENTS / "php/composer.json"])
    assert (php["homepage"], php["support"]["issues"]) == (url, f"{url}/issues")
    assert f'spec.homepage = "{url}"\n' in texts[".gemspec"]
    for name, text in ((path.relative_to(CLIENTS).as_posix(), text) for path, text in manifests(url).items()):
        assert with_address(name, text, PROJECT_URL) == (CLIENTS / name).read_text()
