"""Generate the links between operations: ids in a response that are parameters of another operation.

Links are derived from the paths: `GET /nouns/<noun_id>` returns the document of the noun. Every response that is,
lists or contains this document links to the operations on the noun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from blogsvc.api.framework.operations import Operation


@dataclass(frozen=True)
class Noun:
    """A resource: its document, and its path parameter."""

    document: type[BaseModel]
    part: str

    @property
    def id_field(self) -> str:
        return "id" if self.part.endswith("_id") else self.part


def links(declared: Operation, operations: Sequence[Operation]) -> dict[int, dict[str, Any]]:
    """Return the Link Objects of an operation's responses, by status."""
    nouns = _nouns(operations)
    by_status = {
        status: _links(declared, model, nouns, operations)
        for status, model in declared.answers.items()
        if model is not None
    }
    return {status: links for status, links in by_status.items() if links}


def _links(
    declared: Operation, model: type[BaseModel], nouns: list[Noun], operations: Sequence[Operation]
) -> dict[str, Any]:
    link_objects: dict[str, Any] = {}
    for noun, pointer, is_listed in _nouns_in(model, nouns):
        # A single document links to all operations on it, a list only to read operations.
        fitting = [o for o in operations if _path_parameters(o) == [noun.part] and (o.method == "GET" or not is_listed)]
        for other in fitting:
            if other is not declared:
                link = {"operationId": to_camel(other.name), "parameters": {noun.part: f"$response.body#{pointer}"}}
                link_objects.setdefault(to_camel(other.name), link)
    return link_objects


def _nouns(operations: Sequence[Operation]) -> list[Noun]:
    return [
        Noun(model, match[1])
        for declared in operations
        if declared.method == "GET" and (match := re.fullmatch(r"/[\w-]+/<(\w+)>", declared.path))
        if (model := declared.answers.get(200)) is not None
    ]


def _nouns_in(model: type[BaseModel], nouns: list[Noun]) -> Iterator[tuple[Noun, str, bool]]:
    """Yield the nouns in a document: the document itself, and the items of its lists."""
    for noun in nouns:
        if _is_document_of(noun, model):
            yield noun, f"/{noun.id_field}", False
    for name, field in model.model_fields.items():
        (listed,) = get_args(field.annotation) if get_origin(field.annotation) is list else (None,)
        for noun in nouns:
            if _is_document_of(noun, listed):
                yield noun, f"/{field.alias or name}/0/{noun.id_field}", name == "data"


def _is_document_of(noun: Noun, listed: Any) -> bool:
    """Return True if `listed` is the noun's document or a base class of it (a short form)."""
    is_model = isinstance(listed, type) and issubclass(listed, BaseModel)
    return is_model and issubclass(noun.document, listed) and noun.id_field in listed.model_fields


def _path_parameters(declared: Operation) -> list[str]:
    return re.findall(r"<(?:\w+:)?(\w+)>", declared.path)
