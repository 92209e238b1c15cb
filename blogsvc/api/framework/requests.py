"""Parse and validate requests strictly, and report all errors at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from flask import request
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from blogsvc import context
from blogsvc.api.framework.problems import Problem
from blogsvc.api.schemas import Carried
from blogsvc.errors import Fault, Invalid, NotFound

M = TypeVar("M", bound=BaseModel)

# A body of 2 MiB can contain 250,000 errors; a response lists at most these.
MAX_ERRORS = 100

NO_NUL = "Must not contain a NUL character."

# Our code and message for each of pydantic's error types; braces hold values from pydantic's error context.
ERROR_MESSAGES = {
    "missing": ("required", "This field is required."),
    "extra_forbidden": ("unknown", "There is no field with this name. Check the spelling."),
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
    "too_short": ("too_short", "Must have at least {min_length} entry. Omit the field to mean all."),
}


def require_acceptable(produced: str) -> None:
    """Raise Problem if the `Accept` header excludes the media type of the response."""
    accepted = request.accept_mimetypes
    if accepted and not (accepted[produced] or accepted["application/problem+json"]):
        raise Problem("not-acceptable", f"This operation returns only {produced}. Change the Accept header.")


def body(schema: type[M], *, is_required: bool) -> M:
    """Return the JSON body as `schema`. Raises Problem if it cannot be parsed, Invalid with all errors."""
    data = request.get_data()
    if request.content_length is None and len(data) == request.max_content_length:
        raise RequestEntityTooLarge  # Werkzeug stops reading at the limit without raising an error
    if not data and not is_required:
        return schema()
    if request.mimetype != "application/json":
        raise Problem("unsupported-media-type", "Send the body with Content-Type: application/json.")
    reject_content_encoding()
    return validated(schema, _parsed(data), "#/")


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
        detail = "The JSON body is nested too deeply."
    except ValueError as error:
        detail = str(error)
    raise Problem("unreadable", detail)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((duplicate, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"The key {duplicate!r} occurs more than once in an object.")
    return found


def _number(text: str) -> float | int:
    """Parse 1.0 as the integer 1, as JSON Schema and JavaScript do."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON.")


def query(schema: type[M]) -> M:
    """Return the query string as `schema`. Lists may be repeated or separated by commas. Raises Invalid."""
    if nul := [name for name, text in request.args.items(multi=True) if "\0" in text]:
        raise Invalid(*(Fault(f"?{name}", "control_character", NO_NUL) for name in nul))
    return validated(schema, _arguments(schema, request.args), "?")


def check_path(parts: Mapping[str, object]) -> None:
    """Raise NotFound if a path parameter contains a NUL character, which databases reject."""
    for name in parts.values():
        if "\0" in str(name):
            raise NotFound(f"There is nothing named {name!r}.")


def no_query() -> None:
    """Raise Invalid if the request has query parameters."""
    if request.args:
        raise Invalid(*(Fault(f"?{name}", "unknown", "This operation has no such parameter.") for name in request.args))


def _arguments(schema: type[BaseModel], given: MultiDict[str, str]) -> dict[str, Any]:
    lists = {
        field.alias or name
        for name, field in schema.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and "is_list" in field.json_schema_extra
    }
    repeated = [name for name in given if name not in lists and len(given.getlist(name)) > 1]
    faults = [Fault(f"?{name}", "repeated", "Must be given only once.") for name in repeated]
    broken = [name for name, texts in given.lists() if any("\0" in text for text in texts)]
    faults += [Fault(f"?{name}", "control_character", NO_NUL) for name in broken]
    if faults:
        raise Invalid(*faults)
    return {
        name: [part for text in given.getlist(name) for part in text.split(",")] if name in lists else text
        for name, text in given.items()
    }


def validated(schema: type[M], data: Any, root: str) -> M:
    """Return the data as `schema`. Raises Invalid with all errors, whose pointers start with `root`."""
    try:
        return schema.model_validate(data, context={"now": context.now()})
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)[:MAX_ERRORS]
        raise Invalid(*(_fault(detail, root) for detail in details)) from error


def _fault(detail: ErrorDetails, root: str) -> Fault:
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in detail["loc"] if part != "[key]"]
    where = "?" + "".join(parts[:1]) if root == "?" else (root + "/".join(parts)).removesuffix("/")
    known = detail.get("ctx", {})
    error = known.get("error")
    if isinstance(error, Carried):
        return replace(error.fault, pointer=where)
    if "message" in known or detail["type"] not in ERROR_MESSAGES:
        code = detail["type"] if "message" in known else "invalid"
        return Fault(where, code, f"{detail['msg'].removesuffix('.')}.")
    code, message = ERROR_MESSAGES[detail["type"]]
    return Fault(where, code, message.format(**known))
