"""Idempotency keys: a repeated request is executed once and gets the same response."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.api.framework.idempotency import Running
from blogsvc.api.framework.problems import Problem
from blogsvc.context import Tools
from blogsvc.models import IdempotentResponse, Post, db, transaction
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.api.faults import faults
from tests.api.key_calls import make
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

KEY = {"Idempotency-Key": "8e03978e-40d5-43e8-bc93-6894a57f9324"}


def count() -> int:
    found: int = db.session.execute(db.text("SELECT count(*) FROM post")).scalar_one()
    return found


def test_repeating_a_request_with_an_idempotency_key_returns_the_same_response(api: Api) -> None:
    first, again = (api.post("/posts", title="Once", headers=KEY) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.data == first.data
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]
    assert count() == 1


@pytest.mark.parametrize(("first", "second"), [('"k"', "k"), ("k", '"k"'), (r'"a\"b\\"', 'a"b\\')])
def test_a_key_with_and_without_quotes_is_the_same_key(api: Api, first: str, second: str) -> None:
    answers = [api.post("/posts", title="Once", headers={"Idempotency-Key": key}) for key in (first, second)]
    assert answers[1].data == answers[0].data
    assert count() == 1


def test_the_quotes_do_not_count_for_the_length_of_a_key(api: Api) -> None:
    assert api.post("/posts", title="x", headers={"Idempotency-Key": f'"{"k" * 256}"'}).status_code == 400
    assert api.post("/posts", title="x", headers={"Idempotency-Key": f'"{"k" * 255}"'}).status_code == 201


def test_requests_without_an_idempotency_key_each_create_a_post(api: Api) -> None:
    for _ in range(2):
        api.post("/posts", title="Twice")
    assert count() == 2


@pytest.mark.parametrize(
    ("path", "body"), [("/posts", {"title": "Other"}), ("/posts/bulk", {"title": "Once"}), ("/posts", {})]
)
def test_an_idempotency_key_is_bound_to_one_request(api: Api, path: str, body: Any) -> None:
    api.post("/posts", title="Once", headers=KEY)
    if not body or path != "/posts":
        answer = api.post(path, json=body, headers=KEY)
        assert answer.status_code == 422
        return
    answer = api.post(path, json=body, headers=KEY)
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (422, "idempotency-key-reused")
    assert count() == 1


def test_a_key_belongs_to_the_query_of_its_request(api: Api) -> None:
    assert api.post("/posts?dryRun=false", title="Once", headers=KEY).status_code == 201
    answer = api.post("/posts", title="Once", headers=KEY)
    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (422, "idempotency-key-reused")


def test_another_api_key_may_use_the_same_idempotency_key(
    api: Api, client: FlaskClient, new_key: Callable[..., str]
) -> None:
    api.post("/posts", title="Mine", headers=KEY)
    answer = Api(client, new_key()).post("/posts", title="Theirs", headers=KEY)
    assert answer.status_code == 201
    assert count() == 2


def test_a_rejected_request_can_be_corrected_and_sent_again_with_the_same_idempotency_key(api: Api) -> None:
    assert api.post("/posts", title="x", slug="api", headers=KEY).status_code == 422
    assert api.post("/posts", title="x", slug="mended", headers=KEY).status_code == 201


def test_a_rejected_connection_can_be_corrected_and_sent_again_with_the_same_idempotency_key(
    api: Api, outside: Outside
) -> None:
    outside.teach("POST", "https://wrong.example/in", status=404)
    outside.teach("POST", "https://hook.example/in", status=200)
    hook = {"connector": "webhook", "name": "hook"}
    for _ in range(2):
        answer = api.post("/platforms", json=hook | {"settings": {"url": "https://wrong.example/in"}}, headers=KEY)
        assert faults(answer) == {"#/settings/url": "misconfigured"}
    answer = api.post("/platforms", json=hook | {"settings": {"url": "https://hook.example/in"}}, headers=KEY)
    assert answer.status_code == 201
    assert "Idempotency-Replayed" not in answer.headers


def test_a_repeated_request_is_replayed_even_if_its_time_has_passed(api: Api, time: Time) -> None:
    scheduled_at = (time() + timedelta(seconds=30)).isoformat()
    body = {"title": "Soon", "content": "Words.", "platforms": ["site"], "scheduledAt": scheduled_at}
    first = api.post("/posts", json=body, headers=KEY)
    time.passes(minutes=2)
    again = api.post("/posts", json=body, headers=KEY)
    assert (again.status_code, again.headers.get("Idempotency-Replayed")) == (first.status_code, "true")
    assert again.data == first.data
    assert faults(api.post("/posts", json=body, headers={"Idempotency-Key": "another"})) == {"#/scheduledAt": "in_past"}
    assert faults(api.post("/posts", json={**body, "title": ""}, headers=KEY)).keys() >= {"#/title"}
    assert count() == 1


def test_an_idempotency_key_can_be_reused_after_a_day(api: Api, time: Time) -> None:
    api.post("/posts", title="Once", headers=KEY)
    time.passes(hours=24, seconds=1)
    assert api.post("/posts", title="Other", headers=KEY).status_code == 201
    assert count() == 2


def test_expired_stored_responses_are_deleted(api: Api, tools: Tools, time: Time) -> None:
    api.post("/posts", title="Once", headers=KEY)
    time.passes(hours=25)
    run_daily_maintenance(tools)
    assert db.session.query(IdempotentResponse).count() == 0


@pytest.mark.parametrize("key", ["", "x" * 256, "ä\x01"])
def test_an_invalid_idempotency_key_is_rejected(api: Api, key: str) -> None:
    answer = api.post("/posts", title="x", headers={"Idempotency-Key": key})
    assert answer.status_code == 400
    assert "Idempotency-Key" in answer.json["detail"]


def test_publishing_again_with_the_same_key_publishes_nothing_new(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    post = a_post(platforms=["site", connect()])
    first = api.post(f"/posts/{post.id}/publish", headers=KEY)
    api.put(f"/posts/{post.id}", content="Changed meanwhile.")
    again = api.post(f"/posts/{post.id}/publish", headers=KEY)
    assert again.data == first.data
    assert api.get(f"/posts/{post.id}").json["hasUnpublishedChanges"] is True


@pytest.mark.parametrize(
    ("path", "kept"), [("duplicate", ["posts:write"]), ("publish", ["posts:publish"]), ("bulk", ["posts:write"])]
)
def test_a_key_that_may_not_read_any_more_gets_no_stored_post(
    api: Api, client: FlaskClient, a_post: Callable[..., Post], path: str, kept: list[str]
) -> None:
    post = a_post(content="A secret.")
    mine = make(api, "posts:read", *kept)
    caller = Api(client, mine["key"])
    if path == "bulk":
        body = {"operations": [{"operation": "duplicate", "id": post.id}]}
        first, again = (partial(caller.post, "/posts/bulk", headers=KEY, **body) for _ in range(2))
    else:
        first, again = (partial(caller.post, f"/posts/{post.id}/{path}", headers=KEY) for _ in range(2))
    assert "A secret." in first().text
    assert "A secret." in again().text
    api.patch(f"/keys/{mine['id']}", scopes=kept)
    refused = again()
    assert (refused.status_code, refused.json["scope"]) == (403, "posts:read")
    assert "A secret." not in refused.text


def test_a_key_that_may_only_write_gets_the_stored_response_to_what_it_sent(api: Api, client: FlaskClient) -> None:
    caller = Api(client, make(api, "posts:write")["key"])
    first, again = (caller.post("/posts", title="Once", headers=KEY) for _ in range(2))
    assert (again.status_code, again.data) == (201, first.data)


def test_a_failed_part_of_a_repeated_bulk_request_needs_no_scope(
    api: Api, client: FlaskClient, a_post: Callable[..., Post]
) -> None:
    post = a_post()
    caller = Api(client, make(api, "posts:write")["key"])
    body = {
        "operations": [{"operation": "create", "post": {"title": "Mine"}}, {"operation": "duplicate", "id": post.id}]
    }
    first, again = (caller.post("/posts/bulk", headers=KEY, **body) for _ in range(2))
    assert [result["status"] for result in first.json["results"]] == [201, 403]
    assert (again.status_code, again.data) == (200, first.data)


def test_the_idempotency_key_is_ignored_on_put(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post()
    for title in ("One", "Two"):
        assert api.put(f"/posts/{post.id}", title=title, headers=KEY).json["title"] == title


def test_a_second_request_is_rejected_while_the_first_is_in_progress(app: Flask) -> None:
    running, inside, done = Running(), Event(), Event()

    def first() -> None:
        with running.alone(("key", "x")):
            inside.set()
            done.wait(10)

    thread = Thread(target=first)
    thread.start()
    assert inside.wait(10)
    with pytest.raises(Problem) as refusal, running.alone(("key", "x")):
        pass
    assert refusal.value.slug == "request-in-progress"
    with running.alone(("key", "another")):
        done.set()
    thread.join()
    with running.alone(("key", "x")):
        pass


def test_a_change_and_its_stored_response_are_committed_together(api: Api) -> None:
    """A post whose response cannot be stored is not created: the repeated request creates it once."""
    api.post("/posts", title="Same", headers=KEY)
    with transaction():
        db.session.execute(db.text("CREATE UNIQUE INDEX one_of_a_kind ON idempotent_response (fingerprint)"))
    other = {"Idempotency-Key": "another"}
    assert api.post("/posts", title="Same", headers=other).status_code == 500
    assert count() == 1
    with transaction():
        db.session.execute(db.text("DROP INDEX one_of_a_kind"))
    assert api.post("/posts", title="Same", headers=other).status_code == 201
    assert count() == 2


def test_stored_responses_are_encrypted_in_the_database(api: Api, instance: Path) -> None:
    api.post("/posts", title="Once", headers=KEY)
    stored = db.session.query(IdempotentResponse).one()
    assert b"Once" not in stored.sealed
