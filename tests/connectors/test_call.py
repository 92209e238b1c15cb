"""`Connector.call`: one error for each kind of failed request."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from blogsvc.connectors.base import (
    Conflict,
    Connector,
    CredentialsRejected,
    Disconnected,
    Field,
    Gone,
    Misconfigured,
    OriginChanged,
    RateLimited,
    Rejected,
    Unanswered,
    Unavailable,
    Uncertain,
    path_to,
)
from blogsvc.lib.sizes import MIB
from tests.connectors.contract import DATE, RATE_LIMITS

POSTS = "https://api.example/v1/posts"


@dataclass
class Example(Connector):
    key = "example"
    label = "Example"
    fields = (Field("token", "Token", secret=True),)

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.settings['token']}"}


@pytest.fixture
def example(outside):
    return Example({"url": "https://api.example/v1/", "token": "s3cret"}, outside.http())


def test_a_call_sends_the_credential_and_json(example, outside):
    outside.teach("POST", POSTS, status=201, json={"id": 7})
    answer = example.call("POST", "posts", json={"title": "Grüße"}, headers={"X-Version": "2"}, need="id")
    assert answer.json() == {"id": 7}
    seen = outside.requests[0]
    assert seen.json() == {"title": "Grüße"}
    assert seen.headers["Authorization"] == "Bearer s3cret"
    assert seen.headers["Content-Type"] == "application/json"
    assert seen.headers["X-Version"] == "2"


@pytest.mark.parametrize(
    "path", ["..", "posts/.", "posts/../lists/7", "posts/..\\lists", "posts/%2e%2e/lists", f"{POSTS}/.."]
)
def test_a_path_with_dot_segments_is_not_sent(example, outside, path):
    with pytest.raises(Rejected):
        example.call("DELETE", path)
    assert outside.requests == []


@pytest.mark.parametrize("remote_id", ["", ".", "..", "../lists/7", "7/../../lists"])
def test_an_id_that_no_path_can_have_is_not_sent(example, outside, remote_id):
    with pytest.raises(Rejected):
        example.call("DELETE", path_to("posts", remote_id))
    assert outside.requests == []


def test_an_id_is_one_segment_of_a_path(example, outside):
    outside.teach("DELETE", f"{POSTS}/7%2Flikes%3Fa%3D1%23b", json={})
    example.call("DELETE", path_to("posts", "7/likes?a=1#b"))


@pytest.mark.parametrize("method", ["POST", "PUT", "GET"])
def test_a_platform_may_return_a_large_text_in_several_forms(example, outside, method):
    text = "Ä" * 500_000
    echo = {"id": 7, "raw": text, "rendered": text, "blocks": text}
    outside.teach(method, POSTS, json=echo)
    sent = None if method == "GET" else {"text": text}
    assert example.call(method, "posts", json=sent, need="id").json() == echo


@pytest.mark.parametrize(("sent", "returned"), [(100, 3 * MIB), (4 * MIB, 17 * MIB)])
def test_a_response_out_of_proportion_is_too_large(example, outside, sent, returned):
    outside.teach("PUT", POSTS, json={"id": 7, "text": "a" * returned})
    with pytest.raises(Unavailable, match="larger than"):
        example.call("PUT", "posts", content=b"a" * sent)


def test_an_absolute_url_is_used_unchanged(example, outside):
    outside.teach("GET", "https://api.example/x", json={})
    assert example.call("GET", "https://api.example/x").status == 200


@pytest.mark.parametrize("elsewhere", ["https://upload.example/x", "http://api.example/x", "https://api.example:8443/"])
def test_only_anonymous_requests_leave_the_servers_that_were_entered(example, outside, elsewhere):
    outside.always(json={})
    with pytest.raises(OriginChanged):
        example.call("GET", elsewhere)
    assert outside.requests == []
    example.call("GET", elsewhere, anonymous=True)
    assert "authorization" not in outside.requests[0].headers


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, Rejected),
        (413, Rejected),
        (415, Rejected),
        (422, Rejected),
        (418, Rejected),
        (401, CredentialsRejected),
        (403, Disconnected),
        (402, Misconfigured),
        (405, Misconfigured),
        (404, Gone),
        (410, Gone),
        (409, Conflict),
        (429, RateLimited),
        (301, Misconfigured),
        (302, Uncertain),
        (303, Uncertain),
        (307, Misconfigured),
        (408, Uncertain),
        (500, Uncertain),
        (502, Uncertain),
        (503, Uncertain),
        (504, Unanswered),
    ],
)
def test_each_status_of_a_create_request_raises_its_error(example, outside, status, error):
    outside.always(status=status, json={"error": "no"}, headers={"Location": "https://b.example/"})
    with pytest.raises(error) as caught:
        example.call("POST", "posts", json={})
    assert type(caught.value) is error
    assert len(outside.requests) == 1


@pytest.mark.parametrize("reply", [{"status": 503}, {"failure": "lost"}, {"failure": "hangs"}])
@pytest.mark.parametrize(
    ("method", "safe", "error"),
    [
        ("POST", None, Uncertain),
        ("PATCH", None, Uncertain),
        ("PUT", None, Unavailable),
        ("DELETE", None, Unavailable),
        ("GET", None, Unavailable),
        ("POST", True, Unavailable),
        ("PUT", False, Uncertain),
    ],
)
def test_an_unknown_outcome_is_uncertain_unless_repeating_is_safe(example, outside, reply, method, safe, error):
    outside.always(**reply)
    with pytest.raises(error):
        example.call(method, "posts", safe=safe)


@pytest.mark.parametrize("failure", ["refused", "unreachable"])
def test_a_request_that_was_never_sent_is_unavailable(example, outside, failure):
    outside.always(failure=failure)
    with pytest.raises(Unavailable):
        example.call("POST", "posts", json={})


def test_a_private_address_error_names_the_setting(example, outside):
    outside.names["api.example"] = ["192.168.1.5"]
    with pytest.raises(Misconfigured, match="BLOGSVC_ALLOW_PRIVATE_ADDRESSES"):
        example.call("POST", "posts", json={})


def test_an_address_that_no_setting_allows_names_none(example, outside):
    outside.names["api.example"] = ["169.254.169.254"]
    with pytest.raises(Misconfigured) as caught:
        example.call("POST", "posts", json={})
    assert "BLOGSVC" not in str(caught.value)


def test_a_missing_base_url_is_misconfigured(outside):
    with pytest.raises(Misconfigured):
        Example({"token": "s3cret"}, outside.http()).call("POST", "posts", json={})


@pytest.mark.parametrize("notation", RATE_LIMITS)
def test_every_rate_limit_notation_is_converted_to_seconds(example, outside, notation):
    headers, body, seconds = RATE_LIMITS[notation]
    outside.always(status=429, headers=headers, json=body)
    with pytest.raises(RateLimited) as caught:
        example.call("POST", "posts", json={})
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Retry-After": "soon"},
        {"Retry-After": "nan"},
        {"Retry-After": "-5"},
        {"Retry-After": "9" * 400},
        {"Retry-After": DATE},
        {"X-RateLimit-Reset": "2026-11-20T10:00:30Z"},
        {"X-RateLimit-Reset": "yesterday", "Date": DATE},
    ],
)
def test_a_rate_limit_without_a_readable_time_has_no_retry_after(example, outside, headers):
    outside.always(status=429, headers=headers, body=b"<html>")
    with pytest.raises(RateLimited) as caught:
        example.call("POST", "posts", json={})
    assert caught.value.retry_after is None


def test_a_time_that_has_passed_means_now(example, outside):
    headers = {"Retry-After": "Fri, 20 Nov 2026 09:00:00 GMT", "Date": DATE}
    outside.always(status=429, headers=headers)
    with pytest.raises(RateLimited) as caught:
        example.call("POST", "posts", json={})
    assert caught.value.retry_after == 0


def test_retry_after_of_an_unavailable_server_is_used(example, outside):
    outside.always(status=503, headers={"Retry-After": "120"})
    with pytest.raises(Unavailable) as caught:
        example.call("GET", "posts")
    assert caught.value.retry_after == 120


def test_a_connector_can_parse_its_own_rate_limit_notation(outside):
    class Forum(Example):
        def retry_after(self, answer):
            return 60.0 * float(answer.text)

    outside.always(status=429, body=b"2")
    with pytest.raises(RateLimited) as caught:
        Forum({"url": "https://api.example", "token": "x"}, outside.http()).call("POST", "/posts")
    assert caught.value.retry_after == 120


def test_a_connector_can_map_its_own_error_codes(outside):
    class Sky(Example):
        def fault(self, answer, call):
            if "ExpiredToken" in answer.text:
                return Disconnected("Reconnect the account.")
            return super().fault(answer, call)

    sky = Sky({"url": "https://api.example", "token": "x"}, outside.http())
    outside.teach("POST", "https://api.example/a", status=400, json={"error": "ExpiredToken"})
    outside.teach("POST", "https://api.example/b", status=400, json={"error": "InvalidRequest"})
    with pytest.raises(Disconnected):
        sky.call("POST", "a")
    with pytest.raises(Rejected):
        sky.call("POST", "b")


@pytest.mark.parametrize("media_type", ["text/html; charset=utf-8", "text/plain", ""])
def test_an_html_page_with_status_200_is_no_success(example, outside, media_type):
    outside.always(status=200, body=b"<html>", headers={"Content-Type": media_type})
    with pytest.raises(Misconfigured):
        example.call("GET", "posts")
    with pytest.raises(Uncertain):
        example.call("POST", "posts", json={})
    with pytest.raises(Unavailable):
        example.call("PUT", "posts", json={})


def test_unreadable_json_leaves_the_outcome_unknown(example, outside):
    outside.always(status=200, body=b'{"id": ', headers={"Content-Type": "application/json"})
    with pytest.raises(Uncertain):
        example.call("POST", "posts", json={})
    with pytest.raises(Unavailable):
        example.call("PUT", "posts", json={})


@pytest.mark.parametrize("body", [{}, {"data": {}}, {"data": {"id": None}}, {"data": {"id": ""}}, [1]])
def test_a_response_without_the_id_leaves_the_outcome_unknown(example, outside, body):
    outside.always(status=201, json=body)
    with pytest.raises(Uncertain):
        example.call("POST", "posts", json={}, need="data.id")


def test_no_content_is_a_success_if_no_field_is_needed(example, outside):
    outside.always(status=204)
    assert example.call("DELETE", "posts/7").status == 204
    with pytest.raises(Unavailable):
        example.call("PUT", "posts/7", need="id")


def test_reads_follow_a_limited_number_of_redirects(example, outside):
    outside.teach("GET", POSTS, status=308, headers={"Location": "/v2/posts"})
    outside.teach("GET", "https://api.example/v2/posts", json=[])
    assert example.call("GET", "posts").json() == []


@pytest.mark.parametrize(
    "body",
    [
        {"error": "Title is taken"},
        {"error": {"message": "Title is taken"}},
        {"errors": ["Title is taken"]},
        {"errors": [{"detail": "Title is taken"}]},
        {"message": "Title\n  is taken"},
        {"title": "Bad Request", "detail": "Title is taken"},
    ],
)
def test_the_error_message_of_the_platform_is_passed_on(example, outside, body):
    outside.always(status=422, json=body)
    with pytest.raises(Rejected, match="Title is taken"):
        example.call("POST", "posts", json={})


def test_platform_messages_are_truncated_and_contain_no_secrets(example, outside):
    outside.always(status=401, json={"error": "The token s3cret " + "x" * 1000})
    with pytest.raises(Disconnected) as caught:
        example.call("POST", "posts", json={})
    assert "s3cret" not in str(caught.value)
    assert len(str(caught.value)) < 400
