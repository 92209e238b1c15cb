"""The attacks by name. Each begins on entry and goes on until exit."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count, cycle
from threading import Event, Thread
from time import sleep
from typing import Any

from tests.kill.server import call
from tests.siege.connections import (
    LOOPBACK,
    MIB,
    event_streams,
    half_open_http2,
    idle_connections,
    slow_bodies,
    slow_headers,
    slow_readers,
)
from tests.siege.guessing import FORM, LoopbackBrowser
from tests.siege.hostile_imports import Owner, uploading
from tests.siege.texts import WORST

AUTHORS = 50
GUESSERS = 50
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
LARGE_FILE = "/static/vendor/swagger-ui-dist@5.35.0/swagger-ui-bundle.js"
OWNER, PASSWORD = "ann@blog.example", "a ferry in the fog"
AUTHOR_SCOPES = ["posts:read", "posts:write"]


@dataclass(frozen=True)
class Target:
    """A server with the credentials that an attacker has."""

    port: int
    key: str


Attack = Callable[[Target], AbstractContextManager[Any]]


def _half_open(target: Target) -> AbstractContextManager[None]:
    return _repeated([lambda: half_open_http2(target.port)])


def _authors(target: Target) -> AbstractContextManager[None]:
    """Let each author write posts with the worst texts and look at their previews, one request at a time."""
    keys = [
        call(target.port, "POST", "/api/v1/keys", target.key, {"name": f"author {n}", "scopes": AUTHOR_SCOPES})[1][
            "key"
        ]
        for n in range(AUTHORS)
    ]
    # Made once: otherwise the attacker takes more of the machine than the server.
    bodies = [json.dumps({"title": "A costly text", "content": text()}).encode() for text in WORST.values()]
    return _repeated([_author(target.port, key, bodies[number:] + bodies[:number]) for number, key in enumerate(keys)])


def _author(port: int, key: str, bodies: list[bytes]) -> Callable[[], object]:
    next_body = cycle(bodies)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def write() -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            line.request("POST", "/api/v1/posts", next(next_body), headers)
            answer = line.getresponse()
            answer.read()
            if answer.status == 201:
                line.request("GET", f"{answer.headers['Location']}/preview", headers=headers)
                line.getresponse().read()
        finally:
            line.close()

    return write


def _guessers(target: Target) -> AbstractContextManager[None]:
    """Guess passwords of many accounts from many addresses, so that each guess costs a password hash."""
    return _repeated([_guesser(target.port, number) for number in range(GUESSERS)])


def _guesser(port: int, number: int) -> Callable[[], object]:
    browser = LoopbackBrowser(port, f"127.0.1.{number + 1}")
    guesses = iter(range(1_000_000))
    return lambda: browser.sign_in(f"user-{number}-{next(guesses)}@blog.example", "a wrong password")


def _large_forms(target: Target) -> AbstractContextManager[None]:
    """Send forms of 2 MB with a million fields, as fast as eight clients can."""
    form = b"a&" * MIB
    return _repeated([lambda path=path: _sent(target, "POST", path, form) for path in ("/logout", "/login") * 4])


def _odd_paths(target: Target) -> AbstractContextManager[None]:
    """Guess passwords at other spellings of the address, and ask for a file at ever longer ones.

    Each client pauses between its requests: how many of any kind a server can answer is another question.
    """
    numbers = count()
    guess = b"email=ann@blog.example&password=wrong"

    def guess_and_ask() -> None:
        _sent(target, "POST", "//login", guess)
        _sent(target, "GET", f"/static/{next(numbers):07000}/../blog.css")
        sleep(0.05)

    return _repeated([guess_and_ask] * 12)


def _view_flood(target: Target) -> AbstractContextManager[None]:
    """Read the blog as many browsers that come from many other sites, from one address."""
    numbers = count()

    def read() -> None:
        line = http.client.HTTPConnection(LOOPBACK, target.port, timeout=60)
        try:
            for _ in range(1000):
                number = next(numbers)
                referrer = f"https://blog-{number}.example/"
                headers = {"User-Agent": f"{BROWSER} {number}", "Referer": referrer, "Accept": "text/html"}
                line.request("GET", ("/", "/a-post", "/archive")[number % 3], headers=headers)
                line.getresponse().read()
        finally:
            line.close()

    return _repeated([read] * 4)


def _hostile_imports(target: Target) -> AbstractContextManager[None]:
    """Upload files that once took hours to read, as an owner, again and again."""
    owner = Owner(target.port, LOOPBACK)
    assert owner.sign_in(OWNER, PASSWORD) == 303
    return _repeated([uploading(owner)])


def _sent(target: Target, method: str, path: str, body: bytes | None = None) -> None:
    line = http.client.HTTPConnection(LOOPBACK, target.port, timeout=60)
    try:
        line.request(method, path, body, {"Content-Type": FORM} if body else {})
        line.getresponse().read()
    finally:
        line.close()


@contextmanager
def _repeated(acts: list[Callable[[], object]]) -> Iterator[None]:
    """Repeat each act in a thread of its own."""
    is_over = Event()

    def repeat(act: Callable[[], object]) -> None:
        while not is_over.is_set():
            with suppress(OSError, http.client.HTTPException):
                act()

    threads = [Thread(target=repeat, args=(act,), daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()


ATTACKS: dict[str, Attack] = {
    "half-open HTTP/2": _half_open,
    "slow bodies": lambda target: slow_bodies(target.port, 200),
    "idle connections": lambda target: idle_connections(target.port, 1_200),
    "slow headers": lambda target: slow_headers(target.port, 10_000),
    "event streams": lambda target: event_streams(target.port, target.key, 500),
    "slow readers": lambda target: slow_readers(target.port, 600, LARGE_FILE),
    "view floods": _view_flood,
    "large forms": _large_forms,
    "odd paths": _odd_paths,
    "hostile imports": _hostile_imports,
    "worst texts": _authors,
    "guessed passwords": _guessers,
}
