"""A parsed post, the common result of all formats, and helpers for parsing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from html import unescape
from typing import Any, Literal
from urllib.parse import SplitResult, unquote, urlsplit

from blogsvc.lib.time import stamp

Status = Literal["draft", "published"]
Kind = Literal["post", "page"]
LinkPlace = Literal["header", "footer", "social"]


MAX_DIGITS = 10
# The longest text of a post that is converted, in characters: longer ones are cut before, because converting them takes
# long. A post can have 1 MiB, and HTML is a little longer than its Markdown.
MAX_TEXT_LENGTH = 4 * 1024 * 1024

MAX_LINKS = 50  # of one menu, before those that a menu here can have are chosen


class UnreadableFile(ValueError):
    """Raised if a file can't be parsed. The message is shown to the user who uploaded it."""


@dataclass(frozen=True)
class ParsedAuthor:
    """An author of a parsed post. `slug` is "" if the file has only names.

    `picture` is the URL of an image, which `images` of the post has, too. `links` are texts, URLs, and whether the page
    is the author's own. `paths` are the old paths of the author's page.
    """

    slug: str
    name: str
    email: str = ""
    bio: str = ""
    picture: str | None = None
    links: tuple[tuple[str, str, bool], ...] = ()
    fediverse: str | None = None
    paths: tuple[str, ...] = ()

    @property
    def images(self) -> tuple[tuple[str, str], ...]:
        """Return the picture as `ParsedPost.images` has it, in a file of blogsvc."""
        return ((self.picture, "" if is_web(self.picture) else self.picture),) if self.picture else ()

    @classmethod
    def of_json(cls, values: Any) -> ParsedAuthor:
        """Return the author that `ParsedPost.to_json` wrote. Raises ValueError or TypeError for other values."""
        match values:
            case {"slug": str(), "name": str(), "email": str(), "bio": str(), "links": list(), "paths": list()}:
                links = tuple((_text(label), _text(url), bool(is_me)) for label, url, is_me in values["links"])
                picture, fediverse = (_text_or_none(values.get(name)) for name in ("picture", "fediverse"))
                slug, name, email, bio = (str(values[key]) for key in ("slug", "name", "email", "bio"))
                paths = tuple(map(_text, values["paths"]))
                return cls(slug, name, email, bio, picture, links, fediverse, paths)
            case _:
                raise ValueError("an author of a parsed post has the wrong type")


@dataclass(frozen=True)
class ParsedPost:
    """A parsed post.

    `source` identifies the post, so that importing it again can be detected. A post with `scheduled_at` is a draft.
    `content_changed_at` is only in files of blogsvc; without it, `updated_at` counts. `images` lists the images as
    pairs: the URL in the text, and the file name in the archive, another URL where the image is, or "" for the URL in
    the text. `addresses` are the old URLs or paths of the post, as in the source and of any length. `file_name` is the
    slug of the name of its file, by which other files link to it. `feed_id` is the id of its entry in the old blog's
    feed. `tag_paths` are pairs: the old path of a tag's page, and the tag; `home_paths` are old paths that lead to the
    home page; `image_paths` are pairs: an old path of an image beside the one in the text, and the URL in the text.
    `was_public` is true if readers could know these addresses. `platforms` are the destinations of a draft; those of a
    published post are only this blog. `series` is the title or the slug of its series. `is_note` is true if its links
    may be those of Obsidian. `warnings` tell users what was not imported.
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
    content_changed_at: datetime | None = None
    scheduled_at: datetime | None = None
    language: str | None = None
    canonical_url: str | None = None
    cover: str | None = None
    cover_alt: str = ""
    cover_caption: str = ""
    kind: Kind = "post"
    is_pinned: bool = False
    is_unlisted: bool = False
    meta_title: str = ""
    series: str = ""
    series_part: int | None = None
    images: tuple[tuple[str, str], ...] = ()
    addresses: tuple[str, ...] = ()
    file_name: str = ""
    feed_id: str | None = None
    tag_paths: tuple[tuple[str, str], ...] = ()
    authors: tuple[ParsedAuthor, ...] = ()
    home_paths: tuple[str, ...] = ()
    image_paths: tuple[tuple[str, str], ...] = ()
    was_public: bool = False
    is_note: bool = False
    platforms: tuple[str, ...] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def is_ours(self) -> bool:
        """Return True for a post of an export of blogsvc, whose texts stay as they are."""
        return self.source.startswith("blogsvc:")

    @property
    def old_paths(self) -> tuple[str, ...]:
        """Return the paths of `addresses`, percent-decoded, each with its query, such as "/2020/01/a/" and "/?p=13"."""
        return tuple(dict.fromkeys(filter(None, map(old_path, self.addresses))))

    def to_json(self) -> dict[str, Any]:
        """Return the post as JSON, which is stored between parsing and importing."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["authors"] = [asdict(author) for author in self.authors]
        return {name: stamp(value) if isinstance(value, datetime) else value for name, value in values.items()}

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> ParsedPost:
        """Return the post that `to_json` returned. Raises ValueError or TypeError if these are no such values."""
        read: dict[str, Any] = {}
        for name, value in values.items():
            match name, value:
                case "source" | "title" | "markdown" | "slug" | "summary" | "file_name", str():
                    read[name] = value
                case "cover_alt" | "cover_caption" | "meta_title" | "series", str():
                    read[name] = value
                case "series_part", int() | None:
                    read[name] = value
                case "kind", "post" | "page":
                    read[name] = value
                case "status", "draft" | "published":
                    read[name] = value
                case "created_at" | "published_at" | "updated_at" | "content_changed_at" | "scheduled_at", str() | None:
                    read[name] = datetime.fromisoformat(value) if value else None
                case "language" | "canonical_url" | "cover" | "feed_id", str() | None:
                    read[name] = value
                case "tags" | "addresses" | "home_paths" | "platforms" | "warnings", list():
                    read[name] = tuple(_text(one) for one in value)
                case "authors", list():
                    read[name] = tuple(map(ParsedAuthor.of_json, value))
                case "images" | "tag_paths" | "image_paths", list():
                    read[name] = tuple((_text(first), _text(second)) for first, second in value)
                case "was_public" | "is_note" | "is_pinned" | "is_unlisted", bool():
                    read[name] = value
                case "overrides", dict():
                    read[name] = value
                case _:
                    raise ValueError(f"{name} of a parsed post has the wrong type")
        return cls(**read)


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a parsed post has a value that is not text")
    return value


@dataclass(frozen=True)
class SkippedItem:
    """Something that is not imported, such as a page or a menu. `reason` is one sentence.

    `paths` are the paths that it had on the old blog, percent-decoded.
    """

    title: str
    reason: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class ParsedRedirect:
    """A redirect that the owner of the old blog made, as in its export and of any length."""

    path: str
    target: str
    status: int

    @classmethod
    def all_in(cls, listed: Any) -> Iterator[ParsedRedirect]:
        """Yield the redirects of a list in an export of blogsvc: `[{"path": "/a", "target": "/b", "status": 301}]`."""
        for row in listed if isinstance(listed, list) else ():
            if isinstance(row, dict) and isinstance(row.get("status"), int):
                yield cls(str(row.get("path")), str(row.get("target") or ""), row["status"])


@dataclass(frozen=True)
class ParsedLinks:
    """A menu of the old blog, or its links to profiles elsewhere.

    Each item is a text, what it leads to, and True if that is a profile of the blog. Items of menus lead to
    `source:<source of a post>`, to `tag:<tag>` and what else menus of blogsvc lead to, or to a URL of any site.
    """

    place: LinkPlace
    items: tuple[tuple[str, str, bool], ...]

    @classmethod
    def of(cls, place: LinkPlace, items: Iterable[Any]) -> ParsedLinks:
        """Return links from other programs' data, without what is none."""
        rows = (item for item in items if isinstance(item, list | tuple) and len(item) == 3)
        texts = tuple(
            (one_line(str(label))[:300], clean(str(to)).strip()[:2000], is_me is True) for label, to, is_me in rows
        )
        return cls(place, texts[:MAX_LINKS])


def url_parts(url: str) -> SplitResult:
    """Return the parts of a URL, all empty if it is malformed, such as "http://["."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def is_web(url: str) -> bool:
    """Return True for an HTTP or HTTPS URL with a host."""
    if re.search(r"[\s\x00-\x20\x7f<>\"]", url) or not re.match(r"https?://", url, re.IGNORECASE):
        return False
    return bool(url_parts(url).hostname)


def old_path(address: str) -> str:
    """Return the path and query of a URL, path or slug, percent-decoded; "" if it is the front page or invalid."""
    parts = url_parts(address.strip())
    path = unquote(f"/{parts.path.lstrip('/')}")
    return f"{path}?{parts.query}" if parts.query else path.rstrip("/") and path


def clean(text: str) -> str:
    """Return the text without control characters and byte order mark, with line endings "\\n".

    U+FFFD replaces lone surrogates.
    """
    text = re.sub("[\ud800-\udfff]", "\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("[\x00-\x08\x0e-\x1f\ufeff]", "", re.sub("[\x0b\x0c]", " ", text))


def cut(text: str, warnings: list[str]) -> str:
    """Return the text of a post, cut to the length that is converted, and add a warning if it is longer."""
    if len(text) > MAX_TEXT_LENGTH:
        warnings.append("Its text was cut to 4 MiB before it was converted.")
    return text[:MAX_TEXT_LENGTH]


def counted(number: int, singular: str, plural: str) -> str:
    """Return a count with its noun: "1 page", "2 pages"."""
    return f"{number} {singular if number == 1 else plural}"


def in_plain_words(html: str) -> str:
    """Return a short HTML text, such as a title, as plain text on one line."""
    return one_line(unescape(re.sub(r"<[^<>]{1,1000}>", "", html)))


def one_line(text: str) -> str:
    return " ".join(re.sub("[\x00-\x1f\x7f-\x9f]", " ", clean(text)).split())


def number(value: object) -> int | None:
    """Return a positive whole number, also from text; None for anything else."""
    text = str(value).strip()
    return int(text) if text.isdecimal() and len(text) < MAX_DIGITS else None
