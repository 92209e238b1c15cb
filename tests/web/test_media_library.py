"""The media pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import TestResponse

from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import Media, Post, User, db, transaction
from blogsvc.models.user import Role
from tests.api_client import BOUNDARY, File, encoded_form
from tests.clock import Time
from tests.images import jpeg, png
from tests.web.page_walk import Pages

JSON = {"Accept": "application/json"}
HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def add_image(tools: Tools) -> Callable[..., Media]:
    def make(filename: str = "ferry.png", alt: str = "", data: bytes = b"") -> Media:
        return images.add(data or png(), filename, alt, tools)

    return make


def send(
    pages: Pages, data: bytes, name: str = "ferry.jpg", headers: dict[str, str] | None = None, follow: bool = False
) -> TestResponse:
    form = {"csrf_token": pages.token(), "file": File(data, name)}
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    return pages.client.post(
        "/desk/media", data=encoded_form(form), content_type=kind, headers=headers, follow_redirects=follow
    )


def items(answer: TestResponse) -> list[str]:
    """Return the ids of the images on a page."""
    return re.findall(r'<li id="(med_\w+)"', answer.text)


def reload_media(media_id: str) -> Media | None:
    db.session.rollback()
    db.session.expire_all()  # reload rows from the database
    return db.session.get(Media, media_id)


def test_an_empty_media_page_explains_how_to_begin(pages: Pages) -> None:
    assert "No images yet" in pages.get("/desk/media").text


def test_an_image_uploaded_by_form_is_listed(pages: Pages) -> None:
    answer = send(pages, jpeg(1200, 900), follow=True)
    assert "Add its alt text" in answer.text
    (media_id,) = items(answer)
    image = reload_media(media_id)
    assert image is not None
    assert (image.filename, image.width) == ("ferry.jpg", 1200)
    assert f'src="{image.path}"' in answer.text
    assert 'width="1200" height="900"' in answer.text
    assert f"{image.sizes[0]['name']} 480w" in answer.text


def test_an_upload_that_accepts_json_returns_the_markdown(pages: Pages) -> None:
    answer = send(pages, png(), headers=JSON)
    assert answer.status_code == 201
    image = reload_media(answer.json["id"])
    assert image is not None
    words = {"id": image.id, "url": image.path, "alt": "", "markdown": f"![]({image.path})"}
    assert answer.json == words | {"isNew": True}
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_same_file_again_is_said_to_be_here(pages: Pages, time: Time) -> None:
    assert "Image uploaded." in send(pages, png(), follow=True).text
    time.passes(seconds=5)
    assert "This image is here already." in send(pages, png(), follow=True).text
    assert send(pages, png(), headers=JSON).json["isNew"] is False
    assert len(items(pages.get("/desk/media"))) == 1


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 422, "SVG"),
        (b"words", 422, "JPEG, PNG, GIF, WebP"),
        (b"", 422, "empty"),
        (bytes(20 * 1024 * 1024 + 1), 422, "at most 20 MiB"),
        (bytes(25 * 1024 * 1024), 413, "at most 20 MiB"),
    ],
    ids=["svg", "text", "nothing", "a little too large", "far too large"],
)
def test_an_invalid_upload_is_rejected_with_a_reason(pages: Pages, data: bytes, status: int, words: str) -> None:
    answer = send(pages, data)
    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    assert words in answer.text
    answer = send(pages, data, headers=JSON)
    assert (answer.status_code, answer.mimetype) == (status, "application/json")
    assert words in answer.json["detail"]
    assert items(pages.get("/desk/media")) == []


def test_a_form_without_a_file_asks_to_select_one(pages: Pages) -> None:
    assert "Select an image first." in pages.post("/desk/media").text


def test_an_upload_requires_signing_in(visitor: Pages) -> None:
    answer = visitor.client.post("/desk/media", data={"file": "a.png"}, headers=JSON)
    assert answer.status_code == 303
    assert db.session.query(Media).count() == 0


def test_images_can_be_filtered_searched_and_paged(pages: Pages, add_image: Any, a_post: Any) -> None:
    silent, told = add_image(), add_image("tram.png", "A tram", png(40, 30))
    a_post(content=f"![](/media/{silent.name})")
    assert items(pages.get("/desk/media")) == [told.id, silent.id]
    assert items(pages.get("/desk/media?show=undescribed")) == [silent.id]
    assert items(pages.get("/desk/media?show=unused")) == [told.id]
    assert items(pages.get("/desk/media?q=TRAM")) == [told.id]
    assert items(pages.get("/desk/media?show=some&before=")) == [told.id, silent.id]
    with transaction():
        for number in range(25):
            copy = Media.of(f"{number}.png", "", told.created_at)
            copy.media_type, copy.width, copy.height, copy.bytes, copy.name = "image/png", 1, 1, 1, told.name
            db.session.add(copy)
    first = pages.get("/desk/media")
    assert len(items(first)) == 24
    link = re.search(r'rel="next" href="([^"]+)"', first.text)
    assert link is not None
    rest = pages.get(link[1].replace("&amp;", "&"))
    assert len(items(rest)) == 3
    assert not set(items(first)) & set(items(rest))
    assert 'rel="next"' not in rest.text


def test_alt_text_can_be_saved(pages: Pages, add_image: Any) -> None:
    image = add_image()
    answer = pages.post(f"/desk/media/{image.id}", alt=" A ferry\r\nleaves ", follow=True)
    assert "Alt text saved." in answer.text
    assert reload_media(image.id).alt == "A ferry leaves"  # type: ignore[union-attr]

    answer = pages.post(f"/desk/media/{image.id}", alt="A tram", headers=HTMX)
    assert answer.text.startswith(f'<li id="{image.id}"')
    assert answer.headers["HX-Trigger"] == "images-changed"
    assert reload_media(image.id).alt == "A tram"  # type: ignore[union-attr]


def test_an_overlong_alt_text_is_kept_in_the_form_and_not_saved(pages: Pages, add_image: Any) -> None:
    image = add_image()
    answer = pages.post(f"/desk/media/{image.id}", alt="a" * 1501)
    assert answer.status_code == 422
    assert "at most 1500 characters" in answer.text
    assert "a" * 1501 in answer.text
    assert reload_media(image.id).alt == ""  # type: ignore[union-attr]


def test_an_image_lists_the_posts_that_use_it(pages: Pages, add_image: Any, a_post: Any) -> None:
    image = add_image()
    assert "Not used in any post" in pages.get(f"/desk/media/{image.id}").text
    for number in range(5):
        a_post(title=f"Post & {number}", content=f"![](/media/{image.name})")
    page = pages.get("/desk/media").text
    assert "Post &amp; 0" in page
    assert "2 more" in page


def test_deleting_an_image_in_use_requires_confirmation(
    pages: Pages, add_image: Any, a_post: Any, tools: Tools
) -> None:
    image = add_image()
    a_post(title="On ferries", content=f"![](/media/{image.name})")
    answer = pages.post(f"/desk/media/{image.id}/delete")
    assert answer.status_code == 409
    assert "On ferries" in answer.text
    assert "Delete anyway" in answer.text
    assert reload_media(image.id) is not None

    answer = pages.post(f"/desk/media/{image.id}/delete", force="1", follow=True)
    assert "Image deleted." in answer.text
    assert reload_media(image.id) is None
    assert list(tools.config.media.iterdir()) == []


def test_an_unused_image_is_deleted_at_once(pages: Pages, add_image: Any) -> None:
    image = add_image()
    answer = pages.post(f"/desk/media/{image.id}/delete", headers=HTMX)
    assert (answer.status_code, answer.text) == (200, "")
    assert pages.get(f"/desk/media/{image.id}").status_code == 404


def uploaded(pages: Pages) -> str:
    """Upload an image as this user, and return its id."""
    answer = send(pages, png(), "mine.png", headers=JSON)
    assert answer.status_code == 201
    return str(answer.json["id"])


@pytest.mark.parametrize("role", ["editor", "author"])
def test_an_author_edits_only_their_own_images(
    role: Role, somebody: Callable[..., User], browser_of: Callable[[User], Pages], add_image: Any
) -> None:
    author, other = browser_of(somebody(role, "Ben")), browser_of(somebody("author", "Eve"))
    theirs, imported, own = uploaded(other), add_image().id, uploaded(author)
    page = author.get("/desk/media").text
    for image in (theirs, imported, own):
        is_allowed = role == "editor" or image == own
        assert (f'id="{image}-alt"' in page) == is_allowed
        assert (author.post(f"/desk/media/{image}", alt="A tram").status_code == 303) == is_allowed
        assert (author.post(f"/desk/media/{image}/delete").status_code == 303) == is_allowed
        assert (reload_media(image) is None) == is_allowed


def test_an_image_that_others_use_is_no_longer_the_authors_to_change(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], a_post: Callable[..., Post]
) -> None:
    author = somebody("author", "Ben")
    pages = browser_of(author)
    image = uploaded(pages)
    name = Media.get(image).name
    own = a_post(content=f"![](/media/{name})")
    with transaction():
        db.session.get_one(Post, own.id).author_id = author.id
    assert pages.post(f"/desk/media/{image}", alt="A tram").status_code == 303
    a_post(content=f"![](/media/{name})")
    assert pages.post(f"/desk/media/{image}", alt="Something else").status_code == 403
    assert pages.post(f"/desk/media/{image}/delete", force="1").status_code == 403
    assert "A tram" in pages.get("/desk/media").text


def test_an_author_sees_no_titles_of_other_authors_and_cannot_delete_images_in_use(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], add_image: Any, a_post: Callable[..., Post]
) -> None:
    author = somebody("author", "Ben")
    pages = browser_of(author)
    image = add_image()
    a_post(title="A secret plan", content=f"![](/media/{image.name})")
    page = pages.get("/desk/media").text
    assert "A secret plan" not in page
    assert "1 post by other users" in page
    answer = pages.post(f"/desk/media/{image.id}/delete", force="1")
    assert answer.status_code == 403
    assert reload_media(image.id) is not None
