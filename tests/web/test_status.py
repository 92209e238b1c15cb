"""The status page of a post: the status of each destination and its actions, without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from blogsvc.connections import manage
from blogsvc.connectors.base import Receipt
from blogsvc.connectors.sandbox import EXPIRED, FAILS, FAILS_ONCE, LOSES, REFUSES
from blogsvc.models import Connection, CopySearch, Delivery, ExtraCopy, Post, StagedDraft, db, transaction
from blogsvc.models.extra_copy import count_extra_copies
from blogsvc.posts import publishing
from tests.connectors.fake_wordpress import PASSWORD, SITE, USERNAME, FakeWordPress


@pytest.fixture
def sent(app: Any, tools: Any, a_post: Any, tick: Any) -> Callable[..., Post]:
    def make(outcome: str = "works", *more: str, on_site: bool = True) -> Post:
        names = []
        for number, one in enumerate((outcome, *more)):
            names.append("sandbox" if not number else f"sandbox-{number}")
            manage.connect("sandbox", names[-1], {"outcome": one}, tools)
        post: Post = a_post(live=True, platforms=[*(["site"] if on_site else []), *names])
        tick()
        return post

    return make


def status(pages: Any, post: Post) -> str:
    answer = pages.get(f"/desk/posts/{post.id}/status")
    assert answer.status_code == 200
    return str(answer.text)


def fragment(pages: Any, post: Post, where: str = "page") -> str:
    return str(pages.fragment(f"/desk/posts/{post.id}/status?where={where}").text)


def act(pages: Any, path: str, **form: Any) -> Any:
    answer = pages.post(path, **form)
    db.session.rollback()
    db.session.expire_all()
    return answer


def copy(post: Post, name: str = "sandbox") -> Delivery:
    found = post.delivery_to(name)
    assert found is not None
    return found


def test_a_published_copy_shows_its_url_with_a_copy_button(pages, sent):
    text = status(pages, sent())
    assert "Live on 2 destinations" in text
    assert 'href="https://blog.example/a-post"' in text
    assert 'data-copy="https://blog.example/a-post"' in text


def test_the_note_says_what_is_still_to_be_done(pages, sent, tools):
    post = sent(FAILS, REFUSES)
    assert "Live on 1 of 3 destinations" in status(pages, post)
    assert "1 retries automatically, 1 needs you." in status(pages, post)


def test_copies_that_wait_for_an_account_are_squares_with_one_action(pages, a_post, tick):
    post = a_post(live=True, platforms=["site", "wordpress"])
    tick()
    text = status(pages, post)
    assert "Live on 1 of 2 destinations" in text
    assert "1 needs you." in text
    assert re.search(r'<li[^>]* id="copy-wordpress-page">\s*<span class="dot" data-s="open"', text)
    assert "Connect WordPress" in text


def test_a_retry_that_is_the_only_open_delivery_needs_no_action(pages, sent):
    text = status(pages, sent(FAILS))
    assert "Published, retrying Sandbox" in text
    assert "No action needed." in text


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        ([FAILS], "Published, retrying Sandbox"),
        ([FAILS, FAILS], "Published, retrying Sandbox and sandbox-1"),
        ([FAILS, FAILS, FAILS], "Published, retrying 3 destinations"),
    ],
)
def test_a_live_post_that_is_retried_is_called_published_everywhere(pages, sent, outcomes, state):
    post = sent(*outcomes)
    assert f"<h1>{state}</h1>" in re.sub(r"<h1[^>]*>\s*", "<h1>", status(pages, post))
    assert f"<span>{state}</span>" in pages.get(f"/desk/posts/{post.id}").text  # above the text
    assert f"<span>{state}</span>" in pages.get("/desk").text
    assert '<span class="sr">, published, retrying</span>' in pages.get("/desk/calendar").text


def test_a_post_that_is_live_nowhere_is_not_called_published(pages, sent):
    post = sent(FAILS, on_site=False)
    assert "<span>Publishing</span>" in pages.get("/desk").text
    assert "published, retrying" not in pages.get("/desk/calendar").text
    assert "Published, retrying" not in status(pages, post)


def test_the_page_and_the_fragment_show_the_same_list(pages, sent):
    post = sent()
    part = fragment(pages, post)
    assert part.lstrip().startswith('<section class="status in-page" id="status-page"')
    assert "<html" not in part
    assert "<html" in status(pages, post)


def test_the_status_is_polled_only_while_a_delivery_is_open(pages, sent, time, tick):
    post = sent(FAILS_ONCE)
    assert 'hx-trigger="every 2s"' in fragment(pages, post, "sheet")
    assert "Retrying at" in fragment(pages, post)
    time.passes(minutes=1)
    tick()
    assert "hx-trigger" not in fragment(pages, post, "sheet")
    assert "every" not in fragment(pages, post)
    assert "Live on 2 destinations" in fragment(pages, post)


def test_the_rest_of_the_page_reloads_when_all_deliveries_are_settled(pages, sent, time, tick):
    post = sent(FAILS_ONCE)
    address = f"/desk/posts/{post.id}/status?where=sheet&open=1"
    assert address.replace("&", "&amp;") in fragment(pages, post, "sheet")
    assert "HX-Trigger" not in pages.fragment(address).headers
    time.passes(minutes=1)
    tick()
    assert pages.fragment(address).headers["HX-Trigger"] == "postchanged"
    assert "open=1" not in fragment(pages, post, "sheet")


@pytest.mark.parametrize("where", ["page", "margin"])
def test_the_status_beside_the_publish_dialog_reloads_after_a_change(pages, a_post, where):
    assert 'hx-trigger="postchanged from:body"' in fragment(pages, a_post(), where)


def test_a_manual_retry_is_delivered_at_once(pages, sent, tick):
    post = sent(FAILS_ONCE)
    answer = act(pages, f"/desk/deliveries/{copy(post).id}/retry")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/desk/posts/{post.id}/status")
    tick()
    assert copy(post).state == "delivered"


def test_a_failed_delivery_shows_the_cause_and_one_action(pages, sent):
    text = status(pages, sent(REFUSES, EXPIRED))
    assert "Live on 1 of 3 destinations" in text
    assert "2 need you." in text
    assert "Rejected: " in text
    assert "Edit for Sandbox" in text
    assert "/desk/settings/destinations/sandbox-1/reconnect" in text


def test_all_retryable_deliveries_can_be_retried_together(pages, sent, tick):
    post = sent(FAILS_ONCE, FAILS_ONCE)
    assert "Retry 2 deliveries" in status(pages, post)
    act(pages, f"/desk/posts/{post.id}/retry")
    tick()
    assert {one.state for one in post.deliveries} == {"delivered"}


def test_an_uncertain_delivery_can_be_resolved_as_delivered(pages, sent):
    post = sent(LOSES)
    text = status(pages, post)
    assert "whether this post reached Sandbox" in text
    assert "you change and delete it on Sandbox yourself" in text
    act(pages, f"/desk/deliveries/{copy(post).id}/resolve", outcome="there", url="https://there.example/1")
    assert (copy(post).state, copy(post).url) == ("delivered", "https://there.example/1")


def test_an_uncertain_delivery_can_be_sent_again(pages, sent, tick):
    post = sent(LOSES)
    act(pages, f"/desk/deliveries/{copy(post).id}/resolve", outcome="again")
    tick()
    assert copy(post).state == "delivered"


def test_an_invalid_url_does_not_resolve_an_uncertain_delivery(pages, sent):
    post = sent(LOSES)
    answer = act(pages, f"/desk/deliveries/{copy(post).id}/resolve", outcome="there", url="javascript:alert(1)")
    assert answer.status_code == 422
    assert "Enter a URL that starts with https://" in answer.text
    assert copy(post).state == "uncertain"


def test_what_a_platform_lost_is_listed_until_it_is_dismissed(pages, sent):
    post = sent()
    with transaction():
        copy(post).record_losses(["The table is missing.", "2 of 3 images are missing."])
    text = status(pages, post)
    assert "shows the post without parts of it" in text
    assert re.search(r"<li[^>]*>The table is missing\.</li><li[^>]*>2 of 3 images are missing\.</li>", text)
    act(pages, f"/desk/deliveries/{copy(post).id}/leave")
    assert "missing" not in status(pages, post)


def test_withdrawing_one_copy_leaves_the_others(pages, sent, tick):
    post = sent()
    assert "Unpublish</button>" in status(pages, post)
    act(pages, f"/desk/deliveries/{copy(post).id}/withdraw")
    tick()
    assert copy(post).state == "withdrawn"
    assert copy(post, "site").state == "delivered"


def test_a_whole_post_can_be_unpublished(pages, sent, tick, client):
    post = sent()
    act(pages, f"/desk/posts/{post.id}/unpublish")
    assert "Unpublishing from 1 destination" in status(pages, post)
    tick()
    assert "Unpublished" in status(pages, post)
    assert client.get("/a-post").status_code in (404, 410)


def test_a_scheduled_post_shows_its_time_zone_and_can_be_unscheduled(pages, a_post, tools, time):
    post = a_post()
    publishing.schedule(post, time.passes(hours=1), tools.now())
    text = status(pages, post)
    assert "Scheduled for" in text
    assert "Europe/Berlin (UTC+1)" in text
    act(pages, f"/desk/posts/{post.id}/unschedule")
    assert post.state == "draft"


def test_a_destination_can_be_removed_from_a_scheduled_post(pages, a_post, tools, time, tick):
    for name in ("sandbox", "sandbox-2"):
        manage.connect("sandbox", name, {"outcome": "works"}, tools)
    post = a_post(platforms=["site", "sandbox", "sandbox-2"])
    publishing.schedule(post, time.passes(hours=1), tools.now())
    pinned = post.pinned_revision().id
    assert status(pages, post).count("Remove<") == 3
    answer = pages.post(f"/desk/posts/{post.id}/remove-destination", platform="sandbox-2", follow=True)
    assert "This post won&#39;t be published to sandbox-2." in answer.text
    assert "Remove<" in answer.text
    act(pages, f"/desk/posts/{post.id}/remove-destination", platform="site")
    assert (post.platforms, post.state, post.pinned_revision().id) == (["sandbox"], "scheduled", pinned)
    assert "Remove<" not in status(pages, post)
    time.passes(hours=2)
    tick()
    assert [one.destination for one in post.deliveries] == ["sandbox"]


def test_a_post_that_is_not_scheduled_any_more_keeps_its_destinations(pages, a_post, tools, time, connect):
    post = a_post(platforms=["site", connect()])
    publishing.schedule(post, time.passes(hours=1), tools.now())
    publishing.unschedule(post, time())
    answer = act(pages, f"/desk/posts/{post.id}/remove-destination", platform="hook")
    assert answer.status_code == 409
    assert post.platforms == ["site", "hook"]


def test_the_last_destination_of_a_scheduled_post_stays(pages, a_post, tools, time):
    post = a_post(platforms=["site"])
    publishing.schedule(post, time.passes(hours=1), tools.now())
    answer = act(pages, f"/desk/posts/{post.id}/remove-destination", platform="site")
    assert (answer.status_code, post.platforms) == (422, ["site"])
    assert "destination" in answer.text


def test_a_missed_post_can_be_unscheduled(pages, a_post, tools, time, tick):
    post = a_post()
    publishing.schedule(post, time.passes(hours=1), tools.now())
    time.passes(days=3)
    tick()
    text = status(pages, post)
    assert "Missed its scheduled time" in text
    act(pages, f"/desk/posts/{post.id}/unschedule")
    assert post.state == "draft"


def test_an_outdated_action_shows_an_error_above_the_list(pages, sent):
    post = sent()
    answer = act(pages, f"/desk/deliveries/{copy(post).id}/retry")
    assert answer.status_code == 409
    assert "because it is" in answer.text
    assert "Live on 2 destinations" in answer.text


def test_deliveries_of_other_authors_return_404(browser_of, somebody, sent):
    post = sent(FAILS)
    pages = browser_of(somebody("author", name="Ben"))
    for verb in ("retry", "resolve", "leave", "withdraw"):
        assert act(pages, f"/desk/deliveries/{copy(post).id}/{verb}").status_code == 404
    assert copy(post).state == "retrying"


def test_a_copy_that_the_scheduler_has_not_begun_is_queued(pages, a_post, tools, tick):
    manage.connect("sandbox", "sandbox", {"outcome": "works"}, tools)
    post = a_post(live=True, platforms=["site", "sandbox"])
    assert re.search(r'<p class="note">\s*Queued\s*</p>', status(pages, post))
    tick()
    act(pages, f"/desk/deliveries/{copy(post).id}/withdraw")
    assert "Queued to unpublish" in status(pages, post)


def test_screen_readers_hear_where_a_link_leads(pages, sent):
    text = status(pages, sent())
    assert 'View<span class="sr"> on your blog</span>' in text
    assert 'Copy link</span><span class="sr"> on your blog</span>' in text


def test_the_question_names_what_is_removed_and_what_stays(pages, sent):
    text = status(pages, sent())
    assert 'data-confirm="Remove this post from your blog? Copies elsewhere stay."' in text
    assert 'data-confirm="Remove this post from Sandbox? Copies elsewhere stay."' in text


def test_unpublished_edits_are_mentioned(pages, sent, tools):
    post = sent()
    with transaction():
        Post.get(post.id).has_unpublished_changes = True
    assert "Newer edits aren't published." in status(pages, post)


def test_every_button_has_a_unique_id(pages, sent):
    text = fragment(pages, sent(FAILS, LOSES, REFUSES))
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert all(' id="' in tag for tag in re.findall(r"<button[^>]*>", text))


@pytest.fixture
def duplicated(sent, tools):
    post = sent()
    with transaction():
        CopySearch.begin(copy(post), tools.now())
        ExtraCopy.record(copy(post), Receipt("c2", "https://there.example/2"), tools.now())
        count_extra_copies(copy(post))
    return post


def test_an_extra_copy_is_shown_and_removed_with_one_click(pages, duplicated):
    assert 'An extra copy is on Sandbox, because a request arrived late: <a href="https://there.example/2"' in status(
        pages, duplicated
    )
    act(pages, f"/desk/deliveries/{copy(duplicated).id}/extra-copies")
    assert "Removing…" in status(pages, duplicated)


def test_an_extra_copy_can_be_kept(pages, duplicated):
    act(pages, f"/desk/deliveries/{copy(duplicated).id}/extra-copies", do="keep")
    assert "extra copy" not in status(pages, duplicated)


def test_extra_copies_are_removed_from_the_dashboard(pages, duplicated):
    assert "1 post was published to Sandbox more than once" in pages.get("/desk").text
    act(pages, "/desk/needs", do="remove", kind="duplicated", platform="sandbox", code="")
    assert "Removing…" in status(pages, duplicated)


@pytest.fixture
def on_wordpress(outside, a_post, tools, tick):
    FakeWordPress(outside)
    manage.connect("wordpress", "wordpress", {"url": SITE, "username": USERNAME, "password": PASSWORD}, tools)
    post = a_post(live=True, platforms=["site", "wordpress"])
    tick()
    return post


def test_unpublishing_keeps_a_draft_that_can_be_deleted(pages, on_wordpress, tick):
    path = f"/desk/deliveries/{copy(on_wordpress, 'wordpress').id}/withdraw"
    assert "Delete copy" in status(pages, on_wordpress)
    assert "Unpublish and delete copies" in status(pages, on_wordpress)
    act(pages, path)
    tick()
    text = status(pages, on_wordpress)
    assert "Unpublished. WordPress keeps a draft, with its comments and figures." in text
    assert "Delete draft" in text
    act(pages, path, do="delete")
    tick()
    assert not copy(on_wordpress, "wordpress").is_draft
    assert "keeps a draft" not in status(pages, on_wordpress)


def test_a_post_is_unpublished_and_its_copies_are_deleted(pages, on_wordpress, tick):
    act(pages, f"/desk/posts/{on_wordpress.id}/unpublish", do="delete")
    tick()
    gone = copy(on_wordpress, "wordpress")
    assert (gone.state, gone.is_draft, on_wordpress.state) == ("withdrawn", False, "unpublished")


def test_a_copy_without_drafts_is_only_unpublished(pages, sent):
    assert "Delete copy" not in status(pages, sent())


def test_a_copy_that_was_edited_there_is_kept_or_unpublished_all_the_same(pages, on_wordpress, outside, tick):
    one = copy(on_wordpress, "wordpress")
    with transaction():
        copy(on_wordpress, "wordpress").version = "another"
    act(pages, f"/desk/deliveries/{one.id}/withdraw")
    tick()
    text = status(pages, on_wordpress)
    assert "Edited on WordPress, so the copy wasn&#39;t unpublished" in text
    assert "Unpublish anyway" in text
    assert "1 copy was edited on WordPress and not unpublished." in pages.get("/desk").text
    act(pages, f"/desk/deliveries/{one.id}/leave")
    assert copy(on_wordpress, "wordpress").state == "delivered"


def test_each_rejected_draft_of_a_scheduled_post_has_an_action_with_its_own_id(pages, a_post, tools):
    names = ["sandbox", "sandbox-2"]
    for name in names:
        manage.connect("sandbox", name, {"outcome": "works"}, tools)
    post = publishing.schedule(a_post(platforms=names), tools.now() + timedelta(hours=1), tools.now())
    with transaction():
        for name in names:
            draft = StagedDraft.new(post, Connection.named(name), tools.now())
            draft.revision_id = post.live_revision_id
            draft.end_attempt("failed", None, "rejected", "The title is too long.")
    text = status(pages, post)
    assert text.count("The title is too long.") == 2
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert sorted(ids) == sorted(set(ids))
