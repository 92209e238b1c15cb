"""The publish dialog finds images on other websites, and copies them into the media library."""

from __future__ import annotations

import re
from typing import Any

import pytest

from blogsvc.models import Media, Post, Setting, db, transaction
from tests.images import png
from tests.outside import Outside

PIER, GULL = "https://docs.example/pier.png", "https://pictures.example/gull.png?size=640&key=a"
BLOCKS = "1 image is on another site and may disappear."
FRAGMENT = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def publishing_at_once(app: Any) -> None:
    with transaction():
        Setting.write("undo_seconds", 0)


def dialog(pages: Any, post: Post) -> str:
    return str(pages.get(f"/desk/posts/{post.id}/publish").text)


def send(pages: Any, post: Post, *, headers: dict[str, str] | None = None, **form: Any) -> str:
    answer = pages.post(f"/desk/posts/{post.id}/publish", headers=headers or {}, **form)
    db.session.rollback()
    db.session.expire_all()
    assert answer.status_code in (200, 303), answer.text
    return str(answer.text)


def can_publish(text: str) -> bool:
    return "data-go>" in text


def hidden_fields(text: str, *names: str) -> dict[str, Any]:
    return {name: re.findall(rf'name="{name}" value="([^"]*)"', text) for name in names}


def test_an_image_on_another_site_blocks_until_it_is_copied(pages: Any, a_post: Any, outside: Outside) -> None:
    outside.teach("GET", PIER, body=png())
    post = a_post(content=f"At the pier.\n\n![The pier]({PIER})\n\nA [link]({PIER}) stays.")
    before = dialog(pages, post)
    assert (BLOCKS in before, can_publish(before)) == (True, False)
    after = send(pages, post, copy_images="all")
    (image,) = db.session.query(Media)
    assert Post.get(post.id).content == f"At the pier.\n\n![The pier]({image.path})\n\nA [link]({PIER}) stays."
    assert (BLOCKS in after, can_publish(after)) == (False, True)


def test_a_cover_on_another_site_is_copied_too(pages: Any, a_post: Any, outside: Outside) -> None:
    outside.teach("GET", GULL, body=png())
    post = a_post(cover_image=GULL)
    assert BLOCKS in dialog(pages, post)
    send(pages, post, copy_images="all")
    (image,) = db.session.query(Media)
    assert Post.get(post.id).cover_image == f"https://blog.example{image.path}"


def test_each_request_of_the_open_dialog_copies_one_image(pages: Any, a_post: Any, outside: Outside) -> None:
    for url in (PIER, GULL):
        outside.teach("GET", url, body=png())
    post = a_post(content=f"![The pier]({PIER})\n\n![A gull]({GULL})")
    assert "2 images are on other sites and may disappear." in dialog(pages, post)
    first = send(pages, post, headers=FRAGMENT, copy_images="all")
    assert "Copying images, 1 left" in first
    assert 'hx-trigger="load"' in first
    second = send(pages, post, headers=FRAGMENT, copy_images="next")
    assert can_publish(second)
    assert "example" not in Post.get(post.id).content


def test_without_scripts_one_request_copies_all(pages: Any, a_post: Any, outside: Outside) -> None:
    for url in (PIER, GULL):
        outside.teach("GET", url, body=png())
    post = a_post(content=f"![The pier]({PIER})\n\n![A gull]({GULL})")
    assert can_publish(send(pages, post, copy_images="all"))


def test_an_image_that_cannot_be_copied_is_named_with_the_reason(pages: Any, a_post: Any, outside: Outside) -> None:
    outside.teach("GET", PIER, status=404)
    outside.teach("GET", PIER, body=png())  # at the second request
    outside.teach("GET", GULL, body=png())
    post = a_post(content=f"![The pier]({PIER})\n\n![A gull]({GULL})")
    first = send(pages, post, headers=FRAGMENT, copy_images="all")
    reason = "docs.example did not send the image: the server returned 404."
    assert reason in first
    told = hidden_fields(first, "failed", "reason")
    last = send(pages, post, headers=FRAGMENT, copy_images="next", **told)
    assert (reason in last, "Try again" in last, can_publish(last)) == (True, True, False)
    assert [seen.url for seen in outside.requests] == [PIER, GULL]  # the broken one was not asked for again
    assert can_publish(send(pages, post, headers=FRAGMENT, copy_images="all"))


def test_an_author_can_leave_an_image_where_it_is(pages: Any, a_post: Any) -> None:
    post = a_post(content=f"![The pier]({PIER})", platforms=["site"])
    left = send(pages, post, leave_images="now", platforms="site")
    assert (BLOCKS in left, can_publish(left)) == (True, True)
    told = hidden_fields(left, "leave_images")
    send(pages, post, when="now", platforms="site", **told)
    assert Post.get(post.id).state == "published"


def test_a_live_post_that_shows_the_image_already_can_be_updated(pages: Any, a_post: Any) -> None:
    post = a_post(live=True, content=f"![The pier]({PIER})")
    text = dialog(pages, post)
    assert BLOCKS in text
    assert 'class="err"' not in text


@pytest.mark.parametrize("url", ["/media/pier-0123456789.png", "https://blog.example/media/pier-0123456789.png"])
def test_images_of_this_blog_are_no_finding(url: str, pages: Any, a_post: Any) -> None:
    assert "may disappear" not in dialog(pages, a_post(content=f"![The pier]({url})"))
