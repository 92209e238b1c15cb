"""SSRF protection: resolve hosts and check their addresses."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from blogsvc.lib.net.deadline import Deadline
from blogsvc.lib.net.ip_rules import literal, verdict

Resolver = Callable[[str, int], Iterable[str]]


class HttpError(Exception):
    """A request without a response. The message contains no secrets: at most the host.

    HttpError
      RequestNotSent    nothing was sent
        NoServer        no server answered at the address: DNS, refused, connect timeout, invalid certificate
        Unsendable      a setting contains what no request can contain
        AddressRefused  not allowed; `is_private` if a setting would allow it
        OriginRefused   not the origin that the secret was given for
      ResponseLost      may have been received: reset, unreadable response
        ResponseTooLarge  the response exceeds the size limit
        ResponseEndless   the server sent far more than a response of that size needs: only a hostile one does
        ResponseTimedOut  no response in time: a proxy may hold the request, and pass it on later
    """


class RequestNotSent(HttpError):
    pass


class NoServer(RequestNotSent):
    def __init__(self, host: str, message: str) -> None:
        super().__init__(message)
        self.host = host


class Unsendable(RequestNotSent):
    pass


class AddressRefused(RequestNotSent):
    def __init__(self, message: str, is_private: bool = False) -> None:
        super().__init__(message)
        self.is_private = is_private


class OriginRefused(RequestNotSent):
    """The client may not send to `origin`, only to `allowed`."""

    def __init__(self, origin: str, allowed: Iterable[str]) -> None:
        super().__init__(f"Requests with this secret may not be sent to {origin}.")
        self.origin, self.allowed = origin, sorted(allowed)


class ResponseLost(HttpError):
    pass


class ResponseTooLarge(ResponseLost):
    pass


class ResponseEndless(ResponseLost):
    pass


class ResponseTimedOut(ResponseLost):
    pass


@dataclass(frozen=True)
class SsrfGuard:
    """Resolves hosts to addresses that are allowed."""

    resolver: Resolver
    allow_private: bool
    allow_hosts: frozenset[str]

    def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host. Raises if one is not allowed, since any of them could be used."""
        host = host.rstrip(".").lower()
        addresses = self._look_up(host, port)
        if host not in self.allow_hosts:
            if (host == "localhost" or host.endswith(".localhost")) and not self.allow_private:
                raise AddressRefused(f"{host} is this server itself.", is_private=True)
            for address in addresses:
                self._require_allowed(host, address)
        return addresses

    def _look_up(self, host: str, port: int) -> list[str]:
        if (spelled := literal(host)) is not None:
            return [spelled]
        try:
            addresses = list(dict.fromkeys(self.resolver(host, port)))
        except TimeoutError:
            raise RequestNotSent(f"No name server answered for {host} in time.") from None
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise NoServer(host, f"No server at {host}. Check the address.")
        return addresses

    def _require_allowed(self, host: str, address: str) -> None:
        judged = verdict(address)
        if judged == "refused":
            raise AddressRefused(f"{host} resolves to an address that is not on the public Internet.")
        if judged == "private" and not self.allow_private:
            raise AddressRefused(f"{host} resolves to a private address.", is_private=True)


def resolve(host: str, port: int) -> list[str]:
    """Resolve a name with the system's resolver. Raises OSError, also at the deadline.

    Runs in a thread, because `getaddrinfo` has no timeout.
    """
    addresses: list[str] = []
    done = threading.Event()

    def ask() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses.extend(str(entry[4][0]) for entry in entries)
        done.set()

    threading.Thread(target=ask, name=f"resolve {host}", daemon=True).start()
    if not done.wait(Deadline.cap(5.0, TimeoutError)):
        raise TimeoutError(f"no name server answered for {host} in time")
    return addresses
