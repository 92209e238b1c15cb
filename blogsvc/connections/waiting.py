"""The destinations that posts can name, and what those without an account wait for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector
from blogsvc.models import SITE, Connection, Setting

NEW_CONNECTION_PATH = "/desk/settings/destinations/new"


@dataclass(frozen=True)
class Waiting:
    """Why nothing is sent to a destination, and how to change that.

    not_connected: the destination has no account. late: it has one, which was connected so long after the time of the
    post that a person decides whether to send it. `kind` is None if no connector for the destination is installed.
    """

    destination: str
    code: Literal["not_connected", "late"]
    kind: type[Connector] | None

    @property
    def label(self) -> str:
        return self.kind.label if self.kind is not None else self.destination

    @property
    def detail(self) -> str:
        if self.code == "late":
            return "The account was connected after the time of this post. Retry the delivery, or dismiss it."
        return f"No account is connected as {self.destination!r}."

    def remediation(self, public_url: str) -> str:
        """Return what to do, for a program and for a person."""
        if self.kind is None:
            return "Use another destination, or make this name an alias of a connection: `PATCH /platforms/{name}`."
        named = "" if self.destination == self.kind.key else f', `"name": "{self.destination}"`'
        return (
            f"Connect a {self.label} account at {public_url}{NEW_CONNECTION_PATH}/{self.kind.key}, or with"
            f' `POST /platforms`, `"connector": "{self.kind.key}"`{named}.'
        )


class KnownDestinations:
    """The destinations as they are now. Read the database once, for any number of posts."""

    @cached_property
    def connections(self) -> Mapping[str, Connection]:
        """The connections by name."""
        return Connection.by_name()

    @cached_property
    def _former_accounts(self) -> Mapping[str, list[str]]:
        former: Mapping[str, list[str]] = Setting.read("former_accounts")
        return former

    def awaited_connector(self, name: str) -> type[Connector] | None:
        """Return the connector of a destination without an account.

        That is the connector of its former account, else the one that it names.
        """
        former = self._former_accounts.get(name)
        kind = connectors().get(former[0] if former else name)
        return kind if kind is not None and not kind.is_local else None

    def connected_by_post(self, name: str) -> type[Connector] | None:
        """Return the connector of a destination that a post connects by naming it: by hand, without settings.

        None if it is connected, or if an owner has removed it.
        """
        if name in self.connections or name in self._former_accounts:
            return None
        kind = self.awaited_connector(name)
        is_by_hand = kind is not None and kind.can("hand_over") and not any(field.required for field in kind.fields)
        return kind if is_by_hand else None

    def connector_of(self, name: str) -> type[Connector] | None:
        """Return the connector of a destination, connected or not; None if it is not installed."""
        row = self.connections.get(name)
        return self.awaited_connector(name) if row is None else connectors().get(row.connector)

    def is_known(self, name: str) -> bool:
        return name == SITE or name in self.connections or self.awaited_connector(name) is not None

    def waiting(self, names: Collection[str]) -> list[Waiting]:
        """Return those of the destinations that have no account, in this order."""
        others = [name for name in names if name != SITE]
        return [
            Waiting(name, "not_connected", self.awaited_connector(name))
            for name in others
            if name not in self.connections and self.connected_by_post(name) is None
        ]

    def reason(self, name: str) -> Waiting:
        """Return why blocked deliveries to a destination wait."""
        return Waiting(name, "late" if name in self.connections else "not_connected", self.connector_of(name))


def awaited_connector(name: str) -> type[Connector] | None:
    """Return the connector of a destination without an account."""
    return KnownDestinations().awaited_connector(name)
