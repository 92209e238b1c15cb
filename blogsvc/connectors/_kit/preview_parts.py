"""Extract from a payload what readers will see, for previews."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blogsvc.connectors.base import Connector, Payload

Form = Literal["title", "text", "markdown", "html", "link"]

# Where the text usually is, for connectors that do not define `shows`.
DEFAULT_PARTS: tuple[tuple[str, Form], ...] = (
    ("title", "title"),
    ("html", "html"),
    ("status", "text"),
    ("text", "text"),
    ("content", "text"),
    ("body", "text"),
    ("markdown", "markdown"),
)


@dataclass(frozen=True)
class PreviewPart:
    """A part of a payload. `html` and `markdown` are as sent: sanitise them before showing them."""

    form: Form
    text: str


def parts(connector: Connector, payload: Payload) -> tuple[PreviewPart, ...]:
    """Return what readers see, in order; () if the payload does not tell."""
    return tuple(_found(connector.shows, payload.body)) or tuple(_found(DEFAULT_PARTS, payload.body))


def _found(places: tuple[tuple[str, Form], ...], body: Mapping[str, Any]) -> Iterator[PreviewPart]:
    for path, form in places:
        text = "".join(_texts(_at(body, path)))
        if text.strip():
            yield PreviewPart(form, text)


def _at(value: Any, path: str) -> Any:
    """Return the value at a path such as `record.embed.0.title`, None if it does not exist."""
    for step in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _texts(value: Any) -> Iterator[str]:
    """Yield the text; for nested structures such as Slack's blocks, all texts in them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, Mapping):
        yield from _texts(value.get("elements") or value.get("text"))
