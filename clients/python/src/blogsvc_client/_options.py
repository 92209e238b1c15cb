"""The options of a client."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from ipaddress import ip_address

import httpx2

from ._encode import header
from ._errors import ConfigurationError
from ._logging import Log

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Options:
    """Validated options. Raises ConfigurationError if one is invalid."""

    api_key: str = field(repr=False)
    base_url: str
    timeout: float = 60.0
    max_retries: int = 4
    max_retry_wait: float = 60.0
    retry_for: float = 0.0
    allow_http: bool = False
    log: Log | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.api_key:
            raise ConfigurationError("No API key. Pass api_key or set BLOGSVC_API_KEY.")
        header("The API key", self.api_key)
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise ConfigurationError(f"timeout must be a number of seconds greater than 0, not {self.timeout!r}.")
        if self.max_retries < 0 or not self.max_retry_wait >= 0 or not self.retry_for >= 0:
            raise ConfigurationError("max_retries, max_retry_wait and retry_for must be 0 or greater.")
        object.__setattr__(self, "base_url", parse_base_url(self.base_url, self.allow_http))


def from_environment(name: str) -> str:
    return os.environ.get(name, "").strip()


def parse_base_url(text: str, allow_http: bool) -> str:
    """Return the URL of the server without `/api/v1` and a trailing slash. Raises ConfigurationError."""
    if not text:
        raise ConfigurationError("No URL. Pass base_url or set BLOGSVC_URL, for example https://blog.example.org.")
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL as error:
        raise ConfigurationError(f"base_url is not a valid URL: {error}.") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError(f"base_url must be a URL like https://blog.example.org, not {text!r}.")
    if url.userinfo:
        # The message does not show the URL, which may contain a password.
        raise ConfigurationError("base_url contains a user name, which would replace the API key. Remove it.")
    if url.query or url.fragment:
        raise ConfigurationError(f"base_url must not have a query or a fragment: {text!r}.")
    if url.scheme == "http" and not (allow_http or _is_loopback(url.host)):
        raise ConfigurationError(
            f"{text} uses plain HTTP, which sends the API key unencrypted. Use https, or pass allow_http=True."
        )
    return str(url).rstrip("/").removesuffix(PREFIX).rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
