"""The destinations page: status, verify, rename, disconnect, and the defaults for new posts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flask import Response, request
from wtforms import StringField

from blogsvc import context
from blogsvc.connections import disconnect, manage
from blogsvc.connections.summary import DestinationSummary, copies_at, summaries, summary_of_site, waiting_for
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector, ConnectorError
from blogsvc.errors import Invalid
from blogsvc.models import Connection, Setting
from blogsvc.posts import editing
from blogsvc.web.forms import Form, take_faults
from blogsvc.web.rendering import go, is_fragment, notice, show
from blogsvc.web.routes import route

DESTINATIONS_PAGE = "/desk/settings/destinations"
CATEGORIES = {
    "blogs": "Blogs",
    "networks": "Social networks",
    "chats": "Chats",
    "newsletters": "Newsletters",
    "files": "Files and code",
    "hand": "By hand",
}
SHELF_OF_KIND = {
    "article": "blogs",
    "announcement": "networks",
    "newsletter": "newsletters",
    "file": "files",
    "event": "files",
}


@dataclass(frozen=True)
class DestinationRow:
    """A destination in the list. `kind` is None if its connector is no longer installed."""

    row: Connection
    kind: type[Connector] | None
    summary: DestinationSummary

    @property
    def is_by_hand(self) -> bool:
        return self.kind is not None and self.kind.can("hand_over")

    @property
    def label(self) -> str:
        return self.kind.label if self.kind else self.row.connector


class RenameForm(Form):
    name = StringField("Name")


@route("GET", DESTINATIONS_PAGE, role="editor")
def destinations() -> Response:
    kinds = [kind for kind in connectors().values() if not kind.is_local]
    return show(
        "desk/settings/destinations.html",
        destinations=_destinations(Connection.all()),
        site=summary_of_site(),
        site_url=context.tools().config.public_url,
        usual=Setting.read("default_platforms"),
        shelves={heading: found for shelf, heading in CATEGORIES.items() if (found := _of_category(shelf, kinds))},
    )


def _destinations(rows: list[Connection]) -> list[DestinationRow]:
    summary = summaries([row.id for row in rows])
    return [DestinationRow(row, connectors().get(row.connector), summary[row.id]) for row in rows]


def _of_category(shelf: str, kinds: Iterable[type[Connector]]) -> list[type[Connector]]:
    there = (kind for kind in kinds if (kind.shelf or SHELF_OF_KIND.get(kind.kind, "files")) == shelf)
    return sorted(there, key=lambda kind: kind.label.casefold())


@route("POST", f"{DESTINATIONS_PAGE}/defaults", role="owner")
def choose_default_destinations() -> Response:
    editing.choose_default_platforms(request.form.getlist("platforms"))
    notice("Default destinations saved.")
    return go("desk.destinations")


@route("POST", f"{DESTINATIONS_PAGE}/<name>/verify", role="owner")
def verify_destination(name: str) -> Response:
    row = manage.connection_named(name)
    said, kind = "", "done"
    try:
        account = manage.verify(row, context.tools()).account
        said = f"{name} works. Account: {account}." if account else f"{name} works."
    except ConnectorError as error:
        said, kind = str(error), "trouble"
    if is_fragment():
        (destination,) = _destinations([Connection.named(name)])
        return show("desk/settings/_destination.html", destination=destination, said=said, kind=kind)
    notice(said, kind)
    return go("desk.destinations")


@route("GET POST", f"{DESTINATIONS_PAGE}/<name>/rename", role="owner")
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


@route("GET POST", f"{DESTINATIONS_PAGE}/<name>/disconnect", role="owner")
def disconnect_destination(name: str) -> Response:
    row = manage.connection_named(name)
    if request.method == "POST":
        copies = copies_at(row.id)
        disconnect.disconnect(row, context.now())
        left = f" {copies:,} {'copy stays' if copies == 1 else 'copies stay'} published." if copies else ""
        notice(f"{name} is disconnected and its secrets are deleted.{left}")
        return go("desk.destinations")
    (destination,) = _destinations([row])
    words = {"copies": copies_at(row.id), "waiting": waiting_for(row.id), "can_withdraw": disconnect.can_withdraw(row)}
    return show("desk/settings/disconnect.html", "desk/settings/_disconnect.html", destination=destination, **words)


@route("POST", f"{DESTINATIONS_PAGE}/<name>/withdraw", role="owner")
def withdraw_from_destination(name: str) -> Response:
    count = disconnect.withdraw_all(manage.connection_named(name), context.now())
    notice(
        f"Unpublishing {count:,} {'copy' if count == 1 else 'copies'}."
        if count
        else "There are no copies to unpublish."
    )
    return go("desk.disconnect_destination", name=name)
