"""The lines of the log."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Callable
from datetime import datetime

import pytest
from flask.testing import FlaskClient

from blogsvc.models import Post
from blogsvc.server.log_handler import GatheringHandler
from blogsvc.server.logging import AccessRecord, JsonFormatter, OneLineFormatter, access
from tests.api.key_calls import id_of
from tests.api_client import Api

PATIENCE = 10.0  # seconds


def record_at(created: float) -> logging.LogRecord:
    record = logging.LogRecord("a", logging.INFO, "", 0, "some words", None, None)
    record.created, record.msecs = created, created % 1 * 1000
    return record


def test_each_line_has_its_time() -> None:
    formatter = OneLineFormatter("%(asctime)s %(levelname)s %(message)s")
    plain = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    for created in (1_795_251_600.123, 1_795_251_600.999, 1_795_251_601.0, 1_795_251_600.5):
        assert formatter.format(record_at(created)) == plain.format(record_at(created))


def test_json_lines_have_the_time_with_its_zone() -> None:
    formatter = JsonFormatter()
    for created in (1_795_251_600, 1_795_251_601, 1_795_251_600):
        line = json.loads(formatter.format(record_at(created)))
        assert datetime.fromisoformat(line["time"]).timestamp() == created
        assert line["message"] == "some words"


def test_json_lines_of_requests_and_deliveries_have_fields(
    api: Api,
    a_post: Callable[..., Post],
    connect: Callable[..., str],
    tick: Callable[[], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    post = a_post(live=True, platforms=[connect()])
    tick()
    api.get(f"/posts/{post.id}?fields=title", headers={"X-Request-Id": "abc"})
    lines = [json.loads(JsonFormatter().format(record)) for record in caplog.records]
    (request,) = [line for line in lines if line["logger"] == access.name]
    (delivery,) = [line for line in lines if "delivery_id" in line]
    assert (
        request.items()
        >= {
            "method": "GET",
            "path": f"/api/v1/posts/{post.id}",
            "status": 200,
            "request_id": "abc",
            "key_id": id_of(api),
            "client": "127.0.0.1",
        }.items()
    )
    assert isinstance(request["ms"], float)
    assert delivery.items() >= {"platform": "hook", "operation": "create", "attempt": 1, "outcome": "delivered"}.items()
    assert delivery["delivery_id"] == post.deliveries[0].id


def gathering() -> GatheringHandler:
    handler = GatheringHandler(io.StringIO(), access.name)
    handler.setFormatter(OneLineFormatter("%(levelname)s %(message)s"))
    return handler


def written(handler: GatheringHandler) -> list[str]:
    assert isinstance(handler.stream, io.StringIO)
    return handler.stream.getvalue().splitlines()


def test_lines_of_requests_are_written_a_moment_later() -> None:
    handler = gathering()
    for number in range(100):
        handler.handle(AccessRecord("request %d", (number,)))
    end = time.monotonic() + PATIENCE
    while len(written(handler)) < 100:
        assert time.monotonic() < end
        time.sleep(0.005)

    assert written(handler) == [f"INFO request {number}" for number in range(100)]


def test_all_other_lines_are_written_at_once_and_in_order() -> None:
    handler = gathering()
    handler.handle(AccessRecord("request %d", (1,)))
    handler.handle(record_at(time.time()))

    assert written(handler) == ["INFO request 1", "INFO some words"]


def test_what_is_gathered_is_written_at_the_end() -> None:
    handler = gathering()
    handler.handle(AccessRecord("request %d", (1,)))
    handler.flush()

    assert written(handler) == ["INFO request 1"]


def test_a_record_of_a_request_has_the_attributes_of_every_record() -> None:
    every = vars(logging.LogRecord("a", logging.INFO, "", 0, "some words", None, None))
    record = AccessRecord("request %d", (1,))

    assert [name for name in every if not hasattr(record, name)] == []
    assert (record.name, record.getMessage()) == (access.name, "request 1")


@pytest.mark.parametrize("line", ["\n", "\r\n", "\u2028", "\x1b[2K", "\x85"])
def test_a_path_stays_on_its_line(client: FlaskClient, caplog: pytest.LogCaptureFixture, line: str) -> None:
    caplog.set_level(logging.INFO, access.name)
    client.open("/", environ_overrides={"PATH_INFO": f"/a{line}2026-11-23 INFO forged".encode().decode("latin-1")})
    (record,) = [record for record in caplog.records if record.name == access.name]
    assert record.getMessage().isprintable()
    assert "forged" in record.getMessage()
