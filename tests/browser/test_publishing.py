"""Publishing in a browser: from a draft to its destinations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from blogsvc.connections import manage
from blogsvc.connectors.sandbox import FAILS_ONCE, LOSES, REFUSES, SLOW
from blogsvc.models import Connection, Post, Setting, transaction
from blogsvc.posts import editing, queue_slots
from tests.browser.conftest import Desk, Watched, a_desk

SOON = 30_000  # milliseconds: a first retry comes after about ten seconds
SANDBOXES = {"sandbox": "works", "later": FAILS_ONCE, "slow": SLOW, "strict": REFUSES, "lossy": LOSES, "old": "works"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Desk]:
    """With sandboxes of each kind, one of which is disconnected, and a queue slot on Tuesdays."""
    folder = tmp_path_factory.mktemp("publishing")
    # Longer than the slow sandbox takes.
    with a_desk(folder, shared_database_url, BLOGSVC_SEND_TIMEOUT_SECONDS="10") as desk:
        with desk.app() as (_, tools):
            for name, outcome in SANDBOXES.items():
                manage.connect("sandbox", name, {"outcome": outcome}, tools)
            with transaction():
                Setting.write("undo_seconds", 0)
                Connection.named("old").disconnect("The token has expired.")
            queue_slots.add_slot(1, "09:00")
        yield desk


@pytest.fixture
def draft(desk: Desk) -> Callable[..., str]:
    """Return a function that creates a draft and returns its id."""

    def make(title: str, *platforms: str, content: str = "Some *words*.", **words: Any) -> str:
        with desk.app() as (_, tools):
            words = {"title": title, "content": content, "summary": "In short."} | words
            return editing.create(words, list(platforms) or ["site"], tools.now()).id

    return make


def opened(page: Page, post_id: str) -> Locator:
    """Open the publish dialog on the page of a post."""
    page.goto(f"/desk/posts/{post_id}/status")
    page.get_by_role("link", name="Publish…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


def copy(where: Page | Locator, name: str) -> Locator:
    """Return the row of one destination in a list of copies."""
    return where.locator(".copies > li").filter(has_text=name)


def test_publishing_with_one_failing_destination_and_a_manual_retry(
    page: Page, draft: Callable[..., str], look: Callable[..., None]
) -> None:
    post = draft("The blue pencil", "site", "sandbox", "later", content="TK\n\n![](/media/a.png)")
    page.goto(f"/desk/posts/{post}/status")
    link = page.get_by_role("link", name="Publish…")
    box = link.bounding_box()
    assert box is not None
    link.click()
    dialog = page.get_by_role("dialog")
    go = dialog.get_by_role("button", name="Publish to 3 destinations")
    expect(go).to_be_visible()
    under = go.bounding_box()
    assert under is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    assert under["x"] < x < under["x"] + under["width"]
    assert under["y"] < y < under["y"] + under["height"]
    expect(dialog.get_by_text("“TK”, a marker for missing text, appears once.")).to_be_visible()
    expect(dialog.get_by_text("Disconnected. Published when you reconnect.")).to_be_visible()
    expect(dialog.get_by_text("The token has expired.")).to_be_visible()
    expect(dialog.get_by_text("Now: This blog, later, Sandbox.")).to_be_visible()
    look(page, "publish-sheet")

    page.keyboard.press("Control+Enter")
    expect(copy(dialog, "later").get_by_text("Retrying at")).to_be_visible(timeout=SOON)
    expect(dialog.get_by_role("heading", name="Published, retrying later")).to_be_visible()
    expect(copy(dialog, "This blog").get_by_role("link", name="View")).to_have_attribute(
        "href", re.compile("/the-blue-")
    )
    look(page, "publish-status")
    copy(dialog, "later").get_by_role("button", name="Retry now").click()
    expect(dialog.get_by_role("heading", name="Live on 3 destinations")).to_be_visible(timeout=SOON)
    expect(dialog.locator("[hx-trigger]")).to_have_count(0)
    dialog.get_by_role("link", name="Done").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("heading", name="Live on 3 destinations")).to_be_visible()


def test_the_publish_button_describes_what_it_will_do(page: Page, draft: Callable[..., str]) -> None:
    dialog = opened(page, draft("Of buttons", "site", "sandbox"))
    go, line = dialog.locator("[data-go]"), dialog.locator("[data-summary]")
    expect(go).to_have_text("Publish to 2 destinations")
    expect(line).to_have_text("Now: This blog, Sandbox.")
    dialog.get_by_role("checkbox", name="Sandbox goes").uncheck()
    expect(go).to_have_text("Publish on this blog")
    expect(line).to_have_text("Now: This blog.")
    dialog.get_by_role("radio", name="Next queue slot").check()
    expect(go).to_have_text(re.compile(r"^Schedule for Tue \d+ \w{3}, 09:00$"))
    expect(line).to_have_text("Then: This blog.")
    dialog.get_by_label("Day and time").fill("2031-07-24T18:00")
    expect(dialog.get_by_role("radio", name="At", exact=True)).to_be_checked()
    expect(go).to_have_text("Schedule for Thu 24 Jul 2031, 18:00")
    expect(dialog.get_by_text("Europe/Berlin (UTC+2)")).to_be_visible()
    dialog.get_by_role("checkbox", name="This blog").uncheck()
    expect(go).to_be_disabled()
    expect(line).to_have_text("Select a destination.")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name="Publish…")).to_be_focused()


def test_a_check_of_a_text_ends_with_the_dialog(page: Page, draft: Callable[..., str]) -> None:
    """The console stays empty, which the fixture of the page checks."""
    page.clock.install()
    dialog = opened(page, draft("Of checks", "site", "sandbox"))
    dialog.get_by_role("checkbox", name="Sandbox goes").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.clock.run_for(1000)
    expect(page.get_by_role("link", name="Publish…")).to_be_focused()


def test_the_publish_button_counts_only_what_is_sent_and_the_line_names_what_waits(
    page: Page, draft: Callable[..., str], look: Callable[..., None]
) -> None:
    dialog = opened(page, draft("Of accounts", "site", "wordpress", "old"))
    go, line = dialog.locator("[data-go]"), dialog.locator("[data-summary]")
    expect(go).to_have_text("Publish on this blog")
    expect(line).to_have_text("Now: This blog. Waiting for you: old, WordPress.")
    expect(dialog.get_by_role("link", name="Connect WordPress")).to_be_visible()
    expect(dialog.get_by_role("link", name="Reconnect Sandbox")).to_be_visible()
    look(page, "publish-waiting")
    dialog.get_by_role("checkbox", name="This blog").uncheck()
    expect(go).to_have_text("Publish when 2 destinations are connected")
    dialog.get_by_role("checkbox", name="old").uncheck()
    expect(go).to_have_text("Publish when WordPress is connected")
    expect(line).to_have_text("Waiting for you: WordPress.")


def test_the_publish_button_says_the_same_without_javascript(
    open_browser: Callable[..., BrowserContext], draft: Callable[..., str]
) -> None:
    plain, scripted = open_browser(scripts=False).new_page(), open_browser().new_page()
    for selected in (
        ["site"],
        ["sandbox"],
        ["site", "sandbox", "wordpress", "old"],
        ["wordpress"],
        ["wordpress", "old"],
    ):
        address = f"/desk/posts/{draft('Of words', *selected)}/publish"
        for query in ("", "?at=2031-07-24T18:00"):
            plain.goto(address + query)
            scripted.goto(address + query)
            expect(scripted.locator("[data-scripted]")).to_be_visible()
            for part in ("[data-go]", "[data-summary]"):
                expect(scripted.locator(part)).to_have_text(plain.locator(part).inner_text())


def test_the_publish_button_is_at_the_bottom_edge_of_a_phone(page: Page, draft: Callable[..., str]) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    post = draft("Of thumbs", "site", "sandbox", "wordpress", "old", "slow", "strict")
    dialog = opened(page, post)
    for where in (dialog, page.locator("main")):
        box = where.locator("[data-go]").bounding_box()
        assert box is not None
        assert 700 - 24 < box["y"] + box["height"] <= 700
        assert box["height"] >= 44
        assert box["width"] > 340
        expect(where.locator("[data-summary]")).to_be_in_viewport()
        page.goto(f"/desk/posts/{post}/publish")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_text_of_an_announcement_is_counted_while_it_is_typed(
    width: int, page: Page, draft: Callable[..., str], desk: Desk, look: Callable[..., None]
) -> None:
    post = draft("Of texts", "site", "sandbox", "x")
    page.set_viewport_size({"width": width, "height": 844})
    dialog = opened(page, post)
    row = dialog.locator(".dest").filter(has=page.locator("#publish-to-sandbox"))
    box, line = row.get_by_role("checkbox"), row.locator("#publish-to-sandbox-line")
    row.get_by_text("Text for Sandbox").click()
    row.get_by_text("Options").click()
    text = row.get_by_role("textbox", name="Text for Sandbox")
    expect(text).to_have_value("Of texts\n\nIn short.")

    text.press("ControlOrMeta+a")
    page.keyboard.insert_text("long " * 120)
    expect(line).to_contain_text("characters too many. Shorten the text to select Sandbox.")
    expect(row.locator("#publish-to-sandbox-count")).to_contain_text("of 500 characters")
    expect(box).to_be_disabled()
    expect(dialog.get_by_role("button", name="Publish on this blog")).to_be_enabled()
    expect(dialog.locator("[data-summary]")).to_have_text("Now: This blog. Waiting for you: X.")
    expect(text).to_have_attribute("aria-invalid", "true")
    look(page, f"publish-too-long-{width}")
    with page.expect_response("**/publish/text?for=sandbox"):  # an option can change the length
        row.get_by_label("Outcome").select_option("is slow")
        row.get_by_label("Outcome").select_option("works")

    before = dialog.bounding_box()
    text.press("ControlOrMeta+a")
    page.keyboard.insert_text("Read *this*")
    text.press("Enter")
    text.press("Enter")
    page.keyboard.insert_text("- now")
    expect(line).to_have_text(re.compile(r"^\d+ of 500 characters$"))
    expect(box).to_be_checked()
    expect(text).to_be_focused()
    expect(text).to_have_attribute("aria-invalid", "false")
    expect(dialog.get_by_role("button", name="Publish to 2 destinations")).to_be_enabled()
    assert dialog.bounding_box() == before
    page.keyboard.press("ControlOrMeta+Enter")
    expect(dialog.locator("#copy-sandbox-sheet")).to_contain_text("Live", timeout=SOON)
    with desk.app():
        own = {"content": "Read *this*\n\n- now", "options": {"outcome": "works"}}
        assert Post.get(post).overrides == {"sandbox": own}


def test_the_text_of_an_article_is_read_and_changed_in_the_dialog(
    page: Page, desk: Desk, draft: Callable[..., str], look: Callable[..., None]
) -> None:
    post = draft("On two pages", "site", "wordpress", content="The text of the post.\n\nIts end.")
    dialog = opened(page, post)
    summary = dialog.get_by_text("Text for WordPress")
    summary.focus()
    page.keyboard.press("Enter")
    text = dialog.get_by_role("textbox", name="Text for WordPress")
    expect(text).to_have_value("The text of the post.\n\nIts end.")
    text.fill("Another text.")
    look(page, "article-text")
    dialog.get_by_role("button", name="Publish on this blog").click()
    expect(dialog.get_by_role("heading", name="Live on 1 of 2 destinations")).to_be_visible(timeout=SOON)
    with desk.app() as _:
        assert Post.get(post).overrides == {"wordpress": {"content": "Another text."}}


def test_the_publish_dialog_is_complete_if_its_button_is_the_first_thing_that_is_clicked(
    page: Page, draft: Callable[..., str]
) -> None:
    """The button is outside the part of the page that loaded the scripts and styles of the sheet."""
    page.goto(f"/desk/posts/{draft('First click', 'site')}")
    page.get_by_role("link", name="Publish…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Publish")).to_be_focused()
    expect(dialog.get_by_text("again to confirm")).to_be_visible()
    expect(dialog.locator(".dest").first).to_have_css("display", "grid")


def test_the_publish_button_works_again_after_the_connection_was_lost(
    page: Page, draft: Callable[..., str], watched: Watched
) -> None:
    watched.expect("editor-tools", "ERR_FAILED")
    page.route("**/editor-tools.js", lambda route: route.abort())
    page.goto(f"/desk/posts/{draft('No connection', 'site')}")
    page.get_by_role("link", name="Publish…").click()
    expect(page.get_by_text("The connection failed. Try again in a moment.")).to_be_visible()
    page.unroute("**/editor-tools.js")
    page.get_by_role("link", name="Publish…").click()
    expect(page.get_by_role("dialog").get_by_text("again to confirm")).to_be_visible()


def test_a_text_that_is_too_long_on_the_only_open_destination_can_be_shortened(
    page: Page, draft: Callable[..., str], desk: Desk
) -> None:
    post = draft("Only one", "sandbox", overrides={"sandbox": {"content": "long " * 110}})
    dialog = opened(page, post)
    row = dialog.locator(".dest").filter(has=page.locator("#publish-to-sandbox"))
    expect(row.get_by_role("checkbox")).to_be_disabled()
    expect(dialog.locator("[data-go]")).to_be_disabled()
    row.get_by_role("textbox", name="Text for Sandbox").fill("Short.")
    expect(row.get_by_role("checkbox")).to_be_checked()
    expect(dialog.locator("[data-told]")).to_have_text(re.compile("^[0-9]+ of 500 characters$"))
    dialog.get_by_role("button", name="Publish on Sandbox").click()
    expect(dialog.locator("#copy-sandbox-sheet")).to_contain_text("Live", timeout=SOON)
    with desk.app():
        assert Post.get(post).overrides == {"sandbox": {"content": "Short."}}


def test_when_comes_first_in_the_publish_dialog_also_by_keyboard(page: Page, draft: Callable[..., str]) -> None:
    dialog = opened(page, draft("Of order", "site", "sandbox"))
    when = dialog.get_by_role("group", name="When").bounding_box()
    destinations = dialog.get_by_role("group", name="Destinations").bounding_box()
    assert when is not None
    assert destinations is not None
    assert when["y"] + when["height"] <= destinations["y"]
    expect(dialog.get_by_role("heading", name="Publish")).to_be_focused()
    page.keyboard.press("Tab")
    expect(dialog.get_by_role("link", name="Back to writing")).to_be_focused()
    page.keyboard.press("Tab")
    expect(dialog.locator("[data-go]")).to_be_focused()
    page.keyboard.press("Tab")
    expect(dialog.get_by_role("radio", name="Now")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(dialog.get_by_role("radio", name="Next queue slot")).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("heading", name="Scheduled for")).to_be_visible()
    expect(dialog.get_by_role("heading", name="Scheduled for")).to_be_focused()


def test_the_text_is_saved_before_the_publish_dialog_opens(page: Page, draft: Callable[..., str]) -> None:
    post = draft("Of saving")
    page.goto(f"/desk/posts/{post}/status")
    page.evaluate("""() => document.addEventListener("blogsvc:save", (event) => {
      event.detail.waitFor.push(new Promise((done) => { window.finish = done; }));
    })""")
    page.get_by_role("link", name="Publish…").click()
    expect(page.locator("[aria-busy]")).to_have_count(1)
    assert page.get_by_role("dialog").count() == 0
    page.evaluate("finish(false)")
    expect(page.get_by_text("its text couldn't be saved")).to_be_visible()
    assert page.get_by_role("dialog").count() == 0
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelector('[aria-busy]')")
    page.evaluate("finish(true)")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_skipped_or_repeated_local_time_asks_for_a_choice(
    page: Page, draft: Callable[..., str], look: Callable[..., None], desk: Desk
) -> None:
    post = draft("Of clocks", "site", "sandbox")
    dialog = opened(page, post)
    dialog.get_by_label("Day and time").fill("2031-03-30T02:30")
    dialog.locator("[data-go]").click()
    expect(dialog.get_by_text("02:30 doesn't exist on this day, because the clocks go forward.")).to_be_visible()
    expect(dialog.locator("[data-summary]")).to_have_text("Choose a time. Then: This blog, Sandbox.")
    expect(dialog.get_by_role("radio", name="01:30 (UTC+1)")).to_be_focused()
    expect(dialog.get_by_role("group", name="When").get_by_role("radio", name="01:30 (UTC+1)")).to_be_in_viewport()
    expect(dialog.get_by_role("radio", name="03:30 (UTC+2)")).to_be_visible()
    look(page, "publish-clocks")
    dialog.get_by_label("Day and time").fill("2031-10-26T02:30")
    expect(dialog.get_by_role("radio", name="01:30 (UTC+1)")).to_have_count(0)
    dialog.locator("[data-go]").click()
    expect(dialog.get_by_text("02:30 happens twice on this day, because the clocks go back.")).to_be_visible()
    expect(dialog.locator("[data-summary]")).to_have_text("Choose which 02:30 you mean. Then: This blog, Sandbox.")
    dialog.get_by_role("radio", name="Second 02:30 (UTC+1)").check()
    expect(dialog.locator("[data-summary]")).to_have_text("Then: This blog, Sandbox.")
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("heading", name="Scheduled for 26 Oct 2031, 02:30")).to_be_visible()
    expect(dialog.get_by_text("Europe/Berlin (UTC+1), 2 destinations")).to_be_visible()
    look(page, "publish-scheduled")
    with desk.app():
        at = Post.get(post).scheduled_at
        assert at is not None
        assert at.isoformat() == "2031-10-26T01:30:00+00:00"


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_post_can_be_published_now_after_the_question_about_a_skipped_time(
    open_browser: Callable[..., BrowserContext], draft: Callable[..., str], scripts: bool
) -> None:
    page = open_browser(scripts=scripts).new_page()
    page.goto(f"/desk/posts/{draft('Of spring', 'site')}/publish")
    page.get_by_role("radio", name="At", exact=True).check()
    page.get_by_label("Day and time").fill("2031-03-30T02:30")
    page.locator("[data-go]").click()
    expect(page.get_by_text("doesn't exist")).to_be_visible()
    expect(page.get_by_role("radio", name="03:30 (UTC+2)")).not_to_be_checked()
    page.get_by_role("radio", name="Now").check()
    page.locator("[data-go]").click()
    expect(page.get_by_role("heading", name=re.compile("^(Live on|Publishing)"))).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_an_incomplete_time_does_not_prevent_publishing_now(
    open_browser: Callable[..., BrowserContext], draft: Callable[..., str], scripts: bool
) -> None:
    page = open_browser(scripts=scripts).new_page()
    page.goto(f"/desk/posts/{draft('Of halves', 'site')}/publish")
    page.get_by_label("Day and time").focus()
    page.keyboard.press("Delete")  # removes the first part of the date
    page.get_by_role("radio", name="At", exact=True).check()
    page.locator("[data-go]").click()
    expect(page.get_by_text("Enter a date and a time.")).to_be_visible()
    page.get_by_label("Day and time").press_sequentially("30")  # a day without a month
    page.get_by_role("radio", name="Now").check()
    page.locator("[data-go]").click()
    expect(page.get_by_role("heading", name=re.compile("^(Live on|Publishing)"))).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_sheet_becomes_the_status_in_the_same_place(width: int, page: Page, draft: Callable[..., str]) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    dialog = opened(page, draft("Of places", "site", "sandbox"))
    before = dialog.bounding_box()
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("heading", name=re.compile("^(Live on|Publishing)"))).to_be_visible()
    after = dialog.bounding_box()
    assert before is not None
    assert after is not None
    if width < 500:  # both are at the bottom
        before["y"], after["y"] = (box["y"] + box["height"] for box in (before, after))
    assert (after["x"], after["y"]) == (before["x"], before["y"])


def test_the_publish_button_is_quiet_when_there_is_nothing_to_publish(page: Page, draft: Callable[..., str]) -> None:
    post = draft("Of quiet", "site")
    page.goto(f"/desk/posts/{post}")
    button = page.locator("#publish")
    expect(button).to_have_class("btn btn-go")
    page.get_by_label("Text, in Markdown").focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Publish on this blog")).to_be_enabled()
    expect(page.get_by_role("heading", name="Publish")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Live on 1 destination")).to_be_visible(timeout=SOON)
    expect(button).to_have_class("btn")
    page.keyboard.press("Escape")
    expect(button).to_have_text("Published")
    page.get_by_label("Text, in Markdown").press_sequentially("More words. ")
    expect(button).to_have_text("Publish changes…", timeout=SOON)
    expect(button).to_have_class("btn btn-go")
    page.reload()
    expect(button).to_have_text("Publish changes…")
    expect(page.get_by_role("link", name="Publish changes…")).to_have_count(1)


def test_delivery_progress_is_shown_and_survives_a_reload(page: Page, draft: Callable[..., str]) -> None:
    post = draft("Of patience", "site", "slow", "strict", "lossy")
    dialog = opened(page, post)
    page.keyboard.press("Control+Enter")
    expect(copy(dialog, "slow").locator(".dot[data-s=sending]")).to_be_visible(timeout=SOON)
    expect(dialog.get_by_role("heading", name=re.compile("^Live on . of 4 destinations"))).to_be_visible()
    expect(dialog.get_by_text(re.compile(r"\d (is|are) sending"))).to_be_visible()
    expect(dialog.get_by_role("link", name="Close, keep publishing")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name=re.compile("^Live on . of 4 destinations"))).to_be_visible()
    page.goto("/desk")
    page.goto(f"/desk/posts/{post}/status")
    expect(page.get_by_role("heading", name="Live on 2 of 4 destinations")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("2 need you.")).to_be_visible()
    expect(copy(page, "strict").get_by_role("link", name="Edit for Sandbox")).to_be_visible()
    copy(page, "lossy").get_by_role("button", name="The post is there").click()
    expect(page.get_by_role("heading", name="Live on 3 of 4 destinations")).to_be_visible()
    copy(page, "slow").get_by_role("button", name="Unpublish").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Unpublish").click()
    expect(copy(page, "slow").get_by_text("Unpublished")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("heading", name="Live on 2 of 3 destinations")).to_be_visible()


def test_a_waiting_destination_is_published_and_shown_with_a_square(
    page: Page, draft: Callable[..., str], look: Callable[..., None]
) -> None:
    dialog = opened(page, draft("Of squares", "site", "sandbox", "wordpress", "old", "strict"))
    expect(dialog.locator("[data-summary]")).to_have_text(
        "Now: This blog, Sandbox, strict. Waiting for you: old, WordPress."
    )
    dialog.get_by_role("button", name="Publish to 3 destinations").click()
    expect(dialog.get_by_role("heading", name="Live on 2 of 5 destinations")).to_be_visible(timeout=SOON)
    expect(dialog.get_by_text("3 need you.")).to_be_visible(timeout=SOON)
    square = copy(dialog, "WordPress").locator(".dot")
    expect(square).to_have_attribute("data-s", "open")
    expect(square).to_have_css("border-radius", "1px")
    expect(square).to_have_css("rotate", "none")
    expect(copy(dialog, "WordPress").get_by_text("Waiting for a WordPress account")).to_be_visible()
    expect(copy(dialog, "WordPress").get_by_role("link", name="Connect WordPress")).to_be_visible()
    expect(copy(dialog, "old").locator(".dot[data-s=trouble]")).to_be_visible()
    expect(copy(dialog, "old").get_by_text("Disconnected. Published when you reconnect")).to_be_visible()
    look(page, "publish-after")


def test_the_publish_and_status_pages_are_accessible(
    page: Page, draft: Callable[..., str], look: Callable[..., None]
) -> None:
    post = draft("Of places", "site", "sandbox", overrides={"strict": {"content": "long " * 200}})
    page.goto(f"/desk/posts/{post}/publish")
    page.locator("summary").filter(has_text="Options").first.click()
    page.locator("summary").filter(has_text="Text for").first.click()
    expect(page.get_by_label("Outcome").first).to_be_visible()
    look(page, "publish-page")
    page.goto(f"/desk/posts/{post}/status")
    look(page, "status-draft")


def test_publishing_scheduling_and_retrying_work_without_javascript(
    open_browser: Callable[..., BrowserContext], draft: Callable[..., str]
) -> None:
    page = open_browser(scripts=False).new_page()
    page.goto(f"/desk/posts/{draft('Plain', 'site', 'later')}/publish")
    page.get_by_role("button", name="Publish").click()
    later = copy(page, "later")
    for _ in range(20):
        if later.get_by_role("button", name="Retry now").count():
            break
        page.get_by_role("link", name="Refresh").click()
    later.get_by_role("button", name="Retry now").click()
    for _ in range(20):
        if page.get_by_role("heading", name="Live on 2 destinations").count():
            break
        page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_role("heading", name="Live on 2 destinations")).to_be_visible()

    page.goto(f"/desk/posts/{draft('Plain and later', 'site')}/publish")
    page.get_by_role("radio", name="At", exact=True).check()
    page.get_by_label("Day and time").fill("2031-03-30T02:30")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("radio", name="03:30 (UTC+2)").check()
    page.get_by_role("button", name="Schedule for Sun 30 Mar 2031, 02:30").click()
    expect(page.get_by_role("heading", name="Scheduled for 30 Mar 2031, 03:30")).to_be_visible()
    page.get_by_role("button", name="Unschedule").click()
    expect(page.get_by_role("heading", name="Not published yet")).to_be_visible()
