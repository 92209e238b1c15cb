"""What authors and series share: a page of the blog at a slug, by which revisions of posts name them."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Self

from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.text.slug_letters import SlugStyle
from blogsvc.models.base import db
from blogsvc.models.setting import Setting

MAX_STEM_LENGTH = 70  # characters; the rest of the slug is for a number


class Slugged:
    """A row with a slug of its own. `NOUN` is what messages call it, and the slug of a name without letters."""

    NOUN: ClassVar[str]

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    slug: Mapped[str] = mapped_column(String(100), unique=True)

    @classmethod
    def find(cls, name: str) -> Self | None:
        """Return the row with this slug or id; no slug has an underscore, as ids have."""
        return db.session.scalar(select(cls).where(cls.id == name if "_" in name else cls.slug == name))

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the row with this slug or id. Raises NotFound."""
        row = cls.find(name)
        if row is None:
            raise NotFound(f"There is no {cls.NOUN} {name!r}.")
        return row

    @classmethod
    def slugs_among(cls, slugs: Collection[str]) -> set[str]:
        """Return those of the slugs that a row has."""
        return set(db.session.scalars(select(cls.slug).where(cls.slug.in_(slugs)))) if slugs else set()

    @classmethod
    def free_slug(cls, name: str) -> str:
        """Return a slug for a name, with a number from 2 if it is taken."""
        style = SlugStyle(Setting.read("blog_slug_script"), Setting.read("blog_language"))
        stem = style.slug_of(name, None, MAX_STEM_LENGTH) or cls.NOUN
        taken = set(db.session.scalars(select(cls.slug).where(cls.slug.startswith(stem, autoescape=True))))
        numbered = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
        return next(slug for slug in (stem, *numbered) if slug not in taken)
