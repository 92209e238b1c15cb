"""/health and /ready: for monitoring, without a key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

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
