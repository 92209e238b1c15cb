"""The addresses that the program of a static site gives to a post, from its file, its fields and the settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from blogsvc.transfer.formats.parsed_post import one_line
from blogsvc.transfer.formats.sites import eleventy_permalinks, jekyll
from blogsvc.transfer.formats.sites.docusaurus import DocusaurusSite
from blogsvc.transfer.formats.sites.fields import Fields
from blogsvc.transfer.formats.sites.hugo_permalinks import HugoPermalinks
from blogsvc.transfer.formats.sites.jekyll import JekyllSite
from blogsvc.transfer.formats.sites.settings import SiteSettings
from blogsvc.transfer.formats.tags import hugo


@dataclass(frozen=True)
class SiteAddresses:
    """The addresses of posts by the settings of a site."""

    jekyll: JekyllSite
    hugo: HugoPermalinks
    settings: SiteSettings
    docusaurus: DocusaurusSite

    def of(
        self,
        name: str,
        fields: Fields,
        place: tuple[str | None, str, str],
        title: str,
        date: datetime | None,
        warnings: list[str],
    ) -> tuple[str, ...]:
        """Return the addresses that a post may have had, apart from those that its fields write out.

        Args:
            place: the date, the slug and the language in the path of the file.
            date: in the time zone of the site.
            warnings: gets a sentence if the address is computed in a way that is unknown here.
        """
        day, file_slug, language = place
        own, slug = fields.computed_permalink or fields.text("url", "permalink"), fields.text("slug")
        if eleventy_permalinks.is_computed(own):
            values = {**fields.values, "title": title, "page.fileSlug": file_slug}
            found = eleventy_permalinks.address(own, values, date)
            if not found:
                warnings.append(f"Its address on the old blog, {one_line(own)[:200]}, is computed, and unknown here.")
            return (found,) if found else ()
        if fields.computed_permalink:
            return (own,) if own.lower() != "false" else ()
        by_pattern = jekyll.addresses(self.jekyll, name, fields.values, slug or file_slug, date)
        if own.lower() not in ("", "false"):
            return by_pattern if ":" in fields.text("permalink") else ()
        return (
            *hugo.addresses(name, slug, file_slug, day, language),
            *self.hugo.addresses(name, title, slug, date),
            *self.settings.addresses(name),
            *self.docusaurus.addresses(name, slug),
            *by_pattern,
        )
