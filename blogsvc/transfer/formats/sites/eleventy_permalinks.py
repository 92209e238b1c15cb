"""Compute the addresses that posts of Eleventy give themselves, such as `/blog/{{ title | slug }}/`.

Sources: https://www.11ty.dev/docs/permalinks/, https://www.11ty.dev/docs/filters/slugify/,
https://github.com/simov/slugify.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from anyascii import anyascii

from blogsvc.lib.text.plain import slugify

_MAX_LENGTH = 500  # characters of an address
_VALUE = re.compile(r"\{\{-?\s*+([^{}]{1,200}+)\}\}")
_FILTER = re.compile(r"""(\w{1,30}+)\s*+(?:[:(]\s*+["']([^"']{0,60}+)["']\s*+\)?)?""")
_DATE_FORMAT = re.compile(r"(?:%-?[YymdBbjHMS]|[^%]){1,60}+")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def is_computed(pattern: str) -> bool:
    return "{{" in pattern or "{%" in pattern


def address(pattern: str, values: Mapping[str, Any], date: datetime | None) -> str:
    """Return the address for a pattern; "" if it has more than values and the filters that are known.

    Args:
        values: the front matter, with `page.fileSlug`.
        date: that of the post in the time zone of the site.
    """
    known: dict[str, str | datetime | None] = {
        str(name): str(value) for name, value in values.items() if isinstance(value, str | int)
    }
    known |= {"date": date, "page.date": date}
    is_known = True

    def shown(found: re.Match[str]) -> str:
        nonlocal is_known
        value = _shown(found[1], known)
        is_known = is_known and value is not None
        return value or ""

    path = _VALUE.sub(shown, pattern[:_MAX_LENGTH])
    return re.sub(r"(?<=/)index\.html\Z", "", path) if is_known and "{" not in path else ""


def _shown(expression: str, known: Mapping[str, str | datetime | None]) -> str | None:
    """Return what an expression shows, such as `title | slug`; None if that is unknown."""
    name, *filters = expression.rstrip().removesuffix("-").split("|")
    value = known.get(name.strip(), known.get(name.strip().lower()))
    for one in filters:
        found = _FILTER.fullmatch(one.strip())
        value = _filtered(value, found[1], found[2] or "") if found and value is not None else None
    return value if isinstance(value, str) and value else None


def _filtered(value: str | datetime, name: str, argument: str) -> str | None:
    if isinstance(value, datetime):
        is_format = name in ("date", "dateFormat") and _DATE_FORMAT.fullmatch(argument)
        return value.strftime(argument) if is_format else None
    match name:
        case "slugify":
            return slugify(value.translate(_UMLAUTS).replace("&", " and "), _MAX_LENGTH)
        case "slug":
            plain = re.sub(r"[^\w\s$*+~.()'\"!\-:@]++", "", anyascii(value.replace("&", "and")))
            return re.sub(r"[\s-]++", "-", plain.strip()).lower()
        case "downcase" | "lower":
            return value.lower()
        case "strip" | "trim" | "string" | "safe":
            return value.strip()
    return None
