"""Schemas of connections and connectors."""

from __future__ import annotations

from typing import Literal

from blogsvc.api.schemas.fields import Instant, Out
from blogsvc.api.schemas.keys import CreatorOut
from blogsvc.api.schemas.previews import LimitOut


class FieldOut(Out):
    """A setting that a connector needs."""

    name: str
    """The name of the setting in `settings`, for example `token`."""
    label: str
    """The label for a form."""
    help: str
    """How to find the value. Empty if the label says enough."""
    secret: bool
    """True for a password or token, which is stored encrypted and never returned."""
    required: bool
    """True if a connection needs the setting."""
    default: str
    """The default. Empty if there is none."""
    choices: list[str]
    """The allowed values. Empty if any text is allowed."""
    address: bool
    """True if the setting decides where the secrets are sent: to change it to another server, send them again."""


class OptionOut(Out):
    """An option that a post can set in `overrides`."""

    name: str
    """The name of the option in `overrides.NAME.options`, for example `visibility`."""
    label: str
    """The label for a form."""
    help: str
    """What the option does. Empty if the label says enough."""
    default: str
    """The value for posts that don't set the option."""
    choices: list[str]
    """The allowed values, for example `["public", "unlisted"]`. Empty if any single line of text is allowed."""


class ConnectorOut(Out):
    """A connector: its settings, options, limits, abilities and limitations."""

    key: str
    """The key of the connector, for example `mastodon`. Use it as `connector` to connect an account."""
    label: str
    """The name of the platform."""
    category: Literal["article", "announcement", "newsletter", "file", "event"]
    """What it creates: an `article`, an `announcement` with a link, a `newsletter`, a `file` or an `event`."""
    docs: str
    """The URL of the platform's API documentation."""
    fields: list[FieldOut]
    """The settings of a connection."""
    options: list[OptionOut]
    """The options of a post."""
    limits: list[LimitOut]
    """The limits of the platform. An account may have others."""
    carries: list[str]
    """The parts of a post that it sends, for example `["canonical_url", "tags", "title"]`."""
    abilities: list[str]
    """What it can do besides publishing, for example `["update", "delete", "find"]`."""
    limitations: list[str]
    """Limitations, in sentences."""
    once: str
    """How it avoids duplicate copies, as a sentence."""


class ConnectionOut(Out):
    """A connection. Its secrets are never returned."""

    name: str
    """The name that a post's `platforms` can contain, for example `mastodon`."""
    aliases: list[str]
    """Other names that requests can use for this connection, such as the one that posts waited for.

    Posts are returned with the name of the connection. The first connection of a connector with another name has the
    key of the connector as an alias.
    """
    connector: str
    """The key of the connector."""
    label: str
    """The name of the platform."""
    category: str
    """What the connector creates: `article`, `announcement`, `newsletter`, `file` or `event`."""
    account: str
    """The name of the account on the platform, for example `@ada@example.social`."""
    account_url: str | None
    """The URL of the account. Null if it has none."""
    health: Literal["ok", "failing", "disconnected"]
    """The health of the connection.

    `ok`: the last request succeeded. `failing`: the last requests failed; deliveries are retried. `disconnected`: the
    platform rejects the credentials; deliveries wait until the account is connected again.
    """
    last_error: str | None
    """The error of the last failed request. Null if the connection works."""
    settings: dict[str, str]
    """The settings by name, without secrets."""
    options: list[OptionOut]
    """The options of a post for this account, with the choices that it offers, such as newsletters."""
    verified_at: Instant | None
    """When the credentials last worked in a test. Null for this blog."""
    created_by: CreatorOut | None
    """The user or API key that made the connection. Null if it was made on the command line."""
    adopted_by: CreatorOut | None
    """The user who has taken over the connection. Null if nobody has."""
    created_at: Instant | None
    """When the connection was made. Null for this blog."""


class PlatformOut(Out):
    """A platform that blogsvc knows, connected or not."""

    key: str
    """The name of the platform, for example `wordpress`. A post's `platforms` can contain it, unless `unsupported`."""
    aliases: list[str]
    """Other names of the platform that requests can use, for example `dev.to`."""
    label: str
    """The name of the platform for people."""
    way: Literal["connect", "by_hand", "unsupported"]
    """How a post gets there.

    `connect`: blogsvc publishes with an account that you connect. `by_hand`: blogsvc prepares the text, and a person
    posts it. `unsupported`: it does not.
    """
    takes: str
    """What the platform takes of a post, for example `500 characters`. Empty if it is not supported."""
    needs: str
    """What connecting an account needs, for example `API key`. Empty for platforms by hand."""
    reason: str
    """Why blogsvc can't publish there. Empty if it can."""
    connections: list[str]
    """The names of its connections. Empty if there are none."""


class PlatformsOut(Out):
    """A page of connections."""

    data: list[ConnectionOut]
    """The connections of this page, whose names a post's `platforms` can contain. The first of all is this blog."""
    available: list[PlatformOut]
    """All platforms that blogsvc knows, connected or not, sorted by label. They are on every page."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


class ConnectorsOut(Out):
    """A page of connectors."""

    data: list[ConnectorOut]
    """The connectors of this page, with which accounts can be connected, sorted by key."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""
