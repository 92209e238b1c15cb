"""The schema of the database: its version, and the migrations that bring it to another one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError

from blogsvc.config import MIGRATIONS
from blogsvc.models.database import is_lock_timeout

if TYPE_CHECKING:
    from alembic.config import Config as AlembicConfig

log = logging.getLogger(__name__)


def schema_version(database: Engine | Connection) -> str | None:
    """Return the version of the schema in the database, or None if it has none yet."""
    if isinstance(database, Engine):
        with database.connect() as connection:
            return schema_version(connection)
    if not inspect(database).has_table("alembic_version"):
        return None
    version: str | None = database.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def schema_versions() -> list[str]:
    """Return the schema versions that this release knows, oldest first: the numbers of the migrations' files."""
    return sorted(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def upgrade(engine: Engine, version: str = "head") -> None:
    """Bring the database to a version of the schema, by default the newest.

    On PostgreSQL, it waits as long as others do the same, or write. Raises DBAPIError.
    """
    from alembic import command  # most starts don't need it

    while True:
        try:
            return command.upgrade(migrations_of(engine), version)
        except DBAPIError as error:  # nothing was changed
            if not is_lock_timeout(error):
                raise
            log.info("another process updates the schema, or writes for a long time; this one waits")


def migrations_of(engine: Engine) -> AlembicConfig:
    """Return what Alembic needs to run the migrations of a database."""
    from alembic.config import Config as AlembicConfig

    config = AlembicConfig(attributes={"engine": engine})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config
