"""Restore a backup: into a data directory without a database, or into an empty PostgreSQL."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import delete, func, select
from sqlalchemy.engine import Connection, Engine

from blogsvc.config import Config
from blogsvc.lib.crypto import Vault
from blogsvc.lib.files import private_files
from blogsvc.lib.files.atomic_files import inside, sync_directory
from blogsvc.lib.files.sqlite_files import side_files
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.progress import Report, silent
from blogsvc.models import Process, Setting
from blogsvc.models.copy_rows import copy_rows, has_rows, tables
from blogsvc.models.database import WRITES, own_engine
from blogsvc.models.process import UNSEEN_AFTER
from blogsvc.models.schema import schema_version, schema_versions, upgrade
from blogsvc.models.sealed import decrypts, sealed_values
from blogsvc.transfer.backup import reasons_of_database, require_integrity
from blogsvc.transfer.backup_file import KEY, ROWS, BackupError, Readable, read_backup

# The tables of a server that has started without a blog.
_OF_A_NEW_SERVER = {Process.__tablename__, Setting.__tablename__}
# Images are stored while the transaction with the rows is open, which takes long in a store.
_LONGEST_PAUSE = 3600.0  # seconds


def restore(config: Config, packed: BinaryIO, report: Report = silent) -> list[str]:
    """Restore a backup, and return sentences on what it lacks.

    Raises BackupError, also if there is a blog already, and WrongKey if a key of this data directory is malformed.
    Raises BadSetting if the directory cannot be created.
    """
    config.make_instance()
    with _empty_database(config) as server, private_files.work_folder(config.instance) as unpacked:
        _unpack(packed, unpacked, report)
        require_integrity(unpacked / ROWS)
        _require_known_schema(unpacked / ROWS)
        lacks = [*_adopt_key(unpacked, packed.name, config), *_lacks_of_images(unpacked, config)]
        # The rows become visible last, so that a failure leaves nothing behind that another attempt would not replace.
        with _rows(unpacked / ROWS, server, config, report):
            _restore_media(unpacked / MEDIA, config)
            if (unpacked / KEY).exists() and not config.secret_key and not config.key_file.exists():
                (unpacked / KEY).rename(config.key_file)
    sync_directory(config.instance)
    return lacks


@contextmanager
def _empty_database(config: Config) -> Iterator[Engine | None]:
    """Yield the database on a server, None for a file. Raises BackupError if there is a blog already."""
    if not config.is_on_postgresql:
        _require_no_file(config.instance)
        yield None
        return
    with reasons_of_database(), own_engine(config.rows_url, config.busy_timeout_seconds, _LONGEST_PAUSE) as server:
        with server.connect() as connection:
            _require_empty(connection)
        yield server


def _require_no_file(instance: Path) -> None:
    if (instance / ROWS).exists():
        raise BackupError(f"{instance} already contains data. Choose an empty or new directory.")
    if found := side_files(instance / ROWS):
        # SQLite would apply it to the restored database, and destroy it.
        raise BackupError(f"{instance} contains {found[0].name} of another database. Move it away and try again.")


def _require_empty(connection: Connection) -> None:
    """Raise BackupError if a database on a server is used, or has more than the tables and settings of a new one."""
    names, version = tables(connection), schema_version(connection)
    if version in schema_versions():
        seen = select(Process.role, Process.host).where(Process.seen_at > func.now() - UNSEEN_AFTER)
        if Process.__tablename__ in names and (running := connection.execute(seen).first()):
            raise BackupError(
                f"A {running.role} on {running.host} uses the database. Stop all processes, and wait 20 seconds for one"
                " that was killed."
            )
        names = [name for name in names if name not in _OF_A_NEW_SERVER and has_rows(connection, name)]
    if names:
        raise BackupError(f"The database already contains data (table {names[0]}). Choose an empty one.")


@contextmanager
def _rows(rows: Path, server: Engine | None, config: Config, report: Report) -> Iterator[None]:
    """Store the rows, which others see when the block succeeds."""
    if server is None:
        yield
        _require_no_file(config.instance)
        rows.rename(config.instance / ROWS)
        return
    with own_engine(f"sqlite:///{rows}", config.busy_timeout_seconds) as file:
        upgrade(file)
        upgrade(server)
        with file.begin() as source, server.execution_options(**WRITES).begin() as target:
            _require_empty(target)
            copy_rows(source, target, report=report)
            target.exec_driver_sql("ANALYZE")  # until PostgreSQL does by itself, it knows nothing about the tables
            yield


def _require_known_schema(rows: Path) -> None:
    with own_engine(f"sqlite:///{rows}", 0) as engine:
        version = schema_version(engine)
    if version is None:
        raise BackupError("There is no blog in this backup.")
    if version not in schema_versions():
        raise BackupError(
            f"A newer version of blogsvc has made this backup: its schema is {version}, and this version knows"
            f" {schema_versions()[-1]}. Install the newer version."
        )


def _adopt_key(unpacked: Path, file: str, config: Config) -> Iterator[str]:
    """Yield a sentence if the key is missing. Raises BackupError if the key that will be used does not fit.

    If no secret needs the former key, the first start uses the present one.
    """
    has_own = (unpacked / KEY).exists()
    if config.secret_key:
        vault, place = Vault(config.secret_key.split(), "BLOGSVC_SECRET_KEY"), "BLOGSVC_SECRET_KEY"
    elif config.key_file.exists() or has_own:
        key_file = config.key_file if config.key_file.exists() else unpacked / KEY
        vault, place = Vault.open(key_file), str(config.key_file if key_file == config.key_file else file)
    else:
        vault, place = None, ""
    with own_engine(f"sqlite:///{unpacked / ROWS}", 0) as engine, engine.execution_options(**WRITES).begin() as rows:
        stored = rows.scalar(select(Setting.value).where(Setting.name == "key_fingerprint"))
        if vault is None:
            if list(sealed_values(rows, most=1)):
                yield f"The backup does not contain its key (fingerprint {stored}). Set BLOGSVC_SECRET_KEY to it."
        elif not decrypts(vault, rows):
            raise BackupError(
                f"The credentials in this backup are encrypted with the key {stored} (a fingerprint), but {place} has"
                f" the key {vault.fingerprint()}. "
                + (f"The backup has it: tar -xzOf {file} {KEY}" if has_own else "Use the key of the blog.")
            )
        elif stored is not None and not vault.has_key(stored):
            rows.execute(delete(Setting).where(Setting.name == "key_fingerprint"))


def _lacks_of_images(unpacked: Path, config: Config) -> Iterator[str]:
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
    there = {found.file_name: found.size for found in config.storage.files(MEDIA)}
    for file in unpacked.iterdir():
        if there.get(file.name) != file.stat().st_size:  # else it is there: an image never changes
            private_files.move(file, config.media / file.name)
            config.storage.store(f"{MEDIA}/{file.name}")


def _unpack(packed: BinaryIO, folder: Path, report: Report) -> None:
    size = os.fstat(packed.fileno()).st_size  # 0 for a pipe

    def extract(name: str, file: Readable) -> None:
        path = inside(folder, name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with private_files.create(path) as out:
            shutil.copyfileobj(file, out)
        if size:
            report(packed.tell(), size)

    read_backup(packed, packed.name, extract)
