"""The checks of an instance, one sentence each, for `blogsvc doctor` and the log of a start.

They change nothing and need an application context, because they read the database through its session.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast

from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.health import outside_checks, startup
from blogsvc.health.cluster import cluster_problems
from blogsvc.health.outside_checks import Problem
from blogsvc.lib.clocks import is_synchronised
from blogsvc.lib.crypto import WrongKey
from blogsvc.lib.files import private_files
from blogsvc.lib.files.sqlite_files import first_error, size_of, stray_side_files
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.media_names import key_in
from blogsvc.lib.time import stamp
from blogsvc.media.images import orphans_among, orphans_kept_for
from blogsvc.models import Attempt, Event, Media, PageView, Revision, WebhookDelivery, database, db, schema
from blogsvc.models.clock import ahead_of_servers
from blogsvc.models.database_time import ahead_of_database
from blogsvc.models.event import ARE_LISTED_FOR
from blogsvc.models.page_view import MAX_ROWS, row_count
from blogsvc.models.process import is_shared, processes_seen
from blogsvc.models.sealed import sealed_values
from blogsvc.models.setting import STALLED_AFTER, last_heartbeat, mail_failure, recent_clock_jump
from blogsvc.models.uncounted_views import UncountedViews, uncounted_views
from blogsvc.models.webhook_delivery import LOG_KEPT_FOR

MEGABYTE = 1_000_000
LEAST_ROOM = 100 * MEGABYTE
# How often files of no image are deleted that are old enough.
MAINTENANCE_EVERY = timedelta(days=1)
MAX_NAMED = 5
# At start, so many secrets of each kind are decrypted.
START_SECRETS = 100

Check = Callable[[], str]


class Finding(NamedTuple):
    """The result of one check."""

    check: str
    is_ok: bool
    message: str


def examine(tools: Tools, *, is_start: bool = False) -> Iterator[Finding]:
    """Run the checks and yield what they find.

    At start (`is_start`) without those that read the whole database, and without that of the side files, which must
    come before this process opens the database.
    """
    config, now = tools.config, tools.now()
    file = database.file_of(config.rows_url)
    files = None if is_start else _run("side files", config, lambda: _side_files(file))
    if files is not None:
        yield files
    if files is None or files.is_ok:  # else opening the database could destroy it
        yield from _examine_database(tools, file, is_start)
    yield _run("disk", config, lambda: _disk(config, file))
    yield _run("permissions", config, lambda: _permissions(config, file))
    if not is_start:
        yield _run("backups", config, lambda: outside_checks.backups(config, now))
        yield _run("address", config, lambda: outside_checks.address(config, now))


def _examine_database(tools: Tools, file: Path | None, is_start: bool) -> Iterator[Finding]:
    config, now = tools.config, tools.now()
    schema = _run("schema", config, lambda: _schema(config, file))
    yield schema
    if file is not None and not file.exists():
        return
    if not is_start:
        yield _run("integrity", config, lambda: _integrity(file))
    yield _run("key", config, lambda: _key(config, START_SECRETS if is_start else None))
    if schema.is_ok:
        yield _run("clock", config, lambda: _clock(tools))
        yield _run("e-mail", config, lambda: _mail(config))
        yield _run("views", config, lambda: _views(now))
        if not is_start:
            if is_shared():
                yield _run("processes", config, lambda: _processes(now))
            yield _run("stored", config, lambda: _stored(config))
            yield _run("media", config, lambda: _media(config, now))


def _run(name: str, config: Config, check: Check) -> Finding:
    try:
        with startup.explained(config):
            return Finding(name, True, check())
    except (BlogError, WrongKey, OSError) as error:
        return Finding(name, False, str(error))
    except DBAPIError as error:
        return Finding(name, False, f"The database can't be read: {str(error.orig).strip()}.")
    finally:
        db.session.remove()


def _side_files(file: Path | None) -> str:
    if file is None:
        return "The database is on a server."
    if stray := stray_side_files(file):
        names = " and ".join(path.name for path in stray)
        raise Problem(f"{names} beside {file} belongs to another database. Stop the server and move it away.")
    return "No files of another database are beside the database."


def _schema(config: Config, file: Path | None) -> str:
    if file is not None and not file.exists():
        raise Problem(f"There is no database {file} yet. Run `blogsvc serve`, or check BLOGSVC_INSTANCE.")
    state = startup.schema_state(db.engine, config)
    if state == "old":
        raise Problem(startup.outdated(db.engine))
    if state == "new":
        raise Problem(startup.NO_SCHEMA)
    return f"The database has the schema of this version, {schema.schema_version(db.engine)}."


def _integrity(file: Path | None) -> str:
    if file is None:
        return "Not checked: the database is on a server, which has its own tools."
    error = first_error(cast(Any, db.session.connection().connection.driver_connection))
    if error is not None:
        raise Problem(f"The database {file} is damaged: {error}. Restore a backup with `blogsvc restore FILE`.")
    return "The database has no errors."


def _key(config: Config, most: int | None) -> str:
    vault = startup.read_vault(config)
    count, former, failed = 0, 0, Counter[str]()
    for table, value in sealed_values(db.session.connection(), most):
        count += 1
        try:
            if vault is not None:
                vault.unseal(value)
                former += len(vault.keys) > 1 and not vault.is_current(value)
        except WrongKey:
            failed[table] += 1
    if vault is None and count:
        raise Problem(startup.missing_key(config))
    place = "BLOGSVC_SECRET_KEY" if config.secret_key else config.key_file
    if failed:
        kinds = ", ".join(f"{table} {number}" for table, number in failed.items())
        raise Problem(
            f"{failed.total()} of {count} stored secrets can't be decrypted with {place} ({kinds}). Add the former key"
            " on a line of its own, or connect these accounts again."
        )
    if vault is not None and len(vault.keys) > 1:
        if config.secret_key and not former:
            raise Problem(f"No stored secret needs the former keys in {place}. Remove them.")
        raise Problem(
            f"{place} still has a former key, which encrypts {former} of {count} stored secrets. Run `blogsvc secrets"
            " rotate` to encrypt them again and remove it."
        )
    return f"{place} decrypts all {count} stored secrets." if count else "There are no stored secrets."


def _clock(tools: Tools) -> str:
    now = tools.now()
    beat, jump = last_heartbeat(), recent_clock_jump(now)
    if beat is not None and beat - now > STALLED_AFTER:
        raise Problem(
            f"The scheduler ran last at {stamp(beat)}, which is in the future. Check the time of this machine."
        )
    if jump is not None:
        raise Problem(
            f"The system time was set by {jump[1].total_seconds():+.0f} seconds at {stamp(jump[0])}. Check the time of"
            " this machine, and the posts that wait for a decision."
        )
    ahead = ahead_of_servers(now, tools.http.dates, tools.boot)
    if ahead is not None:
        seconds, is_ahead = ahead.total_seconds(), ahead > timedelta(0)
        raise Problem(
            f"The system time is {abs(seconds):.0f} s {'ahead of' if is_ahead else 'behind'} that of other servers."
            f" Scheduled posts {'wait for their time there' if is_ahead else 'are late'}. Set the time of this machine."
        )
    if (ahead := ahead_of_database(tools.now)) is not None:
        seconds, is_ahead = ahead.total_seconds(), ahead > timedelta(0)
        raise Problem(
            f"The system time is {abs(seconds):.0f} s {'ahead of' if is_ahead else 'behind'} the database's, which"
            " counts. Set the time of this machine."
        )
    ran = f"the scheduler ran last at {stamp(beat)}" if beat else "the scheduler has not run yet"
    alone = " The system doesn't synchronise it." if is_synchronised() is False else ""
    return f"The system time is {stamp(now)}; {ran}.{alone}"


def _processes(now: datetime) -> str:
    if problems := cluster_problems(now):
        raise Problem(" ".join(problem.full_message for problem in problems))
    return f"Processes that run on this database: {len(processes_seen(now))}. Their settings fit together."


def _mail(config: Config) -> str:
    if not config.smtp_host:
        return "Not set up: users get no e-mail. Set BLOGSVC_SMTP_HOST to send notices."
    if (failure := mail_failure()) is not None:
        raise Problem(
            f"E-mail can't be sent since {stamp(failure.since)}: {failure.detail} Then run `blogsvc mail test ADDRESS`."
        )
    return f"Notices are sent through {config.smtp_host}."


def _views(now: datetime) -> str:
    if (beyond := uncounted_views("ceiling", now)) is not None:
        raise Problem(
            f"The table of page views has reached its ceiling of {MAX_ROWS:,} rows: {_uncounted(beyond)}. The views of"
            " earlier days are deleted to make room. Look in the log for clients that request very many pages."
        )
    if (beyond := uncounted_views("limit", now)) is not None:
        raise Problem(
            f"A visitor or a network has reached its limit of page views: {_uncounted(beyond)}. If readers come through"
            " a proxy or a CDN, check BLOGSVC_TRUSTED_PROXIES; otherwise, a client requests very many pages."
        )
    return f"All page views were counted. They take {row_count():,} of at most {MAX_ROWS:,} rows."


def _uncounted(views: UncountedViews) -> str:
    return f"{views.views:,} were not counted from {stamp(views.since)} to {stamp(views.last)}"


def _disk(config: Config, file: Path | None) -> str:
    free = shutil.disk_usage(config.instance).free
    size = size_of(file) if file is not None else 0
    sizes = f"{_megabytes(free)} are free in {config.instance}; the database has {_megabytes(size)}"
    if free < max(LEAST_ROOM, size):
        raise Problem(f"{sizes}. Free {_megabytes(max(LEAST_ROOM, size))}, which updates and backups need.")
    return f"{sizes}."


def _media(config: Config, now: datetime) -> str:
    known = set(db.session.scalars(select(Media.key)))
    place, files = config.media_place, list(config.storage.files(MEDIA))
    if missing := known - {key_in(file.file_name) for file in files}:
        first = ", ".join(sorted(missing)[:MAX_NAMED])
        raise Problem(
            f"{len(missing)} of {len(known)} images have no file in {place}: {first}. Restore a backup of it."
        )
    unknown = orphans_among(files, known, config)
    if not unknown:
        return f"All {len(known)} images have their files."
    size = _megabytes(sum(file.size for file in unknown))
    names = ", ".join(sorted(file.file_name for file in unknown)[:MAX_NAMED])
    text = f"{len(unknown)} files in {place} belong to no image ({size}): {names}."
    kept_for = orphans_kept_for(config)
    if min(file.stored_at for file in unknown) < (now - kept_for - MAINTENANCE_EVERY).timestamp():
        raise Problem(f"{text} They should have been deleted. Delete them, or check who may write there.")
    return f"{text} They are deleted in {'a day or two' if kept_for.days == 1 else f'about {kept_for.days} days'}."


def _permissions(config: Config, file: Path | None) -> str:
    if os.name == "nt":
        return "Not checked on Windows."
    if not os.access(config.instance, os.R_OK | os.W_OK | os.X_OK):
        raise Problem(f"{config.instance} is not writable for this user. Run the command as the user of the server.")
    directories, files = (config.instance, *config.private_directories), (config.key_file, *([file] if file else []))
    for path in filter(private_files.is_open_to_others, (*directories, *files)):
        mode = 700 if path in directories else 600
        raise Problem(f"Other users have access to {path}. Run `chmod {mode} {path}`.")
    return "Only the user of the server can read the database and the key file."


def _stored(config: Config) -> str:
    kept = {
        "events": (Event, f"{_days(config.keep_events_days)}, those without a post {_days(ARE_LISTED_FOR.days)}"),
        "attempts": (Attempt, _days(config.keep_attempts_days)),
        "revisions": (Revision, _days(config.keep_revisions_days)),
        "views": (PageView, _days(config.keep_views_days)),
        "webhook deliveries": (WebhookDelivery, _days(LOG_KEPT_FOR.days)),
    }
    counts = (
        f"{db.session.scalar(select(func.count()).select_from(model)):,} {name} (kept {limit})"
        for name, (model, limit) in kept.items()
    )
    return f"{', '.join(counts)}."


def _days(count: int) -> str:
    return f"for {count} days"


def _megabytes(count: int) -> str:
    return f"{count / MEGABYTE:,.0f} MB" if count >= MEGABYTE else f"{count / 1000:,.0f} kB"
