"""The question before an action that readers notice or that can't be undone."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from blogsvc.models import Post
from blogsvc.posts import editing, publishing
from tests.browser.conftest import Desk


def published(desk: Desk) -> str:
    with desk.app() as (_, tools):
        post = editing.create({"title": "On the air", "content": "Some words."}, ["site"], tools.now())
        publishing.publish_request(post, publishing.PublishRequest(), tools.now(), tools)
        return post.id


def state(desk: Desk, post_id: str) -> str:
    with desk.app():
        return Post.get(post_id).state


def test_unpublishing_is_asked_for_in_a_dialog_and_done_only_when_confirmed(
    page: Page, desk: Desk, look: Callable[..., None]
) -> None:
    post = published(desk)
    page.goto(f"/desk/posts/{post}/status")
    button = page.locator("#copy-site-page").get_by_role("button", name="Unpublish")
    expect(button).to_be_visible(timeout=30_000)
    question = page.get_by_role("alertdialog", name="Remove this post from your blog?")
    for leave in ("Cancel", "Escape"):
        button.press("Enter")
        expect(question).to_contain_text("Copies elsewhere stay.")
        expect(question.get_by_role("button", name="Cancel")).to_be_focused()
        if leave == "Cancel":
            look(page, "question")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("Escape")
        expect(question).to_be_hidden()
        expect(button).to_be_focused()
    assert state(desk, post) == "published"
    button.click()
    question.get_by_role("button", name="Unpublish").click()
    expect(page.get_by_role("heading", name=re.compile("Unpublished|Nothing"))).to_be_visible(timeout=30_000)
    expect(question).to_be_hidden()
    assert state(desk, post) == "unpublished"


def test_actions_that_destroy_something_are_red(page: Page, desk: Desk) -> None:
    page.goto(f"/desk/posts/{published(desk)}/status")
    for name in ("Unpublish", "Unpublish post"):
        button = page.get_by_role("button", name=name, exact=True)
        expect(button).to_be_visible(timeout=30_000)
        expect(button).to_have_css("color", "rgb(190, 38, 18)")
