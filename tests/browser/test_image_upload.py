"""The details of a post in a browser, and images: inserted into a text by paste, drop and button."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from blogsvc.media import images
from blogsvc.models import Post
from blogsvc.posts import editing
from tests.browser.conftest import Desk, Watched
from tests.images import jpeg

Look = Callable[..., None]


def file(name: str = "ferry.jpg", data: bytes | None = None, kind: str = "image/jpeg") -> dict[str, Any]:
    return {"name": name, "mimeType": kind, "buffer": jpeg(800, 600) if data is None else data}


def test_details_can_be_edited_with_the_keyboard(desk: Desk, page: Page, look: Look) -> None:
    with desk.app() as (_, tools):
        images.add(jpeg(900, 500), "quay.jpg", "The quay at dusk", tools)
        for tags in (["ferries", "Lisbon"], ["ferries", "fermentation"]):
            editing.create({"title": "Another", "tags": tags}, None, tools.now())
        words = {"title": "On ferries", "content": "They leave at nine, *mostly*.", "tags": ["Lisbon"]}
        post_id = editing.create(words, None, tools.now()).id
    page.goto(f"/desk/posts/{post_id}/details")
    expect(page.get_by_text("0 characters", exact=True)).to_be_visible()
    look(page, "details")

    page.get_by_label("Summary").first.fill("When they leave, and why.")
    expect(page.get_by_text("25 characters")).to_be_visible()
    tags = page.get_by_role("combobox", name="Tags")
    tags.focus()
    page.keyboard.press("End")
    page.keyboard.type(", fer")
    offered = page.get_by_role("listbox").get_by_role("option")
    expect(offered).to_have_text(["ferries2 posts", "fermentation1 post"])
    expect(tags).to_have_attribute("aria-expanded", "true")
    look(page, "details-tags")
    page.keyboard.press("ArrowDown")
    expect(offered.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(tags).to_have_value("Lisbon, ferries, ")
    expect(tags).to_have_attribute("aria-expanded", "false")
    page.keyboard.type("new one, fer")
    expect(offered).to_have_text(["fermentation1 post"])
    page.keyboard.press("Escape")
    expect(offered).to_have_count(0)
    page.keyboard.press("Shift+Home")
    page.keyboard.type("Lisbon, ferries, new one")

    page.get_by_role("link", name="Choose from media").click()
    page.get_by_label("Search images").fill("quay")
    page.keyboard.press("Enter")
    quay = page.get_by_role("radio", name="The quay at dusk")
    expect(page.get_by_role("radio")).to_have_count(1)
    look(page, "details-cover")
    quay.check()
    page.get_by_role("button", name="Save details").click()
    expect(page.locator("#notices")).to_contain_text("Saved.")
    expect(page.get_by_role("img", name="The quay at dusk")).to_be_visible()
    expect(tags).to_have_value("Lisbon, ferries, new one")

    page.get_by_label("Address", exact=True).fill("Not a slug")
    page.get_by_role("button", name="Save details").click()
    expect(page.get_by_text("lowercase letters and digits")).to_be_visible()
    look(page, "details-fault")
    page.get_by_label("Address", exact=True).fill("on-the-ferries")
    page.get_by_label("Upload an image").set_input_files(file("other.jpg"))
    page.get_by_role("button", name="Save details").click()
    expect(page.get_by_text("lowercase letters and digits")).to_have_count(0)
    expect(page.get_by_label("Alt text of the cover")).to_have_value("")
    with desk.app():
        post = Post.get(post_id)
        assert (post.slug, post.tags) == ("on-the-ferries", ["Lisbon", "ferries", "new one"])
        assert post.summary == "When they leave, and why."


def test_details_can_be_edited_without_javascript(desk: Desk, plain_page: Page) -> None:
    page = plain_page
    with desk.app() as (_, tools):
        images.add(jpeg(900, 500), "harbour.jpg", "The harbour", tools)
        post_id = editing.create({"title": "In the harbour"}, None, tools.now()).id
    page.goto(f"/desk/posts/{post_id}/details")
    page.get_by_label("Tags").fill("harbours, boats")
    page.get_by_text("Customize").first.click()
    page.get_by_label("Text", exact=True).fill("Only for the blog.")
    page.get_by_role("button", name="Save details").click()
    expect(page.get_by_role("status").get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("Tags")).to_have_value("harbours, boats")
    page.get_by_role("link", name="Choose from media").click()
    page.get_by_role("radio", name="The harbour").check()
    page.get_by_role("button", name="Use this image").click()
    expect(page.get_by_role("img", name="The harbour")).to_be_visible()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Only for the blog.")

    page.goto("/desk/media")
    page.get_by_label("Upload an image").set_input_files([file("plain.jpg", jpeg(500, 400))])
    page.get_by_role("button", name="Upload image").click()
    expect(page.get_by_text("Add its alt text")).to_be_visible()
    first = page.get_by_role("listitem").filter(has_text="plain.jpg")
    first.get_by_role("textbox", name="Alt text").fill("A plain image")
    first.get_by_role("button", name="Save").click()
    expect(page.get_by_role("img", name="A plain image")).to_be_visible()
    expect(first.get_by_role("code")).to_contain_text("![A plain image](/media/plain-")
    first.get_by_text("Delete…").click()
    first.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_text("Image deleted.")).to_be_visible()


PASTE = """([kind, name, type, data]) => {
  const file = new File([Uint8Array.from(atob(data), (each) => each.charCodeAt(0))], name, { type });
  const transfer = new DataTransfer();
  transfer.items.add(file);
  const into = document.activeElement;
  const event = kind === "paste"
    ? new ClipboardEvent(kind, { clipboardData: transfer, bubbles: true, cancelable: true })
    : new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true });
  into.dispatchEvent(event);
}"""


def put(
    page: Page, name: str = "ferry.jpg", data: bytes | None = None, *, kind: str = "image/jpeg", by: str = "paste"
) -> None:
    """Paste or drop a file on the focused element."""
    page.evaluate(PASTE, [by, name, kind, b64encode(jpeg() if data is None else data).decode()])


def test_an_image_pasted_before_the_editor_tools_are_loaded_is_added(desk: Desk, page: Page) -> None:
    with desk.app() as (_, tools):
        post_id = editing.create({"title": "By ferry"}, None, tools.now()).id
    held: list[Any] = []
    page.route("**/editor-tools*.js", lambda route: held.append(route))
    page.goto(f"/desk/posts/{post_id}")
    text = page.get_by_label("Text, in Markdown", exact=True)
    with page.expect_request("**/editor-tools*.js"):
        text.fill("Before")
    put(page)
    held.pop().continue_()
    expect(text).to_have_value(re.compile(r"^Before\n\n!\[\]\(/media/ferry-[^)]+\)$"))


# Texts that accept images: the text of one destination, and the editor.
@pytest.mark.parametrize(("path", "label"), [("/details", "Text"), ("", "Text, in Markdown")])
def test_images_can_be_pasted_and_dropped_without_losing_typed_text(
    desk: Desk, page: Page, watched: Watched, path: str, label: str
) -> None:
    watched.expect("status of 404", "ERR_FAILED")
    with desk.app() as (_, tools):
        post_id = editing.create({"title": "By ferry"}, None, tools.now()).id
    answer = page.goto(f"/desk/posts/{post_id}{path}")
    if answer is None or answer.status == 404:
        pytest.skip("the editor does not exist")
    text = page.get_by_label(label, exact=True)
    if path:
        page.get_by_text("Customize").first.click()
    notices = page.locator("#notices")

    held: list[Any] = []
    page.route("**/desk/media", lambda route: held.append(route))
    text.fill("Before\n\n\n\nAfter")
    text.evaluate("it => it.setSelectionRange(8, 8)")
    put(page)
    expect(text).to_have_value("Before\n\n![Uploading ferry.jpg…]()\n\nAfter")
    expect(page.get_by_role("progressbar", name="ferry.jpg")).to_be_visible()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type(", typed meanwhile")
    held.pop().continue_()
    one = r"!\[\]\(/media/ferry-\w{10}\.jpg\)"
    expect(text).to_have_value(re.compile(rf"^Before\n\n{one}\n\nAfter, typed meanwhile$"))
    expect(notices).to_contain_text("is still missing")
    page.keyboard.type("!")
    expect(text).to_have_value(re.compile(r"meanwhile!$"))
    page.unroute("**/desk/media")

    text.fill("A line ")
    put(page, by="drop")
    expect(notices).to_contain_text("Type its alt text between the brackets")
    page.keyboard.type("A ferry")
    expect(text).to_have_value(re.compile(r"^A line \n\n!\[A ferry\]\(/media/ferry-[^)]+\)$"))
    for _ in range(9):
        if text.input_value() == "A line ":
            break
        page.keyboard.press("ControlOrMeta+z")
    expect(text).to_have_value("A line ")

    text.fill("")
    page.evaluate("document.activeElement.blur()")
    text.focus()
    put(page)
    put(page)
    expect(text).to_have_value(re.compile(rf"^{one}\n\n{one}$"))
    text.fill("Words ")
    put(page, "broken.png", b"no image", kind="image/png")
    failed = page.get_by_role("region", name="Failed images")
    expect(failed).to_contain_text("broken.png wasn't uploaded.")
    expect(text).to_have_value("Words ")
    put(page, "paper.pdf", b"%PDF", kind="application/pdf")
    expect(failed).to_contain_text("isn't an image. Use JPEG, PNG, GIF, WebP or AVIF.")
    expect(text).to_have_value("Words ")
    held.clear()
    page.route("**/desk/media", lambda route: route.abort())
    put(page)
    expect(failed).to_contain_text("no connection to the server")
    expect(text).to_have_value("Words ")


def test_the_details_panel_opens_beside_the_text_and_closes_after_saving(desk: Desk, page: Page, look: Look) -> None:
    with desk.app() as (_, tools):
        editing.create({"title": "Tagged", "tags": ["archipelago"]}, None, tools.now())
        post_id = editing.create({"title": "Beside", "content": "A text."}, None, tools.now()).id
    page.goto(f"/desk/posts/{post_id}")
    opener = page.get_by_role("link", name="Details")
    opener.click()
    dialog = page.get_by_role("dialog", name="Details")
    tags = dialog.get_by_role("combobox", name="Tags")
    tags.press_sequentially("arch")
    expect(dialog.get_by_role("listbox").get_by_role("option")).to_have_text(["archipelago1 post"])
    tags.press("Escape")
    expect(dialog.get_by_role("listbox").get_by_role("option")).to_have_count(0)
    expect(dialog).to_be_visible()
    look(page, "details-dialog")
    dialog.get_by_label("Address", exact=True).fill("A B")
    dialog.get_by_role("button", name="Save details").click()
    expect(dialog.get_by_text("lowercase letters and digits")).to_be_visible()
    dialog.get_by_label("Address", exact=True).fill("beside-it")
    dialog.get_by_role("button", name="Save details").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#notices")).to_contain_text("Saved.")
    page.get_by_label("Text, in Markdown").fill("Another text.")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator("#saved")).to_contain_text("Saved")
    with desk.app():
        assert Post.get(post_id).slug == "beside-it"
    opener.click()
    expect(dialog.get_by_label("Address", exact=True)).to_have_value("beside-it")
    dialog.get_by_role("link", name="Close").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Text, in Markdown")).to_be_focused()
