"""The page where an owner chooses the icon or a logo of the blog: an upload, or an image of the media library."""

from __future__ import annotations

from typing import NamedTuple

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, NotFound
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.media.site_images import MIN_ICON_SIDE, choose_site_images
from blogsvc.models import Media, db
from blogsvc.models.media import conditions, newest
from blogsvc.models.site_images import SITE_IMAGES, SiteImage, site_images
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.media.uploads import taken_in

IMAGES_TO_A_PAGE = 24


class Wording(NamedTuple):
    """What the pages say about an image of the blog."""

    title: str
    help: str


WORDING: dict[SiteImage, Wording] = {
    "icon": Wording(
        "Icon",
        f"At least {MIN_ICON_SIDE} × {MIN_ICON_SIDE} pixels. Of an image that is not square, the middle is shown."
        " Without an icon, the first letter of the title is shown.",
    ),
    "logo": Wording("Logo", "Shown in the header in place of the title, about 47 pixels high."),
    "logo_dark": Wording("Logo for dark mode", "Shown to readers who use dark mode. Without it, they see the logo."),
}


def chosen_images() -> dict[SiteImage, Media | None]:
    """Return the icon and the logos of the blog."""
    ids = site_images()
    return {name: db.session.get(Media, ids[name]) if name in ids else None for name in SITE_IMAGES}


@route("GET POST", "/desk/settings/blog/images/<name>", role="owner", effect=Effect.ARRANGE)
def site_image(name: str) -> Response:
    if name not in WORDING:
        raise NotFound("There is no such image of the blog.")
    if request.method == "GET":
        return _page(name)
    wording = WORDING[name]
    try:
        media_id = None if "remove" in request.form else _sent_image()
        choose_site_images({name: media_id}, context.tools())
    except Invalid as error:
        return _page(name, " ".join(fault.detail for fault in error.faults))
    notice(f"{wording.title} {'saved' if media_id else 'removed'}.")
    return go("desk.blog_settings", _anchor="images")


def _sent_image() -> str:
    """Return the id of the image that was uploaded or selected. Raises Invalid."""
    if "upload" not in request.form and (media_id := request.form.get("image")):
        return media_id
    return taken_in(request.files.get("file")).id


def _page(name: SiteImage, fault: str = "") -> Response:
    question = request.args.get("q", "").strip()[:200]
    images, older = newest(conditions("all", question), request.args.get("before"), IMAGES_TO_A_PAGE)
    return show(
        "desk/settings/site_image.html",
        status=422 if fault else 200,
        name=name,
        wording=WORDING[name],
        current=chosen_images()[name],
        images=images,
        older=older,
        question=question,
        most=MAX_IMAGE_BYTES,
        fault=fault,
    )
