"""Posts that wait for an account: in the publish dialog, the status, the attention list, and on a page of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.models import Connection, Post, Setting, db, transaction
from blogsvc.posts import editing
from tests.clock import Time
from tests.web.page_walk import Pages

Posts = Callable[..., Post]


@pytest.fixture(autouse=True)
def publishing_at_once(app: Any) -> None:
    with transaction():
        Setting.write("undo_seconds", 0)


@pytest.fixture
def connect_sandbox(tools: Tools) -> Callable[..., None]:
    return lambda name="sandbox": manage.connect("sandbox", name, {}, tools) and None


def state_of(post: Post, name: str = "sandbox") -> str:
    db.session.rollback()
    db.session.expire_all()
    delivery = Post.get(post.id).delivery_to(name)
    assert delivery is not None
    return delivery.state


def test_a_destination_without_an_account_can_be_selected_and_published(pages: Pages, a_post: Posts) -> None:
    post = a_post(platforms=["site", "sandbox"])
    dialog = pages.get(f"/desk/posts/{post.id}/publish").text
    assert "Waiting for a Sandbox account" in dialog
    assert re.search(r'<input type="checkbox"[^>]* value="sandbox"[^>]* checked>', dialog)
    assert "/desk/waiting/sandbox" in dialog
    pages.post(f"/desk/posts/{post.id}/publish", platforms=["site", "sandbox"], when="now")
    assert state_of(post) == "blocked"
    assert "Waiting for a Sandbox account" in pages.get(f"/desk/posts/{post.id}/status").text


def test_a_disconnected_destination_can_be_selected(
    pages: Pages, a_post: Posts, connect_sandbox: Callable[..., None]
) -> None:
    connect_sandbox()
    with transaction():
        Connection.named("sandbox").disconnect("The token has expired.")
    dialog = pages.get(f"/desk/posts/{a_post(platforms=['sandbox']).id}/publish").text
    assert re.search(r'<input type="checkbox"[^>]* value="sandbox"[^>]* checked>', dialog)
    assert "The token has expired." in dialog


def test_the_attention_list_groups_what_waits_by_destination(pages: Pages, a_post: Posts) -> None:
    for _ in range(2):
        a_post(live=True, platforms=["site", "wordpress"])
    a_post(live=True, platforms=["site", "sandbox"])
    page = pages.get("/desk").text
    assert "2 posts wait for a WordPress account." in page
    assert "1 post waits for a Sandbox account." in page
    assert "Connect WordPress" in page


def test_connecting_from_the_attention_list_opens_the_form_of_the_connector(pages: Pages, a_post: Posts) -> None:
    a_post(live=True, platforms=["site", "sandbox"])
    answer = pages.get("/desk/waiting/sandbox")
    assert answer.location == "/desk/settings/destinations/new/sandbox?name=sandbox"


def test_posts_can_stop_waiting(pages: Pages, a_post: Posts) -> None:
    post = a_post(live=True, platforms=["site", "sandbox"])
    pages.post("/desk/waiting/sandbox", do="leave")
    assert state_of(post) == "withdrawn"
    assert "waits for" not in pages.get("/desk").text


def test_late_posts_are_chosen_after_connecting(pages: Pages, a_post: Posts, time: Time, tick: Any) -> None:
    first, second = (a_post(live=True, title=title, platforms=["site", "sandbox"]) for title in ("First", "Second"))
    time.passes(days=2)
    pages.prove()
    answer = pages.post("/desk/settings/destinations/new/sandbox", name="sandbox", settings__outcome="")
    assert answer.location == "/desk/waiting/sandbox"
    page = pages.get("/desk/waiting/sandbox").text
    assert "Sandbox is connected" in page
    assert "2 posts waited for Sandbox. Choose which to publish." in page
    assert page.count(", 2 days late") == 2
    assert not re.search(r'name="delivery"[^>]* checked', page)
    listed = re.findall(r'name="listed" value="([^"]+)"', page)
    delivery = Post.get(second.id).delivery_to("sandbox")
    assert delivery is not None
    assert pages.post("/desk/waiting/sandbox", do="publish", listed=listed).location == "/desk/waiting/sandbox"
    answer = pages.post("/desk/waiting/sandbox", do="publish", listed=listed, delivery=[delivery.id])
    assert answer.location == "/desk/waiting/sandbox"  # another one is to be decided
    tick()
    assert [state_of(first), state_of(second)] == ["blocked", "delivered"]
    assert "1 post waits for Sandbox." in pages.get("/desk").text
    pages.post("/desk/waiting/sandbox", do="publish")
    tick()
    assert state_of(first) == "delivered"


def test_late_posts_that_were_listed_are_not_published(
    pages: Pages, a_post: Posts, connect_sandbox: Callable[..., None], time: Time
) -> None:
    first, second = (a_post(live=True, title=title, platforms=["site", "sandbox"]) for title in ("First", "Second"))
    time.passes(days=2)
    connect_sandbox()
    delivery = Post.get(first.id).delivery_to("sandbox")
    assert delivery is not None
    page = pages.get("/desk/waiting/sandbox").text
    assert "Don't publish these on Sandbox" in page
    pages.post("/desk/waiting/sandbox", do="leave", listed=[delivery.id])
    assert [state_of(first), state_of(second)] == ["withdrawn", "blocked"]


def test_connecting_from_the_publish_dialog_leads_back_to_the_post(
    pages: Pages, a_post: Posts, time: Time, tick: Any
) -> None:
    late = a_post(live=True, title="Late", platforms=["site", "sandbox"])
    time.passes(days=2)
    pages.prove()
    post = a_post(title="A map", platforms=["site", "sandbox"])
    dialog = pages.get(f"/desk/posts/{post.id}/publish").text
    assert f'href="/desk/waiting/sandbox?post={post.id}"' in dialog
    form = pages.get(f"/desk/waiting/sandbox?post={post.id}").location
    assert form == f"/desk/settings/destinations/new/sandbox?name=sandbox&post={post.id}"
    assert "Afterwards you return to “<span" in pages.get(form).text
    done = pages.post(form, name="sandbox", settings__outcome="").location
    assert done == f"/desk/waiting/sandbox?post={post.id}"
    page = pages.get(done).text
    assert page.count("btn-go") == 1
    assert 'Back to “<span dir="auto">A map</span>”' in page
    assert "1 post waited for Sandbox. Choose which to publish." in page
    delivery = Post.get(late.id).delivery_to("sandbox")
    assert delivery is not None
    answer = pages.post(done, do="publish", listed=[delivery.id], delivery=[delivery.id])
    assert answer.location == done
    assert "waited for" not in pages.get(done).text
    assert pages.post(done, do="back").location == f"/desk/posts/{post.id}"


def test_reconnecting_from_the_status_leads_back_to_the_post(
    pages: Pages, a_post: Posts, connect_sandbox: Callable[..., None]
) -> None:
    connect_sandbox()
    with transaction():
        Connection.named("sandbox").disconnect("The token has expired.")
    post = a_post(live=True, title="A map", platforms=["site", "sandbox"])
    form = f"/desk/settings/destinations/sandbox/reconnect?post={post.id}"
    assert f'href="{form}"' in pages.get(f"/desk/posts/{post.id}/status").text
    assert "Afterwards you return to" in pages.get(form).text
    done = pages.post(form, **{"settings/outcome": "works"}).location
    assert done == f"/desk/waiting/sandbox?post={post.id}"
    assert "Sandbox is connected" in pages.get(done).text


def test_the_way_back_is_only_to_a_post_that_the_user_may_see(
    pages: Pages, browser_of: Any, somebody: Any, a_post: Posts, connect_sandbox: Callable[..., None]
) -> None:
    connect_sandbox()
    post = a_post(title="Not mine")
    assert "Back to" in pages.get(f"/desk/waiting/sandbox?post={post.id}").text
    for address in (f"/desk/waiting/sandbox?post={post.id}", "/desk/waiting/sandbox?post=%00", "/desk/waiting/sandbox"):
        page = browser_of(somebody("author", name=address[-8:])).get(address).text
        assert "Sandbox is connected" in page
        assert "Back to" not in page


def test_an_owner_chooses_which_account_a_name_means(
    pages: Pages, a_post: Posts, connect_sandbox: Callable[..., None], tools: Tools, tick: Any
) -> None:
    connect_sandbox("one")
    connect_sandbox("two")
    manage.change(Connection.named("one"), None, None, tools, [])
    post = a_post(live=True, platforms=["site", "sandbox"])
    page = pages.get("/desk/waiting/sandbox").text
    assert "Which account is “sandbox”?" in page
    assert pages.post("/desk/waiting/sandbox/account", account="two").status_code == 303
    tick()
    assert state_of(post, "two") == "delivered"


def test_an_author_cannot_connect_an_account(browser_of: Any, somebody: Any, tools: Tools, time: Time) -> None:
    ben = somebody("author", name="Ben")
    post = editing.create({"title": "Mine", "content": "Words."}, ["sandbox"], tools.now())
    with transaction():
        Post.get(post.id).author_id = ben.id
    page = browser_of(ben).get("/desk/waiting/sandbox").text
    assert "Ask an owner of this blog to connect Sandbox." in page
    assert browser_of(ben).post("/desk/waiting/sandbox/account", account="x").status_code == 403


def test_a_destination_that_nobody_knows_has_no_waiting_posts(pages: Pages) -> None:
    assert pages.get("/desk/waiting/nowhere").status_code == 404
