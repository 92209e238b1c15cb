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


@pytest.fixture(autouse=True)
def publishing_at_once(app: Any) -> None:
    with transaction():
        Setting.write("undo_seconds", 0)


def dialog(pages: Any, post: Post) -> str:
    return str(pages.get(f"/desk/posts/{post.id}/publish").text)


def send(pages: Any, post: Post, **form: Any) -> str:
    answer = pages.post(f"/desk/posts/{post.id}/publish", **form)
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


def test_without_scripts_one_request_copies_all(pages: Any, a_post: Any, outside: Outside) -> None:
    for url in (PIER, GULL):
        outside.teach("GET", url, body=png())
    post = a_post(content=f"![The pier]({PIER})\n\n![A gull]({GULL})")
    assert can_publish(send(pages, post, copy_images="all"))


def test_an_image_that_cannot_be_copied_is_named_with_the_reason(pages: Any, a_post: Any, outside: Outside) -> None:
    outside.teach("GET", PIER, status=404)
    outside.teach("GET", PIER, body=png())  # at the second request
    outside.teach("GET", GULL, body=png(40))
    post = a_post(content=f"![The pier]({PIER})\n\n![A gull]({GULL})")
    text = send(pages, post, copy_images="all")
    assert "docs.example did not send the image: the server returned 404." in text
    assert (BLOCKS in text, "Try again" in text, can_publish(text)) == (True, True, False)
    assert can_publish(send(pages, post, copy_images="all"))


@pytest.mark.parametrize(
    "content",
    [
        "![The pier][p]\n\n[p]: {url} 'At noon'",
        '<img src={url} alt="The pier">',
        "<img src='{url}'>",
        "![The pier](<{url}>)",
        "![The pier](https://docs.example/p\u00eaer.png)",
    ],
)
def test_an_image_is_found_and_copied_however_it_is_written(
    content: str, pages: Any, a_post: Any, outside: Outside
) -> None:
    outside.teach("GET", PIER, body=png())
    outside.teach("GET", "https://docs.example/p%C3%AAer.png", body=png())
    post = a_post(content=content.format(url=PIER))
    assert BLOCKS in dialog(pages, post)
    text = send(pages, post, copy_images="all")
    assert can_publish(text), text
    assert "docs.example" not in Post.get(post.id).content


def test_the_text_for_one_destination_keeps_its_own_words(pages: Any, a_post: Any, outside: Outside) -> None:
    outside.teach("GET", PIER, body=png())
    own = {"wordpress": {"content": f"There: ![]({PIER})", "title": "Another"}}
    post = a_post(platforms=["site", "wordpress"], overrides=own)
    assert BLOCKS in dialog(pages, post)
    send(pages, post, copy_images="all", platforms=["site", "wordpress"])
    (image,) = db.session.query(Media)
    assert Post.get(post.id).overrides == {"wordpress": {"content": f"There: ![]({image.path})", "title": "Another"}}


def test_a_text_that_is_being_changed_for_one_destination_gets_the_copy(
    pages: Any, a_post: Any, outside: Outside
) -> None:
    outside.teach("GET", PIER, body=png())
    post = a_post(platforms=["site", "wordpress"])
    form = {"platforms": ["site", "wordpress"], "text:wordpress": f"![]({PIER})", "shown:wordpress": "Some *words*."}
    assert BLOCKS in send(pages, post, check="1", **form)
    text = send(pages, post, copy_images="all", **form)
    (image,) = db.session.query(Media)
    assert (f"![]({image.path})</textarea>" in text, can_publish(text)) == (True, True)
    assert Post.get(post.id).overrides == {}  # it is saved with publishing


def test_images_that_readers_cannot_see_are_told(pages: Any, a_post: Any) -> None:
    text = dialog(pages, a_post(content=f"![The pier]({PIER.replace('https', 'http')})"))
    assert f"{BLOCKS} Readers of your blog don" in text


@pytest.mark.parametrize(
    "content",
    [
        f"    ![The pier]({PIER})",
        f"> ```\n> ![The pier]({PIER})\n> ```",
        f"\\![The pier]({PIER})",
        f"<!-- ![The pier]({PIER}) -->\n\nText",
        f"[The pier]({PIER})",
        '<video src="https://docs.example/pier.mp4"></video>',
    ],
)
def test_what_readers_see_as_code_link_or_video_is_no_finding(content: str, pages: Any, a_post: Any) -> None:
    assert "may disappear" not in dialog(pages, a_post(content=content))


def test_what_only_looks_like_the_definition_of_an_image_stays(pages: Any, a_post: Any, outside: Outside) -> None:
    outside.teach("GET", PIER, body=png())
    rest = f"[^1]: {PIER}\n\n[link]: {PIER}"
    post = a_post(content=f"![The pier]({PIER}) by him[^1], [there][link]\n\n{rest}")
    send(pages, post, copy_images="all")
    assert Post.get(post.id).content.endswith(rest)


def test_a_text_for_a_destination_that_is_not_selected_blocks_nothing(pages: Any, a_post: Any) -> None:
    own = {"wordpress": {"content": f"![]({PIER})"}}
    post = a_post(platforms=["site", "wordpress"], overrides=own)
    form = {"when": "now", "platforms": "site"}
    assert can_publish(send(pages, post, check="1", **form))
    send(pages, post, **form)
    assert Post.get(post.id).state == "published"


def test_an_image_that_was_added_behind_the_dialog_is_asked_about(pages: Any, a_post: Any) -> None:
    post = a_post(content=f"![The pier]({PIER})", platforms=["site"])
    answer = pages.post(f"/desk/posts/{post.id}/publish", when="now", platforms="site")
    assert (answer.status_code, BLOCKS in answer.text) == (422, True)
    assert Post.get(post.id).state == "draft"


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
