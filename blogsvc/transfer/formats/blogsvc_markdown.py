"""Read the Markdown files of blogsvc's export, whose texts stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from blogsvc.lib.text.front_matter import split
from blogsvc.transfer.formats.archive_images import images_of
from blogsvc.transfer.formats.archives import Archive
from blogsvc.transfer.formats.blogsvc_json import Authors
from blogsvc.transfer.formats.dates import moment
from blogsvc.transfer.formats.own_texts import own_texts
from blogsvc.transfer.formats.parsed_post import ParsedPost, clean, cut, number
from blogsvc.transfer.formats.sites.fields import Fields


def is_ours(values: Mapping[str, Any]) -> bool:
    return "blogsvc_id" in values


def head_and_text(data: str, *, begins_with_head: bool = False) -> tuple[dict[str, Any], str]:
    """Return the front matter of any Markdown file and its text, which has no control characters unless it is ours.

    With `begins_with_head`, all fields between rules at the very beginning are front matter, whatever their names.
    """
    cleaned = clean(data)
    values, text = split(cleaned, begins_with_head=begins_with_head)
    head = cleaned[: len(cleaned) - len(text)]
    if is_ours(values) and data.startswith(head):  # an editor may have changed the line ends of the head
        text = data[len(head) :]
    return values, text


def post(
    name: str, values: Mapping[str, Any], text: str, zone: tzinfo, archive: Archive, authors: Authors
) -> ParsedPost:
    """Return the post in a file of an export.

    Args:
        name: the path of the file in the archive.
        values: its front matter, as `export_markdown` writes it.
        text: what follows the front matter: the text of the post between one line break before and one after it.
    """
    warnings: list[str] = []
    text = cut(text.removeprefix("\n").removesuffix("\n"), warnings)
    fields, date = Fields(values, zone), _time(values, "date", zone) or _time(values, "updated", zone)
    is_page, is_draft = values.get("kind") == "page", fields.is_true("draft")
    if date is None and not is_page and not is_draft:
        is_draft = True
        warnings.append("It has no valid date. It is imported as a draft.")
    cover = _text(values, "cover")
    overrides = fields.overrides()
    images, notes = images_of(name, [text, *own_texts(overrides)], cover, archive)
    parsed = ParsedPost(
        source=f"blogsvc:{_text(values, 'blogsvc_id')}",
        title=_text(values, "title"),
        markdown=text,
        slug=_text(values, "slug"),
        status="draft" if is_draft else "published",
        summary=_text(values, "summary"),
        tags=_texts(values, "tags"),
        created_at=_time(values, "created", zone) or date,
        published_at=_time(values, "published_at", zone) if is_draft else date,
        updated_at=_time(values, "updated", zone),
        content_changed_at=_time(values, "content_changed", zone),
        scheduled_at=_time(values, "scheduled", zone) if is_draft else None,
        language=_text(values, "language"),
        canonical_url=_text(values, "canonical_url"),
        cover=cover,
        cover_alt=_text(values, "cover_alt"),
        cover_caption=_text(values, "cover_caption"),
        kind="page" if is_page else "post",
        is_pinned=fields.is_true("pinned"),
        is_unlisted=fields.is_true("unlisted"),
        meta_title=_text(values, "meta_title"),
        series=_text(values, "series"),
        series_part=number(values.get("series_part")),
        images=images,
        addresses=tuple(dict.fromkeys((*_texts(values, "former_slugs"), *_texts(values, "old_addresses")))),
        feed_id=_text(values, "feed_id") or None,
        was_public=not is_draft,
        platforms=_texts(values, "platforms"),
        overrides=overrides,
        warnings=(*warnings, *notes),
    )
    return authors.added_to(parsed, _texts(values, "authors"))


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name, "")
    return value if isinstance(value, str) else ""


def _texts(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = values.get(name)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _time(values: Mapping[str, Any], name: str, zone: tzinfo) -> datetime | None:
    return moment(_text(values, name), zone)
