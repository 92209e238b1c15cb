"""The rules about a post: its fields, destinations, options and scheduled time.

Every function that creates or changes a post checks them, so that the answer is the same whoever asks: the
API, the pages, an import or a plug-in. The field types of the API use the same functions for their messages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from blogsvc.connections.waiting import KnownDestinations
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text import languages
from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, is_slug, native_slug
from blogsvc.models import SITE, Post
from blogsvc.models.media import ALT_IS_TOO_LONG, MAX_ALT_LENGTH
from blogsvc.models.post_fields import KINDS
from blogsvc.posts.existence import author_faults, option_faults, series_faults, unknown_destination

MAX_CONTENT_BYTES = 1024 * 1024
MAX_TITLE_LENGTH = 300
MAX_SUMMARY_LENGTH = 2000
MAX_TAG_LENGTH = 50
MAX_URL_LENGTH = 2000
MAX_COVER_ALT_LENGTH = MAX_ALT_LENGTH
MAX_CAPTION_LENGTH = 1000
MAX_OPTION_LENGTH = 200
MAX_TAGS = 20
MAX_AUTHORS = 20
MAX_SERIES_PART = 10_000
MAX_PLATFORMS = 100
MAX_SCHEDULE_AHEAD = timedelta(days=5 * 366)
# A time that has just passed means now: clocks differ, and a form takes a while to fill in.
MAX_SCHEDULE_BEHIND = timedelta(minutes=1)
# In no time zone, an earlier year has fewer than four digits, which not every platform can read.
EARLIEST_DATE = datetime(1001, 1, 1, tzinfo=UTC)

_URL = re.compile(r"https?://[^\s\x00-\x20\x7f/?#<>\"]+[^\s\x00-\x20\x7f<>\"]*")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")

# Of what an item of a menu, or a redirect, leads to.
NOT_A_TARGET = "Enter a path of this blog, such as /about, or a URL that starts with https:// or http://."

# The fault of one value, if any. Its pointer is filled in by the caller.
Wrong = Fault | None


def check(fields: Mapping[str, Any], platforms: list[str] | None, post: Post | None = None) -> None:
    """Raise Invalid with all faults of these fields and destinations.

    What `post` already has is not checked again: it may name a destination that was disconnected since.
    """
    had_platforms = () if post is None else post.platforms
    had_overrides = {} if post is None else post.overrides
    faults = [*field_faults(fields), *platform_faults(platforms or [], had_platforms)]
    faults += author_faults(fields.get("authors") or [], () if post is None else post.authors)
    faults += series_faults(fields.get("series"), None if post is None else post.series)
    overrides = fields.get("overrides") or {}
    faults += option_faults({name: own for name, own in overrides.items() if own != had_overrides.get(name)})
    if faults:
        raise Invalid(*faults)


def check_fields(fields: Mapping[str, Any]) -> None:
    """Raise Invalid with all faults of these fields."""
    if faults := field_faults(fields):
        raise Invalid(*faults)


def field_faults(fields: Mapping[str, Any]) -> list[Fault]:
    """Return the faults of these fields, with those of the overrides. `None` and "" clear a field."""
    faults = [*_faults(fields, "#")]
    for name, own in (fields.get("overrides") or {}).items():
        faults += _faults(own, f"#/overrides/{name}")
    return faults


def platform_faults(platforms: Collection[str], had: Collection[str] = ()) -> list[Fault]:
    """Return the faults of a list of destinations, of which the post already `had` some.

    A destination without an account is allowed, if there is a connector for it: the post waits for the account.
    """
    names = list(platforms)
    if len(names) > MAX_PLATFORMS:
        return [Fault("#/platforms", "too_long", f"A post can have at most {MAX_PLATFORMS} destinations.")]
    if len(set(names)) < len(names):
        return [Fault("#/platforms", "repeated", "Each destination can be listed only once, under one name.")]
    if set(names) <= {SITE, *had}:
        return []
    destinations = KnownDestinations()
    return [
        unknown_destination(name, f"#/platforms/{i}", destinations)
        for i, name in enumerate(names)
        if name not in had and not destinations.is_known(name)
    ]


def check_time(at: datetime, now: datetime, pointer: str = "#/at") -> None:
    """Raise Invalid if nothing can be scheduled for this time."""
    if wrong := wrong_time(at, now):
        raise Invalid(replace(wrong, pointer=pointer))


def wrong_time(at: datetime, now: datetime) -> Wrong:
    if at < now - MAX_SCHEDULE_BEHIND:
        return Fault("#", "in_past", "This time is in the past. Choose a later time, or publish now.")
    if at > now + MAX_SCHEDULE_AHEAD:
        return Fault("#", "too_far_ahead", "This time is more than five years ahead. Choose an earlier time.")
    return None


def wrong_date(at: datetime, now: datetime) -> Wrong:
    """Return the fault of a publication date that a post brings from elsewhere."""
    if at > now:
        return Fault("#", "in_future", "This time is in the future. Use `scheduledAt` to publish later.")
    if at < EARLIEST_DATE:
        return Fault("#", "out_of_range", f"This time is before the year {EARLIEST_DATE.year}.")
    return None


def wrong_value(name: str, value: Any) -> Wrong:
    """Return the fault of the value of one field, or of one `tag`."""
    return _CHECKS[name](value)


def wrong_line(value: str, max_length: int, sentence: str) -> Wrong:
    """Return the fault of a text in one line; `sentence` says how long it may be."""
    if _CONTROL.search(value):
        return Fault("#", "control_character", "This must be a single line. Remove line breaks and control characters.")
    return Fault("#", "too_long", sentence) if len(value) > max_length else _text(value)


def _faults(fields: Mapping[str, Any], at: str) -> Iterator[Fault]:
    for name in _CHECKS:
        is_given = bool(fields.get(name)) or (name in _CHECKED_IF_EMPTY and fields.get(name) is not None)
        if is_given and (wrong := wrong_value(name, fields[name])):
            yield replace(wrong, pointer=f"{at}/{name}")
    for name, value in (fields.get("options") or {}).items():
        if wrong := wrong_line(value, MAX_OPTION_LENGTH, f"This can have at most {MAX_OPTION_LENGTH} characters."):
            yield replace(wrong, pointer=f"{at}/options/{name}")


def _text(value: str) -> Wrong:
    if "\x00" in value:
        return Fault("#", "control_character", "This contains a NUL character. Remove it.")
    if not value.isascii() and _SURROGATE.search(value):
        return Fault("#", "bad_encoding", "This contains an unpaired surrogate. Remove it.")
    return None


def _title(value: str) -> Wrong:
    sentence = f"A title must have 1 to {MAX_TITLE_LENGTH} characters."
    return wrong_line(value, MAX_TITLE_LENGTH, sentence) if value.strip() else Fault("#", "too_short", sentence)


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
    if is_slug(value):
        return None
    sentence = "A slug can contain lowercase letters and digits of any language, separated by single hyphens."
    if is_slug(unicodedata.normalize("NFC", value)):
        return Fault("#", "invalid", f"{sentence} Send it in the Unicode normalization form NFC.")
    nearest = native_slug(value)
    return Fault("#", "invalid", f"{sentence} Use {nearest!r}." if nearest else sentence)


def _url(value: str) -> Wrong:
    if wrong := _text(value):
        return wrong
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


def _alt(value: str) -> Wrong:
    return wrong_line(value, MAX_COVER_ALT_LENGTH, ALT_IS_TOO_LONG)


def _caption(value: str) -> Wrong:
    return wrong_line(value, MAX_CAPTION_LENGTH, f"A caption can have at most {MAX_CAPTION_LENGTH} characters.")


def _meta_title(value: str) -> Wrong:
    return wrong_line(value, MAX_TITLE_LENGTH, f"This title can have at most {MAX_TITLE_LENGTH} characters.")


def _kind(value: str) -> Wrong:
    return None if value in KINDS else Fault("#", "not_one_of", f"Choose one of: {', '.join(KINDS)}.")


def _authors(slugs: list[str]) -> Wrong:
    if len(slugs) > MAX_AUTHORS:
        return Fault("#", "too_long", f"A post can have at most {MAX_AUTHORS} authors.")
    if len(set(slugs)) < len(slugs):
        return Fault("#", "repeated", "Each author can be listed only once.")
    return next(filter(None, map(_slug, slugs)), None)


def _series_part(value: int) -> Wrong:
    sentence = f"The part of a series is a number from 1 to {MAX_SERIES_PART:,}."
    return None if 1 <= value <= MAX_SERIES_PART else Fault("#", "out_of_range", sentence)


def _language(value: str) -> Wrong:
    if len(value) > languages.MAX_TAG_LENGTH:
        return Fault("#", "too_long", f"A language tag can have at most {languages.MAX_TAG_LENGTH} characters.")
    return None if languages.is_language_tag(value) else Fault("#", "invalid", languages.INVALID_TAG)


def _tag(tag: str) -> Wrong:
    sentence = f"A tag must have 1 to {MAX_TAG_LENGTH} characters."
    return wrong_line(tag, MAX_TAG_LENGTH, sentence) if tag.strip() else Fault("#", "too_short", sentence)


def _tags(tags: list[str]) -> Wrong:
    if len(tags) > MAX_TAGS:
        return Fault("#", "too_long", f"A post can have at most {MAX_TAGS} tags.")
    if wrong := next(filter(None, map(_tag, tags)), None):
        return wrong
    if len({tag.casefold() for tag in tags}) < len(tags):
        return Fault("#", "repeated", "Each tag can be used only once. Upper and lower case count as the same.")
    return None


_CHECKED_IF_EMPTY = ("title", "series_part")
_CHECKS: dict[str, Callable[[Any], Wrong]] = {
    "title": _title,
    "content": _content,
    "summary": _summary,
    "slug": _slug,
    "canonical_url": _url,
    "cover_image": _url,
    "cover_alt": _alt,
    "cover_caption": _caption,
    "language": _language,
    "kind": _kind,
    "authors": _authors,
    "series": _slug,
    "series_part": _series_part,
    "meta_title": _meta_title,
    "tags": _tags,
    "tag": _tag,
}
