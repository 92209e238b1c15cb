"""The images that an import could not fetch and that are of no post, for its report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import select

from blogsvc.models import db
from blogsvc.models.import_job import ImportedImage

# The name of these images in `ImportJob.old_addresses`, until the import ends.
LOST = "lost"
MAX_LISTED = 500


class LostImage(NamedTuple):
    """What the report says. `key` is that of the image among those of its import, if a post may still bring it."""

    title: str
    reason: str
    key: str = ""

    @classmethod
    def of(cls, title: str, address: str, reason: str, key: str = "") -> LostImage:
        return cls(title[:300], f"{address[:200]} was not imported: {reason}"[:1000], key)


def rows(stored: Iterable[Sequence[str]], import_id: str) -> list[list[str]]:
    """Return rows for `ImportJob.left_out`, without the images that posts brought later."""
    lost = [LostImage(*row) for row in stored]
    has_keys = any(one.key for one in lost)
    query = select(ImportedImage.key).where(ImportedImage.import_id == import_id)
    found = set(db.session.scalars(query)) if has_keys else set[str]()
    left = [[one.title, one.reason] for one in dict.fromkeys(lost) if one.key not in found]
    if len(left) > MAX_LISTED:
        left[MAX_LISTED:] = [["And more", f"{len(left) - MAX_LISTED} other images were not imported."]]
    return left
