"""WebSockets of the HTTP client: allowed addresses, size limits and timeouts."""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from websockets.sync.server import serve

from blogsvc.lib.net.http import AddressRefused, HttpClient, RequestNotSent, ResponseLost, ResponseTooLarge, Timeout
from blogsvc.lib.net.websocket import HandshakeRefused
from tests.lib.net.test_http import NOBODYS, PRIVATE, TLSServer
from tests.outside import Outside
from tests.receiver import Receiver, free_port

SHORT = Timeout(connect=0.5, read=0.3, total=0.6)


@contextmanager
def server(handler, **options):
    """Run a WebSocket server on loopback with this handler, and yield its URL."""
    with serve(handler, "127.0.0.1", 0, close_timeout=0.5, **options) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"ws://127.0.0.1:{listening.socket.getsockname()[1]}"


def echo(connection):
    for message in connection:
        connection.send(f"You said {message}")


@pytest.fixture
def http():
    with_room = HttpClient(allow_private=True)
    yield with_room
    with_room.close()


def test_messages_are_sent_and_received(http):
    with server(echo) as url, http.websocket(f"{url}/path?query=1") as socket:
        socket.send("Hello")
        assert socket.receive() == "You said Hello"
        socket.send("👋")
        assert socket.receive() == "You said 👋"


def test_the_handshake_sends_the_user_agent_and_the_whole_path(http):
    seen = []

    def look(connection):
        seen.append((connection.request.path, connection.request.headers["User-Agent"]))

    with server(look) as url, http.websocket(f"{url}/path?query=1") as socket, pytest.raises(ResponseLost):
        socket.receive()
    assert seen == [("/path?query=1", http.user_agent)]


def test_a_fragmented_message_is_reassembled(http):
    with server(lambda connection: connection.send(["a", "b", "c"])) as url, http.websocket(url) as socket:
        assert socket.receive() == "abc"


def test_a_ping_is_answered_and_is_no_message(http):
    def ping(connection):
        connection.ping().wait(5)
        connection.send("You are there")

    with server(ping) as url, http.websocket(url) as socket:
        assert socket.receive() == "You are there"


def test_messages_before_a_close_are_received(http):
    def parting(connection):
        connection.send("Farewell")

    with server(parting) as url, http.websocket(url) as socket:
        assert socket.receive() == "Farewell"
        with pytest.raises(ResponseLost, match="closed"):
            socket.receive()
        with pytest.raises(ResponseLost):
            socket.send("Wait")


@pytest.mark.parametrize("address", PRIVATE + NOBODYS)
def test_a_name_that_resolves_to_a_private_address_is_rejected(address):
    http = HttpClient(resolver=lambda host, port: [address])
    with pytest.raises(AddressRefused), http.websocket("wss://relay.example/"):
        pass


@pytest.mark.parametrize("url", ["ws://127.0.0.1:1/", "ws://localhost:1/", "ws://0x7f.1:1/", "wss://[::1]:1/"])
def test_localhost_is_rejected(url):
    with pytest.raises(AddressRefused) as caught, HttpClient().websocket(url):
        pass
    assert caught.value.is_private


@pytest.mark.parametrize("url", ["https://relay.example/", "relay.example", "ws://me:pw@relay.example/", "wss://a b/"])
def test_a_url_that_is_not_a_websocket_is_rejected(http, url):
    with pytest.raises(AddressRefused), http.websocket(url):
        pass


def test_the_connection_uses_the_checked_address():
    asked = []
    with server(echo) as url:
        port = url.rpartition(":")[2]
        http = HttpClient(allow_private=True, resolver=lambda host, port: asked.append(host) or ["127.0.0.1"])
        with http.websocket(f"ws://relay.example:{port}") as socket:
            socket.send("Hello")
            assert socket.receive() == "You said Hello"
    assert asked == ["relay.example"]


def test_a_certificate_is_checked_against_the_name(tmp_path, monkeypatch):
    with TLSServer(tmp_path, "relay.example") as tls:
        monkeypatch.setenv("SSL_CERT_FILE", str(tls.authority))
        http = HttpClient(allow_private=True, resolver=lambda host, port: ["127.0.0.1"])
        with pytest.raises(RequestNotSent, match="certificate"), http.websocket(f"wss://other.example:{tls.port}/"):
            pass
        with pytest.raises(HandshakeRefused), http.websocket(f"wss://relay.example:{tls.port}/"):
            pass  # its certificate is valid, but it speaks only HTTP


def test_messages_are_sent_over_tls(tmp_path, monkeypatch):
    with TLSServer(tmp_path, "relay.example") as tls, server(echo, ssl=tls.context) as url:
        monkeypatch.setenv("SSL_CERT_FILE", str(tls.authority))
        http = HttpClient(allow_private=True, resolver=lambda host, port: ["127.0.0.1"])
        with http.websocket(f"wss://relay.example:{url.rpartition(':')[2]}") as socket:
            socket.send("Hello")
            assert socket.receive() == "You said Hello"


def test_an_unreachable_server_was_never_sent(http):
    with pytest.raises(RequestNotSent, match="could not be reached"), http.websocket(f"ws://127.0.0.1:{free_port()}"):
        pass


@pytest.mark.parametrize("status", [301, 302, 404, 429, 503])
def test_a_failed_handshake_is_reported_with_its_status(http, status):
    elsewhere = []
    with server(lambda connection: elsewhere.append(connection)) as target:

        def decline(connection, request):
            answer = connection.respond(status, "No")
            answer.headers["Location"] = target
            return answer

        with (
            server(echo, process_request=decline) as url,
            pytest.raises(HandshakeRefused) as caught,
            http.websocket(url),
        ):
            pass
    assert caught.value.status == status
    assert elsewhere == []  # a redirect is not followed


@pytest.mark.parametrize("behaviour", ["rubbish", "reset", "ok"])
def test_a_server_with_another_protocol_was_never_sent(http, behaviour):
    with Receiver() as receiver:
        receiver.will(behaviour)
        with pytest.raises(RequestNotSent), http.websocket(receiver.url.replace("http", "ws")):
            pass


@pytest.mark.parametrize("behaviour", ["hang", "drip"])
def test_a_server_that_hangs_in_the_handshake_was_never_sent(http, behaviour):
    with Receiver() as receiver:
        receiver.will(behaviour)
        started = time.monotonic()
        with pytest.raises(RequestNotSent), http.websocket(receiver.url.replace("http", "ws"), timeout=SHORT):
            pass
        assert time.monotonic() - started < 5


def test_a_server_that_hangs_after_the_handshake_loses_the_response(http):
    over = Event()
    with server(lambda connection: over.wait(10)) as url:
        with pytest.raises(ResponseLost, match="in time"), http.websocket(url, timeout=SHORT) as socket:
            socket.receive()
        over.set()


def test_endless_messages_cannot_exceed_the_total_timeout(http):
    def chatter(connection):
        while True:
            connection.send("And another thing")
            time.sleep(0.02)

    started = time.monotonic()
    with server(chatter) as url, http.websocket(url, timeout=SHORT) as socket, pytest.raises(ResponseLost):
        list(iter(socket.receive, None))
    assert time.monotonic() - started < 5


def test_a_server_that_does_not_read_cannot_block_a_send(http):
    """The buffers of the network fill up eventually."""
    over = Event()
    with server(lambda connection: over.wait(10), max_size=None) as url:
        with http.websocket(url, timeout=SHORT) as socket, pytest.raises(ResponseLost):
            list(map(socket.send, ["x" * 1_000_000] * 100))
        over.set()


@pytest.mark.parametrize("message", ["x" * 2000, ["x" * 600, "x" * 600]], ids=["whole", "in pieces"])
def test_a_message_over_the_size_limit_is_rejected(http, message):
    def say(connection):
        connection.send(message)

    with server(say) as url, http.websocket(url, max_bytes=1000) as socket, pytest.raises(ResponseTooLarge):
        socket.receive()


def test_a_broken_connection_loses_the_response(http):
    def vanish(connection):
        connection.socket.close()

    with server(vanish) as url, pytest.raises(ResponseLost), http.websocket(url) as socket:
        socket.receive()


def test_the_fake_outside_has_no_websockets():
    with pytest.raises(RequestNotSent), Outside().http().websocket("wss://relay.example"):
        pass
