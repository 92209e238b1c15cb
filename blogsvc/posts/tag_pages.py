"""Say what the page of a tag begins with: a title, a description and a cover image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blogsvc.errors import Invalid, NotFound
from blogsvc.lib.text.plain import in_one_line, in_one_visible_line
from blogsvc.models import TagPage, db, transaction
from blogsvc.models.setting import site_changed
from blogsvc.models.tag_page import MAX_TITLE_LENGTH
from blogsvc.posts import rules
from blogsvc.posts.page_heads import head_faults


def write(tag: str, fields: Mapping[str, Any]) -> TagPage:
    """Replace what the page of a tag begins with.

    Args:
        fields: any of `title`, `description` and `cover_image`; what is absent or empty is removed.

    Raises Invalid if a field breaks a rule, or no tag can be named so.
    """
    tag = in_one_line(tag)
    faults = list(head_faults({name: value for name, value in fields.items() if value}, MAX_TITLE_LENGTH))
    if wrong := rules.wrong_value("tag", tag):
        faults.append(replace(wrong, pointer="#/tag"))
    if faults:
        raise Invalid(*faults)
    with transaction():
        page = TagPage.find(tag) or TagPage(tag=tag)
        page.title = in_one_visible_line(fields.get("title") or "")
        page.description = (fields.get("description") or "").strip()
        page.cover_image = fields.get("cover_image") or None
        db.session.add(page)
        site_changed()
        return page


def remove(tag: str) -> None:
    """Remove what the page of a tag begins with. The tag stays on its posts. Raises NotFound."""
    with transaction():
        page = TagPage.find(tag)
        if page is None:
            raise NotFound(f"The page of the tag {tag!r} has no title, description or cover image.")
        db.session.delete(page)
        site_changed()
