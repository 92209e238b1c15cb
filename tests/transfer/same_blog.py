"""Compare two instances table by table, and list by name what an export leaves out.

Every column of every table is compared, unless it is listed here with the reason. A new table or column must be either
exported and imported, or added to these lists and to docs/import-and-export.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Table, select

from blogsvc import context
from blogsvc.lib.text.search_terms import fold
from blogsvc.models import Post, db, setting

Row = dict[str, Any]
Tables = dict[str, list[Row]]


class LeftOut(NamedTuple):
    """What an export leaves out: tables, columns as "table.column", and settings by their names."""

    label: str  # as in docs/import-and-export.md
    names: str
    reason: str


# What users are told that neither export has, or that no import reads.
LEFT_OUT = (
    LeftOut(
        "Users, their sessions, passkeys and invitations",
        "user session passkey recovery_code invitation post.author_id author.user_id setting.requires_second_factor"
        " setting.setup_link setting.set_up_with",
        "They are accounts of one server.",
    ),
    LeftOut(
        "API keys, webhooks and their logs",
        "api_key stream_ticket idempotent_response webhook webhook_delivery webhook_attempt usage"
        " media.created_by revision.created_by",
        "They are secrets, and what was done with them.",
    ),
    LeftOut(
        "Connections, deliveries and copies on other platforms",
        "connection delivery delivery_day stale_delivery_day attempt copy_search copy_stats extra_copy staged_draft"
        " upload setting.former_accounts",
        "They belong to accounts whose secrets are not exported. The file lists them, for people to read.",
    ),
    LeftOut(
        "Earlier revisions and unpublished changes",
        "post.revision_count post.has_unpublished_changes revision.number revision.reason revision.restored_from"
        " revision.created_at revision.updated_at",
        "An import adds what readers see, or the draft. The JSON file has the others, for people to read.",
    ),
    LeftOut(
        "Whether a redirect was made by a user or by a change of an address",
        "redirect.source",
        "An import adds all of them as redirects of a user.",
    ),
    LeftOut("Posts in the trash", "post.deleted_at", "The JSON file has them, for people to read."),
    LeftOut("Share links and comments on drafts", "share_link draft_comment", "Who knows a link can read a draft."),
    LeftOut(
        "Views and other figures",
        "page_view view_hour view_day view_month referrer_day referrer_month missing redirect.hit_count"
        " redirect.last_hit_on setting.visitor_salt setting.view_batches setting.view_rows setting.uncounted_views"
        " setting.view_rollups",
        "They are of one server, and may be personal data.",
    ),
    LeftOut(
        "Queue slots, time zone, default destinations and the local times of scheduled posts",
        "queue_slot post.wall_time post.time_zone post.fold setting.time_zone setting.default_platforms"
        " setting.undo_seconds",
        "They say how somebody works, not what the blog has.",
    ),
    LeftOut(
        "IndexNow and the former look",
        "index_now setting.blog_former_theme",
        "The key of IndexNow is for one address, and a former look is only kept for some days.",
    ),
    LeftOut(
        "The time and the original file of each upload", "media.created_at media.digest", "Images are added again."
    ),
)
# What is no part of the blog: the state of one server, and what it makes from the rest.
OF_THE_SERVER = (
    LeftOut("jobs", "import_job imported_post imported_image pending_publish", "work that is under way"),
    LeftOut("processes", "process notice notice_position event changed_page attempt_counter", "what happened here"),
    LeftOut(
        "state",
        "setting.heartbeat setting.leader setting.clock_jump setting.clocks setting.key_fingerprint"
        " setting.mail_failure setting.site_version",
        "the state of processes",
    ),
    LeftOut(
        "ids",
        "media.id author.id series.id redirect.id revision.id post.version post_text.number site_words.number"
        " author.created_at series.created_at",
        "made anew; other rows name them by what does not change",
    ),
)
_NAMES = {name: part for part in (*LEFT_OUT, *OF_THE_SERVER) for name in part.names.split()}


def unknown_names() -> list[str]:
    """Return the names in the lists that the database or the settings do not have."""
    from blogsvc.models.setting import DEFAULTS

    tables = db.metadata.tables
    known = {*tables, *(f"{table.name}.{column.name}" for table in tables.values() for column in table.columns)}
    return sorted(_NAMES.keys() - known - {f"setting.{name}" for name in DEFAULTS})


def tables(*public_urls: str) -> Tables:
    """Return all rows that an export has, sorted, with the paths of images in place of their URLs.

    Args:
        public_urls: the addresses of both instances.
    """
    names = _names_of_ids()
    return {
        table.name: sorted((_plain(row, names, public_urls) for row in _rows(table)), key=json.dumps)
        for table in db.metadata.sorted_tables
        if table.name not in _NAMES
    }


def without_value(tables: Tables) -> list[str]:
    """Return the tables without rows, and the columns without a value, of which a comparison says nothing."""
    found = [name for name, rows in tables.items() if not rows]
    for name, rows in tables.items():
        found += (f"{name}.{column}" for column in (rows or [{}])[0] if not any(row[column] for row in rows))
    return found


def differences(first: Tables, second: Tables) -> list[str]:
    """Return a line for each difference between two instances."""
    lines: list[str] = []
    for name in first:
        missing, added = ([row for row in a[name] if row not in b[name]] for a, b in ((first, second), (second, first)))
        for row in missing:
            same = next((other for other in added if _key(other) == _key(row)), None)
            if same is None:
                lines.append(f"{name} lacks {_short(row)}")
            else:
                added.remove(same)
                changed = [column for column in row if row[column] != same[column]]
                lines += (f"{name}.{one} of {_key(row)}: {_short(row[one])} -> {_short(same[one])}" for one in changed)
        lines += (f"{name} has also {_short(row)}" for row in added)
    return lines


def _key(row: Row) -> str:
    """Return what tells a row from the others of its table, without its other values."""
    parts = (
        str(row[name])
        for name in ("id", "kind", "value", "key", "path", "name", "slug", "tag", "post_id")
        if name in row
    )
    return " ".join(parts)


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) < 600 else f"{text[:600]}..."


def _rows(table: Table) -> list[Mapping[str, Any]]:
    rows = [dict(row) for row in db.session.execute(select(table)).mappings()]
    if table.name == "setting":
        rows = [row for row in rows if f"setting.{row['name']}" not in _NAMES]
    if table.name == "revision":  # those that readers see
        shown = set(db.session.scalars(select(db.metadata.tables["post"].c.site_revision_id)))
        rows = [row for row in rows if row["id"] in shown]
    if table.name == "post":
        rows = [row | {"feed_id": _feed_id(row)} for row in rows if row["deleted_at"] is None]
    kept = [column.name for column in table.columns if f"{table.name}.{column.name}" not in _NAMES]
    return [{name: row[name] for name in kept} for row in rows]


def _feed_id(row: Mapping[str, Any]) -> str | None:
    """Return the id that feeds show, which an import stores if it would be another one at the new address."""
    own = db.session.get_one(Post, row["id"]).feed_id_at(setting.feed_host(context.tools().config.public_url))
    return own if row["published_at"] else row["feed_id"]


def _names_of_ids() -> dict[str, str]:
    """Return what does not change of each row with an id that changes, by the id."""
    tables = db.metadata.tables
    named = {"media": "key", "author": "slug", "series": "slug", "revision": "post_id"}
    return {
        row["id"]: f"{table}:{row[column]}"
        for table, column in named.items()
        for row in db.session.execute(select(tables[table].c["id", column])).mappings()
    }


def _plain(row: Mapping[str, Any], names: Mapping[str, str], public_urls: Collection[str]) -> Row:
    # Also in the words of the search.
    forms = ((url, "/media/") for url in public_urls), ((f"{fold(url)} ", "media ") for url in public_urls)
    own = re.compile("|".join(f"{re.escape(url)}(?={path})" for url, path in chain(*forms)))

    def text(value: Any) -> Any:
        if isinstance(value, str):
            return names.get(value) or own.sub("", value)
        if isinstance(value, dict):
            return {key: text(one) for key, one in value.items()}
        if isinstance(value, list):
            return [text(one) for one in value]
        return value if value is None or isinstance(value, bool | int | float) else str(value)

    return {name: text(value) for name, value in row.items()}
