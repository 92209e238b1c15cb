"""The OpenAPI document is valid and complete, and links to a page for every problem type."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from blogsvc.api.framework import problems
from blogsvc.api.framework.openapi import path_of
from blogsvc.api.framework.operations import OPERATIONS, Operation
from blogsvc.models.key import KEY_SCOPES


@pytest.fixture
def document(client: FlaskClient) -> dict[str, object]:
    answer = client.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    return answer.json


def test_the_openapi_document_is_valid(document: dict[str, object]) -> None:
    OpenAPIV31SpecValidator(document).validate()


@pytest.mark.parametrize("declared", OPERATIONS, ids=lambda declared: declared.name)
def test_the_openapi_document_lists_every_operation_with_all_its_responses(document: dict, declared: Operation) -> None:
    path = path_of(declared.path)
    told = document["paths"][path][declared.method.lower()]
    assert told["operationId"] == declared.name
    assert told["summary"]
    assert told["x-scope"] == declared.scope
    assert told["x-scopes"] == list(declared.scopes)
    assert set(declared.scopes) <= set(KEY_SCOPES)
    statuses = {int(status) for status in told["responses"]}
    assert statuses >= set(declared.answers) | declared.refuses | {400, 401, 403, 406, 422, 429, 500, 503}
    assert (declared.body is not None) == ("requestBody" in told)
    if declared.body is not None:
        assert statuses >= {413, 415}


def test_the_openapi_document_lists_no_other_operations(document: dict) -> None:
    told = [(path, method) for path, methods in document["paths"].items() for method in methods]
    assert len(told) == len(OPERATIONS)


def test_the_openapi_document_contains_the_six_operations_of_the_specification(document: dict) -> None:
    told = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert told >= {
        ("POST", "/posts"),
        ("GET", "/posts"),
        ("PUT", "/posts/{post_id}"),
        ("DELETE", "/posts/{post_id}"),
        ("POST", "/posts/{post_id}/publish"),
        ("GET", "/analytics"),
    }


def test_every_openapi_example_matches_its_schema(document: dict) -> None:
    registry = Registry().with_resource("urn:openapi", Resource.from_contents(document, DRAFT202012))
    checked = 0
    for declared in _operations(document):
        contents = [declared.get("requestBody", {}), *declared["responses"].values()]
        for content in (part for holder in contents for part in holder.get("content", {}).values()):
            schema = json.loads(json.dumps(content["schema"]).replace('"#/', '"urn:openapi#/'))
            for name, example in content.get("examples", {}).items():
                if "value" in example and not name.endswith("without-its-text"):
                    Draft202012Validator(schema, registry=registry).validate(example["value"])
                    checked += 1
    assert checked > len(OPERATIONS)


def test_every_reference_to_an_example_or_header_resolves(document: dict) -> None:
    for kind, name in re.findall(r'"#/components/(\w+)/([\w-]+)"', json.dumps(document)):
        assert name in document["components"][kind]


def test_openapi_links_point_to_operations_with_matching_parameters(document: dict) -> None:
    by_name = {declared["operationId"]: declared for declared in _operations(document)}
    led = {
        (source["operationId"], name)
        for source in by_name.values()
        for answer in source["responses"].values()
        for name, link in answer.get("links", {}).items()
        if set(link["parameters"])
        == {p["name"] for p in by_name[link["operationId"]]["parameters"] if p["in"] == "path"}
    }
    for source, name in (
        ("create_post", "get_post"),
        ("create_post", "update_post"),
        ("create_post", "publish_post"),
        ("create_post", "delete_post"),
        ("list_posts", "get_post"),
        ("publish_post", "get_delivery"),
        ("list_post_deliveries", "get_delivery"),
        ("get_delivery", "retry_delivery"),
    ):
        assert (source, name) in led
    assert ("list_posts", "delete_post") not in led


def test_the_openapi_document_describes_response_headers(document: dict) -> None:
    posts = document["paths"]["/posts"]
    assert {"Location", "ETag", "X-Request-Id", "RateLimit"} <= set(posts["post"]["responses"]["201"]["headers"])
    assert "Link" in posts["get"]["responses"]["200"]["headers"]
    assert "Retry-After" in posts["get"]["responses"]["429"]["headers"]


def test_every_tag_and_parameter_has_a_description(document: dict) -> None:
    used = {tag for declared in _operations(document) for tag in declared["tags"]}
    assert {tag["name"]: bool(tag["description"]) for tag in document["tags"]} == dict.fromkeys(used, True)
    for declared in _operations(document):
        undescribed = [part["name"] for part in declared["parameters"] if not part.get("description")]
        assert undescribed == [], declared["operationId"]


def test_every_schema_except_pages_has_a_description(document: dict) -> None:
    schemas = document["components"]["schemas"]
    pages = {name for name, schema in schemas.items() if "data" in schema.get("properties", {})}
    parts = {name for name in schemas if name.endswith("Part")}
    assert [name for name in schemas if name not in pages | parts and not schemas[name].get("description")] == []


def test_every_post_operation_accepts_an_idempotency_key(document: dict) -> None:
    for methods in document["paths"].values():
        for method, declared in methods.items():
            names = {part["name"] for part in declared["parameters"]}
            assert ("Idempotency-Key" in names) == (method == "post")


def _operations(document: dict) -> list[dict]:
    return [declared for methods in document["paths"].values() for declared in methods.values()]


def test_operation_ids_are_unique(document: dict) -> None:
    names = [told["operationId"] for methods in document["paths"].values() for told in methods.values()]
    assert len(names) == len(set(names))


def test_conditional_headers_are_documented_on_the_operations_that_support_them(document: dict) -> None:
    def headers(path: str, method: str) -> set[str]:
        parameters = document["paths"][path][method]["parameters"]
        return {parameter["name"] for parameter in parameters if parameter["in"] == "header"}

    assert headers("/posts/{post_id}", "put") == headers("/posts/{post_id}", "delete") == {"If-Match"}
    assert headers("/posts/{post_id}", "get") == {"If-None-Match"}


@pytest.mark.parametrize("slug", problems.PROBLEM_TYPES)
def test_every_problem_type_has_a_page(client: FlaskClient, slug: str) -> None:
    answer = client.get(f"/api/v1/problems/{slug}")
    assert answer.status_code == 200
    assert answer.json["status"] == problems.PROBLEM_TYPES[slug].status
    assert answer.json["meaning"].endswith(".")


def test_an_unknown_problem_type_returns_404(client: FlaskClient) -> None:
    assert client.get("/api/v1/problems/nothing").status_code == 404


def test_partial_responses_with_fields_have_their_own_schema(document: dict) -> None:
    for path, name in (("/posts", "PostsOut"), ("/posts/{post_id}", "PostOut")):
        told = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert told == {"anyOf": [{"$ref": f"#/components/schemas/{name}{part}"} for part in ("", "Part")]}
    schemas = document["components"]["schemas"]
    assert schemas["PostOutPart"]["properties"] == schemas["PostOut"]["properties"]
    assert "required" not in schemas["PostOutPart"]
    assert schemas["PostsOutPart"]["properties"]["data"]["items"] == {"$ref": "#/components/schemas/PostOutPart"}


def test_the_openapi_document_forbids_what_the_api_rejects(document: dict) -> None:
    schemas = document["components"]["schemas"]

    def accepts(field: str, value: object) -> bool:
        return Draft202012Validator(schemas["PostIn"]["properties"][field]).is_valid(value)

    assert [accepts("title", each) for each in ("A title", "", " ", "a\nb", "a\x85b", "\x00")] == [True] + [False] * 5
    assert [accepts("content", each) for each in ("a\nb", "", None, "\x00")] == [True, True, True, False]
    assert [accepts("coverImage", each) for each in ("https://a.example/b", "javascript:x", "/b", "http://")] == [
        True,
        False,
        False,
        False,
    ]
    assert [accepts("platforms", each) for each in (["site"], ["site", "site"], ["A"])] == [True, False, False]
    assert schemas["PostIn"]["properties"]["overrides"]["anyOf"][0]["additionalProperties"] is False
    override = Draft202012Validator(schemas["OverrideIn"])
    assert [override.is_valid({"options": {name: "private"}}) for name in ("visibility", "a\x00")] == [True, False]
    (start,) = (each for each in document["paths"]["/analytics"]["get"]["parameters"] if each["name"] == "from")
    assert {each["format"] for each in start["schema"]["anyOf"]} == {"date", "date-time"}
