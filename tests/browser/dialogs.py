"""Open each dialog, menu and question of the authoring pages, in a browser on a seeded instance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Locator, Page, expect

from blogsvc.models import Media, Post, Setting, db, transaction
from blogsvc.posts import authors, editing, queue_slots, series
from blogsvc.redirects import manage
from tests.browser.conftest import Desk
from tests.browser.screenshots import a_seeded_desk
from tests.browser.test_images_in_text import put, put_caret

SOON = 30_000  # milliseconds
UNDO_SECONDS = 120  # longer than four looks take
SKIPPED, REPEATED = "2031-03-30T02:30", "2031-10-26T02:30"  # in Europe/Berlin
EXTERNAL = "![A pier](https://images.example/pier.jpg)"


@contextmanager
def a_desk_with_dialogs() -> Iterator[Desk]:
    """Start a seeded server that has every dialog."""
    with a_seeded_desk() as desk:
        ids = desk.ids
        with desk.app() as (_, tools):
            with transaction():
                Setting.write("undo_seconds", UNDO_SECONDS)
            queue_slots.add_slot(1, "09:00")
            posts = {post.title: post for post in db.session.query(Post)}
            live = posts["Feeds that last"]
            ids |= {"live": live.id, "changed": posts["On autosave"].id, "scheduled": posts["Galley slaves"].id}
            media = db.session.query(Media).filter_by(filename="quay.jpg").one()
            ids |= {"media": media.id, "image": media.path}
            editing.edit(posts["On autosave"], {"content": "Another text."}, None, tools.now())
            words = {"title": "Of piers", "content": f"Some words.\n\n{EXTERNAL}"}
            ids["external"] = editing.create(words, ["site"], tools.now()).id
            words = {"title": "Second thoughts", "content": "Some words."}
            ids["undone"] = editing.create(words, ["site"], tools.now()).id
            words = {"title": "Of length", "content": "Some words."}
            long = {"overrides": {"mastodon": {"content": "long " * 200}}}
            ids["long"] = editing.create(words | long, ["site", "mastodon"], tools.now()).id
            words = {"title": "Of quays", "content": f"Before.\n\n![]({ids['image']})\n\nAfter."}
            ids["described"] = editing.create(words, ["site"], tools.now()).id
            authors.create({"name": "Ada", "bio": "Writes about *engines*."}, tools.now())
            ids["series"] = series.create({"title": "Harbours"}, tools.now()).id
            ids["redirect"] = manage.create("/old", "/about", 301, tools.config.public_url).id
        yield desk


class Opened:
    """What opens each dialog, by its name. Each method returns what must be visible."""

    def __init__(self, page: Page, desk: Desk) -> None:
        self.page, self.desk, self.ids = page, desk, desk.ids

    def editor(self, post: str = "post") -> Locator:
        self.page.goto(f"/desk/posts/{self.ids[post]}")
        text = self.page.get_by_label("Text, in Markdown")
        text.focus()
        expect(self.page.locator("#write[data-ready]")).to_be_attached()
        return text

    def undo_within(self, seconds: int) -> None:
        with self.desk.app(), transaction():
            Setting.write("undo_seconds", seconds)

    def sheet(self, post: str) -> Locator:
        """Open the publish dialog over the text."""
        self.editor(post)
        self.page.keyboard.press("ControlOrMeta+Enter")
        sheet = self.page.get_by_role("dialog", name="Publish")
        expect(sheet.get_by_role("heading").first).to_be_focused()
        return sheet

    def user_menu(self) -> Locator:
        self.page.goto("/desk")
        self.page.get_by_role("button", name="settings and sign-out").click()
        return self.page.locator("#user")

    def post_menu(self) -> Locator:
        self.page.goto("/desk")
        self.page.get_by_label("More actions for").first.click()
        return self.page.get_by_role("link", name="Version history").first

    def selected_posts(self) -> Locator:
        self.page.goto("/desk")
        self.page.get_by_role("checkbox", name="Select “").first.check()
        return self.page.locator("#bulk").get_by_role("button", name="Move to trash")

    def palette(self) -> Locator:
        self.page.goto("/desk")
        self.page.wait_for_load_state()
        self.page.keyboard.press("ControlOrMeta+k")
        field = self.page.get_by_role("dialog", name="Commands").get_by_role("searchbox")
        expect(field).to_be_focused()
        return field

    def palette_in_the_editor(self) -> Locator:
        self.editor()
        self.page.keyboard.press("ControlOrMeta+/")
        return self.page.get_by_role("dialog", name="Commands").get_by_role("searchbox")

    def palette_with_posts(self) -> Locator:
        self.palette().fill("ferry")
        return self.page.locator("#found").get_by_text("Feeds that last")

    def palette_without_results(self) -> Locator:
        self.palette().fill("xyzzy")
        return self.page.locator("#found").get_by_text("xyzzy")

    def shortcuts(self) -> Locator:
        self.page.goto("/desk")
        self.page.wait_for_load_state()
        self.page.keyboard.press("?")
        return self.page.get_by_role("heading", name="Keyboard shortcuts")

    def outline(self) -> Locator:
        self.editor()
        self.page.locator("summary", has_text="Outline").click()
        return self.page.get_by_role("link", name="A small table")

    def destinations_of_a_draft(self) -> Locator:
        self.editor("failing")
        self.page.locator("summary", has_text="Destinations").click()
        return self.page.locator(".fate").get_by_text("devto").first

    def focus_mode(self) -> Locator:
        self.editor()
        self.page.keyboard.press("ControlOrMeta+.")
        return self.page.get_by_role("button", name="Exit focus mode")

    def details(self) -> Locator:
        self.editor()
        self.page.get_by_role("link", name="Details").click()
        dialog = self.page.get_by_role("dialog", name="Details")
        for summary in dialog.locator("summary").all():
            summary.click()
        return dialog.get_by_role("button", name="Save details")

    def details_with_errors(self) -> Locator:
        self.editor()
        self.page.get_by_role("link", name="Details").click()
        dialog = self.page.get_by_role("dialog", name="Details")
        dialog.get_by_label("Address", exact=True).fill("A B")
        dialog.get_by_role("button", name="Save details").click()
        return dialog.get_by_text("lowercase letters and digits")

    def conflict(self) -> Locator:
        text = self.editor("described")
        with self.desk.app() as (_, tools):
            post = Post.get(self.ids["described"])
            editing.edit(post, {"content": f"Theirs.\n\n{post.content}"}, None, tools.now())
        text.press("End")
        self.page.keyboard.type(" Mine.")
        return self.page.get_by_role("region", name="This post was changed elsewhere").locator(".differ")

    def image_panel(self) -> Locator:
        text = self.editor("described")
        put_caret(text, text.input_value().index("![") + 2)
        return self.page.get_by_role("group", name="Image", exact=True)

    def uploads(self) -> Locator:
        self.editor("external")
        self.page.route("**/desk/media", lambda route: None)  # it takes forever
        put(self.page, "paste", "one.jpg", "two.jpg")
        return self.page.get_by_role("progressbar").first

    def failed_uploads(self) -> Locator:
        self.editor("external")
        self.page.route("**/desk/media", lambda route: route.abort())
        put(self.page, "paste", "one.jpg", "two.jpg")
        return self.page.get_by_role("button", name="Retry all")

    def publish(self) -> Locator:
        sheet = self.sheet("post")
        sheet.get_by_role("radio", name="Now").check()
        return sheet.get_by_role("button", name="Publish to 3 destinations")

    def publish_with_all_its_texts(self) -> Locator:
        sheet = self.sheet("post")
        for summary in sheet.locator("summary").all():
            summary.click()
        return sheet.get_by_label("Text for").first

    def publish_at_a_time(self) -> Locator:
        sheet = self.sheet("post")
        sheet.get_by_label("Day and time").fill("2031-07-24T18:00")
        return sheet.get_by_role("button", name="Schedule for Thu 24 Jul 2031, 18:00")

    def publish_in_the_past(self) -> Locator:
        sheet = self.sheet("post")
        sheet.get_by_label("Day and time").fill("2020-07-24T18:00")
        sheet.locator("[data-go]").click()
        return sheet.get_by_text("in the past")

    def publish_at_a_skipped_time(self) -> Locator:
        sheet = self.sheet("post")
        sheet.get_by_label("Day and time").fill(SKIPPED)
        sheet.locator("[data-go]").click()
        return sheet.get_by_text("doesn't exist on this day")

    def publish_at_a_repeated_time(self) -> Locator:
        sheet = self.sheet("post")
        sheet.get_by_label("Day and time").fill(REPEATED)
        sheet.locator("[data-go]").click()
        return sheet.get_by_text("happens twice on this day")

    def publish_in_the_next_slot(self) -> Locator:
        sheet = self.sheet("post")
        sheet.get_by_role("radio", name="Next queue slot").check()
        return sheet.get_by_role("button", name="Schedule for Tue")

    def publish_nowhere(self) -> Locator:
        sheet = self.sheet("post")
        for box in sheet.locator("[name=platforms]:not(:disabled)").all():
            box.uncheck()
        return sheet.get_by_text("Select a destination.")

    def publish_what_is_too_long(self) -> Locator:
        return self.sheet("long").locator("textarea[aria-invalid=true]")

    def publish_with_images_of_another_site(self) -> Locator:
        return self.sheet("external").get_by_role("button", name="Copy it here")

    def publish_changes(self) -> Locator:
        return self.sheet("changed").get_by_role("button", name="Publish changes")

    def publish_again(self) -> Locator:
        return self.sheet("failing").get_by_role("link", name="Back to writing")

    def schedule_again(self) -> Locator:
        return self.sheet("scheduled").get_by_role("heading").first

    def undo(self) -> Locator:
        self.sheet("undone")
        self.page.keyboard.press("ControlOrMeta+Enter")
        return self.page.get_by_role("dialog").get_by_role("button", name="Undo")

    def status(self) -> Locator:
        self.page.goto(f"/desk/posts/{self.ids['failing']}/status")
        return self.page.get_by_role("button", name="Unpublish post", exact=True)

    def question(self) -> Locator:
        self.status().click()
        return self.page.get_by_role("alertdialog").get_by_role("button", name="Cancel")

    def question_over_a_dialog(self) -> Locator:
        with self.desk.app() as (_, tools):
            words = {"title": "Of questions", "content": "Some words."}
            self.ids["asked"] = editing.create(words, ["site"], tools.now()).id
        self.undo_within(0)
        self.sheet("asked").locator("[data-go]").click()
        unpublish = self.page.get_by_role("dialog").get_by_role("button", name="Unpublish").first
        expect(unpublish).to_be_visible(timeout=SOON)
        self.undo_within(UNDO_SECONDS)
        unpublish.click()
        return self.page.get_by_role("alertdialog").get_by_role("button", name="Cancel")

    def move(self) -> Locator:
        day = datetime.now(UTC) + timedelta(days=2)
        self.page.goto(f"/desk/calendar?month={day:%Y-%m}")
        self.page.get_by_role("link", name="Move Galley slaves").click()
        return self.page.get_by_role("dialog").get_by_label("Day")

    def move_to_the_past(self) -> Locator:
        self.move().fill("2020-01-01")
        self.page.get_by_role("dialog").get_by_role("button", name="Move").click()
        return self.page.get_by_text("This day is in the past")

    def move_to_a_skipped_time(self) -> Locator:
        self.move().fill("2031-03-30")
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_label("Time").fill("02:30")
        dialog.get_by_role("button", name="Move").click()
        return dialog.get_by_text("skip 02:30")

    def free_slot(self) -> Locator:
        self.page.goto("/desk/queue")
        self.page.get_by_role("link", name="free slot").first.click()
        return self.page.get_by_role("dialog").get_by_role("heading", name="is free")

    def free_slot_of_the_calendar(self) -> Locator:
        day = datetime.now(UTC) + timedelta(days=35)
        self.page.goto(f"/desk/calendar?month={day:%Y-%m}")
        self.page.get_by_role("link", name="free slot").last.click()
        return self.page.get_by_role("dialog").get_by_role("heading", name="is free")


HELPERS = ("editor", "sheet", "undo_within")
DIALOGS = [name for name in vars(Opened) if not name.startswith("_") and name not in HELPERS]
