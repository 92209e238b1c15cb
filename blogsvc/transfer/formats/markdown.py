"""Parse Markdown files with front matter, from Hugo, Jekyll, Astro and others, or from blogsvc's export."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from blogsvc.lib.markdown import image_links
from blogsvc.lib.text.front_matter import BadFrontMatter, split
from blogsvc.transfer.formats import AUTHORS, BLOG, IMAGES, OLD_ADDRESSES, REDIRECTS, SERIES, TAG_PAGES
from blogsvc.transfer.formats.archives import Archive, beside, json_in
from blogsvc.transfer.formats.blogsvc_json import Authors, ImageAlts, OldAddresses, what_is_around
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.parsed_page import ParsedItem, ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedAuthor,
    ParsedPost,
    ParsedRedirect,
    SkippedItem,
    UnreadableFile,
    clean,
    counted,
    decoded,
    number,
    one_line,
    url_parts,
)
from blogsvc.transfer.formats.template_tags import plain

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
    for name in filter(is_text, archive.names):
        if is_of_site(name) and not is_alone:
            yield SkippedItem(name, "It is a file of the site, not a post.")
            continue
        try:
            found = _post(name, archive, zone, authors)
            yield alts.added_to(listed.added_to(found)) if isinstance(found, ParsedPost) else found
        except (UnreadableFile, BadFrontMatter) as error:
            yield SkippedItem(name, str(error))


def _post(name: str, archive: Archive, zone: tzinfo, authors: Authors) -> ParsedPost | SkippedItem:
    text, was_guessed = decoded(archive.read(name, MAX_FILE_BYTES))
    fields, body = split(clean(text))
    params = fields.get("params")
    fields = {**(params if isinstance(params, dict) else {}), **fields}
    layout = _text(fields.get("layout") or fields.get("type")).lower()
    if layout in _GENERATED:
        return SkippedItem(_text(fields.get("title")) or name, "It is a page that the blog makes itself.")
    warnings = ["Its encoding is not UTF-8. It was read as Windows-1252."] if was_guessed else []
    if "blogsvc_id" not in fields:
        body, notes = plain(body)
        warnings += notes
        if name.lower().endswith(".mdx"):
            body, notes = _without_components(body)
            warnings += notes
    day, slug = _date_and_slug(name)
    title = one_line(_text(fields.get("title"))) or _first_heading(body)
    if title and not fields.get("title"):
        body = re.sub(r"\A\s*#[ \t][^\n]*\n?", "", body, count=1)
    date = next(
        (at for key in _DATES if (at := moment(_date(fields.get(key)), zone))), moment(day, zone) if day else None
    )
    is_draft = _is_true(fields.get("draft")) or _is_false(fields.get("published")) or "_drafts/" in f"/{name}"
    is_ours = "blogsvc_id" in fields
    is_page = layout in _PAGES or (is_ours and fields.get("kind") == "page")
    is_undated = date is None and not is_page
    is_draft = is_draft or _text(fields.get("status")).lower() in ("draft", "private", "pending") or is_undated
    if is_undated and not _is_true(fields.get("draft")):
        warnings.append("It has no date. It is imported as a draft.")
    cover, cover_alt = _cover(fields)
    addresses = dict.fromkeys([*image_links.addresses(body), *([cover] if cover else [])])
    images = [(address, _archive_path(name, address, archive)) for address in addresses]
    lost = sum(1 for address, file in images if not file and not _is_elsewhere(address))
    if lost:
        warnings.append(f"{counted(lost, 'image is', 'images are')} not in the file.")
    post = ParsedPost(
        source=_source(name, fields, title),
        title=title or PurePosixPath(slug).name.replace("-", " "),
        markdown=body.lstrip("\n").rstrip(),
        slug=_text(fields.get("slug")) or slug,
        status="draft" if is_draft else "published",
        summary=_text(next((fields[key] for key in _SUMMARIES if _text(fields.get(key))), "")),
        tags=tuple(_tags(fields)),
        created_at=moment(_date(fields.get("created")), zone) or date,
        published_at=None if is_draft else date,
        updated_at=next((at for key in _UPDATES if (at := moment(_date(fields.get(key)), zone))), None),
        content_changed_at=moment(_date(fields.get("content_changed")), zone) if is_ours else None,
        scheduled_at=moment(_date(fields.get("scheduled")), zone) if is_draft and is_ours else None,
        language=_text(fields.get("language") or fields.get("lang") or fields.get("locale")),
        canonical_url=_text(fields.get("canonical_url") or fields.get("canonicalurl") or fields.get("canonical")),
        cover=cover,
        cover_alt=cover_alt,
        cover_caption=_text(fields.get("cover_caption")) if is_ours else "",
        kind="page" if is_page else "post",
        is_pinned=_is_true(fields.get("pinned")) and is_ours,
        is_unlisted=_is_true(fields.get("unlisted")) and is_ours,
        meta_title=_text(fields.get("meta_title")),
        series=_text(fields.get("series")),
        series_part=number(fields.get("series_part")),
        images=tuple(images),
        addresses=tuple(_former_urls(fields)),
        feed_id=_text(fields.get("feed_id") or fields.get("guid")) or None,
        was_public=not is_draft,
        platforms=tuple(_names(fields.get("platforms"))) if is_ours else (),
        overrides=_overrides(fields.get("overrides")) if is_ours else {},
        warnings=tuple(warnings),
    )
    if is_ours:
        return authors.added_to(post, list(_names(fields.get("authors"))))
    return replace(post, authors=tuple(_authors(fields)))


def _authors(fields: Mapping[str, Any]) -> Iterator[ParsedAuthor]:
    """Yield the authors that front matter names, as text or as `{name: ...}`."""
    value = fields.get("authors") or fields.get("author")
    for one in value if isinstance(value, list) else [value]:
        name = one_line(_text(one.get("name") if isinstance(one, dict) else one))
        if name:
            yield ParsedAuthor("", name)


_DATES = ("date", "publishdate", "published_at", "date_published", "pubdate", "publisheddate", "pubdatetime", "created")
_UPDATES = ("updated", "lastmod", "last_modified_at", "updateddate", "date_updated", "modified", "moddatetime")
_SUMMARIES = ("summary", "description", "excerpt", "subtitle")
_COVERS = (
    "cover",
    "image",
    "heroimage",
    "feature_image",
    "featured_image",
    "featuredimage",
    "thumbnail",
    "banner",
    "images",
)


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        return ""
    text = "" if value is None else str(value).strip()
    return "" if text in ("~", "null") else text


def _date(value: Any) -> Any:
    return _text(value) if isinstance(value, str | list) else value


def _is_true(value: Any) -> bool:
    return str(value).lower() in ("true", "yes", "on", "1")


def _is_false(value: Any) -> bool:
    return str(value).lower() in ("false", "no", "off", "0")


def _date_and_slug(name: str) -> tuple[str | None, str]:
    """Return the date and slug in a file name, or in the folder's name for index files."""
    path = PurePosixPath(name)
    stem = path.parent.name if path.stem in ("index", "page") and path.parent.name else path.stem
    dated = _DATED.fullmatch(re.sub(r"\.[a-z]{2}$", "", stem))
    return (dated[1], dated[2]) if dated else (None, stem)


def _first_heading(body: str) -> str:
    found = re.match(r"\s*#[ \t]+([^\n]+)", body)
    return one_line(found[1].strip("# ")) if found else ""


def _tags(fields: Mapping[str, Any]) -> Iterator[str]:
    taxonomies = fields.get("taxonomies")
    for kind in (fields, taxonomies if isinstance(taxonomies, dict) else {}):
        for key in ("tags", "tag", "categories", "category", "keywords"):
            value = kind.get(key)
            if isinstance(value, str):
                has_commas = "," in value or key == "category"
                yield from (tag.strip() for tag in value.split("," if has_commas else None))
            elif isinstance(value, list):
                yield from (str(tag) for tag in value if isinstance(tag, str | int | float))


def _cover(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the address of the cover image and its alt text."""
    for key in _COVERS:
        value, alt = fields.get(key), fields.get(f"{key}_alt") or fields.get(f"{key}alt")
        if isinstance(value, dict):
            alt = value.get("alt") or alt
            value = value.get("image") or value.get("src") or value.get("path") or value.get("url")
        if text := _text(value):
            return text, _text(alt)
    return "", ""


def _former_urls(fields: Mapping[str, Any]) -> Iterator[str]:
    for key in ("url", "permalink", "aliases", "redirect_from", "former_slugs", "old_addresses"):
        value = fields.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and one and ":" not in one.partition("//")[2]:
                yield one


def _names(value: Any) -> Iterator[str]:
    """Yield the destinations, from blogsvc's export."""
    for one in value if isinstance(value, list) else []:
        if name := _text(one):
            yield name


def _overrides(value: Any) -> dict[str, Any]:
    """Return the overrides per destination, from blogsvc's export."""
    if not isinstance(value, dict):
        return {}
    allowed = {"title", "content", "summary", "tags", "options"}
    return {
        str(name): {key: given for key, given in own.items() if key in allowed}
        for name, own in value.items()
        if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", str(name)) and isinstance(own, dict)
    }


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


def _source(name: str, fields: Mapping[str, Any], title: str) -> str:
    if post_id := _text(fields.get("blogsvc_id")):
        return f"blogsvc:{post_id}"
    text = "\n".join([PurePosixPath(name).name, title, str(fields.get("date", ""))])
    if PurePosixPath(name).stem in ("index", "page"):
        text = f"{PurePosixPath(name).parent.name}\n{text}"
    return f"file:{hashlib.sha256(text.encode()).hexdigest()}"


def _without_components(body: str) -> tuple[str, list[str]]:
    """Return MDX without imports and components, and a warning for each component removed."""
    body = re.sub(r"^(?:import|export)\s[^\n]*\n", "", body, flags=re.MULTILINE)
    names = sorted(set(re.findall(r"<([A-Z]\w{0,60})\b", body)))
    body = re.sub(r"</?[A-Z]\w{0,60}\b[^<>]{0,2000}>", "", body)
    return body, [f"The component <{name}> was removed; its content was kept." for name in names[:10]]
