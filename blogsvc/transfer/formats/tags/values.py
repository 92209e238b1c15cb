"""What a value in braces prints, `{{ page.title }}`: a field of the post, or an address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# A value of Jekyll or Eleventy that shows an address.
_ADDRESS = re.compile(
    r"""["']([^"']++)["']\s*+\|\s*+(?:relative_url|absolute_url|prepend|url|locale_url|htmlBaseUrl|absoluteUrl)\b"""
)
_OF_SITE = re.compile(r"(?:site\.)?(?:baseurl|url)")
_FIELD = re.compile(r"(?:site|page)\.[\w.]*")


def is_of_site_or_page(value: str) -> bool:
    return _FIELD.fullmatch(value) is not None


def printed(value: str, fields: Mapping[str, Any]) -> str | None:
    """Return what a value prints; None if that is not known.

    Args:
        fields: the front matter of the post.
    """
    if _OF_SITE.fullmatch(value):
        return ""
    if address := _ADDRESS.match(value):
        return address[1]
    field = fields.get(value.removeprefix("page.").lower()) if value.startswith("page.") else None
    return field if isinstance(field, str) and is_of_site_or_page(value) else None
