"""The client libraries have what the API has: each operation, by its name, in a story that all of them play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blogsvc.api.framework.openapi import document
from blogsvc.config import ROOT
from clients.generator.__main__ import CLIENTS, generate, is_generated, stale_files
from clients.generator.model import METHODS, load

CONTRACT = CLIENTS / "contract"
FILES = generate()
# What the libraries raise, each at least once in the story.
KINDS = {
    *("Configuration", "Connection", "Timeout", "API", "BadRequest", "Authentication", "PermissionDenied", "NotFound"),
    *("Conflict", "PreconditionFailed", "Invalid", "RateLimit", "Server", "WaitTimeout", "WebhookSignature"),
}
# The statuses that have an error of their own, or (405, 406, 413, 415) none.
STATUSES = {"400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "429", "500", "502", "503"}


def operations() -> Iterator[dict[str, Any]]:
    for path in document()["paths"].values():
        yield from path.values()


def steps() -> Iterator[dict[str, Any]]:
    """Every step of the story, those within others too."""
    waiting = list(json.loads((CONTRACT / "scenario.json").read_text())["steps"])
    while waiting:
        step = waiting.pop()
        yield step
        waiting += [inner for some in step.get("at", {}).values() for inner in some]


def test_every_operation_has_its_method_and_no_other_has() -> None:
    assert set(METHODS) == {operation["operationId"] for operation in operations()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CLIENTS)))
def test_what_is_generated_is_as_the_document_has_it(path: Path) -> None:
    assert path.read_text() == FILES[path], "run: make clients"
    assert is_generated(FILES[path])


def test_nothing_is_left_of_what_the_document_does_not_have_any_more() -> None:
    assert stale_files(FILES) == []


def test_the_story_plays_every_method() -> None:
    played = {step.get("call") or step.get("walk") or step.get("pages") for step in steps()}
    played |= {"events.stream" for step in steps() if "stream" in step}
    api = load()
    methods = {f"{resource.name}.{method.name}" for resource in api.resources for method in resource.methods}
    assert methods | {"me", "posts.wait"} <= played


def test_the_story_gives_every_field_that_may_be_given_to_a_post() -> None:
    given: set[str] = set()
    for step in steps():
        if step.get("call") in ("posts.create", "posts.update"):
            given |= set(step.get("with", {}))
    schemas = document()["components"]["schemas"]
    assert given == set(schemas["PostIn"]["properties"]) | set(schemas["PostChange"]["properties"])


def test_every_error_is_told_in_the_story() -> None:
    lines = (CONTRACT / "expected.txt").read_text().splitlines()
    told = {line.partition(": ! ")[2].split(" ")[0] for line in lines if ": ! " in line}
    assert told == KINDS


def test_every_status_that_may_be_answered_is_one_that_the_libraries_know() -> None:
    statuses = {status for operation in operations() for status in operation["responses"]}
    assert {status for status in statuses if status >= "400"} <= STATUSES


def test_the_libraries_have_one_version() -> None:
    version = '"version": "0.1.0"'
    assert version in (CLIENTS / "node" / "package.json").read_text()
    for path in ("python/src/blogsvc_client/_version.py", "ruby/lib/blogsvc/version.rb"):
        assert '"0.1.0"' in (ROOT / "clients" / path).read_text()
