"""The version history of a post: versions, differences and restoring."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from blogsvc.models import Post, Revision, User, db
from blogsvc.posts import editing, publishing
from tests.api_client import Api
from tests.clock import Time
from tests.web.page_walk import Pages

Make = Callable[..., Post]


@pytest.fixture
def post(a_post: Make, time: Time) -> Post:
    """Version 1 was saved, version 2 is live, and version 3 is newer."""
    post = a_post(title="Ink", content="One line.\n\nAnother line.")
    editing.edit(post, {"content": "One line.\n\nAnother good line."}, None, time.passes(minutes=5))
    publishing.publish(post, time())
    editing.edit(post, {"title": "Ink and paper", "tags": ["craft"]}, None, time.passes(minutes=5))
    return post


def reload_post(post: Post) -> Post:
    db.session.rollback()
    db.session.expire_all()
    return Post.get(post.id)


def test_versions_are_listed_newest_first(pages: Pages, post: Post) -> None:
    page = pages.get(f"/desk/posts/{post.id}/history").text
    assert page.index("version=3") < page.index("version=2") < page.index("version=1")
    assert "Current draft" in page
    assert page.count('data-s="live"') == 1
    assert "today, 10:05" in page
    assert "5 words" in page
    assert "Select a version" in page


def test_a_version_is_compared_with_the_current_text(pages: Pages, post: Post) -> None:
    page = pages.get(f"/desk/posts/{post.id}/history?version=1").text
    assert '<ins><span class="sr" dir="ltr">[added: </span>good ' in page
    assert "<h3>Title</h3>" in page
    assert "<h3>Tags</h3>" in page
    assert "Restore version 1" in page
    assert "readers see no change until you publish" in page


def test_any_two_versions_can_be_compared(pages: Pages, post: Post) -> None:
    answer = pages.fragment(f"/desk/posts/{post.id}/history?version=2&to=1")
    assert answer.text.lstrip().startswith('<div class="history" id="history">')
    assert '<del><span class="sr" dir="ltr">[removed: </span>good ' in answer.text
    assert "Tags" not in answer.text
    assert "Restore version" not in answer.text


def test_identical_versions_are_reported_as_identical(pages: Pages, post: Post) -> None:
    page = pages.get(f"/desk/posts/{post.id}/history?version=3&to=").text
    assert "These versions are identical." in page
    assert "Restore version 3" not in page


def test_restoring_a_version_creates_a_new_one(pages: Pages, post: Post) -> None:
    answer = pages.post(f"/desk/posts/{post.id}/history", version="1", follow=True)
    assert "Version 1 is restored." in answer.text
    assert "Restored from version 1</span>" in answer.text
    post = reload_post(post)
    assert (post.title, post.tags, post.content) == ("Ink", [], "One line.\n\nAnother line.")
    assert post.revision_count == 4
    assert Revision.numbered(post.id, 3).title == "Ink and paper"
    assert post.live_revision().number == 2
    assert post.has_unpublished_changes
    again = pages.post(f"/desk/posts/{post.id}/history", version="1", follow=True)
    assert "is already the same as version 1" in again.text


def test_restoring_a_version_does_not_change_the_scheduled_revision(pages: Pages, a_post: Make, time: Time) -> None:
    post = a_post(content="First.")
    editing.edit(post, {"content": "Second."}, None, time())
    publishing.schedule(post, time() + timedelta(days=1), time())
    assert "the scheduled version doesn't change" in pages.get(f"/desk/posts/{post.id}/history?version=1").text
    pages.post(f"/desk/posts/{post.id}/history", version="1")
    post = reload_post(post)
    assert (post.state, post.content, post.live_revision().content) == ("scheduled", "First.", "Second.")
    assert "unscheduled edits" in pages.get("/desk").text


def test_a_long_history_is_paged(pages: Pages, post: Post, time: Time) -> None:
    for number in range(30):
        editing.edit(post, {"content": f"{number}"}, None, time())
    page = pages.get(f"/desk/posts/{post.id}/history").text
    assert "version=33" in page
    assert "version=8&" not in page
    page = pages.get(f"/desk/posts/{post.id}/history?before=9").text
    assert "version=8&" in page
    assert "version=9" not in page


@pytest.mark.parametrize("query", ["version=99", "version=0", "version=-1", "version=1&to=99", f"version={10**30}"])
def test_an_unknown_version_returns_404(pages: Pages, post: Post, query: str) -> None:
    assert pages.get(f"/desk/posts/{post.id}/history?{query}").status_code == 404


@pytest.mark.parametrize("query", ["version=x", "before=x", f"before={10**30}", "before=-1", "to=1"])
def test_an_invalid_query_shows_the_list(pages: Pages, post: Post, query: str) -> None:
    assert pages.get(f"/desk/posts/{post.id}/history?{query}").status_code == 200


def test_an_author_cannot_read_the_history_of_other_authors(
    post: Post, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    browser = browser_of(somebody("author", name="Bo"))
    assert browser.get(f"/desk/posts/{post.id}/history").status_code == 404
    assert browser.post(f"/desk/posts/{post.id}/history", version="1").status_code == 404


def test_hostile_text_is_escaped_in_the_history(pages: Pages, a_post: Make, time: Time) -> None:
    post = a_post(title="<script>alert(1)</script>", content="</del><script>alert(2)</script>")
    editing.edit(post, {"title": "x", "content": "</ins><img src=x onerror=alert(3)>"}, None, time())
    page = pages.get(f"/desk/posts/{post.id}/history?version=1").text
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_a_version_names_who_wrote_it_and_why(pages: Pages, api: Api, post: Post) -> None:
    pages.post(f"/desk/posts/{post.id}/draft", title="Ink", content="New", rev=reload_post(post).rev)
    api.put(f"/posts/{post.id}", content="From a script")
    page = pages.get(f"/desk/posts/{post.id}/history").text
    assert '<span>Autosaved</span></a>\n<p class="facts">\n<span><time' in page
    assert '<span dir="auto">Ann</span>' in page
    assert "<span>Saved over the API</span>" in page
    assert "API key “" in page


def test_one_paragraph_is_restored(pages: Pages, post: Post, time: Time) -> None:
    editing.edit(post, {"content": "Begin.\n\nMiddle.\n\nEnd."}, None, time())
    editing.edit(post, {"content": "Begin."}, None, time())
    page = pages.get(f"/desk/posts/{post.id}/history?version=4").text
    assert page.count("Restore paragraph") == 2
    form = {"version": "4", "line": "5", "rev": post.rev}
    answer = pages.post(f"/desk/posts/{post.id}/history", **form, follow=True)
    assert "The paragraph of version 4 is restored." in answer.text
    assert "Paragraph restored from version 4" in answer.text
    post = reload_post(post)
    assert (post.content, post.revision_count) == ("Begin.\n\nEnd.", 6)
    again = pages.post(f"/desk/posts/{post.id}/history", **form, follow=True)
    assert "The draft has changed since you opened this page." in again.text
    assert reload_post(post).revision_count == 6


def test_the_slider_finds_the_nearest_version(pages: Pages, post: Post) -> None:
    address = f"/desk/posts/{post.id}/history"
    assert 'type="range" name="near" min="1" max="3" value="3"' in pages.get(address).text
    for near, found in ((2, 2), (99, 3), (0, 1), (-5, 1), (10**30, 3)):
        answer = pages.fragment(f"{address}?near={near}")
        assert f"<h2>Version {found} " in answer.text
        assert answer.headers["HX-Replace-Url"] == f"{address}?version={found}"


def test_the_whole_text_of_a_version_is_shown(pages: Pages, post: Post) -> None:
    page = pages.get(f"/desk/posts/{post.id}/history?version=1&text=1").text
    assert '<p class="line" dir="auto">Another line.</p>' in page
    assert "<ins>" not in page
