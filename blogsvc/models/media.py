"""Uploaded images. Their files are in the `media` folder of the data directory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import (
    JSON,
    ColumnElement,
    ForeignKey,
    String,
    Text,
    and_,
    bindparam,
    column,
    delete,
    exists,
    func,
    insert,
    select,
    table,
    text,
    true,
    update,
)
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.lib.ids import new_id
from blogsvc.lib.media_names import new_key, path_of
from blogsvc.lib.text.plain import in_one_line
from blogsvc.lib.text.search_terms import Term, fold, terms
from blogsvc.models.base import Base, db, partial_index
from blogsvc.models.site_images import is_used_by_posts_alone
from blogsvc.models.transactions import execute_write

# In characters: the limit of Mastodon for image descriptions.
MAX_ALT_LENGTH = 1500
ALT_IS_TOO_LONG = f"The alt text can have at most {MAX_ALT_LENGTH} characters."
_SAYS_NOTHING = text("alt = ''")
_POST = table("post", column("id"), column("deleted_at"))  # the model imports this module


class Media(Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    # In the names and addresses of its files. Made from `filename`, and never changed: texts contain it.
    key: Mapped[str] = mapped_column(String(80), unique=True, index=True)
    # The original file name. Readers see at most the letters and digits of it that `key` has.
    filename: Mapped[str] = mapped_column(String(255))
    media_type: Mapped[str] = mapped_column(String(40))
    width: Mapped[int]
    height: Mapped[int]
    bytes: Mapped[int]
    name: Mapped[str] = mapped_column(String(80))
    alt: Mapped[str] = mapped_column(Text, default="")
    # The words of the file name and of `alt`, normalized for search.
    folded: Mapped[str] = mapped_column(Text, default="")
    # The smaller sizes, by width: [{"width": 480, "height": 320, "bytes": 9000, "name": "ferry-...-480.webp"}].
    sizes: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    created_at: Mapped[datetime]
    # The id of the user or API key that uploaded it; None for imports.
    created_by: Mapped[str | None] = mapped_column(String(40))
    # SHA-256 of the file as it was uploaded, in hexadecimal. None for images that are older than this column.
    digest: Mapped[str | None] = mapped_column(String(64), index=True)

    __table_args__ = (partial_index("ix_media_without_alt", "id", where=_SAYS_NOTHING),)

    @classmethod
    def of(cls, filename: str, alt: str, now: datetime, created_by: str | None = None) -> Media:
        """Return an image without files. It is not added to the database session."""
        media = cls(id=new_id("med", now), key=new_key(filename), filename=filename, sizes=[], created_at=now)
        media.created_by = created_by
        media.describe(alt)
        return media

    def describe(self, alt: str) -> None:
        """Set the alternative text."""
        self.alt = alt
        self.folded = fold(f"{self.filename} {alt}")

    @classmethod
    def get(cls, media_id: str) -> Media:
        """Return the image. Raises NotFound."""
        media = db.session.get(cls, media_id)
        if media is None:
            raise NotFound(f"There is no image {media_id!r}.")
        return media

    @property
    def path(self) -> str:
        return path_of(self.name)

    @property
    def names(self) -> list[str]:
        """The names of its files, the full size first."""
        return [self.name, *(size["name"] for size in self.sizes)]


class MediaUse(Base):
    """The use of an image by a post, in its working copy or in its live or scheduled revision.

    Updated with the text, so that no query has to search all texts. `media_id` is not a foreign key: a text may still
    contain the path of an image after the image was deleted.
    """

    media_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, index=True)
    # True if the post shows it somewhere without an alternative text of its own, so that readers need the library's.
    lacks_alt: Mapped[bool] = mapped_column(server_default=true())


_USES = select(MediaUse.media_id, MediaUse.lacks_alt).where(MediaUse.post_id == bindparam("post_id"))


def note_uses(post_id: str, uses: Mapping[str, bool], *, is_new: bool) -> None:
    """Store which images a post uses, replacing what was stored before.

    Args:
        uses: by the key of each image, whether the post shows it without an alternative text.
    """
    rows = db.session.execute(select(Media.id, Media.key).where(Media.key.in_(uses))) if uses else ()
    shown = {media_id: uses[key] for media_id, key in rows}
    stored = () if is_new else db.session.execute(_USES, {"post_id": post_id})
    there: dict[str, bool] = {row.media_id: row.lacks_alt for row in stored}
    if gone := there.keys() - shown.keys():
        execute_write(delete(MediaUse).where(MediaUse.post_id == post_id, MediaUse.media_id.in_(gone)))
    if new := sorted(shown.keys() - there.keys()):
        execute_write(insert(MediaUse), [{"media_id": one, "post_id": post_id, "lacks_alt": shown[one]} for one in new])
    for one in sorted(there.keys() & shown.keys()):
        if there[one] != shown[one]:
            changed = update(MediaUse).where(MediaUse.post_id == post_id, MediaUse.media_id == one)
            execute_write(changed.values(lacks_alt=shown[one]))


def alt_of(text: str) -> str:
    """Return an alternative text in one line, as it is stored. Raises Invalid if it is too long or contains NUL."""
    alt = in_one_line(text)
    if "\x00" in alt:
        raise Invalid(Fault("#/alt", "control_character", "This contains a NUL character. Remove it."))
    if len(alt) > MAX_ALT_LENGTH:
        raise Invalid(Fault("#/alt", "too_long", ALT_IS_TOO_LONG))
    return alt


def known(keys: Iterable[str]) -> dict[str, Media]:
    """Return the images that exist among these keys, by key."""
    wanted = set(keys)
    rows = db.session.scalars(select(Media).where(Media.key.in_(wanted))) if wanted else ()
    return {media.key: media for media in rows}


# The filters of the media list: all images, those that readers see without alternative text, those that nothing uses.
Choice = Literal["all", "undescribed", "unused"]
CHOICES: tuple[Choice, ...] = get_args(Choice)


def conditions(choice: Choice, question: str = "") -> list[ColumnElement[bool]]:
    """Return the conditions for a filter, and for a search in alternative texts and file names."""
    by_choice: dict[Choice, list[ColumnElement[bool]]] = {
        "all": [],
        "undescribed": [Media.alt == "", _is_seen_without_alt()],
        "unused": [~exists().where(MediaUse.media_id == Media.id), is_used_by_posts_alone(Media.__table__.c.id)],
    }
    return by_choice[choice] + [_matches(term) for term in terms(question)]


def _is_seen_without_alt() -> ColumnElement[bool]:
    is_shown = and_(_POST.c.id == MediaUse.post_id, _POST.c.deleted_at.is_(None))
    return exists().where(MediaUse.media_id == Media.id, MediaUse.lacks_alt, is_shown)


def _matches(term: Term) -> ColumnElement[bool]:
    # Normalized words contain only letters and digits, so nothing needs escaping.
    phrase = " ".join(term.words)
    has = (" " + Media.folded + " ").contains(f" {phrase} " if term.is_exact else f" {phrase}")
    return ~has if term.is_unwanted else has


def newest(chosen: list[ColumnElement[bool]], before: str | None, most: int) -> tuple[list[Media], str | None]:
    """Return one page of images, the newest first, and the `before` of the next page, or None on the last page.

    Args:
        before: an image id; only older images are returned.
    """
    query = select(Media).where(*chosen, *([Media.id < before] if before else []))
    rows = list(db.session.scalars(query.order_by(Media.id.desc()).limit(most + 1)))
    return rows[:most], rows[most - 1].id if len(rows) > most else None


def seen_without_alt(images: Iterable[Media]) -> set[str]:
    """Return the ids of those of the images that readers see without alternative text."""
    chosen = Media.id.in_([media.id for media in images])
    return set(db.session.scalars(select(Media.id).where(chosen, *conditions("undescribed"))))


def tally(question: str = "") -> dict[Choice, int]:
    """Return the number of images for each filter."""
    chosen = {choice: conditions(choice, question) for choice in CHOICES}
    counts = (select(func.count()).select_from(Media).where(*chosen[choice]).scalar_subquery() for choice in CHOICES)
    return dict(zip(CHOICES, db.session.execute(select(*counts)).one(), strict=True))
