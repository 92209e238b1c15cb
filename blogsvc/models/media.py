"""A picture of the author's: what is known of it. Its files lie in the instance's `media` folder under `name`s."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, String, Text, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db

# A file's name: whose it is, the beginning of the SHA-256 of its bytes, the width of a smaller size, its format.
NAME = r"(med_[0-9a-z]{26})-[0-9a-f]{16}(?:-[0-9]+)?\.(?:jpg|png|gif|webp|avif)"
# The path of one of our pictures, where it is not the end of somebody else's address.
_PATH = re.compile(rf"(?<![\w.:/-])/media/{NAME}(?![\w.-])")


class Media(Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    # As the author called it. For the author alone: it may tell what readers should not know.
    filename: Mapped[str] = mapped_column(String(255))
    media_type: Mapped[str] = mapped_column(String(40))
    width: Mapped[int]
    height: Mapped[int]
    bytes: Mapped[int]
    name: Mapped[str] = mapped_column(String(80))
    alt: Mapped[str] = mapped_column(Text, default="")
    # The smaller ones, rising: [{"width": 480, "height": 320, "bytes": 9000, "name": "med_...-480.webp"}].
    sizes: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    created_at: Mapped[datetime]

    @classmethod
    def of(cls, filename: str, alt: str, now: datetime) -> Media:
        """A picture that has no files yet, and is in no session."""
        return cls(id=new_id("med", now), filename=filename, alt=alt, sizes=[], created_at=now)

    @classmethod
    def get(cls, media_id: str) -> Media:
        """The picture, under the write lock where there is one. Raises NotFound."""
        media = db.session.get(cls, media_id)
        if media is None:
            raise NotFound(f"There is no picture {media_id!r}.")
        return media

    @property
    def path(self) -> str:
        return path_of(self.name)

    @property
    def names(self) -> list[str]:
        """Its files, the full size first."""
        return [self.name, *(size["name"] for size in self.sizes)]


def path_of(name: str) -> str:
    """Where a file of a picture is served. Stored texts hold paths, so that they follow when the blog moves."""
    return f"/media/{name}"


def id_in(name: str) -> str | None:
    """The id of the picture that a file of this name is of; None for any other name."""
    found = re.fullmatch(NAME, name)
    return found[1] if found else None


def ids_in(text: str) -> list[str]:
    """The ids of the pictures whose files a text names."""
    return re.findall(NAME, text)


def known(ids: Iterable[str]) -> dict[str, Media]:
    """Those of these pictures that there are, by id."""
    wanted = set(ids)
    rows = db.session.scalars(select(Media).where(Media.id.in_(wanted))) if wanted else ()
    return {media.id: media for media in rows}


def with_full_addresses(text: str, public_url: str) -> str:
    """HTML or Markdown in which our own pictures have their full address, for reading far from here."""
    return _PATH.sub(lambda path: public_url + path[0], text)
