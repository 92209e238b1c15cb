"""A list of links in one form: every button sends all rows, and saves what was typed in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from flask import request

from blogsvc.errors import Invalid, NotFound
from blogsvc.models.navigation import Item
from blogsvc.navigation.profiles import ProfileCheck
from blogsvc.posts.profile_links import ProfileLink

Link = TypeVar("Link", Item, ProfileLink)
Save = Callable[[list[Link]], list[Link]]

CHANGED = "Somebody else has changed this list. Check it and try again."
MOVES = {"up": -1, "down": 1}
# What is said after an action. Checks, of a row or of a connected account, show their result in the row.
DONE = {
    "save": "Saved.",
    "add": "Added.",
    "up": "Moved up.",
    "down": "Moved down.",
    "remove": "Removed.",
    "check": "",
    "account": "",
}
NEW_FIELDS = ("new_label", "new_url", "new_to")


@dataclass(eq=False)
class Row(Generic[Link]):
    """A link as it was typed. `stored` is the link in the database, in JSON; `faults` are what is wrong, by field."""

    link: Link
    stored: str = ""
    faults: dict[str, str] = field(default_factory=dict)


@dataclass
class LinkList(Generic[Link]):
    """A list on the page, and what came of the button that was pressed there."""

    name: str
    rows: list[Row[Link]]
    action: str = ""
    number: int = -1
    is_same: bool = True
    # What was typed for a new link, and what is wrong with it.
    typed: Mapping[str, str] = field(default_factory=dict)
    new_faults: Mapping[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    check: ProfileCheck | None = None
    said: str = ""

    @property
    def is_new_typed(self) -> bool:
        return any(self.typed.get(name, "").strip() for name in NEW_FIELDS)

    @property
    def status(self) -> int:
        if not self.is_same:
            return 409
        return 422 if self.faults or self.new_faults or any(row.faults for row in self.rows) else 200


def stored_list(name: str, links: Sequence[Link], **outcome: Any) -> LinkList[Link]:
    """Return a list as it is stored."""
    return LinkList(name, [Row(link, json.dumps(link)) for link in links], **outcome)


def sent_list(name: str, links: Sequence[Link], typed: Callable[[Link, int], Link]) -> LinkList[Link]:
    """Return the stored list with what was typed. `typed` returns a link with the fields of a row of the form.

    If the list has changed since the page was made, what was typed stays in the rows that have not.
    """
    action, _, number = request.form.get("do", "save").partition(" ")
    if action not in DONE:
        raise NotFound("There is no such action.")
    row_number = int(number) if number.isdecimal() else -1
    sent = stored_list(name, links, action=action, number=row_number, typed=request.form)
    shown = request.form.getlist("stored")
    sent.is_same = shown == [row.stored for row in sent.rows]
    for position, row in enumerate(sent.rows):
        if sent.is_same or row.stored in shown:
            row.link = typed(row.link, position if sent.is_same else shown.index(row.stored))
    return sent


def typed_in(name: str, number: int) -> str:
    """Return what was typed in a field of a row."""
    return dict(enumerate(request.form.getlist(name))).get(number, "")


def change(sent: LinkList[Link], new: Link, save: Save[Link], pointer: str) -> LinkList[Link]:
    """Save the list after the action of the pressed button.

    Returns the list as it is stored then or, if nothing was saved, as it was sent. A new link is added by its button,
    and saved with the others if one was typed. `save` returns the links as they are stored, and `pointer` is that of
    the list in its faults.
    """
    if not sent.is_same:
        sent.said = CHANGED
        return sent
    rows, new_row, number = list(sent.rows), Row(new), sent.number
    is_added = sent.action == "add" or (sent.action == "save" and sent.is_new_typed)
    if is_added:
        number = len(rows)
        rows.append(new_row)
    elif sent.action in (*MOVES, "remove"):
        number = _rearrange(rows, sent.action, number)
    try:
        saved = save([row.link for row in rows])
    except Invalid as error:
        _take_faults(sent, rows, error, pointer)
        sent.new_faults = new_row.faults
        return sent
    typed, said = {} if is_added else sent.typed, DONE[sent.action]
    return stored_list(sent.name, saved, action=sent.action, number=number, typed=typed, said=said)


def _rearrange(rows: list[Row[Link]], action: str, number: int) -> int:
    """Move a row up or down, or remove it, and return the number of the row that is then in focus."""
    if not 0 <= number < len(rows):
        raise NotFound("There is no such link.")
    row = rows.pop(number)
    if action == "remove":
        return max(0, min(number, len(rows) - 1))
    place = max(0, min(number + MOVES[action], len(rows)))
    rows.insert(place, row)
    return place


def _take_faults(sent: LinkList[Link], rows: list[Row[Link]], error: Invalid, pointer: str) -> None:
    """Put each fault to its row: `#/header/2/label` is about the label of the third row that was to be saved."""
    for fault in error.faults:
        number, _, name = fault.pointer.removeprefix(f"{pointer}/").partition("/")
        if name and number.isdecimal():
            rows[int(number)].faults[name] = fault.detail
        else:
            sent.faults.append(fault.detail)
