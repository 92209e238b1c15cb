"""What the front matter of a Markdown file says, under the names that site generators use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any

from blogsvc.lib.time import stamp
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.parsed_post import ParsedAuthor, one_line
from blogsvc.transfer.formats.sites.pelican import without_place

# Names without hyphens and underscores, so that `published_at`, `published-at` and `publishedAt` are one.
_DATES = (
    "date publishdate publishedat datepublished pubdate publisheddate publicationdate publishedon pubdatetime created"
    " createdat datecreated creationdate published"
).split()
_UPDATES = (
    "updated updatedat lastmod lastmodified lastmodifiedat lastupdated updateddate dateupdated datemodified modified"
    " modifiedat moddatetime"
).split()
_DRAFTS = ("draft", "isdraft", "saveasdraft", "ignorepost")
_PUBLISHED = ("published", "ispublished", "publish", "dgpublish")
SUMMARIES = ("summary", "description", "excerpt", "subtitle", "abstract", "meta_description", "seo_description")
_META_TITLES = ("meta_title", "seo_title", "title_tag")
_COVERS = "cover image heroimage featureimage featuredimage thumbnail banner images".split()
_UNLISTED = ("unlisted", "hidden", "eleventyexcludefromcollections")
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_PLACEHOLDER = re.compile(r"(?:^|/):[a-z]|\{[{%]|\.mdx?\Z")  # in addresses, as in /:year/:title/; or a file


class Fields:
    """The front matter of a file, with its `params`."""

    def __init__(self, values: Mapping[str, Any], zone: tzinfo) -> None:
        params = values.get("params")
        self.values: Mapping[str, Any] = {**(params if isinstance(params, dict) else {}), **values}
        self._by_name: dict[str, Any] = {}
        for name, value in self.values.items():
            self._by_name.setdefault(_squashed(name), value)
        self._zone = zone

    def value(self, name: str) -> Any:
        """Return the field of a name, however its words are joined."""
        return self._by_name.get(_squashed(name))

    def text(self, *names: str) -> str:
        """Return the first text that is not empty, of the fields with these names."""
        return next(filter(None, (_text(self.value(name)) for name in names)), "")

    def is_true(self, name: str) -> bool:
        return str(self.value(name)).lower() in _TRUE

    def is_false(self, name: str) -> bool:
        return str(self.value(name)).lower() in _FALSE

    def time(self, *names: str) -> datetime | None:
        """Return the first valid time of the fields with these names."""
        values = (self.value(name) for name in names)
        times = (moment(_text(value) if isinstance(value, str | list) else value, self._zone) for value in values)
        return next(filter(None, times), None)

    @property
    def date(self) -> datetime | None:
        return self.time(*_DATES)

    @property
    def updated(self) -> datetime | None:
        return self.time(*_UPDATES)

    @property
    def written_date(self) -> str:
        """Return the date as it is written, also if it is not valid."""
        written = (self.text(name) for name in _DATES)
        return next((one for one in written if one and one.lower() not in (*_TRUE, *_FALSE)), "")

    def published(self, now: datetime) -> datetime | None:
        """Return the time since when it is public, which is not its date if a later one is still to come."""
        later = self.time("publishdate", "scheduled_at")
        return later if later is not None and later > now else self.date

    def why_not_shown(self, now: datetime) -> Iterator[str]:
        """Yield a sentence for each setting by which the old blog has no page of it."""
        expired = self.time("expirydate", "unpublishdate")
        if expired is not None and expired <= now:
            yield f"It was shown until {stamp(expired)}. It is imported as a draft."
        is_without_page = self.is_false("permalink") or self.computed_permalink.lower() == "false"
        if self.is_true("headless") or self._of_build("render") in ("never", "link", "false") or is_without_page:
            yield "The old blog had no page for it. It is imported as a draft."
        visibility = self.text("visibility").lower()
        if self.is_true("private") or visibility not in ("", "public", "unlisted", "visible"):
            yield "It was private. It is imported as a draft."
        if self.text("audience").lower() in ("only_paid", "founding", "only_free"):
            yield "It was visible only to subscribers. It is imported as a draft."
        if target := self.text("redirect_to"):
            yield f"The old blog showed {target[:200]} in its place. It is imported as a draft."
        if self.text("password"):
            yield "It was protected by a password. It is imported as a draft."

    @property
    def is_draft(self) -> bool:
        is_kept_back = any(map(self.is_true, _DRAFTS)) or any(map(self.is_false, _PUBLISHED))
        return is_kept_back or self.text("status").lower() in ("draft", "private", "pending", "unpublished")

    @property
    def is_unlisted(self) -> bool:
        """Return True if the old blog had a page of it, but did not list it."""
        told = (self.text("visibility").lower(), self.text("status").lower())
        is_hidden = any(map(self.is_true, _UNLISTED)) or "unlisted" in told
        return is_hidden or self._of_build("list") in ("never", "local", "false")

    def _of_build(self, name: str) -> str:
        """Return an option of `build: {render: ..., list: ...}` of Hugo."""
        build = self.values.get("build") or self.values.get("_build")
        return str(build.get(name, "")).lower() if isinstance(build, dict) else ""

    @property
    def summary(self) -> str:
        return self.text(*SUMMARIES) or self.of_seo("description")

    @property
    def meta_title(self) -> str:
        """Return the title for search engines."""
        return self.text(*_META_TITLES) or self.of_seo("title")

    def of_seo(self, name: str) -> str:
        """Return a text of `seo: {title: ..., description: ...}`, as some themes have it."""
        value = self.value("seo")
        return _text(value.get(name)) if isinstance(value, dict) else ""

    def authors(self) -> Iterator[ParsedAuthor]:
        """Yield the authors, who are texts or `{name: ...}`."""
        value = self.values.get("authors") or self.values.get("author")
        for one in value if isinstance(value, list) else [value]:
            name = one_line(_text(one.get("name") if isinstance(one, dict) else one))
            if name:
                yield ParsedAuthor("", name)

    def tags(self) -> Iterator[str]:
        taxonomies = self.values.get("taxonomies")
        for kind in (self.values, taxonomies if isinstance(taxonomies, dict) else {}):
            for key in ("tags", "tag", "categories", "category", "keywords", "topics"):
                value = kind.get(key)
                if isinstance(value, str):
                    has_commas = "," in value or key == "category"
                    yield from (tag.strip() for tag in value.split("," if has_commas else None))
                elif isinstance(value, list):
                    yield from (text for tag in value if isinstance(tag, str | int | float) and (text := _text(tag)))

    def cover(self) -> tuple[str, str]:
        """Return the address of the cover image and its alt text."""
        for key in _COVERS:
            value, alt = self.value(key), self.value(f"{key}alt")
            if isinstance(value, dict):
                alt = value.get("alt") or alt
                value = value.get("image") or value.get("src") or value.get("path") or value.get("url")
            if text := _text(value).removeprefix("[[").removesuffix("]]"):  # as Obsidian writes links
                return without_place(text), _text(alt)
        return "", ""

    def former_urls(self) -> Iterator[str]:
        """Yield the old addresses, except those with placeholders such as `/:year/:title/`."""
        for key in ("url", "permalink", "path", "aliases", "redirect_from", "former_slugs", "old_addresses"):
            value = self.values.get(key)
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and one and one.lower() != "false" and not _PLACEHOLDER.search(one):
                    yield one

    @property
    def computed_permalink(self) -> str:
        """Return the address that Eleventy computes from a pattern, in place of that in `permalink`."""
        computed = self.values.get("eleventycomputed")
        return _text(computed.get("permalink")) if isinstance(computed, dict) else ""

    def overrides(self) -> dict[str, Any]:
        """Return the overrides per destination of blogsvc's export."""
        value = self.values.get("overrides")
        if not isinstance(value, dict):
            return {}
        allowed = {"title", "content", "summary", "tags", "options"}
        return {
            str(name): {key: given for key, given in own.items() if key in allowed}
            for name, own in value.items()
            if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", str(name)) and isinstance(own, dict)
        }


def _squashed(name: str) -> str:
    return re.sub("[_-]", "", name).lower()


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        return ""
    text = "" if value is None else str(value).strip()
    return "" if text in ("~", "null") else text
