"""The pages of authors: their names, pictures, biographies and links. Users also change their own."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from flask_wtf.file import FileField
from wtforms import BooleanField, SelectChoice, SelectField, StringField, TextAreaField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Forbidden, InUse, Invalid
from blogsvc.lib import blog_paths
from blogsvc.models import Author, Media, db
from blogsvc.posts import authors
from blogsvc.posts.public_paths import authors_with_page
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, take_faults
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.media.uploads import taken_in

AUTHORS_PAGE = "/desk/settings/authors"
# Empty lines for new links, below those that there are.
EMPTY_LINKS = 2


class AuthorForm(Form):
    name = StringField("Name")
    slug = StringField("Address")
    bio = TextAreaField("Biography")
    fediverse = StringField("Account in the fediverse")
    file = FileField("Upload a picture")
    no_picture = BooleanField("Remove the picture")


class MergeForm(Form):
    into = SelectField("Merge into")


@route("GET", AUTHORS_PAGE, role="editor")
def all_authors() -> Response:
    rows = Author.all()
    return show(
        "desk/settings/authors.html",
        rows=rows,
        pictures=_pictures(rows),
        counts=authors.shown_counts(),
        shown=authors_with_page([row.slug for row in rows]),
        path_of=_path_of,
    )


@route("GET POST", f"{AUTHORS_PAGE}/new", role="editor", effect=Effect.WRITE)
def new_author() -> Response:
    form = AuthorForm()
    if not form.is_submitted():
        return _form_page(form, None)
    try:
        author = authors.create(_fields(form, None), context.now())
    except Invalid as error:
        return _refused(form, None, error)
    notice(f"{author.name} is added.")
    return go("desk.all_authors")


@route("GET POST", f"{AUTHORS_PAGE}/<slug>", role="author", effect=Effect.WRITE)
def edit_author(slug: str) -> Response:
    """Show and change an author. Users who are no editors have only their own."""
    author = _own(slug)
    form = AuthorForm(name=author.name, slug=author.slug, bio=author.bio, fediverse=author.fediverse)
    if not form.is_submitted():
        return _form_page(form, author)
    try:
        authors.change(author, _fields(form, author))
    except Invalid as error:
        return _refused(form, author, error)
    notice(f"{author.name} is saved.")
    return go("desk.all_authors") if _is_editor() else go("desk.edit_author", slug=author.slug)


@route("POST", f"{AUTHORS_PAGE}/<slug>/merge", role="editor", effect=Effect.WRITE)
def merge_author(slug: str) -> Response:
    author, into = Author.named(slug), Author.named(request.form.get("into", ""))
    authors.merge(author, into)
    notice(f"The posts of {author.name} are by {into.name} now.")
    return go("desk.all_authors", _anchor="list")


@route("POST", f"{AUTHORS_PAGE}/<slug>/remove", role="editor", effect=Effect.WRITE)
def remove_author(slug: str) -> Response:
    author = Author.named(slug)
    try:
        authors.remove(author)
    except InUse as error:
        notice(str(error))
        return go("desk.edit_author", slug=slug)
    notice(f"{author.name} is removed.")
    return go("desk.all_authors", _anchor="list")


def _own(slug: str) -> Author:
    author = Author.named(slug)
    if not _is_editor() and author.user_id != current_user.user().id:
        raise Forbidden("You can change only your own author page. Ask an editor of the blog.")
    return author


def _is_editor() -> bool:
    return current_user.user().is_at_least("editor")


def _fields(form: AuthorForm, author: Author | None) -> dict[str, Any]:
    """Return the submitted fields. An uploaded picture is stored, even if another field is not valid."""
    fields = {
        "name": form.name.data or "",
        "bio": form.bio.data or "",
        "fediverse": (form.fediverse.data or "").strip(),
    }
    fields |= {"links": _links()}
    if slug := (form.slug.data or "").strip():
        fields["slug"] = slug
    sent = request.files.get("file")
    if sent is not None and sent.filename:
        fields["picture_id"] = taken_in(sent, f"{fields['name']}").id
    elif form.no_picture.data:
        fields["picture_id"] = None
    return fields


def _links() -> list[dict[str, Any]]:
    labels, urls = request.form.getlist("link_label"), request.form.getlist("link_url")
    chosen = set(request.form.getlist("link_is_me"))
    rows = zip(map(str.strip, labels), map(str.strip, urls), strict=False)
    return [
        {"label": label, "url": url, "is_me": str(number) in chosen}
        for number, (label, url) in enumerate(rows)
        if label or url
    ]


def _refused(form: AuthorForm, author: Author | None, error: Invalid) -> Response:
    take_faults(form, error)
    return _form_page(form, author, 422)


def _form_page(form: AuthorForm, author: Author | None, status: int = 200) -> Response:
    links = _links() if form.is_submitted() else list(author.links if author else [])
    empty = {"label": "", "url": "", "is_me": False}
    others = [other for other in Author.all() if author is not None and other.slug != author.slug]
    merge = MergeForm(formdata=None)
    merge.into.choices = [SelectChoice(other.slug, other.name) for other in others]
    return show(
        "desk/settings/author_form.html",
        status=status,
        form=form,
        author=author,
        merge=merge if others and author is not None and author.user_id is None and _is_editor() else None,
        links=[*links, *[empty] * EMPTY_LINKS][: authors.MAX_LINKS],
        picture=_pictures([author]).get(author.picture_id or "") if author else None,
        public_url=context.tools().config.public_url,
        is_editor=_is_editor(),
        is_shown=bool(author and authors_with_page([author.slug])),
        path_of=_path_of,
    )


def _pictures(rows: list[Author]) -> dict[str, Media]:
    ids = {row.picture_id for row in rows} - {None}
    return {media.id: media for media in db.session.query(Media).where(Media.id.in_(ids))} if ids else {}


def _path_of(author: Author) -> str:
    return blog_paths.of_author(author.slug)
