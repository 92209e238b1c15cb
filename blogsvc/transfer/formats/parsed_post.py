"""A parsed post, the common result of all formats, and helpers for parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from blogsvc.lib.text import LANGUAGE_TAG, excerpt, slugify
from blogsvc.lib.time import stamp
from blogsvc.posts import rules
from blogsvc.posts.rules import (
    MAX_CONTENT_BYTES,
    MAX_COVER_ALT_LENGTH,
    MAX_SLUG_LENGTH,
    MAX_SUMMARY_LENGTH,
    MAX_TAG_LENGTH,
    MAX_TAGS,
    MAX_TITLE_LENGTH,
    MAX_URL_LENGTH,
)

Status = Literal["draft", "published"]

MAX_WARNINGS = 50
EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)  # ids contain a timestamp, which can't be earlier

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_WORDS_OF_MONTHS = ("%b %d, %Y", "%b %d %Y", "%B %d, %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y", "%Y/%m/%d", "%m/%d/%Y")


class UnreadableFile(ValueError):
    """Raised if a file can't be parsed. The message is shown to the person who uploaded it."""


@dataclass(frozen=True)
class ParsedPost:
    """A parsed post.

    `source` identifies the post, so that importing it again can be detected. A post with `scheduled_at` is a draft.
    `images` lists the images as pairs: the URL in the text, and the file name in the archive or "" for a URL on the
    web. `addresses` are the old URLs or paths of the post, as in the source and of any length. `feed_id` is the id
    of its entry in the old blog's feed. `tag_paths` are pairs: the old path of a tag's page, and the tag;
    `author_paths` are the old paths of its authors' pages; `image_paths` are pairs: an old path of an image beside
    the one in the text, and the URL in the text. `was_public` is true if readers could know these addresses.
    `warnings` tell people what was not imported.
    """

    source: str
    title: str
    markdown: str
    slug: str = ""
    status: Status = "draft"
    summary: str = ""
    tags: tuple[str, ...] = ()
    created_at: datetime | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    scheduled_at: datetime | None = None
    language: str | None = None
    canonical_url: str | None = None
    cover: str | None = None
    cover_alt: str = ""
    images: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()
    feed_id: str | None = None
    tag_paths: tuple[tuple[str, str], ...] = ()
    author_paths: tuple[str, ...] = ()
    image_paths: tuple[tuple[str, str], ...] = ()
    was_public: bool = False
    overrides: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def old_paths(self) -> tuple[str, ...]:
        """Return the paths of `addresses`, percent-decoded, each with its query, such as "/2020/01/a/" and "/?p=13"."""
        return tuple(dict.fromkeys(filter(None, map(old_path, self.addresses))))

    def to_json(self) -> dict[str, Any]:
        """Return the post as JSON, which is stored between parsing and importing."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: stamp(value) if isinstance(value, datetime) else value for name, value in values.items()}

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> ParsedPost:
        read: dict[str, Any] = dict(values)
        for name in ("created_at", "published_at", "updated_at", "scheduled_at"):
            read[name] = datetime.fromisoformat(read[name]) if read[name] else None
        for name in ("tags", "addresses", "author_paths", "warnings"):
            read[name] = tuple(read[name])
        for name in ("images", "tag_paths", "image_paths"):
            read[name] = tuple((first, second) for first, second in read[name])
        return cls(**read)


@dataclass(frozen=True)
class SkippedItem:
    """Something that is not imported, such as a page or a menu. `reason` is one sentence.

    `paths` are the paths that it had on the old blog, percent-decoded.
    """

    title: str
    reason: str
    paths: tuple[str, ...] = ()


def fitted(found: ParsedPost, now: datetime) -> ParsedPost:
    """Return the post with all fields valid here, and a warning for each change."""
    notes = list(found.warnings)
    title = one_line(found.title)
    if not title:
        title = excerpt(re.sub(r"[#*_>`\[\]!]|\(\S*\)", "", found.markdown), 60) or "Untitled"
        notes.append("It has no title. Its first words were used as the title.")
    if len(title) > MAX_TITLE_LENGTH:
        notes.append(f"Its title was cut to {MAX_TITLE_LENGTH} characters.")
    markdown = clean(found.markdown).strip("\n")
    if len(markdown.encode()) > MAX_CONTENT_BYTES:
        markdown = markdown.encode()[:MAX_CONTENT_BYTES].decode("utf-8", "ignore")
        notes.append("Its text was cut to 1 MiB.")
    summary = " ".join(clean(found.summary).split())
    if len(summary) > MAX_SUMMARY_LENGTH:
        notes.append(f"Its summary was cut to {MAX_SUMMARY_LENGTH} characters.")
    tags = _tags(found.tags, notes)
    published_at, scheduled_at, status = found.published_at, found.scheduled_at, found.status
    if status == "published" and not markdown.strip():
        status = "draft"
        notes.append("It was published without text. It is imported as a draft.")
    if status == "published" and published_at is not None and published_at > now:
        status, scheduled_at = "draft", published_at
    if scheduled_at is not None:
        has_passed = scheduled_at <= now
        notes.append(schedule_passed(scheduled_at) if has_passed else schedule_note(scheduled_at))
        scheduled_at = None if has_passed else scheduled_at
    return replace(
        found,
        title=excerpt(title, MAX_TITLE_LENGTH),
        markdown=markdown,
        slug=clean_slug(found.slug) or clean_slug(title) or "untitled",
        status=status,
        summary=excerpt(summary, MAX_SUMMARY_LENGTH),
        tags=tags,
        created_at=_within(found.created_at, now),
        published_at=_within(published_at, now),
        updated_at=_within(found.updated_at, now),
        scheduled_at=scheduled_at,
        language=language(found.language),
        canonical_url=_address(found.canonical_url, notes, "canonical address"),
        cover=found.cover or None,
        cover_alt=one_line(found.cover_alt)[:MAX_COVER_ALT_LENGTH],
        overrides=_overrides(found.overrides, notes),
        warnings=tuple(dict.fromkeys(notes))[:MAX_WARNINGS],
    )


def schedule_note(at: datetime) -> str:
    return f"It was scheduled for {stamp(at)}. It is imported as a draft, unless you keep the times of scheduled posts."


def is_schedule_note(note: str) -> bool:
    return note.startswith("It was scheduled for ")


def schedule_passed(at: datetime) -> str:
    return f"It was scheduled for {stamp(at)}, which has passed. It is imported as a draft."


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
    """Return the overrides that are valid. A destination may be unknown here: it may be connected later."""
    kept: dict[str, Any] = {}
    for name, own in overrides.items():
        fields = {field: value for field, value in own.items() if value} if isinstance(own, dict) else {}
        valid = {field: value for field, value in fields.items() if _is_valid_override(field, value)}
        notes += (f"Its {field} for {name} is not valid, and was removed." for field in fields.keys() - valid.keys())
        if valid:
            kept[name] = valid
    return kept


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


def is_web(url: str) -> bool:
    """Return True for an HTTP or HTTPS URL with a host."""
    if re.search(r"[\s\x00-\x20\x7f<>\"]", url) or not re.match(r"https?://", url, re.IGNORECASE):
        return False
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False


def old_path(address: str) -> str:
    """Return the path and query of a URL, path or slug, percent-decoded; "" if it is the front page or invalid."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ""
    path = unquote(f"/{parts.path.lstrip('/')}")
    return f"{path}?{parts.query}" if parts.query else path.rstrip("/") and path


def clean_slug(text: str) -> str:
    """Return a valid slug, unchanged if it is valid; "" if the text has no ASCII form."""
    text = unquote(text.strip().strip("/"))
    if _SLUG.fullmatch(text) and len(text) <= MAX_SLUG_LENGTH:
        return text
    return slugify(text, MAX_SLUG_LENGTH)


def language(text: str | None) -> str | None:
    """Return a language tag (BCP 47), None if it is invalid. Accepts underscores, as in en_US."""
    tag = (text or "").strip().replace("_", "-")
    return tag if re.fullmatch(LANGUAGE_TAG, tag) and len(tag) <= 35 else None


def clean(text: str) -> str:
    """Return the text without control characters, lone surrogates and byte order mark, with line endings "\\n"."""
    text = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff]", "", text)


def counted(number: int, one: str, many: str) -> str:
    """Return a count with its noun: "1 page", "2 pages"."""
    return f"{number} {one if number == 1 else many}"


def in_plain_words(html: str) -> str:
    """Return a short HTML text, such as a title, as plain text on one line."""
    return one_line(unescape(re.sub(r"<[^<>]{1,1000}>", "", html)))


def one_line(text: str) -> str:
    return " ".join(re.sub("[\x00-\x1f\x7f-\x9f]", " ", clean(text)).split())


def decoded(data: bytes) -> tuple[str, bool]:
    """Decode bytes. Returns the text, and True if the encoding was guessed (Windows-1252)."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), False
    try:
        return data.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), True


def moment(value: object, zone: tzinfo) -> datetime | None:
    """Parse a date in one of many formats, None if it is invalid. Local times are in `zone`.

    A number is a Unix timestamp in seconds or, if larger than 10**11, in milliseconds, as in old exports of
    Ghost.
    """
    if isinstance(value, bool) or value is None:
        return None
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if abs(value) > 10**11 else value, UTC)
        if isinstance(value, datetime):
            return _aware(value, zone)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=zone).astimezone(UTC)
        return _read(str(value).strip(), zone)
    except (ValueError, OverflowError, OSError, TypeError):
        return None


def _read(text: str, zone: tzinfo) -> datetime | None:
    text = re.sub(r"\s+UTC$", "Z", text)
    # Jekyll and Ruby write a space before the offset.
    text = re.sub(r"(?<=\d)\s+(?=[+-]\d\d:?\d\d$)", "", text)
    text = re.sub(r"^(\d{4}-\d\d-\d\d[T ]\d):", r"\1:", re.sub(r"^(\d{4}-\d\d-\d\d[T ])(\d:)", r"\g<1>0\2", text))
    for read in (datetime.fromisoformat, parsedate_to_datetime, *map(_date_parser, _WORDS_OF_MONTHS)):
        try:
            return _aware(read(text), zone)
        except (ValueError, TypeError):
            continue
    return None


def _date_parser(form: str) -> Any:
    return lambda text: datetime.strptime(text, form)  # noqa: DTZ007 (made aware by who asks)


def _aware(at: datetime, zone: tzinfo) -> datetime:
    at = at if at.tzinfo else at.replace(tzinfo=zone)
    return at.astimezone(UTC) - timedelta(microseconds=at.microsecond % 1000)
