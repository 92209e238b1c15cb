"""The base class of all connectors.

A connector knows one platform and nothing else. It does not sleep, retry, store state or use the database:
the engine (`delivery/deliver.py`) does that. `README.md` in this folder explains how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar

from blogsvc.connectors._kit.call import Caller
from blogsvc.connectors._kit.images import ImageFile, ImageSource
from blogsvc.connectors._kit.origins import Origins
from blogsvc.connectors._kit.paths import path_to
from blogsvc.connectors._kit.responses import Call
from blogsvc.connectors._kit.uploads import Uploads
from blogsvc.connectors.errors import (
    Broken,
    Conflict,
    ConnectorError,
    CredentialsRejected,
    Disconnected,
    Duplicate,
    Gone,
    Misconfigured,
    OriginChanged,
    RateLimited,
    Rejected,
    TextTooLong,
    Unanswered,
    Unavailable,
    Uncertain,
    Unreachable,
    Unsupported,
    UnusableId,
)
from blogsvc.connectors.types import (
    ABILITIES,
    MAIL_AGAIN,
    Account,
    Article,
    ArticleImage,
    Category,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Draft,
    Field,
    Figures,
    HandOver,
    Keys,
    Limit,
    Mailing,
    Operation,
    Option,
    Payload,
    Readers,
    Receipt,
    TextPart,
    by_part,
    dumps,
    web_url,
)
from blogsvc.lib.net.http import HttpClient, HttpResponse

# The names for connectors to import, including those from `types.py` and `errors.py`.
__all__ = [
    "MAIL_AGAIN",
    "Account",
    "Article",
    "ArticleImage",
    "Broken",
    "Call",
    "Category",
    "Conflict",
    "Connector",
    "ConnectorError",
    "CopyFound",
    "CopyNotFound",
    "CopyUnknown",
    "CredentialsRejected",
    "Disconnected",
    "Draft",
    "Duplicate",
    "Field",
    "Figures",
    "Gone",
    "HandOver",
    "HttpClient",
    "HttpResponse",
    "ImageFile",
    "ImageSource",
    "Keys",
    "Limit",
    "Mailing",
    "Misconfigured",
    "Operation",
    "Option",
    "OriginChanged",
    "Origins",
    "Payload",
    "RateLimited",
    "Receipt",
    "Rejected",
    "TextPart",
    "TextTooLong",
    "Unanswered",
    "Unavailable",
    "Uncertain",
    "Unreachable",
    "Unsupported",
    "UnusableId",
    "Uploads",
    "by_part",
    "dumps",
    "path_to",
    "web_url",
]


@dataclass
class Connector(Caller):
    """One platform. A subclass declares its properties and overrides the operations that the platform supports.

    `facts` are those of the account (`Account.facts`). `images` loads image files, `uploads` knows those it has.
    `session` can store tokens that the settings can renew; it is kept, encrypted, but may be empty at any time.
    """

    key: ClassVar[str]
    label: ClassVar[str]
    # A sentence for people who choose a platform.
    about: ClassVar[str] = ""
    docs: ClassVar[str] = ""
    checked_on: ClassVar[str] = ""
    category: ClassVar[Category] = "article"
    readers: ClassVar[Readers] = "public"
    fields: ClassVar[tuple[Field, ...]] = ()
    options: ClassVar[tuple[Option, ...]] = ()
    # The option that e-mails subscribers when a copy is created, unless it has its default. The engine sets it to the
    # default if an earlier copy was e-mailed.
    mail_option: ClassVar[str] = ""
    limits: ClassVar[tuple[Limit, ...]] = ()
    accepts: ClassVar[str] = "html"
    carries: ClassVar[frozenset[str]] = frozenset()
    # The parts of a payload's body that readers see, in order, as path and form: ("post.html", "html"). Forms are
    # title, text, markdown, html and link. Used by `_kit/preview_parts.py`.
    shows: ClassVar[tuple[tuple[str, Any], ...]] = ()
    # Operations that can be repeated safely with the same keys after an unknown outcome.
    repeatable: ClassVar[frozenset[Operation]] = frozenset({"update", "delete"})
    # Why a post is never created twice: a sentence for the docs.
    once: ClassVar[str] = ""
    # Limitations, such as what `update` and `delete` do not do here.
    limitations: ClassVar[tuple[str, ...]] = ()
    # False if the receiver may answer every post with the same id. Otherwise, the id of another post's copy is refused.
    has_unique_ids: ClassVar[bool] = True
    # How long an uploaded image can be used that no post shows; None for always.
    uploads_keep: ClassVar[timedelta | None] = None
    # Delivered inside the publishing transaction, without the network.
    is_local: ClassVar[bool] = False

    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    session: dict[str, str] = field(default_factory=dict, repr=False)
    images: ImageSource = field(default_factory=ImageSource, repr=False)
    uploads: Uploads = field(default_factory=Uploads, repr=False)

    def __post_init__(self) -> None:
        self.images.http = self.images.http or self.http.anywhere
        if self.http.origins is None:
            self.http = self.http.only_to(self.entered_origins())

    def verify(self) -> Account:
        """Return the account that these settings belong to. Raises ConnectorError."""
        raise NotImplementedError

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        """Return what would be sent. Uses no network and no clock, so a preview equals the result. Raises Rejected."""
        raise NotImplementedError

    def mint(self, article: Article) -> Keys:
        """Return keys for a new copy (slug, rkey, marker), which are stored before it is sent and never change.

        The engine adds "operation", an id that is the same for all attempts of one operation, and "armed_at", the
        time when the operation was chosen, in ISO 8601: no attempt is older. Each attempt also has "attempted_at". If
        this post had a copy before, "former_id" is its id.
        """
        return {}

    def sent_keys(self, payload: Payload) -> Keys:
        """Return more keys, from what is sent, for a `find` that has no marker. They are in the keys of each lookup."""
        return {}

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        """Create the copy. Raises ConnectorError."""
        raise NotImplementedError

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        """Change the copy.

        Raises Conflict if the copy is no longer at the receipt's version, so that edits on the platform are
        not overwritten. A receipt without a version means that the author wants to overwrite them.
        """
        raise Unsupported(f"{self.label} can't change a published copy.")

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        raise Unsupported(f"{self.label} can't delete a copy through its API. Delete it on {self.label}.")

    def unpublish(self, keys: Keys, receipt: Receipt) -> Receipt:
        """Make the copy a draft, which keeps its id, comments and figures, and return the draft.

        `update` publishes the draft again. Raises Conflict as `update` does, but returns a copy that is a draft
        already, because the response may have been lost. Raises Unsupported, with nothing changed, if this server has
        no drafts.
        """
        raise Unsupported(f"{self.label} keeps no drafts of published copies.")

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the copy that was created with these keys. Changes nothing.

        Others write with the same account, and what is found may be changed or deleted later. So return a post only if
        it has our marker or id, or was created since `armed_at` with the text that was sent. CopyUnknown if a post
        only resembles the copy, for example by its link.

        Returns CopyNotFound only if what was read reaches back to `armed_at`, else CopyUnknown: a copy behind newer
        posts would be sent again.
        """
        return CopyUnknown()

    def find_all(self, keys: Keys) -> list[Receipt]:
        """Return all copies that were created with these keys, drafts too, without those in a trash. Changes nothing.

        A copy is recognized as in `find`, because all but one may be deleted. After a doubt, more than one may exist.
        Not needed if the platform accepts each key only once.
        """
        raise Unsupported(f"{self.label} can't list all copies of a post.")

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        """Return a receipt with the current version of the copy, to detect edits. Changes nothing. Raises Gone."""
        raise Unsupported(f"{self.label} can't report whether the copy was changed.")

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        """Return the copy as readers see it, to find out what the platform lost of it. Changes nothing. Raises Gone.

        The parts are compared with those of the payload (`shows`). A part that readers see elsewhere may be missing.
        """
        raise Unsupported(f"{self.label} doesn't return a copy as readers see it.")

    def stats(self, receipt: Receipt) -> Figures:
        """Return the figures of the copy so far. Raises Gone."""
        raise Unsupported(f"{self.label} doesn't provide statistics.")

    def audience(self, options: Mapping[str, str]) -> int | None:
        """Return how many subscribers an e-mail with these options reaches, None if that is not known.

        Uses only the facts of the account.
        """
        return None

    def mailing(self, mail_id: str) -> Mailing | None:
        """Return how an e-mail is doing, given by the id of its copy; None if no e-mail was sent. Raises Gone."""
        raise Unsupported(f"{self.label} doesn't report the status of e-mails.")

    def stage(self, payload: Payload, keys: Keys, receipt: Receipt | None) -> Receipt:
        """Save the copy with its images as a draft: no reader sees it, and nobody is mailed.

        `receipt` is that of the draft to update, None to create it. A connector that overrides this overrides the other
        methods for drafts, too. Raises Conflict if the draft was changed on the platform, Gone if it was deleted,
        and Unsupported for options that need no draft.
        """
        raise Unsupported(f"{self.label} has no drafts.")

    def publish_draft(self, payload: Payload, keys: Keys, receipt: Receipt, is_same: bool) -> Receipt:
        """Publish a staged draft with this payload. If it is published already, return its receipt.

        `is_same` means that the draft was made from an equal payload, except for its date. Raises Gone if the draft was
        deleted, Uncertain if it may have been published, and Conflict if it was changed on the platform; a receipt
        without a version means to overwrite the changes.
        """
        raise Unsupported(f"{self.label} has no drafts.")

    def find_draft(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the draft that was created with these keys and is not published. Changes nothing."""
        return CopyUnknown()

    def discard_draft(self, keys: Keys, receipt: Receipt) -> None:
        """Delete a staged draft. Raises Conflict if it was changed or published on the platform, Gone without it."""
        raise Unsupported(f"{self.label} has no drafts.")

    def hand_over(self, payload: Payload) -> HandOver:
        """Return what a person needs to post the copy. Uses no network.

        A connector that overrides this sends nothing: a person creates, updates and deletes the copies, and confirms
        that with a link.
        """
        raise Unsupported(f"{self.label} needs nobody to post copies by hand.")

    def limits_here(self) -> tuple[Limit, ...]:
        """Return the limits of this account's server; by default those of the platform."""
        return self.limits

    @classmethod
    def all_options(cls) -> tuple[Option, ...]:
        """Return the options that a post can have for this platform, with those that the engine adds."""
        return (*cls.options, MAIL_AGAIN) if cls.mail_option else cls.options

    @classmethod
    def options_for(cls, facts: Mapping[str, Any]) -> tuple[Option, ...]:
        """Return the options with the choices of one account, from its `facts`; by default those of the platform."""
        return cls.options

    @classmethod
    def defaults(cls, settings: Mapping[str, str]) -> dict[str, str]:
        """Return additional settings for a new account, such as generated secrets."""
        return {}

    def addresses(self) -> tuple[str, ...]:
        """Return the URLs that the secrets are sent to: as given, and as `verify` found them. Uses no network."""
        return (self.base_url(), *(self.settings.get(one.name, "") for one in self.fields if one.address))

    def origins(self) -> Origins:
        """Return the origins of the addresses. Secrets are sent to these only, and are sealed together with them."""
        return Origins.of(self.addresses())

    def entered_origins(self) -> Origins:
        """Return the origins, an empty collection if an address is not valid."""
        try:
            return self.origins()
        except ConnectorError:
            return Origins()

    def directories(self) -> tuple[str, ...]:
        """Return directories that the account uses beside those in its settings; BLOGSVC_FOLDERS must allow them."""
        return ()

    def secrets(self) -> tuple[str, ...]:
        """Return the secrets to remove from messages."""
        return tuple(filter(None, (self.settings.get(f.name) for f in self.fields if f.secret)))

    @classmethod
    def can(cls, ability: str) -> bool:
        """Return True if the connector overrides `update`, `delete`, `find`, ..., which means that it supports it."""
        return getattr(cls, ability) is not getattr(Connector, ability)

    @classmethod
    def abilities(cls) -> list[str]:
        """Return the supported operations other than publishing, for the API and the docs."""
        return [ability for ability in ABILITIES if cls.can(ability)]
