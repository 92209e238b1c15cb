"""Connections below the one door out (`http.py`): to checked addresses, and never beyond a deadline.

The address is checked where the connection is made, and it is that very address that is connected
to; so a name that resolves differently the second time gains nothing. TLS and the Host header still
use the name, because httpcore begins TLS on the stream that is handed to it.
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore2
import httpx2

from blogsvc.lib.net.deadline import Deadline
from blogsvc.lib.net.ssrf_guard import ResponseLost, ResponseTooLarge, SsrfGuard


class PinnedTransport(httpx2.HTTPTransport):
    """httpx's transport on connections of ours."""

    def __init__(self, guard: SsrfGuard) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            network_backend=Pinned(guard),
            max_connections=64,
            max_keepalive_connections=16,
            keepalive_expiry=5.0,
        )


class Pinned(httpcore2.NetworkBackend):
    """Connects to the address that was checked; for WebSockets (`websocket.py`) too."""

    def __init__(self, guard: SsrfGuard) -> None:
        self._guard = guard
        self._plain = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        failure: Exception = httpcore2.ConnectError("no address")
        for address in self._guard.addresses(host, port):
            limit = Deadline.cap(timeout, httpcore2.ConnectTimeout)
            try:
                return _Timed(self._plain.connect_tcp(address, port, limit, local_address, socket_options))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure


class _Timed(httpcore2.NetworkStream):
    """A stream whose every wait ends at the deadline of the request it serves."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, Deadline.cap(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, Deadline.cap(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        limit = Deadline.cap(timeout, httpcore2.ConnectTimeout)
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, limit))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def read(response: httpx2.Response, limit: int) -> bytes:
    """The body, unpacked. Raises TooLarge beyond `limit` bytes, AnswerLost where it cannot be unpacked."""
    body = bytearray()
    for chunk in _decoded(response, limit):
        body += chunk
        if len(body) > limit:
            raise ResponseTooLarge(f"The answer was larger than {limit} bytes.")
    return bytes(body)


def _decoded(response: httpx2.Response, limit: int) -> Iterator[bytes]:
    """The body's pieces, unpacked never more than `limit` bytes at a time."""
    assert isinstance(response.stream, httpx2.SyncByteStream)
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding in ("identity", ""):
        yield from response.stream
    elif coding in ("gzip", "x-gzip", "deflate"):
        yield from _inflated(response.stream, limit)
    else:
        raise ResponseLost("The answer was packed in a way that was not asked for.")


def _inflated(chunks: httpx2.SyncByteStream, limit: int) -> Iterator[bytes]:
    unpack = zlib.decompressobj(wbits=47)  # 32 + 15: gzip or zlib, by its own header
    try:
        for chunk in chunks:
            while chunk:
                yield unpack.decompress(chunk, limit + 1)
                chunk = unpack.unconsumed_tail
    except zlib.error:
        raise ResponseLost("The answer could not be unpacked.") from None
    if not unpack.eof:
        raise ResponseLost("The answer broke off.")
