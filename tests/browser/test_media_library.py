"""The media page in a browser: upload, alt text, search and deletion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from blogsvc.media import images
from blogsvc.models import Media, db
from blogsvc.posts import editing
from tests.browser.conftest import Desk
from tests.images import jpeg, png

Look = Callable[..., None]


def file(name: str = "ferry.jpg", data: bytes | None = None, kind: str = "image/jpeg") -> dict[str, Any]:
    return {"name": name, "mimeType": kind, "buffer": jpeg(800, 600) if data is None else data}


def test_images_can_be_uploaded_described_and_deleted(desk: Desk, page: Page, look: Look) -> None:
    page.goto("/desk/media")
    expect(page.get_by_text("No images yet")).to_be_visible()
    look(page, "media-empty")

    page.get_by_label("Upload an image").set_input_files([file(), file("tram.png", png(300, 500), "image/png")])
    expect(page.get_by_role("status").get_by_text("2 images uploaded.")).to_be_visible()
    expect(page.get_by_role("link", name="Alt text missing 0")).to_be_visible()  # no reader sees them yet
    expect(page.get_by_role("textbox", name="Alt text").first).to_be_focused()
    with desk.app() as (_, tools):
        shown = "\n\n".join(f"![]({media.path})" for media in db.session.query(Media))
        editing.create({"title": "In the harbour", "content": shown}, None, tools.now())
    page.reload()
    expect(page.get_by_role("link", name="Alt text missing 2")).to_be_visible()
    expect(page.get_by_role("img", name="tram.png, no alt text")).to_have_js_property("complete", True)

    page.get_by_role("textbox", name="Alt text").first.fill("A tram")
    page.get_by_role("button", name="Save alt text of tram.png").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Alt text missing 1")).to_be_visible()
    look(page, "media")

    page.get_by_role("link", name="Alt text missing").click()
    expect(page.get_by_role("listitem").filter(has=page.get_by_role("img"))).to_have_count(1)
    page.get_by_label("Search images").fill("tram")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No images match “tram”.")).to_be_visible()
    look(page, "media-nothing-found")

    with desk.app() as (_, tools):
        used = images.add(png(), "used.png", "", tools)
        mine = page.locator(f"#{used.id}")
        editing.create({"title": "On ferries", "content": f"![](/media/{used.name})"}, None, tools.now())
    page.goto("/desk/media")
    expect(mine.get_by_role("link", name="On ferries")).to_be_visible()
    mine.get_by_text("Delete…").click()
    mine.get_by_role("button", name="Delete permanently").click()
    expect(mine.get_by_role("alert")).to_contain_text("Posts use this image")
    look(page, "media-in-use")
    mine.get_by_role("link", name="Cancel").click()
    expect(mine.get_by_role("alert")).to_have_count(0)
    mine.get_by_text("Delete…").click()
    mine.get_by_role("button", name="Delete permanently").click()
    mine.get_by_role("button", name="Delete anyway").click()
    expect(mine).to_have_count(0)
    expect(page.get_by_role("link", name="All 2")).to_be_visible()
