"""Autosave from the editor. A conflict with someone else's changes shows both versions and overwrites neither."""

from __future__ import annotations

from typing import Any

from flask import Response, abort, jsonify, request
from flask_wtf.csrf import generate_csrf

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, Stale, TextRefused
from blogsvc.lib.workers import text_jobs
from blogsvc.models import Post, db, nouns, transaction
from blogsvc.posts import autosave
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import json_text
from blogsvc.web.framework.rendering import go, notice, show, time_of_day
from blogsvc.web.framework.routes import route


@route("GET", "/desk/posts/<post_id>/draft", role="author")
def read_draft(post_id: str) -> Response:
    """Return the working copy, and a CSRF token for a page that was signed out in between."""
    return jsonify(_document(current_user.post(post_id)))


@route("PUT POST", "/desk/posts/<post_id>/draft", role="author", effect=Effect.WRITE)
def save_draft(post_id: str) -> Response:
    """Save the working copy. Returns JSON for the editor and a page for forms; 409 with both texts in a conflict."""
    given = _submitted_values()
    return _save(post_id, given, is_apart=given["apart"] == "1")


def _save(post_id: str, sent: dict[str, str], *, is_apart: bool) -> Response:
    try:
        fields = autosave.tidied(sent["title"], sent["content"])
        with transaction(nouns.post(post_id)):
            post = current_user.post(post_id)
            autosave.autosave(post, fields, None, sent["rev"], context.now(), apart=is_apart)
    except Stale:
        return _conflict(post_id, fields)
    except Invalid as error:
        return _invalid(post_id, sent, error)
    if request.is_json:
        return jsonify(_document(post))
    notice(f"Saved {time_of_day(post.updated_at)}.")
    return go("desk.edit_post", post_id=post.id)


@route("POST", "/desk/posts/<post_id>/settle", role="author", effect=Effect.WRITE)
def settle_draft(post_id: str) -> Response:
    """Resolve a conflict. The version that is not chosen stays in the version history."""
    given = _submitted_values()
    if given["keep"] == "mine":
        return _save(post_id, given, is_apart=True)
    fields = autosave.tidied(given["title"], given["content"])
    with transaction(nouns.post(post_id)):
        post = current_user.post(post_id)
        autosave.set_aside(post, fields, context.now())
    if request.is_json:
        return jsonify(_document(post))
    notice("Your version is in the version history.")
    return go("desk.edit_post", post_id=post.id)


@route("POST", "/desk/paste", role="author", effect=Effect.WRITE)
def paste() -> Response:
    """Convert HTML from the clipboard to Markdown. Returns the number of lost images, such as files of Word, too."""
    html = json_text("html")
    if html is None:
        abort(422, "The clipboard has no HTML to paste.")
    try:
        pasted = text_jobs.convert_pasted(html)
    except TextRefused as error:
        abort(413, str(error))
    return jsonify({"markdown": pasted.markdown, "lostImages": pasted.lost_images})


def _submitted_values() -> dict[str, str]:
    """Return the fields of a JSON or form request. Values that are not text become ""."""
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


def _conflict(post_id: str, fields: dict[str, str]) -> Response:
    post = _reloaded_post(post_id)
    shown: dict[str, Any] = {
        "post": post,
        "mine": fields,
        "hunks": text_jobs.changes(f"{post.title}\n\n{post.content}", f"{fields['title']}\n\n{fields['content']}"),
    }
    if not request.is_json:
        return show("desk/conflict.html", status=409, **shown)
    fragment = show("desk/_conflict.html", **shown).get_data(as_text=True)
    response = jsonify(_document(post) | {"html": fragment})
    response.status_code = 409
    return response


def _reloaded_post(post_id: str) -> Post:
    db.session.rollback()
    db.session.expire_all()
    return current_user.post(post_id)


def _invalid(post_id: str, given: dict[str, str], error: Invalid) -> Response:
    if not request.is_json:
        return show("desk/not_saved.html", status=422, post=_reloaded_post(post_id), mine=given, error=error)
    response = jsonify({"error": str(error)})
    response.status_code = 422
    return response
