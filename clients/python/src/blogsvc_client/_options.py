"""What a client is made of."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from ipaddress import ip_address

import httpx2

from ._errors import ConfigurationError
from ._log import Log
from ._writing import header

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Options:
    """They have been looked at: nothing else is made. Raises ConfigurationError."""

    api_key: str = field(repr=False)
    base_url: str
    timeout: float = 60.0
    max_retries: int = 4
    max_retry_wait: float = 60.0
    allow_http: bool = False
    log: Log | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.api_key:
            raise ConfigurationError("No API key: give api_key, or set BLOGSVC_API_KEY.")
        header("The API key", self.api_key)
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise ConfigurationError(f"timeout is a number of seconds above 0, not {self.timeout!r}.")
        if self.max_retries < 0 or not self.max_retry_wait >= 0:
            raise ConfigurationError("max_retries and max_retry_wait are 0 or more.")
        object.__setattr__(self, "base_url", address(self.base_url, self.allow_http))


def from_environment(name: str) -> str:
    return os.environ.get(name, "").strip()


def address(text: str, allow_http: bool) -> str:
    """The address of the server, without `/api/v1` and a slash at its end. Raises ConfigurationError."""
    if not text:
        raise ConfigurationError("No address: give base_url, or set BLOGSVC_URL, such as https://blog.example.org.")
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL as error:
        raise ConfigurationError(f"base_url is no address: {error}.") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError(f"base_url is an address such as https://blog.example.org, not {text!r}.")
    if url.userinfo:
        # Its text is not shown: it may hold a password.
        raise ConfigurationError("base_url holds a user name, which would take the place of the API key. Take it out.")
    if url.query or url.fragment:
        raise ConfigurationError(f"base_url ends with its path; take out what follows in {text!r}.")
    if url.scheme == "http" and not (allow_http or _is_loopback(url.host)):
        raise ConfigurationError(
            f"{text} is plain HTTP, over which anybody on the way reads the API key. Use https, or allow_http=True."
        )
    return str(url).rstrip("/").removesuffix(PREFIX).rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
