"""The editor in a real browser: typed text is kept, whatever happens to the page, the network or the server."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect
from sqlalchemy import delete

from blogsvc.auth import accounts
from blogsvc.models import Post, Session, db, transaction
from blogsvc.posts import autosave, editing, publishing
from tests.browser.conftest import NARROW, Desk, Watched
from tests.clock import eventually

OpenBrowser = Callable[..., BrowserContext]
TEXT = """\
Editors used to correct proofs with a **blue pencil**, because the *camera* could not see that colour. A [link](https://example.com/a_(b)).

## What the camera cannot see

- one `code` and `` two ` ticks ``
- [x] a task, TK

| a | b |
|---|---|
| 1 | 2 |

```python
# no heading, **no** mark
```

שלום עולם, this is *both*.

	tabbed   spaces

a_long_word_""" + "x" * 120 + """

A note[^1] and <kbd>Ctrl</kbd>, \\*plain\\*.

[^1]: A foot.
"""  # fmt: skip


@pytest.fixture
def a_draft(desk: Desk) -> Callable[..., str]:
    """Return a function that creates a draft of Ann and returns its path."""

    def make(**words: Any) -> str:
        with desk.app() as (_, tools):
            user = accounts.User.by_email("ann@blog.example")
            assert user is not None
            post = editing.create({"title": "The blue pencil", "content": ""} | words, None, tools.now())
            with transaction():
                Post.get(post.id).author_id = user.id
            return f"/desk/posts/{post.id}"

    return make


@pytest.fixture
def stored(desk: Desk) -> Callable[[str], tuple[str, str]]:
    """Return the state and the text of a post from the database."""

    def read(path: str) -> tuple[str, str]:
        with desk.app():
            post = Post.get(path.rpartition("/")[2])
            return post.state, post.content

    return read


def text_of(page: Page) -> Any:
    return page.get_by_label("Text, in Markdown")


def shown(page: Page) -> FrameLocator:
    """Return the blog's page in the preview."""
    return page.frame_locator("#preview iframe")


def open_post(page: Page, path: str) -> None:
    """Open the editor with the caret in the text, and wait until the toolbar is ready."""
    page.goto(path)
    text_of(page).focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()


def saved(page: Page) -> Any:
    return page.locator("#saved")


def type_at_end(page: Page, words: str) -> None:
    text_of(page).focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(words)


def test_a_post_can_be_written(page: Page, look: Callable[..., None], stored: Callable[[str], tuple[str, str]]) -> None:
    page.goto("/desk")
    with page.expect_event("load"):
        page.get_by_role("button", name="New post").click()
    expect(page.get_by_label("Title")).to_be_focused()
    page.keyboard.type("On paper")
    page.keyboard.press("Enter")
    expect(text_of(page)).to_be_focused()
    page.keyboard.type("Some *words*.")
    expect(shown(page).locator(".e-content em")).to_have_text("words")
    expect(shown(page).locator("h1")).to_have_text("On paper")
    expect(page.locator("#facts")).to_contain_text("2 words")
    expect(page).to_have_title("On paper · Ink and paper")
    page.keyboard.press("Control+s")
    expect(saved(page)).to_contain_text("Saved ")
    path = page.url.removeprefix(page.evaluate("location.origin"))
    assert stored(path) == ("draft", "Some *words*.")
    page.reload()
    expect(text_of(page)).to_have_value("Some *words*.")
    assert page.evaluate(STORED_DRAFTS) == 0, "saved text is not kept in the browser"

    type_at_end(page, "\n\n## TK\n\nMore, TK.")
    expect(page.locator("#facts")).to_contain_text("2 TK")
    look(page, "editor")
    page.get_by_text("Outline").click()
    page.locator(".outline").get_by_role("link", name="TK").click()
    assert page.evaluate("document.getElementById('content').selectionStart") == 15
    page.get_by_role("button", name="2 TK").click()
    assert page.evaluate("getSelection().toString()") == "TK"

    page.keyboard.press("Control+.")
    expect(page.locator("#preview")).to_be_hidden()
    expect(page.get_by_role("link", name="Publish…")).to_be_hidden()
    look(page, "editor-calm")
    page.get_by_role("button", name="Exit focus mode").click()
    expect(shown(page).locator("h1")).to_be_visible()
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    page.get_by_role("button", name="Preview").click()
    expect(shown(page).locator("h1")).to_be_visible()
    expect(text_of(page)).to_be_hidden()
    look(page, "editor-proof")


STORED_DRAFTS = """() => new Promise((resolve) => {
    indexedDB.open("blogsvc").onsuccess = ({ target: { result: database } }) => {
        const request = database.transaction("drafts").objectStore("drafts").count();
        request.onsuccess = () => resolve(request.result);
    };
})"""


def test_highlighting_matches_the_text_at_every_width(page: Page, a_draft: Callable[..., str]) -> None:
    open_post(page, a_draft(content=TEXT))
    expect(page.locator(".ed.on")).to_be_attached()
    assert page.locator(".mirror").evaluate("it => it.textContent.slice(0, -1)") == TEXT
    for width in range(320, 1500, 93):
        page.set_viewport_size({"width": width, "height": 800})
        heights = page.evaluate("['.ed textarea', '.mirror'].map(it => document.querySelector(it).scrollHeight)")
        assert heights[0] == heights[1], width
    page.set_viewport_size({"width": 1280, "height": 800})
    assert coloured(page, "md-mark")[:6] == ["**", "**", "*", "*", "[", "](https://example.com/a_(b))"]
    marks = coloured(page, "md-mark")
    assert {"##", "-", "- [x]", "``", "|", "|---|---|", "```python", "```", "[^1]", "<kbd>", "</kbd>"} <= set(marks)
    assert coloured(page, "md-code") == ["code", " two ` ticks ", "# no heading, **no** mark"]
    assert coloured(page, "md-tk") == ["TK"]
    assert coloured(page, "md-head") == ["What the camera cannot see"]

    # A code fence opened above turns all that follows into code, and is undone as a whole.
    text_of(page).focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("~~~\n")
    assert coloured(page, "md-tk") == []
    assert coloured(page, "md-mark") == ["~~~"]
    for _ in range(4):
        page.keyboard.press("Backspace")
    assert coloured(page, "md-tk") == ["TK"]
    assert coloured(page, "md-mark") == marks
    page.emulate_media(forced_colors="active")
    expect(page.locator(".ed:not(.on)")).to_be_attached()


def coloured(page: Page, name: str) -> list[str]:
    """Return the texts of a highlight, in order."""
    return page.evaluate(COLOURED, name)  # type: ignore[no-any-return]


COLOURED = """name => {
    const lines = [...document.querySelector(".mirror").children];
    const place = (it) => lines.indexOf(it.startContainer.parentNode) * 1e6 + it.startOffset;
    const all = [...CSS.highlights.get(name)].sort((a, b) => place(a) - place(b));
    return all.map((it) => it.startContainer.data.slice(it.startOffset, it.endOffset));
}"""


def test_typing_updates_only_the_changed_line(page: Page, a_draft: Callable[..., str]) -> None:
    open_post(
        page, a_draft(content="\n\n".join(f"Paragraph {n} with **some** *marks* in it. " * 5 for n in range(250)))
    )
    expect(page.locator(".ed.on")).to_be_attached()
    page.wait_for_function("CSS.highlights.get('md-mark').size < 2000")  # of 10,000
    page.evaluate(
        "() => { window.touched = new Set(); new MutationObserver(all => all.forEach(it => touched.add(it.target)))"
        ".observe(document.querySelector('.mirror'), {subtree: true, childList: true, characterData: true}) }"
    )
    text_of(page).focus()
    page.evaluate("document.getElementById('content').setSelectionRange(20000, 20000)")
    page.keyboard.type("words")
    assert page.evaluate("touched.size") == 1


KEYS = [
    ("word", "Control+b", "**word**"),
    ("word", "Control+i", "*word*"),
    ("word", "Control+e", "`word`"),
    ("word", "Control+k", "[word]()"),
    ("https://x.example", "Control+k", "[](https://x.example)"),
    ("one\ntwo", "Control+Shift+8", "- one\n- two"),
    ("one\ntwo", "Control+Shift+7", "1. one\n2. two"),
    ("- one\n- two", "Control+Shift+7", "1. one\n2. two"),
    ("1. one\n2. two", "Control+Shift+7", "one\ntwo"),
    ("one", "Control+Shift+l", "- [ ] one"),
    ("one\ntwo", "Control+]", "  one\n  two"),
    ("  - one\n  - two", "Control+[", "- one\n- two"),
]


def test_formatting_keys_and_buttons_can_be_undone(page: Page, a_draft: Callable[..., str]) -> None:
    open_post(page, a_draft())
    text = text_of(page)
    for before, key, after in KEYS:
        text.fill(before)
        text.select_text()
        page.keyboard.press(key)
        expect(text).to_have_value(after)
        page.keyboard.press("Control+z")
        expect(text).to_have_value(before)
    text.fill("word")
    text.select_text()
    for _ in range(2):
        page.keyboard.press("Control+b")
    expect(text).to_have_value("word")
    for name, after in (("Heading", "## word"), ("Heading", "### word"), ("Quote", "> ### word")):
        page.get_by_role("button", name=name).click()
        expect(text).to_have_value(after)
    for _ in range(3):
        page.keyboard.press("Control+z")
    expect(text).to_have_value("word")

    page.get_by_role("button", name="Bold").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Italic")).to_be_focused()


PASTE = """data => {
    const clipboardData = new DataTransfer();
    for (const [kind, text] of Object.entries(data)) clipboardData.setData(kind, text);
    const paste = new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true});
    document.activeElement.dispatchEvent(paste);
}"""


def test_pasted_html_becomes_markdown(page: Page, a_draft: Callable[..., str]) -> None:
    open_post(page, a_draft())
    text = text_of(page)

    def paste(**data: str) -> None:
        page.evaluate(PASTE, {kind.replace("_", "/"): content for kind, content in data.items()})

    text.fill("a page")
    text.select_text()
    paste(text_plain="https://example.com/")
    expect(text).to_have_value("[a page](https://example.com/)")
    text.fill("")
    paste(text_plain="Head\nsome bold", text_html="<h2>Head</h2><p>some <b>bold</b></p>")
    expect(text).to_have_value("## Head\n\nsome **bold**")
    page.keyboard.press("Control+z")
    expect(text).to_have_value("Head\nsome bold")


def test_typed_text_survives_a_server_outage(
    page: Page, a_draft: Callable[..., str], desk: Desk, stored: Callable[[str], tuple[str, str]], watched: Watched
) -> None:
    watched.expect("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_NETWORK", "Failed to fetch", "503")
    path = a_draft(content="Before.")
    page.goto(path)
    type_at_end(page, " One.")
    expect(shown(page).locator("article")).to_contain_text("Before. One.")
    desk.server.kill()
    page.keyboard.type(" Two.")
    expect(saved(page)).to_have_text("Saved on this device")
    page.keyboard.type(" Three.")
    desk.server.start()
    desk.server.wait_until_ready()
    page.keyboard.type(" Four.")
    # The status can say "Saved" for the text without the last word, so wait for the server to have all of it.
    deadline = monotonic() + 60
    while stored(path)[1] != "Before. One. Two. Three. Four." and monotonic() < deadline:
        page.wait_for_timeout(100)
    assert stored(path) == ("draft", "Before. One. Two. Three. Four.")
    expect(saved(page)).to_contain_text(":")


def test_unsaved_text_of_a_lost_page_is_restored(
    open_browser: OpenBrowser,
    a_draft: Callable[..., str],
    desk: Desk,
    stored: Callable[[str], tuple[str, str]],
    watched: Watched,
) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION", "Failed to fetch")
    path = a_draft(content="Before.")
    browser = open_browser()
    page = browser.new_page()
    page.goto(path)
    browser.set_offline(True)
    type_at_end(page, " Offline.")
    expect(saved(page)).to_have_text("Saved on this device")
    # Closing a page ends the emulation for its last request, so the server must be away too.
    desk.server.kill()
    page.close()
    browser.set_offline(False)
    desk.server.start()
    desk.server.wait_until_ready()
    page = browser.new_page()
    page.goto(path)
    expect(text_of(page)).to_have_value("Before. Offline.")
    expect(page.get_by_text("Unsaved changes from your last visit were restored")).to_be_visible()
    expect(saved(page)).to_contain_text(":")
    assert stored(path)[1] == "Before. Offline."
    page.reload()
    expect(page.get_by_text("Unsaved changes from your last visit were restored")).not_to_be_visible()


def test_leaving_the_page_saves_the_text(page: Page, a_draft: Callable[..., str]) -> None:
    path = a_draft(content="Before.")
    page.goto(path)
    type_at_end(page, " And left.")
    page.goto("/desk")
    page.goto(path)
    expect(text_of(page)).to_have_value("Before. And left.")


def test_two_tabs_keep_both_texts(
    open_browser: OpenBrowser,
    a_draft: Callable[..., str],
    stored: Callable[[str], tuple[str, str]],
    look: Callable[..., None],
) -> None:
    path = a_draft(content="A line.\n\nAnother line of the text.")
    browser = open_browser()
    one, two = browser.new_page(), browser.new_page()
    for page in (one, two):
        page.goto(path)
    type_at_end(one, " From one.")
    one.keyboard.press("Control+s")
    expect(saved(one)).to_contain_text(":")
    expect(shown(one).locator("article")).to_contain_text("From one.")
    two.keyboard.press("Control+Enter")
    expect(two.get_by_role("heading", name="Publish")).to_be_visible()
    two.keyboard.press("Escape")
    type_at_end(two, " From two.")
    expect(saved(two)).to_have_text("Changed elsewhere")
    clash = two.get_by_role("region", name="This post was changed elsewhere")
    expect(clash.locator(".differ del")).to_contain_text("one")
    expect(clash.locator(".differ ins")).to_contain_text("two")
    # The publish dialog has been open: its styles don't change the comparison.
    expect(clash.locator(".differ .line").first).to_have_css("text-align", "start")
    look(two, "editor-clash")
    assert "From one." in stored(path)[1]
    two.keyboard.type(" Still typing.")
    clash.get_by_role("button", name="Keep mine").click()
    expect(saved(two)).to_contain_text(":")
    expect(clash).not_to_be_visible()
    assert stored(path)[1].endswith("From two. Still typing.")

    # The first tab has no changes of its own, so it loads these as soon as it is focused.
    one.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(text_of(one)).to_have_value("A line.\n\nAnother line of the text. From two. Still typing.")
    type_at_end(two, " A")
    two.keyboard.press("Control+s")
    expect(saved(two)).to_contain_text(":")
    type_at_end(one, " B")
    expect(saved(one)).to_have_text("Changed elsewhere")
    one.get_by_role("button", name="Use theirs").click()
    expect(text_of(one)).to_have_value("A line.\n\nAnother line of the text. From two. Still typing. A")
    type_at_end(one, " C")
    expect(shown(one).locator("article")).to_contain_text("typing. A C")
    eventually(lambda: stored(path)[1].endswith(" A C"))


def test_an_expired_session_loses_no_text(
    open_browser: OpenBrowser, a_draft: Callable[..., str], desk: Desk, stored: Callable[[str], tuple[str, str]]
) -> None:
    path = a_draft(content="Before.")
    browser = open_browser()
    page = browser.new_page()
    page.goto(path)
    with desk.app(), transaction():
        db.session.execute(delete(Session))
    type_at_end(page, " After.")
    expect(page.get_by_text("Your session has ended")).to_be_visible()
    expect(saved(page)).to_have_text("Saved on this device")
    assert stored(path)[1] == "Before."
    with browser.expect_page() as opened:
        page.get_by_role("link", name="sign in again in a new tab").click()
    other = opened.value
    other.get_by_label("E-mail").fill("ann@blog.example")
    other.get_by_label("Password").fill("a ferry in the fog")
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url("**/desk")
    page.bring_to_front()
    expect(saved(page)).to_contain_text(":")
    expect(page.get_by_text("Your session has ended")).not_to_be_visible()
    assert stored(path)[1] == "Before. After."


def test_a_stale_tab_does_not_unpublish_a_post(
    page: Page,
    a_draft: Callable[..., str],
    desk: Desk,
    stored: Callable[[str], tuple[str, str]],
    look: Callable[..., None],
) -> None:
    path = a_draft(content="As published.", slug="forgotten")
    page.goto(path)
    with desk.app() as (_, tools):
        publishing.publish(Post.get(path.rpartition("/")[2]), tools.now())
    type_at_end(page, " Later.")
    expect(page.locator("#schedule-status")).to_contain_text("Readers see version 1")
    assert stored(path) == ("published", "As published. Later.")
    assert page.request.get("/forgotten").text().count("Later.") == 0
    page.reload()
    expect(page.locator("#state")).to_have_text("Published")
    look(page, "editor-published")


def test_edits_of_a_scheduled_post_wait_for_an_update_of_the_schedule(
    page: Page, a_draft: Callable[..., str], desk: Desk, stored: Callable[[str], tuple[str, str]]
) -> None:
    path = a_draft(content="As planned.", slug="planned")
    with desk.app() as (_, tools):
        now = tools.now()
        publishing.schedule(Post.get(path.rpartition("/")[2]), now.replace(year=now.year + 1), now)
    page.goto(path)
    expect(page.locator("#schedule-status")).to_contain_text("Version 1 is scheduled for")
    type_at_end(page, " Newer.")
    expect(page.locator("#schedule-status")).to_contain_text("1 newer edit isn't scheduled")
    assert stored(path) == ("scheduled", "As planned. Newer.")
    assert pinned(desk, path) == "As planned."
    page.keyboard.type(" Newest.")
    page.get_by_role("button", name="Update").click()
    expect(page.locator("#schedule-status")).not_to_contain_text("newer")
    assert pinned(desk, path) == "As planned. Newer. Newest."


def pinned(desk: Desk, path: str) -> str:
    with desk.app():
        revision = Post.get(path.rpartition("/")[2]).pinned_revision()
        assert revision is not None
        return revision.content


def test_the_editor_works_without_javascript(
    plain_page: Page, a_draft: Callable[..., str], desk: Desk, stored: Callable[[str], tuple[str, str]]
) -> None:
    page = plain_page
    page.goto("/desk")
    page.get_by_role("button", name="New post").click()
    page.get_by_label("Title").fill("Plain")
    text_of(page).fill("Some *words*.")
    expect(page.get_by_role("toolbar")).to_be_hidden()
    page.get_by_role("button", name="Save draft", exact=True).click()
    expect(page.locator("#notices")).to_contain_text("Saved ")
    expect(shown(page).locator(".e-content em")).to_have_text("words")
    path = page.url.removeprefix(desk.url)
    with desk.app() as (_, tools):
        post = Post.get(path.rpartition("/")[2])
        autosave.autosave(post, {"content": "Some words, elsewhere."}, None, post.rev, tools.now())
    text_of(page).fill("Some words, here.")
    page.get_by_role("button", name="Save draft", exact=True).click()
    expect(page.get_by_role("heading", name="This post was changed elsewhere")).to_be_visible()
    page.get_by_label("Text", exact=True).fill("Some words, here and elsewhere.")
    page.get_by_role("button", name="Keep mine").click()
    expect(text_of(page)).to_have_value("Some words, here and elsewhere.")
    assert stored(path)[1] == "Some words, here and elsewhere."
    page.get_by_role("link", name="Preview the saved draft").click()
    expect(shown(page).locator(".e-content")).to_contain_text("here and elsewhere")
    page.get_by_role("link", name="Back to the editor").click()
    expect(text_of(page)).to_be_visible()


def test_the_editor_and_its_preview_pages_are_accessible(
    page: Page, a_draft: Callable[..., str], look: Callable[..., None]
) -> None:
    path = a_draft(content=TEXT, language="he", title="שלום")
    page.goto(path)
    assert page.get_by_label("Title").evaluate("it => it.matches(':dir(rtl)')")
    look(page, "editor-rtl")
    page.goto(f"{path}/preview")
    look(page, "editor-proof-page")
    page.emulate_media(media="print")
    page.goto(path)
    expect(text_of(page)).to_be_hidden()
    expect(shown(page).locator(".e-content")).to_be_visible()
