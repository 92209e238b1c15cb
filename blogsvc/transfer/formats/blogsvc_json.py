"""Parse the JSON export of blogsvc."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from blogsvc.lib import blog_paths
from blogsvc.lib.markdown import image_links
from blogsvc.transfer.formats import JSON_FORMAT, JSON_VERSION
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.own_texts import own_texts
from blogsvc.transfer.formats.parsed_blog import ParsedBlog
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_page import ParsedItem, ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedAuthor,
    ParsedLinks,
    ParsedPost,
    ParsedRedirect,
    SkippedItem,
    UnreadableFile,
    cut,
    number,
    url_parts,
)

MAX_ADDRESSES = 500  # of one page; each post of a tag has those of the tag
TOO_MANY = f"Of the old addresses of its tags, images and of the front page, {MAX_ADDRESSES} each are kept."


def is_export(document: Any) -> bool:
    return isinstance(document, dict) and document.get("format") == JSON_FORMAT


def read(document: Any, zone: tzinfo) -> Iterator[ParsedItem]:
    """Yield what is around the posts, and the posts that are not in the trash. Raises UnreadableFile.

    Images are fetched from the old blog.
    """
    if not isinstance(document.get("version"), int) or document["version"] > JSON_VERSION:
        raise UnreadableFile(
            f"This export has version {document.get('version')!r}; the newest supported version is {JSON_VERSION}."
        )
    posts = document.get("posts")
    if not isinstance(posts, list):
        raise UnreadableFile("This export has no posts.")
    blog = document.get("blog")
    url = str(blog.get("url") or "") if isinstance(blog, dict) else ""
    yield from ParsedRedirect.all_in(document.get("redirects"))
    yield from ParsedMedia.all_in(document.get("media"))
    authors = Authors(document.get("authors"))
    yield from authors.all()
    yield from ParsedPage.all_series_in(document.get("series"))
    yield from ParsedPage.all_tags_in(document.get("tagPages"))
    yield from what_is_around(blog)
    listed = OldAddresses(document.get("oldAddresses"))
    for post in posts:
        if not isinstance(post, dict):
            yield SkippedItem("An entry", "It is not a post.")
        elif post.get("deletedAt"):
            yield SkippedItem(str(post.get("title")), "It is in the trash.")
        else:
            parsed = _post(post, zone, url.rstrip("/"))
            yield listed.added_to(authors.added_to(parsed, _texts(_live_fields(post).get("authors"))))


def what_is_around(blog: Any) -> Iterator[ParsedBlog | ParsedLinks]:
    """Yield what the blog is called and looks like, the menus that an owner had made, and the social links."""
    if not isinstance(blog, dict):
        return
    yield ParsedBlog.in_export(blog)
    menus = blog.get("navigation")
    if isinstance(menus, dict) and menus:
        yield ParsedLinks.of("header", _menu(menus.get("header")))
        yield ParsedLinks.of("footer", _menu(menus.get("footer")))
    if social := _rows(blog.get("social")):
        yield ParsedLinks.of("social", [(row.get("label"), row.get("url"), row.get("isMe")) for row in social])


def _menu(rows: Any) -> list[tuple[Any, str, bool]]:
    return [(row.get("label"), _target(row), False) for row in _rows(rows)]


def _target(item: Mapping[str, Any]) -> str:
    """Return what an item of a menu leads to: a post by its source, because it gets another id."""
    to = str(item.get("to"))
    return f"source:blogsvc:{to.removeprefix('page:')}" if to.startswith("page:") else to


def _rows(rows: Any) -> list[Mapping[str, Any]]:
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _file_of(address: str, url: str) -> str:
    """Return the URL under which the file lists an image of the blog; "" for other images.

    Args:
        url: that of the blog.
    """
    parts = url_parts(address)
    is_here = not parts.netloc or parts.netloc == url_parts(url).netloc
    return url + parts.path if url and is_here and parts.path.startswith("/media/") else ""


def _post(post: Mapping[str, Any], zone: tzinfo, url: str) -> ParsedPost:
    is_live, fields = _is_live(post), _live_fields(post)
    warnings: list[str] = []
    if post.get("hasUnpublishedChanges"):
        warnings.append("Its unpublished changes are not imported; they are only in the file.")
    text = cut(str(fields.get("content") or ""), warnings)
    given = fields.get("overrides")
    overrides: dict[str, Any] = given if isinstance(given, dict) else {}
    cover = str(fields.get("coverImage") or "")
    addresses = [address for one in (text, *own_texts(overrides)) for address in image_links.addresses(one, url)]
    images = dict.fromkeys([*addresses, *([cover] if cover else [])])
    return ParsedPost(
        source=f"blogsvc:{post.get('id')}",
        title=str(fields.get("title") or ""),
        markdown=text,
        slug=str(fields.get("slug") or ""),
        status="published" if is_live else "draft",
        summary=str(fields.get("summary") or ""),
        tags=_texts(fields.get("tags")),
        created_at=moment(post.get("createdAt"), zone),
        published_at=moment(post.get("publishedAt"), zone),
        updated_at=moment(post.get("updatedAt"), zone),
        content_changed_at=moment(post.get("contentChangedAt"), zone),
        scheduled_at=moment(post.get("scheduledAt"), zone) if post.get("status") in ("scheduled", "missed") else None,
        language=str(fields.get("language") or ""),
        canonical_url=str(fields.get("canonicalUrl") or ""),
        cover=cover or None,
        cover_alt=str(fields.get("coverAlt") or ""),
        cover_caption=str(fields.get("coverCaption") or ""),
        kind="page" if fields.get("kind") == "page" else "post",
        is_pinned=fields.get("isPinned") is True,
        is_unlisted=fields.get("isUnlisted") is True,
        meta_title=str(fields.get("metaTitle") or ""),
        series=str(fields.get("series") or ""),
        series_part=number(fields.get("seriesPart")),
        images=tuple((address, _file_of(address, url)) for address in images),
        addresses=(str(fields.get("slug") or ""), *_texts(post.get("formerSlugs")), *_texts(post.get("oldAddresses"))),
        feed_id=str(post.get("feedId") or "") or None,
        was_public=is_live,
        platforms=_texts(post.get("platforms")),
        overrides=overrides,
        warnings=tuple(warnings),
    )


def _is_live(post: Mapping[str, Any]) -> bool:
    return post.get("status") in ("published", "partial", "failed", "publishing")


def _live_fields(post: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that readers see, or those of the draft."""
    return {**post, **(_live_revision(post) if _is_live(post) else {})}


class Authors:
    """The authors that an export lists apart from the posts.

    Args:
        listed: what the export lists: `[{"slug": "ada", "name": "Ada", "bio": "..."}]`.
    """

    def __init__(self, listed: Any) -> None:
        rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
        self._by_slug = {str(row.get("slug")): _author(row) for row in rows if row.get("name")}

    def all(self) -> list[ParsedAuthor]:
        return list(self._by_slug.values())

    def added_to(self, post: ParsedPost, slugs: Sequence[str]) -> ParsedPost:
        """Return the post with the authors that it names, and their pictures."""
        named = tuple(self._by_slug.get(slug) or ParsedAuthor(slug, slug) for slug in slugs)
        pictures = [image for one in named for image in one.images]
        return replace(post, authors=named, images=tuple(dict.fromkeys((*post.images, *pictures))))


def _author(row: Mapping[str, Any]) -> ParsedAuthor:
    links = [link for link in row.get("links") or () if isinstance(link, dict)]
    return ParsedAuthor(
        slug=str(row.get("slug")),
        name=str(row.get("name")),
        bio=str(row.get("bio") or ""),
        picture=str(row["picture"]) if row.get("picture") else None,
        links=tuple((str(link.get("label")), str(link.get("url")), link.get("isMe") is True) for link in links),
        fediverse=str(row["fediverse"]) if row.get("fediverse") else None,
        paths=(f"/author/{row.get('slug')}",),
    )


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(value) for value in values) if isinstance(values, list) else ()


class OldAddresses:
    """The old addresses of tags, of images and of pages that an export lists apart from the posts.

    Args:
        listed: what the export lists: `[{"address": "/tag/x", "leadsTo": "/tag/X"}]`.
    """

    def __init__(self, listed: Any) -> None:
        self._of: dict[str, list[str]] = {}
        for row in listed if isinstance(listed, list) else ():
            if isinstance(row, dict):
                self._of.setdefault(str(row.get("leadsTo")), []).append(str(row.get("address")))

    def added_to(self, post: ParsedPost) -> ParsedPost:
        """Return the post with the old addresses of its tags, of its images and of pages."""
        tags = {blog_paths.of_tag(tag): tag for tag in post.tags}
        images = {path: url for url, file in post.images for path in (file, url_parts(url).path) if path}
        authors = (
            replace(one, paths=(*one.paths, *self._of.get(f"/author/{one.slug}", ())[:MAX_ADDRESSES]))
            for one in post.authors
        )
        are_many = any(len(self._of.get(path, ())) > MAX_ADDRESSES for path in (*tags, *images, "/"))
        return replace(
            post,
            warnings=(*post.warnings, *([TOO_MANY] if are_many else [])),
            tag_paths=tuple(self._pairs(tags)),
            image_paths=tuple(self._pairs(images)),
            authors=tuple(authors),
            home_paths=tuple(self._of.get("/", ())[:MAX_ADDRESSES]),
        )

    def _pairs(self, pages: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        for path, page in pages.items():
            yield from ((address, page) for address in self._of.get(path, ())[:MAX_ADDRESSES])


def _live_revision(post: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the live revision."""
    revisions = post.get("revisions")
    live_id = post.get("liveRevision")
    candidates = (one for one in revisions if isinstance(one, dict)) if isinstance(revisions, list) else ()
    return next((one for one in candidates if one.get("id") == live_id), {})
