"""Replace the key that encrypts secrets, and encrypt every stored secret again. The server may run meanwhile.

With a key file: the new key is added before the former one, everything is encrypted again, and the former key is
removed. If that is interrupted, the file has both keys, which decrypt everything, and the next rotation continues.

Other processes see the new file at their next secret (`Vault`), and encrypt only inside write transactions. So after
one write transaction that began with the new file, no value with the former key is written any more.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Column, and_, func, select, tuple_, update

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.lib.crypto import Vault, WrongKey, new_vault_key, write_keys
from blogsvc.lib.process_lock import held
from blogsvc.models import Setting, db, transaction
from blogsvc.models.sealed import sealed_columns

# Secrets that are encrypted again in one transaction.
BATCH_SIZE = 100

VARIABLE = "BLOGSVC_SECRET_KEY"

# Called with the name of a column, how many of its secrets are done, and how many there are.
Progress = Callable[[str, int, int], object]


class CannotRotate(BlogError):
    """The key cannot be replaced. The message says what to do."""


@dataclass
class Rotation:
    """What a rotation did. `is_resumed`: an earlier one had been interrupted. `unreadable`: by table."""

    is_resumed: bool
    done: int = 0
    unreadable: Counter[str] = field(default_factory=Counter)


def rotate(tools: Tools, progress: Progress) -> Rotation:
    """Encrypt all secrets with a new key, and remove the former key. Raises CannotRotate.

    With BLOGSVC_SECRET_KEY, which this process cannot change, the new key must already be the first of it.
    """
    config = tools.config
    with _only_one(config):
        keys, is_resumed = _begin(config)
        rotation = Rotation(is_resumed)
        with transaction():
            pass  # who encrypted with the former key alone has committed
        vault = Vault(keys, VARIABLE if config.secret_key else str(config.key_file))
        for column in sealed_columns():
            _encrypt_again(column, vault, rotation, progress)
        with transaction():
            Setting.write("key_fingerprint", vault.fingerprint())
        if not config.secret_key:
            write_keys(config.key_file, keys[:1])
        return rotation


@contextmanager
def _only_one(config: Config) -> Iterator[None]:
    try:
        with held(config.key_lock):
            yield
    except BlockingIOError as error:
        raise CannotRotate("A backup or another rotation is running. Try again when it is done.") from error


def _begin(config: Config) -> tuple[list[str], bool]:
    """Return the keys, newest first, and whether an earlier rotation had been interrupted."""
    if config.secret_key:
        keys = config.secret_key.split()
        if len(keys) == 1:
            raise CannotRotate(
                f"{VARIABLE} has one key. Put a new one before it, separated by a space, restart the server, and run"
                f" this command again. A new key: {new_vault_key()}"
            )
        return keys, False
    keys = config.key_file.read_text().split()
    is_resumed = len(keys) > 1
    if not is_resumed:
        _require_owner(config.key_file)
        keys = [new_vault_key(), *keys]
        write_keys(config.key_file, keys)
    return keys, is_resumed


def _require_owner(file: Path) -> None:
    """Raise CannotRotate if the server could not read the file that this user would write."""
    if os.name != "nt" and file.stat().st_uid != os.geteuid():
        raise CannotRotate(f"{file} belongs to another user. Run the command as the user of the server.")


def _encrypt_again(column: Column[bytes], vault: Vault, rotation: Rotation, progress: Progress) -> None:
    has_value, seen, name = func.length(column) > 0, 0, f"{column.table.name}.{column.name}"
    total = db.session.scalar(select(func.count()).where(has_value)) or 0
    for rows in _batches(column):
        changed = []
        for *id, value in rows:
            try:
                if not vault.is_current(value):
                    changed.append((id, value, vault.rotate(value)))
            except WrongKey:
                rotation.unreadable[column.table.name] += 1
        with transaction():
            for id, value, again in changed:
                # A secret that was replaced in the meantime is encrypted with the new key already.
                is_same = and_(*(key == part for key, part in zip(_ids(column), id, strict=True)), column == value)
                db.session.execute(update(column.table).where(is_same).values({column.name: again}))
        rotation.done += len(changed)
        seen += len(rows)
        progress(name, seen, max(seen, total))


def _batches(column: Column[bytes]) -> Iterator[list[Any]]:
    """Yield the primary keys and values of a column, in batches to limit memory."""
    ids = _ids(column)
    query = select(*ids, column).where(func.length(column) > 0).order_by(*ids).limit(BATCH_SIZE)
    rows = list(db.session.execute(query))
    while rows:
        db.session.rollback()
        yield rows
        rows = list(db.session.execute(query.where(tuple_(*ids) > tuple(rows[-1][:-1]))))


def _ids(column: Column[bytes]) -> list[Column[Any]]:
    return list(column.table.primary_key.columns)
