"""Failures that schemathesis reports and that we accept: each with its reason, as narrow as possible."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any
from zlib import crc32

import schemathesis
from schemathesis import Case, HookContext, Response
from schemathesis.core.failures import AcceptedNegativeData, ServerError
from schemathesis.openapi.checks import (
    EnsureResourceAvailability,
    MissingHeaderNotRejected,
    RejectedPositiveData,
    UseAfterFree,
)

from blogsvc.api.framework.openapi import document
from tests.api_client import validator

OWN_KEY = os.environ.get("FUZZ_KEY_ID", "")

# Rules that a JSON Schema cannot express, because they depend on the clock, the rows, or two fields at once. A request
# that breaks nothing else is well-formed, and rejected all the same. A code without a pointer is accepted everywhere.
BEYOND_SCHEMA = (
    "in_past", "too_far_ahead", "out_of_range ?from", "out_of_range ?to",  # the clock and the calendar
    "not_a_time", "unknown_zone", "skipped_time", "repeated_time",  # existing days and time zones
    "empty_span ?from", "too_long ?from", "ambiguous",  # two fields at once
    "required #/content", "required #/platforms",  # what a post needs to be scheduled or published
    "unknown_platform", "taken #/slug",  # existing connections and unique names
    "read_only #/publishedAt",  # whether the post was published before
    "out_of_range #/publishedAt", "in_future #/publishedAt",  # the clock and the calendar
    "taken #/aliases", "invalid #/aliases",  # existing connections, and the keys of connectors
    "repeated #/tags", "repeated #/platforms",  # A and a are one tag; the tool's dictionary repeats names
    "repeated #/authors", "invalid #/into", "unknown_author", "unknown_series",  # existing ones, with slug or id
    "taken #/path", "invalid #/path", "invalid #/target",  # addresses of other redirects and of pages
    "too_long #/path",  # the length with the characters that addresses encode
    "required #/target",  # two fields at once
    "invalid #/header/to", "invalid #/footer/to",  # existing pages, and paths of this blog
    "invalid #/pictureId", "invalid #/icon", "invalid #/logo", "invalid #/logoDark",  # existing images
    "invalid #/css",  # the syntax of CSS, and addresses of other hosts
    "invalid #/securityContact",  # addresses of several kinds
    "invalid #/title", "invalid #/description", "invalid #/author",  # characters that turn the text around
    "invalid #/slug", "invalid #/authors", "invalid #/series",  # lower case, letters and normalization of any script
    "invalid ?cursor", "unknown ?after",  # cursors are signed, and events must exist
    "no_words ?q",  # words in any script
    "taken #/name", "unknown_connector", "unknown_field", "required #/settings/url", "required #/settings/path",
    "rejected", "disconnected", "misconfigured",  # connectors, their settings, and rejections by platforms
    "invalid #/secret",  # the number of bytes that its Base64 encodes
    "refused_address #/url", "too_many #",  # addresses that must not be requested, and the maximum number of webhooks
    "no_connection #",  # whether the account of a copy is still connected
    "empty #/file", "not_an_image", "damaged",  # valid images
    "not_a_url",  # well-formed hosts: brackets, and characters that look like a slash
)  # fmt: skip


def is_beyond_schema(failure: Any, case: Case, response: Response) -> bool:
    """Return True for a well-formed request that one of those rules forbids."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 422:
        return False
    errors = response.json().get("errors", [])
    excused = [{error["code"], f"{error['code']} {_place(error)}"} & set(BEYOND_SCHEMA) for error in errors]
    return bool(excused) and all(excused)


# A bulk operation has the rules of the single one, and an override those of the field it replaces.
IN_BULK_OR_OVERRIDE = re.compile(r"^#/(operations/\d+/\w+/(post/)?)?(overrides/[^/]+/)?")


IN_LIST = re.compile(r"/\d+(?=/|$)")


def _place(error: dict[str, str]) -> str:
    if "pointer" not in error:
        return f"?{error['parameter']}"
    return IN_LIST.sub("", IN_BULK_OR_OVERRIDE.sub("#/", error["pointer"]))


def is_stale(failure: Any, case: Case, response: Response) -> bool:
    """412 is correct for a random `If-Match`."""
    headers = {name.lower() for name in case.headers or {}}
    return isinstance(failure, RejectedPositiveData) and response.status_code == 412 and "if-match" in headers


# A post in the trash is kept for 30 days: it is found with `trashed`, and its deliveries stay readable.
SEEN_IN_TRASH = re.compile(r"GET .*/deliveries(/[^/]*)?$")


def is_in_trash(failure: Any, case: Case, response: Response) -> bool:
    if not isinstance(failure, UseAfterFree):
        return False
    asked = str((case.query or {}).get("trashed", "")).lower() == "true"
    return asked or SEEN_IN_TRASH.match(case.operation.label) is not None


def is_only_untrimmed(failure: Any, case: Case, response: Response) -> bool:
    """Lines are trimmed before their length is checked; the document describes trimmed lines."""
    if not isinstance(failure, AcceptedNegativeData) or case.media_type != "application/json":
        return False
    declared = document()["paths"][case.operation.path][case.operation.method]
    return validator(declared["requestBody"]["content"][case.media_type]["schema"]).is_valid(_trimmed(case.body))


def _trimmed(value: Any) -> Any:
    match value:
        case str():
            return value.strip()
        case list():
            return [_trimmed(each) for each in value]
        case dict():
            return {name: _trimmed(each) for name, each in value.items()}
    return value


def is_refusal_of_a_platform(failure: Any, case: Case, response: Response) -> bool:
    """502 says that a platform rejected something; in served.py some platforms always do."""
    if not isinstance(failure, ServerError) or response.status_code != 502:
        return False
    return bool(response.json()["type"].endswith(("/problems/platform-refused", "/problems/platform-unavailable")))


def is_used_key(failure: Any, case: Case, response: Response) -> bool:
    """The tool sends one `Idempotency-Key` with several requests, and gets an error for it."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 422:
        return False
    return bool(response.json()["type"].endswith("/problems/idempotency-key-reused"))


def is_sent_all_the_same(failure: Any, case: Case, response: Response) -> bool:
    """`Authorization` was not missing: the settings of the tool send it. Without it every response is a 401, which
    another of its checks covers."""
    return isinstance(failure, MissingHeaderNotRejected) and "authorization" in {
        name.lower() for name in response.request.headers
    }


def is_rejected_alone(failure: Any, case: Case, response: Response) -> bool:
    """A malformed operation of a bulk request fails alone, as a single request would: an unknown post is seen first."""
    if not isinstance(failure, AcceptedNegativeData) or case.operation.path != "/posts/bulk":
        return False
    return any(result["status"] in (404, 422) for result in response.json()["results"])


def is_only_tried(failure: Any, case: Case, response: Response) -> bool:
    """A dry run creates nothing: the ids in its response do not exist."""
    return isinstance(failure, EnsureResourceAvailability) and not tried.isdisjoint(
        (case.path_parameters or {}).values()
    )


EXCUSES: tuple[Callable[[Any, Case, Response], bool], ...] = (
    is_beyond_schema,
    is_stale,
    is_in_trash,
    is_only_untrimmed,
    is_refusal_of_a_platform,
    is_used_key,
    is_sent_all_the_same,
    is_rejected_alone,
    is_only_tried,
)


@schemathesis.hook
def filter_failure(context: HookContext, failure: Any, case: Case, response: Response) -> bool:
    return not any(excuse(failure, case, response) for excuse in EXCUSES)


SENDABLE = re.compile(r"(?! )[\x20-\x7e\xa0-\xff]*")


@schemathesis.hook
def filter_headers(context: HookContext, headers: dict[str, Any] | None) -> bool:
    """Skip headers that an HTTP client cannot send; the dictionary of hostile texts contains some."""
    return all(SENDABLE.fullmatch(str(value)) for value in (headers or {}).values())


# The ids in responses, by their prefix: {"post": ["post_01..."], "dlv": [...]}.
found: dict[str, list[str]] = {}
# Those in responses to dry runs.
tried: set[str] = set()
ID = re.compile(rb'"id": ?"([a-z]+)(_[0-9a-z]+)"')


@schemathesis.hook
def after_call(context: HookContext, case: Case, response: Response) -> None:
    if str((case.query or {}).get("dryRun", "")).lower() == "true":
        tried.update((prefix + rest).decode() for prefix, rest in ID.findall(response.content))
        return
    for prefix, rest in ID.findall(response.content)[:100]:
        known = found.setdefault(prefix.decode(), [])
        known.append((prefix + rest).decode())
        del known[:-50]


@schemathesis.hook
def map_path_parameters(context: HookContext, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Use an existing id half of the time, unless the tool has found one itself."""
    for name, value in (path_parameters or {}).items():
        known = next((ids for prefix, ids in found.items() if _is_short_for(prefix, name.removesuffix("_id"))), [])
        chance = crc32(str(value).encode(errors="replace"))
        if known and name.endswith("_id") and chance % 2:
            path_parameters[name] = known[chance // 2 % len(known)]
    return path_parameters


def _is_short_for(prefix: str, noun: str) -> bool:
    """Return True for `dlv` and delivery: letters of the word, in order."""
    letters = iter(noun)
    return all(letter in letters for letter in prefix)


@schemathesis.hook
def before_call(context: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """Neither change nor revoke the key of the fuzzer, and write no files of this machine.

    An operation on that key gets an unknown id; a folder connection becomes a webhook.
    """
    if case.method != "GET" and OWN_KEY in (case.path_parameters or {}).values():
        case.path_parameters = {
            name: "key_0" if value == OWN_KEY else value for name, value in case.path_parameters.items()
        }
    _make_key_unused(case)
    if isinstance(case.body, dict) and "folder" in case.body.values():
        case.body = {name: "webhook" if value == "folder" else value for name, value in case.body.items()}


def _make_key_unused(case: Case) -> None:
    """A used key returns a stored response, and the tool would send 0 every time."""
    for name, value in (case.headers or {}).items():
        if name.lower() == "idempotency-key" and 0 < len(str(value)) <= 200:
            case.headers[name] = f"{value}-{case.id}"
