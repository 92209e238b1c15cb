"""Reading a request: strictly, and with all of its faults at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NoReturn, TypeVar

from flask import request
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from blogsvc import context
from blogsvc.api.framework.problems import Problem
from blogsvc.api.schemas import Carried
from blogsvc.connections import manage
from blogsvc.errors import Fault, Invalid, NotFound

M = TypeVar("M", bound=BaseModel)

# A body of 2 MiB has room for a quarter of a million faults; nobody mends more than these at a time.
MOST_FAULTS = 100

NO_NUL = "This holds a NUL character, which no text needs."

# pydantic's words for a fault, where ours are plainer; braces hold what it knows of the rule.
CODES = {
    "missing": ("required", "This is needed."),
    "extra_forbidden": ("unknown", "Nothing here has this name; look for a misspelling."),
    "string_type": ("wrong_type", "This must be text."),
    "string_unicode": ("bad_encoding", "This holds half of a surrogate pair, which is no character."),
    "bool_type": ("wrong_type", "This must be true or false."),
    "bool_parsing": ("wrong_type", "This must be true or false."),
    "list_type": ("wrong_type", "This must be a list."),
    "dict_type": ("wrong_type", "This must be an object."),
    "model_type": ("wrong_type", "This must be an object."),
    "dataclass_exact_type": ("wrong_type", "This must be a file: a part with a file name."),
    "model_attributes_type": ("wrong_type", "This must be an object."),
    "int_type": ("wrong_type", "This must be a whole number."),
    "int_parsing": ("wrong_type", "This must be a whole number."),
    "int_parsing_size": ("wrong_type", "This must be a whole number."),
    "literal_error": ("not_one_of", "This must be {expected}."),
    "greater_than_equal": ("out_of_range", "This must be {ge} or more."),
    "less_than_equal": ("out_of_range", "This must be {le} or less."),
    "string_too_long": ("too_long", "This may have at most {max_length} characters."),
    "too_long": ("too_long", "This may have at most {max_length} entries."),
    "too_short": ("too_short", "This needs at least {min_length} entry; to mean all, leave it out."),
}


def demand_acceptable(produced: str) -> None:
    """Raises Problem where `Accept` leaves out what this operation answers (and problems with it)."""
    accepted = request.accept_mimetypes
    if accepted and not (accepted[produced] or accepted["application/problem+json"]):
        raise Problem("not-acceptable", f"Accept {produced}; there is nothing else.")


def body(schema: type[M], *, is_needed: bool) -> M:
    """The JSON body as `schema`. Raises Problem where it cannot be read, Invalid with every fault."""
    data = request.get_data()
    if request.content_length is None and len(data) == request.max_content_length:
        raise RequestEntityTooLarge  # Werkzeug stops reading there, and does not say that it did
    if not data and not is_needed:
        return schema()
    if request.mimetype != "application/json":
        raise Problem("unsupported-media-type", "Send the body with Content-Type: application/json.")
    demand_no_encoding()
    return validated(schema, _parsed(data), "#/")


def demand_no_encoding() -> None:
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported-media-type", "Send the body as it is, without a Content-Encoding.")


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data.decode(), object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_number)
    except UnicodeDecodeError:
        detail = "The body is not UTF-8."
    except json.JSONDecodeError as error:
        detail = f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
    except RecursionError:
        detail = "The body is nested too deep."
    except ValueError as error:
        detail = str(error)
    raise Problem("unreadable", detail)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"The key {twice!r} stands twice in one object.")
    return found


def _number(text: str) -> float | int:
    """To JSON Schema, and to JavaScript, 1.0 is the whole number 1."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")


def query(schema: type[M]) -> M:
    """The query string as `schema`; a list may be repeated or separated by commas."""
    if nul := [name for name, text in request.args.items(multi=True) if "\0" in text]:
        raise Invalid(*(Fault(f"?{name}", "control_character", NO_NUL) for name in nul))
    return validated(schema, _arguments(schema, request.args), "?")


def demand_names(parts: Mapping[str, object]) -> None:
    """The variable parts of a path name things. What no database can be asked for names nothing."""
    for name in parts.values():
        if "\0" in str(name):
            raise NotFound(f"There is nothing by the name of {name!r}.")


def no_query() -> None:
    """An operation without parameters refuses every one."""
    if request.args:
        raise Invalid(*(Fault(f"?{name}", "unknown", "There is no such parameter here.") for name in request.args))


def _arguments(schema: type[BaseModel], given: MultiDict[str, str]) -> dict[str, Any]:
    lists = {
        field.alias or name
        for name, field in schema.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and "is_list" in field.json_schema_extra
    }
    repeated = [name for name in given if name not in lists and len(given.getlist(name)) > 1]
    faults = [Fault(f"?{name}", "repeated", "This may be given once.") for name in repeated]
    broken = [name for name, texts in given.lists() if any("\0" in text for text in texts)]
    faults += [
        Fault(f"?{name}", "control_character", "This holds a NUL character, which no text needs.") for name in broken
    ]
    if faults:
        raise Invalid(*faults)
    return {
        name: [part for text in given.getlist(name) for part in text.split(",")] if name in lists else text
        for name, text in given.items()
    }


def validated(schema: type[M], data: Any, root: str) -> M:
    """What was given as `schema`. Raises Invalid with every fault, its place after `root`."""
    tools = context.tools()
    try:
        return schema.model_validate(data, context={"now": tools.now(), "destinations": cache(manage.destinations)})
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)[:MOST_FAULTS]
        raise Invalid(*(_fault(detail, root) for detail in details)) from error


def _fault(detail: ErrorDetails, root: str) -> Fault:
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in detail["loc"] if part != "[key]"]
    where = "?" + "".join(parts[:1]) if root == "?" else (root + "/".join(parts)).removesuffix("/")
    known = detail.get("ctx", {})
    error = known.get("error")
    if isinstance(error, Carried):
        return replace(error.fault, pointer=where + error.below)
    if "sentence" in known or detail["type"] not in CODES:
        code = detail["type"] if "sentence" in known else "invalid"
        return Fault(where, code, f"{detail['msg'].removesuffix('.')}.")
    code, sentence = CODES[detail["type"]]
    return Fault(where, code, sentence.format(**known))
