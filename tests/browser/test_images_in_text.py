"""Images in the text of a post: dropped, pasted, described and uploaded again."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from blogsvc.media import images
from blogsvc.models import Post
from blogsvc.posts import editing
from tests.browser.conftest import Desk, Watched
from tests.images import jpeg

TEXT = "The first sentence. The second one.\n\nAnother paragraph."
PUT = """([kind, names, x, y]) => {
  const data = Uint8Array.from(atob("DATA"), (each) => each.charCodeAt(0));
  const transfer = new DataTransfer();
  for (const name of names) transfer.items.add(new File([data, name], name, { type: "image/jpeg" }));
  const event = kind === "paste"
    ? new ClipboardEvent(kind, { clipboardData: transfer, bubbles: true, cancelable: true })
    : new DragEvent(kind, { dataTransfer: transfer, clientX: x, clientY: y, bubbles: true, cancelable: true });
  document.getElementById("content").dispatchEvent(event);
}""".replace("DATA", b64encode(jpeg(640, 480)).decode())


@pytest.fixture
def write(desk: Desk, page: Page) -> Callable[[str], Locator]:
    """Return a function that opens a post in the editor and returns its text."""

    def open_post(content: str) -> Locator:
        with desk.app() as (_, tools):
            post = editing.create({"title": "On the ferries", "content": content}, None, tools.now())
        page.goto(f"/desk/posts/{post.id}")
        text = page.get_by_label("Text, in Markdown")
        text.focus()
        expect(page.locator("#write[data-ready]")).to_be_attached()
        return text

    return open_post


def put(page: Page, by: str, *names: str, x: float = 0, y: float = 0) -> None:
    """Drop images at a point of the window, or paste them at the caret."""
    page.evaluate(PUT, [by, names, x, y])


def put_caret(text: Locator, index: int) -> None:
    text.evaluate("(it, index) => { it.focus(); it.setSelectionRange(index, index); }", index)


def image(name: str) -> str:
    return rf"!\[\]\(/media/{name}-\w{{10}}\.jpg\)"


@pytest.mark.parametrize("by", ["drop", "paste"])
def test_several_images_become_paragraphs_without_splitting_a_sentence(
    page: Page, write: Callable[[str], Locator], by: str
) -> None:
    text = write(TEXT)
    put_caret(text, 10 if by == "paste" else len(TEXT))
    box: Any = text.bounding_box()
    put(page, by, "China 2019.JPG", "pier.jpg", x=box["x"] + 100, y=box["y"] + 12)
    first, second = image("china-2019"), image("pier")
    expect(text).to_have_value(
        re.compile(rf"^The first sentence\. The second one\.\n\n{first}\n\n{second}\n\nAnother paragraph\.$")
    )


def test_failed_uploads_are_listed_until_they_are_uploaded_again_or_removed(
    page: Page, write: Callable[[str], Locator], watched: Watched, look: Callable[..., None]
) -> None:
    watched.expect("ERR_FAILED")
    text = write(TEXT)
    put_caret(text, 10)
    page.route("**/desk/media", lambda route: route.abort())
    put(page, "paste", "one.jpg", "two.jpg", "three.jpg")
    failed = page.get_by_role("region", name="Failed images")
    expect(failed.get_by_role("alert")).to_have_text("3 images weren't uploaded.")
    expect(failed.get_by_role("listitem").first).to_contain_text(
        "one.jpg wasn't uploaded: no connection to the server."
    )
    expect(text).to_have_value(TEXT)
    put_caret(text, len(TEXT))
    page.keyboard.type(" More.")
    look(page, "failed-uploads")
    failed.get_by_role("button", name="Remove two.jpg").click()
    expect(failed.get_by_role("button", name="Retry three.jpg")).to_be_focused()
    page.unroute("**/desk/media")
    failed.get_by_role("button", name="Retry all").click()
    expect(failed).to_have_count(0)
    first, third = image("one"), image("three")
    after = r"\n\nAnother paragraph\. More\.$"
    expect(text).to_have_value(re.compile(rf"The second one\.\n\n({first}\n\n{third}|{third}\n\n{first}){after}"))


def test_the_alt_text_and_caption_of_an_image_are_edited_in_place(
    desk: Desk, page: Page, write: Callable[[str], Locator], look: Callable[..., None]
) -> None:
    with desk.app() as (_, tools):
        path = images.add(jpeg(640, 480), "pier.jpg", "", tools).path
    content = f"Before.\n\n![]({path})\n\nAfter."
    text = write(content)
    panel = page.get_by_role("group", name="Image", exact=True)
    expect(panel).to_have_count(0)
    put_caret(text, content.index("![") + 2)
    expect(panel.get_by_role("textbox", name="Alt text")).to_have_value("")
    expect(panel.locator("img")).to_have_attribute("src", path)
    line = content.count("\n", 0, content.index("!["))
    assert page.evaluate(
        """line => {
            const { top, bottom } = document.querySelector(".mirror").children[line].getBoundingClientRect();
            const panel = document.querySelector(".image-panel").getBoundingClientRect();
            return panel.top >= bottom || panel.bottom <= top;
        }""",
        line,
    ), "the panel does not cover the line"
    look(page, "image-panel")

    keys = page.keyboard
    text.focus()
    keys.press("F2")
    expect(panel.get_by_role("textbox", name="Alt text")).to_be_focused()
    keys.type("A pier [in fog]")
    keys.press("Tab")
    keys.type("The pier in *May*")
    keys.press("Escape")
    expect(text).to_be_focused()
    described = f"Before.\n\n![A pier \\[in fog\\]]({path})\n\n*The pier in \\*May\\**\n\nAfter."
    expect(text).to_have_value(described)
    expect(panel.get_by_role("textbox", name="Caption")).to_have_value("The pier in *May*")
    for _ in range(9):
        if text.input_value() == content:
            break
        keys.press("ControlOrMeta+z")
    expect(text).to_have_value(content)
    for _ in range(9):
        if text.input_value() == described:
            break
        keys.press("ControlOrMeta+y")
    expect(text).to_have_value(described)
    put_caret(text, 3)
    expect(panel).to_be_hidden()
    put_caret(text, described.index("!["))
    keys.press("ControlOrMeta+/")
    page.get_by_role("searchbox").fill("edit image")
    keys.press("Enter")
    expect(panel.get_by_role("textbox", name="Alt text")).to_be_focused()
    keys.press("Tab")
    keys.press("ControlOrMeta+a")
    keys.press("Delete")
    keys.press("Enter")
    expect(text).to_have_value(f"Before.\n\n![A pier \\[in fog\\]]({path})\n\nAfter.")
    keys.press("ControlOrMeta+s")
    expect(page.locator("#saved")).to_contain_text("Saved")
    page.reload()
    put_caret(text, content.index("![") + 2)
    expect(panel.get_by_role("textbox", name="Alt text")).to_have_value("A pier [in fog]")


def test_a_changed_alt_text_is_one_step_for_undo(page: Page, write: Callable[[str], Locator], watched: Watched) -> None:
    watched.expect("net::ERR_NAME_NOT_RESOLVED")  # the preview asks for the image
    content = "![](https://other.example/seals.png)"
    text = write(content)
    put_caret(text, 2)
    page.keyboard.press("F2")
    expect(page.get_by_role("textbox", name="Alt text")).to_be_focused()
    page.keyboard.type("Seals on stones")
    page.keyboard.press("Escape")
    expect(text).to_have_value(content.replace("[]", "[Seals on stones]"))
    page.keyboard.press("ControlOrMeta+z")
    expect(text).to_have_value(content)


def test_a_caption_that_is_typed_in_the_text_stays_when_the_page_is_left(
    desk: Desk, page: Page, write: Callable[[str], Locator]
) -> None:
    with desk.app() as (_, tools):
        path = images.add(jpeg(640, 480), "pier.jpg", "", tools).path
    text = write(f"![]({path})")
    put_caret(text, 2)
    panel = page.get_by_role("group", name="Image", exact=True)
    expect(panel).to_be_visible()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("\n\n*My caption*\n")
    expect(panel).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    expect(text).to_have_value(f"![]({path})\n\n*My caption*\n")


def test_the_panel_keeps_what_was_changed_elsewhere(
    desk: Desk, page: Page, write: Callable[[str], Locator], watched: Watched
) -> None:
    watched.expect("net::ERR_NAME_NOT_RESOLVED")  # the preview asks for the image
    text = write("![](https://other.example/seals.png)\n\n*Two \\[2\\] seals*")
    put_caret(text, 2)
    panel = page.get_by_role("group", name="Image", exact=True)
    page.keyboard.press("F2")
    expect(panel.get_by_role("textbox", name="Alt text")).to_be_focused()
    with desk.app() as (_, tools):
        changed = text.input_value().replace("Two \\[2", "Three \\[3")
        editing.edit(Post.get(page.url.rsplit("/", 1)[1]), {"content": changed}, None, tools.now())
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(text).to_have_value(re.compile("Three"))
    page.keyboard.type("Seals on stones")
    page.keyboard.press("Escape")
    expect(text).to_be_focused()
    expect(text).to_have_value("![Seals on stones](https://other.example/seals.png)\n\n*Three \\[3\\] seals*")


def test_the_address_of_an_image_is_dimmed(page: Page, write: Callable[[str], Locator], watched: Watched) -> None:
    watched.expect("status of 404")  # the preview asks for it
    write("See ![A pier](/media/pier-7k3m9q2xvb.jpg) and [a link](/elsewhere).")
    dimmed = """() => [...CSS.highlights.get("md-dim")].map(({ startContainer, startOffset, endOffset }) =>
        startContainer.data.slice(startOffset, endOffset))"""
    assert page.evaluate(dimmed) == ["](/media/pier-7k3m9q2xvb.jpg)"]
