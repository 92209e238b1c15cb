"""The publish dialog: its contents and its form, without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest

from blogsvc.connections import manage
from blogsvc.lib.time import stamp
from blogsvc.models import Connection, Post, Setting, db, transaction
from blogsvc.posts import editing, queue_slots
from tests.clock import NOW


@pytest.fixture
def sandbox(app: Any, tools: Any) -> Callable[..., str]:
    def make(name: str = "sandbox", outcome: str = "works") -> str:
        manage.connect("sandbox", name, {"outcome": outcome}, tools)
        return name

    return make


@pytest.fixture(autouse=True)
def publishing_at_once(app: Any) -> None:
    with transaction():
        Setting.write("undo_seconds", 0)


def dialog(pages: Any, post: Post) -> str:
    answer = pages.get(f"/desk/posts/{post.id}/publish")
    assert answer.status_code == 200
    return str(answer.text)


def send(pages: Any, post: Post, **form: Any) -> Any:
    answer = pages.post(f"/desk/posts/{post.id}/publish", **form)
    db.session.rollback()
    db.session.expire_all()
    return answer


def row(text: str, name: str) -> str:
    found = re.search(rf'<li class="dest">\s*<input[^>]* value="{name}".*?</li>', text, re.S)
    assert found is not None, name
    return found[0]


def is_open(text: str, name: str) -> bool:
    """Return True if the destination can be selected."""
    return re.search(r'<input type="checkbox"[^>]* disabled>', row(text, name)) is None


def test_the_publish_dialog_shows_the_status_of_each_destination(pages, a_post, sandbox):
    sandbox()
    text = dialog(pages, a_post(summary="Of trees.", platforms=["site", "sandbox"]))
    assert '<h1 id="sheet-title" tabindex="-1">Publish</h1>' in text
    assert 'class="checks"' not in text
    assert re.search(r"Public, \d+ words?<", row(text, "site"))
    assert "blog.example" in row(text, "site")
    assert "of 500 characters" in row(text, "sandbox")
    assert "checked" in row(text, "sandbox")


def test_warnings_are_shown_and_do_not_block_publishing(pages, a_post):
    text = dialog(pages, a_post(content="To come: TK. ![](/media/a.png)"))
    assert "“TK”, a marker for missing text, appears once." in text
    assert "1 image has no alt text." in text
    assert "The post has no summary" in text
    assert '<button class="btn btn-go"' in text


def test_an_empty_post_has_no_publish_button(pages, a_post):
    text = dialog(pages, a_post(content=""))
    assert "The post has no text" in text
    assert '<button class="btn btn-go"' not in text


def test_publishing_now_delivers_to_the_selected_destinations_only(pages, a_post, sandbox, tick):
    sandbox()
    sandbox("other")
    post = a_post(platforms=["site", "sandbox", "other"])
    answer = send(pages, post, platforms=["site", "other"], when="now")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/desk/posts/{post.id}/status")
    tick()
    assert {one.destination: one.state for one in post.deliveries} == {"site": "delivered", "other": "delivered"}
    assert post.platforms == ["site", "other"]


def test_for_htmx_the_publish_dialog_is_replaced_by_the_deliveries(pages, a_post):
    post = a_post()
    headers = {"HX-Request": "true", "HX-Request-Type": "partial"}
    answer = pages.post(
        f"/desk/posts/{post.id}/publish", headers=headers, platforms=["site"], when="now", where="sheet"
    )
    assert answer.status_code == 200
    assert answer.text.lstrip().startswith('<section class="status in-sheet" id="status-sheet"')
    assert "Live on 1 destination" in answer.text
    assert answer.headers["HX-Trigger"] == "postchanged"


def test_a_scheduled_time_is_read_in_the_time_zone_of_the_user(pages, a_post):
    post = a_post()
    assert "Europe/Berlin (UTC+1)" in dialog(pages, post)
    send(pages, post, platforms=["site"], when="at", at="2026-12-01T09:00")
    assert post.state == "scheduled"
    assert post.scheduled_at == datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
    assert (post.wall_time, post.time_zone) == ("2026-12-01T09:00:00", "Europe/Berlin")
    assert post.live_revision() is not None


def test_the_publish_dialog_of_a_scheduled_post_shows_its_time(pages, a_post):
    post = a_post()
    send(pages, post, platforms=["site"], when="at", at="2026-12-01T09:00")
    text = dialog(pages, post)
    assert re.search(r'value="at" checked', text)
    assert 'value="2026-12-01T09:00"' in text


@pytest.mark.parametrize(
    ("at", "question", "readings", "fold", "instant"),
    [
        # Europe/Berlin goes forward on 28 March 2027 at 02:00, and back on 31 October 2027 at 03:00.
        (
            "2027-03-28T02:30",
            "02:30 doesn't exist on this day",
            ["01:30 (UTC+1)", "03:30 (UTC+2)"],
            0,
            (2027, 3, 28, 1, 30),
        ),
        (
            "2027-03-28T02:30",
            "02:30 doesn't exist on this day",
            ["01:30 (UTC+1)", "03:30 (UTC+2)"],
            1,
            (2027, 3, 28, 0, 30),
        ),
        (
            "2027-10-31T02:30",
            "02:30 happens twice on this day",
            ["First 02:30 (UTC+2)", "Second 02:30"],
            0,
            (2027, 10, 31, 0, 30),
        ),
        (
            "2027-10-31T02:30",
            "02:30 happens twice on this day",
            ["First 02:30 (UTC+2)", "Second 02:30"],
            1,
            (2027, 10, 31, 1, 30),
        ),
    ],
)
def test_a_skipped_or_repeated_local_time_asks_for_a_choice(pages, a_post, at, question, readings, fold, instant):
    post = a_post()
    asked = send(pages, post, platforms=["site"], when="at", at=at)
    assert asked.status_code == 422
    assert question in asked.text
    for reading in readings:
        assert reading in asked.text
    assert 'type="radio" name="fold" value="0"' in asked.text
    assert post.state == "draft"
    send(pages, post, platforms=["site"], when="at", at=at, asked_at=at, fold=str(fold))
    assert post.scheduled_at == datetime(*instant, tzinfo=UTC)


def test_a_choice_for_another_local_time_is_ignored(pages, a_post):
    post = a_post()
    form = {"platforms": ["site"], "when": "at", "asked_at": "2027-03-28T02:30", "fold": "0"}
    assert send(pages, post, at="2027-10-31T02:30", **form).status_code == 422
    assert post.state == "draft"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"when": "at", "at": "2026-11-01T09:00"}, "This time is in the past"),
        ({"when": "at", "at": "2046-11-01T09:00"}, "more than five years ahead"),
        ({"when": "at", "at": "tomorrow"}, "Enter a date and a time."),
        ({"when": "at", "at": ""}, "Enter a date and a time."),
        ({"when": "now", "platforms": []}, "Choose at least one destination"),
        ({"when": "now", "platforms": ["nowhere"]}, "There is no destination named"),
    ],
)
def test_an_invalid_publish_form_shows_the_error_and_changes_nothing(pages, a_post, form, words):
    post = a_post()
    answer = send(pages, post, **({"platforms": ["site"]} | form))
    assert answer.status_code == 422
    assert words in answer.text
    assert post.state == "draft"
    assert post.platforms == ["site"]


def test_the_next_queue_slot_is_shown_and_can_be_used(pages, a_post):
    queue_slots.add_slot(2, "09:00")
    post = a_post()
    text = dialog(pages, post)
    assert re.search(r"Next queue slot, .*Wed 25 Nov, 09:00</span>", text)
    place = queue_slots.next_slot(NOW)
    assert place is not None
    send(pages, post, platforms=["site"], when="slot", slot=stamp(place.at))
    assert post.scheduled_at == place.at


def test_a_queue_slot_taken_in_the_meantime_is_not_replaced_silently(pages, a_post):
    queue_slots.add_slot(2, "09:00")
    queue_slots.add_slot(3, "09:00")
    place = queue_slots.next_slot(NOW)
    assert place is not None
    first, second = a_post(title="First"), a_post(title="Second")
    send(pages, first, platforms=["site"], when="slot", slot=stamp(place.at))
    answer = send(pages, second, platforms=["site"], when="slot", slot=stamp(place.at))
    assert answer.status_code == 422
    assert "That queue slot was taken" in answer.text
    assert "Thu 26 Nov, 09:00" in answer.text
    assert second.state == "draft"


def test_only_a_text_over_the_limit_cannot_be_selected(pages, a_post, sandbox):
    sandbox()
    sandbox("other")
    with transaction():
        Connection.named("other").disconnect("The token has expired.")
    post = a_post(platforms=["site", "sandbox", "other"], overrides={"sandbox": {"content": "long " * 200}})
    text = dialog(pages, post)
    assert not is_open(text, "sandbox")
    assert "characters too many. Shorten the text to select Sandbox." in row(text, "sandbox")
    assert '<details class="more" open>\n<summary>Text for Sandbox</summary>' in row(text, "sandbox")
    assert "Disconnected. Published when you reconnect." in row(text, "other")
    assert "The token has expired." in row(text, "other")
    assert is_open(text, "other")
    assert "/desk/settings/destinations/other/reconnect" in row(text, "other")
    assert is_open(text, "site")
    answer = send(pages, post, platforms=["site", "sandbox"], when="now")
    assert answer.status_code == 422
    assert post.state == "draft"


def text_field(text: str, name: str) -> str:
    found = re.search(rf'<textarea name="text:{name}".*?>\n(.*?)</textarea>', text, re.S)
    assert found is not None, name
    return unescape(found[1])


def test_the_text_of_an_announcement_is_published_as_it_was_changed(pages, a_post, tick):
    post = a_post(title="Of trees", summary="In short.", tags=["old trees"], platforms=["site", "x"])
    usual = text_field(dialog(pages, post), "x")
    assert usual == "Of trees\n\nIn short.\n\n#OldTrees"
    typed = "*Read* this\r\n\r\n- 1 < 2"
    send(pages, post, platforms=["site", "x"], when="now", **{"text:x": typed, "shown:x": usual})
    tick()
    text = pages.get(f"/desk/deliveries/{post.delivery_to('x').id}/hand-over").text
    assert unescape(text).count(f"*Read* this\n\n- 1 < 2\n\nhttps://blog.example/{post.slug}</textarea>") == 1


def test_an_unchanged_text_of_an_announcement_goes_on_following_the_post(pages, a_post, sandbox):
    sandbox()
    post = a_post(title="Of trees", summary="In short.", platforms=["sandbox"])
    usual = text_field(dialog(pages, post), "sandbox")
    sent = {"text:sandbox": usual.replace("\n", "\r\n"), "shown:sandbox": usual.replace("\n", "\r\n")}
    send(pages, post, platforms=["sandbox"], when="at", at="2026-12-01T09:00", **sent)
    assert post.overrides == {}


def test_an_empty_text_of_an_announcement_is_the_usual_one(pages, a_post, sandbox):
    sandbox()
    own = {"content": "My own.", "options": {"outcome": "is slow"}}
    post = a_post(title="Of trees", platforms=["sandbox"], overrides={"sandbox": own})
    assert text_field(dialog(pages, post), "sandbox") == "My own."
    sent = {"text:sandbox": " ", "shown:sandbox": "My own."}
    send(pages, post, platforms=["sandbox"], when="at", at="2026-12-01T09:00", **sent)
    assert post.overrides == {"sandbox": {"options": {"outcome": "is slow"}}}
    assert text_field(dialog(pages, post), "sandbox") == "Of trees"


def test_a_text_for_a_destination_that_is_not_selected_is_kept(pages, a_post, sandbox):
    sandbox()
    post = a_post(platforms=["site", "sandbox"])
    send(pages, post, platforms=["site"], when="now", **{"text:sandbox": "Half of it", "shown:sandbox": "A post"})
    assert post.overrides == {"sandbox": {"content": "Half of it"}}


@pytest.mark.parametrize("button", ["same", "check", ""])
def test_a_text_that_was_typed_stays_in_the_dialog(pages, a_post, sandbox, button):
    sandbox()
    post = a_post(title="Of trees", platforms=["sandbox"])
    typed = {"text:sandbox": "long " * 110, "shown:sandbox": "Of trees"}
    answer = send(pages, post, platforms=["sandbox"], when="now", **typed, **({button: "1"} if button else {}))
    assert answer.status_code == (200 if button else 422)
    shown = row(answer.text, "sandbox")
    assert not is_open(answer.text, "sandbox")
    assert text_field(shown, "sandbox") == ("long " * 110).strip()
    assert 'name="shown:sandbox" value="Of trees"' in shown
    assert re.search(r'<p class="err num" [^>]*>\d+ of 500 characters</p>', shown)
    assert '<details class="more" open>' in shown
    assert (post.state, post.overrides) == ("draft", {})


def test_the_text_that_is_being_typed_is_counted_and_not_stored(pages, a_post, sandbox):
    sandbox()
    post = a_post(title="Of trees", platforms=["site", "sandbox"])

    def counted(typed: str) -> tuple[str, ...]:
        form = {"text:sandbox": typed, "shown:sandbox": "Of trees"}
        answer = pages.post(f"/desk/posts/{post.id}/publish/text?for=sandbox", **form)
        assert answer.status_code == 200
        found = re.search(r'<p class="[^"]*" id="[^"]*-count"( data-wrong)?>([^<]*)</p>', answer.text)
        assert found is not None
        return found[1] or "", found[2], *re.findall(r'-line">.*?<span>(.*?)</span></p>', answer.text)

    link = len(f"\n\nhttps://blog.example/{post.slug}")
    assert counted("x" * (500 - link)) == ("", "500 of 500 characters")
    too_many = "1 character too many. Shorten the text to select Sandbox."
    assert counted("x" * (501 - link)) == (" data-wrong", "501 of 500 characters", too_many)
    assert counted("") == ("", f"{len('Of trees') + link} of 500 characters")
    assert counted("x" * 1_100_000) == (" data-wrong", "", "This can have at most 1 MiB.")
    db.session.expire_all()
    assert post.overrides == {}
    assert pages.post(f"/desk/posts/{post.id}/publish/text?for=nowhere").status_code == 404


LONG = "long " * 99 + "words"  # too long with the link


def test_the_options_of_a_destination_stay_while_its_text_is_too_long(pages, a_post, sandbox):
    sandbox()
    post = a_post(title="Of trees", platforms=["site", "sandbox"])
    form = {"text:sandbox": LONG, "shown:sandbox": "Of trees", "option:sandbox:outcome": "is slow"}
    answer = send(pages, post, platforms=["site", "sandbox"], when="now", **form)
    assert answer.status_code == 422
    assert not is_open(answer.text, "sandbox")
    assert 'value="is slow" selected' in row(answer.text, "sandbox")
    assert '<input type="hidden" name="wanted" value="sandbox">' in row(answer.text, "sandbox")
    again = send(pages, post, platforms=["site"], wanted="sandbox", when="at", at="no time", **form)
    assert '<input type="hidden" name="wanted" value="sandbox">' in row(again.text, "sandbox")


def test_a_wrong_choice_does_not_discard_the_others(pages, a_post, sandbox):
    sandbox()
    post = a_post(title="Of trees", platforms=["site", "sandbox", "x"])
    form = {"text:sandbox": "Mine\0", "shown:sandbox": "Of trees", "option:sandbox:outcome": "is slow"}
    answer = send(pages, post, platforms=["sandbox"], when="now", **form, **{"text:x": "Other", "shown:x": "Of trees"})
    assert answer.status_code == 422
    assert 'value="is slow" selected' in row(answer.text, "sandbox")
    assert text_field(answer.text, "sandbox").startswith("Mine")
    assert text_field(answer.text, "x") == "Other"


def test_a_live_post_with_a_text_that_is_too_long_has_something_to_publish(pages, a_post, sandbox):
    sandbox()
    post = a_post(live=True, overrides={"sandbox": {"content": LONG}})
    text = dialog(pages, post)
    assert "Publish to more destinations" in text
    assert " data-go>" in text


def test_a_text_for_a_platform_without_an_account_is_kept(pages, a_post):
    post = a_post(title="Of trees", platforms=["site", "mastodon"])
    typed = {"text:mastodon": LONG, "shown:mastodon": "Of trees"}
    counted = pages.post(f"/desk/posts/{post.id}/publish/text?for=mastodon", **typed)
    assert counted.status_code == 200
    answer = send(pages, post, platforms=["site", "mastodon"], when="at", at="no time", **typed)
    assert text_field(answer.text, "mastodon") == LONG
    send(pages, post, platforms=["site", "mastodon"], when="now", **typed)
    assert post.overrides == {"mastodon": {"content": LONG}}


def test_a_text_that_nobody_changed_is_never_stored_after_an_error(pages, a_post, sandbox):
    sandbox()
    post = a_post(title="Of trees", platforms=["site", "sandbox"], overrides={"sandbox": {"content": "Own."}})
    emptied = {"text:sandbox": "", "shown:sandbox": "Own."}
    answer = send(pages, post, platforms=["site", "sandbox"], when="at", at="no time", **emptied)
    assert text_field(answer.text, "sandbox") == ""
    assert 'name="shown:sandbox" value="Own."' in answer.text
    send(pages, post, platforms=["site", "sandbox"], when="now", **emptied)
    assert post.overrides == {}


def test_choices_for_destinations_that_are_not_offered_are_ignored(pages, a_post, sandbox):
    post = a_post(title="Of trees")
    unknown = {f"text:nowhere{number}": "Words" for number in range(900)}
    assert send(pages, post, platforms=["site"], when="now", **unknown).status_code == 303
    assert post.overrides == {}


@pytest.mark.parametrize(
    ("platforms", "button", "line"),
    [
        (["site"], "Publish on this blog", "Now: This blog."),
        (["site", "sandbox"], "Publish to 2 destinations", "Now: This blog, Sandbox."),
        (["site", "wordpress"], "Publish on this blog", "Now: This blog. Waiting for you: WordPress."),
        (["wordpress"], "Publish when WordPress is connected", "Waiting for you: WordPress."),
        (["wordpress", "ghost"], "Publish when 2 destinations are connected", "Waiting for you: WordPress, Ghost."),
    ],
)
def test_the_button_and_the_line_beside_it_say_what_is_sent(pages, a_post, sandbox, platforms, button, line):
    sandbox()
    text = dialog(pages, a_post(platforms=platforms))
    assert f"data-go>{button}</button>" in text
    assert f"data-summary>{line}</p>" in text


def test_the_button_says_when_the_post_is_scheduled(pages, a_post):
    text = pages.get(f"/desk/posts/{a_post().id}/publish?at=2027-01-05T18:00").text
    assert "data-go>Schedule for Tue 5 Jan 2027, 18:00</button>" in text
    assert "data-summary>Then: This blog.</p>" in text


def test_without_a_selection_the_line_asks_for_a_destination(pages, a_post):
    answer = send(pages, a_post(), platforms=[], when="now")
    assert "data-summary>Select a destination.</p>" in answer.text
    # A disabled button could not be enabled without JavaScript.
    assert "data-go>Publish</button>" in answer.text


def test_the_sheet_of_a_new_blog_offers_queue_slots_and_a_destination(pages, a_post, sandbox):
    text = dialog(pages, a_post())
    assert "Add queue slots" in text
    assert "Connect a destination" in text
    sandbox()
    queue_slots.add_slot(2, "09:00")
    text = dialog(pages, a_post())
    assert "Add queue slots" not in text
    assert "Connect a destination" not in text


def test_an_author_is_told_to_ask_an_owner_to_reconnect(browser_of, somebody, app, tools, sandbox):
    sandbox()
    with transaction():
        Connection.named("sandbox").disconnect("The token has expired.")
    ben = somebody("author", name="Ben")
    post = editing.create({"title": "Mine", "content": "Words."}, ["sandbox"], tools.now())
    with transaction():
        Post.get(post.id).author_id = ben.id
    assert "Ask an owner of this blog to reconnect Sandbox." in dialog(browser_of(ben), post)


def test_options_are_shown_per_destination_and_stored_with_the_post(pages, a_post, sandbox, tick):
    sandbox()
    post = a_post(platforms=["site", "sandbox"])
    assert 'name="option:sandbox:outcome"' in dialog(pages, post)
    form = {"option:sandbox:outcome": "refuses the text"}
    send(pages, post, platforms=["sandbox"], when="now", **form)
    assert post.overrides == {"sandbox": {"options": {"outcome": "refuses the text"}}}
    tick()
    assert post.delivery_to("sandbox").state == "failed"


def test_default_option_values_are_not_stored(pages, a_post, sandbox):
    sandbox()
    post = a_post(platforms=["sandbox"], overrides={"sandbox": {"content": "Own.", "options": {"outcome": "is slow"}}})
    send(pages, post, platforms=["sandbox"], when="now", **{"option:sandbox:outcome": "as usual"})
    assert post.overrides == {"sandbox": {"content": "Own."}}


def test_an_unknown_option_value_is_rejected(pages, a_post, sandbox):
    sandbox()
    answer = send(pages, a_post(), platforms=["sandbox"], when="now", **{"option:sandbox:outcome": "explodes"})
    assert answer.status_code == 422
    assert "must be one of" in answer.text


def test_the_publish_dialog_of_a_live_post_publishes_changes(pages, a_post, sandbox, tools, tick):
    sandbox()
    post = a_post(live=True)
    editing.edit(post, {"content": "Other words."}, None, tools.now())
    text = dialog(pages, post)
    assert "Publish changes" in text
    assert 'name="when"' not in text
    assert 'data-does="update" checked' in row(text, "site")
    assert "checked" not in row(text, "sandbox")
    send(pages, post, platforms=["site"])
    assert not post.has_unpublished_changes
    assert post.platforms == ["site"]


def test_a_live_post_without_changes_has_nothing_to_publish(pages, a_post):
    text = dialog(pages, a_post(live=True))
    assert "Everything is up to date" in text
    assert '<button class="btn btn-go"' not in text


def test_a_post_that_was_published_on_its_schedule_is_up_to_date_on_the_blog(pages, a_post, time, tick):
    post = a_post()
    send(pages, post, platforms=["site"], when="at", at="2026-12-01T09:00")
    time.passes(days=7)
    tick()
    assert "Up to date" in row(dialog(pages, post), "site")


def test_a_live_post_can_be_published_to_another_destination(pages, a_post, sandbox, tick):
    post = a_post(live=True)
    sandbox()
    text = dialog(pages, post)
    assert "Up to date" in row(text, "site")
    assert "disabled" in row(text, "site")
    send(pages, post, platforms=["sandbox"])
    tick()
    assert post.delivery_to("sandbox").state == "delivered"
    assert post.platforms == ["site", "sandbox"]


def test_the_settings_decide_which_destinations_are_selected_and_one_click_selects_those_of_the_last_time(
    pages, a_post, sandbox
):
    sandbox()
    assert "Same as last time" not in dialog(pages, a_post(title="First"))
    send(pages, a_post(), platforms=["site", "sandbox"], when="now")
    another = a_post(title="Another")
    text = dialog(pages, another)
    assert "checked" in row(text, "site")
    assert "checked" not in row(text, "sandbox")
    assert re.search(r"Same as last time</button>\n<span[^>]*>This blog, Sandbox</span>", text)
    again = send(pages, another, same="1", when="at", at="2026-12-01T09:00")  # as the button without JavaScript
    assert again.status_code == 200
    assert "checked" in row(again.text, "sandbox")
    assert 'value="2026-12-01T09:00"' in again.text
    assert "Same as last time" not in again.text
    assert another.state == "draft"


def test_an_update_of_a_live_post_is_not_what_last_time_means(pages, a_post, sandbox, tools):
    sandbox()
    send(pages, a_post(), platforms=["sandbox"], when="now")
    live = a_post(title="Live", live=True)
    editing.edit(live, {"content": "Other words."}, None, tools.now())
    assert "Same as last time" not in dialog(pages, live)
    send(pages, live, platforms=["site"])
    assert 'data-same="sandbox"' in dialog(pages, a_post(title="Another"))


def test_an_author_can_publish_only_their_own_posts(browser_of, somebody, a_post):
    ben = somebody("author", name="Ben")
    mine, other = a_post(title="Mine"), a_post(title="Not mine")
    with transaction():
        Post.get(mine.id).author_id = ben.id
    pages = browser_of(ben)
    assert send(pages, mine, platforms=["site"], when="now").status_code == 303
    assert mine.state == "published"
    for path in (f"/desk/posts/{other.id}/publish", f"/desk/posts/{other.id}/status"):
        assert pages.get(path).status_code == 404
    assert send(pages, other, platforms=["site"], when="now").status_code == 404
    assert other.state == "draft"


def test_a_time_in_the_query_string_preselects_scheduling(pages, a_post):
    text = pages.get(f"/desk/posts/{a_post().id}/publish?at=2026-12-24T18:00").text
    assert 'value="2026-12-24T18:00"' in text
    assert re.search(r'value="at" checked', text)


def text_part(pages, post, name="wordpress"):
    """Return the part of the dialog with the text for one destination, as it is loaded when it is opened."""
    answer = pages.fragment(f"/desk/posts/{post.id}/publish/text?for={name}")
    assert answer.status_code == 200
    return str(answer.text)


def shown_in(part):
    found = re.search(r'name="shown:wordpress" value="([^"]*)"', part)
    assert found is not None
    return found[1]


def test_the_text_of_an_article_can_be_read_and_changed_for_one_destination(pages, a_post):
    post = a_post(content="The <b>text</b> of the post.", platforms=["site", "wordpress"])
    assert "<summary>Text for WordPress</summary>" in row(dialog(pages, post), "wordpress")
    part = text_part(pages, post)
    assert "The &lt;b&gt;text&lt;/b&gt; of the post.</textarea>" in part
    form = {"platforms": ["site", "wordpress"], "when": "now", "shown:wordpress": shown_in(part)}
    send(pages, post, **form, **{"text:wordpress": "The text\r\nfor WordPress."})
    assert Post.get(post.id).overrides == {"wordpress": {"content": "The text\nfor WordPress."}}
    assert "The text\nfor WordPress.</textarea>" in text_part(pages, post)


def test_an_unchanged_text_of_an_article_goes_on_following_the_post(pages, a_post):
    post = a_post(content="One.\n\nTwo.\n", platforms=["site", "wordpress"])
    form = {"platforms": ["site", "wordpress"], "when": "now", "shown:wordpress": shown_in(text_part(pages, post))}
    send(pages, post, **form, **{"text:wordpress": "One.\r\n\r\nTwo.\r\n"})
    assert Post.get(post.id).overrides == {}


def test_a_changed_text_of_an_article_stays_in_a_form_with_an_error(pages, a_post):
    post = a_post(platforms=["site", "wordpress"])
    form = {"platforms": ["wordpress"], "when": "at", "at": "", "shown:wordpress": shown_in(text_part(pages, post))}
    text = send(pages, post, **form, **{"text:wordpress": "Only there."}).text
    found = row(text, "wordpress")
    assert "Only there.</textarea>" in found
    assert shown_in(found) == form["shown:wordpress"]
    assert '<details class="more" open>' in found


def test_a_very_long_text_is_changed_in_the_details(pages, a_post):
    part = text_part(pages, a_post(content="word " * 25_000, platforms=["site", "wordpress"]))
    assert "Change it in the details" in part
    assert "<textarea" not in part


def test_the_text_of_this_blog_is_that_of_the_post(pages, a_post):
    assert "Text for" not in row(dialog(pages, a_post()), "site")


def test_the_text_for_an_unknown_destination_is_not_found(pages, a_post):
    assert pages.get(f"/desk/posts/{a_post().id}/publish/text?for=nowhere").status_code == 404
