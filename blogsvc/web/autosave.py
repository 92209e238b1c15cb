"""The words of a post while they are written: saved by themselves, and never over what somebody else saved."""

from __future__ import annotations

from typing import Any

from flask import Response, abort, jsonify, request
from flask_wtf.csrf import generate_csrf

from blogsvc import context
from blogsvc.errors import Invalid, Stale
from blogsvc.lib.text_diff import difference, hunks
from blogsvc.models import Post, db, transaction
from blogsvc.posts import autosave
from blogsvc.web import current_person
from blogsvc.web.rendering import go, notice, show, time_of_day
from blogsvc.web.routes import route


@route("GET", "/desk/posts/<post_id>/draft", role="author")
def read_draft(post_id: str) -> Response:
    """The words as they stand, and what a page that was signed out meanwhile needs to go on."""
    return jsonify(_document(current_person.post(post_id)))


@route("PUT POST", "/desk/posts/<post_id>/draft", role="author")
def save_draft(post_id: str) -> Response:
    """Save the working copy. For the editor JSON, for a form a page; 409 with both texts where it changed elsewhere."""
    given = _given()
    return _save(post_id, given, is_apart=given["apart"] == "1")


def _save(post_id: str, given: dict[str, str], *, is_apart: bool) -> Response:
    try:
        words = autosave.tidied(given["title"], given["content"])
        with transaction():
            post = current_person.post(post_id)
            autosave.autosave(post, words, None, given["rev"], context.now(), apart=is_apart)
    except Stale:
        return _conflict(post_id, words)
    except Invalid as error:
        return _invalid(post_id, given, error)
    if request.is_json:
        return jsonify(_document(post))
    notice(f"Saved {time_of_day(post.updated_at)}.")
    return go("desk.edit_post", post_id=post.id)


@route("POST", "/desk/posts/<post_id>/settle", role="author")
def settle_draft(post_id: str) -> Response:
    """Choose between two texts. The one that is not chosen is kept in the history."""
    given = _given()
    if given["keep"] == "mine":
        return _save(post_id, given, is_apart=True)
    words = autosave.tidied(given["title"], given["content"])
    with transaction():
        post = current_person.post(post_id)
        autosave.set_aside(post, words, context.now())
    if request.is_json:
        return jsonify(_document(post))
    notice("Your version is in the version history.")
    return go("desk.edit_post", post_id=post.id)


@route("POST", "/desk/paste", role="author")
def paste() -> Response:
    """HTML, as a browser has it on its clipboard, as Markdown."""
    # When it is wanted, since it brings a parser of HTML that most servers never need.
    from blogsvc.lib import pasted

    html = (request.get_json(silent=True) or {}).get("html")
    if not isinstance(html, str):
        abort(422, "The clipboard has no HTML to paste.")
    try:
        return jsonify({"markdown": pasted.markdown(html)})
    except ValueError as error:
        abort(413, str(error))


def _given() -> dict[str, str]:
    """The fields that were sent, as JSON or by a form; what is no text counts as empty."""
    sent: Any = request.get_json(silent=True) if request.is_json else request.form
    if not hasattr(sent, "get"):
        abort(422, "The request must be a JSON object or a form.")
    values = {name: sent.get(name) for name in ("title", "content", "rev", "keep", "apart")}
    if values["title"] is None or values["content"] is None:
        abort(422, "The title and the content are required.")
    return {name: value if isinstance(value, str) else "" for name, value in values.items()}


def _document(post: Post) -> dict[str, Any]:
    pinned = post.pinned_revision() if post.has_unpublished_changes else None
    return {
        "title": post.title,
        "content": post.content,
        "rev": post.rev,
        "saved": time_of_day(post.updated_at),
        "state": post.state,
        "newer": post.revision_count - pinned.number if pinned else 0,
        "token": generate_csrf(),
    }


def _conflict(post_id: str, words: dict[str, str]) -> Response:
    post = _read_anew(post_id)
    shown: dict[str, Any] = {
        "post": post,
        "mine": words,
        "hunks": hunks(difference(f"{post.title}\n\n{post.content}", f"{words['title']}\n\n{words['content']}")),
    }
    if not request.is_json:
        return show("desk/conflict.html", status=409, **shown)
    fragment = show("desk/_conflict.html", **shown).get_data(as_text=True)
    response = jsonify(_document(post) | {"html": fragment})
    response.status_code = 409
    return response


def _read_anew(post_id: str) -> Post:
    db.session.rollback()
    db.session.expire_all()
    return current_person.post(post_id)


def _invalid(post_id: str, given: dict[str, str], error: Invalid) -> Response:
    if not request.is_json:
        return show("desk/refused.html", status=422, post=_read_anew(post_id), mine=given, error=error)
    response = jsonify({"error": str(error)})
    response.status_code = 422
    return response
