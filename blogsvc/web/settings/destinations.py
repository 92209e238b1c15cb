"""The destinations page: status, verify, rename, disconnect, and the defaults for new posts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from flask import Response, request, url_for
from wtforms import StringField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.connections import disconnect, manage
from blogsvc.connections.catalog import Group, Platform, Way, catalog
from blogsvc.connections.summary import DestinationSummary, copies_at, summaries, summary_of_site, waiting_for
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector, ConnectorError
from blogsvc.connectors.site import SiteConnector
from blogsvc.delivery import attention
from blogsvc.delivery.status import label_of
from blogsvc.errors import Invalid
from blogsvc.models import Connection, Setting
from blogsvc.posts import editing
from blogsvc.web.framework import current_user
from blogsvc.web.framework.actions import Action
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, is_fragment, notice, show
from blogsvc.web.framework.routes import route

DESTINATIONS_PAGE = "/desk/settings/destinations"
MAX_QUERY_LENGTH = 100
# The sections of the list of platforms, and the groups in each.
SECTIONS: dict[Way, tuple[str, str]] = {
    "connect": ("Connect", "blogsvc publishes, updates and deletes the copies."),
    "by_hand": ("By hand", "blogsvc prepares the text and reminds you. You post it and enter the link."),
    "unsupported": (
        "Not supported",
        "blogsvc publishes text and images. To be reminded to post elsewhere, add “Another website” by hand.",
    ),
}
GROUPS: dict[Group, str] = {
    "articles": "Articles",
    "announcements": "Announcements with a link to the post",
    "newsletters": "Newsletters and webhooks",
    "other": "Other",
}


@dataclass(frozen=True)
class DestinationRow:
    """A destination in the list. `kind` is None if its connector is no longer installed."""

    row: Connection
    kind: type[Connector] | None
    summary: DestinationSummary

    @property
    def order(self) -> tuple[bool, str, str]:
        """Return the place in the list: what is disconnected, then by name."""
        return self.row.health != "disconnected", self.label.casefold(), self.row.name

    def is_named(self, wanted: str) -> bool:
        """Return True if a name of the destination contains these words, in any case."""
        return any(wanted.casefold() in name.casefold() for name in (self.label, self.row.name, self.row.account))

    @property
    def is_by_hand(self) -> bool:
        return self.kind is not None and self.kind.can("hand_over")

    @property
    def label(self) -> str:
        return self.kind.label if self.kind else self.row.connector

    @property
    def must_reconnect(self) -> bool:
        return self.kind is not None and self.row.health == "disconnected"

    def reconnect(self) -> Action:
        url = url_for("desk.reconnect_destination", name=self.row.name)
        return Action("Reconnect", url, about=self.row.name, is_link=True)

    def actions(self) -> Iterator[Action]:
        """Yield the actions behind "Manage". Reconnecting is not among them if it has a button of its own."""
        name = self.row.name
        if self.is_by_hand:
            url = url_for("desk.reconnect_destination", name=name)
            yield Action("Settings", url, about=f"of {name}", is_link=True)
        elif self.kind is not None:
            url = url_for("desk.verify_destination", name=name)
            yield Action("Test connection", url, target="closest li", id=f"verify-{name}", about=name)
            if not self.must_reconnect:
                yield self.reconnect()
        yield Action("Rename", url_for("desk.rename_destination", name=name), about=name, is_link=True)
        label, url = "Remove" if self.is_by_hand else "Disconnect", url_for("desk.disconnect_destination", name=name)
        yield Action(label, url, about=name, kind="bare danger", is_link=True)


@dataclass(frozen=True)
class Section:
    """A section of the list of platforms. `groups` are the platforms by heading."""

    way: Way
    heading: str
    note: str
    groups: dict[str, list[Platform]]

    @property
    def count(self) -> int:
        return sum(map(len, self.groups.values()))


class RenameForm(Form):
    name = StringField("Name")


@route("GET", DESTINATIONS_PAGE, role="editor")
def destinations() -> Response:
    """Show the connections, and all platforms that can be one. `q` finds those whose name contains it."""
    query, rows, user = request.args.get("q", "").strip()[:MAX_QUERY_LENGTH], Connection.all(), current_user.user()
    shown = _destinations(rows)
    if query:
        shown = [one for one in shown if one.is_named(query)]
    waiting = [one for one in attention.waiting_posts(user, most=1) if not one.is_late]
    return show(
        "desk/settings/destinations.html",
        destinations=sorted(shown, key=lambda one: one.order),
        has_site=not query or query.casefold() in SiteConnector.label.casefold(),
        site=summary_of_site(),
        site_url=context.tools().config.public_url,
        usual=Setting.read("default_platforms"),
        sections=_sections([one for one in catalog(rows) if not query or one.is_named(query)]),
        waiting=[] if query else [(one, label_of(one.destination, None)) for one in waiting],
        query=query,
        new_name=re.sub(r"[^a-z0-9]+", "-", query.casefold())[:60].strip("-"),
    )


def _destinations(rows: list[Connection]) -> list[DestinationRow]:
    summary = summaries([row.id for row in rows])
    return [DestinationRow(row, connectors().get(row.connector), summary[row.id]) for row in rows]


def _sections(platforms: list[Platform]) -> list[Section]:
    """Return the platforms in sections, without empty ones."""
    sections = []
    for way, (heading, note) in SECTIONS.items():
        there = [one for one in platforms if one.way == way]
        groups = {
            title: found for key, title in GROUPS.items() if (found := [one for one in there if one.group == key])
        }
        sections.append(Section(way, heading, note, groups))
    return [section for section in sections if section.count]


@route("POST", f"{DESTINATIONS_PAGE}/<name>/default", role="owner", effect=Effect.ARRANGE)
def choose_default_destination(name: str) -> Response:
    """Select a destination for new posts, or not any more."""
    is_chosen = "selected" in request.form
    editing.choose_default(name, is_chosen)
    label = label_of(name, Connection.by_name().get(name))
    notice(f"{label} is {'' if is_chosen else 'not '}selected for new posts.")
    return go("desk.destinations")


@route("POST", f"{DESTINATIONS_PAGE}/<name>/verify", role="owner", effect=Effect.ARRANGE)
def verify_destination(name: str) -> Response:
    row = manage.connection_named(name)
    message, kind = "", "done"
    try:
        account = manage.verify(row, context.tools()).account
        message = f"{name} works. Account: {account}." if account else f"{name} works."
    except ConnectorError as error:
        message, kind = str(error), "trouble"
    if is_fragment():
        (destination,) = _destinations([Connection.named(name)])
        usual = Setting.read("default_platforms")
        return show("desk/settings/_destination.html", destination=destination, usual=usual, message=message, kind=kind)
    notice(message, kind)
    return go("desk.destinations")


@route("GET POST", f"{DESTINATIONS_PAGE}/<name>/rename", role="owner", effect=Effect.ARRANGE)
def rename_destination(name: str) -> Response:
    row, form = manage.connection_named(name), RenameForm(name=name)
    is_used = manage.is_used(name)
    if form.is_submitted() and not is_used:
        try:
            manage.change(row, form.name.data or "", None, context.tools())
        except Invalid as error:
            take_faults(form, error)
        else:
            notice(f"{name} is renamed to {form.name.data}.")
            return go("desk.destinations")
    status = 200 if not form.is_submitted() else 409 if is_used else 422
    return show("desk/settings/rename.html", form=form, name=name, is_used=is_used, status=status)


@route("GET POST", f"{DESTINATIONS_PAGE}/<name>/disconnect", role="owner", effect=Effect.END_ACCESS)
def disconnect_destination(name: str) -> Response:
    row = manage.connection_named(name)
    if request.method == "POST":
        copies = copies_at(row.id)
        disconnect.disconnect(row, context.now())
        left = f" {copies:,} {'copy stays' if copies == 1 else 'copies stay'} published." if copies else ""
        notice(f"{name} is disconnected and its secrets are deleted.{left}")
        return go("desk.destinations")
    (destination,) = _destinations([row])
    facts = {"copies": copies_at(row.id), "waiting": waiting_for(row.id), "can_withdraw": disconnect.can_withdraw(row)}
    return show("desk/settings/disconnect.html", "desk/settings/_disconnect.html", destination=destination, **facts)


@route("POST", f"{DESTINATIONS_PAGE}/<name>/withdraw", role="owner", effect=Effect.WRITE)
def withdraw_from_destination(name: str) -> Response:
    count = disconnect.withdraw_all(manage.connection_named(name), context.now())
    notice(
        f"Unpublishing {count:,} {'copy' if count == 1 else 'copies'}."
        if count
        else "There are no copies to unpublish."
    )
    return go("desk.disconnect_destination", name=name)
