"""The details of a post: summary, slug, tags, cover, destinations and customizations per destination."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from flask import Response, jsonify, make_response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Fault, Invalid, Stale, TextRefused
from blogsvc.lib.media_names import keys_in, path_of
from blogsvc.lib.text.languages import LANGUAGES
from blogsvc.lib.text.plain import EXCERPT_LENGTH, EXCERPT_SOURCE_LENGTH, excerpt, images_in, plain
from blogsvc.models import Post, Series, Setting, transaction
from blogsvc.models.media import conditions, known, newest
from blogsvc.posts import autosave, series
from blogsvc.posts.rules import MAX_SUMMARY_LENGTH
from blogsvc.posts.tags import join_tags, tags_like
from blogsvc.web.editor.post_details_form import (
    DetailsForm,
    bring_up_to_date,
    changes,
    cover_of,
    destinations,
    form_of,
    may_name_authors,
    option_name,
    own_name,
)
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import take_faults
from blogsvc.web.framework.rendering import go, is_fragment, notice, private, show
from blogsvc.web.framework.routes import route
from blogsvc.web.media.uploads import taken_in

MAX_TAG_SUGGESTIONS = 8
COVERS_TO_A_PAGE = 12

FIELD_NAMES = {
    "summary": "Summary",
    "slug": "Address",
    "tags": "Tags",
    "canonical_url": "Original link",
    "cover_image": "Cover image",
    "cover_alt": "Alt text of the cover image",
    "cover_caption": "Caption of the cover image",
    "kind": "Kind",
    "authors": "Authors",
    "is_pinned": "Pinned to the top of the home page",
    "is_unlisted": "Unlisted",
    "meta_title": "Title for search engines",
    "series": "Series",
    "series_part": "Part of the series",
    "language": "Language",
    "overrides": "Customizations",
    "platforms": "Destinations",
}


@route("GET POST", "/desk/posts/<post_id>/details", role="author", effect=Effect.WRITE)
def details(post_id: str) -> Response:
    post, rev = current_user.post(post_id), request.form.get("rev", "")
    form = form_of(post)
    if request.method == "GET":
        return _page(post, form)
    try:
        return _saved_response(_save(post, form, rev))
    except Invalid as error:
        take_faults(form, _with_form_pointers(error))
        return _page(current_user.post(post_id), form, 422, rev=rev)
    except Stale:
        now = current_user.post(post_id)
        mine = changes(form, now, rev)
        bring_up_to_date(form, now, but=mine)
        theirs = [name for name in mine if not now.is_seen_as(rev, [name])]
        return _page(now, form, 409, theirs=[(FIELD_NAMES[name], _field_text(getattr(now, name))) for name in theirs])


def _save(post: Post, form: DetailsForm, rev: str) -> Post:
    """Save the details and return the post. Raises Invalid and Stale; an uploaded image is kept even then."""
    fields = changes(form, post, rev)
    file = request.files.get("cover_file")
    if file is not None and file.filename:
        image = taken_in(file, fields.get("cover_alt", ""))
        fields["cover_image"] = form.cover_image.data = context.tools().config.public_url + image.path
    if "cover_image" in fields:
        for name in ("cover_alt", "cover_caption"):
            fields.setdefault(name, "")  # the former text describes another image
    platforms = fields.pop("platforms", None)
    now = context.now()
    with transaction():
        if fields.get("series"):
            fields["series"] = series.called(fields["series"], now).slug
        return autosave.autosave(post, fields, platforms, rev, now)


def _with_form_pointers(error: Invalid) -> Invalid:
    """Return the error with the pointers and the names of the fields of this form."""
    return Invalid(*map(_with_form_pointer, error.faults))


def _with_form_pointer(fault: Fault) -> Fault:
    if fault.pointer == "#/slug":  # the form calls it the address
        words = re.sub(r"\bA slug\b", "An address", fault.detail)
        return replace(fault, detail=re.sub(r"\bslug\b", "address", words))
    return replace(fault, pointer="#/cover_file") if fault.pointer == "#/file" else fault


def _field_text(value: Any) -> str:
    if isinstance(value, list):
        return join_tags(value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, dict) else str(value or "empty")


def _saved_response(post: Post) -> Response:
    message = "Saved."
    if post.state == "scheduled" and post.has_unpublished_changes:
        message = "Saved. The scheduled version doesn't change until you update it."
    elif post.has_unpublished_changes:
        message = "Saved. Readers see the changes after you publish them."
    if not is_fragment():
        notice(message)
        return go("desk.details", post_id=post.id)
    response = _page(post, form_of(post, as_sent=False), message=message)
    response.headers["HX-Trigger"] = "details-saved"
    return response


def _page(post: Post, form: DetailsForm, status: int = 200, **values: Any) -> Response:
    public_url = context.tools().config.public_url
    shown: dict[str, Any] = {"rev": post.rev, "theirs": [], "message": ""} | values
    return show(
        "desk/details.html",
        "desk/_details.html",
        status,
        post=post,
        form=form,
        destinations=destinations(post),
        own_name=own_name,
        option_name=option_name,
        cover=cover_of(post),
        card=_card(post, public_url),
        may_name_authors=may_name_authors(),
        public_url=public_url,
        languages=LANGUAGES,
        all_series=Series.all(),
        same_part=series.same_part(post, current_user.user().visible_posts()),
        blog_language=Setting.read("blog_language"),
        blog_author=Setting.read("blog_author"),
        most_summary=MAX_SUMMARY_LENGTH,
        **shown,
    )


@dataclass(frozen=True)
class PreviewCard:
    """The preview of a link to the post on other sites. `image` is a URL that our pages may load."""

    host: str
    title: str
    summary: str
    image: str | None


def _card(post: Post, public_url: str) -> PreviewCard:
    from blogsvc.lib.markdown.render import render

    try:
        html = render(post.content[:EXCERPT_SOURCE_LENGTH])
    except TextRefused:  # the preview and the publish dialog say why
        html = ""
    image = post.cover_image or next((url for url, _ in images_in(html)), None)
    host = urlsplit(post.canonical_url or public_url).hostname or ""
    return PreviewCard(
        host, post.title or "Untitled", post.summary.strip() or excerpt(plain(html), EXCERPT_LENGTH), _card_url(image)
    )


def _card_url(url: str | None) -> str | None:
    """Return the path of an uploaded image, the URL of another HTTPS image, or None."""
    if url and known(keys_in(url)):
        return path_of(url.rpartition("/")[2])
    return url if url and url.startswith("https://") else None


@route("GET", "/desk/posts/<post_id>/cover", role="author")
def cover(post_id: str) -> Response:
    """Show images to choose a cover from."""
    post = current_user.post(post_id)
    question = request.args.get("q", "").strip()[:200]
    images, older = newest(conditions("all", question), request.args.get("before"), COVERS_TO_A_PAGE)
    return show(
        "desk/cover.html",
        "desk/_covers.html",
        post=post,
        images=images,
        older=older,
        question=question,
        public_url=context.tools().config.public_url,
    )


@route("GET", "/desk/tags", role="author")
def tag_choices() -> Response:
    """Return the most used tags that start with `q`, as JSON."""
    found = tags_like(request.args.get("q", "")[:100], MAX_TAG_SUGGESTIONS, current_user.user())
    return private(make_response(jsonify([{"name": tag.name, "count": tag.count} for tag in found])))
