"""The guard of the one door out (`http.py`): a host becomes addresses that may be spoken to, or an error."""

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
    """A request that got no answer. The message is free of secrets: it names the host at most.

    DoorError
      NeverSent         nothing was asked: DNS, refused, no connection in time, a bad certificate
        RefusedAddress  we do not go there; `is_private` where a setting would allow it
      AnswerLost        it may have been done: time over, reset, an answer that cannot be read
        TooLarge        answered, and longer than we take
    """


class RequestNotSent(HttpError):
    pass


class AddressRefused(RequestNotSent):
    def __init__(self, message: str, is_private: bool = False) -> None:
        super().__init__(message)
        self.is_private = is_private


class ResponseLost(HttpError):
    pass


class ResponseTooLarge(ResponseLost):
    pass


@dataclass(frozen=True)
class SsrfGuard:
    """Turns a host into addresses that may be spoken to."""

    resolver: Resolver
    allow_private: bool
    allow_hosts: frozenset[str]

    def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a host, in order. One bad among them refuses all: which is used is chance."""
        host = host.rstrip(".").lower()
        found = self._look_up(host, port)
        if host not in self.allow_hosts:
            self._check_name(host)
            for address in found:
                self._check(host, address)
        return found

    def _look_up(self, host: str, port: int) -> list[str]:
        if (spelled := literal(host)) is not None:
            return [spelled]
        try:
            found = list(dict.fromkeys(self.resolver(host, port)))
        except (OSError, UnicodeError):
            found = []
        if not found:
            raise RequestNotSent(f"There is no server by the name of {host}.")
        return found

    def _check_name(self, host: str) -> None:
        if (host == "localhost" or host.endswith(".localhost")) and not self.allow_private:
            raise AddressRefused(f"{host} is this machine itself.", is_private=True)

    def _check(self, host: str, address: str) -> None:
        judged = verdict(address)
        if judged == "refused":
            raise AddressRefused(f"{host} leads to an address that is not part of the public Internet.")
        if judged == "private" and not self.allow_private:
            raise AddressRefused(f"{host} leads to a private address.", is_private=True)


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name, by the system's resolver. Raises OSError, also when time is over.

    It asks in a thread, because nothing else can put a limit on `getaddrinfo`.
    """
    found: list[str] = []
    done = threading.Event()

    def ask() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend(str(entry[4][0]) for entry in entries)
        done.set()

    threading.Thread(target=ask, name=f"resolve {host}", daemon=True).start()
    if not done.wait(Deadline.cap(5.0, TimeoutError)):
        raise TimeoutError(f"no name server told the address of {host} in time")
    return found
