"""What an import can take over of the old blog itself, and why it leaves other things as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from blogsvc.models import ImportJob
from blogsvc.models.navigation import PLACES, has_own_menus
from blogsvc.models.setting import BLOG as MAX_LENGTHS
from blogsvc.models.setting import blog, blog_errors, initial_details
from blogsvc.models.site_images import site_images
from blogsvc.models.theme import Theme, has_own_theme
from blogsvc.navigation.social_links import own_links
from blogsvc.transfer.formats.parsed_blog import ParsedBlog
from blogsvc.transfer.formats.parsed_post import counted, url_parts
from blogsvc.transfer.import_links import without_placeholder

# The names in `ImportJob.old_addresses` of the parsed blog and its links, and of the parts when the import has ended.
# The language is taken over before the posts, whose quotation marks follow it.
BLOG, LINKS, TAKEN_OVER, LANGUAGE = "blog", "links", "taken_over", "language"
STAYS = "Not taken over, because you chose your own."
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
    "look": "Look",
    "menus": "Menus",
    "social": "Social links",
}


class Part(NamedTuple):
    """Something that the old blog has: a field of its description, an image, the look, or links."""

    name: str
    text: str
    # Why it is not taken over, or "".
    note: str = ""
    # The value here when the import began or will begin, "" for none, an image, the look or links.
    current: str = ""

    @property
    def replaced(self) -> str:
        """Return the value here that the part replaces, "" if it replaces none."""
        return "" if self.note else self.current

    @property
    def label(self) -> str:
        return LABELS[self.name]


def parts(job: ImportJob) -> list[Part]:
    """Return what an import can take over, or what became of it if the import has ended. What is equal is left out."""
    stored = job.old_addresses or {}
    if TAKEN_OVER in stored:
        return [Part(*row) for row in stored[TAKEN_OVER]]
    return list(parts_of(stored, job.choices.get("site") or ""))


def in_order(rows: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """Return parts in the order of their labels."""
    names = list(LABELS)
    return sorted(rows, key=lambda row: names.index(row[0]))


def parts_of(stored: Mapping[str, Any], site: str) -> Iterator[Part]:
    """Yield what can be taken over, as this blog is now, from `ImportJob.old_addresses`.

    Args:
        site: the URL of the old blog, "" if it is unknown.
    """
    parsed, links = parsed_blog(stored), stored.get(LINKS, {})
    current, initial = blog(), initial_details()
    for name, text in parsed.details.items():
        text = without_placeholder(text, site)[: MAX_LENGTHS[name]].strip()
        if text != current[name] and not blog_errors({name: text}):
            yield Part(name, text, "" if name in initial else STAYS, current[name])
    has_images = site_images()
    for name, image in parsed.images.items():
        yield Part(name, unquote(url_parts(image.url).path).rpartition("/")[2], STAYS if name in has_images else "")
    if parsed.look and (look := Theme(**parsed.look)) != Theme.read():
        yield Part("look", look.summary, STAYS if has_own_theme() else "")
    if number := sum(len(links.get(place, ())) for place in PLACES):
        yield Part("menus", counted(number, "link", "links"), STAYS if has_own_menus() else "")
    if number := len(links.get("social", ())):
        yield Part("social", counted(number, "link", "links"), STAYS if own_links() else "")


def parsed_blog(stored: Mapping[str, Any]) -> ParsedBlog:
    """Return the blog that the plan stored, empty if the file had none."""
    return ParsedBlog.of_json(stored[BLOG]) if stored.get(BLOG) else ParsedBlog({})
