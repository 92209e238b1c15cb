"""What a start needs: a database that can be read, its schema, and the key that decrypts its secrets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from sqlalchemy import inspect
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.lib.crypto import Vault
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.markdown import clean_html
from blogsvc.models import Setting, database, db, schema, transaction
from blogsvc.models.process import is_shared
from blogsvc.models.sealed import can_decrypt, sealed_values

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
NO_SCHEMA = "The database has no schema yet. Run `blogsvc migrate`."

SchemaState = Literal["new", "old", "current"]


class CannotStart(BlogError):
    """The database, its schema, its key or its files prevent a start. The message says what to do."""


def require_safe_html() -> None:
    """Raise CannotStart if the installed sanitiser doesn't clean HTML, so that posts could run scripts."""
    try:
        clean_html.require_clean()
    except clean_html.Unclean:
        raise CannotStart("The installed nh3 doesn't remove scripts from HTML. Install the locked version.") from None


@contextmanager
def explained(config: Config) -> Iterator[None]:
    """Raise CannotStart for the error of a damaged or locked database."""
    try:
        yield
    except DBAPIError as error:
        if (sentence := explanation(error, config)) is None:
            raise
        raise CannotStart(sentence) from error


def explanation(error: DBAPIError, config: Config) -> str | None:
    """Return what to do about a damaged or locked database, or None for another error."""
    place = database.file_of(config.rows_url) or "on the server"
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
    if code in DAMAGED:
        return (
            f"The database {place} is damaged: {error.orig}. Move the data directory away and restore a backup with"
            " `blogsvc restore FILE`."
        )
    if code in LOCKED or database.is_lock_timeout(error):
        return f"The database {place} is locked by another program. Stop that program and try again."
    return None


def schema_state(engine: Engine, config: Config) -> SchemaState:
    """Return "new" for a database without tables, "old" if it can be updated, else "current". Takes no write lock.

    Raises CannotStart if this version does not know the schema, or if the database cannot be read.
    """
    with explained(config):
        version = schema.schema_version(engine)
        if version is None:
            tables = set(inspect(engine).get_table_names()) - {"alembic_version"}
            return "old" if tables else "new"
    known = schema.schema_versions()
    if version not in known:
        raise CannotStart(
            f"The database has the schema {version} of a newer version of blogsvc; this version knows {known[-1]}."
            " Install the newer version, or check BLOGSVC_DATABASE_URL."
        )
    return "current" if version == known[-1] else "old"


def outdated(engine: Engine) -> str:
    """Return what to do about an old schema."""
    return (
        f"The database has the schema {schema.schema_version(engine)} of an earlier version of blogsvc. Stop the"
        " server, make a backup with `blogsvc backup`, and run `blogsvc migrate`."
    )


def require_no_images(config: Config) -> None:
    """Raise CannotStart if images of another database are in the data directory. Call it for a new database."""
    files = (name.rpartition("/")[2] for name in config.storage.names(f"{MEDIA}/"))
    if not all(name.startswith(".") for name in files):
        raise CannotStart(
            f"The database is empty, but {config.media_place} has images: the database was lost, or it is the"
            " wrong one. Restore a backup or check BLOGSVC_DATABASE_URL. To start an empty blog, which deletes these"
            " images after a while, run `blogsvc migrate --new-blog`."
        )


def read_vault(config: Config) -> Vault | None:
    """Return the vault, or None if there is no key yet. Raises WrongKey if a key is malformed."""
    if config.secret_key:
        return Vault(config.secret_key.split(), "BLOGSVC_SECRET_KEY")
    return Vault.open(config.key_file) if config.key_file.exists() else None


def open_vault(config: Config) -> Vault:
    """Return the vault, and create the key of a new instance.

    Raises CannotStart if the key file is missing and the database has secrets that only its key decrypts.
    """
    if (vault := read_vault(config)) is not None:
        return vault
    if _has_secrets(config):
        raise CannotStart(missing_key(config))
    return Vault.open(config.key_file)


def require_key(tools: Tools, *, is_new: bool = False) -> None:
    """Raise CannotStart if another key than this process has encrypts the secrets in the database.

    The key of this process is the one to use from now on if there is none yet, or if `is_new`. At home, it also is if
    the database has no secrets.
    """
    vault, config = tools.vault, tools.config
    stored = Setting.read("key_fingerprint")
    if not is_new:
        if stored is not None and vault.has_key(stored):
            return
        secrets = [secret for _, secret in sealed_values(db.session.connection(), most=1)]
        is_free = not secrets and (stored is None or not is_shared())
        if not (is_free or (stored is None and can_decrypt(vault, secrets[0]))):
            raise CannotStart(_another_key(stored, vault, config))
    with transaction():
        if is_new or Setting.read("key_fingerprint") == stored:
            Setting.write("key_fingerprint", vault.fingerprint())
    if not vault.has_key(stored := Setting.read("key_fingerprint")):
        raise CannotStart(_another_key(stored, vault, config))  # another process started at the same time


def _another_key(fingerprint: str | None, vault: Vault, config: Config) -> str:
    place = "BLOGSVC_SECRET_KEY" if config.secret_key else f"the key file {config.key_file}"
    other = "another key" if fingerprint is None else f"the key {fingerprint} (a fingerprint)"
    return (
        f"The secrets in the database are encrypted with {other}, but {place} has the key {vault.fingerprint()}. All"
        " processes of a database need the same key: start this one with that of the others. If it is lost, run"
        " `blogsvc migrate --new-key` and connect the accounts again."
    )


def missing_key(config: Config) -> str:
    """Return what to do about a missing key file."""
    return (
        f"The key file {config.key_file} is missing, and the database has secrets that only this key decrypts. Restore"
        " the file from a backup, or set BLOGSVC_SECRET_KEY. If the key is lost, run `blogsvc migrate --new-key` and"
        " connect the accounts again."
    )


def _has_secrets(config: Config) -> bool:
    file = database.file_of(config.rows_url)
    if file is not None and not (file.is_file() and file.stat().st_size):
        return False
    with (
        database.own_engine(config.rows_url, config.busy_timeout_seconds) as engine,
        explained(config),
        engine.connect() as connection,
    ):
        return bool(list(sealed_values(connection, most=1)))


def require_no_stray_log(config: Config) -> None:
    """Raise CannotStart if a write-ahead log is left of a database that is missing. SQLite would delete it."""
    file = database.file_of(config.rows_url)
    if file is None or (file.exists() and (file.is_dir() or file.stat().st_size)):
        return
    wal = file.with_name(f"{file.name}-wal")
    if wal.exists() and wal.stat().st_size:
        raise CannotStart(
            f"{wal} belongs to a database, but {file} is missing or empty. Restore a backup into an empty directory, or"
            " move this file away."
        )
