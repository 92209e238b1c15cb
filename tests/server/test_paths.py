"""Addresses with empty or dotted segments: refused, before anything could take them for another address."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.lib import blog_paths
from blogsvc.models import Post
from blogsvc.server.response_cache import responses
from tests.api_client import Api

ODD = [
    "//",
    "//login",
    "/login//",
    "/desk//posts",
    "/./login",
    "/static/../login",
    "/static/00001/../blog.css",
    "/.",
    "/..",
    "/static//blog.css",
    "/api//v1/posts",
    "/api/v1/posts/../keys",
]


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
@pytest.mark.parametrize("path", ODD)
def test_an_odd_address_is_refused(client: FlaskClient, method: str, path: str) -> None:
    answer = client.open(method=method, environ_overrides={"PATH_INFO": path})
    assert answer.status_code == 400
    assert answer.headers["X-Request-Id"]


def test_the_refusal_says_what_is_wrong_in_the_form_of_the_api(client: FlaskClient, api: Api) -> None:
    answer = client.get(
        environ_overrides={"PATH_INFO": "/api//v1/posts"}, headers={"Authorization": f"Bearer {api.key}"}
    )
    assert answer.json is not None
    assert answer.json["detail"] == (
        "The address must not contain `//`, `/./` or `/../`. Remove the empty and dotted parts."
    )


def test_odd_addresses_of_a_file_take_no_memory(app: Flask, client: FlaskClient) -> None:
    for number in range(20):
        client.get(environ_overrides={"PATH_INFO": f"/static/{number:05}/../blog.css"})
        client.get(environ_overrides={"PATH_INFO": f"/static/{'/' * number}/blog.css"})
    assert len(responses.of(app)) == 0


@pytest.mark.parametrize(
    "tag", ["a//b", "..", ".", "/", "/a", "a/", "a/../b", "a/b", "C++ & co", "50 %", "%2F", "a%2F%2Fb", "%2E"]
)
def test_the_page_of_any_tag_has_an_address(a_post: Callable[..., Post], client: FlaskClient, tag: str) -> None:
    a_post(live=True, slug="a-post", title="With this tag", tags=[tag])
    path = blog_paths.of_tag(tag)
    assert f'href="{path}"' in client.get("/a-post").text
    assert "With this tag" in client.get(path).text
