"""Connections to checked addresses, limited by the deadline and by the allowance of the request.

The address is checked and connected to in one step, so a name that resolves differently the second time (DNS
rebinding) has no effect. TLS and the Host header still use the name.
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore2
import httpx2

from blogsvc.lib.net.allowance import Allowance
from blogsvc.lib.net.deadline import Deadline
from blogsvc.lib.net.ssrf_guard import ResponseLost, ResponseTooLarge, SsrfGuard

# Bytes on the wire for each byte of the largest body: one that is not compressed may come in chunks of 270 bytes.
FRAMING = 2


class PinnedTransport(httpx2.HTTPTransport):
    """httpx's transport with our checked connections."""

    def __init__(self, guard: SsrfGuard) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            network_backend=Pinned(guard),
            max_connections=64,
            max_keepalive_connections=16,
            keepalive_expiry=5.0,
        )


class Pinned(httpcore2.NetworkBackend):
    """Connects to the checked address; also used for WebSockets."""

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
    """A stream that stops waiting at the deadline, and reading when the allowance is spent."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received = self._stream.read(max_bytes, Deadline.cap(timeout, httpcore2.ReadTimeout))
        Allowance.spend(len(received))
        return received

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
    """Return the decompressed body. Raises ResponseTooLarge beyond `limit` bytes, ResponseLost if it is invalid."""
    Allowance.extend(FRAMING * limit)
    body = bytearray()
    for chunk in _decoded(response, limit):
        body += chunk
        if len(body) > limit:
            raise ResponseTooLarge(f"The response was larger than {limit} bytes.")
    return bytes(body)


def _decoded(response: httpx2.Response, limit: int) -> Iterator[bytes]:
    """Yield the body in pieces, decompressing at most `limit` bytes at a time."""
    assert isinstance(response.stream, httpx2.SyncByteStream)
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding in ("identity", ""):
        yield from _pieces(response.stream)
    elif coding in ("gzip", "x-gzip", "deflate"):
        yield from _inflated(_pieces(response.stream), limit)
    else:
        raise ResponseLost("The response was compressed in a way that was not requested.")


def _pieces(stream: httpx2.SyncByteStream) -> Iterator[bytes]:
    for piece in stream:
        Allowance.spend()
        yield piece


def _inflated(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Yield what the first gzip member or zlib stream contains. What follows it is not part of the response."""
    unpack = zlib.decompressobj(wbits=47)  # 32 + 15: detects gzip or zlib by the header
    try:
        for piece in pieces:
            while piece and not unpack.eof:
                yield unpack.decompress(piece, limit + 1)
                piece = unpack.unconsumed_tail
            if unpack.eof:
                return
    except zlib.error:
        raise ResponseLost("The response could not be decompressed.") from None
    raise ResponseLost("The response ended early.")
