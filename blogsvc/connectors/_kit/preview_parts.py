"""What a reader of a platform will see of a payload, for the author to look at before it is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blogsvc.connectors.base import Connector, Payload

Form = Literal["title", "text", "markdown", "html", "link"]

# Where words usually stand, for a connector that does not say (`shows`).
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
    """Some words of a payload. `html` and `markdown` are as they are sent: sanitise them before they are shown."""

    form: Form
    text: str


def parts(connector: Connector, payload: Payload) -> tuple[PreviewPart, ...]:
    """What a reader sees, in order; () where that cannot be told from the payload."""
    return tuple(_found(connector.shows, payload.body)) or tuple(_found(DEFAULT_PARTS, payload.body))


def _found(places: tuple[tuple[str, Form], ...], body: Mapping[str, Any]) -> Iterator[PreviewPart]:
    for path, form in places:
        text = "".join(_texts(_at(body, path)))
        if text.strip():
            yield PreviewPart(form, text)


def _at(value: Any, path: str) -> Any:
    """What stands at `record.embed.0.title`; None where nothing does."""
    for step in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _texts(value: Any) -> Iterator[str]:
    """A text; of something put together, such as Slack's blocks, every text in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, Mapping):
        yield from _texts(value.get("elements") or value.get("text"))
