"""Backup of a running blog into one file: its rows, its images and its key.

The rows are in an SQLite database, also if they come from a PostgreSQL, so that a blog can move between the two.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sqlalchemy.exc import DBAPIError

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.lib.crypto import Vault
from blogsvc.lib.files import private_files
from blogsvc.lib.files.sqlite_files import first_error
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.process_lock import held
from blogsvc.lib.progress import Report, silent
from blogsvc.models import Process, db
from blogsvc.models.copy_rows import copy_rows, reason_of
from blogsvc.models.database import WRITES, own_engine
from blogsvc.models.event import number_copied_events
from blogsvc.models.schema import schema_version, schema_versions, upgrade
from blogsvc.models.sealed import decrypts
from blogsvc.transfer.backup_file import KEY, ROWS, BackupError, BackupWriter, Readable, backup_writer, read_backup
from blogsvc.transfer.new_file import new_file


class Backup(NamedTuple):
    """A backup: its file, and sentences on what it does not contain."""

    file: Path
    lacks: list[str]


def backup(tools: Tools, file: Path | None, has_images: bool, report: Report = silent) -> Backup:
    """Write a backup. The mode of its file is 0600, because it contains the key that decrypts the secrets.

    The file is read again before it gets its name. Raises FileExists if it exists. Raises BackupError if there is no
    blog, if the database or what was written is damaged, or while the key is replaced: rows and key would not match.
    """
    target = file or tools.config.backups / f"{tools.now():%Y-%m-%dT%H%M%SZ}.tar.gz"
    if file is None:
        private_files.make_directory(tools.config.backups)
    with _same_key(tools.config), new_file(target) as out:
        lacks = _write(tools, out, has_images, report)
        out.seek(0)
        read_backup(out, str(target), _look_at)
        return Backup(target, lacks)


def _look_at(_name: str, file: Readable) -> None:
    while file.read(1024 * 1024):
        pass


def backup_to_stream(tools: Tools, out: BinaryIO, has_images: bool) -> list[str]:
    """Write a backup to a stream, and return sentences on what it does not contain.

    Raises BackupError as `backup` does. If it does, what was written is worthless.
    """
    with _same_key(tools.config):
        return _write(tools, out, has_images)


def has_images_by_default(config: Config) -> bool:
    """Return True unless the images are in a store, which may be large and has its own ways to keep copies."""
    return not config.storage_is_remote


@contextmanager
def _same_key(config: Config) -> Iterator[None]:
    """Keep the key from being replaced meanwhile. Raises BackupError if that is being done."""
    try:
        with held(config.key_lock, shared=True):
            yield
    except BlockingIOError as error:
        raise BackupError("`blogsvc secrets rotate` is running. Back up when it is done.") from error


def _write(tools: Tools, out: BinaryIO, has_images: bool, report: Report = silent) -> list[str]:
    config = tools.config
    with (
        private_files.work_folder(config.instance) as folder,
        backup_writer(out) as archive,
    ):
        rows = folder / ROWS
        # Add media before and after the database, so that every file it refers to is included, even if uploaded
        # or deleted in between.
        media_names = _add_media(config, archive, report=report) if has_images else frozenset()
        if config.is_on_postgresql:
            _copy_from_server(config, rows, report)
        else:
            _copy_file(config.instance / ROWS, rows)
        require_integrity(rows)
        fits = _fits(tools.vault, rows)
        archive.add(rows, ROWS)
        if has_images:
            _add_media(config, archive, but=media_names)
        if fits and not config.secret_key:
            archive.add(config.key_file, KEY)
    return [*_lacks_of_key(config, fits), *_lacks_of_images(config, has_images)]


def _fits(vault: Vault, rows: Path) -> bool:
    """Return True if the key decrypts the secrets in a database file. Raises BackupError if the file has no schema."""
    with own_engine(f"sqlite:///{rows}", 0) as engine, engine.connect() as connection:
        if schema_version(connection) is None:
            raise BackupError("There is no blog yet, so there is nothing to back up.")
        return decrypts(vault, connection)


def _lacks_of_key(config: Config, fits: bool) -> Iterator[str]:
    if not fits:
        place = "BLOGSVC_SECRET_KEY" if config.secret_key else config.key_file
        yield (
            f"The backup does not contain the key that decrypts the credentials in it: {place} has another one. Look"
            " for it on other machines, and keep a copy."
        )
    elif config.secret_key:
        yield (
            "The backup does not contain the key, BLOGSVC_SECRET_KEY, which decrypts the credentials in it. Keep a copy"
            " of the key somewhere else."
        )


def _lacks_of_images(config: Config, has_images: bool) -> Iterator[str]:
    if not has_images:
        yield (
            f"The backup does not contain the images in {config.media_place}. Copy them after each backup, for example"
            " with rclone, or add them with --images."
        )


def _add_media(
    config: Config, archive: BackupWriter, but: frozenset[str] = frozenset(), report: Report = silent
) -> frozenset[str]:
    """Add image files, which never change, and return their names."""
    names = frozenset(config.storage.names(f"{MEDIA}/"))
    new = sorted(name for name in names - but if not name.startswith(f"{MEDIA}/."))  # those are being written
    for number, name in enumerate(new, 1):
        report(number, len(new))
        with suppress(FileNotFoundError):  # deleted in the meantime
            if (file := config.storage.local(name)) is not None:
                archive.add(file, name)
    return names


def _copy_file(source: Path, target: Path) -> None:
    """Copy the database with SQLite's online backup, which is consistent during writes."""
    try:
        with closing(sqlite3.connect(source)) as rows, closing(sqlite3.connect(target)) as copy:
            rows.backup(copy)
    except sqlite3.DatabaseError as error:
        raise BackupError(f"The database can't be copied: {error}. Run `blogsvc doctor`.") from error


def _copy_from_server(config: Config, target: Path, report: Report) -> None:
    """Copy the rows as they are at one moment, apart from what is known about running processes."""
    with (
        reasons_of_database(),
        own_engine(f"sqlite:///{target}", config.busy_timeout_seconds) as engine,
        db.engine.begin() as source,
    ):
        source.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        version = schema_version(source)
        if version not in schema_versions():
            raise BackupError("The database has no schema of this version of blogsvc. Check BLOGSVC_DATABASE_URL.")
        upgrade(engine, version)
        with engine.execution_options(**WRITES).begin() as copy:
            copy_rows(source, copy, but={Process.__tablename__}, report=report)
            number_copied_events(copy)


@contextmanager
def reasons_of_database() -> Iterator[None]:
    """Raise BackupError with the reason if a database refuses or can't be reached."""
    try:
        yield
    except DBAPIError as error:
        raise BackupError(f"The database can't be used: {reason_of(error)}") from error


def require_integrity(rows: Path) -> None:
    """Raise BackupError if the database file is damaged. Creates no files beside it."""
    try:
        with closing(sqlite3.connect(f"{rows.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            damage = first_error(connection)
    except sqlite3.DatabaseError as error:
        damage = str(error)
    if damage is not None:
        raise BackupError(f"The database is damaged: {damage}. Use an earlier backup.")
