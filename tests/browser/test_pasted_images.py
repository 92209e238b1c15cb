"""Images of pasted text are copied into the media library, from a website that is a real server."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Desk, Watched
from tests.browser.website import Website
from tests.images import png

PASTE = """html => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/html", html);
    clipboardData.setData("text/plain", "From a document");
    document.getElementById("content").dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""

PASTE_IMAGE = PASTE.replace('clipboardData.setData("text/plain", "From a document");', "")
DROP = """html => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData("text/html", html);
    dataTransfer.setData("text/uri-list", "https://docs.example/");
    document.getElementById("content").dispatchEvent(
        new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


def new_post(page: Page) -> Locator:
    """Open a new post, and return its focused text."""
    page.goto("/desk")
    page.get_by_role("button", name="New post").click()
    text = page.get_by_label("Text, in Markdown")
    text.focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    return text


@pytest.fixture(autouse=True)
def previews_show_no_images_without_encryption(watched: Watched) -> None:
    watched.expect("policy: img-src", "Content Security Policy directive", "Blocked script execution")


def test_pasted_images_move_into_the_media_library_while_the_user_writes_on(
    page: Page, website: Website, look: Callable[..., None]
) -> None:
    text = new_post(page)
    images = "".join(f'<p><img src="{website.url}/{name}.png" alt="A {name} one"></p>' for name in ("fast", "slow"))
    page.evaluate(PASTE, f"<h2>From a document</h2>{images}<p>And <b>more</b>.</p>")
    expect(text).to_have_value(re.compile(r"!\[A fast one\]\(/media/fast-[0-9a-z]{10}\.png\)"))
    expect(page.get_by_role("region", name="Uploads")).to_contain_text("slow.png")
    page.keyboard.type(" Written meanwhile.")
    website.go_on.set()
    expect(text).to_have_value(re.compile(r"!\[A slow one\]\(/media/slow-[0-9a-z]{10}\.png\)"))
    expect(page.locator("#notices")).to_contain_text("2 images are now in the media library.")
    assert text.input_value().endswith("And **more**. Written meanwhile.")
    assert website.url not in text.input_value()


def test_the_publish_dialog_waits_for_pasted_images(page: Page, website: Website) -> None:
    text = new_post(page)
    page.evaluate(PASTE, f'<p>A <b>gull</b>: <img src="{website.url}/slow.png" alt="White"></p>')
    expect(page.get_by_role("region", name="Uploads")).to_contain_text("slow.png")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(page.locator("#notices")).to_contain_text("You can publish as soon as all images are uploaded.")
    expect(page.get_by_role("dialog")).to_have_count(0)
    website.go_on.set()
    expect(page.get_by_role("dialog", name="Publish")).to_be_visible()
    expect(text).to_have_value(re.compile(r"!\[White\]\(/media/slow-[0-9a-z]{10}\.png\)"))
    expect(page.get_by_role("dialog")).to_contain_text("1 image")


def test_an_image_that_cannot_be_copied_is_listed_until_it_is_tried_again(
    page: Page, website: Website, look: Callable[..., None]
) -> None:
    text = new_post(page)
    page.evaluate(PASTE, f'<p>Behind <b>a door</b>: <img src="{website.url}/private.png" alt="Private"></p>')
    failed = page.get_by_role("region", name="Failed images")
    expect(failed).to_contain_text("127.0.0.1 did not send the image: the server returned 403.")
    expect(failed).to_contain_text("1 image couldn't be copied.")
    expect(failed).to_contain_text("private.png couldn't be copied. 127.0.0.1 did not send the image")
    expect(failed).to_contain_text(f"The post still uses the image on {website.url.removeprefix('http://')}.")
    assert f"![Private]({website.url}/private.png)" in text.input_value()
    look(page, "failed-copy")
    website.is_open.set()
    failed.get_by_role("button", name="Retry private.png").click()
    expect(text).to_have_value(re.compile(r"!\[Private\]\(/media/private-[0-9a-z]{10}\.png\)"))
    expect(failed).to_have_count(0)


def test_formatting_that_the_server_refuses_is_reported_and_the_text_stays(page: Page, watched: Watched) -> None:
    watched.expect("responded with a status of 413")
    text = new_post(page)
    page.evaluate(PASTE, "<b>" + "x" * 3_000_000 + "</b>")
    expect(page.locator("#notices")).to_contain_text("The text was pasted without its formatting")
    expect(text).to_have_value("From a document")


def test_images_that_are_data_are_uploaded_and_nobody_looks_for_them_meanwhile(
    page: Page, desk: Desk, watched: Watched
) -> None:
    uploads: list[Route] = []
    page.route(f"{desk.url}/desk/media", lambda route: uploads.append(route))
    text = new_post(page)
    data = base64.b64encode(png()).decode()
    html = f'<p style="color:red">A <b>gull</b>: <img src="data:image/png;base64,{data}" alt="White"></p>'
    with page.expect_request(f"{desk.url}/desk/media"):
        page.evaluate(PASTE, html)
    expect(page.frame_locator("#preview iframe").locator(".e-content")).to_contain_text("A gull")
    for upload in uploads:
        upload.continue_()
    expect(text).to_have_value(re.compile(r"^A \*\*gull\*\*:\n\n!\[White\]\(/media/pasted-[0-9a-z]{10}\.png\)$"))
    assert not any("inline style" in text for text in watched.troubles)


def test_the_browser_asks_before_images_that_are_data_are_lost(page: Page, desk: Desk) -> None:
    uploads: list[Route] = []
    page.route(f"{desk.url}/desk/media", lambda route: uploads.append(route))
    text = new_post(page)
    page.keyboard.type("From a document: ")
    data = base64.b64encode(png()).decode()
    with page.expect_request(f"{desk.url}/desk/media"):
        page.evaluate(PASTE, f'<p>A <b>gull</b>: <img src="data:image/png;base64,{data}"></p>')
    with page.expect_event("dialog") as asked:
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()
    uploads[0].continue_()
    expect(text).to_have_value(re.compile("/media/pasted-"))
    expect(text).not_to_have_value(re.compile("data:"))
    with page.expect_event("close"):
        page.close(run_before_unload=True)


def test_a_pasted_image_never_splits_a_sentence(page: Page, website: Website) -> None:
    text = new_post(page)
    page.keyboard.type("One sentence.")
    for _ in range(len("tence.")):
        page.keyboard.press("ArrowLeft")
    page.evaluate(PASTE_IMAGE, f'<img src="{website.url}/fast.png" alt="A gull">')
    expect(text).to_have_value(re.compile(r"^One sentence\.\n\n!\[A gull\]\(/media/fast-[0-9a-z]{10}\.png\)$"))
    page.keyboard.press("ControlOrMeta+z")
    page.keyboard.press("ControlOrMeta+z")
    expect(text).to_have_value("One sentence.")


def test_an_image_that_is_dragged_from_another_page_is_copied(page: Page, website: Website) -> None:
    text = new_post(page)
    page.keyboard.type("At the end.")
    page.evaluate(DROP, f'<a href="{website.url}/"><img src="{website.url}/fast.png" alt="A gull"></a>')
    expect(text).to_have_value(
        re.compile(rf"^At the end\.\n\n\[!\[A gull\]\(/media/fast-[0-9a-z]{{10}}\.png\)\]\({website.url}/\)$")
    )


def test_images_that_word_leaves_in_its_folder_are_reported(page: Page) -> None:
    text = new_post(page)
    image = '<p class=MsoNormal><img width=640 height=480 src="file:///C:/Temp/clip_image002.png"></p>'
    page.evaluate(PASTE, f"<p class=MsoNormal>From a <b>document</b></p>{image}{image.replace('2.png', '4.png')}")
    expect(page.locator("#notices")).to_contain_text(
        "2 images can't be pasted together with the text. Copy each image by itself, and paste it here."
    )
    expect(text).to_have_value("From a **document**")


def test_text_that_is_pasted_into_a_code_block_stays_plain(page: Page) -> None:
    text = new_post(page)
    page.keyboard.type("```\n")
    page.evaluate(PASTE, "<h2>From a document</h2><p>And <b>more</b>.</p>")
    # The browser's own paste inserts the plain text; a page can't cause that one, so here nothing is inserted.
    expect(text).to_have_value("```\n")
