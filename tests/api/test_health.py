"""/health and /ready: for monitoring, without a key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from blogsvc import create_app
from blogsvc.context import Tools
from blogsvc.models import Post, close_connections
from tests.api_client import Api
from tests.clock import Time


def test_health_is_ok_while_the_scheduler_runs(client: FlaskClient, tick: Callable[[], None], time: Time) -> None:
    tick()
    time.passes(seconds=89)
    answer = client.get("/health")
    assert answer.status_code == 200
    assert answer.json == {
        "status": "ok",
        "lastTickAt": "2026-11-24T09:00:00.000Z",
        "overduePosts": 0,
        "clockJumpSeconds": None,
        "clockAheadSeconds": None,
        "clockAheadOfDatabaseSeconds": None,
        "problems": [],
    }
    assert answer.headers["Cache-Control"] == "no-store"


def test_health_is_503_when_the_scheduler_has_stalled(
    client: FlaskClient, api: Api, a_post: Callable[..., Post], tick: Callable[[], None], time: Time
) -> None:
    tick()
    api.put(f"/posts/{a_post().id}", scheduledAt="2026-11-24T09:01:00Z")
    time.passes(minutes=5)
    answer = client.get("/health")
    assert answer.status_code == 503
    assert (answer.json["status"], answer.json["overduePosts"]) == ("stalled", 1)


def test_health_is_503_when_the_scheduler_has_never_run(client: FlaskClient) -> None:
    answer = client.get("/health")
    assert (answer.status_code, answer.json["lastTickAt"]) == (503, None)


def test_ready_is_200_once_the_database_schema_exists(
    client: FlaskClient, tools: Tools, tmp_path: Path, blank_database_url: str
) -> None:
    assert client.get("/ready").status_code == 200
    (tmp_path / "blank").mkdir()
    config = replace(tools.config, instance=tmp_path / "blank", database_url=blank_database_url)
    blank = replace(tools, config=config)
    app = create_app(tools=blank)
    assert app.test_client().get("/ready").status_code == 503
    with app.app_context():
        close_connections()


@pytest.mark.sqlite("on PostgreSQL, processes report themselves")
def test_health_names_servers_whose_processes_count_requests_by_themselves(
    client: FlaskClient, api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    (problem,) = client.get("/health", multiprocess=True).json["problems"]
    assert (problem["code"], problem["setting"]) == ("counters", "BLOGSVC_REDIS_URL")
    for _ in range(2):
        client.get("/api/v1/me", headers={"Authorization": f"Bearer {api.key}"}, multiprocess=True)
    assert caplog.messages.count(problem["message"]) == 1


@pytest.mark.sqlite("on PostgreSQL, processes report themselves")
def test_processes_that_count_requests_in_redis_are_no_problem(client: FlaskClient, tools: Tools) -> None:
    app = create_app(tools=replace(tools, config=replace(tools.config, redis_url="redis://127.0.0.1:1/0")))
    for each, count in ((client, 1), (app.test_client(), 0)):
        answer = each.get("/health", multiprocess=True)
        assert answer.json is not None
        assert len(answer.json["problems"]) == count
    with app.app_context():
        close_connections()


def test_the_health_of_all_processes_is_not_for_everybody(client: FlaskClient) -> None:
    answer = client.get("/health/all")
    assert answer.status_code == 404
    assert "Set BLOGSVC_METRICS_TOKEN" in answer.text


@pytest.mark.sqlite("on PostgreSQL, processes report themselves")
@pytest.mark.settings(metrics_token="a-token")
def test_the_health_of_all_processes_is_for_who_has_the_token(client: FlaskClient, tick: Callable[[], None]) -> None:
    tick()
    assert client.get("/health/all", headers={"Authorization": "Bearer another"}).status_code == 401
    answer = client.get("/health/all", headers={"Authorization": "Bearer a-token"}, multiprocess=True)
    assert answer.status_code == 200
    assert answer.json["status"] == "ok"
    assert answer.json["problems"][0]["code"] == "counters"
    assert answer.json["processes"] == []  # they report themselves only to PostgreSQL
