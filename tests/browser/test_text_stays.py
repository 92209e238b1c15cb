"""Text never disappears: what is typed after a dialog, without a connection, or before a crash is kept."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect
from playwright.sync_api import Error as PlaywrightError

from blogsvc.models import Post
from blogsvc.posts import editing, publishing
from tests.browser.conftest import CHROMIUM, FLAGS, NARROW, PATIENCE, WIDE, Desk, Watched
from tests.browser.hands import Keys
from tests.clock import eventually
from tests.images import jpeg

OpenBrowser = Callable[..., BrowserContext]


@pytest.fixture
def a_draft(desk: Desk) -> Callable[..., str]:
    """Return a function that creates a draft and returns its path."""

    def make(content: str = "Before and after.", **words: Any) -> str:
        with desk.app() as (_, tools):
            post = editing.create({"title": "On the ferries", "content": content} | words, None, tools.now())
            return f"/desk/posts/{post.id}"

    return make


@pytest.fixture
def stored(desk: Desk) -> Callable[[str], Post]:
    """Return the post as the database has it."""

    def read(path: str) -> Post:
        with desk.app():
            return Post.get(path.rpartition("/")[2])

    return read


def text_of(page: Page) -> Locator:
    return page.get_by_label("Text, in Markdown")


def open_editor(page: Page, path: str, caret: int = 6) -> None:
    """Open the editor with the caret in the text, and wait until its tools are loaded."""
    page.goto(path)
    text_of(page).focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    text_of(page).evaluate("(area, at) => area.setSelectionRange(at, at)", caret)


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["1280 px", "390 px"])
@pytest.mark.parametrize("hand", ["mouse", "keyboard", "touch"])
def test_words_typed_after_each_dialog_are_in_the_saved_text(
    open_browser: OpenBrowser,
    a_draft: Callable[..., str],
    stored: Callable[[str], Post],
    viewport: dict[str, int],
    hand: str,
) -> None:
    page = open_browser(viewport=viewport, has_touch=hand == "touch").new_page()
    path = a_draft()
    open_editor(page, path)
    keys = page.keyboard
    dialog = page.get_by_role("dialog")

    def press(target: Locator) -> None:
        if hand == "keyboard":
            target.focus()
            keys.press("Enter")
        elif hand == "touch":
            target.tap()
        else:
            target.click()

    def from_the_menu(name: str) -> None:
        press(page.get_by_role("button", name="settings and sign-out"))
        press(page.locator("#user").get_by_role("link", name=name))

    def shortcuts() -> None:
        from_the_menu("Commands")
        expect(dialog.get_by_role("searchbox")).to_be_focused()
        keys.insert_text("shortcuts")
        expect(dialog.locator("[data-command]").first).to_contain_text("Keyboard shortcuts")  # of the new results
        press(dialog.get_by_role("link", name="Keyboard shortcuts"))
        expect(dialog.get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()

    dialogs: dict[str, tuple[Callable[[], None], Locator, str]] = {
        "details": (
            lambda: press(page.get_by_role("link", name="Details")),
            dialog.get_by_text("Use an image from another site"),
            "Close",
        ),
        "publish": (
            lambda: press(page.get_by_role("link", name="Publish…")),
            dialog.get_by_role("heading", name="Publish"),
            "Back to writing",
        ),
        "commands": (lambda: from_the_menu("Commands"), dialog.get_by_role("searchbox"), ""),
        "shortcuts": (shortcuts, dialog.get_by_role("heading", name="Keyboard shortcuts"), "Close"),
    }
    written = []
    for name, (open_it, part, button) in dialogs.items():
        closings: dict[str, Callable[[], None]] = {"Escape": lambda: keys.press("Escape")}
        if button:
            closings["button"] = lambda button=button: press(dialog.get_by_role("link", name=button))  # type: ignore[misc]
        if hand == "mouse":
            closings["outside"] = lambda: page.mouse.click(3, 3)
        if hand == "touch":
            closings["outside"] = lambda: page.touchscreen.tap(3, 3)
        for how, close in closings.items():
            open_it()
            expect(dialog).to_be_visible()
            if name == "publish":
                expect(part).to_be_focused()
            if hand == "keyboard":
                keys.press("Tab")
            else:
                press(part)
            close()
            expect(dialog).to_have_count(0)
            written.append(f" {name} {how}")
            keys.type(written[-1])
    if viewport == NARROW:
        for _ in range(2):
            press(page.get_by_role("button", name="Preview"))
        written.append(" preview")
        keys.type(written[-1])
    expected = f"Before{''.join(written)} and after."
    expect(text_of(page)).to_have_value(expected)
    eventually(lambda: stored(path).content == expected)


def test_a_press_that_begins_inside_a_dialog_does_not_close_it(page: Page, a_draft: Callable[..., str]) -> None:
    open_editor(page, a_draft())
    page.get_by_role("link", name="Details").click()
    heading = page.get_by_role("dialog").get_by_role("heading", name="Details of")
    heading.hover()
    page.mouse.down()
    page.mouse.move(3, 300)
    page.mouse.up()
    expect(heading).to_be_visible()


def test_undo_takes_back_words_instead_of_characters(page: Page, a_draft: Callable[..., str]) -> None:
    open_editor(page, a_draft())
    for field, before in ((page.get_by_label("Title"), "On the ferries"), (text_of(page), "Before and after.")):
        field.focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(" in fog")
        page.keyboard.press("Control+z")
        expect(field).to_have_value(before)


def test_typing_on_during_an_autosave_of_a_published_post_is_no_trouble(
    page: Page, a_draft: Callable[..., str], stored: Callable[[str], Post], desk: Desk
) -> None:
    path = a_draft(slug="typed-on")
    with desk.app() as (_, tools):
        publishing.publish(Post.get(path.rpartition("/")[2]), tools.now())
    open_editor(page, path, caret=0)
    requests: list[Route] = []
    page.route("**/draft", lambda route: requests.append(route))
    for word in ("One ", "two "):
        with page.expect_request("**/draft"):
            page.keyboard.type(word)
        page.keyboard.type(word.upper())
        requests.pop().continue_()
    page.unroute("**/draft")
    for request in requests:
        request.continue_()
    expect(page.locator("#schedule-status")).to_contain_text("newer edit")
    eventually(lambda: stored(path).content == "One ONE two TWO Before and after.")
    expect(page.locator("#notices")).to_be_empty()


@pytest.mark.parametrize("how", ["Escape", "the button", "a click outside"])
def test_details_are_saved_without_the_button(
    how: str, page: Page, a_draft: Callable[..., str], stored: Callable[[str], Post]
) -> None:
    path = a_draft()
    slug = f"in-the-fog-{len(how)}"
    open_editor(page, path)
    page.get_by_role("link", name="Details").click()
    dialog = page.get_by_role("dialog", name="Details")
    dialog.get_by_label("Summary", exact=True).first.fill("In short.")
    dialog.get_by_label("Address", exact=True).fill(slug)
    dialog.get_by_role("combobox", name="Tags").fill("ferries, fog")
    dialog.get_by_label("Language").fill("en-GB")
    if how == "Escape":
        page.keyboard.press("Escape")
    elif how == "the button":
        dialog.get_by_role("link", name="Close").click()
    else:
        page.mouse.click(3, 3)
    expect(dialog).to_be_hidden()

    def fields() -> tuple[Any, ...]:
        post = stored(path)
        return post.summary, post.slug, post.tags, post.language

    eventually(lambda: fields() == ("In short.", slug, ["ferries", "fog"], "en-GB"))
    expect(page.locator("#notices")).to_be_empty()


def test_details_are_saved_while_they_are_typed_and_on_their_own_page(
    page: Page, a_draft: Callable[..., str], stored: Callable[[str], Post]
) -> None:
    path = a_draft()
    page.goto(f"{path}/details")
    page.get_by_label("Summary", exact=True).first.press_sequentially("In short.")
    eventually(lambda: stored(path).summary == "In short.")
    expect(page.locator("#details-form .foot")).to_contain_text("Saved.")
    page.keyboard.type(" And more.")
    page.get_by_role("button", name="Save details").click()
    eventually(lambda: stored(path).summary == "In short. And more.")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_detail_that_cannot_be_saved_is_named_and_kept(
    page: Page, a_draft: Callable[..., str], stored: Callable[[str], Post], look: Callable[..., None]
) -> None:
    path = a_draft()
    open_editor(page, path)
    opener = page.get_by_role("link", name="Details")
    opener.click()
    dialog = page.get_by_role("dialog", name="Details")
    slug = dialog.get_by_label("Address", exact=True)
    slug.fill("A B")
    page.keyboard.press("Escape")
    expect(page.locator("#notices")).to_contain_text("The details aren't saved.")
    expect(page.locator("#notices")).to_contain_text("lowercase letters and digits")
    look(page, "details-not-saved")
    page.keyboard.type("!")
    expect(text_of(page)).to_have_value("Before! and after.")
    opener.click()
    expect(slug).to_have_value("A B")
    expect(slug).to_be_focused()
    look(page, "details-kept")
    slug.fill("a-b")
    page.keyboard.press("Escape")
    eventually(lambda: stored(path).slug == "a-b")


def test_a_cover_is_uploaded_once_while_the_details_are_typed(
    page: Page, a_draft: Callable[..., str], stored: Callable[[str], Post], tmp_path: Path
) -> None:
    path = a_draft()
    open_editor(page, path)
    page.get_by_role("link", name="Details").click()
    dialog = page.get_by_role("dialog", name="Details")
    image = tmp_path / "quay.jpg"
    image.write_bytes(jpeg(900, 500))
    held: list[Route] = []
    page.route("**/details", lambda route: held.append(route))
    with page.expect_request("**/details"):
        dialog.get_by_label("Upload an image").set_input_files(image)
    alt = dialog.get_by_label("Alt text of the cover")
    alt.fill("The quay")
    held.pop().continue_()
    page.unroute("**/details")
    eventually(lambda: stored(path).cover_image)
    cover = stored(path).cover_image
    expect(dialog.get_by_role("img")).to_be_visible()
    expect(alt).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(" at dusk")
    dialog.get_by_label("Summary", exact=True).first.fill("In short.")
    page.keyboard.press("Escape")
    eventually(lambda: stored(path).cover_alt == "The quay at dusk")
    assert stored(path).cover_image == cover
    assert stored(path).summary == "In short."


def test_details_typed_before_the_page_is_left_are_saved(
    page: Page, a_draft: Callable[..., str], stored: Callable[[str], Post]
) -> None:
    path = a_draft()
    open_editor(page, path)
    page.get_by_role("link", name="Details").click()
    page.get_by_role("dialog", name="Details").get_by_label("Summary", exact=True).first.fill("In short.")
    page.goto("/desk")
    eventually(lambda: stored(path).summary == "In short.")


def test_details_changed_elsewhere_are_shown_and_both_versions_kept(
    page: Page, a_draft: Callable[..., str], stored: Callable[[str], Post], desk: Desk, look: Callable[..., None]
) -> None:
    path = a_draft()
    open_editor(page, path)
    details = page.get_by_role("link", name="Details")
    details.click()
    dialog = page.get_by_role("dialog", name="Details")
    summary = dialog.get_by_label("Summary", exact=True).first
    expect(summary).to_be_visible()
    with desk.app() as (_, tools):
        editing.edit(Post.get(path.rpartition("/")[2]), {"summary": "Theirs."}, None, tools.now())
    summary.fill("Mine.")
    page.keyboard.press("Escape")
    expect(page.locator("#notices")).to_contain_text("The details aren't saved.")
    look(page, "details-conflict-notice")
    details.click()
    expect(summary).to_have_value("Mine.")
    expect(dialog).to_contain_text("Theirs.")
    look(page, "details-conflict")
    dialog.get_by_role("button", name="Save details").click()
    eventually(lambda: stored(path).summary == "Mine.")


@pytest.mark.parametrize("how", ["Escape", "Tab", "mouse"])
def test_a_notice_can_be_closed_and_the_caret_stays_in_the_text(
    how: str, page: Page, a_draft: Callable[..., str], look: Callable[..., None]
) -> None:
    open_editor(page, a_draft())
    page.keyboard.press("F2")
    notices = page.locator("#notices")
    expect(notices).to_contain_text("Put the caret into an image first.")
    button = notices.get_by_role("button", name="Close")
    if how == "Escape":
        look(page, "notice-to-close")
        page.keyboard.press("Escape")
    elif how == "Tab":
        Keys(page).press(button, by="Shift+Tab")
        expect(page.get_by_label("Title")).to_be_focused()  # the last field before the notice
        text_of(page).focus()
    else:
        button.click()
    expect(notices).to_be_empty()
    page.keyboard.type("!")
    expect(text_of(page)).to_have_value("Before! and after.")


def test_a_notice_of_the_server_can_be_closed(
    page: Page, plain_page: Page, a_draft: Callable[..., str], look: Callable[..., None]
) -> None:
    a_draft()
    for browser in (plain_page, page):
        browser.goto("/desk?in=drafts")
        row = browser.locator("#posts li.post").filter(has_text="On the ferries").first
        row.get_by_label("More actions for").click()
        row.get_by_role("button", name="Duplicate").click()
        expect(browser.get_by_text("is created as a draft")).to_be_visible()
    notices = page.locator("#notices")
    look(page, "notice-of-the-server")
    notices.get_by_role("button", name="Close").click()
    expect(notices).to_be_empty()
    expect(plain_page.get_by_role("button", name="Close")).to_be_hidden()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["1280 px", "390 px"])
def test_a_notice_leaves_the_text_its_place_and_size(
    open_browser: OpenBrowser, a_draft: Callable[..., str], viewport: dict[str, int]
) -> None:
    page = open_browser(viewport=viewport).new_page()
    open_editor(page, a_draft())
    writing = page.get_by_role("region", name="Draft")
    before = writing.bounding_box()
    page.keyboard.press("F2")
    expect(page.locator("#notices")).to_contain_text("Put the caret into an image first.")
    assert writing.bounding_box() == before
    page.keyboard.press("Escape")
    assert writing.bounding_box() == before


@dataclass
class Machine:
    """A device with a browser whose process can be killed; what it stored on the disk stays."""

    chromium: Browser
    desk: Desk
    profile: Path

    def open(self) -> BrowserContext:
        browser = self.chromium.browser_type.launch_persistent_context(
            self.profile, executable_path=CHROMIUM, args=FLAGS, base_url=self.desk.url, locale="en-GB", viewport=WIDE
        )
        browser.set_default_timeout(PATIENCE)
        browser.add_cookies([{"name": "blogsvc", "value": self.desk.token(), "url": self.desk.url}])
        return browser

    def kill(self) -> None:
        """Kill all processes of the browser at once, as when the battery is pulled out."""
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if f"--user-data-dir={self.profile}".encode() in file.read_bytes():
                    os.kill(int(file.parent.name), signal.SIGKILL)


@pytest.mark.parametrize("length", [10, 300_000], ids=["a short text", "a long text"])
@pytest.mark.parametrize("how", ["killed", "closed and killed"])
def test_text_saved_on_this_device_survives_a_kill_of_the_browser(
    how: str, length: int, chromium: Browser, desk: Desk, a_draft: Callable[..., str], tmp_path: Path
) -> None:
    path = a_draft(content="ferry " * (length // 6))
    machine = Machine(chromium, desk, tmp_path / "profile")
    browser = machine.open()
    page = browser.new_page()
    open_editor(page, path, caret=0)
    browser.set_offline(True)
    for word in ("One ", "two ", "three "):
        page.keyboard.type(word)
        expect(page.locator("#saved")).to_have_text("Saved on this device")
    if how == "closed and killed":
        page.keyboard.type("four ")
        desk.server.kill()  # closing a page ends its being offline
        page.close()
    machine.kill()
    with suppress(PlaywrightError):
        browser.close()
    if how == "closed and killed":
        desk.server.start()
        desk.server.wait_until_ready()

    browser = machine.open()
    page = browser.new_page()
    page.goto(path)
    expect(page.get_by_text("Unsaved changes from your last visit were restored")).to_be_visible()
    typed = "One two three four " if "closed" in how else "One two three "
    assert text_of(page).input_value()[:30].split("ferry")[0] == typed
    browser.close()


def test_text_that_the_browser_cannot_store_is_not_called_saved(
    open_browser: OpenBrowser, a_draft: Callable[..., str], stored: Callable[[str], Post], watched: Watched
) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED", "Failed to fetch")
    browser = open_browser()
    page = browser.new_page()
    page.add_init_script("IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError') }")
    path = a_draft()
    open_editor(page, path)
    browser.set_offline(True)
    page.keyboard.type("!")
    expect(page.locator("#saved")).to_have_text("Not saved. Keep this page open.")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.close(run_before_unload=True)
    eventually(lambda: asked or page.wait_for_timeout(100))
    assert asked == ["beforeunload"]
    browser.set_offline(False)
    eventually(lambda: stored(path).content == "Before! and after." or page.wait_for_timeout(100))


@pytest.mark.parametrize("lost", ["editor-tools.js", "markdown-edits.js", "the server"])
def test_a_first_key_without_a_connection_leaves_the_toolbar_usable(
    lost: str, page: Page, a_draft: Callable[..., str], desk: Desk, stored: Callable[[str], Post], watched: Watched
) -> None:
    watched.expect("ERR_", "Failed to fetch", "Failed to load")
    path = a_draft()
    page.goto(path)
    if lost == "the server":
        desk.server.kill()
    else:
        page.route(f"**/{lost}*", lambda route: route.abort())
    text_of(page).focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("First ")
    page.get_by_role("button", name="Bold").click()
    expect(page.locator("#notices")).to_contain_text("The connection failed. Try again in a moment.")
    if lost == "the server":
        desk.server.start()
        desk.server.wait_until_ready()
    else:
        page.unroute(f"**/{lost}*")
    text_of(page).focus()
    page.get_by_role("button", name="Bold").click()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    page.keyboard.type("bold")
    expect(text_of(page)).to_have_value("First **bold**Before and after.")


def test_styles_that_a_lost_connection_kept_back_are_loaded_later(
    page: Page, a_draft: Callable[..., str], watched: Watched
) -> None:
    watched.expect("ERR_")
    page.route("**/editor-tools.css*", lambda route: route.abort())
    with page.expect_event("requestfailed", lambda request: "editor-tools.css" in request.url):
        open_editor(page, a_draft())
    with page.expect_response("**/editor-tools.css*") as styles:
        page.unroute("**/editor-tools.css*")
    assert styles.value.ok


def test_text_that_only_the_device_has_is_found_from_the_dashboard(
    page: Page, desk: Desk, stored: Callable[[str], Post], watched: Watched
) -> None:
    """The draft is blank on the server, so no list shows it."""
    watched.expect("ERR_FAILED")
    page.goto("/desk")
    page.get_by_role("button", name="New post").click()
    page.wait_for_url("**/desk/posts/post_*")
    path = page.url.removeprefix(desk.url)
    text_of(page).focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    page.route("**/draft", lambda route: route.abort())
    page.keyboard.type("Written on the train.")
    expect(page.locator("#saved")).to_have_text("Saved on this device")
    with suppress(PlaywrightError):
        page.goto("chrome://crash")  # a page that is closed would send its text, as soon as there is a connection
    context = page.context
    page.close()
    other = context.new_page()
    other.goto("/desk")
    expect(other.locator(f'#posts a[href="{path}"]')).to_have_count(0)
    other.locator("#notices").get_by_role("link", name="open the post").click()
    expect(text_of(other)).to_have_value("Written on the train.")
    eventually(lambda: stored(path).content == "Written on the train.")
    other.goto("/desk")
    expect(other.get_by_role("link", name="Untitled Written on the train.")).to_be_visible()
    expect(other.locator("#notices")).to_be_empty()
