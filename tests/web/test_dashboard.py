"""The dashboard: contents, permissions, search and attention."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from blogsvc.context import Tools
from blogsvc.models import Connection, Delivery, ImportJob, Post, User, db, transaction
from blogsvc.models.setting import heartbeat
from blogsvc.posts import clock_jumps, editing, publishing
from tests.clock import Time
from tests.outside import Outside
from tests.web.page_walk import Pages
from tests.web.test_import_export import IMPORT, a_zip, send

Make = Callable[..., Post]
PAYLOADS = Path(__file__).parent.parent / "payloads"
NAME = re.compile(r'<p class="name"><a href="/desk/posts/[^"]+"[^>]*>(.*?)</a>', re.DOTALL)


def names(page: str) -> list[str]:
    return [unescape(re.sub(r"<[^>]+>", "", name)).strip() for name in NAME.findall(page)]


@pytest.fixture
def some_posts(a_post: Make, time: Time) -> None:
    a_post(title="A draft", tags=["craft"])
    publishing.schedule(a_post(title="In time", tags=["web"]), time() + timedelta(days=1), time())
    a_post(live=True, title="Live", content="Of blue pencils.")


def test_an_empty_dashboard_invites_to_write_the_first_post(pages: Pages) -> None:
    page = pages.get("/desk").text
    assert "Your first post starts here." in page
    assert "Write your first post" in page
    assert 'role="search"' not in page


def test_a_dashboard_that_is_shown_again_has_what_changed_since(pages: Pages, some_posts: None, time: Time) -> None:
    page = pages.get("/desk").text
    assert "tomorrow, 10:00" in page
    with transaction():
        db.session.scalars(select(Post).where(Post.title == "A draft")).one().title = "A renamed draft"
        db.session.scalars(select(User)).one().name = "Another name"
    time.passes(days=1)
    page = pages.get("/desk").text
    assert names(page)[0] == "A renamed draft"
    assert "Another name" in page
    assert "today, 10:00" in page


def test_the_dashboard_shows_drafts_scheduled_and_published_posts(pages: Pages, some_posts: None) -> None:
    page = pages.get("/desk").text
    assert names(page) == ["A draft", "In time", "Live"]
    assert page.index("Drafts</h2>") < page.index("Scheduled</h2>") < page.index("Published</h2>")
    assert "tomorrow, 10:00" in page, "nine in UTC is ten in Berlin"
    assert "Times in Europe/Berlin" in page
    assert "This blog" in page
    assert "Needs attention" not in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("in=drafts", ["A draft"]),
        ("in=scheduled", ["In time"]),
        ("in=published", ["Live"]),
        ("q=penc", ["Live"]),
        ("q=penc&in=drafts", []),
        ("tag=web", ["In time"]),
        ("in=nonsense", ["A draft", "In time", "Live"]),
        ("after=%00&in=drafts", ["A draft"]),
        ("q=%00", ["A draft", "In time", "Live"]),
        ("tag=%00&by=%00&to=%00", ["A draft", "In time", "Live"]),
        ("to=site", ["Live", "In time", "A draft"]),
        ("to=nowhere", []),
        ("q=" + "x" * 3000, []),
    ],
)
def test_the_dashboard_is_filtered_by_its_query_string(
    pages: Pages, some_posts: None, query: str, found: list[str]
) -> None:
    answer = pages.get(f"/desk?{query}")
    assert answer.status_code == 200
    assert names(answer.text) == found


def test_search_results_show_the_matching_words_in_their_context(pages: Pages, a_post: Make) -> None:
    a_post(
        title="On blue", content=f"{'Much before. ' * 30}Of **blue** [pencils](https://x.example/blue) & <b>ink</b>."
    )
    page = pages.get("/desk?q=blue").text
    assert "On <mark>blue</mark></a>" in page
    assert "before. Of <mark>blue</mark> pencils &amp; ink ." in page


def test_searching_returns_only_the_list_and_updates_the_url(pages: Pages, some_posts: None) -> None:
    answer = pages.fragment("/desk?q=blue+pencils&tag=&by=")
    assert answer.text.lstrip().startswith('<div id="posts">')
    assert names(answer.text) == ["Live"]
    assert "1 post found" in answer.text
    assert answer.headers["HX-Replace-Url"] == "/desk?q=blue+pencils"


def test_a_search_without_results_offers_to_clear_it(pages: Pages, some_posts: None) -> None:
    page = pages.get("/desk?q=giraffes").text
    assert "No posts match your search." in page
    assert "Clear search" in page
    assert 'value="giraffes"' in page


def test_a_long_list_is_paged_with_each_post_once(pages: Pages, a_post: Make, time: Time) -> None:
    for number in range(65):
        a_post(title=f"Post {number}")
        time.passes(seconds=1)
    address, seen = "/desk?in=drafts", []
    while address:
        page = pages.get(address).text
        seen += names(page)
        following = re.search(r'rel="next" href="([^"]+)"', page)
        address = unescape(following[1]) if following else ""
    assert seen == [f"Post {number}" for number in reversed(range(65))]
    assert 'href="/desk?in=drafts">All 65 drafts' in pages.get("/desk").text


def test_a_post_without_a_title_is_named_after_its_first_words(pages: Pages, a_post: Make) -> None:
    a_post(title="", content="# It was a night\n\nDark and stormy.")
    a_post(title="", content="\n")
    page = pages.get("/desk?in=drafts").text
    assert names(page) == ["Untitled", "Untitled It was a night Dark and stormy."]


def test_an_author_sees_only_their_own_posts(
    a_post: Make, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    author = somebody("author", name="Bo")
    theirs, _ = a_post(title="Bo's", tags=["mine"]), a_post(title="Ann's", tags=["secret"])
    with transaction():
        theirs.author_id = author.id
    page = browser_of(author).get("/desk").text
    assert names(page) == ["Bo's"]
    assert "secret" not in page
    assert 'aria-label="Author"' not in page


def test_an_editor_can_filter_posts_by_author(
    a_post: Make, pages: Pages, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    editor = somebody("editor", name="Bo")
    theirs, _ = a_post(title="Bo's"), a_post(title="Nobody's")
    with transaction():
        theirs.author_id = editor.id
    browser = browser_of(editor)
    assert names(browser.get(f"/desk?by={editor.id}").text) == ["Bo's"]
    assert 'aria-label="Author"' in browser.get("/desk").text


def test_unpublished_edits_are_indicated(pages: Pages, a_post: Make, time: Time) -> None:
    post = a_post(live=True)
    editing.edit(post, {"content": "Newer."}, None, time())
    assert "unpublished edits" in pages.get("/desk").text


def texts() -> list[str]:
    odd = json.loads((PAYLOADS / "texts.json").read_text())
    return [*odd.values(), *(PAYLOADS / "scripts.txt").read_text().splitlines()]


def test_hostile_titles_are_escaped_and_do_not_break_the_page(pages: Pages, a_post: Make) -> None:
    wanted = [text[:300] for text in texts() if text.strip()]
    for title in wanted:
        a_post(title=title, tags=[title[:50]] if title[:50].strip() else [])
    seen: list[str] = []
    address = "/desk?in=drafts"
    while address:
        page = pages.get(address).text
        assert "<script>" not in page.replace("<script defer", "").replace('<script type="module"', "")
        seen += names(page)
        following = re.search(r'rel="next" href="([^"]+)"', page)
        address = unescape(following[1]) if following else ""
    assert len(seen) == len(wanted)
    assert {" ".join(title.split()) for title in wanted} == {" ".join(title.split()) for title in seen}


# --- next steps ---


SUGGESTED = {"/desk/settings/destinations": "Connect a destination", "/desk/settings/import": "Import your blog"}


def suggested(page: str) -> dict[str, str]:
    """Return the next steps on a page, by address."""
    section = page.partition('<section class="next"')[2].partition("</section>")[0]
    return dict(re.findall(r'<a class="btn" href="([^"]+)">.*?</svg>([^<]+)</a>', section))


def begin_import(pages: Pages, tick: Callable[[], None]) -> None:
    send(pages, a_zip("Ferry"))
    tick()
    pages.post(f"{IMPORT}/{ImportJob.latest()[0].id}/begin", taken="skip")


def test_a_new_blog_suggests_its_next_steps_below_the_posts(pages: Pages, some_posts: None) -> None:
    page = pages.get("/desk").text
    assert suggested(page) == SUGGESTED
    assert page.index(">Live</a>") < page.index('<h2 class="sr" id="next">Next steps</h2>')


def test_next_steps_are_suggested_before_the_first_post_too(pages: Pages) -> None:
    assert suggested(pages.get("/desk").text) == SUGGESTED


def test_a_next_step_is_suggested_until_it_is_done(
    pages: Pages, connect: Callable[..., str], tick: Callable[[], None]
) -> None:
    connect()
    assert list(suggested(pages.get("/desk").text).values()) == ["Import your blog"]
    begin_import(pages, tick)
    assert "Next steps" not in pages.get("/desk").text


def test_a_file_that_is_only_reviewed_leaves_the_import_suggested(pages: Pages, tick: Callable[[], None]) -> None:
    send(pages, a_zip("Ferry"))
    tick()
    assert suggested(pages.get("/desk").text) == SUGGESTED


def test_hidden_suggestions_stay_hidden_for_this_user_only(
    pages: Pages, owner: User, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    assert "Hide these suggestions" in pages.get("/desk").text
    answer = pages.post("/desk/next-steps/hide", follow=True)
    assert "Suggestions hidden." in answer.text
    assert "Next steps" not in answer.text
    assert "Next steps" not in browser_of(owner).get("/desk").text, "in another browser"
    assert suggested(browser_of(somebody("owner", name="Bo")).get("/desk").text) == SUGGESTED


def test_only_owners_get_suggestions(somebody: Callable[..., User], browser_of: Callable[[User], Pages]) -> None:
    browser = browser_of(somebody("editor", name="Bo"))
    assert "Next steps" not in browser.get("/desk").text
    assert browser.post("/desk/next-steps/hide").status_code == 403


@pytest.mark.parametrize("query", ["in=drafts", "q=draft", "tag=web"])
def test_a_filtered_dashboard_suggests_nothing(pages: Pages, some_posts: None, query: str) -> None:
    assert "Next steps" not in pages.get(f"/desk?{query}").text


# --- attention ---


@pytest.fixture
def failing(a_post: Make, connect: Callable[..., str], outside: Outside, tick: Callable[[], None]) -> Any:
    """Return a function that publishes posts to a platform that returns this status."""

    def make(status: int, count: int = 1, **words: Any) -> list[Post]:
        if not db.session.scalar(select(Connection.id)):
            connect()
        outside.always(status=status)
        posts = [a_post(live=True, platforms=["hook"], **words) for _ in range(count)]
        tick()
        return posts

    return make


def states(posts: list[Post]) -> set[str]:
    db.session.rollback()
    db.session.expire_all()
    query = select(Delivery.state).where(Delivery.post_id.in_([post.id for post in posts]))
    return set(db.session.scalars(query))


def test_failures_with_one_cause_are_retried_with_one_click(
    pages: Pages, failing: Any, outside: Outside, tick: Callable[[], None]
) -> None:
    posts = failing(422, 7)
    page = pages.get("/desk").text
    assert "hook rejected 7 posts." in page
    assert page.count("Retry 7 posts") == 1
    outside.always(status=200)
    answer = pages.post("/desk/needs", kind="failed", platform="hook", code="rejected", do="retry", follow=True)
    assert "7 posts queued for retry." in answer.text
    tick()
    assert states(posts) == {"delivered"}
    assert "Needs attention" not in pages.get("/desk").text


def test_one_rejected_post_is_edited_first_and_has_other_choices(pages: Pages, failing: Any) -> None:
    (post,) = failing(422)
    page = pages.get("/desk").text
    assert f'<a class="btn" href="/desk/posts/{post.id}?as=hook">Edit for hook</a>' in page
    others = page.partition("Other choices")[2].partition("</details>")[0]
    assert "Retry" in others
    assert "Dismiss" in others


def test_attention_is_grouped_by_destination_with_problems_before_what_waits(
    pages: Pages, failing: Any, a_post: Make
) -> None:
    failing(422)
    a_post(live=True, platforms=["site", "ghost"])
    page = pages.get("/desk").text
    assert "2 tasks on 2 destinations. Squares need you, diamonds are problems." in page
    headings = re.findall(r'<h3 class="marked dest-name">.*?<span>(\S+) <span', page, re.S)
    assert headings == ["Webhook", "Ghost"]
    assert "platforms.svg" in page


def test_a_filtered_list_summarizes_attention_in_one_line(pages: Pages, failing: Any) -> None:
    failing(422)
    page = pages.get("/desk?in=drafts").text
    assert "1 task needs attention" in page
    assert "rejected 1 post" not in page


def test_failed_deliveries_can_be_dismissed(pages: Pages, failing: Any) -> None:
    posts = failing(422)
    assert "hook rejected 1 post." in pages.get("/desk").text
    pages.post("/desk/needs", kind="failed", platform="hook", code="rejected", do="leave")
    assert states(posts) == {"withdrawn"}


def test_a_disconnected_connection_asks_an_owner_to_reconnect(
    pages: Pages, failing: Any, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    failing(401, 3)
    page = pages.get("/desk").text
    assert "hook is disconnected." in page
    assert "3 deliveries are waiting" in page
    assert 'href="/desk/settings/destinations/hook/reconnect">Reconnect hook</a>' in page
    page = browser_of(somebody("editor", name="Bo")).get("/desk").text
    assert "Ask an owner of this blog to reconnect this destination." in page
    assert "hook is disconnected." in page
    assert "/desk/settings/destinations" not in page.partition('id="needs"')[2]


def test_a_removed_connection_is_named_in_attention(pages: Pages, failing: Any, time: Time) -> None:
    failing(422)
    with transaction():
        db.session.delete(Connection.named("hook"))
    page = pages.get("/desk").text
    assert "hook is no longer connected." in page
    assert "Connect a destination" in page.partition('id="needs"')[2].partition("</section>")[0]
    assert "Retry" not in page


@pytest.mark.parametrize(("does", "state"), [("there", "delivered"), ("again", "queued")])
def test_uncertain_deliveries_are_resolved_one_by_one(
    pages: Pages, failing: Any, time: Time, does: str, state: str
) -> None:
    (post,) = failing(422)
    with transaction():
        delivery = post.deliveries[0]
        delivery.postpone("uncertain", None, "uncertain", "No answer came.", time())
    page = pages.get("/desk").text
    assert "We can&#39;t tell whether “A post” reached hook." in page
    given = {"kind": "uncertain", "platform": "hook", "code": "uncertain", "delivery": delivery.id}
    pages.post("/desk/needs", do=does, **given)
    assert states([post]) == {state}


def test_an_edited_copy_can_be_overwritten_or_dismissed(pages: Pages, failing: Any) -> None:
    (post,) = failing(200)
    with transaction():
        post.deliveries[0].record_drift("edited")
    page = pages.get("/desk").text
    assert "1 copy was edited on hook." in page
    assert "Overwrite copy" in page
    pages.post("/desk/needs", kind="edited", platform="hook", code="", do="leave")
    assert "Needs attention" not in pages.get("/desk").text


def test_a_copy_that_lost_something_is_told_until_it_is_dismissed(pages: Pages, failing: Any) -> None:
    (post,) = failing(200)
    with transaction():
        post.deliveries[0].record_losses(["The table is missing."])
    page = pages.get("/desk").text
    assert "hook shows 1 post without parts of it." in page
    assert "The table is missing." in page
    pages.post("/desk/needs", kind="degraded", platform="hook", code="", do="leave")
    assert "Needs attention" not in pages.get("/desk").text


def test_an_author_cannot_resolve_deliveries_of_other_authors(
    failing: Any, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    (post,) = failing(422)
    browser = browser_of(somebody("author", name="Bo"))
    given = {"kind": "failed", "platform": "hook", "code": "rejected", "do": "retry"}
    assert "Needs attention" not in browser.get("/desk").text
    browser.post("/desk/needs", **given)
    answer = browser.post("/desk/needs", delivery=post.deliveries[0].id, follow=True, **given)
    assert "1 failed" in answer.text
    assert states([post]) == {"failed"}


@pytest.mark.parametrize(
    "given", [{}, {"do": "retry"}, {"do": "explode", "kind": "failed"}, {"do": "retry", "kind": "x"}]
)
def test_an_unknown_attention_action_changes_nothing(pages: Pages, given: dict[str, str]) -> None:
    assert "Nothing was changed" in pages.post("/desk/needs", follow=True, **given).text


@pytest.fixture
def missed(a_post: Make, time: Time, tick: Callable[[], None]) -> list[Post]:
    posts = [a_post(title=f"Missed {n}") for n in range(3)]
    for post in posts:
        publishing.schedule(post, time() + timedelta(hours=1), time())
    time.passes(days=3)
    tick()
    return posts


@pytest.mark.parametrize(("does", "state"), [("now", "published"), ("drop", "draft")])
def test_missed_posts_can_be_published_or_unscheduled_together(
    pages: Pages, missed: list[Post], does: str, state: str, tick: Callable[[], None]
) -> None:
    assert "3 scheduled posts were not published, because the server wasn't running." in pages.get("/desk").text
    pages.post("/desk/needs/missed", do=does)
    tick()
    assert {Post.get(post.id).state for post in missed} == {state}
    assert "Needs attention" not in pages.get("/desk").text


def test_missed_posts_can_be_rescheduled(pages: Pages, missed: list[Post]) -> None:
    answer = pages.post("/desk/needs/missed", do="later")
    assert answer.status_code == 303
    assert "Schedule 3 posts" in pages.get(answer.headers["Location"]).text


def test_a_system_time_that_was_set_is_shown(pages: Pages, a_post: Make, time: Time, tools: Tools) -> None:
    publishing.schedule(a_post(), time() + timedelta(hours=1), time())
    time.passes(hours=48)
    clock_jumps.note_jump(timedelta(hours=48), tools.clocks())
    page = pages.get("/desk").text
    assert "1 scheduled post was not published.</p>" in page
    assert "The server clock was set ahead by 48 hours" in page
    assert "Check the time of the server." in page


def test_a_stalled_scheduler_is_shown_first(pages: Pages, time: Time) -> None:
    with transaction():
        heartbeat(time())
    assert "Needs attention" not in pages.get("/desk").text
    time.passes(minutes=5)
    assert "The scheduler hasn't run since" in pages.get("/desk").text


def test_pages_have_a_list_of_their_own(pages: Pages, a_post: Callable[..., Post]) -> None:
    a_post(title="Words")
    assert "No pages yet." in pages.get("/desk?in=pages").text
    answer = pages.post("/desk/posts", title="About", kind="page")
    post = Post.get(answer.headers["Location"].rpartition("/")[2])
    assert (post.title, post.kind, post.platforms) == ("About", "page", ["site"])

    listed = pages.get("/desk?in=pages").text
    assert 'dir="auto">About</a>' in re.sub(r"\s+", " ", listed)
    assert "<span>Page</span>" in listed
    assert "Words" not in listed
