"""The media library: images, their alt text, and the posts that use them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flask import Response, jsonify, make_response, request
from wtforms import TextAreaField

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import InUse, Invalid
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.media_names import path_of
from blogsvc.lib.text.plain import markdown_image
from blogsvc.media import copying, images
from blogsvc.media.uses import usage_of
from blogsvc.models import Media, Post
from blogsvc.models.media import CHOICES, Choice, alt_of, conditions, newest, seen_without_alt, tally
from blogsvc.models.site_images import used_as
from blogsvc.web.framework import current_user
from blogsvc.web.framework.forms import Form, json_text, take_faults
from blogsvc.web.framework.rendering import go, is_fragment, notice, private, show
from blogsvc.web.framework.routes import blueprint, route
from blogsvc.web.media.uploads import refusal, taken_in, wants_json

TO_A_PAGE = 24
MAX_QUERY_LENGTH = 200
MAX_POSTS_NAMED = 3


class AltForm(Form):
    alt = TextAreaField("Alt text")


@route("GET", "/desk/media", role="author")
def media() -> Response:
    return _page()


@route("POST", "/desk/media", role="author", effect=Effect.WRITE)
def upload() -> Response:
    """Add an image. Returns its Markdown as JSON for scripts, and redirects to the library for forms."""
    begun_at = context.now() - timedelta(milliseconds=1)  # the database may store less of it
    try:
        image = taken_in(request.files.get("file"))
    except Invalid as error:
        return refusal(422, str(error)) if wants_json() else _page(422, fault=str(error))
    if wants_json():
        return _added(image, is_new=image.created_at >= begun_at)
    notice("Image uploaded. Add its alt text." if image.created_at >= begun_at else "This image is here already.")
    return go("desk.media")


@route("POST", "/desk/media/copy", role="author", effect=Effect.WRITE)
def copy_image() -> Response:
    """Copy an image of another website, for text that was pasted with it."""
    url = json_text("url")
    if url is None:
        return refusal(422, "The address of the image is missing.")
    try:
        return _added(copying.copy(url, context.tools(), current_user.quota()))
    except Invalid as error:
        return refusal(422, str(error))


def _added(image: Media, *, is_new: bool = True) -> Response:
    markdown = markdown_image(image.alt, image.path)
    document = {"id": image.id, "url": image.path, "alt": image.alt, "markdown": markdown, "isNew": is_new}
    return private(make_response(jsonify(document), 201))


def _page(status: int = 200, **values: str) -> Response:
    choice, question = _choice_and_query()
    rows, older = newest(conditions(choice, question), request.args.get("before"), TO_A_PAGE)
    return show(
        "desk/media.html",
        "desk/_images.html",
        status,
        images=rows,
        uses=_uses(rows),
        older=older,
        choice=choice,
        question=question,
        tally=tally(question),
        most=MAX_IMAGE_BYTES,
        **values,
    )


def _choice_and_query() -> tuple[Choice, str]:
    wanted = request.args.get("show")
    choice: Choice = next((choice for choice in CHOICES if choice == wanted), "all")
    return choice, request.args.get("q", "").strip()[:MAX_QUERY_LENGTH]


@route("POST", "/desk/media/<media_id>", role="author", effect=Effect.WRITE)
def describe(media_id: str) -> Response:
    form = AltForm()
    try:
        guard = images.editable_by(current_user.user())
        image = images.describe(media_id, guard, alt=alt_of(form.alt.data or ""))
    except Invalid as error:
        take_faults(form, error)
        image = Media.get(media_id)
        return _image(image, 422, fault=" ".join(form.alt.errors), given=form.alt.data)
    if not is_fragment():
        notice("Alt text saved.")
        return go("desk.media")
    response = _image(image, saved=True)
    response.headers["HX-Trigger"] = "images-changed"
    return response


@route("GET", "/desk/media/<media_id>", role="author")
def image(media_id: str) -> Response:
    return _image(Media.get(media_id))


@route("POST", "/desk/media/<media_id>/delete", role="author", effect=Effect.WRITE)
def delete_image(media_id: str) -> Response:
    """Delete an image, after a confirmation if something uses it."""
    guard = images.editable_by(current_user.user())
    try:
        images.remove(media_id, context.tools().config, guard, force="force" in request.form)
    except InUse:
        return _image(Media.get(media_id), 409, in_the_way=True)
    if not is_fragment():
        notice("Image deleted.")
        return go("desk.media")
    return Response(status=200, headers={"HX-Trigger": "images-changed"})


def _image(image: Media, status: int = 200, **values: object) -> Response:
    """Show one image: as its own page, or as a fragment of the library."""
    return show("desk/image.html", "desk/_image.html", status, image=image, uses=_uses([image]), **values)


@dataclass(frozen=True)
class ImageUses:
    """The posts that use an image: those the user may see, and the number of others."""

    named: list[Post]
    more: int
    # True if the user may edit and delete the image.
    can_edit: bool
    # True if readers of one of the posts, also of others, see it without alternative text.
    lacks_alt: bool
    # What else it is, such as "the icon of the blog".
    used_as: list[str]


def _uses(rows: list[Media]) -> dict[str, ImageUses]:
    user, uses = current_user.user(), {}
    usage, lacking = usage_of(rows), seen_without_alt(rows)
    places = used_as([media.id for media in rows])
    for media in rows:
        posts = usage[media.id]
        named = [post for post in posts if user.can_see(post)][:MAX_POSTS_NAMED]
        can_edit = images.can_edit(user, media, posts)
        uses[media.id] = ImageUses(
            named, len(posts) - len(named), can_edit, media.id in lacking, places.get(media.id, [])
        )
    return uses


@blueprint.app_template_filter("srcset")
def srcset(image: Media) -> str:
    """Return the `srcset` of an image: its files and their widths."""
    files = {size["width"]: size["name"] for size in image.sizes}
    files.setdefault(image.width, image.name)
    return ", ".join(f"{path_of(name)} {width}w" for width, name in sorted(files.items()))


@blueprint.app_template_filter("size")
def size(count: int) -> str:
    """Return a file size in kB or MB."""
    return f"{count / 1_000_000:.1f} MB" if count >= 1_000_000 else f"{max(1, round(count / 1000))} kB"


blueprint.add_app_template_filter(lambda image: markdown_image(image.alt, image.path), "as_markdown")
