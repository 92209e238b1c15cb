"""WebSockets to checked addresses, limited by the deadline and the allowance.

Frames are handled by the `websockets` library. Its client is not used, because it writes without a timeout
and does not check addresses; ours uses the same connections as HTTP (`transport.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field

import httpcore2
import httpx2
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus, PayloadTooBig, WebSocketException
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import WebSocketURI

from blogsvc.lib.net.allowance import Allowance
from blogsvc.lib.net.ssrf_guard import (
    HttpError,
    NoServer,
    RequestNotSent,
    ResponseEndless,
    ResponseLost,
    ResponseTooLarge,
    SsrfGuard,
)
from blogsvc.lib.net.transport import Pinned

READ_BYTES = 64 * 1024
DATA = frozenset({Opcode.TEXT, Opcode.BINARY, Opcode.CONT})


class HandshakeRefused(RequestNotSent):
    """The server responded without accepting the WebSocket. `status` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(eq=False)
class WebSocket:
    """An open WebSocket for text messages. Each wait ends after `patience` seconds, or at the deadline."""

    host: str
    patience: float
    _stream: httpcore2.NetworkStream = field(repr=False)
    _protocol: ClientProtocol = field(repr=False)
    _messages: deque[str] = field(default_factory=deque, repr=False)
    _parts: list[bytes] = field(default_factory=list, repr=False)

    def send(self, text: str) -> None:
        """Send a message. Raises ResponseLost."""
        with _explained(self.host, ResponseLost):
            self._protocol.send_text(text.encode())
            self._flush()

    def receive(self) -> str:
        """Return the next message. Raises ResponseLost, also if the server closes, sends too long or too many."""
        while not self._messages:
            if self._protocol.state is not State.OPEN:
                raise self._closed_error()
            with _explained(self.host, ResponseLost):
                self._receive_data()
        return self._messages.popleft()

    def shake_hands(self, user_agent: str) -> None:
        """Perform the opening handshake. Raises RequestNotSent."""
        request = self._protocol.connect()
        request.headers["User-Agent"] = user_agent
        with _explained(self.host, RequestNotSent):
            self._protocol.send_request(request)
            self._flush()
            while self._protocol.state is State.CONNECTING and self._protocol.handshake_exc is None:
                self._receive_data()
        if (error := self._protocol.handshake_exc) is not None:
            raise _handshake_error(self.host, error)

    def say_goodbye(self) -> None:
        """Send a close frame, without waiting for the response."""
        with suppress(WebSocketException, httpcore2.NetworkError, httpcore2.TimeoutException):
            self._protocol.send_close()
            self._flush()

    def _receive_data(self) -> None:
        """Read and process data, and respond to pings."""
        data = self._stream.read(READ_BYTES, self.patience)
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        for event in self._protocol.events_received():
            Allowance.spend()
            if isinstance(event, Frame) and event.opcode in DATA:
                self._parts.append(bytes(event.data))
                if event.fin:
                    self._messages.append(b"".join(self._parts).decode(errors="replace"))
                    self._parts.clear()
        with suppress(httpcore2.NetworkError):  # the server may have closed already
            self._flush()

    def _flush(self) -> None:
        if data := b"".join(self._protocol.data_to_send()):
            self._stream.write(data, self.patience)

    def _closed_error(self) -> HttpError:
        if isinstance(self._protocol.parser_exc, PayloadTooBig):
            return ResponseTooLarge(f"{self.host} sent a message that is too long.")
        return ResponseLost(f"{self.host} closed the connection before it responded.")


class Opener:
    """Opens WebSockets to allowed addresses."""

    def __init__(self, guard: SsrfGuard) -> None:
        self._network = Pinned(guard)
        self._tls = httpx2.create_ssl_context()
        self._tls.set_alpn_protocols(["http/1.1"])

    @contextmanager
    def open(
        self, url: httpx2.URL, user_agent: str, connect: float, patience: float, max_bytes: int
    ) -> Iterator[WebSocket]:
        host = url.raw_host.decode()
        with _explained(url.host, RequestNotSent):
            stream = self._connect(url, host, connect)
        with closing(stream):
            path, _, query = url.raw_path.decode().partition("?")
            uri = WebSocketURI(url.scheme == "wss", host, _port(url), path, query)
            protocol = ClientProtocol(uri, max_size=max_bytes)
            socket = WebSocket(url.host, patience, stream, protocol)
            socket.shake_hands(user_agent)
            try:
                yield socket
            finally:
                socket.say_goodbye()

    def _connect(self, url: httpx2.URL, host: str, seconds: float) -> httpcore2.NetworkStream:
        stream = self._network.connect_tcp(host, _port(url), seconds)
        if url.scheme != "wss":
            return stream
        try:
            return stream.start_tls(self._tls, host, seconds)
        except BaseException:
            stream.close()
            raise


def _port(url: httpx2.URL) -> int:
    return url.port or (443 if url.scheme == "wss" else 80)


def _handshake_error(host: str, error: Exception) -> RequestNotSent:
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        return HandshakeRefused(f"{host} does not accept WebSocket connections at this URL (HTTP {status}).", status)
    return RequestNotSent(f"{host} did not accept the WebSocket connection.")


@contextmanager
def _explained(host: str, kind: type[RequestNotSent | ResponseLost]) -> Iterator[None]:
    """Convert network errors to HttpError, without their messages."""
    try:
        yield
    except httpcore2.ConnectError as error:
        problem = "The certificate of {} is not valid." if "certificate" in str(error).lower() else ""
        raise NoServer(host, (problem or "{} could not be reached.").format(host)) from None
    except httpcore2.ConnectTimeout:
        raise NoServer(host, f"{host} could not be reached in time.") from None
    except httpcore2.TimeoutException:
        raise kind(f"{host} did not answer in time.") from None
    except ResponseEndless as error:
        raise (error if kind is ResponseLost else kind(f"{host}: {error}")) from None
    except (httpcore2.NetworkError, WebSocketException):
        raise kind(f"The connection to {host} broke before its answer was complete.") from None
