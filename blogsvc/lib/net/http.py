"""The HTTP client for all outbound requests and WebSockets.

It limits time and size, refuses addresses that are not public, and can be replaced in tests. It uses httpx
transports without an httpx client, so there are no shared cookies, no proxies from the environment and no
implicit redirects.

httpx is imported with the first request, because a blog without connections sends none.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from blogsvc.lib.clocks import ServerDates
from blogsvc.lib.net.allowance import MAX_HEAD, Allowance
from blogsvc.lib.net.deadline import Deadline
from blogsvc.lib.net.ssrf_guard import (
    AddressRefused,
    HttpError,
    NoServer,
    OriginRefused,
    RequestNotSent,
    Resolver,
    ResponseEndless,
    ResponseLost,
    ResponseTimedOut,
    ResponseTooLarge,
    SsrfGuard,
    Unsendable,
    resolve,
)
from blogsvc.lib.sizes import MIB

if TYPE_CHECKING:
    import httpx2

    from blogsvc.lib.net.websocket import Opener, WebSocket

__all__ = [
    "AddressRefused",
    "HttpClient",
    "HttpError",
    "HttpResponse",
    "NoServer",
    "OriginRefused",
    "RequestNotSent",
    "ResponseEndless",
    "ResponseLost",
    "ResponseTimedOut",
    "ResponseTooLarge",
    "Timeout",
    "Unsendable",
    "origin_of",
]

# The largest messages that may arrive on one WebSocket; more of smaller ones.
LARGEST_MESSAGES = 16
# The headers to keep when a redirect leads to another origin. All others may contain credentials.
HARMLESS = frozenset({"accept", "user-agent"})
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Timeout:
    """Timeouts in seconds: to connect, for each read, and in total."""

    connect: float = 5.0
    read: float = 20.0
    total: float = 20.0

    @classmethod
    def within(cls, seconds: float) -> Timeout:
        """Return timeouts for a request that may take so many seconds, of which a server may be silent for all."""
        return cls(min(cls.connect, seconds), seconds, seconds)


@dataclass(frozen=True)
class HttpResponse:
    """A response. `headers` ignores case, and `url` is the final one after redirects."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    url: str = field(default="", repr=False)

    @property
    def media_type(self) -> str:
        """Return the media type: `application/json` for `Application/JSON; charset=utf-8`."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", errors="replace")

    def json(self) -> Any:
        """Return the body as JSON. Raises ValueError, also if it is nested too deep."""
        try:
            return json.loads(self.body)
        except RecursionError:
            raise ValueError("nested too deep") from None


@dataclass(kw_only=True, eq=False)
class HttpClient:
    """Sends requests to public addresses. Thread-safe; one per process is enough.

    `allow_private` allows private and loopback addresses, `allow_hosts` individual hosts. `timeout` is the
    default. `transport` and `resolver` are for tests. A client from `only_to` has `origins`, and in `unbound` the
    client whose connections it shares.
    """

    allow_private: bool = False
    allow_hosts: frozenset[str] = frozenset()
    transport: httpx2.BaseTransport | None = field(default=None, repr=False)
    resolver: Resolver | None = field(default=None, repr=False)
    user_agent: str = "blogsvc/0.1"
    timeout: Timeout = Timeout()
    # What the servers say the time is. Clients made from this one share it.
    dates: ServerDates = field(default_factory=ServerDates, repr=False)
    origins: Collection[str] | None = None
    unbound: HttpClient | None = field(default=None, repr=False)

    def only_to(self, origins: Collection[str]) -> HttpClient:
        """Return a client for requests that carry a secret: it refuses all origins but these.

        If one of them redirects a request with a secret in its headers to another origin, it is refused as well.
        """
        return replace(self, origins=origins, unbound=self.anywhere)

    @property
    def anywhere(self) -> HttpClient:
        """The client for requests that carry no secret."""
        return self.unbound or self

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        timeout: Timeout | None = None,
        max_bytes: int = 2 * MIB,
        redirects: int = 0,
        keep_tls: bool = False,
    ) -> HttpResponse:
        """Send a request and return its response, with any status. Follows redirects only for GET and HEAD.

        With `keep_tls`, a redirect from https:// to http:// raises AddressRefused: others could change the response.

        Raises RequestNotSent if nothing was sent, ResponseLost if the request may have been received.
        """
        target, timeout = self._allowed(_parse(url)), timeout or self.timeout
        sent = _headers({"Accept": "*/*", "User-Agent": self.user_agent}, headers or {})
        hops = redirects if method in ("GET", "HEAD") else 0
        with Deadline.within(timeout.total):
            while True:
                answer = self._once(method, target, sent, content, timeout, max_bytes)
                if hops == 0 or answer.status not in REDIRECTS or "location" not in answer.headers:
                    return answer
                hops -= 1
                target, sent = self._redirected(target, answer.headers["location"], sent, keep_tls)

    @contextmanager
    def websocket(self, url: str, *, timeout: Timeout | None = None, max_bytes: int = MIB) -> Iterator[WebSocket]:
        """Open a WebSocket, which must be closed within the total timeout. Follows no redirects.

        A message may have `max_bytes`, and all together LARGEST_MESSAGES times as many. Raises RequestNotSent
        before it is open, ResponseLost after that.
        """
        target, timeout = self._allowed(_parse(url, ("wss", "ws"))), timeout or self.timeout
        if self.transport is not None:
            raise RequestNotSent("This is a fake world without WebSockets.")
        with (
            Deadline.within(timeout.total),
            Allowance.of(MAX_HEAD),
            self._opener.open(target, self.user_agent, timeout.connect, timeout.read, max_bytes) as socket,
        ):
            Allowance.extend(LARGEST_MESSAGES * max_bytes)
            yield socket

    def check(self, url: str) -> None:
        """Raise AddressRefused if requests to this URL are not allowed, RequestNotSent if the host does not resolve."""
        target = _parse(url)
        with Deadline.within(self.timeout.connect):
            self._guard.addresses(target.raw_host.decode(), target.port or 0)

    def close(self) -> None:
        self._wire.close()

    def _allowed(self, url: httpx2.URL) -> httpx2.URL:
        if self.origins is not None and _origin(url) not in self.origins:
            raise OriginRefused(_origin(url), self.origins)
        return url

    def _redirected(
        self, url: httpx2.URL, location: str, headers: httpx2.Headers, keep_tls: bool
    ) -> tuple[httpx2.URL, httpx2.Headers]:
        """Return the target of a redirect and the headers for it, without credentials for an origin that is not known.

        Raises OriginRefused, because without them, the response would be that they are wrong.
        """
        import httpx2

        target = _redirect_target(url, location, keep_tls)
        harmless = {name: value for name, value in headers.items() if name in HARMLESS}
        if _origin(target) == _origin(url) or len(harmless) == len(headers):
            return target, headers
        if self.origins is None:
            return target, httpx2.Headers(harmless)
        return self._allowed(target), headers

    @cached_property
    def _guard(self) -> SsrfGuard:
        hosts = frozenset(host.lower() for host in self.allow_hosts)
        return SsrfGuard(self.resolver or resolve, self.allow_private, hosts)

    @cached_property
    def _opener(self) -> Opener:
        from blogsvc.lib.net.websocket import Opener

        return Opener(self._guard)

    @cached_property
    def _wire(self) -> httpx2.BaseTransport:
        if self.unbound is not None:
            return self.unbound._wire
        from blogsvc.lib.net.transport import PinnedTransport

        wire = self.transport or PinnedTransport(self._guard)
        weakref.finalize(self, wire.close)
        return wire

    def _once(
        self,
        method: str,
        url: httpx2.URL,
        headers: httpx2.Headers,
        content: bytes | None,
        timeout: Timeout,
        limit: int,
    ) -> HttpResponse:
        import httpx2

        from blogsvc.lib.net.transport import read

        if self.transport is not None:  # PinnedTransport checks the address when it connects.
            self._guard.addresses(url.raw_host.decode(), url.port or 0)
        try:
            request = httpx2.Request(method, url, headers=headers, content=content)
            request.headers["Accept-Encoding"] = "identity"  # avoids decompression bombs; responses are small anyway
            request.extensions["timeout"] = _phase_timeouts(timeout)
            with Allowance.of(MAX_HEAD):
                response = self._wire.handle_request(request)
                try:
                    body = b"" if method == "HEAD" else read(response, limit)
                finally:
                    response.close()
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            _classify(error, url)
        self.dates.note(url.host, response.headers.get("date"))
        return HttpResponse(response.status_code, response.headers, body, str(url))


def origin_of(address: str) -> str:
    """Return scheme, host and port of a URL, with https:// for a name alone; other text unchanged."""
    text = address.strip()
    try:
        return _origin(_parse(text if "://" in text else f"https://{text}"))
    except AddressRefused:
        return text


def _parse(url: str, schemes: tuple[str, str] = ("https", "http")) -> httpx2.URL:
    """Parse a URL. Raises AddressRefused if it is malformed, misleading, or has another scheme."""
    import httpx2

    if any(character <= " " or character in "\\\x7f" for character in url):
        raise AddressRefused("A URL cannot contain spaces, backslashes or control characters.")
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise AddressRefused("This is not a valid URL.") from None
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise AddressRefused("The port in this URL is not valid.")
    if parsed.scheme not in schemes or not parsed.host:
        raise AddressRefused(f"A URL must start with {schemes[0]}:// or {schemes[1]}:// and a host name.")
    if parsed.userinfo:
        raise AddressRefused("A URL cannot contain a user name or password.")
    return parsed.copy_with(host=parsed.host.rstrip(".")) if parsed.host.endswith(".") else parsed


def _headers(default: Mapping[str, str], extra: Mapping[str, str]) -> httpx2.Headers:
    import httpx2

    try:
        headers = httpx2.Headers(default)
        headers.update(extra)
    except UnicodeEncodeError:
        raise Unsendable("A setting contains a character that cannot be sent in a header.") from None
    return headers


def _redirect_target(url: httpx2.URL, location: str, keep_tls: bool) -> httpx2.URL:
    """Return the target of a redirect. Raises AddressRefused if it is not valid."""
    import httpx2

    try:
        target = _parse(str(url.join(location)))
    except httpx2.InvalidURL:
        raise AddressRefused("The server redirected to an invalid URL.") from None
    if keep_tls and url.scheme == "https" and target.scheme == "http":
        raise AddressRefused(f"{url.host} redirects from https:// to http://. Configure it to redirect to https://.")
    return target


def _origin(url: httpx2.URL) -> str:
    """Return scheme, host and port; the port only if it is not that of the scheme."""
    return f"{url.scheme}://{url.netloc.decode()}"


def _phase_timeouts(timeout: Timeout) -> dict[str, float]:
    return {"connect": timeout.connect, "pool": timeout.total, "read": timeout.read, "write": timeout.read}


def _classify(error: Exception, url: httpx2.URL) -> NoReturn:
    """Raise our error for a transport error, without its message, which may contain a header or a token."""
    import httpx2

    host, raw_host = url.host, url.raw_host.decode()
    if isinstance(error, httpx2.PoolTimeout):
        raise RequestNotSent(f"There was no connection to {host} in time.") from None
    if isinstance(error, httpx2.ConnectTimeout):
        raise NoServer(raw_host, f"{host} could not be reached in time.") from None
    if isinstance(error, httpx2.ConnectError) and "certificate" in str(error).lower():
        raise NoServer(raw_host, f"The certificate of {host} is not valid.") from None
    if isinstance(error, httpx2.LocalProtocolError | httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        raise Unsendable(f"The request to {host} cannot be sent: look for line breaks in the settings.") from None
    if isinstance(error, httpx2.ConnectError):
        raise NoServer(raw_host, f"{host} could not be reached.") from None
    if isinstance(error, httpx2.TimeoutException):
        raise ResponseTimedOut(f"{host} did not answer in time.") from None
    raise ResponseLost(f"The connection to {host} broke before its answer was complete.") from None
