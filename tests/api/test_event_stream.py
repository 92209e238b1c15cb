"""The event stream of the real server, with many listeners."""

from __future__ import annotations

import ctypes
import http.client
import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from blogsvc import create_app, make_tools, migrate
from blogsvc.auth import api_keys
from blogsvc.lib.time import utc_now
from blogsvc.models import close_connections, db
from tests.clock import eventually
from tests.kill.server import Server, call

PATIENCE = 20.0  # seconds


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("stream") / "instance", shared_database_url)
    server.start()
    try:
        server.wait_until_ready()
        yield server
        assert server.tracebacks() == []
    finally:
        server.kill()


@pytest.fixture(scope="module")
def new_key(server: Server) -> Iterator[Callable[[], tuple[str, Callable[[], None]]]]:
    """Return a function that creates an API key on the server and a function that revokes it."""
    app = create_app(tools=make_tools(server.config))
    migrate(app)

    def make() -> tuple[str, Callable[[], None]]:
        with app.app_context():
            key, text = api_keys.create("a listener", ["all"], None, utc_now())
            key_id = key.id

        def revoke() -> None:
            with app.app_context():
                api_keys.revoke(key_id, utc_now())

        return text, revoke

    yield make
    with app.app_context():
        db.engine.dispose()


@pytest.fixture(scope="module")
def key(new_key: Callable[[], tuple[str, Any]]) -> str:
    return new_key()[0]


class EventListener:
    """One client of the event stream."""

    def __init__(self, port: int, key: str, path: str = "", **headers: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        self.connection.request("GET", f"/api/v1/events/stream{path}", headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200
        assert self.answer.readline() == b"retry: 3000\n"

    def next(self) -> dict[str, Any]:
        """Return the next event. Fails if none arrives in time."""
        fields: dict[str, str] = {}
        while "data" not in fields:
            line = self.answer.readline().decode()
            assert line, "the stream ended"
            name, _, value = line.strip().partition(": ")
            if value:
                fields[name] = value
        event: dict[str, Any] = json.loads(fields["data"])
        assert (event["id"], event["type"]) == (fields["id"], fields["event"])
        return event

    def ends(self, without: bytes = b"\0") -> bool:
        """Read until the server ends the stream. Return False if it goes on, with heartbeats, for too long.

        Fails if the words `without` arrive.
        """
        deadline = time.monotonic() + PATIENCE
        while line := self.answer.readline():
            assert without not in line
            if time.monotonic() > deadline:
                return False
        return True


@contextmanager
def listen(server: Server, key: str, path: str = "", **headers: str) -> Iterator[EventListener]:
    one = EventListener(server.port, key, path, **headers)
    try:
        yield one
    finally:
        one.connection.close()


def post(server: Server, key: str, title: str) -> str:
    status, document = call(server.port, "POST", "/api/v1/posts", key, {"title": title})
    assert status == 201
    post_id: str = document["id"]
    return post_id


def test_an_event_is_streamed_at_once(server: Server, key: str) -> None:
    with listen(server, key) as listener:
        post_id = post(server, key, "Told")
        event = listener.next()
        assert (event["type"], event["postId"]) == ("post.created", post_id)


def test_a_reconnecting_listener_receives_the_events_it_missed(server: Server, key: str) -> None:
    with listen(server, key) as listener:
        post(server, key, "Heard")
        last = listener.next()["id"]
    missed = [post(server, key, f"Missed {number}") for number in range(120)]
    with listen(server, key, Last_Event_ID=last) as listener:
        assert [listener.next()["postId"] for _ in missed] == missed
        now = post(server, key, "And now")
        assert listener.next()["postId"] == now


def test_a_listener_receives_only_the_events_it_filtered_for(server: Server, key: str) -> None:
    post_id = post(server, key, "Mine")
    with listen(server, key, f"?type=post.deleted&postId={post_id}") as listener:
        other = post(server, key, "Another's")
        for one in (other, post_id):
            assert call(server.port, "DELETE", f"/api/v1/posts/{one}", key)[0] == 200
        assert listener.next()["postId"] == post_id


def test_two_hundred_listeners_all_receive_the_event_and_block_nobody(
    server: Server, key: str, new_key: Callable[[], tuple[str, Any]]
) -> None:
    keys = [new_key()[0] for _ in range(10)]
    with ExitStack() as stack:
        ears = [stack.enter_context(listen(server, keys[number % 10])) for number in range(200)]
        post_id = post(server, key, "To all")
        assert {listener.next()["postId"] for listener in ears} == {post_id}
        assert _threads(server) < 60


def test_a_key_has_at_most_twenty_streams(server: Server, key: str, new_key: Callable[[], tuple[str, Any]]) -> None:
    limited, _ = new_key()
    with ExitStack() as stack:
        ears = [stack.enter_context(listen(server, limited)) for _ in range(20)]
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        stack.callback(connection.close)
        connection.request("GET", "/api/v1/events/stream", headers={"Authorization": f"Bearer {limited}"})
        refused = connection.getresponse()
        document = json.loads(refused.read())
        assert (refused.status, refused.headers["Retry-After"]) == (429, "60")
        assert "already has 20 event streams" in document["detail"]
        with listen(server, key):  # another key
            pass
        ears[0].connection.close()
        ears[0].answer.close()
        eventually(lambda: _is_streamed(server, limited))


def _is_streamed(server: Server, key: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request("GET", "/api/v1/events/stream", headers={"Authorization": f"Bearer {key}"})
        with connection.getresponse() as answer:
            return answer.status == 200
    finally:
        connection.close()


def _threads(server: Server) -> int:
    assert server.process is not None
    return len(list(Path(f"/proc/{server.process.pid}/task").iterdir()))


def test_revoking_a_key_closes_its_event_stream(
    server: Server, new_key: Callable[[], tuple[str, Callable[[], None]]]
) -> None:
    text, revoke = new_key()
    with listen(server, text) as listener:
        revoke()
        assert listener.ends()


def test_a_key_that_may_not_read_posts_any_more_hears_no_further_event(server: Server, key: str) -> None:
    app = create_app(tools=make_tools(server.config))
    with app.app_context():
        made, text = api_keys.create("a listener", ["posts:read", "media:write"], None, utc_now())
        with listen(server, text) as listener:
            api_keys.change(made.id, {"scopes": ["media:write"]}, utc_now())
            post_id = post(server, key, "Not for this key")
            assert listener.ends(without=post_id.encode())
        db.engine.dispose()


def test_a_stopping_server_closes_its_event_streams(tmp_path: Path, server: Server, key: str) -> None:
    other = Server(server.instance, server.database_url)
    other.start()
    try:
        other.wait_until_ready()
        with listen(other, key) as listener:
            began = time.monotonic()
            assert other.terminate() == 0
            assert listener.ends()
            assert time.monotonic() - began < 5  # its grace period is for requests that end
    finally:
        other.kill()


def test_events_from_another_process_are_streamed_too(server: Server, key: str) -> None:
    other = Server(server.instance, server.database_url)
    other.start()
    try:
        other.wait_until_ready()
        with listen(server, key) as listener:
            post_id = post(other, key, "Over there")
            assert listener.next()["postId"] == post_id
    finally:
        other.kill()


def send_raw(server: Server, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as line:
        line.sendall(request)
        answer = b""
        while part := line.recv(65536):
            answer += part
        return answer


def test_a_chunked_request_body_is_reassembled(server: Server, key: str) -> None:
    head = f"POST /api/v1/posts HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n"
    head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = send_raw(server, head.encode() + b'8\r\n{"title"\r\n7\r\n:"abc"}\r\n0\r\n\r\n')
    assert answer.startswith(b"HTTP/1.1 201")
    assert b'"title":"abc"' in answer


def test_a_path_is_percent_decoded_once(server: Server) -> None:
    assert b"Nothing exists at /api/v1/a%2Fb." in send_raw(server, b"GET /api/v1/a%252Fb HTTP/1.0\r\n\r\n")


def test_a_header_with_underscores_is_not_read_as_one_with_hyphens(server: Server) -> None:
    answer = send_raw(server, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX_Request_Id: mine\r\n\r\n")
    assert b"x-request-id: mine" not in answer.lower()
    answer = send_raw(server, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: mine\r\n\r\n")
    assert b"x-request-id: mine" in answer.lower()


def test_an_endless_request_body_is_cut_off_at_the_size_limit(server: Server, key: str) -> None:
    head = f"POST /api/v1/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
    head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as line:
        line.sendall(head.encode())
        for _ in range(2 * 16):  # 2 MiB, without an end
            line.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        assert line.recv(12) == b"HTTP/1.1 413"


def test_a_server_stops_whichever_thread_receives_the_signal(tmp_path: Path, blank_database_url: str) -> None:
    """The system chooses the thread; Python runs the handler in the main thread once it wakes up."""
    server = Server(tmp_path / "instance", blank_database_url)
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        close_connections()
    server.start()
    try:
        server.wait_until_ready()
        assert server.process is not None
        pid = server.process.pid
        other = next(int(task.name) for task in Path(f"/proc/{pid}/task").iterdir() if int(task.name) != pid)
        assert ctypes.CDLL(None).tgkill(pid, other, signal.SIGTERM) == 0
        assert server.process.wait(15) == 0
    finally:
        server.kill()
