"""The pages that the `type` URL of a problem points to, as HTML and JSON."""

from __future__ import annotations

from flask import Response, jsonify, request

from blogsvc.api import docs_pages
from blogsvc.api.framework.openapi import examples
from blogsvc.api.framework.operations import blueprint
from blogsvc.api.framework.problems import PROBLEM_TYPES, Problem, ProblemType
from blogsvc.errors import ERROR_CODES

WHAT_TO_DO = {
    "unreadable": "Send valid JSON in UTF-8, without comments, NaN or duplicate keys, and as many bytes as the headers "
    "say. `detail` says where parsing failed.",
    "unauthorized": "Send `Authorization: Bearer bsk_...` with a valid key. Run `blogsvc key list` to see the keys, or "
    "`blogsvc key create NAME` to create one.",
    "https-required": "Use https://, and replace the key, because it was sent unencrypted. If a proxy terminates TLS, "
    "set `BLOGSVC_TRUSTED_PROXIES`.",
    "scope-missing": "Create a key with the scope in `scope`: `blogsvc key create NAME --scopes ...`.",
    "beyond-key": "Use a key that has at least the permissions of the key you want to manage, or run `blogsvc key`.",
    "not-found": "Check the spelling. To get a post from the trash, add `?trashed=true`.",
    "method-not-allowed": "Use one of the methods in the `Allow` header.",
    "not-acceptable": "Send `Accept: application/json`, or no `Accept` header.",
    "request-timeout": "Send the request again. A body must arrive within 20 seconds, plus one for each 16 KiB. "
    "Nothing was changed.",
    "state-conflict": "Read the object again, then use one of the actions in `allowed`.",
    "request-in-progress": "Wait for the number of seconds in `Retry-After`, then send the same request again. You get "
    "the response of the first request.",
    "stale": "Read the object again, reapply your change, and send it with the new `ETag`.",
    "too-large": "Send a smaller request. Upload images with `POST /media` instead of embedding them in the content.",
    "unsupported-media-type": "Send the body with `Content-Type: application/json` and without `Content-Encoding`.",
    "invalid": "Fix the errors in `errors`. Each has a location (`pointer` in the body, `parameter` in the query "
    "string), a `code` for programs and a `detail` for people. The response lists all errors at once.",
    "idempotency-key-reused": "Use a new key, such as a UUID, for each request. Reuse a key only to retry the same "
    "request.",
    "rate-limited": "Wait for the number of seconds in `Retry-After`, then retry. `tier` is the exceeded limit, "
    "`limit` its requests per minute. Without `tier`, `limit` is the number of event streams that a key can have.",
    "platform-refused": "Follow `detail`: the platform rejected the request. Nothing was changed in blogsvc.",
    "platform-unavailable": "Retry later, after `Retry-After` if present. Nothing was changed in blogsvc.",
    "unavailable": "Wait for the number of seconds in `Retry-After`, then retry. Nothing was changed.",
    "outcome-unknown": "Follow `detail`: it says whether the request can be sent again with its `Idempotency-Key`, or "
    "what to read before.",
    "internal": "Find the id in `instance` in the server log and report it. Before you retry a write, check whether it "
    "was saved; with an `Idempotency-Key` you can retry safely.",
}


@blueprint.get("/problems/", strict_slashes=False)
def problem_list() -> Response:
    """List all problem types."""
    if _wants_page():
        return _varying(docs_pages.page("problems", kinds=PROBLEM_TYPES.values()))
    return _varying(jsonify(data=[_document(kind) for kind in PROBLEM_TYPES.values()]))


@blueprint.get("/problems/<slug>")
def problem_page(slug: str) -> Response:
    """Show one problem type."""
    kind = PROBLEM_TYPES.get(slug)
    if kind is None:
        raise Problem("not-found", f"There is no problem type named {slug!r}.")
    if _wants_page():
        met, faults = examples.of_problem(slug), ERROR_CODES if slug == "invalid" else {}
        return _varying(docs_pages.page("problem", kind=kind, advice=WHAT_TO_DO[slug], met=met, faults=faults))
    return _varying(jsonify(_document(kind)))


def _document(kind: ProblemType) -> dict[str, object]:
    more = {"codes": ERROR_CODES} if kind.slug == "invalid" else {}
    document = {"type": kind.slug, "status": kind.status, "title": kind.title, "meaning": kind.meaning}
    return document | {"advice": WHAT_TO_DO[kind.slug]} | more


def _wants_page() -> bool:
    """Return True for browsers, which prefer HTML."""
    accepted = request.accept_mimetypes
    return accepted["text/html"] > accepted["application/json"]


def _varying(answer: Response) -> Response:
    answer.vary.add("Accept")
    return answer
