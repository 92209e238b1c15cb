"""The button of the publish dialog and the line beside it. `static/desk/publish-labels.js` has the same words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from blogsvc.delivery.preflight import Operation
from blogsvc.models import SITE


@dataclass(frozen=True)
class Selected:
    """A selected destination. `waits` tells what its delivery waits for: an account, a person who posts it, or ""."""

    name: str
    label: str
    operation: Operation
    waits: Literal["", "account", "hand"]


def button_label(selected: Collection[Selected], when: str) -> str:
    """Return what the button does. It counts only what is sent. `when` is "now", or a time, "" for an invalid time."""
    sent = [destination for destination in selected if not destination.waits]
    if when != "now":
        return f"Schedule for {when}" if when else "Schedule"
    if any(destination.operation == "update" for destination in sent):
        return "Publish changes"
    match (sent, list(selected)):
        case ([destination], _):
            return "Publish on this blog" if destination.name == SITE else f"Publish on {destination.label}"
        case ([], _) if any(destination.waits == "hand" for destination in selected):
            return "Publish by hand"
        case ([], [destination]):
            return f"Publish when {destination.label} is connected"
        case ([], [_, *_]):
            return f"Publish when {len(selected)} destinations are connected"
        case ([], []):
            return "Publish"
    return f"Publish to {len(sent)} destinations"


def summary(selected: Collection[Selected], when: str, question: str = "") -> str:
    """Return which destinations are published to, and which wait for a person. `question` must be answered first."""
    if not selected:
        return "Select a destination."
    sent = [destination for destination in selected if not destination.waits]
    updated = [destination for destination in sent if destination.operation == "update"]
    added = [destination for destination in sent if destination.operation != "update"]
    groups = {
        "Update": updated,
        "Publish" if updated else "Now" if when == "now" else "Then": added,
        "Waiting for you": [destination for destination in selected if destination.waits],
    }
    lines = [
        f"{name}: {', '.join(destination.label for destination in group)}." for name, group in groups.items() if group
    ]
    return " ".join(filter(None, (question or ("" if when else "Enter a time."), *lines)))


def short_time(local: datetime, today: date) -> str:
    """Return a local date and time: "Tue 24 Nov, 09:00", with the year if it is another one."""
    year = "" if local.year == today.year else f" {local.year}"
    return f"{local:%a} {local.day} {local:%b}{year}, {local:%H:%M}"
