"""Posting a copy by hand in Chromium, with its real clipboard. The platform is an empty page."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from blogsvc.delivery import hand_over
from blogsvc.media import images
from blogsvc.models import Delivery, Post, Setting, db, transaction
from blogsvc.posts import editing, publishing
from tests.browser.conftest import NARROW, WIDE, Desk
from tests.browser.hands import Keys, Thumb
from tests.browser.test_budgets import EDITOR, over, weigh
from tests.clock import eventually
from tests.images import an_image, encoded

Look = Callable[..., None]
Publish = Callable[..., str]
TITLE = "A map of the harbour, drawn from memory"
TEXT = (
    "My grandfather drew the *harbour* on the back of a tide table.\n\n"
    "I found the sheet in April, between two invoices.\n\n"
    "- The quay is too long.\n- The cranes are exact."
)
LONG = f"{TITLE}: what a tide table from 1924 still gets right"
LINK = "https://medium.com/@ann/a-map-1"
# The texts by type, and the size of images; {} while the page is writing.
CLIPBOARD = """async () => {
    try {
        const [item] = await navigator.clipboard.read();
        const blobs = item.types.map(async (type) => [type, await item.getType(type)]);
        const read = async ([type, blob]) => [type, type.startsWith("text/") ? await blob.text() : blob.size];
        return Object.fromEntries(await Promise.all((await Promise.all(blobs)).map(read)));
    } catch {
        return {};
    }
}"""


@pytest.fixture(scope="module", autouse=True)
def publishing_at_once(desk: Desk) -> None:
    with desk.app(), transaction():
        Setting.write("undo_seconds", 0)


@pytest.fixture
def publish(desk: Desk) -> Publish:
    """Publish a post by hand and return the path of its page, as soon as the scheduler has handed it over."""

    def make(name: str = "medium", *, has_site: bool = True, **words: Any) -> str:
        with desk.app() as (_, tools):
            words = {"title": TITLE, "content": TEXT, "tags": ["harbour", "maps", "family"], **words}
            post = editing.create(words, [*(["site"] if has_site else []), name], tools.now())
            publishing.publish(post, tools.now())
            delivery_id = _delivery_id(post, name)
        wait_for(desk, delivery_id, "awaiting_hand", "failed")
        return f"/desk/deliveries/{delivery_id}/hand-over"

    return make


def _delivery_id(post: Post, name: str) -> str:
    delivery = post.delivery_to(name)
    assert delivery is not None
    return delivery.id


def wait_for(desk: Desk, delivery_id: str, *states: str) -> None:
    def is_there() -> bool:
        with desk.app():
            return Delivery.get(delivery_id, trashed=True).state in states

    eventually(is_there)


def change(desk: Desk, path: str, act: Callable[[Delivery, Any], object], state: str | None = "awaiting_hand") -> None:
    """Change a delivery or its post, and wait until the scheduler has handed it over again."""
    delivery_id = path.split("/")[3]
    with desk.app() as (_, tools):
        act(Delivery.get(delivery_id), tools)
    if state is not None:
        wait_for(desk, delivery_id, state)


def posted(delivery: Delivery, tools: Any) -> None:
    hand_over.report_posted(delivery, LINK, tools.now(), tools, by="Ada")


def republished(**words: Any) -> Callable[[Delivery, Any], object]:
    return lambda delivery, tools: publishing.publish(
        editing.edit(delivery.post, words, None, tools.now()), tools.now()
    )


def with_images(desk: Desk) -> str:
    with desk.app() as (_, tools):
        one = images.add(encoded(an_image(1600, 1200), "WEBP"), "harbour-map.webp", "", tools)
        other = images.add(encoded(an_image(1200, 900), "WEBP"), "quay-1924.webp", "", tools)
        db.session.commit()
        return f"{TEXT}\n\n![A pencil map of a harbour]({one.path})\n\n![A boat at a long quay]({other.path})"


@pytest.fixture(params=["wide", "narrow"])
def browser(request: pytest.FixtureRequest, open_browser: Callable[..., BrowserContext]) -> BrowserContext:
    """A browser that may use the clipboard, on a large screen and on a phone."""
    return with_clipboard(open_browser(viewport=WIDE if request.param == "wide" else NARROW))


def with_clipboard(context: BrowserContext) -> BrowserContext:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.route(re.compile(r"^https://"), _empty_page)
    return context


def _empty_page(route: Route) -> None:
    route.fulfill(body="<title>Elsewhere</title>", content_type="text/html")


@pytest.fixture
def page(open_browser: Callable[..., BrowserContext]) -> Page:
    return with_clipboard(open_browser()).new_page()


def clipboard(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(CLIPBOARD)
    return found


def copy(page: Page, button: str, beginning: str) -> None:
    """Press a button, and wait until the clipboard has a text that begins like this."""
    page.get_by_role("button", name=button).click()
    eventually(lambda: clipboard(page).get("text/plain", "").startswith(beginning))


def look_from_top(page: Page, look: Look, name: str) -> None:
    """Look at a page whose focus is far down: axe takes what the bar covers for small."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    look(page, name)


def come_back(page: Page) -> None:
    """Leave the page and return: Playwright keeps the focus in every page, so the events are sent."""
    page.evaluate("dispatchEvent(new Event('blur')); dispatchEvent(new Event('focus'))")


def expect_ticks(page: Page, ticks: list[bool]) -> None:
    boxes = page.get_by_role("checkbox")
    expect(boxes).to_have_count(len(ticks))
    for index, is_ticked in enumerate(ticks):
        expect(boxes.nth(index)).to_be_checked(checked=is_ticked)


def test_the_four_steps(browser: BrowserContext, publish: Publish, desk: Desk, look: Look) -> None:
    path, page = publish(content=with_images(desk)), browser.new_page()
    page.goto(path)
    look(page, "hand-over-ready")

    with page.expect_popup() as popup:
        page.get_by_role("link", name="Copy text and open Medium").click()
    expect(popup.value).to_have_url("https://medium.com/new-story")
    assert popup.value.evaluate("opener") is None
    popup.value.close()
    copied = clipboard(page)
    assert f"<p><strong>{TITLE}</strong></p>" in copied["text/html"]
    assert "the <em>harbour</em> on" in copied["text/html"]
    assert "<li>The cranes are exact.</li>" in copied["text/html"]
    assert copied["text/plain"].startswith(f"{TITLE}\n\nMy grandfather drew the harbour on")

    come_back(page)
    expect(page.locator("[data-says]")).to_have_text("Text copied. After you publish on Medium, enter the link here.")
    link = page.get_by_label("Link of the story on Medium")
    expect(link).to_be_focused()
    expect_ticks(page, [True, True, True, False])
    expect(page.get_by_role("link", name="Copy text and open Medium")).to_be_hidden()
    look_from_top(page, look, "hand-over-back")
    page.reload()
    expect_ticks(page, [True, True, True, False])

    link.fill("medium.com/a-map")
    page.get_by_role("button", name="I posted it").click()
    expect(page.get_by_text("Enter a link that starts with https://")).to_be_visible()
    expect(link).to_be_focused()
    expect(link).to_have_value("medium.com/a-map")
    expect(page.get_by_role("checkbox", name="2. Copy or download 2 images")).to_be_checked()
    look_from_top(page, look, "hand-over-fault")
    link.fill("https://essays.example/a-map")
    link.press("Enter")
    expect(page.get_by_text("This link isn't on medium.com. Save it anyway?")).to_be_visible()
    look_from_top(page, look, "hand-over-doubt")
    page.get_by_role("button", name="Save anyway").click()
    expect(page.get_by_role("heading", name="Live on Medium")).to_be_visible()
    expect(page.get_by_text("Posted by hand by Ann, today")).to_be_visible()
    look(page, "hand-over-done")
    page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('hand-over'))")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert clipboard(page)["text/plain"] == "https://essays.example/a-map"
    page.get_by_role("link", name="Change link").click()
    expect(page.get_by_label("Link of the story on Medium")).to_have_value("https://essays.example/a-map")
    look(page, "hand-over-link")


def test_each_form_of_the_text_can_be_copied(page: Page, publish: Publish, desk: Desk) -> None:
    page.goto(publish(content=with_images(desk)))
    page.get_by_role("button", name="Copy as rich text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    expect(page.get_by_role("checkbox", name="1. Copy the text")).to_be_checked()
    assert set(clipboard(page)) == {"text/html", "text/plain"}
    assert "blog.example" not in clipboard(page)["text/html"]

    copy(page, "Copy as Markdown", "My grandfather drew the *harbour* on")
    copy(page, "Copy as plain text", f"{TITLE}\n\nMy grandfather drew the harbour on")
    copy(page, "Copy title", TITLE)
    assert clipboard(page) == {"text/plain": TITLE}
    copy(page, "Copy original link", f"{desk.url}/")
    copy(page, "Copy alt text of quay-1924.webp", "A boat at a long quay")
    page.get_by_role("button", name="Copy image harbour-map.webp").click()
    page.wait_for_function(f"({CLIPBOARD})().then((found) => found['image/png'] > 1000)")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download harbour-map.webp").click()
    assert re.fullmatch(r"harbour-map.*\.webp", download.value.suggested_filename)


def test_import_from_link_copies_the_link(page: Page, publish: Publish, desk: Desk) -> None:
    page.goto(publish())
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Import from link").click()
    expect(popup.value).to_have_url("https://medium.com/p/import")
    assert clipboard(page)["text/plain"].startswith(desk.url)
    come_back(page)
    expect(page.locator("[data-says]")).to_have_text("After you publish on Medium, enter the link here.")


def test_a_clipboard_that_fails_keeps_the_user_on_the_page(page: Page, publish: Publish, look: Look) -> None:
    page.goto(publish())
    page.evaluate("() => { navigator.clipboard.write = () => Promise.reject(new Error('no')); }")
    page.get_by_role("link", name="Copy text and open Medium").click()
    expect(page.get_by_role("alert")).to_have_text(
        "The text couldn't be copied. Select it on this page and copy it by hand."
    )
    assert len(page.context.pages) == 1
    expect(page.locator(".go").get_by_role("alert")).to_be_visible()
    look(page, "hand-over-not-copied")
    come_back(page)
    expect(page.get_by_role("link", name="Copy text and open Medium")).to_be_visible()


def test_a_server_without_https_has_no_clipboard_and_copies_all_the_same(page: Page, publish: Publish) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(publish())
    page.get_by_role("button", name="Copy as rich text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    copied = clipboard(other)
    assert "<em>harbour</em>" in copied["text/html"]
    assert copied["text/plain"].startswith(TITLE)


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_title_over_the_limit_is_counted_while_it_is_shortened(
    size: str, open_browser: Callable[..., BrowserContext], publish: Publish, look: Look
) -> None:
    page = with_clipboard(open_browser(viewport=WIDE if size == "wide" else NARROW)).new_page()
    page.goto(publish("hackernews", title=LONG))
    title = page.get_by_label("Title on Hacker News")
    expect(page.get_by_text("85 of 80 characters. Remove 5, or Hacker News rejects it.")).to_be_visible()
    expect(title).to_have_attribute("aria-invalid", "true")
    look(page, "hand-over-link-platform")
    title.fill("A map of the harbour 🗺 & more")
    expect(page.get_by_text("29 of 80 characters", exact=True)).to_be_visible()
    expect(title).not_to_have_attribute("aria-invalid", "true")
    copy(page, "Copy title", "A map of the harbour 🗺 & more")
    page.get_by_role("checkbox", name="1. Check the title").check()
    page.reload()
    expect(title).to_have_value("A map of the harbour 🗺 & more")
    expect(page.get_by_role("checkbox", name="1. Check the title")).to_be_checked()
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Open Hacker News").click()
    assert "t=A%20map%20of%20the%20harbour%20%F0%9F%97%BA%20%26%20more" in popup.value.url
    come_back(page)
    expect(page.locator("[data-says]")).to_contain_text("After you publish on Hacker News")
    expect(page.get_by_label("Link of the discussion")).to_be_focused()


def test_a_text_counts_as_the_server_counts_it(page: Page, publish: Publish, look: Look) -> None:
    page.goto(publish("x", title="Über 🗺 e\u0301 👩‍👩‍👧 漢字", tags=[]))
    count = page.locator("#words-count")
    counted = page.evaluate("fetch(location.href).then((answer) => answer.text())")
    on_server = re.search(r'id="words-count">([^<]+)<', counted)
    assert on_server is not None
    expect(count).to_have_text(on_server[1])
    look(page, "hand-over-text-platform")
    text = page.get_by_label("Text on X")
    text.fill("x" * 281)
    expect(count).to_have_text("281 of 280 characters. Remove 1, or X rejects it.")
    text.fill("👩‍👩‍👧漢")
    expect(count).to_have_text("4 of 280 characters")


def test_an_update_is_copied_by_paragraph(page: Page, publish: Publish, desk: Desk, look: Look) -> None:
    path = publish()
    change(desk, path, posted, None)
    new = TEXT.replace("April", "*March*") + "\n\nThe tide table is from 1924, so the map is at least that old."
    change(desk, path, republished(content=new))
    page.goto(path)
    expect(page.get_by_role("heading", name="Update by hand on Medium")).to_be_visible()
    look(page, "hand-over-changed")
    page.get_by_role("button", name="Copy new paragraph 2").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = clipboard(page)
    assert copied["text/html"].strip() == "<p>I found the sheet in <em>March</em>, between two invoices.</p>"
    assert copied["text/plain"] == "I found the sheet in *March*, between two invoices."
    copy(page, "Copy whole text", TITLE)
    assert f"<strong>{TITLE}</strong>" in clipboard(page)["text/html"]
    page.get_by_role("button", name="I updated it").click()
    expect(page.get_by_role("heading", name="Live on Medium")).to_be_visible()


def test_other_states(page: Page, publish: Publish, desk: Desk, look: Look) -> None:
    path = publish()
    change(desk, path, posted, None)
    change(desk, path, lambda delivery, tools: publishing.unpublish(delivery.post, tools.now()))
    page.goto(path)
    expect(page.get_by_role("heading", name="Delete by hand on Medium")).to_be_visible()
    look(page, "hand-over-delete")
    page.get_by_role("button", name="I deleted it").click()
    expect(page.get_by_role("heading", name="Not on Medium")).to_be_visible()
    look(page, "hand-over-gone")
    at = timedelta(days=2)
    change(desk, path, lambda delivery, tools: publishing.schedule(delivery.post, tools.now() + at, tools.now()), None)
    page.reload()
    expect(page.get_by_text("The text will be ready for you")).to_be_visible()
    look(page, "hand-over-scheduled")
    page.goto(publish("hackernews", has_site=False))
    expect(page.get_by_role("heading", name="Can't be posted on Hacker News")).to_be_visible()
    look(page, "hand-over-refused")
    page.goto(publish("facebook"))
    page.get_by_role("button", name="Remind me tomorrow").click()
    expect(page.get_by_text("Reminder tomorrow")).to_be_visible()
    look(page, "hand-over-snoozed")
    page.get_by_role("button", name="Not this one").click()
    expect(page.get_by_text("Facebook removed from this post.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Facebook is a destination of this post again.")).to_be_visible()


def test_posting_with_the_keyboard(page: Page, publish: Publish) -> None:
    page.goto(publish())
    keys = Keys(page)
    with page.expect_popup():
        keys.press(page.get_by_role("link", name="Copy text and open Medium"))
    come_back(page)
    link = page.get_by_label("Link of the story on Medium")
    expect(link).to_be_focused()
    page.keyboard.type("https://essays.example/a")
    page.keyboard.press("Enter")
    keys.press(page.get_by_role("button", name="Save anyway"))
    expect(page.get_by_role("heading", name="Live on Medium")).to_be_visible()


def test_posting_with_a_thumb(open_browser: Callable[..., BrowserContext], publish: Publish, desk: Desk) -> None:
    page = with_clipboard(open_browser(viewport=NARROW, has_touch=True, is_mobile=True)).new_page()
    page.goto(publish(content=with_images(desk)))
    thumb = Thumb(page)
    for button in ("Copy as rich text", "Copy as Markdown", "Copy image quay-1924.webp", "Copy original link"):
        thumb.press(page.get_by_role("button", name=button))
    thumb.press(page.get_by_role("checkbox", name="2. Copy or download 2 images"))
    expect(page.get_by_role("checkbox", name="2. Copy or download 2 images")).to_be_checked()
    with page.expect_popup():
        thumb.press(page.get_by_role("link", name="Copy text and open Medium"))
    come_back(page)
    thumb.type(page.get_by_label("Link of the story on Medium"), "https://essays.example/a")
    thumb.press(page.get_by_role("button", name="I posted it"))
    thumb.press(page.get_by_role("button", name="Save anyway"))
    expect(page.get_by_role("heading", name="Live on Medium")).to_be_visible()


def test_the_page_stays_within_the_size_budget(
    open_browser: Callable[..., BrowserContext], publish: Publish, desk: Desk
) -> None:
    words = " ".join(f"{word} number {number}" for number, word in enumerate(["Harbour", "tide", "map"] * 160))
    path = publish(content=f"{with_images(desk)}\n\n{words}")
    weights = weigh(open_browser(), path)
    assert over(weights, EDITOR) == {}, dict(weights)  # it shows the text in the fonts of the preview


def test_everything_works_without_javascript(
    open_browser: Callable[..., BrowserContext], publish: Publish, look: Look
) -> None:
    page = open_browser(scripts=False).new_page()
    page.goto(publish())
    expect(page.get_by_role("link", name="Open Medium").first).to_have_attribute("href", "https://medium.com/new-story")
    expect(page.get_by_role("button", name="Copy as rich text")).to_be_hidden()
    page.get_by_role("checkbox", name="1. Copy the text").check()
    page.get_by_label("Link of the story on Medium").fill("https://essays.example/a")
    page.get_by_role("button", name="I posted it").click()
    page.get_by_role("button", name="Save anyway").click()
    expect(page.get_by_role("heading", name="Live on Medium")).to_be_visible()
