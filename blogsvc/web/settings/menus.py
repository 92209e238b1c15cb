"""The page of the menus: add, rename, move and remove items, with a form for each item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, NotFound
from blogsvc.models import transaction
from blogsvc.models.navigation import MAX_ITEMS, MAX_LABEL_LENGTH, PLACES, Item, read_menus
from blogsvc.navigation.menus import default_label, save_menus
from blogsvc.navigation.targets import choices, targets_of
from blogsvc.posts.rules import MAX_URL_LENGTH
from blogsvc.web.framework.rendering import go, is_fragment, notice, show
from blogsvc.web.framework.routes import route

MENUS_PAGE = "/desk/settings/menus"
CHANGED = "Somebody else has changed this menu. Check it and try again."
TWO_TARGETS = "Select a target or enter an address, not both."
MOVES = {"up": -1, "down": 1}


@dataclass(frozen=True)
class Entry:
    """What was sent for a list: the action, and the row that it is about."""

    place: str
    action: str
    number: int
    # What is wrong, by field.
    faults: Mapping[str, str] = field(default_factory=dict)
    typed: Mapping[str, str] = field(default_factory=dict)


@route("GET", MENUS_PAGE, role="owner")
def menus() -> Response:
    return _page()


@route("POST", f"{MENUS_PAGE}/<place>", role="owner", effect=Effect.ARRANGE)
def change_menu(place: str) -> Response:
    """Add an item, or change one: rename it, move it up or down, or remove it."""
    if place not in PLACES:
        raise NotFound("There is no such menu.")
    action, number = request.form.get("do", ""), request.form.get("number", -1, int)
    if action == "add" and request.form.get("to") and request.form.get("url", "").strip():
        return _page(Entry(place, action, -1, {"to": TWO_TARGETS}, request.form))
    with transaction():
        stored = read_menus()
        items = stored[place]
        if action == "add":
            number = len(items)
            items.append(_sent_item())
        elif not 0 <= number < len(items) or items[number].to != request.form.get("was"):
            notice(CHANGED, "trouble")
            return go("desk.menus")
        else:
            number = _change(items, action, number)
        try:
            save_menus({name: [item._asdict() for item in stored[name]] for name in PLACES}, _public_url())
        except Invalid as error:
            return _page(Entry(place, action, number, _faults(error, f"#/{place}"), request.form))
    return _page(Entry(place, action, number)) if is_fragment() else go("desk.menus", _anchor=f"{place}-{number}")


def _sent_item() -> Item:
    chosen, entered = request.form.get("to", ""), request.form.get("url", "").strip()
    to = entered or chosen
    return Item(request.form.get("label", "").strip() or default_label(to), to)


def _change(items: list[Item], action: str, number: int) -> int:
    """Change one item of a list, and return where it is then."""
    if action == "rename":
        items[number] = items[number]._replace(label=request.form.get("label", ""))
        return number
    item = items.pop(number)
    if action == "remove":
        return max(0, min(number, len(items) - 1))
    place = max(0, min(number + MOVES.get(action, 0), len(items)))
    items.insert(place, item)
    return place


def _faults(error: Invalid, at: str) -> dict[str, str]:
    """Return what is wrong by field: that of the list itself is ""."""
    return {fault.pointer.removeprefix(at).rpartition("/")[2]: fault.detail for fault in error.faults}


def _page(entry: Entry | None = None) -> Response:
    stored = read_menus()
    values: dict[str, Any] = {
        "menus": stored,
        "targets": targets_of([item for items in stored.values() for item in items]),
        "choices": choices(),
        "max_items": MAX_ITEMS,
        "max_label": MAX_LABEL_LENGTH,
        "max_url": MAX_URL_LENGTH,
        "entry": entry,
    }
    status = 422 if entry is not None and entry.faults else 200
    return show("desk/settings/menus.html", "desk/settings/_menus.html", status, **values)


def _public_url() -> str:
    return context.tools().config.public_url
