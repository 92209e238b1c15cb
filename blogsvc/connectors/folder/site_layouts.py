"""Layouts of Hugo, Jekyll and Astro: paths of posts and images, and front matter fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from hashlib import sha256
from pathlib import PurePosixPath

from blogsvc.connectors.base import Article, Rejected
from blogsvc.lib.text.front_matter import Value

# File names have at most 255 bytes; the rest is for the date, the suffix and the name of the temporary file.
MAX_STEM_BYTES = 230
SHORTCODE = re.compile(r"\{\{([<%])(?!/\*)(.*?)([>%])\}\}")


class Layout:
    """The layout of a static site generator. Paths are relative, with "/"."""

    def path(self, article: Article) -> str:
        """Return the path of the post's file."""
        raise NotImplementedError

    def images(self, path: str) -> str:
        """Return the folder for the images of the post at `path`."""
        raise NotImplementedError

    def link(self, path: str, name: str) -> str:
        """Return the link from the post at `path` to its image `name`."""
        raise NotImplementedError

    def fields(self, article: Article) -> Mapping[str, Value]:
        """Return the front matter."""
        raise NotImplementedError

    def text(self, markdown: str) -> str:
        """Return the text with template tags of this generator escaped."""
        return markdown


class Hugo(Layout):
    def path(self, article: Article) -> str:
        return f"content/posts/{_file_stem(article.slug)}/index.md"

    def images(self, path: str) -> str:
        return str(PurePosixPath(path).parent)

    def link(self, path: str, name: str) -> str:
        return name

    def fields(self, article: Article) -> Mapping[str, Value]:
        return {
            "title": article.title,
            "date": article.published_at,
            "lastmod": article.updated_at,
            "draft": False,
            "slug": article.slug,
            "tags": article.tags,
            "description": article.summary,
            "canonicalURL": article.canonical_url,
            "images": [article.cover_url] if article.cover_url else [],
            "images_alt": article.cover_alt or None,
        }

    def text(self, markdown: str) -> str:
        """Escape shortcodes, so that they are shown, as in an article about Hugo."""
        return "\n".join(_escaped_shortcodes(line) for line in markdown.split("\n"))


class Jekyll(Layout):
    def path(self, article: Article) -> str:
        moment = article.published_at or article.updated_at
        if moment is None:
            raise Rejected("Jekyll file names start with a date. Set the publication time of the post first.")
        return f"_posts/{moment.astimezone(UTC):%Y-%m-%d}-{_file_stem(article.slug)}.md"

    def images(self, path: str) -> str:
        return f"assets/images/{PurePosixPath(path).stem[11:]}"

    def link(self, path: str, name: str) -> str:
        return f"/{self.images(path)}/{name}"

    def fields(self, article: Article) -> Mapping[str, Value]:
        return {
            "layout": "post",
            "title": article.title,
            "date": article.published_at,
            "last_modified_at": article.updated_at,
            "tags": article.tags,
            "description": article.summary,
            "canonical_url": article.canonical_url,
            "image": article.cover_url,
            "image_alt": article.cover_alt or None,
            "lang": article.language,
            "render_with_liquid": False,  # show braces in the text instead of running Liquid
        }


class Astro(Layout):
    def path(self, article: Article) -> str:
        return f"src/content/blog/{_file_stem(article.slug)}.md"

    def images(self, path: str) -> str:
        return str(PurePosixPath(path).with_suffix(""))

    def link(self, path: str, name: str) -> str:
        return f"./{PurePosixPath(path).stem}/{name}"

    def fields(self, article: Article) -> Mapping[str, Value]:
        return {
            "title": article.title,
            "description": article.summary,
            "pubDate": article.published_at,
            "updatedDate": article.updated_at,
            "heroImage": article.cover_url,
            "heroImageAlt": article.cover_alt or None,
            "tags": article.tags,
            "draft": False,
            "canonicalURL": article.canonical_url,
        }


def _file_stem(slug: str) -> str:
    """Return the slug, or if a file name with it would be too long, its beginning and a hash of all of it."""
    whole = slug.encode()
    if len(whole) <= MAX_STEM_BYTES:
        return slug
    digest = sha256(whole).hexdigest()[:8]
    return f"{whole[: MAX_STEM_BYTES - 9].decode(errors='ignore').rstrip('-')}-{digest}"


def _escaped_shortcodes(line: str) -> str:
    """Escape the shortcodes in a line. Stops at the last end marker, so it takes linear time."""
    end = max(line.rfind(">}}"), line.rfind("%}}")) + 3
    return SHORTCODE.sub(r"{{\1/*\2*/\3}}", line[:end]) + line[end:] if end > 2 else line


LAYOUTS: Mapping[str, Layout] = {"hugo": Hugo(), "jekyll": Jekyll(), "astro": Astro()}
