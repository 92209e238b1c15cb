"""Extract from a payload what readers will see, for previews and for the comparison with what they see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from blogsvc.connectors.base import Connector, Payload, TextPart
from blogsvc.connectors.types import Form

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


def parts(connector: Connector, payload: Payload) -> tuple[TextPart, ...]:
    """Return what readers see, in order; () if the payload does not tell."""
    return tuple(visible(connector.shows, payload.body)) or tuple(visible(DEFAULT_PARTS, payload.body))


def visible(places: Iterable[tuple[str, Any]], body: Mapping[str, Any]) -> Iterator[TextPart]:
    """Yield the parts of a body that readers see, at the places that a connector declares as `shows`."""
    for path, form in places:
        text = "".join(_texts(_at(body, path)))
        if text.strip():
            yield TextPart(form, text)


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
