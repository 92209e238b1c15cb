"""The docs pages work without a key, the database or files from other hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event

from blogsvc.api.framework.openapi import examples, path_of
from blogsvc.api.framework.operations import OPERATIONS, Operation
from blogsvc.api.framework.problem_pages import WHAT_TO_DO
from blogsvc.api.framework.problems import PROBLEM_TYPES
from blogsvc.config import ROOT
from blogsvc.errors import ERROR_CODES
from blogsvc.models import db
from docs.scenario import UNMET
from tests.blog.reading import attributes, parse_page, text
from tests.tiers import matrix

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PAGES = [
    "/api/v1/docs",
    "/api/v1/docs/",
    "/api/v1/docs/versions",
    "/api/v1/docs/guides/publish-now",
    "/api/v1/docs/operations/create_post",
    "/api/v1/problems/",
    "/api/v1/problems/invalid",
]
VENDOR = ROOT / "static" / "vendor"


@pytest.fixture
def queries(client: FlaskClient) -> Iterator[list[str]]:
    """Collect the SQL statements."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    yield asked
    event.remove(db.engine, "before_cursor_execute", note)


@pytest.mark.parametrize("path", PAGES)
def test_docs_pages_need_no_key_and_no_database(client: FlaskClient, queries: list[str], path: str) -> None:
    answer = client.get(path, headers=BROWSER)
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert queries == []


@pytest.mark.parametrize("path", PAGES)
def test_docs_pages_contain_no_inline_script_or_style(client: FlaskClient, path: str) -> None:
    answer = client.get(path, headers=BROWSER)
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    for element in parse_page(answer.text).iter():
        assert element.tag != "style"
        assert element.tag != "script" or (element.get("src") and not element.text)
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]


@pytest.mark.parametrize("path", PAGES)
def test_docs_pages_load_only_existing_cached_files_from_this_host(client: FlaskClient, path: str) -> None:
    page = parse_page(client.get(path, headers=BROWSER).text)
    files = [link["href"] for link in attributes(page, "link") if link["rel"] == "stylesheet"]
    files += [script["src"] for script in attributes(page, "script")]
    assert files
    for file in files:
        assert re.match(r"/static/[^/]", file)
        with client.get(file) as answer:
            assert answer.status_code == 200
            assert "immutable" in answer.headers["Cache-Control"], file


@pytest.mark.parametrize("path", PAGES)
def test_every_link_on_a_docs_page_works(client: FlaskClient, path: str) -> None:
    page = parse_page(client.get(path, headers=BROWSER).text)
    ids = {element.get("id") for element in page.iter()}
    for link in attributes(page, "a"):
        file, _, anchor = link["href"].partition("#")
        if not file:
            assert anchor in ids
        elif file.startswith("/"):
            assert client.get(file, headers=BROWSER).status_code == 200, file


def test_an_unchanged_docs_page_returns_304(client: FlaskClient) -> None:
    tag = client.get("/api/v1/docs").headers["ETag"]
    assert client.get("/api/v1/docs", headers={"If-None-Match": tag}).status_code == 304


def test_the_csp_of_the_api_viewer_allows_its_own_files_only(client: FlaskClient) -> None:
    policy = client.get("/api/v1/docs").headers["Content-Security-Policy"]
    assert set(policy.split("; ")) == {
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    }


def test_the_docs_page_lists_every_operation_without_javascript(client: FlaskClient) -> None:
    page = parse_page(client.get("/api/v1/docs").text)
    listed = [text(item) for item in page.iter("li") if item.find("small") is not None]
    assert len(listed) == len(OPERATIONS)
    for declared in OPERATIONS:
        path = path_of(declared.path)
        said, needs = declared.summary.replace("`", ""), f"{' + '.join(declared.scopes) or 'any key'} · {declared.tier}"
        assert f"{declared.method} {path} {said} {needs}" in listed


# A list, a write with many examples, an upload, a stream, and one without a body.
USUAL = ("list_posts", "create_post", "create_media", "stream_events", "get_webhook")


@matrix("declared", OPERATIONS, ids=lambda declared: declared.name, default=lambda declared: declared.name in USUAL)
def test_every_operation_has_a_page_with_its_examples(client: FlaskClient, declared: Operation) -> None:
    page = client.get(f"/api/v1/docs/operations/{declared.name}")
    assert page.status_code == 200
    shown = [text(heading) for heading in parse_page(page.text).iter("h2")]
    assert {exchange.title for exchange in examples.of_operation(declared.name)} <= set(shown)


@pytest.mark.parametrize("path", ["/operations/nothing", "/guides/nothing", "/guides/README"])
def test_an_unknown_docs_page_returns_404(client: FlaskClient, path: str) -> None:
    assert client.get(f"/api/v1/docs{path}").status_code == 404


@pytest.mark.parametrize("slug", PROBLEM_TYPES)
def test_a_problem_page_shows_browsers_the_meaning_advice_and_an_example(client: FlaskClient, slug: str) -> None:
    page = parse_page(client.get(f"/api/v1/problems/{slug}", headers=BROWSER).text)
    assert text(next(page.iter("h1"))) == PROBLEM_TYPES[slug].title
    said = text(page)
    assert PROBLEM_TYPES[slug].meaning.replace("`", "") in said
    assert WHAT_TO_DO[slug].replace("`", "") in said
    assert (f"/api/v1/problems/{slug}" in said) == (slug not in UNMET), "its example"


def test_every_problem_type_has_advice() -> None:
    assert set(WHAT_TO_DO) == set(PROBLEM_TYPES)


def test_a_problem_page_returns_json_to_api_clients(client: FlaskClient) -> None:
    for accept in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        answer = client.get("/api/v1/problems/stale", headers=accept)
        assert answer.json["advice"] == WHAT_TO_DO["stale"]
        assert answer.headers["Vary"] == "Accept"
    assert [kind["type"] for kind in client.get("/api/v1/problems/").json["data"]] == list(PROBLEM_TYPES)


def test_the_page_of_the_invalid_problem_lists_every_error_code(client: FlaskClient) -> None:
    page = parse_page(client.get("/api/v1/problems/invalid", headers=BROWSER).text)
    assert [text(term) for term in page.iter("dt")] == list(ERROR_CODES)
    assert client.get("/api/v1/problems/invalid").json["codes"] == ERROR_CODES


def test_vendored_files_match_their_checksums_and_include_licenses() -> None:
    sums = dict(line.split("  ")[::-1] for line in (VENDOR / "SHA256SUMS").read_text().splitlines())
    files = {str(file.relative_to(VENDOR)): file for folder in VENDOR.glob("*@*") for file in folder.iterdir()}
    assert {name: sha256(file.read_bytes()).hexdigest() for name, file in files.items()} == sums
    assert all((folder / "LICENSE").exists() for folder in VENDOR.glob("*@*"))
