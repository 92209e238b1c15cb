"""What every connector is: what it declares of itself, and what it can do.

A connector knows one platform and nothing else. It never sleeps, loops over retries, remembers or
touches a row: the engine (`delivery/deliver.py`) owns retries, time and rows. `README.md` beside this
file says how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from blogsvc.connectors._kit.call import Caller
from blogsvc.connectors._kit.images import ImageFile, ImageSource
from blogsvc.connectors._kit.responses import Call
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
from blogsvc.connectors.types import (
    Account,
    Article,
    ArticleImage,
    Category,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Field,
    Figures,
    Keys,
    Kind,
    Limit,
    Operation,
    Option,
    Payload,
    Receipt,
    dumps,
)
from blogsvc.lib.net.http import HttpClient, HttpResponse

# Everything that a connector needs is imported from here, `parts.py` and `errors.py` too.
__all__ = [
    "Account",
    "Article",
    "ArticleImage",
    "Call",
    "Category",
    "Conflict",
    "Connector",
    "ConnectorError",
    "CopyFound",
    "CopyNotFound",
    "CopyUnknown",
    "Disconnected",
    "Duplicate",
    "Field",
    "Figures",
    "Gone",
    "HttpClient",
    "HttpResponse",
    "ImageFile",
    "ImageSource",
    "Keys",
    "Kind",
    "Limit",
    "Misconfigured",
    "Operation",
    "Option",
    "Payload",
    "RateLimited",
    "Receipt",
    "Rejected",
    "Unavailable",
    "Uncertain",
    "Unsupported",
    "dumps",
]


@dataclass
class Connector(Caller):
    """One platform. A subclass declares what it is, and overrides what it can do.

    `facts` are those of the account (`Account.facts`), `album` has the bytes of pictures. `session` is
    a place for a token that was got with the settings and may be got again: the engine keeps it, sealed,
    from one errand to the next. It may always be found empty.
    """

    key: ClassVar[str]
    label: ClassVar[str]
    # One sentence for whoever looks for a place to publish, and where they find it: by its kind unless said.
    about: ClassVar[str] = ""
    shelf: ClassVar[Category | None] = None
    docs: ClassVar[str] = ""
    checked_on: ClassVar[str] = ""
    kind: ClassVar[Kind] = "article"
    fields: ClassVar[tuple[Field, ...]] = ()
    options: ClassVar[tuple[Option, ...]] = ()
    limits: ClassVar[tuple[Limit, ...]] = ()
    accepts: ClassVar[str] = "html"
    carries: ClassVar[frozenset[str]] = frozenset()
    # Where in a payload's body a reader's words stand, in the order in which they are seen: ("post.html", "html").
    # The forms are title, text, markdown, html and link. It is for the author's proof; `proofs.py` reads it.
    shows: ClassVar[tuple[tuple[str, Any], ...]] = ()
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
    album: ImageSource = field(default_factory=ImageSource, repr=False)

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

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Look for the copy that these keys would have made. Read-only."""
        return CopyUnknown()

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
