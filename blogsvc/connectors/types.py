"""What goes between the engine and a connector: the article, what is asked, what is sent, what came of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from blogsvc.lib.text_length import Unit

Kind = Literal["article", "announcement", "newsletter", "file", "event"]
# Where it stands among the places to connect.
Category = Literal["blogs", "networks", "chats", "newsletters", "files"]
Operation = Literal["create", "update", "delete"]
Keys = dict[str, str]


def dumps(value: Any) -> bytes:
    """JSON as we send and hash it: the same bytes for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(frozen=True)
class ArticleImage:
    """A picture that the article shows, at an absolute address."""

    url: str
    alt: str = ""


@dataclass(frozen=True)
class Article:
    """A post as a connector sees it: final, frozen, free of rows.

    `markdown` is the author's text without front matter, `html` the same, rendered and sanitised.
    `canonical_url` is where the original lives; None where the post has no home of its own yet.
    `is_own` says that the author wrote this text for this destination alone: an announcement says
    it as it stands.
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
    pictures: tuple[ArticleImage, ...] = ()
    language: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    is_own: bool = False


@dataclass(frozen=True)
class Field:
    """One thing to ask when an account is connected, and how to ask it.

    `lines`: it takes several lines. `path`: a directory of this server, which is handed over only
    where the owner allows it (BLOGSVC_FOLDERS), and then without links in it.
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


@dataclass(frozen=True)
class Option:
    """One thing to ask per post: a visibility, a newsletter. Without `choices`, it takes a line of text."""

    name: str
    label: str
    choices: tuple[str, ...] = ()
    default: str = ""
    help: str = ""


@dataclass(frozen=True)
class Limit:
    """How much of a part a platform takes, in the unit in which it counts."""

    part: str
    most: int
    unit: Unit


@dataclass(frozen=True)
class Account:
    """Who the credentials speak for, by the platform's own word.

    `facts` are what else `verify` learned of that server and `compose` has to know: its limits, what
    it is, the ids of a channel. They are kept beside the settings, in the clear, and given back as
    `Connector.facts`.
    """

    name: str
    url: str | None = None
    facts: Mapping[str, str | int | bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Payload:
    """What would be sent, and what the author should know before it is.

    `length` is how long its text is as the platform counts it, in the unit of the first limit of the text.
    """

    body: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    length: int | None = None

    @property
    def hash(self) -> str:
        """SHA-256 of the body: a copy is brought in step when this differs from what it was made of."""
        return hashlib.sha256(dumps(self.body)).hexdigest()


@dataclass(frozen=True)
class Receipt:
    """The platform's word that a copy exists: its id there, its address, its version.

    `version` changes whenever the copy does, whoever changes it: a revision, a hash, a time. `extra`
    is what else the connector wants to be told of this copy later, such as earlier versions.
    """

    remote_id: str
    url: str | None = None
    version: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError for what could not be kept, and so would not lead to the copy again."""
        for part, most in ((self.remote_id, 2000), (self.url, 2000), (self.version, 500)):
            if part is not None and (len(part) > most or "\0" in part):
                raise ValueError(f"A receipt's part is one line of at most {most} characters: {part[:50]!r}...")


@dataclass(frozen=True)
class Figures:
    """How a copy did, counted from its beginning. What the platform does not tell is None, never 0."""

    views: int | None = None
    likes: int | None = None
    comments: int | None = None
    shares: int | None = None
    clicks: int | None = None


@dataclass(frozen=True)
class CopyFound:
    """`find` saw the copy."""

    receipt: Receipt


class CopyNotFound:
    """`find` is sure that there is no copy."""


class CopyUnknown:
    """`find` cannot tell; the author is asked."""
