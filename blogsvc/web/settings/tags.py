"""The page of tags: what the page of each begins with."""

from __future__ import annotations

from flask import Response, request
from wtforms import StringField, TextAreaField

from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid
from blogsvc.lib import blog_paths
from blogsvc.models import TagPage
from blogsvc.posts import tag_pages
from blogsvc.posts.tags import tags_like
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route

TAGS_PAGE = "/desk/settings/tags"
MAX_LISTED = 500
FIELDS = ("title", "description", "cover_image")


class TagForm(Form):
    title = StringField("Title")
    description = TextAreaField("Description")
    cover_image = StringField("Cover image")


@route("GET", TAGS_PAGE, role="editor")
def all_tags() -> Response:
    question = request.args.get("q", "").strip()[:100]
    found = tags_like(question)
    pages = {page.tag: page for page in TagPage.all()}
    return show("desk/settings/tags.html", tags=found[:MAX_LISTED], total=len(found), pages=pages, question=question)


@route("GET POST", f"{TAGS_PAGE}/edit", role="editor", effect=Effect.WRITE)
def edit_tag() -> Response:
    """Show and change the page of the tag in the query, because a tag may have slashes."""
    tag = request.args.get("tag", "").replace("\0", "")[:100]
    form = TagForm(obj=TagPage.find(tag))
    if form.validate_on_submit():
        try:
            tag_pages.write(tag, {name: (form[name].data or "").strip() for name in FIELDS})
        except Invalid as error:
            take_faults(form, error)
        else:
            notice(f"The page of “{tag}” is saved.")
            return go("desk.all_tags")
    status = 422 if form.is_submitted() else 200
    return show("desk/settings/tag_form.html", status=status, form=form, tag=tag, path=blog_paths.of_tag(tag))
