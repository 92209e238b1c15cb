"""Late writes: requests that changed a copy, got no answer in time, and may be executed later.

A proxy can hold an update for minutes. If a newer one goes through meanwhile, the copy gets the older text back. So the
copy is looked at again when no request can arrive any more, and is put right if it has what a late write wrote.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.lease import LATE_ARRIVAL

MOST = 5  # late writes that a delivery remembers, the newest


@dataclass(frozen=True)
class LateWrite:
    """A request: its operation, the revision that it sent (None if it removed the copy), and the original's URL."""

    operation: str
    revision_id: str | None
    original: str | None


class LateWrites:
    """The columns of a delivery about its late writes."""

    # Until this time, a request without an answer may still be executed. None while the copy is put right after it.
    late_until: Mapped[datetime | None]
    # The requests that may have changed the copy since it was delivered.
    stored_late_writes: Mapped[list[dict[str, Any]] | None] = mapped_column("late_writes", JSON(none_as_null=True))

    @property
    def late_writes(self) -> list[LateWrite]:
        return [LateWrite(**write) for write in self.stored_late_writes or ()]

    def expect_late_execution(self, now: datetime) -> None:
        """Record that the current request got no answer in time."""
        self.late_until = now + LATE_ARRIVAL

    def add_late_write(self, write: LateWrite) -> None:
        """Remember what the current request writes when it is executed."""
        if write not in self.late_writes:
            self.stored_late_writes = [asdict(one) for one in (*self.late_writes, write)][-MOST:]

    def forget_late_writes(self) -> None:
        self.stored_late_writes = None

    def is_late_write_possible(self, now: datetime) -> bool:
        """Return True while a late write may still change the copy."""
        return self.late_until is not None and self.late_until > now

    @property
    def is_being_put_right(self) -> bool:
        """True while the copy is sent again, because a late write may have changed it."""
        return bool(self.stored_late_writes) and self.late_until is None
