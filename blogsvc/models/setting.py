"""The instance's own facts, one row each: the blog's title, its version, when the clock last ran."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any

from sqlalchemy import JSON, String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text import LANGUAGE_TAG
from blogsvc.lib.time import parse, stamp
from blogsvc.models.base import Base, db

# After so long without a beat the clock counts as stalled.
STALLED_AFTER = timedelta(seconds=90)

DEFAULTS: dict[str, Any] = {
    "blog_title": "A blog",
    "blog_description": "",
    "blog_author": "",
    "blog_language": "en",
    "blog_theme": {},
    # IANA: the zone in which the blog's slots recur.
    "time_zone": "UTC",
    "default_platforms": ["site"],
    # What was connected as a name before: its connector, and the account by the platform's word.
    "former_accounts": {},
    "site_version": "new",
    "heartbeat": None,
    "visitor_salt": None,
    # The hash of the link of the first run, in hexadecimal, while there is one.
    "setup_link": None,
}


class Setting(Base):
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)

    @staticmethod
    def read(name: str) -> Any:
        row = db.session.get(Setting, name)
        return DEFAULTS[name] if row is None else row.value

    @staticmethod
    def write(name: str, value: Any) -> None:
        assert name in DEFAULTS, name
        db.session.merge(Setting(name=name, value=value))


# What the owner may say of the blog, and how long it may be.
BLOG = {"title": 100, "description": 300, "author": 100, "language": 35}


def blog() -> dict[str, str]:
    """What readers are told of the blog: title, description, author, language (BCP 47)."""
    return {name: Setting.read(f"blog_{name}") for name in BLOG}


def describe_blog(changes: dict[str, str]) -> None:
    """Change that. Raises Invalid, with nothing changed, for a name or a text that will not do."""
    if faults := blog_errors(changes):
        raise Invalid(*faults)
    for name, text in changes.items():
        Setting.write(f"blog_{name}", text.strip())
    site_changed()


def blog_errors(changes: dict[str, str]) -> list[Fault]:
    return [fault for name, text in changes.items() if (fault := _fault(name, text.strip()))]


def _fault(name: str, text: str) -> Fault | None:
    if name not in BLOG:
        return Fault(f"#/{name}", "unknown", f"A blog has no {name!r}. It has: {', '.join(BLOG)}.")
    if len(text) > BLOG[name] or not text.isprintable() or (name in ("title", "language") and not text):
        return Fault(f"#/{name}", "invalid", f"The {name} is one line of at most {BLOG[name]} characters.")
    if name == "language" and not re.fullmatch(LANGUAGE_TAG, text):
        return Fault(f"#/{name}", "invalid", "Write a language tag such as en, de-AT or zh-Hant (BCP 47).")
    return None


def site_changed() -> None:
    """Readers see something else from here on: pages made before are stale.

    The new version is one that never was, so that a backup restored cannot bring an old ETag to life again.
    """
    Setting.write("site_version", token_hex(8))


def heartbeat(now: datetime) -> None:
    """The clock ran."""
    Setting.write("heartbeat", stamp(now))


def last_heartbeat() -> datetime | None:
    text = Setting.read("heartbeat")
    return parse(text) if text else None
