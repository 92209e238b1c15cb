"""The copy that a delivery created on a platform: what it shows, how it changed there, and who was e-mailed."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import JSON, String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.connectors.base import Mailing, Receipt

Drift = Literal["edited", "gone"]


class PlatformCopy:
    """The columns of a delivery that describe its copy. Without a copy, `remote_id` is None."""

    # The revision that the copy is known to have.
    copy_revision_id: Mapped[str | None] = mapped_column(String(40))
    copy_hash: Mapped[str | None] = mapped_column(String(64))
    remote_id: Mapped[str | None] = mapped_column(String(2000))
    url: Mapped[str | None] = mapped_column(String(2000))
    version: Mapped[str | None] = mapped_column(String(500))
    extra: Mapped[dict[str, str]] = mapped_column(default=dict)
    # When the copy was last created or updated, and when it was created.
    delivered_at: Mapped[datetime | None]
    first_delivered_at: Mapped[datetime | None]

    # The result of the last check of the copy: None if it is unchanged, else edited or gone.
    drift: Mapped[Drift | None] = mapped_column(String(20))
    # The author has accepted the change on the platform.
    is_drift_accepted: Mapped[bool] = mapped_column(default=False)
    # What readers miss of the copy, in sentences; None if nothing is missing. When the author dismissed it.
    losses: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    losses_dismissed_at: Mapped[datetime | None]
    # Times of the last check for changes, the next one, and the next request for statistics.
    looked_at: Mapped[datetime | None]
    look_at: Mapped[datetime | None] = mapped_column(index=True)
    measure_at: Mapped[datetime | None] = mapped_column(index=True)

    # How many extra copies are on the platform that the author has to decide about.
    extra_count: Mapped[int] = mapped_column(default=0)

    # The withdrawn copy is kept on the platform as a draft, to be published again.
    is_draft: Mapped[bool] = mapped_column(default=False)

    # When subscribers were e-mailed, or may have been. It stays if the copy is lost, so that they are e-mailed once.
    mailed_at: Mapped[datetime | None]
    # A copy that is lost now was e-mailed: no other copy may be.
    is_mail_spent: Mapped[bool] = mapped_column(default=False)
    # How the e-mail of the copy is doing, as the platform reported it (`Mailing`).
    mail: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    # When the e-mail was found to have failed, None if it has not, or the author has dismissed it.
    mail_failed_at: Mapped[datetime | None]

    @property
    def receipt(self) -> Receipt | None:
        """What the platform returned for the copy, or None if there is no copy."""
        return None if self.remote_id is None else Receipt(self.remote_id, self.url, self.version, dict(self.extra))

    def record_drift(self, drift: Drift | None) -> None:
        """Store the result of a check. It replaces a change that the author had accepted."""
        self.drift, self.is_drift_accepted = drift, False

    def record_losses(self, losses: list[str]) -> bool:
        """Store what readers miss of the copy. Return True if one of the losses was not known before."""
        known = self.losses or []
        is_news = not set(losses) <= set(known)
        if losses != known:
            self.losses = losses or None
        if is_news or not losses:
            self.losses_dismissed_at = None
        return is_news

    def record_mailing(self, mailing: Mailing, now: datetime) -> None:
        """Store a new status of the e-mail."""
        self.mail_failed_at = now if mailing.status == "failed" else None
        self.mail = asdict(mailing)

    @property
    def mailing(self) -> Mailing | None:
        """How the latest e-mail is doing, None if that is not known."""
        return Mailing(**self.mail) if self.mail else None
