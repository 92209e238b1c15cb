"""Owners choose the icon and the logos of the blog: an upload, or an image of the media library."""

from __future__ import annotations

import html
from collections.abc import Callable
from io import BytesIO

from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.test import TestResponse

from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.media.site_images import choose_site_images
from blogsvc.models import Media, User, db
from blogsvc.models.site_images import site_images
from tests.images import png
from tests.web.page_walk import Pages

SETTINGS = "/desk/settings/blog"
ICON, LOGO = f"{SETTINGS}/images/icon", f"{SETTINGS}/images/logo"


def chosen() -> dict[str, str]:
    db.session.rollback()
    return {str(name): media_id for name, media_id in site_images().items()}


def send(pages: Pages, path: str, **form: object) -> TestResponse:
    return pages.client.post(path, data=form, headers={"X-CSRFToken": pages.token()})


def test_an_icon_is_uploaded_and_removed(pages: Pages, client: FlaskClient) -> None:
    answer = send(pages, ICON, upload="1", file=(BytesIO(png(600, 512)), "icon.png"))
    assert answer.location == f"{SETTINGS}#images"
    page = pages.get(SETTINGS).text
    assert "Icon saved." in page
    assert client.get("/icon.svg").status_code == 404
    assert "Remove icon" in pages.get(ICON).text

    send(pages, ICON, remove="1")
    assert chosen() == {}
    assert client.get("/icon.svg").status_code == 200


def test_a_logo_is_chosen_from_the_media_library(pages: Pages, tools: Tools) -> None:
    media = images.add(png(400, 100), "Harbour logo.png", "Harbour", tools)
    images.add(png(300, 100), "ferry.png", "", tools)
    page = pages.get(f"{LOGO}?q=harbour").text
    assert f'value="{media.id}"' in page
    assert "ferry" not in page
    send(pages, LOGO, image=media.id)
    assert chosen() == {"logo": media.id}


def test_an_unsuitable_image_is_refused_with_what_is_needed(pages: Pages) -> None:
    answer = send(pages, ICON, upload="1", file=(BytesIO(png(600, 300)), "icon.png"))
    assert answer.status_code == 422
    assert "An icon must be at least 512 pixels wide and high. This image has 600 × 300 pixels." in answer.text
    assert "Select an image first." in send(pages, ICON, upload="1").text
    assert "There is no image" in html.unescape(send(pages, LOGO, image="med_none").text)
    assert chosen() == {}
    assert pages.get(f"{SETTINGS}/images/cover").status_code == 404


def test_the_media_library_shows_what_an_image_is(
    pages: Pages, tools: Tools, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    media = images.add(png(400, 100), "logo.png", "", tools)
    choose_site_images({"logo": media.id, "logo_dark": media.id}, tools)
    page = pages.get("/desk/media").text
    assert "the logo of the blog, the logo of the blog for dark mode" in page
    assert "Not used in any post" not in page
    answer = send(pages, f"/desk/media/{media.id}/delete")
    assert answer.status_code == 409
    assert "This image is the logo of the blog and the logo of the blog for dark mode." in answer.text
    send(pages, f"/desk/media/{media.id}/delete", force="1")
    assert chosen() == {}


def test_an_author_cannot_delete_their_image_while_the_blog_uses_it(
    tools: Tools, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    ben = browser_of(somebody("author", name="Ben"))
    send(ben, "/desk/media", file=(BytesIO(png(400, 100)), "logo.png"))
    (media,) = db.session.scalars(select(Media.id))
    choose_site_images({"logo": media}, tools)
    assert send(ben, f"/desk/media/{media}/delete", force="1").status_code == 403
    assert chosen() == {"logo": media}
