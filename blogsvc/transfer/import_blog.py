"""Take over what the old blog is called and looks like, where this blog is still as the setup left it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blogsvc.errors import Invalid
from blogsvc.media.site_images import prepare_site_images, store_site_images
from blogsvc.models import ImportedPost, ImportJob
from blogsvc.models.setting import BLOG, describe_blog
from blogsvc.models.site_images import SITE_IMAGES, SiteImage, site_images
from blogsvc.transfer import import_menus
from blogsvc.transfer.blog_parts import LINKS, Part, parsed_blog, parts_of
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.import_images import ImportContext, imported_images

NO_IMAGES = "Not taken over, because images are not imported."


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
        if name not in images or name in present:
            continue
        image = images[name].as_post()
        context.take_in(image, archive)
        media_ids = imported_images(image, ImportJob.get(context.import_id))
        if not media_ids:
            found.notes[name] = f"Not taken over. {context.notes[-1]}" if context.notes else NO_IMAGES
            continue
        try:
            (media_id,) = media_ids.values()
            prepare_site_images({name: media_id}, context.tools)
            found.media_ids[name] = media_id
        except Invalid as error:
            found.notes[name] = f"Not taken over. {error}"
    return found


def take_over(
    stored: Mapping[str, Any], images: SiteImages, entries: Sequence[ImportedPost], public_url: str
) -> list[Part]:
    """Take over what nobody has chosen here, inside the caller's transaction. Returns what became of each part."""
    found = [part._replace(note=part.note or images.notes.get(part.name, "")) for part in parts_of(stored)]
    if details := {part.name: part.text for part in found if part.name in BLOG and not part.note}:
        describe_blog(details)
    free = {part.name for part in found if not part.note}
    if chosen := {name: media_id for name, media_id in images.media_ids.items() if name in free}:
        store_site_images(chosen)
    import_menus.add(stored.get(LINKS, {}), entries, public_url)
    return found
