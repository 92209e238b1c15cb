"""The rules about what the page of a series or a tag begins with: a title, a description and a cover image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from blogsvc.errors import Fault
from blogsvc.lib.text.plain import in_one_visible_line
from blogsvc.posts import rules

MAX_DESCRIPTION_LENGTH = 10_000


def head_faults(fields: Mapping[str, Any], max_title_length: int) -> Iterator[Fault]:
    """Yield the faults of those of `title`, `description` and `cover_image` that are given."""
    if "title" in fields:
        line = in_one_visible_line(fields["title"])
        if not 1 <= len(line) <= max_title_length:
            sentence = f"A title must have 1 to {max_title_length} characters."
            yield Fault("#/title", "too_long" if line else "required", sentence)
    if len(fields.get("description") or "") > MAX_DESCRIPTION_LENGTH:
        sentence = f"A description can have at most {MAX_DESCRIPTION_LENGTH:,} characters."
        yield Fault("#/description", "too_long", sentence)
    elif wrong := rules.wrong_value("content", fields.get("description") or ""):
        yield replace(wrong, pointer="#/description")
    if (cover := fields.get("cover_image")) and (wrong := rules.wrong_value("cover_image", cover)):
        yield replace(wrong, pointer="#/cover_image")
