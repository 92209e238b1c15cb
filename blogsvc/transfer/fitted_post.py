"""Make a parsed post valid here: cut what is too long, remove what is not valid, and say so."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from blogsvc.lib.text.languages import is_language_tag
from blogsvc.lib.text.plain import excerpt
from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, SlugStyle, is_slug
from blogsvc.lib.time import stamp
from blogsvc.models.series import MAX_TITLE_LENGTH as MAX_SERIES_TITLE_LENGTH
from blogsvc.posts import rules
from blogsvc.posts.rules import (
    EARLIEST_DATE,
    MAX_CAPTION_LENGTH,
    MAX_CONTENT_BYTES,
    MAX_COVER_ALT_LENGTH,
    MAX_SERIES_PART,
    MAX_SUMMARY_LENGTH,
    MAX_TAG_LENGTH,
    MAX_TAGS,
    MAX_TITLE_LENGTH,
    MAX_URL_LENGTH,
)
from blogsvc.posts.slugs import UNTITLED
from blogsvc.transfer.formats.parsed_post import ParsedPost, clean, is_web, one_line

MAX_WARNINGS = 50
MAX_HEAD = 10_000  # characters of a text in which its first words are looked for
MAX_ENCODED_SLUG = (
    2000  # longer ones are cut before they are decoded, because Unicode normalization takes quadratic time
)
EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)  # ids contain a timestamp, which can't be earlier


def fitted(post: ParsedPost, now: datetime, style: SlugStyle) -> ParsedPost:
    """Return the post with all fields valid here, and a warning for each change. `style` is that of new slugs."""
    notes = list(post.warnings)
    is_untitled = post.is_ours and post.status == "draft" and not post.title
    title = post.title if _is_kept(post, "title") or is_untitled else one_line(post.title)
    if not title and not is_untitled:
        title = excerpt(re.sub(r"[#*_>`\[\]!]|\([^\s()]*+\)", "", post.markdown[:MAX_HEAD]), 60) or "Untitled"
        notes.append("It has no title. Its first words were used as the title.")
    if len(title) > MAX_TITLE_LENGTH:
        notes.append(f"Its title was cut to {MAX_TITLE_LENGTH} characters.")
    markdown = post.markdown if _is_kept(post, "content") else clean(post.markdown).strip("\n")
    if len(markdown.encode()) > MAX_CONTENT_BYTES:
        markdown = markdown.encode()[:MAX_CONTENT_BYTES].decode("utf-8", "ignore")
        notes.append("Its text was cut to 1 MiB.")
    summary = post.summary if _is_kept(post, "summary") else " ".join(clean(post.summary).split())
    if len(summary) > MAX_SUMMARY_LENGTH:
        notes.append(f"Its summary was cut to {MAX_SUMMARY_LENGTH} characters.")
    tags = post.tags if _is_kept(post, "tags") else _tags(post.tags, notes)
    published_at, scheduled_at, status = post.published_at, post.scheduled_at, post.status
    if status == "published" and not markdown.strip():
        status = "draft"
        notes.append("It was published without text. It is imported as a draft.")
    if status == "published" and post.kind == "post" and not (published_at or post.created_at):
        status = "draft"
        notes.append("It has no valid date. It is imported as a draft.")
    if status == "published" and published_at is not None and published_at > now:
        status, scheduled_at, published_at = "draft", published_at, None
    if published_at is not None and published_at < EARLIEST_DATE:
        notes.append(
            f"Its date, {published_at:%d %B} {published_at.year}, is too early. It became the earliest possible date."
        )
    if scheduled_at is not None:
        has_passed = scheduled_at <= now
        notes.append(schedule_passed(scheduled_at) if has_passed else schedule_note(scheduled_at))
        scheduled_at = None if has_passed else scheduled_at
    return replace(
        post,
        title=title if len(title) <= MAX_TITLE_LENGTH else excerpt(title, MAX_TITLE_LENGTH),
        markdown=markdown,
        slug=_slug(post, style) or style.slug_of(title[:MAX_TITLE_LENGTH], language(post.language)) or UNTITLED,
        status=status,
        summary=summary if len(summary) <= MAX_SUMMARY_LENGTH else excerpt(summary, MAX_SUMMARY_LENGTH),
        tags=tags,
        created_at=_within(post.created_at, now),
        published_at=min(max(published_at, EARLIEST_DATE), now) if published_at else None,
        updated_at=_within(post.updated_at, now),
        content_changed_at=_within(post.content_changed_at, now),
        scheduled_at=scheduled_at,
        language=language(post.language),
        canonical_url=_address(post.canonical_url, notes, "canonical address"),
        cover=post.cover or None,
        cover_alt=post.cover_alt if _is_kept(post, "cover_alt") else one_line(post.cover_alt)[:MAX_COVER_ALT_LENGTH],
        cover_caption=post.cover_caption if _is_kept(post, "cover_caption") else _caption(post.cover_caption, notes),
        meta_title=post.meta_title if _is_kept(post, "meta_title") else one_line(post.meta_title)[:MAX_TITLE_LENGTH],
        series=one_line(post.series)[:MAX_SERIES_TITLE_LENGTH].strip(),
        series_part=post.series_part if post.series_part in range(1, MAX_SERIES_PART + 1) else None,
        overrides=_overrides(post.overrides, notes),
        warnings=_listed(list(dict.fromkeys(notes))),
    )


def _is_kept(post: ParsedPost, name: str) -> bool:
    """Return True if a field stays as it is: in a post of blogsvc's export, every value that is valid here."""
    value = post.markdown if name == "content" else getattr(post, name)
    return post.is_ours and not rules.wrong_value(name, value)


def _listed(notes: list[str]) -> tuple[str, ...]:
    """Return the warnings that a report can show, and how many more there are."""
    more = len(notes) - MAX_WARNINGS
    return tuple(notes) if more <= 0 else (*notes[:MAX_WARNINGS], f"{more} more warnings are not listed.")


def schedule_note(at: datetime) -> str:
    return f"It was scheduled for {stamp(at)}. It is imported as a draft, unless you keep the times of scheduled posts."


def is_schedule_note(note: str) -> bool:
    return note.startswith("It was scheduled for ")


def schedule_passed(at: datetime) -> str:
    return f"It was scheduled for {stamp(at)}, which has passed. It is imported as a draft."


def _caption(text: str, notes: list[str]) -> str:
    line = one_line(text)
    if len(line) > MAX_CAPTION_LENGTH:
        notes.append(f"The caption of its cover image was cut to {MAX_CAPTION_LENGTH} characters.")
    return line[:MAX_CAPTION_LENGTH]


def _within(moment: datetime | None, now: datetime) -> datetime | None:
    return min(max(moment, EARLIEST), now) if moment else None


def _tags(tags: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    by_name = {tag.casefold(): tag for tag in reversed([one_line(tag) for tag in tags]) if tag}
    unique = list(reversed(by_name.values()))
    if any(len(tag) > MAX_TAG_LENGTH for tag in unique):
        notes.append(f"A tag was cut to {MAX_TAG_LENGTH} characters.")
    if len(unique) > MAX_TAGS:
        notes.append(f"It has {len(unique)} tags; the first {MAX_TAGS} were kept.")
    return tuple(dict.fromkeys(tag[:MAX_TAG_LENGTH].strip() for tag in unique[:MAX_TAGS]))


def _overrides(overrides: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return the overrides that are valid. A destination may be unknown here: it may be connected later.

    An empty value is kept: the author chose to have, for example, no tags there.
    """
    valid_overrides: dict[str, Any] = {}
    for name, own in overrides.items():
        fields = {field: value for field, value in own.items() if value is not None} if isinstance(own, dict) else {}
        valid = {field: value for field, value in fields.items() if _is_valid_override(field, value)}
        notes += (f"Its {field} for {name} is not valid, and was removed." for field in fields.keys() - valid.keys())
        if valid or own == {}:
            valid_overrides[name] = valid
    return valid_overrides


def _is_valid_override(field: str, value: Any) -> bool:
    match field, value:
        case ("title" | "summary" | "content", str()):
            pass
        case ("tags", list()) if all(isinstance(tag, str) for tag in value):
            pass
        case ("options", dict()) if all(isinstance(chosen, str) for chosen in value.values()):
            pass
        case _:
            return False
    return not rules.field_faults({"overrides": {"": {field: value}}})


def _address(url: str | None, notes: list[str], what: str) -> str | None:
    url = (url or "").strip()
    if not url:
        return None
    if is_web(url) and len(url) <= MAX_URL_LENGTH:
        return url
    notes.append(f"Its {what} is not a valid URL, and was removed.")
    return None


def _slug(post: ParsedPost, style: SlugStyle) -> str:
    """Return the slug of the post in lower case if that is valid, so that its address stays, else one made from it.

    It may be percent-encoded, as WordPress writes slugs. Returns "" if it has neither letters nor digits.
    """
    text = unicodedata.normalize("NFC", unquote(post.slug.strip().strip("/")[:MAX_ENCODED_SLUG]))
    slug = text.lower()
    if is_slug(slug) and len(slug) <= MAX_SLUG_LENGTH:
        return slug
    return style.slug_of(text, language(post.language))


def language(text: str | None) -> str | None:
    """Return a language tag (BCP 47), None if it is invalid. Accepts underscores, as in en_US."""
    tag = (text or "").strip().replace("_", "-")
    return tag if is_language_tag(tag) else None
