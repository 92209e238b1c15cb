"""Compare two versions of a post: the text line by line, and every other field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from blogsvc.lib.text.diff import DiffHunk
from blogsvc.lib.workers.text_jobs import changes

FIELD_LABELS = {
    "title": "Title",
    "summary": "Summary",
    "tags": "Tags",
    "slug": "Address",
    "language": "Language",
    "cover_image": "Cover image",
    "cover_alt": "Alt text of the cover image",
    "cover_caption": "Caption of the cover image",
    "kind": "Kind",
    "authors": "Authors",
    "series": "Series",
    "series_part": "Part of the series",
    "is_pinned": "Pinned to the top of the home page",
    "is_unlisted": "Unlisted",
    "meta_title": "Title for search engines",
    "canonical_url": "Canonical address",
}


@dataclass(frozen=True)
class FieldChange:
    """A field that differs between two versions."""

    label: str
    hunks: list[DiffHunk]


def text_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[DiffHunk]:
    """Return the differences in the text, [] if there are none."""
    return changes(old["content"], new["content"])


def field_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldChange]:
    """Return the differences in all other fields."""
    before, after = dict(_fields(old)), dict(_fields(new))
    labels = dict.fromkeys([*before, *after])
    pairs = ((label, before.get(label, ""), after.get(label, "")) for label in labels)
    return [FieldChange(label, found) for label, was, now in pairs if (found := changes(was, now))]


def _fields(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, label in FIELD_LABELS.items():
        yield label, _text(fields.get(name))
    # {"mastodon": {"content": "...", "options": {"visibility": "unlisted"}}}
    for platform, own in sorted((fields.get("overrides") or {}).items()):
        for name, value in sorted((own or {}).items()):
            yield f"{platform}: {name.replace('_', ' ')}", _text(value)


def _text(value: Any) -> str:
    """Return a value as text with one tag or option per line."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    if isinstance(value, list):
        return "\n".join(str(part) for part in value)
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {part}" for name, part in sorted(value.items()))
    return str(value)
