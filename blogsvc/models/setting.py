"""Settings and state of this instance, one row each: blog title, site version, scheduler heartbeat."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from blinker import Signal
from sqlalchemy import JSON, String, bindparam, event, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.content_usage import CONTENT_USAGE
from blogsvc.lib.net.ip_rules import is_loopback
from blogsvc.lib.text import languages
from blogsvc.lib.text.plain import is_one_line
from blogsvc.lib.text.slug_letters import SCRIPTS
from blogsvc.lib.time import parse, stamp
from blogsvc.models.base import Base, db
from blogsvc.models.transactions import after_commit, connection, execute_write, reasons_for

# The scheduler counts as stopped after this time without a heartbeat.
STALLED_AFTER = timedelta(seconds=90)
# How long health checks and the dashboard say that the system time was set.
CLOCK_JUMP_SHOWN_FOR = timedelta(days=1)

# Sent after a commit that changed the public site.
site_has_changed = Signal()

DEFAULTS: dict[str, Any] = {
    "blog_title": "A blog",
    "blog_description": "",
    "blog_author": "",
    "blog_language": "en",
    # See SlugStyle.
    "blog_slug_script": "latin",
    # A mailto: or https: URL, where security problems can be reported.
    "blog_security_contact": "",
    # See lib/content_usage.py.
    "blog_ai_preference": "unset",
    # The fields in BLOG that the setup entered. See `initial_details`.
    "set_up_with": {},
    # See theme.py; empty for the default look. The former one has the time of its replacement.
    "blog_theme": {},
    "blog_former_theme": {},
    # See navigation.py; empty for the default menus.
    "blog_navigation": {},
    # The host in the ids of feed entries: that of the first public address (`feed_host`).
    "feed_host": "",
    # See social_links.py.
    "blog_social": [],
    # The ids of images; see site_images.py.
    "blog_icon": None,
    "blog_logo": None,
    "blog_logo_dark": None,
    # IANA name; the time zone of the queue slots.
    "time_zone": "UTC",
    "default_platforms": ["site"],
    # How long an author can undo publishing; 0 for not at all.
    "undo_seconds": 10,
    # Deleted connections by name: the connector, and the account as the platform named it.
    "former_accounts": {},
    "site_version": "new",
    "heartbeat": None,
    # See leadership.py.
    "leader": None,
    # The last time that the system time was set: when, and by how many seconds.
    "clock_jump": None,
    # See clock.py.
    "clocks": [],
    "visitor_salt": None,
    # The fingerprint of the key that encrypts secrets; None in a new database.
    "key_fingerprint": None,
    # The tokens of the last batches of page views that were written.
    "view_batches": [],
    # The number of rows of page views.
    "view_rows": 0,
    # See uncounted_views.py.
    "uncounted_views": {},
    # See RollupProgress.
    "view_rollups": {},
    # The text that makes the setup link with the key, None after the setup. See auth/setup.py.
    "setup_link": None,
    # Why e-mail can't be sent: since when, and a sentence; None if the last e-mail was sent.
    "mail_failure": None,
    # True if owners require two-factor codes or a passkey of everyone.
    "requires_second_factor": False,
}


class Setting(Base):
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)

    @staticmethod
    def read(name: str) -> Any:
        row = connection().execute(_VALUE, {"name": name}).first()
        return DEFAULTS[name] if row is None else row.value

    @staticmethod
    def write(name: str, value: Any) -> None:
        assert name in DEFAULTS, name
        execute_write(_WRITE, {"name": name, "value": value})


_VALUE = select(Setting.value).where(Setting.name == bindparam("name"))
# Two transactions may write the first value side by side.
_WRITE = text(
    "INSERT INTO setting (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
).bindparams(bindparam("value", type_=JSON))

# The fields that describe the blog, with their maximum lengths in characters.
BLOG = {
    "title": 100,
    "description": 300,
    "author": 100,
    "language": languages.MAX_TAG_LENGTH,
    "slug_script": 6,
    "security_contact": 300,
    "ai_preference": 11,
}
_BLOG_VALUES = select(Setting.name, Setting.value).where(Setting.name.in_([f"blog_{name}" for name in BLOG]))
_ADDRESS = re.compile(r"[^\s@:/?#<>\"]{1,64}@[^\s@:/?#<>\"]{1,253}")
_CONTACT = re.compile(rf"{_ADDRESS.pattern}|mailto:{_ADDRESS.pattern}|https://[^\s/?#<>\"]+[^\s<>\"]*")
# The HTML of posts without a language has the quotation marks of the blog's.
_FORGET_HTML = text(
    "UPDATE revision SET html = NULL WHERE html IS NOT NULL AND language IS NULL"
    " AND (content LIKE '%\"%' OR content LIKE '%''%')"
)
MISSING = {"title": "Enter a title for your blog.", "language": "Select the language of your blog."}


def blog() -> dict[str, str]:
    """Return the fields in `BLOG`: the title, description, author, language (BCP 47) and so on."""
    rows = db.session.execute(_BLOG_VALUES)
    stored = {row.name: row.value for row in rows}
    return {name: stored.get(f"blog_{name}", DEFAULTS[f"blog_{name}"]) for name in BLOG}


def initial_details() -> list[str]:
    """Return the names of the fields in `BLOG` that nobody has changed since the setup."""
    entered = Setting.read("set_up_with")
    return [name for name, value in blog().items() if value in (DEFAULTS[f"blog_{name}"], entered.get(name))]


def describe_blog(changes: dict[str, str]) -> None:
    """Change fields of the blog description. Raises Invalid, with nothing changed, if one is unknown or invalid."""
    if faults := blog_errors(changes):
        raise Invalid(*faults)
    if changes.get("language", "").strip() not in ("", Setting.read("blog_language")):
        execute_write(_FORGET_HTML)
    for name, value in changes.items():
        Setting.write(f"blog_{name}", _stored(name, value.strip()))
    site_changed()


def _stored(name: str, text: str) -> str:
    """Return the value that is stored: an e-mail address is stored as a URL."""
    return f"mailto:{text}" if name == "security_contact" and _ADDRESS.fullmatch(text) else text


def blog_errors(changes: dict[str, str]) -> list[Fault]:
    return [fault for name, text in changes.items() if (fault := _fault(name, text.strip()))]


def _fault(name: str, text: str) -> Fault | None:
    if name not in BLOG:
        return Fault(f"#/{name}", "unknown", f"There is no setting {name!r}. Available: {', '.join(BLOG)}.")
    if name in MISSING and not text:
        return Fault(f"#/{name}", "required", MISSING[name])
    if len(text) > BLOG[name] or not is_one_line(text):
        return Fault(
            f"#/{name}",
            "invalid",
            f"The {name.replace('_', ' ')} must be a single line of at most {BLOG[name]} characters.",
        )
    if name == "language" and not languages.is_language_tag(text):
        return Fault(f"#/{name}", "invalid", languages.INVALID_TAG)
    if name == "slug_script" and text not in SCRIPTS:
        return Fault(f"#/{name}", "invalid", f"The slug script must be one of: {', '.join(SCRIPTS)}.")
    if name == "ai_preference" and text not in CONTENT_USAGE:
        return Fault(f"#/{name}", "invalid", f"The AI preference must be one of: {', '.join(CONTENT_USAGE)}.")
    if name == "security_contact" and text and not _CONTACT.fullmatch(text):
        return Fault(f"#/{name}", "invalid", "Enter an e-mail address, or a URL that starts with https:// or mailto:.")
    return None


def feed_host(public_url: str) -> str:
    """Return the host in the ids of feed entries (RFC 4151), which stays when the address of the blog changes."""
    kept: str = Setting.read("feed_host")
    return kept or urlsplit(public_url).hostname or "localhost"


def keep_feed_host(public_url: str) -> None:
    """Store the host in the ids of feed entries, if none is stored and this address is not of this machine alone."""
    host = feed_host(public_url)
    if not Setting.read("feed_host") and not is_loopback(host):
        Setting.write("feed_host", host)


def site_changed() -> None:
    """Invalidate the cached pages of the public blog.

    The new version is random, so that an old ETag cannot become valid again after restoring a backup.
    """
    after_commit(site_has_changed)


@event.listens_for(db.session, "before_commit")
def _renew_site_version(session: Session) -> None:
    """Write the new version last, because all settlements write this row: so none waits for another with it locked."""
    if reasons_for(site_has_changed) and not session.in_nested_transaction():
        session.connection().execute(_WRITE, {"name": "site_version", "value": token_hex(8)})


def heartbeat(now: datetime) -> None:
    """Record that the scheduler is running."""
    Setting.write("heartbeat", stamp(now))


def recent_clock_jump(now: datetime) -> tuple[datetime, timedelta] | None:
    """Return when the system time was set and by how much, if that was in the last day."""
    jump = Setting.read("clock_jump")
    if jump is None or abs(now - parse(jump["at"])) > CLOCK_JUMP_SHOWN_FOR:
        return None
    return parse(jump["at"]), timedelta(seconds=jump["seconds"])


class MailFailure(NamedTuple):
    since: datetime
    detail: str


def mail_failure() -> MailFailure | None:
    """Return why e-mail can't be sent, or None if the last e-mail was sent."""
    stored = Setting.read("mail_failure")
    return None if stored is None else MailFailure(parse(stored["since"]), stored["detail"])


def note_mail_failure(detail: str, now: datetime) -> bool:
    """Remember why an e-mail could not be sent. Returns False if that was known."""
    known = mail_failure()
    if known is None or known.detail != detail:
        Setting.write("mail_failure", {"since": stamp(known.since if known else now), "detail": detail})
    return known is None or known.detail != detail


def note_mail_success() -> None:
    if mail_failure() is not None:
        Setting.write("mail_failure", None)


def last_heartbeat() -> datetime | None:
    text = Setting.read("heartbeat")
    return parse(text) if text else None
