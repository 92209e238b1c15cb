"""Parse and validate requests strictly, and report all errors at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from flask import request
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from blogsvc import context
from blogsvc.api.framework import etags, merge_patch
from blogsvc.api.framework.problems import Problem
from blogsvc.api.schemas import Carried, In
from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.lib.time import parse

M = TypeVar("M", bound=BaseModel)
B = TypeVar("B", bound=In)
# Finds the stored document of an object by the path parameters.
Stored = Callable[..., BaseModel]

# A body of 2 MiB can contain 250,000 errors; a response lists at most these.
MAX_ERRORS = 100

NESTED_TOO_DEEPLY = "The JSON body is nested too deeply."
READ_ONLY = "This field is read-only. Omit the field, or send the value that you read."
NO_NUL = "Must not contain a NUL character."

# Our code and message for each of pydantic's error types; braces hold values from pydantic's error context.
ERROR_MESSAGES = {
    "missing": ("required", "This field is required."),
    "extra_forbidden": ("unknown", "There is no field {field}. Check the spelling."),
    "string_type": ("wrong_type", "Must be text."),
    "string_unicode": ("bad_encoding", "Must not contain an unpaired surrogate."),
    "bool_type": ("wrong_type", "Must be true or false."),
    "bool_parsing": ("wrong_type", "Must be true or false."),
    "list_type": ("wrong_type", "Must be a list."),
    "dict_type": ("wrong_type", "Must be an object."),
    "model_type": ("wrong_type", "Must be an object."),
    "dataclass_exact_type": ("wrong_type", "Must be a file: a form part with a file name."),
    "model_attributes_type": ("wrong_type", "Must be an object."),
    "int_type": ("wrong_type", "Must be a whole number."),
    "int_parsing": ("wrong_type", "Must be a whole number."),
    "int_parsing_size": ("wrong_type", "Must be a whole number."),
    "literal_error": ("not_one_of", "Must be {expected}."),
    "greater_than_equal": ("out_of_range", "Must be {ge} or more."),
    "less_than_equal": ("out_of_range", "Must be {le} or less."),
    "string_too_long": ("too_long", "Must have at most {max_length} characters."),
    "too_long": ("too_long", "Must have at most {max_length} entries."),
    "union_tag_not_found": ("required", "This field is required."),
    "union_tag_invalid": ("not_one_of", "Must be one of: {expected_tags}."),
    "too_short": ("too_short", "Must have at least {min_length} entry. Omit the field to mean all."),
}


def require_acceptable(produced: str) -> None:
    """Raise Problem if the `Accept` header excludes the media type of the response."""
    accepted = request.accept_mimetypes
    if accepted and not (accepted[produced] or accepted["application/problem+json"]):
        raise Problem("not-acceptable", f"This operation returns only {produced}. Change the Accept header.")


def body(schema: type[B], *, is_required: bool, stored: Callable[[], BaseModel] | None = None) -> B:
    """Return the JSON body as `schema`. Raises Problem if it cannot be parsed, Invalid with all errors.

    `stored` returns the document of the object that the body changes. The body may contain fields of it unchanged. If
    read-only fields differ because the object has changed, `If-Match` does not match: Stale, not Invalid, is raised.
    """
    data = request.get_data()
    if request.content_length is None and len(data) == request.max_content_length:
        raise RequestEntityTooLarge  # Werkzeug stops reading at the limit without raising an error
    if not data and not is_required:
        return schema()
    accepted = body_types(request.method)
    if request.mimetype not in accepted:
        raise Problem("unsupported-media-type", f"Send the body with Content-Type: {' or '.join(accepted)}.")
    reject_content_encoding()
    try:
        parsed = _parsed(data)
        if stored is not None and request.mimetype == merge_patch.MEDIA_TYPE:
            parsed = _with_merged_objects(schema, parsed, stored)
        return changes(schema, parsed, "#/", stored)
    except Invalid as error:
        if stored and any(fault.code == "read_only" for fault in error.faults):
            etags.require_match(stored)
        raise


def body_types(method: str) -> tuple[str, ...]:
    """Return the media types of JSON bodies that requests of this method may have."""
    return ("application/json", merge_patch.MEDIA_TYPE) if method == "PATCH" else ("application/json",)


def _with_merged_objects(schema: type[In], patch: Any, stored: Callable[[], BaseModel]) -> Any:
    """Return the patch with whole objects. They are saved only if the stored document does not change until then."""
    if not isinstance(patch, dict) or not schema.replaced & patch.keys():
        return patch
    document = stored()
    etags.require_unchanged(document)
    try:
        return merge_patch.with_merged_objects(patch, document.model_dump(mode="json", by_alias=True), schema.replaced)
    except RecursionError as error:
        raise Problem("unreadable", NESTED_TOO_DEEPLY) from error


def changes(schema: type[B], data: Any, root: str, stored: Callable[[], BaseModel] | None) -> B:
    """Return the data as `schema`, without the fields that equal those of the stored document.

    Raises Invalid with all errors, also for fields in `In.fixed` with another value.
    """
    if not isinstance(data, dict):
        return validated(schema, data, root)
    if stored is None:
        return validated(schema, {name: data[name] for name in data if name not in schema.computed}, root)
    data, faults = _without_stored(schema, data, root, stored)
    try:
        body = validated(schema, data, root)
    except Invalid as error:
        raise Invalid(*faults, *error.faults) from error
    if faults:
        raise Invalid(*faults)
    return body


def _without_stored(
    schema: type[In], data: dict[str, Any], root: str, stored: Callable[[], BaseModel]
) -> tuple[dict[str, Any], list[Fault]]:
    """Return the fields that differ from the stored document, and the faults of those that must not (`In.fixed`).

    Looks at the stored document only if the body has fields that are only read, or whose values are valid as long as
    they are not changed (`compared`).
    """
    writable = {field.alias or name for name, field in schema.model_fields.items()}
    if data.keys() <= writable - schema.compared:
        return data, []
    found = stored().model_dump(mode="json", by_alias=True)
    read_only = found.keys() - writable
    different = {
        name: value for name, value in data.items() if name not in found or not _equal(name, value, found[name])
    }
    faults = [
        Fault(f"{root}{name}", "read_only", f"{READ_ONLY} {schema.fixed[name]}".strip())
        for name in different
        if name in read_only and name in schema.fixed
    ]
    return {name: value for name, value in different.items() if name not in read_only}, faults


def _equal(name: str, sent: Any, stored: Any) -> bool:
    """Return True for the same JSON value, or the same time in another notation. Names of times end in "At"."""
    try:
        is_same = json.dumps(sent, sort_keys=True) == json.dumps(stored, sort_keys=True)
        return is_same or (name.endswith("At") and parse(sent) == parse(stored))
    except (TypeError, ValueError, RecursionError):
        return False


def reject_content_encoding() -> None:
    """Raise Problem if the body is compressed."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported-media-type", "Send the body uncompressed, without a Content-Encoding header.")


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(
            data.decode(), object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_number
        )
    except UnicodeDecodeError:
        detail = "The body is not UTF-8."
    except json.JSONDecodeError as error:
        detail = f"The body is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}."
    except RecursionError:
        detail = NESTED_TOO_DEEPLY
    except ValueError as error:
        detail = str(error)
    raise Problem("unreadable", detail)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        ((duplicate, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"The key {duplicate!r} occurs more than once in an object.")
    return members


def _number(text: str) -> float | int:
    """Parse 1.0 as the integer 1, as JSON Schema and JavaScript do."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON.")


def query(schema: type[M], others: Set[str] = frozenset()) -> M:
    """Return the query string, without the `others`, as `schema`. Raises Invalid.

    Lists may be repeated or separated by commas, `is_list="repeated"` only repeated.
    """
    arguments = MultiDict((name, text) for name, text in request.args.items(multi=True) if name not in others)
    if nul := [name for name, text in arguments.items(multi=True) if "\0" in text]:
        raise Invalid(*(Fault(f"?{name}", "control_character", NO_NUL) for name in nul))
    return validated(schema, _arguments(schema, arguments), "?")


def check_path(parts: Mapping[str, object]) -> None:
    """Raise NotFound if a path parameter contains a NUL character, which databases reject."""
    for name in parts.values():
        if "\0" in str(name):
            raise NotFound(f"There is nothing named {name!r}.")


def no_query(others: Set[str] = frozenset()) -> None:
    """Raise Invalid if the request has query parameters, except the `others`."""
    if unknown := [name for name in request.args if name not in others]:
        raise Invalid(*(Fault(f"?{name}", "unknown", f"There is no parameter `{name}`.") for name in unknown))


def _arguments(schema: type[BaseModel], arguments: MultiDict[str, str]) -> dict[str, Any]:
    lists = {
        field.alias or name: field.json_schema_extra["is_list"] is True
        for name, field in schema.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and "is_list" in field.json_schema_extra
    }
    if repeated := [name for name in arguments if name not in lists and len(arguments.getlist(name)) > 1]:
        raise Invalid(*(Fault(f"?{name}", "repeated", "Must be given only once.") for name in repeated))
    return {
        name: [part for text in arguments.getlist(name) for part in (text.split(",") if lists[name] else [text])]
        if name in lists
        else text
        for name, text in arguments.items()
    }


def validated(schema: type[M], data: Any, root: str) -> M:
    """Return the data as `schema`. Raises Invalid with all errors, whose pointers start with `root`."""
    try:
        return schema.model_validate(data, context={"now": context.now()})
    except ValidationError as error:
        raise invalid(error, root) from error


def invalid(error: ValidationError, root: str, tag: str | None = None) -> Invalid:
    """Return the errors with pointers that start with `root`, without the `tag` of a union that pydantic adds."""
    details = error.errors(include_url=False, include_input=False)[:MAX_ERRORS]
    for detail in details:
        if tag is not None and detail["loc"][:1] == (tag,):
            detail["loc"] = detail["loc"][1:]
        if detail["type"].startswith("union_tag"):
            detail["loc"] = (*detail["loc"], detail["ctx"]["discriminator"].strip("'"))
    return Invalid(*(_fault(detail, root) for detail in details))


def _fault(detail: ErrorDetails, root: str) -> Fault:
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in detail["loc"] if part != "[key]"]
    where = "?" + "".join(parts[:1]) if root == "?" else (root + "/".join(parts)).removesuffix("/")
    ctx = detail.get("ctx", {})
    error = ctx.get("error")
    if isinstance(error, Carried):
        return replace(error.fault, pointer=where)
    if "message" in ctx or detail["type"] not in ERROR_MESSAGES:
        code = detail["type"] if "message" in ctx else "invalid"
        return Fault(where, code, f"{detail['msg'].removesuffix('.')}.")
    code, message = ERROR_MESSAGES[detail["type"]]
    return Fault(where, code, message.format(field=f"`{where.rpartition('/')[2].removeprefix('?')}`", **ctx))
