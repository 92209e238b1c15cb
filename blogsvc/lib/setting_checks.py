"""Checks of the values of settings, with the words for an error message."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from contextlib import suppress
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit


class BadSetting(ValueError):
    """A setting has an invalid value. The message names its variable and the fix."""


# Checks the value of a setting. Returns what it must be, or None if it is.
Check = Callable[[Any], str | None]


def check_port(value: int) -> str | None:
    return None if 1 <= value <= 65_535 else "a number from 1 to 65535"


def check_blog_url(value: str) -> str | None:
    with suppress(ValueError):
        parts = urlsplit(value)
        is_bare = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
        if parts.scheme in ("http", "https") and parts.hostname and is_bare and parts.port != 0:
            return None
    return "a URL such as https://blog.example, with http or https and without a path"


def check_database_url(value: str) -> str | None:
    with suppress(ValueError):
        parts = urlsplit(value)
        if parts.scheme in ("postgresql", "postgresql+psycopg") and parts.path.strip("/") and parts.port != 0:
            return None
    return "the URL of a PostgreSQL, such as postgresql+psycopg://USER:PASSWORD@HOST/DATABASE"


def check_broker_url(value: str) -> str | None:
    with suppress(ValueError):
        parts = urlsplit(value)
        if parts.scheme in ("amqp", "amqps", "redis", "rediss") and parts.port != 0:
            return None
    return "a URL such as amqp://USER:PASSWORD@HOST/VHOST or redis://HOST:6379/0"


def check_media_url(value: str) -> str | None:
    with suppress(ValueError):
        parts = urlsplit(value)
        is_bare = not (parts.query or parts.fragment or parts.username or parts.port)
        is_directory = value.startswith("file:///") and parts.path.strip("/")
        if is_bare and (parts.netloc if parts.scheme == "s3" else is_directory):
            return None
    return "a URL such as s3://BUCKET/PREFIX or file:///srv/blogsvc"


def one_of(*values: str) -> Check:
    return lambda value: None if value in values else f"one of: {', '.join(values)}"


def check_host_name(value: str) -> str | None:
    return None if re.fullmatch(r"[\w.:-]+", value) else "a host name such as smtp.example.org"


def check_mail_address(value: str) -> str | None:
    return None if re.fullmatch(r"[^@\s<>,;]+@[^@\s<>,;]+", value) else "an e-mail address such as blog@example.org"


def bad_setting(variable: str, text: str, wanted: str) -> BadSetting:
    return BadSetting(f"{variable}={text!r} is invalid. Set {variable} to {wanted}.")


def suggestion(name: str, known: Set[str]) -> str:
    return "".join(f" Did you mean {match}?" for match in get_close_matches(name, known, 1, 0.85))
