"""Copies that a person posts: in the publish dialog, the status, the attention list, the calendar and the settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from blogsvc.context import Tools
from blogsvc.delivery import hand_over
from blogsvc.models import Connection, Delivery, Post, Setting, User, transaction
from blogsvc.posts import trash
from tests.web.page_walk import Pages

Posts = Callable[..., Post]
Tick = Callable[[], None]
LINK = "https://medium.com/@ann/a-post-1"


@pytest.fixture(autouse=True)
def publishing_at_once(app: Any) -> None:
    with transaction():
        Setting.write("undo_seconds", 0)


@pytest.fixture
def ready(a_post: Posts, tick: Tick) -> Callable[..., Delivery]:
    """Publish a post to this blog and to Medium, and return the delivery that waits for a person."""

    def make(title: str = "A post", **words: Any) -> Delivery:
        post = a_post(live=True, platforms=["site", "medium"], title=title, **words)
        tick()
        delivery = Post.get(post.id).delivery_to("medium")
        assert delivery is not None
        assert delivery.state == "awaiting_hand"
        return delivery

    return make


def needs(pages: Pages) -> str:
    text = pages.get("/desk").text
    found = re.search(r'<section class="needs".*?</section>', text, re.DOTALL)
    return found[0] if found else ""


def test_the_dialog_says_that_a_person_posts(pages: Pages, a_post: Posts) -> None:
    post = a_post(platforms=["site", "medium"], summary="Words.")
    text = pages.get(f"/desk/posts/{post.id}/publish").text
    assert re.search(r'<input type="checkbox"[^>]* value="medium"[^>]* data-waits="hand"[^>]* checked>', text)
    assert "By hand. The text is ready for you when the post is live." in text
    assert "data-summary>Now: This blog. Waiting for you: Medium.</p>" in text
    assert f"/desk/posts/{post.id}/preview?as=medium" in text


def test_the_dialog_of_a_live_post_says_what_is_ready_to_post(
    pages: Pages, ready: Callable[..., Delivery], a_post: Posts, tools: Tools
) -> None:
    from blogsvc.posts import editing

    delivery = ready("Of maps")
    text = pages.get(f"/desk/posts/{delivery.post.id}/publish").text
    assert "Everything is up to date" in text
    assert "By hand. The text is ready for you." in text
    assert f'href="/desk/deliveries/{delivery.id}/hand-over">Post on Medium</a>' in text
    assert re.search(r'<input type="checkbox"[^>]* value="medium"[^>]* disabled>', text)
    editing.edit(Post.get(delivery.post.id), {"content": "Other words."}, None, tools.now())
    text = pages.get(f"/desk/posts/{delivery.post.id}/publish").text
    assert re.search(r'<input type="checkbox"[^>]* value="medium"[^>]* checked>', text)
    other = a_post(live=True, title="Of roads")
    editing.edit(other, {}, ["site", "medium"], tools.now())
    text = pages.get(f"/desk/posts/{other.id}/publish").text
    assert "By hand. The text is ready for you when you publish." in text


def test_the_button_says_that_only_a_person_posts(pages: Pages, a_post: Posts) -> None:
    text = pages.get(f"/desk/posts/{a_post(platforms=['medium'], summary='Words.').id}/publish").text
    assert "data-go>Publish by hand</button>" in text


def test_publishing_from_the_dialog_leaves_the_copy_to_a_person(pages: Pages, a_post: Posts, tick: Tick) -> None:
    post = a_post(platforms=["site", "medium"])
    pages.post(f"/desk/posts/{post.id}/publish", platforms=["site", "medium"], when="now")
    tick()
    text = pages.get(f"/desk/posts/{post.id}/status").text
    assert "Live on 1 of 2 destinations" in text
    assert "1 needs you." in text
    assert "Ready to post" in text
    assert f"/desk/deliveries/{Post.get(post.id).delivery_to('medium').id}/hand-over" in text
    assert 'hx-trigger="every 2s' not in text  # nothing changes until somebody acts


def test_a_scheduled_post_says_that_a_person_posts_it(pages: Pages, a_post: Posts, tools: Tools) -> None:
    from blogsvc.posts import publishing

    post = a_post(platforms=["site", "medium"])
    publishing.schedule(post, tools.now() + timedelta(days=1), tools.now())
    assert (
        "By hand. The text is ready for you when the post is live." in pages.get(f"/desk/posts/{post.id}/status").text
    )


def test_the_attention_list_has_each_copy_with_what_to_do(pages: Pages, ready: Callable[..., Delivery]) -> None:
    delivery = ready("Of maps")
    text = needs(pages)
    assert "Medium" in text
    assert "Of maps" in text
    assert "is ready to post" in text
    assert f'href="/desk/deliveries/{delivery.id}/hand-over">Post on Medium' in text
    assert "1 task on 1 destination" in text


def test_an_update_and_a_deletion_are_tasks_of_their_own(
    pages: Pages, ready: Callable[..., Delivery], tools: Tools, tick: Tick
) -> None:
    from blogsvc.posts import editing, publishing

    changed, removed = ready("Changed"), ready("Removed")
    for delivery in (changed, removed):
        hand_over.report_posted(delivery, LINK, tools.now(), tools)
    editing.edit(changed.post, {"content": "Other words."}, None, tools.now())
    publishing.publish(changed.post, tools.now())
    publishing.unpublish(removed.post, tools.now())
    tick()
    text = needs(pages)
    assert "changed since you posted it" in text
    assert "Update on Medium" in text
    assert "has to be deleted" in text
    assert "The copy is still on Medium." in text
    assert "Delete on Medium" in text


def test_a_copy_to_delete_is_a_task_although_its_post_is_in_the_trash(
    pages: Pages, ready: Callable[..., Delivery], tools: Tools, tick: Tick
) -> None:

    delivery = ready("Discarded")
    hand_over.report_posted(delivery, LINK, tools.now(), tools)
    trash.discard(delivery.post, tools.now(), withdraw=True)
    tick()
    assert "Delete on Medium" in needs(pages)


def test_nothing_is_asked_until_the_reminder(
    pages: Pages, ready: Callable[..., Delivery], tools: Tools, tick: Tick, time: Any
) -> None:
    delivery = ready()
    hand_over.remind_later(delivery, tools.now() + timedelta(days=1), tools.now())
    assert needs(pages) == ""
    assert "Reminder at" in pages.get(f"/desk/posts/{delivery.post_id}/status").text
    time.passes(days=1)
    tick()
    assert "is ready to post" in needs(pages)


def test_authors_see_only_their_own_copies(
    ready: Callable[..., Delivery], somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    ready("Not mine")
    assert "Not mine" not in browser_of(somebody("author", name="Ben")).get("/desk").text


def test_the_calendar_shows_a_copy_to_post_in_a_shape_of_its_own(pages: Pages, ready: Callable[..., Delivery]) -> None:
    ready("Of maps")
    text = pages.get("/desk/calendar").text
    assert re.search(r'<li class="chip" data-s="ready"', text)
    assert ", published, ready to post by hand</span>" in text


def test_a_destination_by_hand_is_added_without_credentials(pages: Pages) -> None:
    form = pages.get("/desk/settings/destinations/new/hackernews").text
    assert "Add Hacker News" in form
    assert "test the connection" not in form
    pages.post("/desk/settings/destinations/new/hackernews", name="hackernews")
    assert Connection.named("hackernews").account == "by hand"


def test_the_editor_of_a_destination_by_hand_can_be_changed(pages: Pages) -> None:
    path = "/desk/settings/destinations/new/substack"
    refused = pages.post(path, **{"name": "substack", "settings/editor": "javascript:alert(1)"})
    assert refused.status_code == 422
    assert "must start with https://" in refused.text
    own = "https://ann.substack.com/publish/post"
    pages.post(path, **{"name": "substack", "settings/editor": own})
    assert Connection.named("substack").settings == {"editor": own}
