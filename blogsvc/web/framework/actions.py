"""What a page offers to do. The macro `act` in `templates/desk/_macros.html` renders it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Action:
    """A form with one button, or a link.

    `fields` are the hidden fields of the form, `confirm` is the question before it is sent, `target` is the element
    that htmx replaces with the response. Screen readers hear `about` after the label.
    """

    label: str
    url: str
    fields: Mapping[str, str] = field(default_factory=dict)
    confirm: str | None = None
    target: str | None = None
    id: str | None = None
    about: str = ""
    icon: str | None = None
    kind: Literal["go", "bare", "danger", "bare danger"] | None = None
    is_link: bool = False
    opens_tab: bool = False
