"""Store the references to uploaded images of a connection in the database, each in its own short transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from blogsvc.connectors.base import ImageFile, Uploads
from blogsvc.errors import Busy
from blogsvc.models.upload import find_upload, forget_upload, store_upload

log = logging.getLogger(__name__)


class StoredUploads(Uploads):
    """The uploads of one connection.

    A reference that can't be stored is no error of the attempt: the image is uploaded again if it is needed again. If
    two attempts upload the same image at the same time, both references are valid, and the last one stays.
    """

    def __init__(self, connection_id: str, kept_for: timedelta | None, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._connection_id, self._kept_for, self._now = connection_id, kept_for, now

    def find(self, image: ImageFile) -> str | None:
        since = self._now() - self._kept_for if self._kept_for is not None else None
        return find_upload(self._connection_id, image.name, since)

    def store(self, name: str, reference: str) -> bool:
        try:
            store_upload(self._connection_id, name, reference, self._now())
        except (Busy, IntegrityError) as error:  # or the connection was removed meanwhile
            log.warning("the upload of %s was not stored: %s", name, error)
            return False
        return True

    def forget(self, image: ImageFile) -> None:
        self.made = 0
        with suppress(Busy):
            forget_upload(self._connection_id, image.name)
