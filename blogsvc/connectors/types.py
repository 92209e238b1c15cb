"""The types that the engine and the connectors exchange."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from blogsvc.connectors.errors import UnusableId
from blogsvc.lib.text.length import Unit, unit_name

# Who can open a copy: only the members of a room, everybody, or everybody, who can also answer.
Readers = Literal["members", "public", "discussion"]
Category = Literal["article", "announcement", "newsletter", "file", "event"]
# The format of a text that readers see.
Form = Literal["title", "text", "markdown", "html", "link"]
Operation = Literal["create", "update", "delete"]
Keys = dict[str, str]
MAX_URL_LENGTH = 2000  # in characters


def dumps(value: Any) -> bytes:
    """Encode JSON for sending and hashing: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def web_url(value: Any) -> str | None:
    """Return the value if pages may link to it: a URL with http or https and a host, without spaces. Else None."""
    if not isinstance(value, str) or len(value) > MAX_URL_LENGTH or not value.isprintable() or " " in value:
        return None
    try:
        parts = urlsplit(value)
        return value if parts.scheme in ("https", "http") and parts.hostname else None
    except ValueError:
        return None


@dataclass(frozen=True)
class ArticleImage:
    """An image in the article, with an absolute URL. `size` is its width and height in pixels, if they are known."""

    url: str
    alt: str = ""
    size: tuple[int, int] | None = None


@dataclass(frozen=True)
class Article:
    """A post as a connector receives it: final, immutable, independent of the database.

    `markdown` is the author's text, `html` the same, rendered and sanitised.
    `canonical_url` is the URL of the original, None if there is none yet. `own_text` is the text as typed, if the
    author wrote it for this destination, with full addresses. Announcements use it as it is, apart from its links.
    """

    id: str
    title: str
    slug: str
    markdown: str
    html: str
    summary: str = ""
    canonical_url: str | None = None
    tags: tuple[str, ...] = ()
    cover_url: str | None = None
    cover_alt: str = ""
    images: tuple[ArticleImage, ...] = ()
    language: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    own_text: str | None = None

    @property
    def is_own(self) -> bool:
        return self.own_text is not None


@dataclass(frozen=True)
class Field:
    """A setting of a connection, as a field in the form.

    `address`: a URL or name that decides where the secrets are sent. `lines`: allows several lines. `path`: a folder
    on this server. It must be allowed by BLOGSVC_FOLDERS, and is passed with symbolic links resolved. `server`: a
    handle (@ada@server) or the address of a profile may be entered, too; the connector gets the server. `length`: how
    many characters the secrets of this platform have, without spaces, if all have the same; 0 if not. It is only told
    after a rejection, because another server with the same API may have longer or shorter ones.
    """

    name: str
    label: str
    help: str = ""
    secret: bool = False
    required: bool = True
    default: str = ""
    choices: tuple[str, ...] = ()
    lines: bool = False
    path: bool = False
    address: bool = False
    server: bool = False
    length: int = 0

    @property
    def noun(self) -> str:
        """Return the label in a sentence: "access token", "API key"."""
        return self.label if self.label[:2].isupper() else self.label[:1].lower() + self.label[1:]


@dataclass(frozen=True)
class Option:
    """An option per post, such as the visibility. Without `choices`, it is a line of text.

    `choice_labels` are the choices for people, where they are more than the choice with a capital letter.
    """

    name: str
    label: str
    choices: tuple[str, ...] = ()
    default: str = ""
    help: str = ""
    choice_labels: Mapping[str, str] = field(default_factory=dict)

    def label_of(self, choice: str) -> str:
        """Return a choice for people: "Public", "Link card"."""
        return self.choice_labels.get(choice) or choice[:1].upper() + choice[1:] or "None"

    def choices_with(self, value: str) -> tuple[str, ...]:
        """Return the choices, and a value that was chosen when the account still offered it."""
        return self.choices if value in self.choices else (*self.choices, value)


@dataclass(frozen=True)
class Limit:
    """The maximum length of a part, in the unit that the platform counts."""

    part: str
    most: int
    unit: Unit

    @property
    def unit_name(self) -> str:
        """Return the unit for people."""
        return unit_name(self.unit)

    @property
    def amount(self) -> str:
        """Return the length for people: "500 characters", "5 tags"."""
        return f"{self.most:,} {self.unit_name}"


def by_part(limits: Sequence[Limit]) -> dict[str, Limit]:
    """Return limits by their part. Of a part with two limits, the first is the one that people count."""
    return {limit.part: limit for limit in reversed(limits)}


@dataclass(frozen=True)
class Account:
    """The account that the credentials belong to.

    `facts` are other results of `verify` that `compose` needs, such as limits, the server's software, or ids.
    They are stored unencrypted and passed to the connector as `Connector.facts`. A `url` that pages may not link
    to is dropped.
    """

    name: str
    url: str | None = None
    facts: Mapping[str, str | int | bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", web_url(self.url))


@dataclass(frozen=True)
class Payload:
    """What is sent to the platform, and warnings for the author.

    `length` is the length of the text, in the unit of the first limit of the text. `announcement` is the text of an
    announcement as its author can change it, without the link that is added; None if this is none.
    """

    body: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    length: int | None = None
    announcement: str | None = None

    @property
    def hash(self) -> str:
        """Return the SHA-256 of the body. If it differs from that of the copy, the copy is updated."""
        return hashlib.sha256(dumps(self.body)).hexdigest()


@dataclass(frozen=True)
class TextPart:
    """A part of what readers see. `html` and `markdown` are not sanitised."""

    form: Form
    text: str


@dataclass(frozen=True)
class HandOver:
    """What a person needs to post a copy by hand: the text in each form, and the address of the editor.

    `text` is plain. `markdown` and `html` are empty for platforms that take only a short text. `html` is not sanitised.
    `link` leads to the original, "" without one. `images` are their URLs with their alt texts.
    """

    title: str
    text: str
    markdown: str
    html: str
    link: str
    tags: tuple[str, ...]
    images: tuple[tuple[str, str], ...]
    editor_url: str


def _is_storable(text: str, max_length: int | None) -> bool:
    """Return False for a text that is too long, or has NUL or a lone surrogate, which databases can't store."""
    return (max_length is None or len(text) <= max_length) and not re.search("[\0\ud800-\udfff]", text)


@dataclass(frozen=True)
class Receipt:
    """A copy on the platform: its id, URL and version.

    `version` changes with every change of the copy, by anyone; it can be a revision, a hash or a time.
    `extra` is other data about the copy that the connector needs later. A `url` that pages may not link to, such as
    `javascript:`, is dropped, whichever connector it comes from.
    """

    remote_id: str
    url: str | None = None
    version: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise UnusableId if the id, the version or other data cannot be stored."""
        object.__setattr__(self, "url", web_url(self.url))
        parts = ((self.remote_id, 2000), (self.version or "", 500), *((value, None) for value in self.extra.values()))
        if not all(_is_storable(part, most) for part, most in parts):
            raise UnusableId("The platform's id of the copy can't be stored. Check the platform, then say which it is.")


@dataclass(frozen=True)
class Draft:
    """A copy that was staged as a draft.

    `receipt` is None if its creation is in doubt. `payload_hash` is that of the payload it was made from, "" if that is
    not known.
    """

    receipt: Receipt | None
    payload_hash: str


@dataclass(frozen=True)
class Figures:
    """The figures of a copy, since it was created. A figure that the platform does not report is None, never 0."""

    views: int | None = None
    likes: int | None = None
    comments: int | None = None
    shares: int | None = None
    clicks: int | None = None


@dataclass(frozen=True)
class Mailing:
    """How an e-mail is doing. A count that the platform does not report is None, never 0.

    `error` says why it failed, or why some subscribers did not get it.
    """

    status: Literal["sending", "sent", "failed"]
    recipients: int | None = None
    delivered: int | None = None
    opened: int | None = None
    error: str = ""


@dataclass(frozen=True)
class CopyFound:
    """`find` found the copy."""

    receipt: Receipt


class CopyNotFound:
    """`find` is certain that there is no copy."""


class CopyUnknown:
    """`find` could not determine the result, so a person must check."""


# The option with which an author asks to e-mail subscribers again. Platforms with a `mail_option` have it.
MAIL_AGAIN = Option(
    "mail_again",
    "E-mail again",
    help="A post is e-mailed once, also if its copy is deleted and made anew. To e-mail the new copy too, give the"
    " `mailedAt` of the delivery.",
)

# What a connector may support besides publishing.
ABILITIES = (
    "update",
    "delete",
    "unpublish",
    "find",
    "find_all",
    "fetch_version",
    "read_back",
    "stats",
    "mailing",
    "stage",
    "hand_over",
)
