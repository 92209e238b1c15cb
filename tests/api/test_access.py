"""Access control: only a valid key with the scope over HTTPS is accepted; everything else gets one of a few errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc.api.framework.operations import OPERATIONS, Operation
from blogsvc.auth import api_keys
from blogsvc.config import Config
from blogsvc.lib.crypto import make_key
from blogsvc.models import ApiKey, Post
from blogsvc.models.key import KEY_SCOPES
from tests.api_client import Api, File
from tests.clock import NOW, Time
from tests.images import png

BODIES = {
    "create_post": {"title": "x"},
    "change_posts": {"operations": [{"operation": "create", "post": {"title": "x"}}]},
    "replace_post": {"title": "x"},
    "update_post": {"title": "x"},
    "resolve_delivery": {"outcome": "retry"},
    "create_webhook": {"url": "https://hook.example/in"},
    "update_webhook": {"enabled": True},
    "update_media": {"alt": "x"},
    "create_key": {"name": "x", "scopes": ["keys:write"]},
    "update_key": {"name": "x"},
    "connect_platform": {"connector": "webhook", "settings": {}},
    "update_platform": {"settings": {}},
    "update_blog": {"title": "x"},
    "replace_look": {
        "color": "#0b5c80",
        "scheme": "auto",
        "face": "harbour",
        "width": "normal",
        "layout": "list",
        "css": "",
    },
    "replace_navigation": {"header": [], "footer": []},
    "create_author": {"name": "x"},
    "update_author": {"name": "x"},
    "merge_author": {"into": "x"},
    "create_redirect": {"path": "/x", "target": "/tags"},
    "update_redirect": {"status": 302},
    "create_series": {"title": "x"},
    "update_series": {"title": "x"},
    "set_tag_page": {"tag": "x", "title": "x"},
}
# Statuses of an operation for an authorized call when nothing exists or the body is invalid.
LET_IN = {200, 201, 202, 204, 404, 422}
STRANGER = {"REMOTE_ADDR": "203.0.113.9"}


@pytest.fixture
def settings() -> dict[str, Any]:
    """Changed settings: `@pytest.mark.parametrize("settings", [{...}])`."""
    return {}


@pytest.fixture
def config(config: Config, settings: dict[str, Any]) -> Config:
    return replace(config, **settings)


def call(api: Api, declared: Operation, headers: dict[str, str] | None = None) -> TestResponse:
    path = re.sub(r"<(int:)?\w+>", lambda part: "1" if part[1] else "nothing", declared.path)
    if declared.max_bytes is not None:
        return api(declared.method, path, form={"file": File(png())}, headers=headers)
    return api(declared.method, path, json=BODIES.get(declared.name), headers=headers)


@pytest.mark.parametrize("declared", OPERATIONS, ids=lambda declared: declared.name)
def test_each_operation_requires_a_key_with_its_scope(
    client: FlaskClient, new_key: Callable[..., str], declared: Operation
) -> None:
    assert call(Api(client, None), declared).status_code == 401
    without_one = [tuple(scope for scope in KEY_SCOPES if scope != missing) for missing in declared.scopes]
    for scopes in [*((scope,) for scope in (*KEY_SCOPES, "all")), declared.scopes or KEY_SCOPES, *without_one]:
        answer = call(Api(client, new_key(*scopes)), declared)
        missing = [scope for scope in declared.scopes if scope not in scopes and "all" not in scopes]
        if missing:
            assert answer.status_code == 403, scopes
            assert answer.json["scope"] == missing[0]
            assert answer.json["scopes"] == list(scopes)
        else:
            assert answer.status_code in LET_IN, scopes


def test_every_route_below_the_prefix_is_a_declared_operation(client: FlaskClient) -> None:
    names = {rule.endpoint for rule in client.application.url_map.iter_rules() if rule.rule.startswith("/api/")}
    pages = {"api.docs", "api.guide", "api.operation_page", "api.versions"}
    open_to_all = {"api.index", "api.openapi", "api.problem_list", "api.problem_page", *pages}
    assert names - open_to_all == {f"api.{declared.name}" for declared in OPERATIONS}


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("POST", {"title": "x", "content": "y", "scheduledAt": "2026-12-01T00:00:00Z"}),
        ("PUT", {"scheduledAt": "2026-12-01T00:00:00Z"}),
        ("PUT", {"schedule": {"localTime": "2026-12-01T09:00", "timeZone": "UTC"}}),
        ("PUT", {"publish": True}),
    ],
)
def test_a_key_without_posts_publish_cannot_schedule_a_post(
    client: FlaskClient, new_key: Callable[..., str], a_post: Callable[..., Post], method: str, body: Any
) -> None:
    path = "/posts" if method == "POST" else f"/posts/{a_post().id}"
    scopes = ("posts:read", "posts:write")
    answer = Api(client, new_key(*scopes))(method, path, json=body)
    assert (answer.status_code, answer.json["scope"]) == (403, "posts:publish")
    assert Api(client, new_key(*scopes, "posts:publish"))(method, path, json=body).status_code < 300


HARMS = {
    "trash": ("DELETE", "", None),
    "trash and withdraw": ("DELETE", "?withdraw=true", None),
    "change a scheduled post": ("PATCH", "", {"content": "Other words."}),
    "unschedule": ("PUT", "", {"scheduledAt": None}),
    "send elsewhere": ("PATCH", "", {"platforms": []}),
    "unpublish": ("POST", "/unpublish", None),
    "publish": ("POST", "/publish", None),
}
BULK_HARMS: dict[str, dict[str, Any]] = {
    "trash": {"operation": "delete"},
    "trash and withdraw": {"operation": "delete", "withdraw": True},
    "change a scheduled post": {"operation": "update", "post": {"content": "Other words."}},
    "unschedule": {"operation": "update", "post": {"scheduledAt": None}},
    "send elsewhere": {"operation": "update", "post": {"platforms": []}},
    "unpublish": {"operation": "unpublish"},
    "publish": {"operation": "publish"},
}
ON_SCHEDULED = ("trash", "trash and withdraw", "change a scheduled post", "unschedule", "send elsewhere", "publish")
ON_LIVE = ("trash", "trash and withdraw", "unpublish", "publish")
CASES = [("scheduled", harm) for harm in ON_SCHEDULED] + [("published", harm) for harm in ON_LIVE]


@pytest.fixture
def public_post(api: Api, a_post: Callable[..., Post]) -> Callable[[str], str]:
    """Return a function that creates a post in a state, and returns its id."""

    def make(state: str) -> str:
        if state == "scheduled":
            scheduled = {"title": "Soon", "content": "Secret.", "scheduledAt": "2026-12-01T00:00:00Z"}
            return str(api.post("/posts", json=scheduled).json["id"])
        post_id = a_post(live=True, content="Secret.").id
        if state == "unpublished":
            api.post(f"/posts/{post_id}/unpublish")
        return str(post_id)

    return make


@pytest.mark.parametrize(("state", "harm"), CASES)
def test_a_key_without_posts_publish_changes_nothing_that_is_live_or_scheduled(
    api: Api, new_key: Callable[..., str], public_post: Callable[[str], str], state: str, harm: str
) -> None:
    method, path, body = HARMS[harm]
    post_id = public_post(state)
    before = api.get(f"/posts/{post_id}").json
    harmless = Api(api.client, new_key("posts:read", "posts:write", "media:write"))
    answer = harmless(method, f"/posts/{post_id}{path}", json=body)
    assert (answer.status_code, answer.json["scope"]) == (403, "posts:publish")
    bulk = harmless.post("/posts/bulk", operations=[{**BULK_HARMS[harm], "id": post_id}]).json["results"][0]
    assert (bulk["status"], bulk["problem"]["scope"]) == (403, "posts:publish")
    assert api.get(f"/posts/{post_id}").json == before


@pytest.mark.parametrize("state", ["scheduled", "published", "unpublished"])
def test_a_key_without_posts_publish_erases_only_drafts(
    api: Api, new_key: Callable[..., str], a_post: Callable[..., Post], public_post: Callable[[str], str], state: str
) -> None:
    harmless = Api(api.client, new_key("posts:read", "posts:write"))
    draft, other = a_post().id, public_post(state)
    assert harmless.delete(f"/posts/{draft}").status_code == 200
    assert harmless.delete(f"/posts/{draft}?permanent=true").status_code == 204
    assert harmless.delete(f"/posts/{other}").status_code == 403
    api.delete(f"/posts/{other}")
    assert harmless.delete(f"/posts/{other}?permanent=true").status_code == 403
    assert api.get(f"/posts/{other}?trashed=true").status_code == 200


def test_a_key_without_posts_publish_writes_draft_changes_of_a_live_post(
    api: Api, new_key: Callable[..., str], a_post: Callable[..., Post]
) -> None:
    post_id = a_post(live=True).id
    answer = Api(api.client, new_key("posts:read", "posts:write")).patch(f"/posts/{post_id}", content="Better words.")
    assert (answer.status_code, answer.json["hasUnpublishedChanges"]) == (200, True)


READS = {
    "an empty PATCH": ("PATCH", "", {}),
    "an empty PUT": ("PUT", "", {}),
    "a duplicate": ("POST", "/duplicate", None),
    "an old revision": ("POST", "/revisions/1/restore", None),
    "a dry run": ("POST", "/dry-run", None),
    "publishing": ("POST", "/publish", None),
    "deleting": ("DELETE", "", None),
    "withdrawing": ("DELETE", "?withdraw=true", None),
    "restoring": ("POST", "/restore", None),
}


@pytest.mark.parametrize("way", READS)
def test_a_key_without_posts_read_learns_no_text(
    api: Api, new_key: Callable[..., str], a_post: Callable[..., Post], way: str
) -> None:
    post_id = a_post(title="Nobody knows", content="The secret words.").id
    if way == "restoring":
        api.delete(f"/posts/{post_id}")
    method, path, body = READS[way]
    scopes = [scope for scope in KEY_SCOPES if scope != "posts:read"]
    answer = Api(api.client, new_key(*scopes))(method, f"/posts/{post_id}{path}", json=body)
    assert (answer.status_code, answer.json["scope"]) == (403, "posts:read")
    assert "Nobody knows" not in answer.text
    assert "secret words" not in answer.text


@pytest.mark.parametrize("operation", [{"operation": "update", "post": {}}, {"operation": "duplicate"}])
def test_a_bulk_request_without_posts_read_learns_no_text(
    api: Api, new_key: Callable[..., str], a_post: Callable[..., Post], operation: dict[str, Any]
) -> None:
    post_id = a_post(title="Nobody knows", content="The secret words.").id
    writer = Api(api.client, new_key("posts:write"))
    created = {"operation": "create", "post": {"title": "Mine"}}
    answer = writer.post("/posts/bulk", operations=[{**operation, "id": post_id}, created])
    refused, done = answer.json["results"]
    assert (refused["status"], refused["problem"]["scope"], done["status"]) == (403, "posts:read", 201)
    assert "secret words" not in answer.text


def test_an_image_in_use_is_deleted_only_by_a_key_that_may_publish(
    api: Api, new_key: Callable[..., str], a_post: Callable[..., Post]
) -> None:
    media = api("POST", "/media", form={"file": File(png())}).json
    a_post(live=True, content=media["markdown"])
    uploader = Api(api.client, new_key("media:write", "posts:read"))
    assert uploader.delete(f"/media/{media['id']}").status_code == 409
    assert uploader.delete(f"/media/{media['id']}?force=true").json["scope"] == "posts:publish"
    assert api.delete(f"/media/{media['id']}?force=true").status_code == 204


def bad_headers(new_key: Callable[..., str]) -> dict[str, str]:
    good, expired, revoked = new_key(), new_key(expires_at=NOW + timedelta(minutes=1)), new_key()
    api_keys.revoke(ApiKey.of(revoked).id, NOW)
    return {
        "expired": f"Bearer {expired}",
        "revoked": f"Bearer {revoked}",
        "another instance's": f"Bearer {make_key()}",
        "wrong checksum": f"Bearer {make_key()[:-1]}_",
        "typo": f"Bearer {good[:-1]}{'a' if good[-1] != 'a' else 'b'}",
        "other scheme": f"Basic {good}",
        "no scheme": good,
        "two": f"Bearer {good} {good}",
        "nothing": "Bearer ",
        "empty": "",
        "not ASCII": "Bearer ü",
    }


def test_every_bad_key_gets_the_same_response(client: FlaskClient, new_key: Callable[..., str], time: Time) -> None:
    headers = bad_headers(new_key)
    time.passes(minutes=1)
    answers = [Api(client, None).get("/posts", headers={"Authorization": text}) for text in headers.values()]
    answers.append(Api(client, None).get("/posts"))
    for answer in answers:
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="blogsvc"'
        assert answer.headers["Cache-Control"] == "no-store"
    assert len({without_request_id(answer) for answer in answers}) == 1


def without_request_id(answer: TestResponse) -> str:
    """Return headers and body without the request id."""
    return f"{answer.headers}\n{answer.text}".replace(answer.headers["X-Request-Id"], "")


def test_a_key_stops_working_when_it_expires_or_is_revoked(
    client: FlaskClient, new_key: Callable[..., str], time: Time
) -> None:
    ending, revoked = (Api(client, new_key(expires_at=NOW + timedelta(minutes=1))) for _ in range(2))
    assert [api.get("/me").status_code for api in (ending, revoked)] == [200, 200]
    api_keys.revoke(ApiKey.of(revoked.key).id, NOW)
    assert [api.get("/me").status_code for api in (ending, revoked)] == [200, 401]
    time.passes(minutes=1)
    assert ending.get("/me").status_code == 401


@pytest.mark.parametrize("written", ["bEARER {}", "bearer {}", "Bearer  {}", "Bearer {} "])
def test_the_bearer_scheme_accepts_any_case_and_any_number_of_spaces(api: Api, written: str) -> None:
    """RFC 9110, 11.1, and RFC 6750, 2.1."""
    assert Api(api.client, None).get("/me", headers={"Authorization": written.format(api.key)}).status_code == 200


@pytest.mark.parametrize("parameter", ["api_key", "access_token", "key"])
def test_a_key_in_the_query_string_is_not_accepted(api: Api, parameter: str) -> None:
    assert Api(api.client, None).get(f"/posts?{parameter}={api.key}").status_code == 401
    assert api.get(f"/posts?{parameter}={api.key}").status_code == 422


def test_plain_http_is_accepted_from_localhost_only(api: Api) -> None:
    bearer = {"Authorization": f"Bearer {api.key}"}
    here = api.client.get("/api/v1/me", headers=bearer, environ_base={"REMOTE_ADDR": "::1"})
    assert here.status_code == 200
    there = api.client.get("/api/v1/me", headers=bearer, environ_base=STRANGER)
    assert there.status_code == 403
    assert there.json["type"].endswith("/problems/https-required")
    over_tls = api.client.get("/api/v1/me", headers=bearer, environ_base=STRANGER, base_url="https://blog.example")
    assert over_tls.status_code == 200


@pytest.mark.parametrize("settings", [{}, {"trusted_proxies": 1}, {"allow_http": True}], ids=str)
def test_forwarded_headers_count_only_from_trusted_proxies(api: Api, settings: dict[str, Any]) -> None:
    headers = {"Authorization": f"Bearer {api.key}", "X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.1"}
    answer = api.client.get("/api/v1/me", headers=headers, environ_base=STRANGER)
    assert answer.status_code == (200 if settings else 403)


@pytest.mark.parametrize("settings", [{"trusted_proxies": 1}])
def test_plain_http_behind_a_local_proxy_is_rejected(api: Api) -> None:
    headers = {"Authorization": f"Bearer {api.key}", "X-Forwarded-Proto": "http", "X-Forwarded-For": "198.51.100.1"}
    assert api.client.get("/api/v1/me", headers=headers).status_code == 403


def test_cors_is_off_by_default(api: Api) -> None:
    answer = api.get("/me", headers={"Origin": "https://app.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers


def preflight(api: Api, origin: str) -> None:
    api.client.options("/api/v1/posts", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})


@pytest.mark.parametrize("settings", [{}, {"cors_origins": ("https://app.example",)}], ids=str)
def test_a_refused_preflight_is_logged_once_per_origin(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    for origin in ("https://other.example", "https://other.example", "https://third.example"):
        preflight(api, origin)
    said = [line for line in caplog.messages if "BLOGSVC_CORS_ORIGINS" in line]
    assert [origin in line for origin, line in zip(("other.example", "third.example"), said, strict=True)] == [True] * 2
    if api.client.application.extensions["tools"].config.cors_origins:
        preflight(api, "https://app.example")
        assert "app.example" not in caplog.text


def test_the_log_of_refused_preflights_is_bounded(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(300):
        preflight(api, f"https://{number}.example")
    assert sum("BLOGSVC_CORS_ORIGINS" in line for line in caplog.messages) == 100


@pytest.mark.parametrize("settings", [{"cors_origins": ("https://app.example",)}])
def test_cors_allows_only_the_configured_origins(api: Api) -> None:
    answer = api.get("/me", headers={"Origin": "https://app.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert {"ETag", "Idempotency-Replayed"} <= set(answer.headers["Access-Control-Expose-Headers"].split(", "))
    assert "Access-Control-Allow-Credentials" not in answer.headers
    other = api.get("/me", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in other.headers
    assert "Origin" in other.headers["Vary"]
    ask = {"Origin": "https://app.example", "Access-Control-Request-Method": "PUT"}
    preflight = api.client.options("/api/v1/posts/post_1", headers=ask)
    assert preflight.status_code == 200
    allowed = set(preflight.headers["Access-Control-Allow-Headers"].split(", "))
    assert {"Authorization", "Idempotency-Key", "Last-Event-ID"} <= allowed
    assert "PUT" in preflight.headers["Access-Control-Allow-Methods"]


@pytest.mark.parametrize("given", ["my-request.1", "x" * 128])
def test_a_request_id_is_echoed_and_logged(api: Api, given: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "blogsvc.access")
    answer = api.get("/posts/post_nothing", headers={"X-Request-Id": given})
    assert answer.headers["X-Request-Id"] == given
    assert answer.json["instance"] == f"urn:request:{given}"
    assert "GET /api/v1/posts/post_nothing 404" in caplog.text
    assert given in caplog.text
    assert api.key not in caplog.text


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "ü", "<script>"])
def test_an_invalid_request_id_is_replaced(api: Api, given: str) -> None:
    assert api.get("/me", headers={"X-Request-Id": given}).headers["X-Request-Id"].startswith("req_")
