"""A picture of the author's: what is known of it. Its files lie in the instance's `media` folder under `name`s."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, String, Text, exists, func, select, text
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.lib.ids import new_id
from blogsvc.lib.search_terms import Term, fold, terms
from blogsvc.lib.text import in_one_line
from blogsvc.models.base import Base, db

# A file's name: whose it is, the beginning of the SHA-256 of its bytes, the width of a smaller size, its format.
MEDIA_NAME = r"(med_[0-9a-z]{26})-[0-9a-f]{16}(?:-[0-9]+)?\.(?:jpg|png|gif|webp|avif)"
# The path of one of our pictures, where it is not the end of somebody else's address.
_PATH = re.compile(rf"(?<![\w.:/-])/media/{MEDIA_NAME}(?![\w.-])")

# As much as Mastodon takes of a picture's description.
LONGEST_ALT = 1500
ALT_IS_TOO_LONG = f"The text for who cannot see it has at most {LONGEST_ALT} characters."
_SAYS_NOTHING = text("alt = ''")


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
    # The words of its file's name and of `alt`, as they are searched for.
    folded: Mapped[str] = mapped_column(Text, default="")
    # The smaller ones, rising: [{"width": 480, "height": 320, "bytes": 9000, "name": "med_...-480.webp"}].
    sizes: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    created_at: Mapped[datetime]

    __table_args__ = (Index("ix_media_without_alt", "id", sqlite_where=_SAYS_NOTHING, postgresql_where=_SAYS_NOTHING),)

    @classmethod
    def of(cls, filename: str, alt: str, now: datetime) -> Media:
        """A picture that has no files yet, and is in no session."""
        media = cls(id=new_id("med", now), filename=filename, sizes=[], created_at=now)
        media.describe(alt)
        return media

    def describe(self, alt: str) -> None:
        """Say what it shows, to those who cannot see it."""
        self.alt = alt
        self.folded = fold(f"{self.filename} {alt}")

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


class MediaUse(Base):
    """A post shows a picture: in its working copy, or in what readers see or are to see.

    Written with the words, so that nobody has to read all of them to know. A text may name a picture that there is
    not, or not any more, so this refers to none.
    """

    media_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, index=True)


def note_uses(post_id: str, shown: set[str], *, is_new: bool) -> None:
    """Let a post be known to show these pictures, and no others."""
    noted = () if is_new else db.session.scalars(select(MediaUse).where(MediaUse.post_id == post_id))
    there = {use.media_id: use for use in noted}
    for media_id in there.keys() - shown:
        db.session.delete(there[media_id])
    for media_id in sorted(shown - there.keys()):
        db.session.add(MediaUse(media_id=media_id, post_id=post_id))


def alt_of(text: str) -> str:
    """What somebody wrote of a picture, as it is kept. Raises Invalid where that will not do."""
    alt = in_one_line(text)
    if "\x00" in alt:
        raise Invalid(Fault("#/alt", "control_character", "This holds a NUL character, which no text needs."))
    if len(alt) > LONGEST_ALT:
        raise Invalid(Fault("#/alt", "too_long", ALT_IS_TOO_LONG))
    return alt


def path_of(name: str) -> str:
    """Where a file of a picture is served. Stored texts hold paths, so that they follow when the blog moves."""
    return f"/media/{name}"


def id_in(name: str) -> str | None:
    """The id of the picture that a file of this name is of; None for any other name."""
    found = re.fullmatch(MEDIA_NAME, name)
    return found[1] if found else None


def ids_in(text: str) -> list[str]:
    """The ids of the pictures whose files a text names."""
    return re.findall(MEDIA_NAME, text)


def known(ids: Iterable[str]) -> dict[str, Media]:
    """Those of these pictures that there are, by id."""
    wanted = set(ids)
    rows = db.session.scalars(select(Media).where(Media.id.in_(wanted))) if wanted else ()
    return {media.id: media for media in rows}


def with_full_addresses(text: str, public_url: str) -> str:
    """HTML or Markdown in which our own pictures have their full address, for reading far from here."""
    return _PATH.sub(lambda path: public_url + path[0], text)


# Which pictures are asked for: all of them, those that say nothing to who cannot see them, those that no post shows.
Choice = Literal["all", "undescribed", "unused"]
CHOICES: tuple[Choice, ...] = get_args(Choice)


def conditions(choice: Choice, question: str = "") -> list[ColumnElement[bool]]:
    """What holds of the pictures that are asked for, with these words in their description or file's name."""
    asked: dict[Choice, list[ColumnElement[bool]]] = {
        "all": [],
        "undescribed": [Media.alt == ""],
        "unused": [~exists().where(MediaUse.media_id == Media.id)],
    }
    return asked[choice] + [_has(term) for term in terms(question)]


def _has(term: Term) -> ColumnElement[bool]:
    # Folded words are letters and digits with single spaces between, so nothing needs escaping.
    phrase = " ".join(term.words)
    has = (" " + Media.folded + " ").contains(f" {phrase} " if term.is_exact else f" {phrase}")
    return ~has if term.is_unwanted else has


def newest(chosen: list[ColumnElement[bool]], before: str | None, most: int) -> tuple[list[Media], str | None]:
    """So many of these pictures, the newest first, from `before` (an id) down; and where the next page begins."""
    query = select(Media).where(*chosen, *([Media.id < before] if before else []))
    rows = list(db.session.scalars(query.order_by(Media.id.desc()).limit(most + 1)))
    return rows[:most], rows[most - 1].id if len(rows) > most else None


def tally(question: str = "") -> dict[Choice, int]:
    """How many pictures each choice holds."""
    chosen = {choice: conditions(choice, question) for choice in CHOICES}
    counts = (select(func.count()).select_from(Media).where(*chosen[choice]).scalar_subquery() for choice in CHOICES)
    return dict(zip(CHOICES, db.session.execute(select(*counts)).one(), strict=True))
