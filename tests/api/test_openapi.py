"""The OpenAPI document is valid and complete, and links to a page for every problem type."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from pydantic.alias_generators import to_camel
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from blogsvc.api.framework import problems
from blogsvc.api.framework.openapi import path_of
from blogsvc.api.framework.operations import OPERATIONS
from blogsvc.models.key import KEY_SCOPES


@pytest.fixture
def document(client: FlaskClient) -> dict[str, object]:
    answer = client.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    return answer.json


def test_the_openapi_document_is_valid(document: dict[str, object]) -> None:
    OpenAPIV31SpecValidator(document).validate()


def test_the_openapi_document_lists_every_operation_with_all_its_responses(document: dict) -> None:
    for declared in OPERATIONS:
        told = document["paths"][path_of(declared.path)][declared.method.lower()]
        assert told["operationId"] == to_camel(declared.name)
        assert told["summary"], declared.name
        assert told["x-scope"] == declared.scope, declared.name
        assert told["x-scopes"] == list(declared.scopes), declared.name
        assert set(declared.scopes) <= set(KEY_SCOPES), declared.name
        statuses = {int(status) for status in told["responses"]}
        needed = set(declared.answers) | declared.refuses | {400, 401, 403, 406, 422, 429, 500, 503}
        assert statuses >= needed, declared.name
        assert (declared.body is not None) == ("requestBody" in told), declared.name
        if declared.body is not None:
            assert statuses >= {413, 415}, declared.name


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
        ("createPost", "getPost"),
        ("createPost", "updatePost"),
        ("createPost", "publishPost"),
        ("createPost", "deletePost"),
        ("listPosts", "getPost"),
        ("publishPost", "getDelivery"),
        ("listPostDeliveries", "getDelivery"),
        ("getDelivery", "retryDelivery"),
    ):
        assert (source, name) in led
    assert ("listPosts", "deletePost") not in led


def test_the_openapi_document_describes_response_headers(document: dict) -> None:
    posts = document["paths"]["/posts"]
    assert {"Location", "ETag", "X-Request-Id", "RateLimit"} <= set(posts["post"]["responses"]["201"]["headers"])
    assert "Link" in posts["get"]["responses"]["200"]["headers"]
    assert "Retry-After" in posts["get"]["responses"]["429"]["headers"]


def test_everything_in_the_openapi_document_has_a_description(document: dict) -> None:
    """Every tag, operation, parameter, response, response header, schema and property."""
    used = {tag for declared in _operations(document) for tag in declared["tags"]}
    assert {tag["name"]: bool(tag["description"]) for tag in document["tags"]} == dict.fromkeys(used, True)
    described = {f"header {name}": header for name, header in document["components"]["headers"].items()}
    for declared in _operations(document):
        name = declared["operationId"]
        described[name] = declared
        described |= {f"{name} parameter {part['name']}": part for part in declared["parameters"]}
        described |= {f"{name} response {status}": answer for status, answer in declared["responses"].items()}
    for name, schema in document["components"]["schemas"].items():
        described[name] = schema
        described |= {f"{name}.{field}": part for field, part in schema.get("properties", {}).items()}
    undescribed = [name for name, part in described.items() if not part.get("description")]
    assert undescribed == [], "add a docstring below the field, or to the schema or the view"
    unfinished = [name for name, part in described.items() if not re.search(r"[.:`)]$", part["description"])]
    assert unfinished == [], "end the description with a period"


@pytest.mark.parametrize(
    ("schema", "field"), [("Post", "status"), ("Delivery", "state"), ("Copy", "state"), ("WebhookDelivery", "state")]
)
def test_every_state_is_explained(document: dict, schema: str, field: str) -> None:
    part = document["components"]["schemas"][schema]["properties"][field]
    assert [state for state in part["enum"] if f"`{state}`: " not in part["description"]] == []


def test_the_description_of_a_field_names_its_limits(document: dict) -> None:
    """Fields of requests with a maximum length, number of items or value. Lists of the values of an enum need none."""
    unnamed = []
    for name, schema in document["components"]["schemas"].items():
        for field, part in schema.get("properties", {}).items() if name.endswith(("Input", "Change")) else ():
            for option in part.get("anyOf", [part]):
                if "enum" in option.get("items", {}):
                    continue
                limits = [option[key] for key in ("maxLength", "maxItems", "maximum") if key in option]
                unnamed += [f"{name}.{field}: {each}" for each in limits if f"{each:,}" not in part["description"]]
    assert unnamed == []


def test_every_post_operation_accepts_an_idempotency_key(document: dict) -> None:
    for methods in document["paths"].values():
        for method, declared in methods.items():
            names = {part["name"] for part in declared["parameters"]}
            assert ("Idempotency-Key" in names) == (method == "post")


def _operations(document: dict) -> list[dict]:
    return [declared for methods in document["paths"].values() for declared in methods.values()]


def test_the_openapi_document_names_the_server_the_license_and_a_contact(document: dict) -> None:
    base_url = "https://blog.example"  # the setting of these tests
    assert [server["url"] for server in document["servers"]] == [f"{base_url}/api/v1"]
    assert document["info"]["license"] == {"name": "MIT License", "identifier": "MIT"}
    assert document["info"]["contact"]["url"] == f"{base_url}/api/v1/docs"


def test_the_openapi_document_suits_generators_of_code(document: dict) -> None:
    schemas = document["components"]["schemas"]
    assert [name for name in schemas if re.search(r"(In|Out)$", name)] == []
    for name, schema in schemas.items():
        is_input = name.endswith(("Input", "Change"))
        # openapi-typescript makes a property with a default required, which suits responses only.
        defaults = [field for field, part in schema.get("properties", {}).items() if "default" in part]
        assert not is_input or defaults == [], name
        # Responses may get more fields later; an unknown field of a request is an error.
        assert (schema.get("additionalProperties") is False) == is_input, name
    assert schemas["PostInput"]["required"] == ["title"]
    assert '"default": null' not in json.dumps(document)


def test_operation_ids_are_unique(document: dict) -> None:
    names = [told["operationId"] for methods in document["paths"].values() for told in methods.values()]
    assert len(names) == len(set(names))


def test_conditional_headers_are_documented_on_the_operations_that_support_them(document: dict) -> None:
    def headers(path: str, method: str) -> set[str]:
        parameters = document["paths"][path][method]["parameters"]
        return {parameter["name"] for parameter in parameters if parameter["in"] == "header"}

    assert headers("/posts/{post_id}", "put") == headers("/webhooks/{webhook_id}", "delete") == {"If-Match"}
    assert headers("/posts/{post_id}", "delete") == headers("/keys/{key_id}", "delete") == {"If-Match", "Prefer"}
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
    for path, name in (("/posts", "Posts"), ("/posts/{post_id}", "Post")):
        told = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert told == {"anyOf": [{"$ref": f"#/components/schemas/{name}{part}"} for part in ("", "Part")]}
    schemas = document["components"]["schemas"]
    assert schemas["PostPart"]["properties"] == schemas["Post"]["properties"]
    assert "required" not in schemas["PostPart"]
    assert schemas["PostsPart"]["properties"]["data"]["items"] == {"$ref": "#/components/schemas/PostPart"}


def test_the_openapi_document_forbids_what_the_api_rejects(document: dict) -> None:
    schemas = document["components"]["schemas"]

    def accepts(field: str, value: object) -> bool:
        return Draft202012Validator(schemas["PostInput"]["properties"][field]).is_valid(value)

    assert [accepts("title", each) for each in ("A title", "", " ", "a\nb", "a\x85b", "\x00")] == [True] + [False] * 5
    assert [accepts("content", each) for each in ("a\nb", "", None, "\x00")] == [True, True, True, False]
    assert [accepts("coverImage", each) for each in ("https://a.example/b", "javascript:x", "/b", "http://")] == [
        True,
        False,
        False,
        False,
    ]
    assert [accepts("platforms", each) for each in (["site"], ["site", "site"], ["A"])] == [True, False, False]
    assert schemas["PostInput"]["properties"]["overrides"]["anyOf"][0]["additionalProperties"] is False
    override = Draft202012Validator(schemas["OverrideInput"])
    assert [override.is_valid({"options": {name: "private"}}) for name in ("visibility", "a\x00")] == [True, False]
    assert [override.is_valid({"options": {"visibility": text}}) for text in ("private", "a\nb")] == [True, False]
    (start,) = (each for each in document["paths"]["/analytics"]["get"]["parameters"] if each["name"] == "from")
    assert {each["format"] for each in start["schema"]["anyOf"]} == {"date", "date-time"}
