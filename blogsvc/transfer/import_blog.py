"""Take over what the old blog is called and looks like, where this blog is still as the setup left it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from blogsvc.errors import Invalid
from blogsvc.media.site_images import prepare_site_images, store_site_images
from blogsvc.models import ImportedPost, ImportJob
from blogsvc.models.navigation import PLACES, has_own_menus
from blogsvc.models.setting import BLOG as MAX_LENGTHS
from blogsvc.models.setting import blog, blog_errors, describe_blog, initial_details
from blogsvc.models.site_images import SITE_IMAGES, SiteImage, site_images
from blogsvc.navigation.social_links import own_links
from blogsvc.transfer import import_menus
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.parsed_blog import ParsedBlog
from blogsvc.transfer.formats.parsed_post import counted
from blogsvc.transfer.import_images import ImportContext, imported_images

# The names in `ImportJob.old_addresses` of the parsed blog and its links, and of the parts when the import has ended.
BLOG, LINKS, TAKEN_OVER = "blog", "links", "taken_over"
STAYS = "Not taken over, because you chose your own."
NO_IMAGES = "Not taken over, because images are not imported."
LABELS = {
    "title": "Title",
    "description": "Description",
    "author": "Author",
    "language": "Language",
    "slug_script": "Letters in addresses",
    "security_contact": "Contact for security problems",
    "ai_preference": "AI",
    "icon": "Icon",
    "logo": "Logo",
    "logo_dark": "Logo for dark mode",
    "menus": "Menus",
    "social": "Social links",
}


class Part(NamedTuple):
    """Something that the old blog has: a field of its description, an image, or links."""

    name: str
    text: str
    # Why it is not taken over, or "".
    note: str = ""

    @property
    def label(self) -> str:
        return LABELS[self.name]


@dataclass(frozen=True)
class SiteImages:
    """The ids of the icon and the logos in the media library, and why others are not there."""

    media_ids: dict[SiteImage, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


def parts(job: ImportJob) -> list[Part]:
    """Return what an import can take over, or what became of it if the import has ended. What is equal is left out."""
    stored = job.old_addresses or {}
    return [Part(*row) for row in stored[TAKEN_OVER]] if TAKEN_OVER in stored else list(_parts(stored))


def _parts(stored: Mapping[str, Any]) -> Iterator[Part]:
    parsed, links = _parsed(stored), stored.get(LINKS, {})
    current, initial = blog(), initial_details()
    for name, text in parsed.details.items():
        text = text[: MAX_LENGTHS[name]].strip()
        if text != current[name] and not blog_errors({name: text}):
            yield Part(name, text, "" if name in initial else STAYS)
    has_images = site_images()
    for name, image in parsed.images.items():
        yield Part(name, unquote(urlsplit(image.url).path).rpartition("/")[2], STAYS if name in has_images else "")
    if number := sum(len(links.get(place, ())) for place in PLACES):
        yield Part("menus", counted(number, "link", "links"), STAYS if has_own_menus() else "")
    if number := len(links.get("social", ())):
        yield Part("social", counted(number, "link", "links"), STAYS if own_links() else "")


def _parsed(stored: Mapping[str, Any]) -> ParsedBlog:
    return ParsedBlog.of_json(stored[BLOG]) if stored.get(BLOG) else ParsedBlog({})


def fetch_images(
    stored: Mapping[str, Any], context: ImportContext, archive: Callable[[], Archive | None]
) -> SiteImages:
    """Add the icon and the logos to the media library that this blog does not have, outside of a transaction."""
    found, present = SiteImages(), site_images()
    images = _parsed(stored).images
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
    found = [part._replace(note=part.note or images.notes.get(part.name, "")) for part in _parts(stored)]
    if details := {part.name: part.text for part in found if part.name in MAX_LENGTHS and not part.note}:
        describe_blog(details)
    free = {part.name for part in found if not part.note}
    if chosen := {name: media_id for name, media_id in images.media_ids.items() if name in free}:
        store_site_images(chosen)
    import_menus.add(stored.get(LINKS, {}), entries, public_url)
    return found
