"""The pages for connecting an account: what will be possible, errors, and the page after connecting."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.models import Connection, Post, Setting, User, db, transaction
from blogsvc.posts import editing, sample_draft
from blogsvc.web.settings.connector_features import limitations, possibilities
from tests.connectors.fake_mastodon import INSTANCE, SERVER, TOKEN, FakeMastodon
from tests.outside import Outside
from tests.web.page_walk import Pages
from tests.web.test_destinations import LIST, page_text

Posts = Callable[..., Post]
MASTODON = {"settings/url": SERVER, "settings/token": TOKEN, "name": "mastodon"}


def said_of(key: str) -> dict[str, tuple[bool | None, str]]:
    return {one.name: (one.is_possible, one.how) for one in possibilities(connectors()[key])}


def default_destinations() -> list[str]:
    db.session.rollback()
    db.session.expire_all()
    return list(Setting.read("default_platforms"))


def test_an_announcement_has_its_length_and_no_full_article() -> None:
    assert said_of("mastodon") == {
        "Publish": (True, "An announcement of up to 500 characters that links to your post."),
        "Edit": (True, "When you publish changes, the copy is updated. Its link stays."),
        "Delete": (True, "When you unpublish the post, the copy is deleted."),
        "Images": (True, "The cover image, or the first image in the text."),
        "Read back": (True, "Figures such as likes and comments, in Analytics."),
        "Full article": (False, "Only an announcement is published."),
    }
    assert said_of("discord")["Publish"][1] == (
        "An announcement of up to 2,000 characters that links to your post, with a title of up to 256 characters."
    )


def test_what_a_connector_cannot_do_is_said() -> None:
    said = said_of("slack-hook")
    assert said["Edit"] == (False, "Published copies can't be updated from here.")
    assert said["Delete"][0] is False
    assert said["Images"] == (False, "Images aren't published.")
    assert said["Read back"][0] is False


def test_an_announcement_that_may_be_the_whole_text_says_how() -> None:
    is_possible, how = said_of("telegram")["Full article"]
    assert is_possible
    assert "whole" in how


def test_an_article_has_its_limits_and_becomes_a_draft() -> None:
    said = said_of("devto")
    assert said["Publish"] == (True, "The full article, with a title of up to 128 characters and up to 4 tags.")
    assert said["Unpublish"] == (True, "When you unpublish the post, the copy becomes a draft.")
    assert said["Images"] == (True, "Those in the text and the cover image, with their alt texts.")
    assert "Delete" not in said
    assert "Full article" not in said
    assert said_of("wordpress")["Publish"] == (True, "The full article.")
    assert said_of("ghost")["Publish"][1].endswith("You can also send it as an e-mail to your subscribers.")


def test_limits_that_publish_does_not_contain_are_limitations() -> None:
    assert "Each tag can have at most 30 characters." in limitations(connectors()["devto"])
    assert "The text can have at most 3,000 bytes." in limitations(connectors()["bluesky"])
    assert not any("128" in sentence or "Not supported: images" in sentence for sentence in limitations_of_all())


def limitations_of_all() -> list[str]:
    return [sentence for kind in connectors().values() for sentence in limitations(kind)]


def test_a_newsletter_is_an_email_that_cannot_be_recalled() -> None:
    said = said_of("buttondown")
    assert said["Publish"] == (True, "The full article, as an e-mail to your subscribers.")
    assert said["Delete"][1].endswith("A sent e-mail can't be recalled.")
    assert said["Read back"] == (True, "Figures such as opens and clicks, in Analytics.")


def test_a_file_and_a_message_are_no_announcements() -> None:
    assert said_of("folder")["Publish"] == (True, "The full article, as a file.")
    assert said_of("webhook")["Publish"] == (True, "The full article, as a message to your server.")


def test_by_hand_a_person_updates_and_deletes(pages: Pages) -> None:
    said = said_of("medium")
    assert (
        said["Prepare"][1] == "The full article, with a title of up to 100 characters and up to 5 tags, ready to copy."
    )
    assert (said["Update"][0], said["Delete"][0]) == (None, None)
    assert said_of("hackernews")["Prepare"][1] == (
        "A title of up to 80 characters with a link to your post, ready to copy."
    )
    assert said_of("x")["Full article"] == (False, "Only an announcement is prepared.")
    page = page_text(pages.get(f"{LIST}/new/medium").text)
    assert "You do it; blogsvc shows what changed." in page
    assert "test the connection" not in page


def test_every_connector_says_all_in_plain_sentences() -> None:
    for key in connectors():
        for one in possibilities(connectors()[key]):
            assert re.fullmatch(r"[A-Z][^`{}]+\.", one.how), (key, one)


def test_the_page_lists_what_will_be_possible_and_the_limitations(pages: Pages) -> None:
    page = pages.get(f"{LIST}/new/mastodon").text
    words = page_text(page)
    assert "What will be possible" in words
    assert words.index("Full article") < words.index("Limitations") < words.index("Duplicates:")
    assert '<details class="more" open><summary>Where to find the access token</summary>' in page


def test_short_help_about_a_secret_is_a_note_below_its_field(pages: Pages) -> None:
    page = pages.get(f"{LIST}/new/devto").text
    assert "Where to find" not in page
    assert re.search(r'id="settings/api_key-help">On DEV', page)
    assert 'aria-describedby="settings/api_key-help"' in page


@pytest.mark.parametrize("form", [MASTODON | {"settings/token": "wr0ng"}, MASTODON | {"settings/token": ""}])
def test_an_error_links_to_its_field(pages: Pages, outside: Outside, form: dict[str, str]) -> None:
    FakeMastodon(outside)
    page = pages.post(f"{LIST}/new/mastodon", **form).text
    (box,) = re.findall(r'<div class="wrong" role="alert">.*?</div>', page, re.DOTALL)
    assert "Mastodon isn't connected yet" in unescape(box)
    assert "Your entries are kept." in box
    assert re.findall(r'href="#([^"]+)"', box) == ["settings/token"]
    assert 'id="settings/token"' in page
    assert page.count(" autofocus") == 1
    assert f'value="{SERVER}"' in page


def test_all_wrong_fields_are_in_the_error(pages: Pages) -> None:
    page = page_text(pages.post(f"{LIST}/new/wordpress", name="wordpress").text)
    assert "3 fields need a change: Site URL , Username and Application password . Your entries are kept." in page


def test_an_error_of_no_field_is_in_the_box(pages: Pages, outside: Outside) -> None:
    outside.teach("POST", "https://hook.example/in", failure="hangs")
    page = pages.post(f"{LIST}/new/webhook", **{"settings/url": "https://hook.example/in", "name": "hook"}).text
    (box,) = re.findall(r'<div class="wrong" role="alert">.*?</div>', page, re.DOTALL)
    assert "Nothing was saved." in box
    assert "href" not in box


def test_reconnecting_has_the_same_parts(pages: Pages, connect: Callable[..., str]) -> None:
    connect()
    assert "What is possible" in page_text(pages.get(f"{LIST}/hook/reconnect").text)
    page = pages.post(f"{LIST}/hook/reconnect", **{"settings/url": ""})
    assert page.status_code == 422
    assert "Webhook isn't reconnected yet" in unescape(page.text)
    assert 'href="#settings/url"' in page.text


def test_after_connecting_the_page_shows_the_account_and_its_limits(pages: Pages, outside: Outside) -> None:
    statuses = INSTANCE["configuration"]["statuses"] | {"max_characters": 5000}
    FakeMastodon(outside, instance={**INSTANCE, "configuration": {**INSTANCE["configuration"], "statuses": statuses}})
    answer = pages.post(f"{LIST}/new/mastodon", **MASTODON)
    assert answer.location == "/desk/waiting/mastodon"
    page = page_text(pages.get(answer.location).text)
    assert "Mastodon is connected" in page
    assert "@ada@social.example" in page
    assert "This server allows 5,000 characters." in page
    assert "Back to destinations" in page
    assert "waited" not in page


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("medium", "Medium is added You post by hand. Medium allows titles of up to 100 characters."),
        ("sandbox", "Sandbox allows 500 characters."),
        ("substack", "Substack is added You post by hand. Selected for new posts"),
    ],
)
def test_the_limits_of_a_platform_are_said(pages: Pages, key: str, said: str) -> None:
    pages.post(f"{LIST}/new/{key}", name=key, settings__outcome="")
    assert said in page_text(pages.get(f"/desk/waiting/{key}").text)


def test_a_connection_of_an_uninstalled_connector_has_no_limits(pages: Pages, connect: Callable[..., str]) -> None:
    connect()
    with transaction():
        Connection.named("hook").connector = "friendster"
    assert "allows" not in page_text(pages.get("/desk/waiting/hook").text)


def test_a_new_account_can_be_selected_for_new_posts(pages: Pages) -> None:
    pages.post(f"{LIST}/new/sandbox", name="sandbox", settings__outcome="")
    page = "/desk/waiting/sandbox"
    box = r'<input type="checkbox" id="default" name="default" value="1"( checked)?>'
    assert re.findall(box, pages.get(page).text) == [""]
    answer = pages.post(page, default_shown="1", default="1", do="back")
    assert answer.location == LIST
    assert default_destinations() == ["site", "sandbox"]
    assert re.findall(box, pages.get(page).text) == [" checked"]
    pages.post(page, default_shown="1", do="back")
    assert default_destinations() == ["site"]


def test_each_button_saves_the_selection(pages: Pages, a_post: Posts, time: Any) -> None:
    a_post(live=True, platforms=["site", "sandbox"])
    time.passes(days=2)
    pages.post(f"{LIST}/new/sandbox", name="sandbox", settings__outcome="")
    pages.post("/desk/waiting/sandbox", default_shown="1", default="1", do="leave")
    assert default_destinations() == ["site", "sandbox"]


def test_the_attention_list_does_not_change_the_selection(pages: Pages, a_post: Posts) -> None:
    pages.post(f"{LIST}/new/sandbox", name="sandbox", settings__outcome="")
    editing.choose_default_platforms(["site", "sandbox"])
    pages.post("/desk/waiting/sandbox", do="publish")
    assert default_destinations() == ["site", "sandbox"]


def test_only_an_owner_selects_destinations_for_new_posts(pages: Pages, browser_of: Any, somebody: Any) -> None:
    pages.post(f"{LIST}/new/sandbox", name="sandbox", settings__outcome="")
    editor = browser_of(somebody("editor", name="Ben"))
    assert "Selected for new posts" not in editor.get("/desk/waiting/sandbox").text
    answer = editor.post("/desk/waiting/sandbox", default_shown="1", default="1", do="back")
    assert answer.location == "/desk"
    assert default_destinations() == ["site"]


def test_the_primary_button_leads_back_to_the_post(pages: Pages, a_post: Posts) -> None:
    post = a_post(title="A map")
    form = f"{LIST}/new/sandbox?post={post.id}"
    assert "Afterwards you return to “ A map ”." in page_text(pages.get(form).text)
    done = pages.post(form, name="sandbox", settings__outcome="").location
    assert done == f"/desk/waiting/sandbox?post={post.id}"
    page = pages.get(done).text
    assert "Back to “ A map ”" in page_text(page)
    assert page.count("btn-go") == 1
    assert pages.post(done, default_shown="1", do="back").location == f"/desk/posts/{post.id}"


def test_a_new_user_is_led_to_writing(pages: Pages, owner: User, tools: Tools) -> None:
    sample = editing.create({"title": sample_draft.TITLE, "content": sample_draft.CONTENT}, None, tools.now(), owner.id)
    pages.post("/desk/posts")  # opened, and nothing written
    pages.post(f"{LIST}/new/sandbox", name="sandbox", settings__outcome="")
    page = pages.get("/desk/waiting/sandbox").text
    assert re.search(r'<button class="btn btn-go"[^>]*>(?:<svg.*?</svg>)?<span>Start writing</span>', page)
    assert page.count("btn-go") == 1
    assert "Back to destinations" in page
    answer = pages.post("/desk/waiting/sandbox", default_shown="1", default="1", do="write", follow=True)
    assert re.fullmatch(r"/desk/posts/\w+", answer.request.path)
    assert sample.id not in answer.request.path
    assert default_destinations() == ["site", "sandbox"]


def test_a_user_with_posts_is_led_back_to_the_destinations(pages: Pages, owner: User, tools: Tools) -> None:
    editing.create({"title": "Mine", "content": "Some words."}, None, tools.now(), owner.id)
    pages.post(f"{LIST}/new/sandbox", name="sandbox", settings__outcome="")
    page = pages.get("/desk/waiting/sandbox").text
    assert "Start writing" not in page
    assert re.search(r'<button class="btn btn-go"[^>]*>Back to destinations', page)


def test_a_generated_secret_leads_to_the_connected_page(pages: Pages, outside: Outside) -> None:
    outside.teach("POST", "https://hook.example/in", status=200)
    page = pages.post(f"{LIST}/new/webhook", **{"settings/url": "https://hook.example/in", "name": "hook"}).text
    assert "Webhook is connected" in page_text(page)
    assert '<a class="btn btn-go" href="/desk/waiting/hook">Done</a>' in page
    assert "Destination hook" in page_text(pages.get("/desk/waiting/hook").text)
