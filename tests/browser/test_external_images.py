"""Images on another site: the publish dialog copies them, and the text of the open editor follows."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from blogsvc.models import Post
from blogsvc.posts import editing
from tests.browser.conftest import Desk, Watched
from tests.browser.website import Website


@pytest.fixture(autouse=True)
def previews_show_no_images_without_encryption(watched: Watched) -> None:
    watched.expect("policy: img-src", "Content Security Policy directive", "Blocked script execution")


def write(page: Page, title: str, content: str) -> Locator:
    """Write a new post by keyboard, open the publish dialog, and return the text area."""
    page.goto("/desk")
    page.get_by_role("button", name="New post").click()
    page.get_by_label("Title").fill(title)
    text = page.get_by_label("Text, in Markdown")
    text.focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    page.keyboard.insert_text(content)
    page.keyboard.press("ControlOrMeta+Enter")
    return text


def test_images_on_another_site_are_copied_before_the_post_is_published(
    page: Page, website: Website, look: Callable[..., None]
) -> None:
    text = write(
        page, "Two images", f"One:\n\n![Fast]({website.url}/fast.png)\n\n![Other]({website.url}/other.png)\n\nEnd."
    )
    dialog = page.get_by_role("dialog", name="Publish")
    expect(dialog).to_contain_text("2 images are on other sites and may disappear.")
    expect(dialog.get_by_role("button", name="Publish on")).to_have_count(0)
    look(page, "external-images")
    dialog.get_by_role("button", name="Copy them here").press("Enter")
    expect(dialog.get_by_role("button", name="Publish on this blog")).to_be_visible()
    expect(dialog).not_to_contain_text("may disappear")
    expect(text).to_have_value(
        re.compile(r"^One:\n\n!\[Fast\]\(/media/fast-\w{10}\.png\)\n\n!\[Other\]\(/media/other-\w{10}\.png\)\n\nEnd\.$")
    )
    dialog.get_by_role("link", name="Back to writing").click()
    write_on(page, text)


def write_on(page: Page, text: Locator) -> None:
    """Write at the end of the text, and expect no conflict."""
    text.press("ControlOrMeta+End")
    page.keyboard.type(" And on.")
    with page.expect_response(re.compile("/draft$")) as saved:
        page.keyboard.press("ControlOrMeta+s")
    assert saved.value.status == 200
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_image_that_is_refused_can_be_tried_again_or_left(
    page: Page, website: Website, look: Callable[..., None]
) -> None:
    text = write(page, "A door", f"![Private]({website.url}/private.png)")
    dialog = page.get_by_role("dialog", name="Publish")
    dialog.get_by_role("button", name="Copy it here").click()
    expect(dialog).to_contain_text("127.0.0.1 did not send the image: the server returned 403.")
    look(page, "external-images-refused")
    dialog.get_by_role("button", name="Leave it there").click()
    expect(dialog.get_by_role("button", name="Publish on this blog")).to_be_visible()
    website.is_open.set()
    dialog.get_by_role("button", name="Copy it here").click()
    expect(text).to_have_value(re.compile(r"/media/private-\w{10}\.png"))
    expect(dialog).not_to_contain_text("may disappear")


def test_the_user_writes_on_while_images_are_copied(page: Page, website: Website) -> None:
    images = "\n\n".join(f"![]({website.url}/{name}.png)" for name in ("one", "slow", "two"))
    text = write(page, "Slow", images)
    dialog = page.get_by_role("dialog", name="Publish")
    dialog.get_by_role("button", name="Copy them here").click()
    expect(text).to_have_value(re.compile(r"/media/one-\w{10}\.png"))
    expect(dialog.get_by_role("region", name="Uploads")).to_contain_text("slow.png")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    write_on(page, text)
    website.go_on.set()
    expect(text).to_have_value(re.compile(r"/media/slow-\w{10}\.png\)\n\n!\[\]\(/media/two-\w{10}\.png\) And on\.$"))
    write_on(page, text)


def test_a_failed_copy_publishes_nothing(page: Page, desk: Desk, website: Website) -> None:
    write(page, "A door", f"![Private]({website.url}/private.png)")
    dialog = page.get_by_role("dialog", name="Publish")
    dialog.get_by_role("button", name="Leave it there").click()
    expect(dialog.get_by_role("button", name="Publish on this blog")).to_be_visible()
    dialog.get_by_role("button", name="Copy it here").click()
    expect(dialog).to_contain_text("the server returned 403")
    expect(dialog.get_by_role("button", name="Try again")).to_be_visible()
    expect(dialog.get_by_role("heading", name="Publish", exact=True)).to_be_visible()
    with desk.app():
        assert Post.get(page.url.rpartition("/")[2]).state == "draft"


def test_a_field_of_the_dialog_gets_nothing_of_the_copied_text(page: Page, desk: Desk, website: Website) -> None:
    with desk.app() as (_, tools):
        words = {"title": "Slow", "content": f"![]({website.url}/slow.png)"}
        post = editing.create(words, ["site", "wordpress"], tools.now()).id
    page.goto(f"/desk/posts/{post}")
    text = page.get_by_label("Text, in Markdown")
    text.focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    page.keyboard.press("ControlOrMeta+Enter")
    dialog = page.get_by_role("dialog", name="Publish")
    dialog.get_by_text("Text for WordPress").click()
    field = dialog.get_by_role("textbox", name="Text for WordPress")
    expect(field).to_have_value(f"![]({website.url}/slow.png)")
    dialog.get_by_role("button", name="Copy it here").click()
    field.focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Only there")
    website.go_on.set()
    expect(text).to_have_value(re.compile(r"^!\[\]\(/media/slow-\w{10}\.png\)$"))
    expect(dialog).not_to_contain_text("may disappear")
    expect(dialog.get_by_role("textbox", name="Text for WordPress")).to_have_value("Only there")


def test_closing_the_dialog_while_the_server_copies_causes_no_conflict(page: Page, website: Website) -> None:
    text = write(page, "Slow", f"![A gull][gull]\n\n[gull]: {website.url}/slow.png")
    dialog = page.get_by_role("dialog", name="Publish")
    with page.expect_request(lambda sent: sent.method == "POST" and sent.url.endswith("/publish")):
        dialog.get_by_role("button", name="Copy it here").click()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    website.go_on.set()
    expect(text).to_have_value(re.compile(r"\[gull\]: /media/slow-\w{10}\.png$"))
    write_on(page, text)


def test_the_editor_shows_what_only_the_server_could_copy(page: Page, website: Website) -> None:
    text = write(page, "Defined elsewhere", f"![A gull][gull]\n\n[gull]: {website.url}/gull.png")
    dialog = page.get_by_role("dialog", name="Publish")
    dialog.get_by_role("button", name="Copy it here").click()
    expect(text).to_have_value(re.compile(r"^!\[A gull\]\[gull\]\n\n\[gull\]: /media/gull-\w{10}\.png$"))
    expect(dialog.get_by_role("button", name="Publish on this blog")).to_be_visible()
    dialog.get_by_role("link", name="Back to writing").click()
    write_on(page, text)
