"""Parse Ghost's export file: its database tables as JSON, in the formats of all versions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from math import inf
from typing import Any
from urllib.parse import unquote

from blogsvc.lib.markdown import image_links
from blogsvc.lib.workers.text_jobs import convert
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.ghost import settings as ghost_settings
from blogsvc.transfer.formats.ghost.content import GATED
from blogsvc.transfer.formats.ghost.redirects import GhostRedirects
from blogsvc.transfer.formats.ghost.texts import markdown_of, text_of
from blogsvc.transfer.formats.ghost.url import PLACEHOLDER, PLACEHOLDER_HOST
from blogsvc.transfer.formats.linked_parts import LinkedParts
from blogsvc.transfer.formats.parsed_page import ParsedItem, ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedAuthor,
    ParsedPost,
    Status,
    UnreadableFile,
    clean,
    counted,
    is_web,
    one_line,
)

# Titles and descriptions for search engines and social networks, and images for them.
_META = ("meta_description",)
_SOCIAL = ("og_title", "og_description", "twitter_title", "twitter_description")
_SOCIAL_IMAGES = ("og_image", "twitter_image")


def is_export(document: Any) -> bool:
    return _data(document) is not None


def _data(document: Any) -> Mapping[str, Any] | None:
    databases = document.get("db") if isinstance(document, dict) else None
    if isinstance(databases, list):
        document = databases[0] if databases else None
    data = document.get("data") if isinstance(document, dict) else None
    return data if isinstance(data, dict) and isinstance(data.get("posts"), list) else None


def read(document: Any, zone: tzinfo, archive: Archive | None = None) -> Iterator[ParsedItem]:
    """Yield the blog, the pages of tags, the posts and the menus of an export, then what is skipped.

    `archive` may contain the images. Raises UnreadableFile.
    """
    data = _data(document)
    if data is None:
        raise UnreadableFile("This JSON file is not an export of Ghost: it has no posts.")
    tags, authors, files = _tags(data), _authors(data), _Files(archive)
    metas = {str(meta.get("post_id")): meta for meta in _rows(data, "posts_meta")}
    redirects = GhostRedirects.of(archive)
    settings = {text_of(row, "key"): text_of(row, "value") for row in _rows(data, "settings")}
    linked = LinkedParts(
        text_of(post, "html") or text_of(post, "lexical", "mobiledoc") for post in _rows(data, "posts")
    )
    yield ghost_settings.blog(settings, files.name_of)
    yield from _tag_pages(data, files)
    for post in _rows(data, "posts"):
        key = str(post.get("id"))
        parsed = _post(post, metas.get(key, {}), zone, files, linked)
        named = tags.get(key, ())
        parsed = replace(
            parsed,
            tags=tuple(name for name, _ in named),
            tag_paths=tuple((f"/tag/{slug}/", name) for name, slug in named if slug),
            authors=(named_authors := tuple(authors.get(key, ()))),
            images=(*parsed.images, *_pictures(named_authors, files)),
        )
        yield redirects.added_to(parsed)
    tag_paths = {f"/tag/{text_of(tag, 'slug')}": text_of(tag, "name") for tag in _rows(data, "tags")}
    yield from ghost_settings.menus(settings, tag_paths)
    yield from ghost_settings.social_links(settings)
    yield from redirects.skipped()


def _rows(data: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    rows = data.get(name)
    yield from (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()


def _tag_pages(data: Mapping[str, Any], files: _Files) -> Iterator[ParsedPage]:
    """Yield what the pages of tags begin with, for those that have anything."""
    for tag in _rows(data, "tags"):
        name, cover = one_line(text_of(tag, "name")), text_of(tag, "feature_image")
        title, description = text_of(tag, "meta_title"), text_of(tag, "description")
        if not name.startswith("#") and (title or description or cover):
            yield ParsedPage("tag", name, title, description, cover, files.name_of(cover) if cover else "")


def _tags(data: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Return the name and slug of the tags of each post, without internal tags, which start with "#"."""
    tags = {str(tag.get("id")): (text_of(tag, "name"), text_of(tag, "slug")) for tag in _rows(data, "tags")}
    tags_by_post: dict[str, list[tuple[str, str]]] = {}
    for post_id, tag_id in _links(data, "posts_tags", "tag_id"):
        name, slug = tags.get(tag_id, ("", ""))
        if name and not name.startswith("#"):
            tags_by_post.setdefault(post_id, []).append((name, slug))
    return tags_by_post


def _authors(data: Mapping[str, Any]) -> dict[str, list[ParsedAuthor]]:
    """Return the authors of each post. Exports of old versions have one for each."""
    users = {str(user.get("id")): _author(user) for user in _rows(data, "users") if text_of(user, "name")}
    links = list(_links(data, "posts_authors", "author_id"))
    links += [(str(post.get("id")), str(post.get("author_id"))) for post in _rows(data, "posts") if not links]
    authors: dict[str, list[ParsedAuthor]] = {}
    for post_id, author_id in links:
        if author_id in users:
            authors.setdefault(post_id, []).append(users[author_id])
    return authors


def _author(user: Mapping[str, Any]) -> ParsedAuthor:
    website = text_of(user, "website")
    links = (
        ("Website", website, True),
        *ghost_settings.profiles({name: text_of(user, name) for name in ("twitter", "facebook")}),
    )
    slug = text_of(user, "slug")
    return ParsedAuthor(
        slug=slug,
        name=one_line(text_of(user, "name")),
        email=text_of(user, "email"),
        bio=clean(text_of(user, "bio")),
        picture=text_of(user, "profile_image", "image") or None,
        links=tuple(link for link in links if is_web(link[1])),
        paths=(f"/author/{slug}/",) if slug else (),
    )


def _pictures(authors: Iterable[ParsedAuthor], files: _Files) -> Iterator[tuple[str, str]]:
    yield from ((author.picture, files.name_of(author.picture)) for author in authors if author.picture)


def _links(data: Mapping[str, Any], table: str, other: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a table that connects posts with something else, in the order that the authors chose."""
    for link in sorted(_rows(data, table), key=lambda link: _number_or_zero(link.get("sort_order"))):
        yield str(link.get("post_id")), str(link.get(other))


def _number_or_zero(value: Any) -> float:
    return value if isinstance(value, int | float) else 0


def _post(
    post: Mapping[str, Any], meta: Mapping[str, Any], zone: tzinfo, files: _Files, linked: LinkedParts
) -> ParsedPost:
    converted = markdown_of(post, meta, linked)
    status, warnings = _status(post)
    status = "draft" if GATED in converted.warnings else status
    cover = text_of(post, "feature_image", "image")
    date = moment(post.get("published_at"), zone)
    addresses = dict.fromkeys([*image_links.addresses(converted.markdown, PLACEHOLDER), *([cover] if cover else [])])
    images = [address for address in addresses if not _OTHER_FILE.search(address)]
    summary = text_of(post, "custom_excerpt", "meta_description") or text_of(meta, "meta_description")
    notes = (*warnings, *converted.warnings, *_losses({**post, **meta}, summary, converted.markdown))
    return ParsedPost(
        source=f"ghost:{hashlib.sha256((text_of(post, 'uuid') or text_of(post, 'slug', 'id')).encode()).hexdigest()}",
        title=one_line(text_of(post, "title")),
        markdown=converted.markdown,
        slug=text_of(post, "slug"),
        status=status,
        summary=summary,
        created_at=moment(post.get("created_at"), zone) or date,
        published_at=date if status == "published" else None,
        updated_at=moment(post.get("updated_at"), zone),
        scheduled_at=date if text_of(post, "status") == "scheduled" else None,
        language=text_of(post, "locale", "language"),
        canonical_url=text_of(post, "canonical_url"),
        cover=cover or None,
        cover_alt=text_of(meta, "feature_image_alt") if cover else "",
        cover_caption=_caption({**post, **meta}) if cover else "",
        kind="page" if _is_true(post.get("page")) or post.get("type") == "page" else "post",
        is_pinned=_is_true(post.get("featured")),
        meta_title=one_line(text_of({**post, **meta}, "meta_title")),
        images=tuple((address, files.name_of(address)) for address in images),
        addresses=tuple(_addresses(post)),
        was_public=text_of(post, "status") == "published",
        feed_id=text_of(post, "id") or None,
        warnings=tuple(note.replace(PLACEHOLDER, "").replace(PLACEHOLDER_HOST, "the old blog") for note in notes),
    )


def _caption(fields: Mapping[str, Any]) -> str:
    html = text_of(fields, "feature_image_caption")
    return one_line(convert(clean(html)).markdown) if html else ""


def _is_true(value: Any) -> bool:
    return str(value).lower() in ("1", "true")


def _addresses(post: Mapping[str, Any]) -> Iterator[str]:
    if slug := text_of(post, "slug"):
        yield f"{PLACEHOLDER}/{slug}/"
    if uuid := text_of(post, "uuid"):
        yield f"{PLACEHOLDER}/p/{uuid}/"


def _losses(fields: Mapping[str, Any], summary: str, markdown: str) -> Iterator[str]:
    """Yield what blogsvc has no field for. `fields` are those of the post and of its metadata."""
    title = text_of(fields, "title")
    for names, what in ((_META, "for search engines"), (_SOCIAL, "for social networks")):
        texts = [text_of(fields, name) for name in names]
        if lost := [text for text in dict.fromkeys(texts) if text not in ("", title, summary)]:
            yield f"Its texts {what} were not imported: {'; '.join(map(one_line, lost))}"
    cover = text_of(fields, "feature_image")
    if any(text_of(fields, name) not in ("", cover) for name in _SOCIAL_IMAGES):
        yield "Its image for social networks was not imported; they show the cover."
    if text_of(fields, "codeinjection_head", "codeinjection_foot"):
        yield "The code injected into its page was removed."
    if count := len(set(_OTHER_FILE.findall(markdown))):
        files = counted(count, "video, audio or other file was", "videos, audio and other files were")
        yield f"{files} not imported. The links still lead to the old blog."


# Files of the blog that are not images, in links.
_OTHER_FILE = re.compile(r"/content/(?:media|files)/[^\s()<>\"']+")


def _status(post: Mapping[str, Any]) -> tuple[Status, list[str]]:
    status, visibility = text_of(post, "status"), text_of(post, "visibility") or "public"
    if status == "published" and visibility != "public":
        return "draft", [f"It was visible only to {visibility}. It is imported as a draft."]
    if status == "sent":
        return "draft", ["It was only sent by e-mail. It is imported as a draft."]
    return ("published" if status == "published" else "draft"), []


class _Files:
    """Finds the images of a blog in an archive, by their URL."""

    def __init__(self, archive: Archive | None) -> None:
        # The widths and paths of each image; the original counts as the widest.
        self._names: dict[str, list[tuple[float, str]]] = {}
        for name in archive.names if archive else ():
            if match := _stored(f"/{name}"):
                size = _SIZE.match(match[1])
                width = float(size[1] or 0) if size else inf
                self._names.setdefault(_SIZE.sub("images/", match[1]), []).append((width, name))

    def name_of(self, address: str) -> str:
        """Return the path of the widest form of an image in the archive; "" if the archive has none."""
        match = _stored(unquote(address.partition("?")[0])) if "/content/" in address else None
        return max(self._names.get(_SIZE.sub("images/", match[1]), ()), default=(0, ""))[1] if match else ""


def _stored(path: str) -> re.Match[str] | None:
    """Find the part that names a file in Ghost's data directory, in a zip of it, or as `ghost backup` writes it."""
    _, is_content, inside = path.partition("/content/")
    return re.search(r"(?:^|/)((?:images|media|files)/.+)$", inside if is_content else path, re.DOTALL)


# Sizes that Ghost makes of an image, such as `images/size/w600/format/webp/2024/a.png`.
_SIZE = re.compile(r"^images/size/(?:w(\d{1,6}))?(?:h\d{1,6})?/(?:format/\w+/)?")
