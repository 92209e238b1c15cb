"""The options of a client."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address

import httpx2

from ._encode import NOT_GIVEN, NotGiven
from ._errors import ConfigurationError
from ._logging import Log

PREFIX = "/api/v1"
KEY_PREFIX = "bsk_"


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
        _check_key(self.api_key)
        if not (self.timeout > 0 and math.isfinite(self.timeout)):
            raise ConfigurationError(f"timeout must be a number of seconds greater than 0, not {self.timeout!r}.")
        if self.max_retries < 0 or not self.max_retry_wait >= 0 or not self.retry_for >= 0:
            raise ConfigurationError("max_retries, max_retry_wait and retry_for must be 0 or greater.")
        object.__setattr__(self, "base_url", parse_base_url(self.base_url, self.allow_http))

    @property
    def trusts_environment(self) -> bool:
        """False if the requests stay on this machine: then no proxy that the environment names may see them."""
        return not self.base_url.startswith("http:") or not _is_loopback(httpx2.URL(self.base_url).host)


def credentials(api_key: str | NotGiven, base_url: str | NotGiven) -> tuple[str, str]:
    """Return the API key and the URL: both as given, or both from the environment.

    A key is never combined with a URL from another source, which could be that of another server. Raises
    ConfigurationError.
    """
    if isinstance(api_key, NotGiven) and isinstance(base_url, NotGiven):
        return _from_environment()
    for name, value in (("api_key", api_key), ("base_url", base_url)):
        # None is an error, since a missing setting must not select the server of the environment.
        if value is not NOT_GIVEN and not isinstance(value, str):
            raise ConfigurationError(f"{name} must be a string, not {type(value).__name__}.")
    if isinstance(base_url, NotGiven):
        raise ConfigurationError("Pass base_url together with api_key. BLOGSVC_URL is used only without api_key.")
    if isinstance(api_key, NotGiven):
        raise ConfigurationError("Pass api_key together with base_url. BLOGSVC_API_KEY is used only without base_url.")
    return api_key, base_url


def _from_environment() -> tuple[str, str]:
    api_key = os.environ.get("BLOGSVC_API_KEY", "").strip()
    base_url = os.environ.get("BLOGSVC_URL", "").strip()
    if api_key and base_url:
        return api_key, base_url
    if api_key:
        raise ConfigurationError(
            "BLOGSVC_API_KEY is set, but BLOGSVC_URL is not. Set BLOGSVC_URL to the URL of the server, for example "
            "https://blog.example.org."
        )
    if base_url:
        raise ConfigurationError(
            "BLOGSVC_URL is set, but BLOGSVC_API_KEY is not. Set BLOGSVC_API_KEY to an API key of this server."
        )
    raise ConfigurationError(
        "No API key and no URL. Pass api_key and base_url, or set BLOGSVC_API_KEY and BLOGSVC_URL."
    )


# No message shows the API key or the URL: they may be swapped, and the URL may contain a password.
def _check_key(api_key: str) -> None:
    if "://" in api_key:
        raise ConfigurationError("api_key is a URL. Pass the API key first, then the URL.")
    if not re.fullmatch("[!-~]+", api_key):
        raise ConfigurationError("The API key is empty or contains an invalid character, such as a space.")


def parse_base_url(text: str, allow_http: bool) -> str:
    """Return the URL of the server without `/api/v1` and a trailing slash. Raises ConfigurationError."""
    if text.startswith(KEY_PREFIX):
        raise ConfigurationError("base_url is an API key. Pass the API key first, then the URL.")
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        raise ConfigurationError("base_url is not a valid URL. Pass a URL like https://blog.example.org.") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError("base_url must be a URL like https://blog.example.org.")
    if url.userinfo:
        raise ConfigurationError("base_url contains a user name, which would replace the API key. Remove it.")
    if url.query or url.fragment:
        raise ConfigurationError("base_url must not have a query or a fragment.")
    if url.scheme == "http" and not (allow_http or _is_loopback(url.host)):
        raise ConfigurationError(
            "base_url uses plain HTTP, which sends the API key unencrypted. Use https, or pass allow_http=True."
        )
    return str(url).rstrip("/").removesuffix(PREFIX).rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
