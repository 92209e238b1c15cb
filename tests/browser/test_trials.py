"""Two trials of a new user, who reads no documentation: by keyboard alone, and by thumb alone.

Each sets up the blog, connects two test destinations, pastes a text of Google Docs with tables and three images,
schedules it to three destinations, takes one off again, and undoes publishing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import NARROW, PASSWORD, PATIENCE, Desk, Watched, a_desk
from tests.browser.hands import Keys, Thumb
from tests.browser.test_first_run import printed_link
from tests.browser.website import Website

Look = Callable[..., None]
GOOGLE_DOCS = Path(__file__).parent.parent / "web" / "clipboard" / "google-docs.html"
TABLE = (
    '<div dir="ltr" style="margin-left:0pt;" align="left"><table style="border:none;border-collapse:collapse;"><tbody>'
    '<tr style="height:0pt"><td style="padding:5pt"><p dir="ltr"><span style="font-weight:700;">Harbour</span></p></td>'
    '<td><p dir="ltr"><span style="font-weight:700;">First boat</span></p></td></tr>'
    '<tr><td><p dir="ltr"><span>Norddeich</span></p></td><td><p dir="ltr"><span>06:15</span></p></td></tr>'
    "</tbody></table></div>"
)
COPY = """async ([html, text]) => {
    const blob = (type, data) => ({[type]: new Blob([data], {type})});
    await navigator.clipboard.write([new ClipboardItem({...blob("text/html", html), ...blob("text/plain", text)})]);
}"""
SOON = 30_000  # milliseconds


def google_docs(website: Website) -> str:
    """Return the recorded clipboard of Google Docs, with one more table and three images that exist."""
    html = re.sub(r'(<img\b[^>]*src=")[^"]*', rf"\g<1>{website.url}/quay.png", GOOGLE_DOCS.read_text())
    image = '<p dir="ltr"><span style="width:300px;"><img src="{}/{}.png" width="300" height="200" /></span></p>'
    more = TABLE + "".join(image.format(website.url, name) for name in ("ferry", "gull"))
    end = html.rindex("</b>")
    return html[:end] + more + html[end:]


@pytest.fixture
def untouched(tmp_path: Path, blank_database_url: str, website: Website) -> Iterator[Desk]:
    """A server that is not set up, and a website with images."""
    website.go_on.set()
    with a_desk(tmp_path, blank_database_url, with_owner=False) as desk:
        yield desk


@pytest.fixture
def newcomer(chromium: Browser, untouched: Desk, watched: Watched) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that opens the browser of somebody who has never been here, with an empty clipboard."""
    contexts = []
    # Previews don't load images without encryption, and copying HTML in a page reports its inline styles.
    watched.expect("policy: img-src", "policy: style-src", "Content Security Policy directive", "Blocked script")

    def open_browser(**options: object) -> BrowserContext:
        context = chromium.new_context(base_url=untouched.url, locale="en-GB", timezone_id="Europe/Berlin", **options)
        context.set_default_timeout(PATIENCE)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=untouched.url)
        context.on("page", watched.watch)
        contexts.append(context)
        return context

    yield open_browser
    for context in contexts:
        context.close()


def expect_pasted(text: Locator) -> None:
    """Wait until the pasted text is Markdown and all of its images are in the media library."""
    for name in ("quay", "ferry", "gull"):
        expect(text).to_have_value(re.compile(rf"\(/media/{name}-[0-9a-z]{{10}}\.png\)"), timeout=SOON)
    written = text.input_value()
    assert written.startswith("Before the text.\n\n# Ferry timetable\n")
    assert "**never**" in written
    assert "| Harbour | First boat |\n| --- | --- |\n| Norddeich | 06:15 |" in written


def expect_scheduled(dialog: Locator, count: int) -> None:
    expect(dialog.get_by_role("heading", name="Scheduled for 4 Mar 2031, 09:00")).to_be_visible()
    expect(dialog.get_by_text(f"{count} destination")).to_be_visible()


def test_a_new_user_publishes_by_keyboard_alone(
    newcomer: Callable[..., BrowserContext], untouched: Desk, website: Website, look: Look
) -> None:
    page = newcomer(viewport={"width": 1280, "height": 800}).new_page()
    keys = Keys(page)
    page.goto(printed_link(untouched))
    set_up(page, keys)
    look(page, "keys-welcome")
    keys.press(page.get_by_role("link", name="Choose a platform"))
    for name in ("sandbox", "sandbox-2"):
        keys.press(page.get_by_role("link", name=re.compile("^Connect (another )?Sandbox$")))
        keys.press(page.get_by_role("button", name="Connect Sandbox"))
        keys.press(page.get_by_role("button", name="Back to destinations"))
        expect(page.locator(f"#destination-{name}")).to_be_visible()

    keys.shortcut("n")
    page.wait_for_url(re.compile("/desk/posts/"))
    page.evaluate(COPY, [google_docs(website), "Ferry timetable"])
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.type("Ferries in the fog")
    page.keyboard.press("Enter")
    page.keyboard.type("Before the text.\n\n")
    page.keyboard.press("Control+V")
    text = page.get_by_label("Text, in Markdown")
    expect_pasted(text)
    expect(text).to_be_focused()
    look(page, "keys-pasted")

    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="Publish")
    expect(dialog.get_by_role("heading", name="Publish")).to_be_focused()
    keys.reach(dialog.get_by_label("Day and time"))
    page.keyboard.type("030420310900AM")  # headless Chromium shows dates as they are written in the United States
    for box in dialog.get_by_role("checkbox", name="Sandbox").all():
        keys.press(box, "Space")
    look(page, "keys-sheet")
    expect(dialog.get_by_role("button", name="Schedule for Tue 4 Mar 2031, 09:00")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect_scheduled(dialog, 3)
    look(page, "keys-scheduled")

    keys.press(dialog.get_by_role("button", name="Remove sandbox-2"))
    expect_scheduled(dialog, 2)
    look(page, "keys-two-left")
    keys.press(dialog.get_by_role("link", name="Done"))
    expect(text).to_be_focused()
    publish_and_undo(page, dialog)


def publish_and_undo(page: Page, dialog: Locator) -> None:
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("heading", name="Publish")).to_be_focused()
    keys = Keys(page)
    keys.reach(dialog.get_by_role("radio", name="At", exact=True))
    page.keyboard.press("ArrowUp")
    expect(dialog.get_by_role("button", name="Publish to 2 destinations")).to_be_visible()
    page.keyboard.press("Control+Enter")
    keys.press(dialog.get_by_role("button", name="Undo"))
    expect(dialog.get_by_text("Publishing is undone. Nothing left the server.")).to_be_visible()


def set_up(page: Page, user: Keys | Thumb) -> None:
    for label, value in {
        "Blog title": "Ink and paper",
        "Your name": "Ann",
        "E-mail": "ann@blog.example",
        "Password": PASSWORD,
    }.items():
        user.type(page.get_by_label(label), value)
    user.press(page.get_by_role("button", name="Create blog"))
    expect(page.get_by_role("heading", name="Your blog is ready")).to_be_visible()


def test_a_new_user_publishes_by_thumb_alone(
    newcomer: Callable[..., BrowserContext], untouched: Desk, website: Website, look: Look
) -> None:
    context = newcomer(viewport=NARROW, has_touch=True, is_mobile=True)
    page = context.new_page()
    thumb = Thumb(page)
    page.goto(printed_link(untouched))
    set_up(page, thumb)
    look(page, "thumb-welcome")
    thumb.press(page.get_by_role("link", name="Choose a platform"))
    for name in ("sandbox", "sandbox-2"):
        thumb.press(page.get_by_role("link", name=re.compile("^Connect (another )?Sandbox$")))
        thumb.press(page.get_by_role("button", name="Connect Sandbox"))
        thumb.press(page.get_by_role("button", name="Back to destinations"))
        expect(page.locator(f"#destination-{name}")).to_be_visible()

    thumb.press(page.get_by_role("link", name="Dashboard", exact=True))
    look(page, "thumb-dashboard")
    thumb.press(page.get_by_role("banner").get_by_role("button", name="New post"))
    page.wait_for_url(re.compile("/desk/posts/"))
    page.evaluate(COPY, [google_docs(website), "Ferry timetable"])
    thumb.type(page.get_by_label("Title"), "Ferries in the fog")
    text = page.get_by_label("Text, in Markdown")
    thumb.type(text, "Before the text.\n\n")
    # "Paste" in the menu of the phone, which is not on the page.
    context.new_cdp_session(page).send("Input.dispatchKeyEvent", {"type": "keyDown", "commands": ["paste"]})
    expect_pasted(text)
    look(page, "thumb-pasted")

    thumb.press(page.get_by_role("link", name="Publish…"))
    dialog = page.get_by_role("dialog", name="Publish")
    thumb.press(dialog.get_by_label("Day and time"))
    dialog.get_by_label("Day and time").fill(
        "2031-03-04T09:00"
    )  # in the calendar of the phone, which is not on the page
    for box in dialog.get_by_role("checkbox", name="Sandbox").all():
        thumb.press(box)
    look(page, "thumb-sheet")
    thumb.press(dialog.get_by_role("button", name="Schedule for Tue 4 Mar 2031, 09:00"))
    expect_scheduled(dialog, 3)
    look(page, "thumb-scheduled")

    thumb.press(dialog.get_by_role("button", name="Remove sandbox-2"))
    expect_scheduled(dialog, 2)
    thumb.press(dialog.get_by_role("link", name="Done"))
    expect(dialog).to_be_hidden()
    thumb.press(page.get_by_role("link", name="Scheduled"))
    thumb.press(dialog.get_by_role("radio", name="Now"))
    thumb.press(dialog.get_by_role("button", name="Publish to 2 destinations"))
    thumb.press(dialog.get_by_role("button", name="Undo"))
    expect(dialog.get_by_text("Publishing is undone. Nothing left the server.")).to_be_visible()
    look(page, "thumb-undone")


def test_shift_pastes_plain_text(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/desk")
    page.keyboard.press("n")
    page.wait_for_url(re.compile("/desk/posts/"))
    text = page.get_by_label("Text, in Markdown")
    text.focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    page.evaluate(COPY, ["<p>The boats are <b>never</b> late.</p>", "The boats are never late."])
    page.keyboard.press("Control+Shift+V")
    expect(text).to_have_value("The boats are never late.")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+V")
    expect(text).to_have_value("The boats are never late.\nThe boats are **never** late.")
