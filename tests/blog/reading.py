"""Helpers to read the blog: pages are parsed strictly, as a browser and a microformats reader would."""

from __future__ import annotations

import gzip
import re
from datetime import datetime
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
from sqlalchemy import update

from blogsvc.models import Post, PostSlug, db, transaction
from blogsvc.posts import publishing

# Text that no rule lets through, as an old or damaged database may hold it.
HOSTILE = """"><script>alert(1)</script>'&<img src=x onerror=alert(1)>]]>"""
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"


def parse_page(html: str) -> Element:
    """Parse a page; any parse error raises."""
    tree: Element = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(html)
    return tree


def classed(tree: Element, name: str) -> list[Element]:
    return [element for element in tree.iter() if name in (element.get("class") or "").split()]


def text(element: Element) -> str:
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def attributes(tree: Element, tag: str, **wanted: str) -> list[dict[str, Any]]:
    """Return the attributes of each element with this tag and these attribute values."""
    found = [dict(element.attrib) for element in tree.iter(tag)]
    return [each for each in found if all(each.get(name) == value for name, value in wanted.items())]


def gzipped(data: bytes) -> int:
    return len(gzip.compress(data, 6))


def publish_unchecked(post: Post, now: datetime, **words: Any) -> None:
    """Publish a post with fields that break the rules."""
    with transaction():
        db.session.execute(update(PostSlug).where(PostSlug.post_id == post.id).values(slug=words["slug"]))
        post.rewrite(words, post.platforms, now)
        publishing.publish(post, now)
