"""Pages show why a text is refused, and stay usable."""

from __future__ import annotations

from collections.abc import Callable

from blogsvc.models import Post
from tests.siege.texts import WORST
from tests.web.page_walk import Pages

REPEATED = WORST["open b"]()
REASON = "Line 1 opens &lt;b id=a0&gt; and does not close it."


def test_the_preview_shows_the_reason(pages: Pages, a_post: Callable[..., Post]) -> None:
    post = a_post(content=REPEATED)
    page = pages.get(f"/desk/posts/{post.id}/page")
    assert page.status_code == 200
    assert REASON in page.text


def test_the_pages_of_such_a_post_can_be_opened(pages: Pages, a_post: Callable[..., Post]) -> None:
    post = a_post(content=REPEATED)
    for page in ("", "/details", "/history", "/publish"):
        assert pages.get(f"/desk/posts/{post.id}{page}").status_code == 200, page


def test_the_publish_dialog_shows_the_reason_and_does_not_publish(pages: Pages, a_post: Callable[..., Post]) -> None:
    post = a_post(content=REPEATED)
    assert REASON in pages.get(f"/desk/posts/{post.id}/publish").text
    answer = pages.post(f"/desk/posts/{post.id}/publish", to="site")
    assert answer.status_code == 422
    assert REASON in answer.text
