"""Checks of what surrounds an instance: its backups, and its public address with certificate and proxy.

Each returns a sentence, or raises Problem.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from ssl import SSLCertVerificationError
from urllib.parse import urlsplit

from blogsvc.config import Config
from blogsvc.errors import BlogError
from blogsvc.lib.net.ip_rules import is_loopback
from blogsvc.lib.net.tls_probe import probe

BACKUP_AGE = timedelta(days=7)
CERTIFICATE_LEFT = timedelta(days=14)
TIMEOUT = 5.0  # seconds


class Problem(BlogError):
    """A check failed. The message says what is wrong and what to do."""


def backups(config: Config, now: datetime) -> str:
    if config.database_url:
        return "Not checked: the database is on a server. Back it up there, or run `blogsvc backup` every day."
    folder = config.backups
    newest = max((file.stat().st_mtime for file in folder.glob("*.tar.gz")), default=None)
    if newest is None:
        return f"There are none in {folder}. Unless you keep them elsewhere, run `blogsvc backup` every day."
    age = now - datetime.fromtimestamp(newest, UTC)
    if age > BACKUP_AGE:
        raise Problem(f"The newest backup in {folder} is {age.days} days old. Run `blogsvc backup` every day.")
    return f"The newest backup in {folder} is {round(age / timedelta(hours=1))} hours old."


def address(config: Config, now: datetime) -> str:
    """Check that the public address has a valid certificate, and that the proxy says that requests came over HTTPS."""
    parts = urlsplit(config.public_url)
    host = parts.hostname or ""
    if is_loopback(host):
        return "Not checked: BLOGSVC_BASE_URL is not set, so the blog is for this machine only."
    if parts.scheme == "http" and config.allow_http:
        return f"{config.public_url} is plain HTTP, which you allow: passwords and API keys are sent unencrypted."
    if parts.scheme == "http":
        raise Problem(f"{config.public_url} is plain HTTP, so nobody can sign in from another machine. Set up TLS.")
    try:
        found = probe(host, parts.port or 443, "/login", TIMEOUT)
    except SSLCertVerificationError as error:
        raise Problem(f"The certificate of {host} is not valid: {error.verify_message}.") from error
    except (OSError, HTTPException) as error:
        raise Problem(f"{config.public_url} can't be reached from here: {error}.") from error
    if found.expires_at - now < CERTIFICATE_LEFT:
        raise Problem(f"The certificate of {host} expires on {found.expires_at:%Y-%m-%d}. Renew it.")
    if found.status == 403 or any(not cookie.startswith("__Host-") for cookie in found.cookies):
        raise Problem(
            f"Requests to {config.public_url} arrive as plain HTTP. Set BLOGSVC_TRUSTED_PROXIES=1, and let the proxy"
            " set X-Forwarded-Proto, X-Forwarded-For and X-Forwarded-Host."
        )
    return f"{config.public_url} has a certificate until {found.expires_at:%Y-%m-%d}, and requests arrive as HTTPS."
