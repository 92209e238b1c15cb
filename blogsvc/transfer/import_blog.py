"""Take over what the old blog is called and looks like, where this blog is still as the setup left it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.media.site_images import prepare_site_images, store_site_images
from blogsvc.models import ImportedPost, ImportJob
from blogsvc.models.database import as_busy
from blogsvc.models.setting import BLOG, describe_blog
from blogsvc.models.site_images import SITE_IMAGES, SiteImage, site_images
from blogsvc.models.theme import Theme, save_theme
from blogsvc.models.transactions import savepoint
from blogsvc.transfer import import_menus
from blogsvc.transfer.blog_parts import LINKS, Part, parsed_blog, parts_of
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.parsed_blog import ParsedImage
from blogsvc.transfer.formats.parsed_post import UnreadableFile
from blogsvc.transfer.import_images import ImportContext, imported_images
from blogsvc.transfer.import_lease import LeaseLost

log = logging.getLogger(__name__)

NO_LINKS = "Not taken over. None of these links can be used here."
NO_IMAGES = "Images are not imported."


@dataclass(frozen=True)
class SiteImages:
    """The ids of the icon and the logos in the media library, and why others are not there."""

    media_ids: dict[SiteImage, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


def fetch_images(
    stored: Mapping[str, Any], context: ImportContext, archive: Callable[[], Archive | None]
) -> SiteImages:
    """Add the icon and the logos to the media library that this blog does not have, outside of a transaction."""
    found, present = SiteImages(), site_images()
    images = parsed_blog(stored).images
    for name in SITE_IMAGES:
        if name in images and name not in present:
            try:
                found.media_ids[name] = _fetched(name, images[name], context, archive)
            except Exception as error:
                found.notes[name] = _note(error)
    return found


def _fetched(name: SiteImage, image: ParsedImage, context: ImportContext, archive: Callable[[], Archive | None]) -> str:
    """Return the id of an image in the media library. Raises UnreadableFile or Invalid if it can't be used."""
    post = image.as_post()
    context.take_in(post, archive)
    media_ids = imported_images(post, ImportJob.get(context.import_id))
    if not media_ids:
        raise UnreadableFile(context.notes[-1] if context.notes else NO_IMAGES)
    (media_id,) = media_ids.values()
    prepare_site_images({name: media_id}, context.tools)
    return media_id


def take_over_language(stored: Mapping[str, Any]) -> list[Part]:
    """Take over the language, as `take_over` does the rest."""
    return [
        part if part.note else _unless_it_fails(_described, part)
        for part in parts_of(stored, "")
        if part.name == "language"
    ]


def take_over(
    stored: Mapping[str, Any], images: SiteImages, entries: Sequence[ImportedPost], site: str, tools: Tools
) -> list[Part]:
    """Take over what nobody has chosen here, inside the caller's transaction. Returns what became of each part.

    Args:
        site: the URL of the old blog, "" if it is unknown.
    """
    links = stored.get(LINKS, {})

    def taken(part: Part) -> Part:
        match part.name:
            case "menus":
                return _of_links(part, import_menus.add_menus(links, entries, tools.config.public_url))
            case "social":
                return _of_links(part, import_menus.add_social_links(links["social"]))
            case "icon" | "logo" | "logo_dark" as image if image in images.media_ids:
                store_site_images({image: images.media_ids[image]})
            case "look":
                save_theme(Theme(**parsed_blog(stored).look), tools.now())
            case name if name in BLOG:
                return _described(part)
        return part

    noted = [part._replace(note=part.note or images.notes.get(part.name, "")) for part in parts_of(stored, site)]
    return [part if part.note else _unless_it_fails(taken, part) for part in noted]


def _described(part: Part) -> Part:
    describe_blog({part.name: part.text})
    return part


def _of_links(part: Part, usable: int) -> Part:
    """Return the part with the number of links that could be used."""
    if not usable:
        return part._replace(note=NO_LINKS)
    return part if part.text.startswith(f"{usable} ") else part._replace(text=f"{usable} of {part.text}")


def _unless_it_fails(take: Callable[[Part], Part], part: Part) -> Part:
    """Take over a part. One that fails is undone alone, so that the import ends."""
    try:
        with savepoint():
            return take(part)
    except Exception as error:
        return part._replace(note=_note(error))


def _note(error: Exception) -> str:
    """Return why a part is not taken over. Raises the error if the import must be tried again, or has ended."""
    if isinstance(error, Invalid | UnreadableFile):
        return f"Not taken over. {error}"
    if isinstance(error, LeaseLost) or as_busy(error) is not None:
        raise error
    log.error("a part of an imported blog could not be taken over", exc_info=error)
    return "Not taken over. See the server log."
