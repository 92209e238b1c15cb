"""Restore a backup: into a data directory without a database, or into an empty PostgreSQL."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import func, make_url, select
from sqlalchemy.engine import Connection, Engine

from blogsvc.config import Config
from blogsvc.lib.crypto import Vault
from blogsvc.lib.files import private_files
from blogsvc.lib.files.atomic_files import OutsideError, inside, sync_directory
from blogsvc.lib.files.sqlite_files import side_files
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.progress import Report, silent
from blogsvc.models import Process, Setting
from blogsvc.models.copy_rows import copy_rows, has_rows, tables
from blogsvc.models.database import WRITES, file_of, own_engine
from blogsvc.models.process import UNSEEN_AFTER
from blogsvc.models.schema import schema_version, schema_versions, upgrade
from blogsvc.transfer.backup import KEY, ROWS, BackupError, reasons_of_database, require_integrity

# The tables of a server that has started without a blog.
_OF_A_NEW_SERVER = {Process.__tablename__, Setting.__tablename__}


def restore(config: Config, file: Path, report: Report = silent) -> list[str]:
    """Restore a backup, and return sentences on what it lacks.

    Raises BackupError, also if there is a blog already. Raises BadSetting if the data directory cannot be created, and
    WrongKey if a key is malformed.
    """
    config.make_instance()
    # Unpack everything first and store the rows last, so that a damaged file leaves nothing behind.
    with _empty_database(config) as store_rows, tempfile.TemporaryDirectory(dir=config.instance) as folder:
        unpacked = Path(folder)
        _unpack(file, unpacked, report)
        require_integrity(unpacked / ROWS)
        lacks = [*_check_key(unpacked, file, config), *_check_images(unpacked, config)]
        _restore_media(unpacked / MEDIA, config)
        if (unpacked / KEY).exists() and not config.secret_key and not config.key_file.exists():
            (unpacked / KEY).rename(config.key_file)
        store_rows(unpacked / ROWS, report)
    sync_directory(config.instance)
    return lacks


@contextmanager
def _empty_database(config: Config) -> Iterator[Callable[[Path, Report], None]]:
    """Yield a function that stores the rows of an SQLite file. Raises BackupError if there is a blog already."""
    file = file_of(config.rows_url)
    if file is not None:
        _require_no_file(file)
        yield lambda rows, _report: _move(rows, file)
        return
    with reasons_of_database(), own_engine(config.rows_url, config.busy_timeout_seconds) as engine:
        with engine.connect() as connection:
            _require_empty(connection, config)
        yield lambda rows, report: _load(rows, engine, config, report)


def _require_no_file(file: Path) -> None:
    if file.exists():
        raise BackupError(f"{file.parent} already contains data. Choose an empty or new directory.")
    if found := side_files(file):
        # SQLite would apply it to the restored database, and destroy it.
        raise BackupError(f"{file.parent} contains {found[0].name} of another database. Move it away and try again.")


def _move(rows: Path, file: Path) -> None:
    draft = file.with_name(f".{file.name}.restoring")
    shutil.move(rows, draft)  # perhaps to another file system
    draft.rename(file)


def _require_empty(connection: Connection, config: Config) -> None:
    """Raise BackupError if the database on a server has more than the tables and settings of a new one, or is used."""
    name = make_url(config.rows_url).database
    version = schema_version(connection)
    if version is None:
        found = tables(connection)
    elif version in schema_versions():
        names = tables(connection)
        seen = select(Process.role, Process.host).where(Process.seen_at > func.now() - UNSEEN_AFTER)
        if Process.__tablename__ in names and (running := connection.execute(seen).first()):
            raise BackupError(f"A {running.role} on {running.host} uses the database {name}. Stop all processes first.")
        found = [table for table in names if table not in _OF_A_NEW_SERVER and has_rows(connection, table)]
    else:
        found = [f"alembic_version of version {version}"]
    if found:
        raise BackupError(f"The database {name} already contains data (table {found[0]}). Choose an empty one.")


def _load(rows: Path, engine: Engine, config: Config, report: Report) -> None:
    """Copy the rows of an SQLite file to a server: all of them or none. The schema will be that of the newer one."""
    with own_engine(f"sqlite:///{rows}", config.busy_timeout_seconds) as file:
        versions = [version for version in (schema_version(file), schema_version(engine)) if version is not None]
        for each in (file, engine):
            upgrade(each, max(versions))
        with file.begin() as source, engine.execution_options(**WRITES).begin() as target:
            _require_empty(target, config)
            copy_rows(source, target, report=report)


def _check_key(unpacked: Path, file: Path, config: Config) -> Iterator[str]:
    """Yield a sentence if the key is missing. Raises BackupError if this data directory has another key."""
    with closing(sqlite3.connect(unpacked / ROWS)) as rows:
        stored = rows.execute("SELECT value FROM setting WHERE name = 'key_fingerprint'").fetchone()
    has_own, place = (unpacked / KEY).exists(), "BLOGSVC_SECRET_KEY" if config.secret_key else str(config.key_file)
    if stored is None:
        return
    fingerprint = json.loads(stored[0])
    if config.secret_key:
        vault = Vault(config.secret_key.split(), place)
    elif config.key_file.exists():
        vault = Vault.open(config.key_file)
    else:
        if not has_own:
            yield (
                f"The backup does not contain its key, which has the fingerprint {fingerprint}. Set BLOGSVC_SECRET_KEY"
                " to it before you start blogsvc."
            )
        return
    if not vault.has_key(fingerprint):
        source = f"The backup has it: tar -xzOf {file} {KEY}" if has_own else "Use that of the blog that was backed up."
        raise BackupError(
            f"The credentials in this backup are encrypted with the key {fingerprint} (a fingerprint), but {place} has"
            f" the key {vault.fingerprint()}. {source}"
        )


def _check_images(unpacked: Path, config: Config) -> Iterator[str]:
    """Yield a sentence if there are images that neither the backup nor the storage has."""
    with closing(sqlite3.connect(unpacked / ROWS)) as rows:
        (count,) = rows.execute("SELECT count(*) FROM media").fetchone()
    if count and not (unpacked / MEDIA).exists() and not config.storage.names(f"{MEDIA}/"):
        yield (
            f"The backup does not contain the {count} images of the blog. Copy them to {config.media_place}, or set"
            " BLOGSVC_MEDIA_URL to where they are."
        )


def _restore_media(unpacked: Path, config: Config) -> None:
    if not unpacked.exists():
        return
    private_files.make_directory(config.media)
    there = set(config.storage.names(f"{MEDIA}/"))
    for file in unpacked.iterdir():
        if (name := f"{MEDIA}/{file.name}") not in there:  # an image never changes
            shutil.move(file, config.media / file.name)
            config.storage.store(name)


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
