"""The images of the blog itself, which settings name, and those of authors, series and tags: all uses besides posts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from sqlalchemy import ColumnElement, and_, column, exists, select, table

from blogsvc.lib.media_names import keys_in
from blogsvc.models.base import db
from blogsvc.models.setting import Setting

SiteImage = Literal["icon", "logo", "logo_dark"]
SITE_IMAGES: tuple[SiteImage, ...] = get_args(SiteImage)
PLACES: dict[SiteImage, str] = {
    "icon": "the icon of the blog",
    "logo": "the logo of the blog",
    "logo_dark": "the logo of the blog for dark mode",
}
_AUTHOR = table("author", column("name"), column("picture_id"))
_SERIES = table("series", column("title"), column("cover_image"))
_TAG_PAGE = table("tag_page", column("tag"), column("cover_image"))
_MEDIA = table("media", column("id"), column("key"))


def site_images() -> dict[SiteImage, str]:
    """Return the ids of the images that the blog has."""
    settings = {f"blog_{name}": name for name in SITE_IMAGES}
    rows = db.session.execute(select(Setting.name, Setting.value).where(Setting.name.in_(settings)))
    return {settings[name]: media_id for name, media_id in rows if media_id}


def write_site_image(name: SiteImage, media_id: str | None) -> None:
    Setting.write(f"blog_{name}", media_id)


def used_as(media_ids: Collection[str]) -> dict[str, list[str]]:
    """Return what images are besides images of posts, such as "the icon of the blog", by their ids."""
    found: dict[str, list[str]] = {}
    for name, media_id in site_images().items():
        if media_id in media_ids:
            found.setdefault(media_id, []).append(PLACES[name])
    pictures = select(_AUTHOR.c.picture_id, _AUTHOR.c.name).where(_AUTHOR.c.picture_id.in_(media_ids))
    for media_id, author in db.session.execute(pictures.order_by(_AUTHOR.c.name)):
        found.setdefault(media_id, []).append(f"the picture of {author}")
    for media_id, use in _covers():
        if media_id in media_ids:
            found.setdefault(media_id, []).append(use)
    return found


def _covers() -> list[tuple[str, str]]:
    """Return the ids of the images on top of the pages of series and tags, each with its use."""
    series = select(_SERIES.c.cover_image, _SERIES.c.title).where(_SERIES.c.cover_image.is_not(None))
    pages = select(_TAG_PAGE.c.cover_image, _TAG_PAGE.c.tag).where(_TAG_PAGE.c.cover_image.is_not(None))
    uses = [(url, f"the cover of the series {title}") for url, title in db.session.execute(series)]
    uses += [(url, f"the cover of the tag {tag}") for url, tag in db.session.execute(pages)]
    by_key = [(key, use) for url, use in uses for key in keys_in(url)]
    wanted = select(_MEDIA.c.key, _MEDIA.c.id).where(_MEDIA.c.key.in_({key for key, _ in by_key}))
    ids = dict(iter(db.session.execute(wanted))) if by_key else {}
    return [(ids[key], use) for key, use in by_key if key in ids]


def is_used_by_posts_alone(media_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that an image is not of the blog itself, nor of an author, a series or a tag."""
    is_picture = exists().where(_AUTHOR.c.picture_id == media_id)
    covers = [cover_id for cover_id, _ in _covers()]
    return and_(media_id.not_in([*site_images().values(), *covers]), ~is_picture)


def leave_out(media_id: str) -> None:
    """Take an image that is to be deleted out of the settings."""
    for name, used in site_images().items():
        if used == media_id:
            write_site_image(name, None)
