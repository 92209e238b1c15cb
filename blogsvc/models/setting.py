"""The instance's own facts, one row each: the blog's title, its version, when the clock last ran."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any

from sqlalchemy import JSON, String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.time import parse, stamp
from blogsvc.models.base import Base, db

# After so long without a beat the clock counts as stalled.
STALLED_AFTER = timedelta(seconds=90)

DEFAULTS: dict[str, Any] = {
    "blog_title": "A blog",
    "blog_description": "",
    "blog_author": "",
    "blog_language": "en",
    "default_platforms": ["site"],
    "site_version": "new",
    "heartbeat": None,
    "visitor_salt": None,
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


def site_changed() -> None:
    """Readers see something else from here on: pages made before are stale.

    The new version is one that never was, so that a backup restored cannot bring an old ETag to life again.
    """
    Setting.write("site_version", token_hex(8))


def beat(now: datetime) -> None:
    """The clock ran."""
    Setting.write("heartbeat", stamp(now))


def last_beat() -> datetime | None:
    text = Setting.read("heartbeat")
    return parse(text) if text else None
