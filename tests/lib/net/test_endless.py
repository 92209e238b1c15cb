"""Answers without end: what a server can make us read is limited in bytes and pieces, not only in time.

The servers count what they could send. The buffers of the system hold some MiB of that, so the bounds are wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from blogsvc.connectors._kit.images import ImageSource
from blogsvc.connectors.errors import Unavailable
from blogsvc.connectors.nostr.identity import Identity
from blogsvc.connectors.nostr.relays import Relay
from blogsvc.lib.net.http import HttpClient, RequestNotSent, ResponseEndless, ResponseLost, Timeout
from blogsvc.lib.net.smtp import Mailer, MailError
from tests import endless
from tests.endless import MIB, Endless, EndlessServer
from tests.receiver import Receiver

BUFFERS = 12 * MIB  # of the system, between the server and us
PATIENT = Timeout.within(120)


@pytest.fixture
def http() -> Iterator[HttpClient]:
    http = HttpClient(allow_private=True, timeout=PATIENT)
    yield http
    http.close()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", endless.HTTP)
def test_an_answer_without_end_is_cut_off(http: HttpClient, name: str, method: str) -> None:
    with EndlessServer(endless.HTTP[name]) as server:
        with pytest.raises(ResponseLost) as caught:
            http.request(method, server.url)
        assert "in time" not in str(caught.value)
        assert server.sent < 5 * MIB + BUFFERS


@pytest.mark.parametrize("name", ["early hints", "chunk extensions", "chunks of empty deflate blocks"])
def test_a_host_of_images_without_end_is_asked_once(http: HttpClient, name: str) -> None:
    with EndlessServer(endless.HTTP[name]) as server:
        images = ImageSource(http)
        assert [images.get(f"{server.url}{number}.png") for number in range(5)] == [None] * 5
        assert server.connections == 1
        assert server.sent < 41 * MIB + BUFFERS


@pytest.mark.parametrize("name", endless.FINISHED)
def test_what_follows_an_answer_is_not_read(http: HttpClient, name: str) -> None:
    with EndlessServer(endless.FINISHED[name]) as server:
        assert http.request("GET", server.url).body == b"done"
        assert server.sent < BUFFERS


@pytest.mark.parametrize("pieces", [10, 10_000])
def test_a_small_answer_may_come_in_the_smallest_chunks(http: HttpClient, pieces: int) -> None:
    with EndlessServer(Endless(endless.CHUNKED + b"1\r\nx\r\n" * pieces + b"0\r\n\r\n")) as server:
        assert http.request("GET", server.url).body == b"x" * pieces


def test_an_answer_of_too_many_pieces_is_cut_off_though_it_is_small(http: HttpClient) -> None:
    with (
        EndlessServer(Endless(endless.CHUNKED + b"1\r\nx\r\n" * 200_000 + b"0\r\n\r\n")) as server,
        pytest.raises(ResponseEndless),
    ):
        http.request("GET", server.url)


def test_a_large_answer_may_come_in_small_chunks(http: HttpClient) -> None:
    chunk = b"%x\r\n%s\r\n" % (256, b"x" * 256)
    with EndlessServer(Endless(endless.CHUNKED + chunk * 8192 + b"0\r\n\r\n")) as server:
        assert len(http.request("GET", server.url).body) == 2 * MIB


def test_each_request_on_a_connection_may_have_an_answer_of_the_largest_size(http: HttpClient) -> None:
    with Receiver() as receiver:
        receiver.answer["text"] = "x" * MIB
        for _ in range(8):
            assert len(http.request("GET", receiver.url).body) > MIB
        assert receiver.connections == 1


@pytest.mark.parametrize("name", endless.WEBSOCKET)
def test_a_websocket_without_end_is_cut_off(http: HttpClient, name: str) -> None:
    with EndlessServer(endless.WEBSOCKET[name], is_websocket=True) as server:
        with pytest.raises((ResponseEndless, RequestNotSent)) as caught:  # the latter if frames come with the handshake
            receive_all(http, server.url.replace("http", "ws"))
        assert "far more data" in str(caught.value)
        assert server.sent < 17 * MIB + BUFFERS


def receive_all(http: HttpClient, url: str) -> None:
    with http.websocket(url) as socket:
        while True:
            socket.receive()


def test_a_websocket_may_receive_many_messages(http: HttpClient) -> None:
    many = b"\x81\x7e\x10\x00" + b"x" * 4096
    with (
        EndlessServer(Endless(many * 1000), is_websocket=True) as server,
        http.websocket(server.url.replace("http", "ws")) as socket,
    ):
        assert [len(socket.receive()) for _ in range(1000)] == [4096] * 1000


HANDSHAKES = {name: endless.HTTP[name] for name in ("early hints", "headers", "one header", "a folded header")}


@pytest.mark.parametrize("name", [*HANDSHAKES, *endless.REFUSALS])
def test_a_handshake_of_a_websocket_without_end_is_cut_off(http: HttpClient, name: str) -> None:
    with EndlessServer((HANDSHAKES | endless.REFUSALS)[name]) as server:
        with pytest.raises(RequestNotSent) as caught, http.websocket(server.url.replace("http", "ws")):
            pass
        assert "in time" not in str(caught.value)
        assert server.sent < 4 * MIB


@pytest.mark.parametrize("name", endless.WEBSOCKET)
def test_a_relay_without_end_is_unavailable(http: HttpClient, name: str) -> None:
    with EndlessServer(endless.WEBSOCKET[name], is_websocket=True) as server:
        relay = Relay(server.url.replace("http", "ws"), http, Identity(b"1" * 32), lambda: 0)
        with pytest.raises(Unavailable) as caught:
            relay.ask({"kinds": [0]})
        assert "in time" not in str(caught.value)
        assert server.sent < 17 * MIB + BUFFERS


@pytest.mark.parametrize("name", endless.SMTP)
def test_an_answer_of_a_mail_server_without_end_is_cut_off(name: str) -> None:
    message = EmailMessage()
    message["To"] = "reader@reader.example"
    with EndlessServer(endless.SMTP[name], speaks_first=True) as server:
        mailer = Mailer(host="127.0.0.1", port=server.port, security="none", sender="a@b.example", seconds=120)
        with pytest.raises(MailError) as caught:
            mailer.send(message)
        assert "Check BLOGSVC_SMTP" in str(caught.value)
        assert server.sent < BUFFERS
