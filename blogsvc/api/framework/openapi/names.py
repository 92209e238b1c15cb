"""The public names of schemas in the OpenAPI document: `Post` for the class `PostOut`, `PostInput` for `PostIn`."""

from __future__ import annotations

import json
import re
from typing import Any

# Names that would be too vague, or the same as another one.
RENAMED = {
    "DayOut": "DayFigures",
    "ErrorOut": "DeliveryError",
    "RangeOut": "DateRange",
    "RevisionInFullOut": "RevisionDetail",
}
_PREFIX = "#/components/schemas/"


def public_name(name: str) -> str:
    """Return the public name of a schema class, or of its `...Part`."""
    stem, part = re.fullmatch(r"(.*?)(Part)?", name).groups("")  # type: ignore[union-attr]
    return RENAMED.get(stem, re.sub(r"In$", "Input", stem.removesuffix("Out"))) + part


def with_public_names(node: Any) -> Any:
    """Return a part of the document whose references have the public names."""
    if isinstance(node, list):
        return [with_public_names(one) for one in node]
    if isinstance(node, dict):
        return {name: value if name == "examples" else with_public_names(value) for name, value in node.items()}
    if isinstance(node, str) and node.startswith(_PREFIX):
        return _PREFIX + public_name(node.removeprefix(_PREFIX))
    return node


def named_schemas(definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas by their public names. Raises ValueError if two have the same name."""
    schemas = {
        public_name(name): with_public_names(schema | {"title": public_name(name)})
        for name, schema in definitions.items()
    }
    if len(schemas) < len(definitions):
        raise ValueError("Two schemas have the same public name.")
    return dict(sorted(schemas.items()))


def schemas_of_operations(document: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of all requests and responses, without those that only messages of webhooks have."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    used_names: set[str] = set()
    new_names = _referenced(document["paths"])
    while new_names:
        used_names |= new_names
        new_names = _referenced([schemas[name] for name in new_names]) - used_names
    return {name: schema for name, schema in schemas.items() if name in used_names}


def _referenced(part: Any) -> set[str]:
    return set(re.findall(rf'"{_PREFIX}(\w+)"', json.dumps(part)))
