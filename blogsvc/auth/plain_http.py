"""Passwords, sessions and API keys over plain HTTP."""

from __future__ import annotations

from blogsvc.config import Config
from blogsvc.lib.net.ip_rules import is_loopback


def can_send_secrets(config: Config, is_secure: bool, address: str | None) -> bool:
    """Return whether a client at this address may send secrets over a connection that is secure or not."""
    return is_secure or config.allow_http or is_loopback(address)


def advice(config: Config) -> str | None:
    """Return what the owner should know at start if the server listens for other machines without TLS, else None."""
    is_behind_tls = config.trusted_proxies > 0 or config.public_url.startswith("https://")
    if is_loopback(config.host) or config.allow_http or is_behind_tls:
        return None
    return (
        "other machines can read the blog, but not sign in or use the API over plain HTTP; put a proxy with TLS "
        "in front (docs/running.md#tls), or set BLOGSVC_ALLOW_HTTP=1 if you trust the network"
    )
