"""The columns that a post (the working copy) and its revisions share."""

from __future__ import annotations

import json
from collections.abc import Collection
from hashlib import blake2b
from typing import Any, Literal, get_args

from sqlalchemy import JSON, String, Text
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from blogsvc.lib.markdown.image_alts import images_with_alt
from blogsvc.lib.media_names import keys_in
from blogsvc.models.base import sorted_text

# Pages, such as "About", are in no list and no feed of the blog.
Kind = Literal["post", "page"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# The page with this slug is the text of the page at addresses without one.
NOT_FOUND_SLUG = "404"


class PostFields:
    """The content of a post and its metadata. `POST_FIELDS` lists the columns."""

    title: Mapped[str] = mapped_column(sorted_text(300))
    content: Mapped[str] = mapped_column(Text, default="")
    summary: Mapped[str] = mapped_column(Text, default="")
    slug: Mapped[str] = mapped_column(String(100))
    canonical_url: Mapped[str | None] = mapped_column(String(2000))
    cover_image: Mapped[str | None] = mapped_column(String(2000))
    # "" means the alt text of the media library.
    cover_alt: Mapped[str] = mapped_column(Text, default="")
    # One line of Markdown.
    cover_caption: Mapped[str] = mapped_column(Text, default="")
    language: Mapped[str | None] = mapped_column(String(35))
    kind: Mapped[Kind] = mapped_column(String(10), default="post")
    # On top of the home page.
    is_pinned: Mapped[bool] = mapped_column(default=False)
    # Only who knows the address finds it.
    is_unlisted: Mapped[bool] = mapped_column(default=False)
    # For search engines and browser tabs. "" means the title.
    meta_title: Mapped[str] = mapped_column(Text, default="")
    # The slug of the series that it is a part of.
    series: Mapped[str | None] = mapped_column(String(100))
    # Its place in the series. Parts without one come last, by date.
    series_part: Mapped[int | None]

    @declared_attr
    def tags(cls) -> Mapped[list[str]]:  # noqa: N805
        return mapped_column(JSON, default=list)

    @declared_attr
    def authors(cls) -> Mapped[list[str]]:  # noqa: N805
        """The slugs of the authors. [] for the author of the blog."""
        return mapped_column(JSON, default=list)

    @declared_attr
    def overrides(cls) -> Mapped[dict[str, Any]]:  # noqa: N805
        """The fields that differ at a destination: {"mastodon": {"content": "..."}}."""
        return mapped_column(JSON, default=dict)

    def fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in POST_FIELDS}

    @property
    def is_listed(self) -> bool:
        """True for what the blog shows in lists, feeds and searches."""
        return self.kind == "post" and not self.is_unlisted

    @property
    def is_not_found_text(self) -> bool:
        """True for the page whose title and content are shown at addresses without a page."""
        return self.kind == "page" and self.slug == NOT_FOUND_SLUG

    @property
    def is_findable(self) -> bool:
        """True for what strangers may find on the blog: by the search or in the sitemap, for example."""
        return not self.is_unlisted and not self.is_not_found_text

    def image_uses(self) -> dict[str, bool]:
        """Return the uploaded images in the content, the cover and the overrides: whether each lacks an alt text there.

        By the keys of the images. A cover without an alt text of its own has that of the same image in the text.
        """
        texts = [self.content, *(str(own.get("content") or "") for own in self.overrides.values())]
        keys = {key for text in (*texts, self.cover_image or "", json.dumps(self.overrides)) for key in keys_in(text)}
        if not keys:
            return {}
        shown = [(key, alt) for text in texts for url, alt in images_with_alt(text) for key in keys_in(url)]
        lacking = {key for key, alt in shown if not alt}
        if not self.cover_alt:
            lacking.update(set(keys_in(self.cover_image or "")) - {key for key, _ in shown})
        return {key: key in lacking for key in keys}

    def has_content_of(self, other: PostFields) -> bool:
        """Return True if readers read the same in both: only other fields differ, such as the authors."""
        return all(getattr(self, name) == getattr(other, name) for name in CONTENT_FIELDS)

    def is_seen_as(self, rev: str, names: Collection[str]) -> bool:
        """Return True if these columns have not changed since `rev` was made."""
        return set(rev.split("-")) >= {_seen(self, name) for name in names}


def rev_of(row: Any, names: Collection[str]) -> str:
    """Return a token for the current values of these columns: one short hash for each, joined by hyphens.

    Separate hashes let one user edit the text while another one changes the tags, without a conflict.
    """
    return "-".join(_seen(row, name) for name in names)


def _seen(row: Any, name: str) -> str:
    value = json.dumps([name, getattr(row, name)], sort_keys=True)
    return blake2b(value.encode(), digest_size=6).hexdigest()


POST_FIELDS = (
    "title",
    "content",
    "summary",
    "slug",
    "canonical_url",
    "cover_image",
    "cover_alt",
    "cover_caption",
    "language",
    "kind",
    "authors",
    "series",
    "series_part",
    "is_pinned",
    "is_unlisted",
    "meta_title",
    "tags",
    "overrides",
)
# What readers read. A change of another field does not make a post "updated".
CONTENT_FIELDS = ("title", "content", "summary", "cover_image", "cover_alt", "cover_caption", "tags")
# The values of fields that are empty, other than None.
EMPTY_VALUES: dict[str, Any] = {
    "content": "",
    "summary": "",
    "cover_alt": "",
    "cover_caption": "",
    "tags": [],
    "kind": "post",
    "authors": [],
    "is_pinned": False,
    "is_unlisted": False,
    "meta_title": "",
    "overrides": {},
}
