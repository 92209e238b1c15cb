"""The question before an action that readers notice or that can't be undone."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from blogsvc.connections import manage
from blogsvc.connectors.sandbox import FAILS
from blogsvc.models import Post
from blogsvc.posts import editing, publishing
from blogsvc.posts.publish_request import PublishRequest
from tests.browser.conftest import Desk
from tests.publishing import publish_request


def published(desk: Desk) -> str:
    with desk.app() as (_, tools):
        post = editing.create({"title": "On the air", "content": "Some words."}, ["site"], tools.now())
        publish_request(post, PublishRequest(), tools)
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
    expect(button).to_be_visible()
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
    expect(page.get_by_role("heading", name=re.compile("Unpublished|Nothing"))).to_be_visible()
    expect(question).to_be_hidden()
    assert state(desk, post) == "unpublished"


def test_actions_that_destroy_something_are_red(page: Page, desk: Desk) -> None:
    page.goto(f"/desk/posts/{published(desk)}/status")
    for name in ("Unpublish", "Unpublish post"):
        button = page.get_by_role("button", name=name, exact=True)
        expect(button).to_be_visible()
        expect(button).to_have_css("color", "rgb(190, 38, 18)")


def test_a_question_above_the_publish_dialog_leaves_it_open(page: Page, desk: Desk) -> None:
    with desk.app() as (_, tools):
        post = editing.create({"title": "In a dialog", "content": "Words"}, ["site"], tools.now()).id
    page.goto(f"/desk/posts/{post}/status")
    page.get_by_role("link", name="Publish…").click()
    dialog = page.get_by_role("dialog", name="Publish")
    dialog.get_by_role("button", name="Publish on this blog").click()
    sheet = page.locator("dialog#sheet")
    button = sheet.get_by_role("button", name="Unpublish", exact=True).first
    expect(button).to_be_visible()
    button.press("Enter")
    question = page.get_by_role("alertdialog")
    expect(question).to_be_visible()
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(sheet).to_be_visible()
    expect(button).to_be_focused()


def test_a_question_survives_that_the_list_behind_it_is_loaded_again_and_acts_once(page: Page, desk: Desk) -> None:
    with desk.app() as (_, tools):
        manage.connect("sandbox", "never", {"outcome": FAILS}, tools)
        post = editing.create({"title": "Retried", "content": "Words"}, ["site", "never"], tools.now())
        publishing.publish(post, tools.now())
        post_id = post.id
    page.goto(f"/desk/posts/{post_id}/status")
    button = page.locator("#copy-site-page").get_by_role("button", name="Unpublish")
    expect(button).to_be_visible()
    button.click()
    question = page.get_by_role("alertdialog", name="Remove this post from your blog?")
    expect(question).to_be_visible()
    with page.expect_response(re.compile("/status")):  # the list shows the progress
        pass
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    question.get_by_role("button", name="Unpublish").dblclick()
    expect(page.locator("#copy-site-page")).to_contain_text("Unpublished")
    assert len([url for url in sent if "withdraw" in url]) == 1
