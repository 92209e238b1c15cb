"""Validation rules for the fields of a post. The JSON schemas of the API repeat them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text import LANGUAGE_TAG

MAX_CONTENT_BYTES = 1024 * 1024
MAX_TITLE_LENGTH = 300
MAX_SUMMARY_LENGTH = 2000
MAX_SLUG_LENGTH = 80
MAX_TAG_LENGTH = 50
MAX_URL_LENGTH = 2000
MAX_LANGUAGE_LENGTH = 35
MAX_OPTION_LENGTH = 200
MAX_TAGS = 20
MAX_TAGS_TEXT_LENGTH = 10_000

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LANGUAGE = re.compile(LANGUAGE_TAG)
_URL = re.compile(r"https?://[^\s\x00-\x20\x7f/?#<>\"]+[^\s\x00-\x20\x7f<>\"]*")
_NEEDS_QUOTES = re.compile('[,"]')
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")

# The fault of one value, if any. Its pointer is filled in by the caller.
Wrong = Fault | None


def check_fields(words: Mapping[str, Any]) -> None:
    """Raise Invalid with all faults of these fields. Values are already trimmed; None and "" clear a field."""
    faults = [*_faults(words, "#")]
    tags = words.get("tags") or []
    if len({tag.casefold() for tag in tags}) < len(tags):
        faults.append(
            Fault("#/tags", "repeated", "Each tag can be used only once. Upper and lower case count as the same.")
        )
    for name, own in (words.get("overrides") or {}).items():
        faults += _faults(own, f"#/overrides/{name}")
    if faults:
        raise Invalid(*faults)


def _faults(words: Mapping[str, Any], at: str) -> Iterator[Fault]:
    for name, check in _CHECKS.items():
        value = words.get(name)
        wrong = check(value) if value or (name == "title" and name in words) else None
        if wrong:
            yield replace(wrong, pointer=f"{at}/{name}")
    for name, value in (words.get("options") or {}).items():
        if wrong := _line(value, MAX_OPTION_LENGTH, f"This can have at most {MAX_OPTION_LENGTH} characters."):
            yield replace(wrong, pointer=f"{at}/options/{name}")


def _text(value: str) -> Wrong:
    if "\x00" in value:
        return Fault("#", "control_character", "This contains a NUL character. Remove it.")
    return None


def _line(value: str, most: int, sentence: str) -> Wrong:
    if _CONTROL.search(value):
        return Fault("#", "control_character", "This must be a single line. Remove line breaks and control characters.")
    return Fault("#", "too_long", sentence) if len(value) > most else None


def _title(value: str) -> Wrong:
    sentence = f"A title must have 1 to {MAX_TITLE_LENGTH} characters."
    return _line(value, MAX_TITLE_LENGTH, sentence) if value else Fault("#", "too_short", sentence)


def _content(value: str) -> Wrong:
    too_long = len(value.encode(errors="replace")) > MAX_CONTENT_BYTES
    return Fault("#", "too_long", "This can have at most 1 MiB.") if too_long else _text(value)


def _summary(value: str) -> Wrong:
    too_long = len(value) > MAX_SUMMARY_LENGTH
    return (
        Fault("#", "too_long", f"A summary can have at most {MAX_SUMMARY_LENGTH} characters.")
        if too_long
        else _text(value)
    )


def _slug(value: str) -> Wrong:
    if len(value) > MAX_SLUG_LENGTH:
        return Fault("#", "too_long", f"A slug can have at most {MAX_SLUG_LENGTH} characters.")
    if not _SLUG.fullmatch(value):
        return Fault("#", "invalid", "A slug can contain lowercase letters and digits, separated by single hyphens.")
    return None


def _url(value: str) -> Wrong:
    if len(value) > MAX_URL_LENGTH:
        return Fault("#", "too_long", f"A URL can have at most {MAX_URL_LENGTH} characters.")
    if not _URL.fullmatch(value) or not _has_host(value):
        return Fault("#", "not_a_url", "This must be a URL that starts with https:// or http://.")
    return None


def _has_host(value: str) -> bool:
    try:
        return bool(urlsplit(value).hostname)
    except ValueError:
        return False


def _language(value: str) -> Wrong:
    if len(value) > MAX_LANGUAGE_LENGTH or not _LANGUAGE.fullmatch(value):
        return Fault("#", "invalid", "Enter a language tag such as en, de-AT or zh-Hant (BCP 47).")
    return None


def _tags(tags: list[str]) -> Wrong:
    if len(tags) > MAX_TAGS:
        return Fault("#", "too_long", f"A post can have at most {MAX_TAGS} tags.")
    sentence = f"A tag must have 1 to {MAX_TAG_LENGTH} characters."
    wrong = (_line(tag, MAX_TAG_LENGTH, sentence) if tag else Fault("#", "too_short", sentence) for tag in tags)
    return next((each for each in wrong if each), None)


_CHECKS: dict[str, Callable[[Any], Wrong]] = {
    "title": _title,
    "content": _content,
    "summary": _summary,
    "slug": _slug,
    "canonical_url": _url,
    "cover_image": _url,
    "language": _language,
    "tags": _tags,
}


def split_tags(text: str) -> list[str]:
    """Split a comma-separated list of tags. Repeated tags, ignoring case, appear once."""
    tags: dict[str, str] = {}
    # Cut the text, because the csv module raises an error for very long fields.
    for tag in next(csv.reader([" ".join(text[:MAX_TAGS_TEXT_LENGTH].split())], skipinitialspace=True), []):
        if name := tag.strip():
            tags.setdefault(name.casefold(), name)
    return list(tags.values())


def join_tags(tags: list[str]) -> str:
    """Join tags for `split_tags`. A tag that contains a comma is quoted."""
    return ", ".join('"' + tag.replace('"', '""') + '"' if _NEEDS_QUOTES.search(tag) else tag for tag in tags)
