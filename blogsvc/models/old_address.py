"""The addresses that pages had on the blogs that were imported, and what each leads to here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from sqlalchemy import ForeignKey, String, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.transactions import execute_write

# In characters. WordPress and Ghost allow slugs of 200, below a date or categories.
MAX_ADDRESS_LENGTH = 500


@dataclass(frozen=True)
class Target:
    """What an old address leads to: a post, an image, the page of a tag, or another page by its path."""

    post_id: str | None = None
    media_id: str | None = None
    tag: str | None = None
    page: str | None = None


class OldAddress(Base):
    """An address of an imported blog: a decoded path without trailing slash, or a path with a query, as in "/?p=13".

    Slugs that a post had here are no old addresses but rows of PostSlug, because no other post may get them.
    """

    address: Mapped[str] = mapped_column(String(MAX_ADDRESS_LENGTH), primary_key=True)
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)
    media_id: Mapped[str | None] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), index=True)
    tag: Mapped[str | None] = mapped_column(String(100))
    page: Mapped[str | None] = mapped_column(String(100))

    @property
    def target(self) -> Target:
        return Target(self.post_id, self.media_id, self.tag, self.page)


def known(addresses: Iterable[str]) -> dict[str, Target]:
    """Return the targets of those addresses that are stored."""
    wanted = list(addresses)
    query = select(OldAddress).where(OldAddress.address.in_(wanted))
    return {row.address: row.target for row in db.session.scalars(query)} if wanted else {}


def keep(targets: Mapping[str, Target]) -> None:
    """Store old addresses in the current transaction. An address that is stored already keeps its target."""
    there = set(db.session.scalars(select(OldAddress.address).where(OldAddress.address.in_(list(targets)))))
    if new := [{"address": address, **asdict(target)} for address, target in targets.items() if address not in there]:
        execute_write(insert(OldAddress), new)


def of_post(post_id: str) -> list[str]:
    """Return the old addresses of a post, sorted."""
    query = select(OldAddress.address).where(OldAddress.post_id == post_id)
    return list(db.session.scalars(query.order_by(OldAddress.address)))


def of_no_post() -> dict[str, Target]:
    """Return the old addresses of tags, images and other pages, sorted."""
    query = select(OldAddress).where(OldAddress.post_id.is_(None)).order_by(OldAddress.address)
    return {row.address: row.target for row in db.session.scalars(query)}
