"""Routes that need no account: anybody may call them, so each bounds what a request costs."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.http.body_limits import MAX_ANONYMOUS, MAX_ANONYMOUS_FIELDS, MAX_BODY
from blogsvc.http.lanes import LANE
from blogsvc.models import Post, User
from blogsvc.posts import sharing
from blogsvc.web.framework.routes import DEMANDS
from tests.api_client import BOUNDARY, encoded_form
from tests.clock import Time
from tests.web.page_walk import Pages

FORM = "application/x-www-form-urlencoded"
READS = {"GET", "HEAD", "OPTIONS"}

# What limits how often a network can call each open route that changes something.
LIMITED = {
    "desk.login": "by account and network",
    "desk.login_code": "needs a session that awaits a code",
    "desk.ask_for_passkey": "changes nothing",
    "desk.login_by_passkey": "by network",
    "desk.logout": "ends the session of the request",
    "desk.invited": "the token has 192 bits",
    "desk.setup": "the token has 192 bits",
    "shared_draft.shared_draft": "by network, and by link",
    "api_root": "does not exist",
}


def changing(app: Flask) -> Iterator[tuple[str, str, str]]:
    """Yield endpoint, method and a path of every route that is not only for reading."""
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - READS):
            yield rule.endpoint, method, re.sub(r"<[^>]+>", "x", rule.rule)


def test_every_open_route_that_changes_something_is_known_with_its_limit(app: Flask) -> None:
    found = {endpoint for endpoint, _, _ in changing(app) if not endpoint.startswith("api.")}
    with_account = {f"desk.{name}" for name, role in DEMANDS.items() if role is not None}
    assert found - with_account == set(LIMITED)


@pytest.mark.parametrize("content_type", [FORM, "application/json", "multipart/form-data; boundary=b", "text/plain"])
def test_whoever_is_not_signed_in_cannot_make_any_route_read_a_long_body(
    app: Flask, client: FlaskClient, owner: User, content_type: str
) -> None:
    for endpoint, method, path in changing(app):
        body = io.BytesIO(b"a&" * (MAX_BODY // 2))
        answer = client.open(path, method=method, input_stream=body, content_length=MAX_BODY, content_type=content_type)
        assert body.tell() <= MAX_ANONYMOUS, f"{endpoint}: {method} {path}"
        assert answer.status_code in (303, 401, 404, 413, 429), f"{endpoint}: {method} {path}"


def test_an_open_route_reads_no_more_of_a_body_without_a_length(app: Flask, client: FlaskClient, owner: User) -> None:
    for endpoint, method, path in changing(app):
        body = io.BytesIO(b"a&" * (MAX_BODY // 2))
        overrides = {"wsgi.input_terminated": True, "wsgi.input": body, "CONTENT_TYPE": FORM}
        client.open(path, method=method, environ_overrides=overrides)
        assert body.tell() <= MAX_ANONYMOUS + 1, f"{endpoint}: {method} {path}"


def test_a_form_with_many_fields_is_refused_before_it_is_parsed(visitor: Pages, owner: User) -> None:
    for path in ("/login", "/logout", "/login/code"):
        answer = visitor.client.post(path, data="a&" * MAX_ANONYMOUS_FIELDS, content_type=FORM)
        assert answer.status_code == 413
        assert "This form can send at most 16 KiB and 50 fields. Nothing was changed." in answer.text


def test_a_user_may_send_a_long_text_and_a_thousand_fields(pages: Pages, a_post: Callable[..., Post]) -> None:
    post, token = a_post(), pages.token()
    form = {"csrf_token": token, "title": "Long", "content": "word " * 180_000, "rev": str(post.rev)}
    assert pages.client.post(f"/desk/posts/{post.id}/draft", data=form).status_code == 303
    form["rev"] = str(post.rev)
    parts = {"data": encoded_form(form), "content_type": f"multipart/form-data; boundary={BOUNDARY}"}
    assert pages.client.post(f"/desk/posts/{post.id}/draft", **parts).status_code == 303
    assert pages.client.post(f"/desk/posts/{post.id}/draft", data="a&" * 1000, content_type=FORM).status_code == 413


def test_requests_without_an_account_never_enter_a_lane(app: Flask, client: FlaskClient, owner: User) -> None:
    for rule in app.url_map.iter_rules():
        for method in rule.methods or ():
            path = re.sub(r"<[^>]+>", "x", rule.rule)
            client.open(path, method=method, data="a&" * 10, content_type=FORM, environ_overrides={LANE: ""})


@pytest.mark.settings(sign_ins_per_minute=3)
@pytest.mark.parametrize("path", ["/login", "/login/passkey/answer"])
def test_a_network_cannot_sign_in_wrongly_without_end(visitor: Pages, owner: User, path: str) -> None:
    answers = [visitor.post(path, email=f"{n}@blog.example", password="wrong").status_code for n in range(5)]
    assert answers[-1] == 429


def test_a_network_cannot_open_share_links_without_end(client: FlaskClient) -> None:
    assert [client.post("/draft/wrong").status_code for _ in range(80)][-1] == 429


def test_the_longest_comment_fits_in_any_language(client: FlaskClient, a_post: Callable[..., Post], time: Time) -> None:
    _, token = sharing.share(a_post(), "For Ben", 7, time.now)
    form = {"name": "名" * 100, "text": "語" * sharing.MAX_COMMENT_LENGTH, "quote": "語" * sharing.MAX_QUOTE_LENGTH}
    assert client.post(f"/draft/{token}", data=form).status_code == 303
