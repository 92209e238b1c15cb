"""What a process has of the settings that must be the same in all processes of a database, to be compared by `cluster`.

Values have an id, which is the same if two processes mean the same, and a text to show, which has no secrets.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from blogsvc.context import Tools
from blogsvc.lib.clocks import OF_PROCESS
from blogsvc.lib.net.ip_rules import is_loopback

REDIS, BROKER, MEDIA = "BLOGSVC_REDIS_URL", "BLOGSVC_BROKER_URL", "BLOGSVC_MEDIA_URL"
BASE_URL = "BLOGSVC_BASE_URL"
DEFAULT_PORTS = {"redis": 6379, "rediss": 6379, "amqp": 5672, "amqps": 5671}
# The name of a database or virtual host. Anything else may be a part of a password.
_PLAIN = re.compile(r"[\w./-]*")


class SharedValue(NamedTuple):
    """What a process has of a setting. An empty `shown` means that the setting is not set."""

    id: str
    shown: str


SharedSettings = dict[str, SharedValue]


def shared_settings(tools: Tools) -> SharedSettings:
    """Return what this process has of the settings that need no look at a disk. One that can't be compared is missing.

    A server at 127.0.0.1 is another one on each machine.
    """
    config, found = tools.config, {}
    for setting, url in ((REDIS, config.redis_url), (BROKER, config.broker)):
        with suppress(ValueError):  # the URL is one for several servers
            found[setting] = _server_of(url, tools)
    return found | {BASE_URL: SharedValue(config.public_url, config.public_url)}


def shared_storage(tools: Tools) -> SharedValue:
    """Return where this process keeps images. May take long, such as when a shared directory does not respond."""
    config = tools.config
    try:
        if config.media_url:
            return SharedValue(config.storage.identity(), config.media_url)
        directory = config.instance.stat()
        own = f"{directory.st_dev} {directory.st_ino} {_machine(tools)}"
        return SharedValue(own, f"the data directory {config.instance}")
    except Exception as error:  # such as one of the client of the store
        reason = getattr(error, "strerror", None) or type(error).__name__
        return SharedValue(reason, f"{config.media_url} ({reason})")


def _server_of(url: str, tools: Tools) -> SharedValue:
    """Return the server that a URL leads to. Raises ValueError."""
    if not url:
        return SharedValue("", "")
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    part = _part_of_server(parts)
    is_local = not host or is_loopback(host)
    shown = f"{f'[{host}]' if ':' in host else host}:{port}" if host else "a socket"
    id = f"{'' if is_local else host} {port} {part} {_machine(tools) if is_local else ''}"
    return SharedValue(id, f"{shown} {part}".strip())


def _part_of_server(parts: SplitResult) -> str:
    """Return the database of a Redis, or the virtual host of a RabbitMQ, in a URL."""
    path = unquote(parts.path[1:])
    if parts.hostname and parts.scheme.startswith("redis"):
        path = path.strip("/") or parse_qs(parts.query).get("db", ["0"])[0]
    path = path or "/"
    return path if _PLAIN.fullmatch(path) else ""


def _machine(tools: Tools) -> str:
    """Return a text that is the same for all processes of this machine, also in containers, if the system has one."""
    return tools.host if tools.boot.startswith(OF_PROCESS) else tools.boot
