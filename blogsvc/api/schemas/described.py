"""Describe the fields of schemas in the OpenAPI document: each by the docstring below it.

The docstrings are read from the source when the document is generated, not when the server starts.
"""

from __future__ import annotations

import ast
import json
import sys
from functools import cache
from inspect import cleandoc, getsource
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema


class Described(BaseModel):
    """Base class of schemas whose fields are described by docstrings."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        schema = handler(core_schema)
        properties: dict[str, Any] = handler.resolve_ref_schema(schema).get("properties", {})
        for name, field in cls.model_fields.items():
            part = properties[field.alias or name]
            part.pop("title", None)  # made from the name by pydantic
            if part.get("default", ...) is None:
                del part["default"]  # an absent field is not null
            if description := part.pop("description", "") or field_docstrings(cls).get(name, ""):
                part["description"] = description
        return schema


def note_defaults(schema: dict[str, Any]) -> None:
    """Move the defaults of optional properties into their descriptions.

    Generators such as openapi-typescript make a property with a default required, even in requests.
    """
    for part in schema.get("properties", {}).values():
        if "default" in part:
            default = part.pop("default")
            text = "empty" if default == "" else f"`{json.dumps(default)}`"
            part["description"] = f"{part.get('description', '')} Default: {text}.".strip()


def field_docstrings(model: type) -> dict[str, str]:
    """Return the docstrings of a class's fields, with those of its base classes, by the fields' Python names."""
    docstrings: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base.__module__.startswith("blogsvc."):
            docstrings |= _docstrings_in(base.__module__).get(base.__qualname__, {})
    return docstrings


@cache
def _docstrings_in(module: str) -> dict[str, dict[str, str]]:
    """Return the docstrings of all fields in a module, by class and field."""
    tree = ast.parse(getsource(sys.modules[module]))
    return {node.name: _docstrings_of(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _docstrings_of(node: ast.ClassDef) -> dict[str, str]:
    docstrings: dict[str, str] = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docstrings[name] = " ".join(cleandoc(text).split())
    return docstrings
