"""The page behind a share link: a draft as readers would see it, and the comments of whoever has the link.

The page needs no account, cookie or script. Whoever sends a comment has to know the address of the page, which other
sites don't, so that the form needs no other token.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, redirect, request
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute

from blogsvc import context
from blogsvc.auth.attempt_counters import attempts, network_of, page_requests
from blogsvc.blog import contract, heads, views, working_copy
from blogsvc.blog.contract import CommentForm, DraftMessage, SharedDraft
from blogsvc.blog.heads import Head
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.blog.rendering import render
from blogsvc.blog.view_counting import is_view
from blogsvc.blog.views import Surroundings
from blogsvc.errors import Busy, Invalid, NotFound
from blogsvc.http import body_limits
from blogsvc.lib.sizes import KIB
from blogsvc.lib.text.plain import excerpt, plain
from blogsvc.lib.workers.text_jobs import requester
from blogsvc.models import DraftComment, ShareLink
from blogsvc.models.creator import Creator
from blogsvc.posts import sharing

log = logging.getLogger(__name__)
blueprint = Blueprint("shared_draft", __name__)

# Of one network. Pages that are opened, addresses that don't work, and comments.
PAGES_A_MINUTE = RateLimitItemPerMinute(60, namespace="blogsvc")
WRONG_AN_HOUR = RateLimitItemPerHour(60, namespace="blogsvc")
COMMENTS_A_MINUTE = RateLimitItemPerMinute(5, namespace="blogsvc")
# Of one link, whoever uses it.
COMMENTS_AN_HOUR = RateLimitItemPerHour(30, namespace="blogsvc")

# Of a form with the longest comment. Most languages need up to nine characters for each of theirs.
MAX_COMMENT_BYTES = 9 * (sharing.MAX_COMMENT_LENGTH + sharing.MAX_QUOTE_LENGTH + sharing.MAX_NAME_LENGTH) + KIB

HEADERS = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
HEADINGS = {
    "unknown": "This link doesn't work",
    "deleted": "This draft was deleted",
    "published": "This post is published",
    "often": "Too many requests",
}
MAX_PARAGRAPHS, EXCERPT_LENGTH = 500, 80
_PARAGRAPH = re.compile(r"<(p|h[1-6]|li|blockquote|figcaption)\b[^>]*>(.*?)</\1>", re.DOTALL)


@blueprint.route("/draft/<token>", methods=["GET", "POST"])
def shared_draft(token: str) -> Response:
    now = context.now()
    if _is_too_often(WRONG_AN_HOUR, "wrong", count=False) or _is_too_often(PAGES_A_MINUTE, "page"):
        return _message("often", 429)
    link = ShareLink.of_token(token, now)
    if link is None:
        _is_too_often(WRONG_AN_HOUR, "wrong")
        return _message("unknown", 404)
    requester.set(link.id)
    if link.post.deleted_at is not None:
        return _message("deleted", 410)
    if (address := sharing.published_address(link.post)) is not None:
        return _message("published", address=address, title=link.post.title)
    if request.method == "POST":
        body_limits.allow(MAX_COMMENT_BYTES, body_limits.MAX_ANONYMOUS_FIELDS)
        return _comment(link, token, now)
    if is_view(request.environ) and "sent" not in request.args:
        try:
            sharing.note_opening(link, now)
        except Busy:
            log.warning("a share link was opened and not counted: the database is busy")
    return _draft(link, now)


def _comment(link: ShareLink, token: str, now: datetime) -> Response:
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return _draft(link, now, 403, faults=["This form was sent from another site. Send it from this page."])
    by_network, by_link = ("draft-comment", network_of(request.remote_addr)), ("draft", link.id)
    if not (attempts().hit(COMMENTS_A_MINUTE, *by_network) and attempts().hit(COMMENTS_AN_HOUR, *by_link)):
        return _draft(link, now, 429, faults=["Too many comments. Your text is still here: send it again later."])
    try:
        name, text, quote = (request.form.get(field, "") for field in ("name", "text", "quote"))
        sharing.comment(link, name, text, quote, now)
    except Invalid as error:
        return _draft(link, now, 422, faults=[fault.detail for fault in error.faults])
    except NotFound:
        return _message("unknown", 404)
    response = redirect(f"/draft/{token}?sent=1#comments", 303)
    response.headers.update(HEADERS)
    return response  # type: ignore[return-value]


def _draft(link: ShareLink, now: datetime, status: int = 200, faults: Sequence[str] = ()) -> Response:
    """Return the page with what the reader has typed."""
    source = working_copy.entry_of(link.post, now)
    entry = views.entry_of(source, Surroundings(), is_draft=True)
    creator = Creator.of(link.created_by)
    draft = SharedDraft(
        sharer=creator.name if creator and creator.type == "user" else None,
        expires_at=link.expires_at,
        comments=tuple(
            contract.DraftComment(comment.name, comment.text, comment.quote, comment.created_at)
            for comment in DraftComment.of_link(link.id)
        ),
        form=_form(source, status, faults),
    )
    head = heads.of_message(source.blog, "shared_draft", entry.title)
    return _page("shared_draft.html", status, head, entry=entry, draft=draft)


def _form(source: BlogPost, status: int, faults: Sequence[str]) -> CommentForm:
    """Return the form for a comment: after an error with what the reader has typed."""
    typed = request.form if status != 200 else {}
    name, quote, text = (typed.get(field, "") for field in ("name", "quote", "text"))
    return CommentForm(
        name=name,
        quote=quote,
        text=text,
        faults=tuple(faults),
        is_sent=status == 200 and "sent" in request.args,
        paragraphs=_paragraphs(source),
        max_name_length=sharing.MAX_NAME_LENGTH,
        max_text_length=sharing.MAX_COMMENT_LENGTH,
    )


def _paragraphs(entry: BlogPost) -> tuple[str, ...]:
    """Return the beginning of each paragraph, in order."""
    found = (excerpt(plain(match[2]), EXCERPT_LENGTH) for match in _PARAGRAPH.finditer(entry.revision.render()))
    return tuple(dict.fromkeys(text for text in found if text))[:MAX_PARAGRAPHS]


def _message(problem: str, status: int = 200, address: str | None = None, title: str = "") -> Response:
    """Return a page without the draft, and with the comment that can't be sent any more, so that it is not lost."""
    unsent = request.form.get("text", "")[: sharing.MAX_COMMENT_LENGTH]
    message = DraftMessage(problem, HEADINGS[problem], address or None, title or "Untitled", unsent)
    head = heads.of_message(Blog.read(), "draft_message", message.heading)
    return _page("draft_message.html", status, head, message=message)


def _page(template: str, status: int, head: Head, **values: Any) -> Response:
    response = Response(render(template, head, **values), status)
    response.headers.update(HEADERS)
    return response


def _is_too_often(limit: RateLimitItem, kind: str, *, count: bool = True) -> bool:
    """Count this request for its network. Returns True if that is more than the limit allows."""
    counter = (f"draft-{kind}", network_of(request.remote_addr))
    return not (page_requests().hit(limit, *counter) if count else page_requests().test(limit, *counter))
