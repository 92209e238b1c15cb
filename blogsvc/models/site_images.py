"""The images of the blog itself, which settings name, and those of authors: where an image is used besides posts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from sqlalchemy import ColumnElement, and_, column, exists, select, table

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
    return found


def is_used_by_posts_alone(media_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that an image is not of the blog itself, nor the picture of an author."""
    is_picture = exists().where(_AUTHOR.c.picture_id == media_id)
    return and_(media_id.not_in(site_images().values()), ~is_picture)


def leave_out(media_id: str) -> None:
    """Take an image that is to be deleted out of the settings."""
    for name, used in site_images().items():
        if used == media_id:
            write_site_image(name, None)
