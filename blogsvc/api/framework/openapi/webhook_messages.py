"""The messages of webhooks: one for each type of event, with the fields of its data."""

from __future__ import annotations

import re
from typing import Any

from pydantic import TypeAdapter

from blogsvc.api.framework.openapi.operation import REF
from blogsvc.models.event_types import EVENT_TYPES, data_of

_HEADERS = {
    "webhook-id": "The id of the message. It stays the same when the message is sent again.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
    "webhook-signature": "The signatures of the body, separated by spaces (Standard Webhooks, `v1,...`).",
}


def webhooks() -> dict[str, Any]:
    """Return the `webhooks` section of the document: what a webhook receives for each type of event."""
    return {type: {"post": _operation(type, description)} for type, description in EVENT_TYPES.items()}


def message_schemas(event: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of each message and of the data of its event, by name. `event` is the schema of any event."""
    schemas = {}
    for type, description in EVENT_TYPES.items():
        schemas[f"{_name(type)}Message"] = _message(type, description, event)
        if data_of(type):
            schemas[f"{_name(type)}Data"] = _data(type)
    return schemas


def _name(type: str) -> str:
    """Return `PostPublished` for `post.published`."""
    return "".join(part.capitalize() for part in re.split(r"[._]", type))


def _operation(type: str, description: str) -> dict[str, Any]:
    return {
        "operationId": f"on{_name(type)}",
        "summary": description.partition(".")[0].partition(";")[0].partition(":")[0],
        "description": description,
        "tags": ["webhooks"],
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
            for name, text in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref(f"{_name(type)}Message")}},
        },
        "responses": {
            "2XX": {"description": "The message was received."},
            "410": {"description": "The webhook is disabled and receives nothing more."},
            "default": {"description": "The message is sent again later."},
        },
    }


def _message(type: str, description: str, event: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {"type": "object", "description": "This event has no data."}
    if data_of(type):
        data = _ref(f"{_name(type)}Data")
    # Not an `allOf` of the event and this part: many generators can't merge the two.
    event = event | {
        "title": f"{_name(type)}Event",
        "description": "The event.",
        "properties": event["properties"] | {"type": _constant(type), "data": data},
    }
    post = {
        "description": "The post of the event when the message was made. Null if the event has none.",
        "anyOf": [_ref("PostSummary"), {"type": "null"}],
    }
    return _object(
        description,
        {
            "type": _constant(type),
            "timestamp": {"type": "string", "format": "date-time", "description": "When the event happened."},
            "data": _object("The event and its post.", {"event": event, "post": post}),
        },
    )


def _data(type: str) -> dict[str, Any]:
    properties = {
        name: TypeAdapter(field.type).json_schema() | {"description": field.description}
        for name, field in data_of(type).items()
    }
    description = f"The data of the event `{type}`. It is empty if the message would be too long."
    return {"type": "object", "description": description, "properties": properties}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": REF.format(model=name)}


def _constant(type: str) -> dict[str, Any]:
    return {"type": "string", "const": type, "description": "The type of the event."}


def _object(description: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "description": description, "required": list(properties), "properties": properties}
