"""Deprecated operations are announced in every response and in the OpenAPI document, six months ahead."""

from __future__ import annotations

from datetime import date

import pytest
from flask import Blueprint, Flask

from blogsvc.api import schemas
from blogsvc.api.framework.deprecation import Deprecation
from blogsvc.api.framework.openapi import document
from blogsvc.api.framework.operations import OPERATIONS, OperationRegistry, Reply, operation
from blogsvc.config import Config
from tests.api_client import Api

LINK = "https://blog.example/api/v1/docs/guides/publish-now"


@pytest.fixture
def apps() -> dict[Config, Flask]:
    """No shared applications: an application that has handled a request accepts no more operations."""
    return {}


@pytest.fixture
def surface(app: Flask) -> OperationRegistry:
    """Operations for this test only: one deprecated, one not."""
    surface = OperationRegistry(Blueprint("going", __name__, url_prefix="/api/v1"))
    goes = Deprecation(since=date(2026, 7, 1), sunset=date(2027, 1, 1), link=LINK)
    answers = {200: schemas.ErrorOut}

    @operation("GET", "/going", "It goes", scope="posts:read", answers=answers, deprecated=goes, on=surface)
    def going() -> Reply:
        return Reply(schemas.ErrorOut(code="x", detail="x"), headers={"Link": '</next>; rel="next"'})

    @operation("GET", "/staying", "It stays", scope=None, answers=answers, on=surface)
    def staying() -> Reply:
        return Reply(schemas.ErrorOut(code="x", detail="x"))

    app.register_blueprint(surface.blueprint)
    return surface


def test_a_deprecated_operation_sends_deprecation_sunset_and_link_headers(surface: OperationRegistry, api: Api) -> None:
    headers = api.get("/going").headers
    assert headers["Deprecation"] == "@1782864000"
    assert headers["Sunset"] == "Fri, 01 Jan 2027 00:00:00 GMT"
    assert headers.getlist("Link") == ['</next>; rel="next"', f'<{LINK}>; rel="deprecation"; type="text/html"']


def test_error_responses_of_a_deprecated_operation_send_the_headers_too(
    surface: OperationRegistry, api: Api, stranger: Api
) -> None:
    for refused in (stranger.get("/going"), api.get("/going?x=1")):
        assert refused.status_code in {401, 422}
        assert "Deprecation" in refused.headers
        assert "Sunset" in refused.headers


def test_an_operation_that_is_not_deprecated_sends_no_deprecation_headers(surface: OperationRegistry, api: Api) -> None:
    assert not {"Deprecation", "Sunset"} & set(api.get("/staying").headers.keys())


def test_the_openapi_document_marks_deprecated_operations(surface: OperationRegistry) -> None:
    paths = document(surface.operations)["paths"]
    assert paths["/going"]["get"]["deprecated"] is True
    assert {"Deprecation", "Sunset"} <= set(paths["/going"]["get"]["responses"]["200"]["headers"])
    assert "deprecated" not in paths["/staying"]["get"]


def test_a_deprecation_period_under_six_months_is_rejected() -> None:
    with pytest.raises(ValueError, match="must have a sunset on 2026-12-31 or later"):
        Deprecation(since=date(2026, 7, 1), sunset=date(2026, 12, 30), link=LINK)


def test_operations_defined_in_tests_do_not_leak_into_the_api(surface: OperationRegistry) -> None:
    assert not {"going", "staying"} & {declared.name for declared in OPERATIONS}
