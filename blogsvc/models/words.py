"""What an author writes: the columns that a post (the working copy) and its revisions share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, String, Text
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from blogsvc.models.base import sorted_text


class Words:
    """The author's words and all that is published with them. `WORDS` names the columns."""

    title: Mapped[str] = mapped_column(sorted_text(300))
    content: Mapped[str] = mapped_column(Text, default="")
    summary: Mapped[str] = mapped_column(Text, default="")
    slug: Mapped[str] = mapped_column(String(100))
    canonical_url: Mapped[str | None] = mapped_column(String(2000))
    cover_image: Mapped[str | None] = mapped_column(String(2000))
    language: Mapped[str | None] = mapped_column(String(35))

    @declared_attr
    def tags(cls) -> Mapped[list[str]]:  # noqa: N805
        return mapped_column(JSON, default=list)

    @declared_attr
    def overrides(cls) -> Mapped[dict[str, Any]]:  # noqa: N805
        """Per destination, the words that differ there: {"mastodon": {"content": "..."}}."""
        return mapped_column(JSON, default=dict)

    def words(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in WORDS}


WORDS = ("title", "content", "summary", "slug", "canonical_url", "cover_image", "language", "tags", "overrides")
