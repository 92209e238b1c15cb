"""Parse Markdown files with front matter, from Hugo, Jekyll, Astro and others, or from blogsvc's export."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import tzinfo
from pathlib import PurePosixPath
from urllib.parse import unquote

from blogsvc.lib.markdown import image_links
from blogsvc.lib.text.front_matter import BadFrontMatter, split
from blogsvc.lib.text.languages import LANGUAGES, is_language_tag
from blogsvc.lib.text.plain import slugify
from blogsvc.lib.time import utc_now
from blogsvc.transfer.formats import (
    AUTHORS,
    BLOG,
    IMAGES,
    OLD_ADDRESSES,
    REDIRECTS,
    SERIES,
    TAG_PAGES,
    hugo,
    kramdown,
    mdx,
    obsidian_images,
    template_tags,
)
from blogsvc.transfer.formats.archives import Archive, beside, json_in
from blogsvc.transfer.formats.blogsvc_json import Authors, ImageAlts, OldAddresses, what_is_around
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.hidden_elements import without_hidden
from blogsvc.transfer.formats.hugo import INDEXES
from blogsvc.transfer.formats.markdown_fields import Fields
from blogsvc.transfer.formats.own_texts import own_texts
from blogsvc.transfer.formats.parsed_page import ParsedItem, ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedPost,
    ParsedRedirect,
    SkippedItem,
    UnreadableFile,
    clean,
    counted,
    number,
    one_line,
    url_parts,
)
from blogsvc.transfer.formats.removals import Removals
from blogsvc.transfer.formats.site_programs import Program, program_of_archive, program_of_file

MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx")
MAX_FILE_BYTES = 4 * 1024 * 1024  # per file
# Folders that site generators serve from the root of the site.
ROOTS = ("", "static/", "public/", "assets/", "src/", "source/", "src/assets/", "content/")
_DATED = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})-(.+)")
_NOT_POSTS = re.compile(
    r"(?:^|/)(?:readme|license|licence|changelog|contributing|code_of_conduct|_index|404)\.\w+$", re.I
)
_PAGES = ("page", "about", "contact")
# Pages that the blog makes itself.
_GENERATED = ("home", "search", "archive", "archives")


def is_text(name: str) -> bool:
    """Return True for Markdown files, by their name."""
    return PurePosixPath(name).suffix.lower() in MARKDOWN_SUFFIXES


def is_of_site(name: str) -> bool:
    """Return True for files such as a README or a license, which are not posts."""
    return _NOT_POSTS.search(name) is not None


def read(archive: Archive, zone: tzinfo, *, is_alone: bool = False) -> Iterator[ParsedItem]:
    """Yield the posts of an archive, sorted by path. Dates without an offset are in `zone`.

    With `is_alone`, the file was chosen by its author, who means it as a post, whatever its name.
    """
    yield from ParsedRedirect.all_in(json_in(archive, REDIRECTS))
    listed, authors = OldAddresses(json_in(archive, OLD_ADDRESSES)), Authors(json_in(archive, AUTHORS))
    alts = ImageAlts(json_in(archive, IMAGES))
    yield from what_is_around(json_in(archive, BLOG), alts)
    yield from map(alts.added_to_author, authors.all())
    yield from map(alts.added_to_page, ParsedPage.all_series_in(json_in(archive, SERIES)))
    yield from map(alts.added_to_page, ParsedPage.all_tags_in(json_in(archive, TAG_PAGES)))
    program = program_of_archive(archive.names)
    for name in filter(is_text, archive.names):
        if is_of_site(name) and not is_alone:
            yield SkippedItem(name, "It is a file of the site, not a post.")
            continue
        try:
            found = _post(name, archive, zone, authors, program)
            yield alts.added_to(listed.added_to(found)) if isinstance(found, ParsedPost) else found
        except (UnreadableFile, BadFrontMatter) as error:
            yield SkippedItem(name, str(error))


def _post(name: str, archive: Archive, zone: tzinfo, authors: Authors, program: Program) -> ParsedPost | SkippedItem:
    data, warnings = decoded(archive.read(name, MAX_FILE_BYTES))
    text = clean(data)
    values, body = split(text)
    fields = Fields(values, zone)
    layout = fields.text("layout", "type").lower()
    if layout in _GENERATED:
        return SkippedItem(fields.text("title") or name, "It is a page that the blog makes itself.")
    removals = Removals(body, first_line=text.count("\n", 0, len(text) - len(body)) + 1)
    if not fields.is_ours:
        source_text = body
        if name.lower().endswith(".mdx"):
            body = mdx.plain(body, removals)
        else:
            file_is_of = program_of_file(name, text[:10], fields.values, program)
            body = template_tags.plain(body, file_is_of, fields.values, removals)
            if file_is_of in ("jekyll", "unknown"):
                body = kramdown.plain(body, source_text, removals)
        body = obsidian_images.in_markdown(without_hidden(body, source_text, removals), archive)
        warnings += removals.warnings()
    day, slug, language = _place_of(name)
    title = one_line(fields.text("title")) or _first_heading(body)
    if title and not fields.text("title"):
        body = re.sub(r"\A\s*#[ \t][^\n]*\n?", "", body, count=1)
    now = utc_now()
    date = fields.published(now) or (moment(day, zone) if day else None) or fields.updated
    not_shown = () if fields.is_ours else tuple(fields.why_not_shown(now))
    warnings += not_shown
    is_page = layout in _PAGES or (fields.is_ours and fields.text("kind") == "page")
    is_undated = date is None and not is_page
    is_draft = (
        fields.is_true("draft")
        or fields.is_false("published")
        or "_drafts/" in f"/{name}"
        or fields.text("status").lower() in ("draft", "private", "pending")
        or is_undated
        or bool(not_shown)
        or removals.may_hide
    )
    if is_undated and not fields.is_true("draft"):
        written = fields.written_date or day
        lack = f"Its date, {one_line(written)[:100]!r}, is not valid." if written else "It has no date."
        warnings.append(f"{lack} It is imported as a draft.")
    has_address = fields.is_ours or fields.text("url", "permalink").lower() not in ("", "false")
    default_addresses = () if has_address else hugo.addresses(name, fields.text("slug"), slug, day, language)
    cover, cover_alt = fields.cover()
    texts = [body, *(own_texts(fields.overrides()) if fields.is_ours else ())]
    found = [address for text in texts for address in image_links.addresses(text)]
    addresses = dict.fromkeys([*found, *([cover] if cover else [])])
    images = [(address, _archive_path(name, address, archive)) for address in addresses]
    lost = sum(1 for address, file in images if not file and not _is_elsewhere(address))
    if lost:
        warnings.append(f"{counted(lost, 'image is', 'images are')} not in the file.")
    post = ParsedPost(
        source=_source(name, fields, title),
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
        meta_title=fields.text("meta_title"),
        series=fields.text("series"),
        series_part=number(fields.values.get("series_part")),
        images=tuple(images),
        addresses=tuple(dict.fromkeys(filter(None, (*fields.former_urls(), *default_addresses)))),
        file_name=slugify(slug),
        feed_id=fields.text("feed_id", "guid") or None,
        was_public=not is_draft,
        warnings=tuple(warnings),
    )
    if fields.is_ours:
        return authors.added_to(_with_our_fields(post, fields), list(fields.names("authors")))
    return replace(post, authors=tuple(fields.authors()))


def _with_our_fields(post: ParsedPost, fields: Fields) -> ParsedPost:
    """Return a post of blogsvc's export with the fields that other programs do not have."""
    return replace(
        post,
        content_changed_at=fields.time("content_changed"),
        scheduled_at=fields.time("scheduled") if post.status == "draft" else None,
        cover_caption=fields.text("cover_caption"),
        is_pinned=fields.is_true("pinned"),
        is_unlisted=fields.is_true("unlisted"),
        platforms=tuple(fields.names("platforms")),
        overrides=fields.overrides(),
    )


def _place_of(name: str) -> tuple[str | None, str, str]:
    """Return the date, the slug and the language in a file name, or in the folder's name for index files."""
    path = PurePosixPath(name)
    stem, _, suffix = path.stem.rpartition(".")
    is_known = is_language_tag(suffix) and suffix.partition("-")[0].lower() in LANGUAGES
    language = suffix if stem and is_known and len(suffix) in (2, 3, 5) else ""
    stem = stem if language else path.stem
    if stem in INDEXES and path.parent.name:
        stem = path.parent.name
    dated = _DATED.fullmatch(stem)
    return (dated[1], dated[2], language) if dated else (None, stem, language)


def _first_heading(body: str) -> str:
    found = re.match(r"\s*#[ \t]+([^\n]+)", body)
    return one_line(found[1].strip("# ")) if found else ""


def _is_elsewhere(address: str) -> bool:
    return address.startswith(("https://", "http://", "//", "data:"))


def _archive_path(name: str, address: str, archive: Archive) -> str:
    """Return the path in the archive that an image URL refers to, "" if there is none."""
    if _is_elsewhere(address):
        return ""
    path = unquote(url_parts(address).path) if "?" in address or "#" in address else unquote(address)
    path = re.sub(r"^(?:@/|~/)", "/src/", path)
    if not path.startswith("/"):
        there = beside(name, path)
        if there and there in archive:
            return there
    # From the root of the site, which may be a folder in the archive.
    tops = ["", *({f"{archive.names[0].partition('/')[0]}/"} if archive.names else ())]
    tries = (f"{top}{root}{path.lstrip('./')}" for top in tops for root in ROOTS)
    return next((one for one in tries if one in archive), "")


def _source(name: str, fields: Fields, title: str) -> str:
    if post_id := fields.text("blogsvc_id"):
        return f"blogsvc:{post_id}"
    text = "\n".join([PurePosixPath(name).name, title, str(fields.values.get("date", ""))])
    if PurePosixPath(name).stem.partition(".")[0] in INDEXES:
        text = f"{PurePosixPath(name).parent.name}\n{text}"
    return f"file:{hashlib.sha256(text.encode()).hexdigest()}"
