"""What every connector is: the article it is given, the receipt it returns, the errors it raises.

A connector knows one platform and nothing else. It never sleeps, loops over retries, remembers or
touches a row: the engine (`syndication.py`) owns retries, time and rows. `README.md` beside this
file says how to add one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

from blogsvc.connectors.answers import Call
from blogsvc.connectors.calling import Caller, dumps
from blogsvc.connectors.errors import (
    Conflict,
    ConnectorError,
    Disconnected,
    Duplicate,
    Gone,
    Misconfigured,
    RateLimited,
    Rejected,
    Unavailable,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.pictures import Album, PictureFile
from blogsvc.lib.http import Answer, Door
from blogsvc.lib.lengths import Unit

# Everything that a connector needs is imported from here, the errors of `errors.py` too.
__all__ = [
    "Account",
    "Album",
    "Answer",
    "Article",
    "Call",
    "CannotKnow",
    "Conflict",
    "Connector",
    "ConnectorError",
    "Disconnected",
    "Door",
    "Duplicate",
    "Field",
    "Figures",
    "Found",
    "Gone",
    "Keys",
    "Kind",
    "Limit",
    "Misconfigured",
    "NotFound",
    "Operation",
    "Option",
    "Payload",
    "Picture",
    "PictureFile",
    "RateLimited",
    "Receipt",
    "Rejected",
    "Unavailable",
    "Uncertain",
    "Unsupported",
    "dumps",
]

Kind = Literal["article", "announcement", "newsletter", "file", "event"]
Operation = Literal["create", "update", "delete"]
Keys = dict[str, str]


@dataclass(frozen=True)
class Picture:
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
    pictures: tuple[Picture, ...] = ()
    language: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    is_own: bool = False


@dataclass(frozen=True)
class Field:
    """One thing to ask when an account is connected, and how to ask it.

    `path`: a directory of this server, which is handed over only where the owner allows it
    (BLOGSVC_FOLDERS), and then without links in it.
    """

    name: str
    label: str
    help: str = ""
    secret: bool = False
    required: bool = True
    default: str = ""
    choices: tuple[str, ...] = ()
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
    """What would be sent, and what the author should know before it is."""

    body: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

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
class Found:
    """`find` saw the copy."""

    receipt: Receipt


class NotFound:
    """`find` is sure that there is no copy."""


class CannotKnow:
    """`find` cannot tell; the author is asked."""


@dataclass
class Connector(Caller):
    """One platform. A subclass declares what it is, and overrides what it can do.

    `facts` are those of the account (`Account.facts`), `album` has the bytes of pictures. `session` is
    a place for a token that was got with the settings and may be got again: the engine keeps it, sealed,
    from one errand to the next. It may always be found empty.
    """

    key: ClassVar[str]
    label: ClassVar[str]
    docs: ClassVar[str] = ""
    checked_on: ClassVar[str] = ""
    kind: ClassVar[Kind] = "article"
    fields: ClassVar[tuple[Field, ...]] = ()
    options: ClassVar[tuple[Option, ...]] = ()
    limits: ClassVar[tuple[Limit, ...]] = ()
    accepts: ClassVar[str] = "html"
    carries: ClassVar[frozenset[str]] = frozenset()
    # Operations that may be sent again with the same keys, whatever became of the first time.
    repeatable: ClassVar[frozenset[Operation]] = frozenset({"update", "delete"})
    # Why there is never a second copy: a sentence for the docs.
    once: ClassVar[str] = ""
    # What is left of `update` and `delete` here, where that is less than the words say.
    caveats: ClassVar[tuple[str, ...]] = ()
    # Delivered inside the publishing transaction, because it needs no network.
    is_local: ClassVar[bool] = False

    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    session: dict[str, str] = field(default_factory=dict, repr=False)
    album: Album = field(default_factory=Album, repr=False)

    def __post_init__(self) -> None:
        self.album.door = self.album.door or self.door

    def verify(self) -> Account:
        """Ask the platform whom these settings speak for. Raises ConnectorError."""
        raise NotImplementedError

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        """What would be sent. Pure: no network, no clock, so that preview is publish. Raises Rejected."""
        raise NotImplementedError

    def mint(self, article: Article) -> Keys:
        """The keys chosen before the first copy is sent (slug, rkey, marker), kept for its whole life.

        The engine adds "operation", an id of this one wish, the same over all its attempts.
        """
        return {}

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        """Make the copy. Raises ConnectorError."""
        raise NotImplementedError

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        """Change the copy. Raises Conflict where it is not at the version of the receipt any more, so that
        nothing is written over that was written there; a receipt without a version is the author's word to do so."""
        raise Unsupported(f"{self.label} cannot change a copy once it is published.")

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        raise Unsupported(f"{self.label} cannot take a copy down; do it there by hand.")

    def find(self, keys: Keys) -> Found | NotFound | CannotKnow:
        """Look for the copy that these keys would have made. Read-only."""
        return CannotKnow()

    def look(self, keys: Keys, receipt: Receipt) -> Receipt:
        """The copy as it stands there now: its version is another where somebody changed it. Read-only. Raises Gone."""
        raise Unsupported(f"{self.label} cannot be asked whether the copy is as it was sent.")

    def stats(self, receipt: Receipt) -> Figures:
        """How the copy did so far. Raises Gone."""
        raise Unsupported(f"{self.label} counts nothing that it tells.")

    def limits_here(self) -> tuple[Limit, ...]:
        """The limits of this account's server; those of the platform unless `facts` say otherwise."""
        return self.limits

    @classmethod
    def defaults(cls, settings: Mapping[str, str]) -> dict[str, str]:
        """What to add to the settings of a new account where its owner gave nothing: a minted secret."""
        return {}

    def secrets(self) -> tuple[str, ...]:
        """What must appear in no message."""
        return tuple(filter(None, (self.settings.get(f.name) for f in self.fields if f.secret)))

    @classmethod
    def can(cls, ability: str) -> bool:
        """Overriding is declaring: whether this platform offers `update`, `delete`, `find`, ..."""
        return getattr(cls, ability) is not getattr(Connector, ability)

    @classmethod
    def abilities(cls) -> list[str]:
        """What it can do beside publishing, as the API and the docs list it."""
        return [ability for ability in ("update", "delete", "find", "look", "stats") if cls.can(ability)]
