"""Guess passwords of one account from many addresses of this machine, and sign in from a known browser meanwhile."""

from __future__ import annotations

import http.client
import re
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlencode

TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
TIMEOUT = 60.0  # seconds
FORM = "application/x-www-form-urlencoded"


@dataclass
class LoopbackBrowser:
    """A browser that keeps cookies and sends every request from one address, such as 127.0.0.7, on Linux."""

    port: int
    address: str
    cookies: dict[str, str] = field(default_factory=dict)

    def sign_in(self, email: str, password: str) -> int:
        """Send the sign-in form. Returns the status: 303 if it signs in, 422 for wrong credentials, 429 if limited."""
        token = TOKEN.search(self.send("GET", "/login")[1])
        assert token is not None
        form = {"csrf_token": token[1], "email": email, "password": password}
        return self.send("POST", "/login", urlencode(form).encode())[0]

    def sign_out(self) -> None:
        """Forget the session, and stay known."""
        self.cookies = {name: value for name, value in self.cookies.items() if name.endswith("-known")}

    def send(self, method: str, path: str, body: bytes | None = None, kind: str = FORM) -> tuple[int, str]:
        """Send a request with the cookies, and keep those of the answer. Returns the status and the text."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=TIMEOUT, source_address=(self.address, 0)
        )
        headers = {"Content-Type": kind} if body is not None else {}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.read().decode()
        finally:
            connection.close()


@dataclass(frozen=True)
class Outcome:
    """How the server responded: the statuses of all guesses, and that of the known browser after them."""

    guesses: Counter[int]
    unknown_browser: int
    known_browser: int


def guess_from_many_addresses(port: int, email: str, password: str, addresses: int = 50) -> Outcome:
    """Guess once from each of the addresses 127.0.1.1, 127.0.1.2, ... (at most 250), and then sign in.

    The known browser has signed in before the attack. `password` is the right one.
    """
    known = LoopbackBrowser(port, "127.0.0.2")
    assert known.sign_in(email, password) == 303
    known.sign_out()
    guesses = Counter(
        LoopbackBrowser(port, f"127.0.1.{number}").sign_in(email, f"a wrong guess, number {number}")
        for number in range(1, min(addresses, 250) + 1)
    )
    unknown = LoopbackBrowser(port, "127.0.0.3").sign_in(email, password)
    return Outcome(guesses, unknown, known.sign_in(email, password))
