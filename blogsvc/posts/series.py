"""Add, change and remove series. Their posts follow: revisions name a series by its slug."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text.plain import in_one_visible_line
from blogsvc.models import Post, Revision, Series, db, transaction
from blogsvc.models.navigation import replace_target
from blogsvc.models.post_labels import SITE_SERIES, PostLabel
from blogsvc.models.redirect import note_move
from blogsvc.models.series import MAX_TITLE_LENGTH
from blogsvc.models.setting import site_changed
from blogsvc.posts import rules
from blogsvc.posts.page_heads import head_faults

Wrong = Fault | None


def create(fields: Mapping[str, Any], now: datetime) -> Series:
    """Add a series.

    Args:
        fields: `title`, and any of `slug`, `description`, `cover_image`, `is_complete`.

    Raises Invalid if a field breaks a rule, or the slug is taken.
    """
    _check({"title": "", **fields})
    with transaction():
        slug = fields.get("slug")
        if slug:
            _require_free(slug)
        series = Series.of(in_one_visible_line(fields["title"]), now, slug=slug)
        _fill(series, fields)
        return series


def called(title: str, now: datetime) -> Series:
    """Return the series with this title or slug. If there is none, it is added. Raises Invalid."""
    title = in_one_visible_line(title)
    if (series := Series.titled(title)) is not None:
        return series
    try:
        return create({"title": title}, now)
    except Invalid as error:
        raise Invalid(*(replace(fault, pointer="#/series") for fault in error.faults)) from error


def change(series: Series, fields: Mapping[str, Any]) -> Series:
    """Change a series. With another slug, its posts name it by that one from then on. Raises Invalid, as `create`."""
    _check(fields)
    with transaction():
        slug = fields.get("slug")
        if slug and slug != series.slug:
            _require_free(slug)
            _rename_in_posts(series.slug, slug)
            note_move(f"/series/{series.slug}", f"/series/{slug}")
            replace_target(f"series:{series.slug}", f"series:{slug}")
            series.slug = slug
        _fill(series, fields)
        site_changed()
        return series


def remove(series: Series) -> None:
    """Remove a series. Its posts stay, and are in no series from then on."""
    with transaction():
        _name_in_posts(series.slug, series=None, series_part=None)
        db.session.execute(delete(PostLabel).where(*_labels(series.slug)))
        db.session.delete(series)
        site_changed()


def same_part(post: Post, among: ColumnElement[bool]) -> Post | None:
    """Return the oldest other post with the same number in the same series.

    Args:
        among: a condition, such as that the user can see the post.
    """
    if post.series is None or post.series_part is None:
        return None
    same = (Post.series == post.series, Post.series_part == post.series_part, Post.kind == "post")
    query = select(Post).where(*same, Post.id != post.id, Post.deleted_at.is_(None), among)
    return db.session.scalar(query.order_by(Post.created_at, Post.id).limit(1))


def _require_free(slug: str) -> None:
    if Series.find(slug) is not None:
        raise Invalid(Fault("#/slug", "taken", f"There is already a series {slug!r}. Choose another slug."))


def _rename_in_posts(old: str, new: str) -> None:
    _name_in_posts(old, series=new)
    db.session.execute(update(PostLabel).where(*_labels(old)).values(value=new))


def _name_in_posts(slug: str, **values: Any) -> None:
    """Give other values to the posts that name a series, and to their revisions."""
    db.session.execute(update(Post).where(Post.series == slug).values(**values, version=token_hex(8)))
    db.session.execute(update(Revision).where(Revision.series == slug).values(**values))


def _labels(slug: str) -> tuple[Any, ...]:
    return PostLabel.kind == SITE_SERIES, PostLabel.value == slug


def _fill(series: Series, fields: Mapping[str, Any]) -> None:
    if "title" in fields:
        series.title = in_one_visible_line(fields["title"])
    if "description" in fields:
        series.description = (fields["description"] or "").strip()
    if "cover_image" in fields:
        series.cover_image = fields["cover_image"] or None
    if "is_complete" in fields:
        series.is_complete = bool(fields["is_complete"])


def _check(fields: Mapping[str, Any]) -> None:
    faults = list(head_faults(fields, MAX_TITLE_LENGTH))
    if (slug := fields.get("slug")) and (wrong := rules.wrong_value("slug", slug)):
        faults.append(replace(wrong, pointer="#/slug"))
    if faults:
        raise Invalid(*faults)
