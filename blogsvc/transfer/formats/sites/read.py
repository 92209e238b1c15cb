"""Parse Markdown files with front matter, from Hugo, Jekyll, Astro and others, or from blogsvc's export."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from pathlib import PurePosixPath

from blogsvc.lib.text.front_matter import BadFrontMatter
from blogsvc.lib.text.languages import LANGUAGES, is_language_tag
from blogsvc.lib.time import utc_now
from blogsvc.transfer.formats import (
    AUTHORS,
    BLOG,
    IMAGES,
    OLD_ADDRESSES,
    REDIRECTS,
    SERIES,
    TAG_PAGES,
    blogsvc_markdown,
)
from blogsvc.transfer.formats.archive_images import images_of
from blogsvc.transfer.formats.archives import Archive, json_in
from blogsvc.transfer.formats.blogsvc_json import Authors, OldAddresses, what_is_around
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.linked_parts import LinkedParts
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_page import ParsedItem, ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedPost,
    ParsedRedirect,
    SkippedItem,
    UnreadableFile,
    clean,
    number,
    one_line,
)
from blogsvc.transfer.formats.sites import heading_words, lost_fields, plain_heads
from blogsvc.transfer.formats.sites.addresses import SiteAddresses
from blogsvc.transfer.formats.sites.archive_posts import ArchivePosts
from blogsvc.transfer.formats.sites.docusaurus import DocusaurusSite
from blogsvc.transfer.formats.sites.fields import Fields
from blogsvc.transfer.formats.sites.hidden_files import HiddenFiles
from blogsvc.transfer.formats.sites.hugo_permalinks import HugoPermalinks
from blogsvc.transfer.formats.sites.jekyll import JekyllSite
from blogsvc.transfer.formats.sites.programs import program_of_archive
from blogsvc.transfer.formats.sites.settings import SiteSettings
from blogsvc.transfer.formats.sites.text import SiteTexts, converted, is_text
from blogsvc.transfer.formats.tags.hugo import INDEXES

_OTHER_MARKUP = (".adoc", ".asciidoc", ".creole", ".org", ".rst", ".textile")
_HTML = (".htm", ".html")
_OF_POSTS = {"_posts", "_drafts", "content"}  # the folders in which HTML files with front matter are posts
MAX_FILE_BYTES = 4 * 1024 * 1024  # per file
_DATED = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})-(.+)")
_NOT_POSTS = re.compile(
    r"(?:^|/)(?:readme|license|licence|changelog|contributing|code_of_conduct|_index(?:\.[\w-]{2,10})?|404)\.\w+$", re.I
)
_NO_DOCUSAURUS = DocusaurusSite()
_PAGES = ("page", "about", "contact")
# Pages that the blog makes itself.
_GENERATED = ("home", "search", "archive", "archives")


def is_post_file(name: str) -> bool:
    """Return True for Markdown files, and for HTML files where Jekyll and Hugo have posts."""
    path = PurePosixPath(name)
    return is_text(name) or (path.suffix.lower() in _HTML and not _OF_POSTS.isdisjoint(path.parts[:-1]))


def is_of_site(name: str) -> bool:
    """Return True for files such as a README or a license, which are not posts."""
    return _NOT_POSTS.search(name) is not None


def read(archive: Archive, zone: tzinfo, *, is_alone: bool = False) -> Iterator[ParsedItem]:
    """Yield the posts of an archive, sorted by path. Dates without an offset are in `zone`.

    With `is_alone`, the file was chosen by its author, who means it as a post, whatever its name.
    """
    yield from ParsedRedirect.all_in(json_in(archive, REDIRECTS))
    listed, authors = OldAddresses(json_in(archive, OLD_ADDRESSES)), Authors(json_in(archive, AUTHORS))
    yield from ParsedMedia.all_in(json_in(archive, IMAGES))
    yield from what_is_around(json_in(archive, BLOG))
    yield from authors.all()
    yield from ParsedPage.all_series_in(json_in(archive, SERIES))
    yield from ParsedPage.all_tags_in(json_in(archive, TAG_PAGES))
    # Of translations in one folder, that in the language of the blog, which is not in its name, gets the plain slug.
    names = sorted(filter(is_post_file, archive.names), key=lambda name: bool(_place_of(name)[2]))
    docusaurus = DocusaurusSite.of(archive)
    of_jekyll, settings, hidden = JekyllSite.of(archive), SiteSettings.of(archive), HiddenFiles(archive.names)
    skipped = {} if is_alone else _skipped(names, settings, hidden)
    texts = SiteTexts(
        archive,
        program_of_archive(archive.names),
        settings,
        of_jekyll,
        ArchivePosts(
            archive,
            (name for name in names if name not in skipped),
            partial(_place_of, site=docusaurus),
        ),
        _linked_parts(archive, names),
        docusaurus.has_mdx,
    )
    addresses = SiteAddresses(of_jekyll, HugoPermalinks.of(archive), settings, docusaurus)
    zone = settings.zone(zone)
    for name in names:
        if name in skipped:
            yield SkippedItem(name, skipped[name])
            continue
        try:
            found = _post(name, archive, zone, authors, texts, addresses)
            yield listed.added_to(found) if isinstance(found, ParsedPost) else found
        except (UnreadableFile, BadFrontMatter) as error:
            yield SkippedItem(name, str(error))
    for name in archive.names:
        if PurePosixPath(name).suffix.lower() in _OTHER_MARKUP and not is_of_site(name):
            yield SkippedItem(name, "Its markup is not read. Convert it to Markdown, for example with Pandoc.")


def _skipped(names: Iterable[str], settings: SiteSettings, hidden: HiddenFiles) -> dict[str, str]:
    """Return why files are no posts, by their paths."""
    skipped = {}
    for name in names:
        if is_of_site(name) or settings.is_of_site(name):
            skipped[name] = "It is a file of the site, not a post."
        elif name in hidden:
            skipped[name] = "Its name, or that of its folder, begins with “_”: the old blog did not show it."
    return skipped


def _linked_parts(archive: Archive, names: Sequence[str]) -> LinkedParts:
    """Return the parts of posts that other posts link to, if any post is HTML: ids in Markdown stay anyway."""
    if all(map(is_text, names)):
        return LinkedParts()
    return LinkedParts(decoded(archive.head(name, MAX_FILE_BYTES))[0] for name in names)


def _post(
    name: str, archive: Archive, zone: tzinfo, authors: Authors, site: SiteTexts, site_addresses: SiteAddresses
) -> ParsedPost | SkippedItem:
    data, warnings = decoded(archive.read(name, MAX_FILE_BYTES))
    has_head = archive.is_vault or site.program != "unknown"
    values, body = blogsvc_markdown.head_and_text(data, begins_with_head=has_head)
    if blogsvc_markdown.is_ours(values):
        ours = blogsvc_markdown.post(name, values, body, zone, archive, authors)
        return replace(ours, warnings=(*warnings, *ours.warnings))
    text = clean(data)
    if not values:
        values, body = plain_heads.split(body)
    fields = Fields({**site.settings.values_of(name), **values}, zone)
    layout = fields.text("layout", "type").lower()
    if not is_text(name) and not values:
        return SkippedItem(name, "It is HTML without front matter, which no post has.")
    if layout in _GENERATED:
        return SkippedItem(fields.text("title") or name, "It is a page that the blog makes itself.")
    made = converted(name, body, text[: len(text) - len(body)], fields, site)
    body, warnings = made.markdown, [*warnings, *made.warnings]
    day, slug, language = _place_of(name, site_addresses.docusaurus)
    title = one_line(fields.text("title"))
    source = _source(name, fields, title or heading_words.written_in(body))
    if not title and (title := heading_words.title_of(body)):
        body, lost_links = heading_words.without_title(body)
        warnings += lost_links
    now = utc_now()
    date = fields.published(now) or (moment(day, zone) if day else None) or fields.updated
    not_shown = tuple(fields.why_not_shown(now))
    warnings += (*not_shown, *lost_fields.noted(fields, title))
    is_page = layout in _PAGES
    is_undated = date is None and not is_page
    is_draft = fields.is_draft or "_drafts/" in f"/{name}" or is_undated or bool(not_shown) or made.may_hide
    if is_undated and not fields.is_draft:
        written = fields.written_date or day
        lack = f"Its date, {one_line(written)[:100]!r}, is not valid." if written else "It has no date."
        warnings.append(f"{lack} It is imported as a draft.")
    local = date.astimezone(zone) if date else None
    addresses = site_addresses.of(name, fields, (day, slug, language), title, local, warnings)
    cover, cover_alt = fields.cover()
    images, lost = images_of(name, [body], cover, archive)
    return ParsedPost(
        source=source,
        title=title or PurePosixPath(slug).name.replace("-", " "),
        markdown=body.lstrip("\n").rstrip(),
        slug=fields.text("slug") or slug,
        status="draft" if is_draft else "published",
        summary=fields.summary,
        tags=tuple(fields.tags()),
        created_at=fields.time("created") or date,
        published_at=None if is_draft else date,
        updated_at=fields.updated,
        language=fields.text("language", "lang", "locale") or language,
        canonical_url=fields.text("canonical_url", "canonicalurl", "canonical"),
        cover=cover,
        cover_alt=cover_alt,
        kind="page" if is_page else "post",
        is_unlisted=fields.is_unlisted,
        meta_title=fields.meta_title,
        series=fields.text("series"),
        series_part=number(fields.values.get("series_part")),
        images=images,
        addresses=tuple(dict.fromkeys(filter(None, (*fields.former_urls(), *addresses)))),
        file_name=site.posts.file_name_of(name),
        feed_id=fields.text("feed_id", "guid") or None,
        was_public=not is_draft,
        is_note=made.is_note,
        authors=tuple(fields.authors()),
        warnings=(*warnings, *lost),
    )


def _place_of(name: str, site: DocusaurusSite = _NO_DOCUSAURUS) -> tuple[str | None, str, str]:
    """Return the date, the slug and the language in a file name, or in the folder's name for index files."""
    if found := site.place_of(name):
        return *found, ""
    path = PurePosixPath(name)
    stem, _, suffix = path.stem.rpartition(".")
    is_known = is_language_tag(suffix) and suffix.partition("-")[0].lower() in LANGUAGES
    language = suffix if stem and is_known and len(suffix) in (2, 3, 5) else ""
    stem = stem if language else path.stem
    if stem in INDEXES and path.parent.name:
        stem = path.parent.name
    dated = _DATED.fullmatch(stem)
    return (dated[1], dated[2], language) if dated else (None, stem, language)


def _source(name: str, fields: Fields, title: str) -> str:
    text = "\n".join([PurePosixPath(name).name, title, str(fields.values.get("date", ""))])
    if PurePosixPath(name).stem.partition(".")[0] in INDEXES:
        text = f"{PurePosixPath(name).parent.name}\n{text}"
    return f"file:{hashlib.sha256(text.encode()).hexdigest()}"
