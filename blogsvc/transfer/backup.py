"""Backup of a running instance into one file, and restore."""

from __future__ import annotations

import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.lib.files import private_files
from blogsvc.lib.files.atomic_files import OutsideError, inside, sync_directory
from blogsvc.lib.files.sqlite_files import first_error, side_files
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.process_lock import held
from blogsvc.lib.progress import Report, silent
from blogsvc.transfer.new_file import new_file

ROWS, KEY = "blogsvc.db", "secret.key"


class BackupError(BlogError):
    pass


def backup(tools: Tools, file: Path | None, report: Report = silent) -> Path:
    """Write a backup and return its path. Its mode is 0600, because it contains the key that decrypts the secrets.

    Raises FileExists if the file exists. Raises BackupError if the database is damaged, or on a server, which has its
    own tools for backups, or while the key is replaced: rows and key would not match.
    """
    target = file or tools.config.backups / f"{tools.now():%Y-%m-%dT%H%M%SZ}.tar.gz"
    if file is None:
        private_files.make_directory(tools.config.backups)
    with _possible(tools.config), new_file(target) as out:
        _write(tools.config, out, report)
    return target


def backup_to_stream(tools: Tools, out: BinaryIO) -> None:
    """Write a backup to a stream. Raises BackupError as `backup` does. If it does, what was written is worthless."""
    with _possible(tools.config):
        _write(tools.config, out)


@contextmanager
def _possible(config: Config) -> Iterator[None]:
    """Raise BackupError if the database is on a server, and keep the key from being replaced meanwhile."""
    if config.database_url:
        raise BackupError("The database is on another server. Back it up there, for example with pg_dump.")
    try:
        with held(config.key_lock, shared=True):
            yield
    except BlockingIOError as error:
        raise BackupError("`blogsvc secrets rotate` is running. Back up when it is done.") from error


def _write(config: Config, out: BinaryIO, report: Report = silent) -> None:
    with (
        tempfile.TemporaryDirectory(dir=config.instance) as folder,
        tarfile.open(fileobj=out, mode="w|gz") as archive,
    ):
        rows = Path(folder) / ROWS
        # Add media before and after the database, so that every file it refers to is included, even if uploaded
        # or deleted in between.
        media_names = _add_media(config, archive, report=report)
        _copy_rows(config.instance / ROWS, rows)
        _check_integrity(rows)
        archive.add(rows, ROWS)
        _add_media(config, archive, but=media_names)
        if (config.instance / KEY).exists():
            archive.add(config.instance / KEY, KEY)


def _add_media(
    config: Config, archive: tarfile.TarFile, but: frozenset[str] = frozenset(), report: Report = silent
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


def _copy_rows(source: Path, target: Path) -> None:
    """Copy the database with SQLite's online backup, which is consistent during writes."""
    try:
        with closing(sqlite3.connect(source)) as rows, closing(sqlite3.connect(target)) as copy:
            rows.backup(copy)
    except sqlite3.DatabaseError as error:
        raise BackupError(f"The database can't be copied: {error}. Run `blogsvc doctor`.") from error


def _check_integrity(rows: Path) -> None:
    """Raise BackupError if the database file is damaged. Creates no files beside it."""
    try:
        with closing(sqlite3.connect(f"{rows.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            damage = first_error(connection)
    except sqlite3.DatabaseError as error:
        damage = str(error)
    if damage is not None:
        raise BackupError(f"The database is damaged: {damage}. Use an earlier backup.")


def restore(config: Config, file: Path, report: Report = silent) -> None:
    """Restore a backup into an instance without a database. Raises BackupError, also if there is one.

    Raises BadSetting if the data directory cannot be created.
    """
    if config.database_url:
        raise BackupError("The database is on another server. Restore it there.")
    config.make_instance()
    if (config.instance / ROWS).exists():
        raise BackupError(f"{config.instance} already contains data. Choose an empty or new directory.")
    if found := side_files(config.instance / ROWS):
        # SQLite would apply it to the restored database, and destroy it.
        raise BackupError(
            f"{config.instance} contains {found[0].name} of another database. Move it away and try again."
        )
    # Unpack everything first and move the database last, so that a damaged file leaves nothing behind.
    with tempfile.TemporaryDirectory(dir=config.instance) as folder:
        unpacked = Path(folder)
        _unpack(file, unpacked, report)
        _check_integrity(unpacked / ROWS)
        _restore_media(unpacked / MEDIA, config)
        for name in (KEY, ROWS):
            if (unpacked / name).exists():
                (unpacked / name).rename(config.instance / name)
    sync_directory(config.instance)


def _restore_media(unpacked: Path, config: Config) -> None:
    if not config.media_url and unpacked.exists():
        unpacked.rename(config.media)
    elif unpacked.exists():
        private_files.make_directory(config.media)
        for file in unpacked.iterdir():
            shutil.move(file, config.media / file.name)
            config.storage.store(f"{MEDIA}/{file.name}")


def _unpack(file: Path, folder: Path, report: Report) -> None:
    try:
        with file.open("rb") as packed, tarfile.open(fileobj=packed) as archive:
            for member in archive:
                _extract(archive, member, folder)
                report(packed.tell(), file.stat().st_size)
    except (tarfile.TarError, OutsideError, EOFError, OSError, zlib.error) as error:
        raise BackupError(f"{file} is not a backup made by blogsvc, or it is damaged: {error}") from error
    if not (folder / ROWS).exists():
        raise BackupError(f"{file} is not a backup made by blogsvc: it has no {ROWS}.")


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Extract one file. Skips folders, which are created as needed, links and unknown files."""
    file = archive.extractfile(member) if member.isfile() else None
    if file is None or Path(member.name).parts[0] not in {ROWS, KEY, MEDIA}:
        return
    path = inside(folder, member.name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file, private_files.create(path) as out:
        shutil.copyfileobj(file, out)
