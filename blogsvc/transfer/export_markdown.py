"""The export as a zip file of Markdown files and images."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from blogsvc.context import Tools
from blogsvc.lib.instance_paths import MEDIA
from blogsvc.lib.markdown import image_links
from blogsvc.lib.media_names import keys_in
from blogsvc.lib.progress import Report
from blogsvc.lib.text.front_matter import front_matter
from blogsvc.lib.text.plain import slugify
from blogsvc.lib.time import stamp
from blogsvc.models import Media, Post, setting
from blogsvc.models.redirect import imported_for_post
from blogsvc.transfer.export_json import dumps, feed_id
from blogsvc.transfer.export_rows import (
    all_media,
    all_posts,
    all_series,
    authors,
    blog,
    former_slugs,
    old_addresses,
    redirects,
    tag_pages,
)
from blogsvc.transfer.formats import AUTHORS, BLOG, IMAGES, OLD_ADDRESSES, REDIRECTS, SERIES, TAG_PAGES
from blogsvc.transfer.formats.own_texts import with_own_texts

README_TEXT = """\
This is an export of all published posts and drafts of {title}, created on {day}.

posts/  One Markdown file with YAML front matter for each post: the published version, or the current draft.
media/  The images in full size, with their original file names.
blog.json       The title, description and menus of the blog, and what else describes it.
media.json      The original file names and the alt texts of the images.
authors.json    The authors, with their biographies, pictures and links.
old-addresses.json  Addresses of an imported blog that lead to tags, images and the home page.
redirects.json  The redirects that were made in the settings.
series.json  The titles and descriptions of the series.
tag-pages.json  The titles and descriptions of the pages of tags.

You can import it into blogsvc (Settings, Import) or use it with a static site generator. Revisions, schedules, copies
on other platforms and unpublished changes are only in the JSON export.
"""


class MarkdownZip:
    def __init__(self, zipped: zipfile.ZipFile, tools: Tools) -> None:
        self.zipped, self.config = zipped, tools.config
        self.now, self.host = tools.now(), setting.feed_host(tools.config.public_url)
        # The files of the images, by the keys and by the ids of the images.
        self.images: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.names: set[str] = set()

    def write(self, report: Report) -> None:
        self._put("README.md", README_TEXT.format(title=setting.blog()["title"], day=f"{self.now:%Y-%m-%d}"))
        described: list[dict[str, str]] = []  # in the order of the library
        for name, media in self._named_media():
            if (file := self.config.storage.local(f"{MEDIA}/{media.name}")) is not None:
                self.images[media.key] = self.files[media.id] = name
                self.zipped.write(file, name, zipfile.ZIP_STORED)
                described.append({"file": name, "path": media.path, "filename": media.filename, "alt": media.alt})
        self._put(BLOG, dumps(blog(self.files)))
        if described:
            self._put(IMAGES, dumps(described))
        for post in all_posts(report, trashed=False):
            fields = _public_fields(post)
            day = (post.published_at if post.is_live else None) or post.created_at
            name = self._free(f"posts/{day:%Y-%m-%d}-{slugify(fields['slug']) or 'untitled'}", "md")
            self._put(name, self._file(post, fields))
        if listed := authors(self.files):
            self._put(AUTHORS, dumps(listed))
        if old := old_addresses(self.files):
            self._put(OLD_ADDRESSES, dumps(old))
        if made := redirects():
            self._put(REDIRECTS, dumps(made))
        if series := all_series(self._root_link):
            self._put(SERIES, dumps(series))
        if pages := tag_pages(self._root_link):
            self._put(TAG_PAGES, dumps(pages))

    def _put(self, name: str, text: str) -> None:
        entry = zipfile.ZipInfo(name, self.now.timetuple()[:6])
        entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        self.zipped.writestr(entry, text.encode("utf-8", "replace"))

    def _named_media(self) -> Iterator[tuple[str, Media]]:
        """Yield each image with a unique name, based on its uploaded file name."""
        for media in all_media():
            stem = slugify(media.filename.rpartition(".")[0] or media.filename) or "image"
            yield self._free(f"media/{stem}", media.name.rpartition(".")[2]), media

    def _free(self, stem: str, suffix: str) -> str:
        number, name = 1, f"{stem}.{suffix}"
        while name in self.names:
            number += 1
            name = f"{stem}-{number}.{suffix}"
        self.names.add(name)
        return name

    def _file(self, post: Post, fields: dict[str, Any]) -> str:
        is_live = post.is_live
        head = front_matter(
            {
                "title": fields["title"],
                "slug": fields["slug"],
                "date": post.published_at if is_live else post.created_at,
                "published_at": None if is_live else post.first_published_at,
                "created": post.created_at if is_live and not _is_same(post.created_at, post.published_at) else None,
                "updated": post.updated_at,
                "content_changed": post.content_changed_at if is_live else None,
                "draft": not is_live,
                "scheduled": post.scheduled_at if post.state == "scheduled" else None,
                "summary": fields["summary"] or None,
                "tags": list(fields["tags"]),
                "platforms": list(post.platforms),
                "language": fields["language"],
                "canonical_url": fields["canonical_url"],
                "cover": self._link(fields["cover_image"]) if fields["cover_image"] else None,
                "cover_alt": fields["cover_alt"] or None,
                "cover_caption": fields["cover_caption"] or None,
                "authors": list(fields["authors"]),
                "kind": fields["kind"] if fields["kind"] != "post" else None,
                "pinned": fields["is_pinned"] or None,
                "unlisted": fields["is_unlisted"] or None,
                "meta_title": fields["meta_title"] or None,
                "series": fields["series"],
                "series_part": fields["series_part"],
                "former_slugs": former_slugs(post),
                "old_addresses": imported_for_post(post.id),
                "feed_id": feed_id(post, self.host),
                "blogsvc_id": post.id,
                "overrides": with_own_texts(fields["overrides"], self._linked),
            },
            has_milliseconds=True,
        )
        return f"{head}\n{self._linked(fields['content'])}\n"

    def _linked(self, text: str) -> str:
        """Return a text with the relative paths of its images in the zip."""
        return image_links.rewritten(text, self._link)

    def _link(self, address: str) -> str:
        """Return the relative path of an image in the zip, or the URL unchanged for other images."""
        path = address.removeprefix(self.config.public_url)
        keys = keys_in(path) if path.startswith("/media/") else []
        rest = re.search(r"[?#].*", path)
        return f"../{self.images[keys[0]]}{rest[0] if rest else ''}" if keys and keys[0] in self.images else address

    def _root_link(self, address: str) -> str:
        """Return the path of an image in the zip, or the URL unchanged for other images."""
        return self._link(address).removeprefix("../")


def _is_same(at: datetime, other: datetime | None) -> bool:
    """Return True if both times are written in the same way."""
    return other is not None and stamp(at) == stamp(other)


def _public_fields(post: Post) -> dict[str, Any]:
    """Return the fields of the live revision, or of the working copy if the post is not live."""
    live = post.live_revision() if post.is_live else None
    return live.fields() if live is not None else post.fields()
