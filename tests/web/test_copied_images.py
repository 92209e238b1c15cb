"""Images of other websites are copied into the media library, for text that was pasted with them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from io import BytesIO
from typing import Any

import pytest
from werkzeug.test import TestResponse

from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.models import Media, User, db
from tests.images import png
from tests.outside import Outside, Reply, Seen
from tests.web.page_walk import Pages

URL = "https://docs.example/images/the%20pier.png?w=640"


def copy(pages: Pages, url: Any) -> TestResponse:
    headers = {"X-CSRFToken": pages.token(), "Accept": "application/json"}
    return pages.client.post("/desk/media/copy", json={"url": url}, headers=headers)


def upload(pages: Pages, data: bytes | None = None) -> TestResponse:
    headers = {"X-CSRFToken": pages.token(), "Accept": "application/json"}
    form = {"file": (BytesIO(data or png()), "pier.png")}
    return pages.client.post("/desk/media", data=form, headers=headers)


def stored() -> list[Media]:
    return list(db.session.query(Media))


def test_an_image_is_copied_and_named_after_its_file(pages: Pages, outside: Outside) -> None:
    outside.teach("GET", URL, body=png())
    answer = copy(pages, URL)
    assert answer.status_code == 201
    (image,) = stored()
    assert (image.filename, answer.json["url"]) == ("the pier.png", image.path)
    assert image.path.startswith("/media/the-pier-")
    with pages.get(image.path) as shown:
        assert shown.data.startswith(b"\x89PNG")


def test_a_redirect_is_followed(pages: Pages, outside: Outside) -> None:
    outside.teach("GET", URL, status=302, headers={"Location": "https://cdn.example/1.png"})
    outside.teach("GET", "https://cdn.example/1.png", body=png())
    assert copy(pages, URL).status_code == 201


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"status": 404}, "docs.example did not send the image: the server returned 404."),
        ({"body": b"<html>Sign in</html>"}, "This file is not a JPEG, PNG, GIF, WebP or AVIF image."),
        ({"body": b"x" * (MAX_IMAGE_BYTES + 1)}, "The image at docs.example is larger than 20 MiB."),
        ({"failure": "hangs"}, "docs.example took too long to send the image."),
        ({"failure": "refused"}, "The image could not be fetched from docs.example."),
    ],
)
def test_an_image_that_cannot_be_copied_is_refused_with_the_reason(
    reply: dict[str, Any], reason: str, pages: Pages, outside: Outside
) -> None:
    outside.teach("GET", URL, **reply)
    answer = copy(pages, URL)
    assert (answer.status_code, reason in answer.json["detail"]) == (422, True), answer.json
    assert stored() == []


@pytest.mark.parametrize("address", ["10.0.0.7", "127.0.0.1", "169.254.169.254", "::1"])
def test_nothing_is_fetched_from_private_addresses(address: str, pages: Pages, outside: Outside) -> None:
    outside.names["docs.example"] = [address]
    answer = copy(pages, URL)
    assert answer.status_code == 422
    assert "Images can't be copied from docs.example: its address is not public." in answer.json["detail"]
    assert outside.requests == []


@pytest.mark.parametrize("url", [None, 5, "", "file:///etc/passwd", "ftp://docs.example/a.png", "https://", "http://["])
def test_an_address_that_is_none_is_refused(url: Any, pages: Pages) -> None:
    answer = copy(pages, url)
    assert (answer.status_code, bool(answer.json["detail"])) == (422, True)
    assert stored() == []


def test_slow_websites_hold_up_neither_uploads_nor_the_database(
    pages: Pages, somebody: Callable[..., User], browser_of: Callable[[User], Pages], outside: Outside
) -> None:
    ben, eve = (browser_of(somebody("author", name)) for name in ("Ben", "Eve"))
    during: list[TestResponse] = []

    def meanwhile(*requests: Callable[[], TestResponse]) -> Callable[[Seen], Reply]:
        """Answer with an image, after others have sent these requests."""

        def answer(_seen: Seen) -> Reply:
            assert not db.session().in_transaction()
            during.extend(Context().run(request) for request in requests)
            return Reply(body=png())

        return answer

    outside.teach("GET", URL, meanwhile(lambda: copy(ben, URL), lambda: copy(eve, "https://slow.example/")))
    outside.teach("GET", "https://slow.example/", meanwhile(lambda: upload(pages), lambda: copy(pages, URL)))
    assert copy(ben, URL).status_code == 201
    # One image of a user is copied at a time, and of two users; uploads have places of their own.
    assert [answer.status_code for answer in during] == [503, 201, 503, 201]
    assert during[0].headers["Retry-After"] == "3"


@pytest.mark.settings(upload_mib_per_day=1)
def test_nothing_is_fetched_for_a_user_whose_quota_is_used_up(pages: Pages, outside: Outside) -> None:
    outside.teach("GET", URL, body=png())
    for size in (400_000, 400_001, 248_575):
        assert upload(pages, png().ljust(size, b"\0")).status_code == 201
    answer = copy(pages, URL)
    assert (answer.status_code, "which is the limit" in answer.json["detail"]) == (422, True)
    assert outside.requests == []


@pytest.mark.parametrize("path", ["/desk/media/copy", "/desk/paste"])
@pytest.mark.parametrize("body", ["[1]", "5", '"url"', "null", "{"])
def test_a_body_that_is_no_object_is_refused(path: str, body: str, pages: Pages) -> None:
    headers = {"X-CSRFToken": pages.token(), "Content-Type": "application/json"}
    assert pages.client.post(path, data=body, headers=headers).status_code == 422


def test_copying_needs_the_token_of_the_page(pages: Pages, outside: Outside) -> None:
    pages.token()
    assert pages.client.post("/desk/media/copy", json={"url": URL}).status_code in (400, 403, 422)
    assert outside.requests == []
