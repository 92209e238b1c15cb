"""Where the `type` of a problem leads: what it means and what to do, for people and for programs."""

from __future__ import annotations

from flask import Response, jsonify, request

from blogsvc.api import docs_pages
from blogsvc.api.framework.openapi import examples
from blogsvc.api.framework.operations import blueprint
from blogsvc.api.framework.problems import PROBLEM_TYPES, Problem, ProblemType
from blogsvc.errors import FAULTS

WHAT_TO_DO = {
    "unreadable": "Send JSON in UTF-8: no comments, no NaN, no name twice in one object. `detail` says where it broke.",
    "unauthorized": "Send `Authorization: Bearer bsk_...` with a key that is valid. `blogsvc key list` shows which "
    "are, `blogsvc key create NAME` makes one.",
    "https-required": "Call the same address with https://, and make a new key: this one went over the wire in the "
    "open. Behind a proxy that does TLS, set `BLOGSVC_TRUSTED_PROXIES`.",
    "scope-missing": "Make a key that has the scope which `scope` names: `blogsvc key create NAME --scopes ...`.",
    "beyond-key": "Ask with a key that has at least as much as the one that is to be touched, or use `blogsvc key`.",
    "not-found": "Look for a misspelling. A post in the trash is found with `?trashed=true`.",
    "method-not-allowed": "Use one of the methods in `Allow`.",
    "not-acceptable": "Send `Accept: application/json`, or no `Accept` at all.",
    "state-conflict": "Read the thing again. Make one of the moves in `allowed`, or leave it where it is.",
    "request-in-progress": "Wait as many seconds as `Retry-After` says, and send the same request again: it is "
    "answered as the first one was.",
    "stale": "Read it again, make your change on what it is now, and send that with its new `ETag`.",
    "too-large": "Send less. Pictures and files do not belong into a post's content.",
    "unsupported-media-type": "Send the body with `Content-Type: application/json`, and without a `Content-Encoding`.",
    "invalid": "Change what `errors` names, each with its place (`pointer` in the body, `parameter` in the query), "
    "a `code` for programs and a sentence for people. All that is wrong is named at once.",
    "idempotency-key-reused": "Make a new key for each new request, such as a UUID, and keep it for repetitions "
    "of that request alone.",
    "rate-limited": "Wait as many seconds as `Retry-After` says, and repeat the request as it was. `tier` says which "
    "limit it was, `limit` how many calls a minute it allows.",
    "platform-refused": "Do what `detail` says: the platform was asked while you waited, and did not accept. Nothing "
    "was changed here.",
    "platform-unavailable": "Try again later, after `Retry-After` where it is there. Nothing was changed here.",
    "unavailable": "Wait as many seconds as `Retry-After` says, and repeat the request as it was: nothing was changed.",
    "outcome-unknown": "Read whether it was carried out before you repeat it; with an `Idempotency-Key` it may simply "
    "be repeated.",
    "internal": "Look for the id in `instance` in the log, and report it. Before you repeat a request that writes, "
    "read whether it was carried out; with an `Idempotency-Key` it may simply be repeated.",
}


@blueprint.get("/problems/")
def problem_list() -> Response:
    """All problems that the API answers, each with its meaning."""
    if _wants_page():
        return _varying(docs_pages.page("problems", kinds=PROBLEM_TYPES.values()))
    return _varying(jsonify(data=[_document(kind) for kind in PROBLEM_TYPES.values()]))


@blueprint.get("/problems/<slug>")
def problem_page(slug: str) -> Response:
    """One problem: where the `type` of a problem document leads."""
    kind = PROBLEM_TYPES.get(slug)
    if kind is None:
        raise Problem("not-found", f"There is no problem {slug!r}.")
    if _wants_page():
        met, faults = examples.of_problem(slug), FAULTS if slug == "invalid" else {}
        return _varying(docs_pages.page("problem", kind=kind, advice=WHAT_TO_DO[slug], met=met, faults=faults))
    return _varying(jsonify(_document(kind)))


def _document(kind: ProblemType) -> dict[str, object]:
    more = {"codes": FAULTS} if kind.slug == "invalid" else {}
    document = {"type": kind.slug, "status": kind.status, "title": kind.title, "meaning": kind.meaning}
    return document | {"advice": WHAT_TO_DO[kind.slug]} | more


def _wants_page() -> bool:
    """Browsers name HTML; who names neither is a program."""
    accepted = request.accept_mimetypes
    return accepted["text/html"] > accepted["application/json"]


def _varying(answer: Response) -> Response:
    answer.vary.add("Accept")
    return answer
