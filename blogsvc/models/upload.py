"""The images that a connection has uploaded to its platform, so that they are not uploaded again."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, String, Text, bindparam, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.transactions import execute_write, transaction

# After that, an image that is published again is also uploaded again, unless the platform finds it.
UPLOADS_KEPT_FOR = timedelta(days=365)


class Upload(Base):
    connection_id: Mapped[str] = mapped_column(ForeignKey("connection.id", ondelete="CASCADE"), primary_key=True)
    # The name under which the file was uploaded: the first characters of its SHA-256, and its format.
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    # What the platform needs to show it, such as a URL or an id, in the form of the connector.
    reference: Mapped[str] = mapped_column(Text)
    uploaded_at: Mapped[datetime] = mapped_column(index=True)


_IS_IT = (Upload.connection_id == bindparam("of_connection"), Upload.name == bindparam("of_name"))
_FIND = select(Upload.reference, Upload.uploaded_at).where(*_IS_IT)
_DELETE = delete(Upload).where(*_IS_IT)
_INSERT = insert(Upload)


def find_upload(connection_id: str, name: str, since: datetime | None) -> str | None:
    """Return the reference of an uploaded image, None if there is none since then. Leaves no transaction open."""
    row = db.session.execute(_FIND, {"of_connection": connection_id, "of_name": name}).first()
    db.session.rollback()
    return row.reference if row is not None and (since is None or row.uploaded_at >= since) else None


def store_upload(connection_id: str, name: str, reference: str, now: datetime) -> None:
    """Store the reference of an uploaded image, instead of an earlier one, in a transaction of its own."""
    with transaction():
        execute_write(_DELETE, {"of_connection": connection_id, "of_name": name})
        row = {"connection_id": connection_id, "name": name, "reference": reference, "uploaded_at": now}
        execute_write(_INSERT, row)


def forget_upload(connection_id: str, name: str) -> None:
    """Forget an image that the platform no longer has."""
    with transaction():
        execute_write(_DELETE, {"of_connection": connection_id, "of_name": name})
