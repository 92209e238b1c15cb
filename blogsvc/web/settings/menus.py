"""The page of the menus and social links: add, change, move and remove items, with a form for each item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, NotFound
from blogsvc.models import transaction
from blogsvc.models.navigation import MAX_ITEMS, MAX_LABEL_LENGTH, PLACES, Item, read_menus
from blogsvc.navigation.menus import default_label, save_menus
from blogsvc.navigation.profiles import ProfileCheck
from blogsvc.navigation.social_links import MAX_SOCIAL_LINKS, account_links, own_links
from blogsvc.navigation.targets import choices, targets_of
from blogsvc.posts.rules import MAX_URL_LENGTH
from blogsvc.web.framework.rendering import go, is_fragment, notice, show
from blogsvc.web.framework.routes import route

T = TypeVar("T")

MENUS_PAGE = "/desk/settings/menus"
CHANGED = "Somebody else has changed this list. Check it and try again."
TWO_TARGETS = "Select a target or enter an address, not both."
MOVES = {"up": -1, "down": 1}


@dataclass(frozen=True)
class Entry:
    """What was sent for a list: the action, the row that it is about, and what came of it."""

    place: str
    action: str
    number: int
    # What is wrong, by field; that of the list itself is "".
    faults: Mapping[str, str] = field(default_factory=dict)
    typed: Mapping[str, str] = field(default_factory=dict)
    check: ProfileCheck | None = None


@route("GET", MENUS_PAGE, role="owner")
def menus() -> Response:
    return page()


@route("POST", f"{MENUS_PAGE}/<place>", role="owner", effect=Effect.ARRANGE)
def change_menu(place: str) -> Response:
    """Add an item, or change one: rename it, move it up or down, or remove it."""
    if place not in PLACES:
        raise NotFound("There is no such menu.")
    action, number = sent_action()
    if action == "add" and request.form.get("to") and request.form.get("url", "").strip():
        return page(Entry(place, action, -1, {"to": TWO_TARGETS}, request.form))
    with transaction():
        stored = read_menus()
        items = stored[place]
        if action == "add":
            number = len(items)
            items.append(_sent_item())
        elif not 0 <= number < len(items) or items[number].to != request.form.get("was"):
            return changed_meanwhile()
        elif action == "rename":
            items[number] = items[number]._replace(label=request.form.get("label", ""))
        else:
            number = rearrange(items, action, number)
        try:
            save_menus({name: [item._asdict() for item in stored[name]] for name in PLACES}, _public_url())
        except Invalid as error:
            return page(Entry(place, action, number, faults_of(error), request.form))
    return done(Entry(place, action, number))


def sent_action() -> tuple[str, int]:
    """Return the action of a form, and the number of its row."""
    return request.form.get("do", ""), request.form.get("number", -1, int)


def _sent_item() -> Item:
    to = request.form.get("url", "").strip() or request.form.get("to", "")
    return Item(request.form.get("label", "").strip() or default_label(to), to)


def rearrange(rows: list[T], action: str, number: int) -> int:
    """Move a row of a list up or down, or remove it, and return the number of the row that is then in focus."""
    row = rows.pop(number)
    if action == "remove":
        return max(0, min(number, len(rows) - 1))
    place = max(0, min(number + MOVES.get(action, 0), len(rows)))
    rows.insert(place, row)
    return place


def faults_of(error: Invalid) -> dict[str, str]:
    """Return what is wrong by field: `#/header/2/label` is about the label."""
    names = {fault.pointer: fault.pointer.rpartition("/")[2] for fault in error.faults}
    return {names[fault.pointer] if "/" in fault.pointer[2:] else "": fault.detail for fault in error.faults}


def changed_meanwhile() -> Response:
    notice(CHANGED, "trouble")
    return go("desk.menus")


def done(entry: Entry) -> Response:
    """Show the lists after a change."""
    return page(entry) if is_fragment() else go("desk.menus", _anchor=f"{entry.place}-{entry.number}")


def page(entry: Entry | None = None) -> Response:
    stored, social = read_menus(), own_links()
    values: dict[str, Any] = {
        "menus": stored,
        "targets": targets_of([item for items in stored.values() for item in items]),
        "choices": choices(),
        "social": social,
        "accounts": account_links(social),
        "max_items": MAX_ITEMS,
        "max_social": MAX_SOCIAL_LINKS,
        "max_label": MAX_LABEL_LENGTH,
        "max_url": MAX_URL_LENGTH,
        "entry": entry,
    }
    status = 422 if entry is not None and entry.faults else 200
    return show("desk/settings/menus.html", "desk/settings/_menus.html", status, **values)


def _public_url() -> str:
    return context.tools().config.public_url
