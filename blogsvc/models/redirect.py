"""Redirects: addresses without a page, such as those of a blog that was imported, and what each leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from sqlalchemy import ForeignKey, String, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.transactions import execute_write

# In characters. WordPress and Ghost allow slugs of 200, below a date or categories.
MAX_ADDRESS_LENGTH = 500
MAX_TARGET_LENGTH = 2000

GONE = 410
Status = Literal[301, 302, 410]
# import: an address of an imported blog. moved: a page of this blog that has another address now.
Source = Literal["user", "import", "moved"]


@dataclass(frozen=True)
class Target:
    """What a redirect leads to: a post, an image, the page of a tag, or an address, which is a path here or a URL.

    All are None if the page is gone.
    """

    post_id: str | None = None
    media_id: str | None = None
    tag: str | None = None
    address: str | None = None


class Redirect(Base):
    """An address and what it leads to.

    Slugs that a post had here are no redirects but rows of PostSlug, because no other post may get them.
    """

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    # A decoded path without trailing slash. It may have a query, as in "/?p=13", or end in "/*": all paths below it.
    path: Mapped[str] = mapped_column(String(MAX_ADDRESS_LENGTH), unique=True)
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)
    media_id: Mapped[str | None] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), index=True)
    tag: Mapped[str | None] = mapped_column(String(100))
    # A path of this blog, or a URL. A "*" stands for what the "*" of `path` stands for.
    target: Mapped[str | None] = mapped_column(String(MAX_TARGET_LENGTH))
    status: Mapped[int] = mapped_column(default=301)
    source: Mapped[Source] = mapped_column(String(10), default="user")
    hit_count: Mapped[int] = mapped_column(default=0)
    last_hit_on: Mapped[date | None]

    @classmethod
    def get(cls, redirect_id: str) -> Redirect:
        row = db.session.get(cls, redirect_id)
        if row is None:
            raise NotFound(f"There is no redirect {redirect_id!r}.")
        return row

    @property
    def leads_to(self) -> Target:
        return Target(self.post_id, self.media_id, self.tag, self.target)

    def lead_to(self, target: Target) -> None:
        self.post_id, self.media_id, self.tag, self.target = (
            target.post_id,
            target.media_id,
            target.tag,
            target.address,
        )


def known(paths: Iterable[str]) -> dict[str, Redirect]:
    """Return the redirects of those paths that are stored."""
    wanted = list(paths)
    query = select(Redirect).where(Redirect.path.in_(wanted))
    return {row.path: row for row in db.session.scalars(query)} if wanted else {}


def keep(targets: Mapping[str, Target]) -> None:
    """Store addresses of an imported blog in the current transaction. Those that are stored keep their target."""
    there = set(db.session.scalars(select(Redirect.path).where(Redirect.path.in_(list(targets)))))
    if new := [_stored(path, target, "import") for path, target in targets.items() if path not in there]:
        execute_write(insert(Redirect), new)


def _stored(path: str, target: Target, source: Source) -> dict[str, object]:
    row = {"id": new_id("rdr"), "path": path, "status": 301, "source": source, "hit_count": 0}
    row |= {"post_id": target.post_id, "media_id": target.media_id, "tag": target.tag, "target": target.address}
    return row


def note_move(old: str, new: str) -> None:
    """Lead the path of a page of this blog to the one that it has now, and what led to the old one, too.

    Args:
        old: the path as it is in links, that is, encoded; so is `new`.
    """
    path = _path_in(old)
    leading = select(Redirect.id, Redirect.target).where(Redirect.target.startswith("/"))
    for row_id, target in db.session.execute(leading).all():
        if target is not None and _path_in(target) == path:
            moved = urlsplit(target)._replace(path=new).geturl()  # with its query and fragment
            db.session.execute(update(Redirect).where(Redirect.id == row_id).values(target=moved))
    db.session.execute(delete(Redirect).where(Redirect.path.in_([path, _path_in(new)])))
    execute_write(insert(Redirect), [_stored(path, Target(address=new), "moved")])


def _path_in(address: str) -> str:
    """Return the path of an address as the paths of redirects are stored; "" for that of another site."""
    parts = urlsplit(address)
    return "" if parts.netloc else normalize("NFC", unquote(parts.path)).rstrip("/")


def imported_for_post(post_id: str) -> list[str]:
    """Return the addresses that a post had on an imported blog, sorted."""
    query = select(Redirect.path).where(Redirect.post_id == post_id, Redirect.source == "import")
    return sorted(db.session.scalars(query))


def imported_for_no_post() -> dict[str, Target]:
    """Return the addresses that tags, images and other pages had on an imported blog, sorted."""
    query = select(Redirect).where(Redirect.post_id.is_(None), Redirect.source == "import").order_by(Redirect.path)
    return {row.path: row.leads_to for row in db.session.scalars(query)}
