"""The page of the menus and social links. Each list is one form."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.models import transaction
from blogsvc.models.navigation import MAX_ITEMS, MAX_LABEL_LENGTH, PLACES, Item, Menus, Place, read_menus
from blogsvc.navigation.menus import default_label, save_menus
from blogsvc.navigation.social_links import MAX_SOCIAL_LINKS, account_links, own_links
from blogsvc.navigation.targets import choices, targets_of
from blogsvc.posts.rules import MAX_URL_LENGTH
from blogsvc.web.framework.rendering import go, is_fragment, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.settings.link_list import LinkList, change, sent_list, stored_list, typed_in

MENUS_PAGE = "/desk/settings/menus"
TWO_TARGETS = "Select a target or enter an address, not both."


@route("GET", MENUS_PAGE, role="owner")
def menus() -> Response:
    return page()


@route("POST", f"{MENUS_PAGE}/<place>", role="owner", effect=Effect.ARRANGE)
def change_menu(place: str) -> Response:
    """Save the labels of a menu, and add an item, move one up or down, or remove it."""
    if place not in PLACES:
        raise NotFound("There is no such menu.")
    with transaction():
        stored = read_menus()
        sent = sent_list(place, stored[place], lambda item, row: item._replace(label=typed_in("label", row)))
        changed = change(sent, _new_item(), lambda items: _save(stored, place, items), f"#/{place}")
    return show_changed(changed)


def _save(menus: Menus, place: Place, items: list[Item]) -> list[Item]:
    """Replace one of the menus, and return it as it is stored."""
    if len(items) > len(menus[place]) and request.form.get("new_to") and request.form.get("new_url", "").strip():
        raise Invalid(Fault(f"#/{place}/{len(items) - 1}/to", "ambiguous", TWO_TARGETS))
    changed = {name: [item._asdict() for item in (items if name == place else menus[name])] for name in PLACES}
    return save_menus(changed, context.tools().config.public_url)[place]


def _new_item() -> Item:
    to = request.form.get("new_url", "").strip() or request.form.get("new_to", "")
    return Item(request.form.get("new_label", "").strip() or default_label(to), to)


def show_changed(changed: LinkList[Any]) -> Response:
    """Show a list after one of its buttons was pressed. What was typed and is not saved stays in its fields."""
    if changed.said and not is_fragment():
        notice(changed.said, "done" if changed.is_same else "trouble")
    if changed.status == 200 and not (is_fragment() or changed.is_new_typed or changed.check):
        return go("desk.menus", _anchor=f"{changed.name}-{changed.number}" if changed.number >= 0 else None)
    return page(changed)


def page(changed: LinkList[Any] | None = None) -> Response:
    stored, social = read_menus(), own_links()
    lists: dict[str, LinkList[Any]] = {place: stored_list(place, stored[place]) for place in PLACES}
    lists["social"] = stored_list("social", social)
    if changed is not None:
        lists[changed.name] = changed
    return show(
        "desk/settings/menus.html",
        "desk/settings/_changed_list.html",
        changed.status if changed else 200,
        lists=lists,
        changed=changed,
        targets=targets_of([item for items in stored.values() for item in items]),
        choices=choices(),
        accounts=account_links(social),
        max_items=MAX_ITEMS,
        max_social=MAX_SOCIAL_LINKS,
        max_label=MAX_LABEL_LENGTH,
        max_url=MAX_URL_LENGTH,
    )
