"""Share a draft: its links, and the comments of the people who have them."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from wtforms import SelectField, StringField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, NotFound
from blogsvc.models import DraftComment, Post, ShareLink
from blogsvc.models.creator import Creator
from blogsvc.posts import sharing
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

CHOICES = {days: "1 day" if days == 1 else f"{days} days" for days in sharing.DAYS_CHOICES}


class ShareForm(Form):
    name = StringField("For whom (optional)")
    days = SelectField("The link ends after", choices=CHOICES, coerce=int, default=sharing.DEFAULT_DAYS)


@route("GET POST", "/desk/posts/<post_id>/share", role="author", effect=Effect.WRITE)
def share_draft(post_id: str) -> Response:
    """Show the links and comments of a draft, or create a link, whose address is shown once."""
    post, form = current_user.post(post_id), ShareForm()
    if request.method == "GET":
        return _page(post, form)
    if not form.validate():
        return _page(post, form, 422)
    try:
        link, token = sharing.share(post, form.name.data or "", form.days.data, context.now(), current_user.user().id)
    except Invalid as error:
        take_faults(form, error)
        return _page(post, form, 422)
    return _page(post, ShareForm(formdata=None), made=link, address=_address(token))


@route("POST", "/desk/posts/<post_id>/share/<link_id>", role="author", effect=Effect.WRITE)
def change_share_link(post_id: str, link_id: str) -> Response:
    """End a link, or give it another address."""
    post, link = current_user.post(post_id), ShareLink.get(link_id)
    if link.post_id != post.id:
        raise NotFound("This share link doesn't exist any more.")
    if request.form.get("do") == "renew":
        token = sharing.renew(link, context.now(), current_user.user().id)
        return _page(post, ShareForm(formdata=None), made=link, address=_address(token))
    sharing.revoke(link, context.now())
    notice("The link is revoked. Its comments stay.")
    return go("desk.share_draft", post_id=post.id)


@route("POST", "/desk/posts/<post_id>/comments/<comment_id>", role="author", effect=Effect.WRITE)
def change_draft_comment(post_id: str, comment_id: str) -> Response:
    """Resolve, reopen or delete a comment."""
    post, comment = current_user.post(post_id), DraftComment.get(comment_id)
    if comment.post_id != post.id:
        raise NotFound("This comment was already deleted.")
    match request.form.get("do"):
        case "delete":
            sharing.delete_comment(comment)
            notice("The comment is deleted.")
        case "reopen":
            sharing.resolve(comment, context.now(), is_resolved=False)
            notice("The comment is open again.")
        case _:
            sharing.resolve(comment, context.now())
            notice("The comment is resolved.")
    return go("desk.share_draft", post_id=post.id)


def _address(token: str) -> str:
    return f"{context.tools().config.public_url}/draft/{token}"


def _page(post: Post, form: ShareForm, status: int = 200, **values: Any) -> Response:
    now, links = context.now(), ShareLink.of_post(post.id)
    comments = DraftComment.of_post(post.id)
    return show(
        "desk/share.html",
        status=status,
        post=post,
        form=form,
        links=[link for link in links if not link.has_ended(now)],
        ended=[link for link in links if link.has_ended(now)],
        creators={link.id: Creator.of(link.created_by) for link in links},
        comments=[comment for comment in comments if comment.resolved_at is None],
        resolved=[comment for comment in comments if comment.resolved_at is not None],
        published=sharing.published_address(post),
        **values,
    )
