"""The revisions of a post: which is the latest, which is live, and which changes are not published."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import String, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import db
from blogsvc.models.media import note_uses
from blogsvc.models.post_fields import PostFields
from blogsvc.models.revision import Revision
from blogsvc.models.rows import insert_row


class Revised(PostFields):
    """The working copy and its revisions."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    revision_count: Mapped[int] = mapped_column(default=0)
    # The revision that was last published or is pinned for publishing. Not a foreign key, to avoid a cycle between
    # the two tables.
    live_revision_id: Mapped[str | None] = mapped_column(String(40))
    # The revision on the built-in blog, or None if the post is not on it.
    site_revision_id: Mapped[str | None] = mapped_column(String(40))
    has_unpublished_changes: Mapped[bool] = mapped_column(default=False)
    # When a revision on the blog last had other content than the one that was there before it, even if the post was
    # not on the blog meanwhile. None if none was ever there.
    content_changed_at: Mapped[datetime | None]

    def revise(self, reason: str, now: datetime) -> Revision:
        """Return the latest revision, or add a new one if the fields have changed since."""
        last = self.latest_revision()
        if last is not None and last.fields() == self.fields():
            last.reason = reason if last.reason == "autosaved" else last.reason
            return last
        return self.add_revision(self.fields(), reason, now)

    def revise_with(self, fields: dict[str, Any], now: datetime) -> Revision:
        """Return the latest revision with these changes, which the working copy may not have."""
        last, wanted = self.revise("saved", now), self.fields() | fields
        return last if last.fields() == wanted else self.add_revision(wanted, "saved", now)

    def set_aside(self, fields: dict[str, Any], now: datetime) -> Revision:
        """Store discarded text as a revision, without changing the working copy."""
        return self.add_revision(self.fields() | fields, "set aside", now)

    def add_revision(self, fields: dict[str, Any], reason: str, now: datetime) -> Revision:
        self.revision_count += 1
        return insert_row(Revision.of(self.id, self.revision_count, fields, reason, now))

    def latest_revision(self) -> Revision | None:
        with db.session.no_autoflush:  # the row of the post is written once, with its next revision
            return Revision.find(self.id, self.revision_count)

    def live_revision(self) -> Revision | None:
        return db.session.get(Revision, self.live_revision_id) if self.live_revision_id else None

    def pin(self, reason: str, now: datetime, html: str | None = None) -> Revision:
        """Store the working copy as the revision to publish, with its HTML, which is rendered if it is not known."""
        return self.pin_revision(self.revise(reason, now), html)

    def pin_revision(self, revision: Revision, html: str | None = None) -> Revision:
        """Take a revision as the one to publish, with its HTML, which is rendered if it is not known."""
        revision.html = revision.html or html
        revision.render()
        was, self.live_revision_id = self.live_revision_id, revision.id
        self.has_unpublished_changes = revision.fields() != self.fields()
        if was not in (None, revision.id) or self.has_unpublished_changes:
            self.note_image_uses()
        return revision

    def note_content(self, former_id: str | None, revision: Revision) -> None:
        """Set the time of the last change of the content, unless only fields such as the byline have changed.

        Args:
            former_id: the id of the revision that was on the blog; None for none.
            revision: the one that is there now.
        """
        former = db.session.get(Revision, former_id) if former_id else self._last_content()
        if former is None or not revision.has_content_of(former):
            self.content_changed_at = revision.created_at

    def _last_content(self) -> Revision | None:
        """Return the revision with the content that was last on the blog; None if there is none or it is unknown.

        For an imported post it is the first one, which may be stored later than the content changed.
        """
        if self.content_changed_at is None:
            return None
        was_there = or_(Revision.created_at <= self.content_changed_at, Revision.number == 1)
        query = select(Revision).where(Revision.post_id == self.id, was_there)
        return db.session.scalar(query.order_by(Revision.number.desc()).limit(1))

    def note_image_uses(self) -> None:
        """Update the image uses, from the working copy and the live and scheduled revisions."""
        ids = {self.live_revision_id, self.site_revision_id} - {None}
        sent = (db.session.get(Revision, id) for id in ids)
        uses = self.image_uses()
        for revision in sent:
            for key, lacks_alt in (revision.image_uses() if revision is not None else {}).items():
                uses[key] = uses.get(key, False) or lacks_alt
        note_uses(self.id, uses, is_new=False)
