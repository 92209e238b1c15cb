"""Parse Ghost's export file: its database tables as JSON, in the formats of all versions."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from blogsvc.lib import image_links
from blogsvc.lib.html_to_markdown import Converted
from blogsvc.lib.text_jobs import convert
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.ghost_content import html_of_lexical, html_of_mobiledoc
from blogsvc.transfer.formats.parsed_post import (
    ParsedPost,
    SkippedItem,
    Status,
    UnreadableFile,
    clean,
    counted,
    moment,
    one_line,
)

# Stands for the URL of the blog, which the file does not contain.
PLACEHOLDER = "__GHOST_URL__"


def is_export(document: Any) -> bool:
    return _data(document) is not None


def _data(document: Any) -> Mapping[str, Any] | None:
    databases = document.get("db") if isinstance(document, dict) else None
    if isinstance(databases, list):
        document = databases[0] if databases else None
    data = document.get("data") if isinstance(document, dict) else None
    return data if isinstance(data, dict) and isinstance(data.get("posts"), list) else None


def read(document: Any, zone: tzinfo, archive: Archive | None = None) -> Iterator[ParsedPost | SkippedItem]:
    """Yield the posts of an export, then what is skipped. `archive` may contain the images. Raises UnreadableFile."""
    data = _data(document)
    if data is None:
        raise UnreadableFile("This JSON file is not an export of Ghost: it has no posts.")
    tags = _tags(data)
    metas = {str(meta.get("post_id")): meta for meta in _rows(data, "posts_meta")}
    left: Counter[str] = Counter()
    for post in _rows(data, "posts"):
        if post.get("type", "post") == "page" or str(post.get("page")).lower() in ("1", "true"):
            left["pages"] += 1
            continue
        key = str(post.get("id"))
        yield _post(post, metas.get(key, {}), tags.get(key, ()), zone, archive)
    if count := left["pages"]:
        yield SkippedItem(counted(count, "page", "pages"), "Only posts are imported.")


def _rows(data: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    rows = data.get(name)
    yield from (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()


def _tags(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the tags of each post in their order, without internal tags, which start with "#"."""
    names = {str(tag.get("id")): _text(tag, "name") for tag in _rows(data, "tags")}
    links = sorted(_rows(data, "posts_tags"), key=lambda link: _number_or_zero(link.get("sort_order")))
    found: dict[str, tuple[str, ...]] = {}
    for link in links:
        name = names.get(str(link.get("tag_id")), "")
        if name and not name.startswith("#"):
            key = str(link.get("post_id"))
            found[key] = (*found.get(key, ()), name)
    return found


def _number_or_zero(value: Any) -> float:
    return value if isinstance(value, int | float) else 0


def _text(row: Mapping[str, Any], *names: str) -> str:
    return next((str(row[name]) for name in names if isinstance(row.get(name), str | int) and row[name] != ""), "")


def _post(
    post: Mapping[str, Any], meta: Mapping[str, Any], tags: tuple[str, ...], zone: tzinfo, archive: Archive | None
) -> ParsedPost:
    made = _markdown(post)
    status, warnings = _status(post)
    cover = _text(post, "feature_image", "image")
    date = moment(post.get("published_at"), zone)
    # Make links within the blog relative. Images keep the placeholder until the old URL is known.
    markdown = re.sub(rf"\]\({PLACEHOLDER}/(?!content/)([\w/-]*?)/?(#[^)\s]*)?\)", r"](/\1\2)", made.markdown)
    images = dict.fromkeys([*image_links.addresses(markdown), *([cover] if cover else [])])
    if _text(post, "codeinjection_head", "codeinjection_foot"):
        warnings.append("The code injected into its page was removed.")
    return ParsedPost(
        source=f"ghost:{hashlib.sha256((_text(post, 'uuid') or _text(post, 'slug', 'id')).encode()).hexdigest()}",
        title=one_line(_text(post, "title")),
        markdown=markdown,
        slug=_text(post, "slug"),
        status=status,
        summary=_text(post, "custom_excerpt", "meta_description") or _text(meta, "meta_description"),
        tags=tags,
        created_at=moment(post.get("created_at"), zone) or date,
        published_at=date if status == "published" else None,
        updated_at=moment(post.get("updated_at"), zone),
        language=_text(post, "locale", "language"),
        canonical_url=_text(post, "canonical_url"),
        cover=cover or None,
        images=tuple((address, _archive_path(address, archive)) for address in images),
        warnings=(*warnings, *made.warnings),
    )


def _status(post: Mapping[str, Any]) -> tuple[Status, list[str]]:
    status, visibility = _text(post, "status"), _text(post, "visibility") or "public"
    if status == "published" and visibility != "public":
        return "draft", [f"It was visible only to {visibility}. It is imported as a draft."]
    if status == "scheduled":
        return "draft", ["It was scheduled. It is imported as a draft."]
    if status == "sent":
        return "draft", ["It was only sent by e-mail. It is imported as a draft."]
    return ("published" if status == "published" else "draft"), []


def _markdown(post: Mapping[str, Any]) -> Converted:
    """Convert the post, preferring the stored HTML, because the formats of Ghost's editors vary."""
    warnings: list[str] = []
    if html := _text(post, "html"):
        return convert(clean(html))
    if old := _text(post, "markdown"):
        return Converted(clean(old))
    for name, read in (("lexical", html_of_lexical), ("mobiledoc", html_of_mobiledoc)):
        if document := _text(post, name):
            made = convert(clean(read(document, warnings)))
            return replace(made, warnings=(*warnings, *made.warnings))
    return Converted("")


def _archive_path(address: str, archive: Archive | None) -> str:
    """Return the path of an image in the archive, where Ghost's backup puts it; "" if it has none."""
    if archive is None or "/content/images/" not in address:
        return ""
    path = "content/images/" + address.partition("/content/images/")[2].partition("?")[0]
    return next((name for name in archive.names if name == path or name.endswith(f"/{path}")), "")
