"""The page on which a person posts, updates and deletes a copy by hand, and enters its link."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import html5lib
import pytest

from blogsvc.connections import manage
from blogsvc.errors import Busy
from blogsvc.media import images
from blogsvc.models import Delivery, Post, Setting, User, db, transaction
from blogsvc.posts import editing, publishing, trash
from tests.clock import Time
from tests.html_safety import dangers
from tests.images import png
from tests.outside import Outside
from tests.web.page_walk import Pages

LINK = "https://medium.com/@ann/a-post-1"
Publish = Callable[..., Post]
LONG = "A map of the harbour, drawn from memory: what a tide table from 1924 still gets right"


@pytest.fixture(autouse=True)
def publishing_at_once(app: Any) -> None:
    with transaction():
        Setting.write("undo_seconds", 0)


@pytest.fixture
def publish(a_post: Callable[..., Post], tick: Callable[[], None]) -> Publish:
    """Publish a post on this blog and on platforms by hand, Medium by default. Its copies are ready afterwards."""

    def make(*platforms: str, **words: Any) -> Post:
        post = a_post(live=True, platforms=["site", *(platforms or ("medium",))], **words)
        tick()
        return post

    return make


def copy_of(post: Post, name: str = "medium") -> Delivery:
    """Return the delivery as it is stored now."""
    db.session.rollback()
    db.session.expire_all()
    delivery = db.session.get_one(Post, post.id).delivery_to(name)
    assert delivery is not None
    return delivery


def address(post: Post, name: str = "medium") -> str:
    return f"/desk/deliveries/{copy_of(post, name).id}/hand-over"


def text_of(page: str) -> str:
    """Return the words of a page, in one line."""
    body = re.sub(r"<template.*?</template>|<svg.*?</svg>", "", page.partition("<main")[2], flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split()).replace(" .", ".").replace(" ,", ",")


def revision_on(page: str) -> str:
    found = re.search(r'name="revision" value="([^"]+)"', page)
    assert found, page
    return found[1]


def report(pages: Pages, post: Post, outcome: str, name: str = "medium", **fields: Any) -> Any:
    """Send the form of the page, with the revision that the page shows."""
    page = pages.get(address(post, name)).text
    if 'name="revision"' in page:
        fields = {"revision": revision_on(page), **fields}
    return pages.post(address(post, name), outcome=outcome, **fields)


class TestReady:
    def test_an_article_has_three_steps_without_images(self, pages: Pages, publish: Publish) -> None:
        text = text_of(pages.get(address(publish())).text)
        assert "Ready to post on Medium" in text
        assert "Due today, 10:00. Medium has no API for new accounts, so you post it in three steps." in text
        for step in ("1. Copy the text", "2. Paste and publish on Medium", "3. Enter the link"):
            assert step in text
        assert "4." not in text
        assert "Title 6 of 100 characters" in text
        assert "Text 6 words, no limit" in text
        assert "“Remind me tomorrow” asks again on Wed 25 Nov, 10:00 (Europe/Berlin)." in text
        assert "“Not this one” removes Medium from this post. Nothing else changes." in text

    def test_the_images_are_a_step_of_their_own(self, pages: Pages, publish: Publish, tools: Any) -> None:
        image = images.add(png(640, 480), "harbour map.png", "A <b>harbour</b>", tools)
        away = "![Elsewhere](https://pictures.example/quay.png)"
        post = publish(content=f"A map.\n\n![A harbour]({image.path})\n\n{away}\n\n![A harbour]({image.path})")
        page = pages.get(address(post)).text
        text = text_of(page)
        assert "so you post it in four steps" in text
        assert "2. Copy or download 2 images" in text
        assert "harbour map.png, 640 by 480," in text
        assert "quay.png, from pictures.example" in text
        assert f'<a class="btn btn-small btn-bare" href="{image.path}" download>' in page
        assert page.count('data-copies="image"') == 1

    def test_the_text_is_shown_as_it_is_copied(self, pages: Pages, publish: Publish) -> None:
        page = pages.get(address(publish(title="A <map>", content="## Part\n\nSome *words*.", tags=["maps"]))).text
        assert '<p><strong>A &lt;map&gt;</strong></p>\n<h2 id="in-part">Part</h2>' in page
        assert "<p>Some <em>words</em>.</p>" in page
        assert "Tags</dt><dd>1 of 5: maps" in page
        assert "## Part" in page.partition("<textarea")[2]
        assert 'data-value="https://blog.example/a-map"' in page

    def test_the_plain_text_has_paragraphs_and_marks_in_lists_that_are_no_words(
        self, pages: Pages, publish: Publish
    ) -> None:
        page = pages.get(address(publish(title="A map", content="First:\n\n1. a\n2. b\n\nThen."))).text
        plain = unescape(page.partition('<template id="plain">')[2].partition("</template>")[0])
        assert plain.startswith("A map\n\nFirst:\n\n1. a\n2. b\n\nThen.")
        assert "Text 8 words" in text_of(page)

    def test_medium_can_import_the_post_from_its_link(self, pages: Pages, publish: Publish) -> None:
        post = publish("medium", "substack")
        assert 'href="https://medium.com/p/import"' in pages.get(address(post)).text
        assert "Import from link" not in pages.get(address(post, "substack")).text

    def test_hostile_words_do_nothing(self, pages: Pages, publish: Publish) -> None:
        hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)> </textarea></template>{{ 7*7 }}'
        post = publish("medium", "x", "hackernews", title=hostile, content=f"{hostile}\n\n[a](javascript:alert(1))")
        for name in ("medium", "x", "hackernews"):
            page = pages.get(address(post, name)).text
            tree = html5lib.parse(page, namespaceHTMLElements=False)
            attributes = {str(key): value for element in tree.iter() for key, value in element.attrib.items()}
            assert [key for key in attributes if key.startswith("on")] == []
            assert all(element.get("src", "").startswith("/static/") for element in tree.iter("script"))
            assert "javascript:" not in str([element.get("href") for element in tree.iter("a")])
            assert hostile in "".join(tree.itertext())
            rich_text = re.search(r'<div class="rich-text".*?</p>(.*?)</div>\n<template', page, re.DOTALL)
            assert (rich_text is None) is (name != "medium")
            assert rich_text is None or dangers(rich_text[1]) == []

    def test_a_link_platform_checks_the_title(self, pages: Pages, publish: Publish) -> None:
        page = pages.get(address(publish("hackernews", title=LONG), "hackernews")).text
        text = text_of(page)
        assert "Ready to post on Hacker News" in text
        assert "Hacker News has no API for publishing. The form opens with the title and the link filled in." in text
        assert "85 of 80 characters. Remove 5, or Hacker News rejects it." in text
        assert 'aria-invalid="true"' in page
        assert "news.ycombinator.com/submitlink?u=https%3A%2F%2Fblog.example%2F" in page
        assert "Copy text and open" not in text

    def test_a_text_platform_counts_as_the_platform_does(self, pages: Pages, publish: Publish) -> None:
        page = pages.get(address(publish("x", title="A post"), "x")).text
        assert "1. Check the text" in text_of(page)
        words = re.search(r"<textarea[^>]*data-words[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
        assert words is not None
        assert "https://blog.example/a-post" in words[1]
        expected = len(words[1].replace("https://blog.example/a-post", "")) + 23
        assert f"{expected} of 280 characters" in page

    def test_a_platform_whose_form_has_no_text_copies_it_first(self, pages: Pages, publish: Publish) -> None:
        text = text_of(pages.get(address(publish("facebook"), "facebook")).text)
        assert "Copy text and open Facebook" in text
        assert "The form opens with the link filled in." in text

    def test_the_users_own_editor_is_opened(self, pages: Pages, publish: Publish, tools: Any) -> None:
        post = publish()
        row = manage.connection_named("medium")
        manage.change(row, None, {"editor": "https://write.example/new?t={title}"}, tools)
        assert 'href="https://write.example/new?t=A%20post"' in pages.get(address(post)).text

    def test_the_logo_of_the_platform_is_shown(self, pages: Pages, publish: Publish) -> None:
        post = publish("medium", "hackernews", "linkedin")
        assert "platforms.svg" in pages.get(address(post)).text
        assert "#hackernews" in pages.get(address(post, "hackernews")).text
        assert 'class="mark tile"' in pages.get(address(post, "linkedin")).text


class TestPosted:
    def test_the_link_is_checked_and_completes_the_delivery(
        self, pages: Pages, publish: Publish, outside: Outside, owner: User
    ) -> None:
        outside.teach("GET", LINK, status=200)
        post = publish()
        answer = report(pages, post, "delivered", url=f" {LINK} ")
        assert (answer.status_code, answer.location) == (303, f"{address(post)}?link=works")
        copy = copy_of(post)
        assert (copy.state, copy.url, copy.extra) == ("delivered", LINK, {"by": "Ann"})
        text = text_of(pages.get(answer.location).text)
        assert "Live on Medium" in text
        assert "Posted by hand by Ann, today, 10:00. The link works." in text

    def test_a_platform_that_refuses_servers_proves_nothing(
        self, pages: Pages, publish: Publish, outside: Outside
    ) -> None:
        outside.teach("GET", LINK, status=403)
        answer = report(pages, publish(), "delivered", url=LINK)
        text = text_of(pages.get(answer.location).text)
        assert "The link works" not in text
        assert "Medium didn't let us check the link." in text

    def test_a_platform_that_is_slow_proves_nothing(self, pages: Pages, publish: Publish, outside: Outside) -> None:
        outside.teach("GET", LINK, failure="hangs")
        assert report(pages, publish(), "delivered", url=LINK).location.endswith("?link=unknown")

    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("", "Enter the link of the story on Medium."),
            ("medium.com/@ann", "Enter a link that starts with https://"),
            ("javascript:alert(1)", "Enter a link that starts with https://"),
            ("https://a b.example/", "Enter a link that starts with https://"),
            ("https://medium.com/\0", "Enter a link that starts with https://"),
        ],
    )
    def test_an_error_is_shown_at_the_field_and_nothing_is_lost(
        self, pages: Pages, publish: Publish, url: str, said: str
    ) -> None:
        post = publish("hackernews", "medium")
        answer = report(pages, post, "delivered", url=url, step=["1", "2"])
        assert answer.status_code == 422
        assert f'<p class="err" id="url-fault">{said}</p>' in answer.text
        assert re.search(
            r'<input id="url"[^>]*aria-describedby="url-fault url-help" aria-invalid="true" autofocus', answer.text
        )
        assert answer.text.count("checked") == 2
        assert copy_of(post).state == "awaiting_hand"
        answer = report(pages, post, "delivered", "hackernews", url="nowhere", title="A shorter\r\ntitle", step=["1"])
        assert 'value="nowhere"' in answer.text
        assert "A shorter\ntitle</textarea>" in answer.text
        assert "15 of 80 characters" in answer.text

    def test_a_link_that_does_not_open_can_be_saved_anyway(
        self, pages: Pages, publish: Publish, outside: Outside
    ) -> None:
        outside.teach("GET", LINK, status=404)
        post = publish()
        answer = report(pages, post, "delivered", url=LINK)
        assert answer.status_code == 422
        assert "This link doesn't open. Check it, or save it anyway." in unescape(answer.text)
        assert f'name="anyway" value="{LINK}">Save anyway</button>' in answer.text
        assert copy_of(post).state == "awaiting_hand"
        answer = pages.post(address(post), url=LINK, anyway=LINK, revision=revision_on(answer.text))
        assert (answer.status_code, answer.location) == (303, address(post))
        assert copy_of(post).url == LINK
        assert "The link works" not in pages.get(answer.location).text

    def test_a_link_on_another_site_can_be_saved_anyway(self, pages: Pages, publish: Publish, outside: Outside) -> None:
        post, url = publish(), "https://essays.example/a"
        answer = report(pages, post, "delivered", url=url)
        assert (answer.status_code, outside.requests) == (422, [])
        assert "This link isn't on medium.com. Save it anyway?" in unescape(answer.text)
        other = pages.post(address(post), url=f"{url}2", anyway=url)
        assert other.status_code == 422, "a different link is checked again"
        assert pages.post(address(post), url=url, anyway=url).status_code == 303
        assert copy_of(post).url == url

    def test_the_link_can_be_changed_later(self, pages: Pages, publish: Publish, outside: Outside) -> None:
        outside.teach("GET", "https://medium.com/*", status=200)
        post = publish()
        report(pages, post, "delivered", url=LINK)
        page = pages.get(f"{address(post)}?change=link").text
        assert f'value="{LINK}"' in page
        assert "Save link" in page
        answer = pages.post(address(post), outcome="delivered", url="nowhere")
        assert (answer.status_code, "Save link" in answer.text) == (422, True)
        assert pages.post(address(post), outcome="delivered", url=f"{LINK}2").status_code == 303
        assert copy_of(post).url == f"{LINK}2"

    def test_what_comes_next_is_offered(self, pages: Pages, publish: Publish, outside: Outside) -> None:
        outside.teach("GET", LINK, status=200)
        post, other = publish(), publish("substack", title="Spring cleaning")
        text = text_of(report_and_show(pages, post, "delivered", url=LINK))
        assert "Next: Spring cleaning is ready to post on Substack." in text
        assert address(other, "substack") in pages.get(address(post)).text

    def test_a_second_report_with_another_link_changes_nothing(
        self, pages: Pages, publish: Publish, outside: Outside
    ) -> None:
        outside.teach("GET", "https://medium.com/*", status=200)
        post = publish()
        revision = revision_on(pages.get(address(post)).text)
        report(pages, post, "delivered", url=LINK)
        again = pages.post(address(post), outcome="delivered", url=LINK, revision=revision)
        assert again.status_code == 303, "the same link is no conflict"
        late = pages.post(address(post), outcome="delivered", url=f"{LINK}2", revision=revision)
        assert late.status_code == 409
        assert "The story was already reported as posted by Ann. To replace the link" in text_of(late.text)
        assert "Live on Medium" in late.text
        assert copy_of(post).url == LINK

    def test_a_revision_of_another_post_is_refused(self, pages: Pages, publish: Publish, outside: Outside) -> None:
        outside.teach("GET", LINK, status=200)
        post, other = publish(), publish()
        revision = revision_on(pages.get(address(other)).text)
        answer = pages.post(address(post), outcome="delivered", url=LINK, revision=revision)
        assert (answer.status_code, "revision of another post" in answer.text) == (422, True)

    def test_a_post_that_was_unpublished_meanwhile_is_not_posted(
        self, pages: Pages, publish: Publish, outside: Outside, tools: Any, tick: Any
    ) -> None:
        outside.teach("GET", LINK, status=200)
        post = publish()
        publishing.unpublish(Post.get(post.id), tools.now())
        tick()
        answer = pages.post(address(post), outcome="delivered", url=LINK)
        assert answer.status_code == 409
        assert "no longer published on Medium" in answer.text
        assert "If you posted the story on Medium, delete it there." in text_of(answer.text)
        assert "Not on Medium" in answer.text

    def test_a_busy_database_is_not_taken_for_an_answer(
        self, pages: Pages, publish: Publish, outside: Outside, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        outside.teach("GET", LINK, status=200)
        post = publish()

        def busy(*_: object, **__: object) -> None:
            raise Busy("The database is busy.")

        monkeypatch.setattr("blogsvc.delivery.hand_over.report_posted", busy)
        assert report(pages, post, "delivered", url=LINK).status_code == 503


def report_and_show(pages: Pages, post: Post, outcome: str, name: str = "medium", **fields: Any) -> str:
    answer = report(pages, post, outcome, name, **fields)
    assert answer.status_code == 303, text_of(answer.text)
    return pages.get(answer.location).text


@pytest.fixture
def posted(pages: Pages, publish: Publish, outside: Outside) -> Publish:
    """Publish a post and report that it was posted on Medium."""
    outside.teach("GET", LINK, status=200)

    def make(**words: Any) -> Post:
        post = publish(**words)
        report_and_show(pages, post, "delivered", url=LINK)
        return post

    return make


@pytest.fixture
def republish(tools: Any, tick: Any) -> Callable[..., None]:
    def change(post: Post, **words: Any) -> None:
        publishing.publish(editing.edit(Post.get(post.id), words, None, tools.now()), tools.now())
        tick()

    return change


class TestChanged:
    def test_an_update_is_shown_by_paragraph(
        self, pages: Pages, posted: Publish, republish: Callable[..., None], time: Time
    ) -> None:
        post = posted(content="First.\n\nSecond in April, as before.\n\nThird.\n\nGone by now.")
        time.passes(days=2)
        republish(post, content="First.\n\nSecond in *March*, as before.\n\nThird.\n\nNobody has seen this yet.")
        page = pages.get(address(post)).text
        text = text_of(page)
        assert "Update by hand on Medium" in text
        assert "3 paragraphs changed since you posted the story on Tue 24 Nov." in text
        assert "Paragraph 2 Second in removed: April" in text
        assert "added: *March*" in text
        assert "Paragraph 4 added: Nobody has seen this yet." in text
        assert "Removed paragraph removed: Gone by now." in text
        assert "<p>Second in <em>March</em>, as before.</p>" in page
        assert f'href="{LINK}"' in page

    def test_a_copy_that_waits_for_its_update_is_still_counted(
        self, pages: Pages, posted: Publish, republish: Callable[..., None]
    ) -> None:
        post = posted(title="A map")
        republish(post, content="Newer.")
        row = text_of(pages.get("/desk/settings/destinations").text).partition("Medium by hand")[2]
        assert row.startswith(" A map today, 10:00")
        assert "1 copy, 1 in progress." in row

    def test_reporting_the_update_completes_it(
        self, pages: Pages, posted: Publish, republish: Callable[..., None]
    ) -> None:
        post = posted()
        republish(post, title="Another title")
        assert "Title" in text_of(pages.get(address(post)).text)
        assert "Live on Medium" in report_and_show(pages, post, "updated")
        assert (copy_of(post).state, copy_of(post).url) == ("delivered", LINK)

    def test_text_that_changed_between_copy_and_report_needs_an_update(
        self, pages: Pages, publish: Publish, republish: Callable[..., None], outside: Outside, tick: Any
    ) -> None:
        outside.teach("GET", LINK, status=200)
        post = publish()
        seen = revision_on(pages.get(address(post)).text)
        republish(post, content="Quite other words.")
        answer = pages.post(address(post), outcome="delivered", url=LINK, revision=seen)
        page = text_of(pages.get(answer.location).text)
        assert "The text will be ready in a moment." in page
        tick()
        assert "Update by hand on Medium" in pages.get(address(post)).text

    def test_a_copy_can_stay_as_it_is(self, pages: Pages, posted: Publish, republish: Callable[..., None]) -> None:
        post = posted()
        republish(post, content="Other words.")
        answer = report(pages, post, "kept")
        assert answer.location == f"/desk/posts/{post.id}/status"
        status = pages.get(answer.location).text
        assert "The story on Medium stays as it is." in status
        assert "Undo" not in status
        assert copy_of(post).state == "delivered"

    def test_an_update_that_is_no_longer_wanted_is_a_conflict(
        self, pages: Pages, posted: Publish, republish: Callable[..., None], tools: Any, tick: Any
    ) -> None:
        post = posted()
        republish(post, content="Other words.")
        publishing.unpublish(Post.get(post.id), tools.now())
        tick()
        answer = pages.post(address(post), outcome="updated")
        assert answer.status_code == 409
        assert "This post was unpublished since you opened the page. Delete the story on Medium." in text_of(
            answer.text
        )
        assert copy_of(post).url == LINK, "the copy is still known"

    def test_only_the_link_of_the_original_changed(
        self, pages: Pages, publish: Publish, outside: Outside, republish: Callable[..., None]
    ) -> None:
        link = "https://news.ycombinator.com/item?id=1"
        outside.teach("GET", link, status=200)
        post = publish("hackernews")
        report_and_show(pages, post, "delivered", "hackernews", url=link)
        republish(post, canonical_url="https://elsewhere.example/a")
        assert "The post has changed since you posted the discussion today." in text_of(
            pages.get(address(post, "hackernews")).text
        )


class TestDelete:
    @pytest.fixture
    def unpublished(self, posted: Publish, tools: Any, tick: Any, time: Time) -> Post:
        post = posted()
        time.passes(minutes=12)
        publishing.unpublish(Post.get(post.id), tools.now())
        tick()
        return post

    def test_a_copy_is_deleted_by_hand(self, pages: Pages, unpublished: Post) -> None:
        text = text_of(pages.get(address(unpublished)).text)
        assert "Delete by hand on Medium" in text
        assert "This post was unpublished today, 10:12. The story is still on Medium." in text
        assert "Open its menu, then Delete story." in text
        page = report_and_show(pages, unpublished, "deleted")
        assert "Deleted. Medium no longer has a copy of this post." in page
        assert "Not on Medium" in page
        assert copy_of(unpublished).state == "withdrawn"

    def test_a_copy_can_be_kept(self, pages: Pages, unpublished: Post) -> None:
        answer = report(pages, unpublished, "kept")
        assert "stays as it is" in pages.get(answer.location).text
        assert (copy_of(unpublished).state, copy_of(unpublished).url) == ("delivered", LINK)

    def test_a_copy_that_is_wanted_again_is_not_reported_as_deleted(
        self, pages: Pages, unpublished: Post, tools: Any, tick: Any
    ) -> None:
        publishing.publish(Post.get(unpublished.id), tools.now())
        tick()
        answer = pages.post(address(unpublished), outcome="deleted")
        assert answer.status_code == 409
        assert copy_of(unpublished).url == LINK

    def test_of_a_post_in_the_trash_only_the_deletion_is_left(
        self, pages: Pages, posted: Publish, publish: Publish, tools: Any, tick: Any
    ) -> None:
        post, other = posted(), publish()
        for one in (post, other):
            trash.discard(Post.get(one.id), tools.now(), withdraw=True)
        tick()
        text = text_of(pages.get(address(post)).text)
        assert "Delete by hand on Medium" in text
        assert "This post was moved to the trash today, 10:00." in text
        assert 'href="/desk/trash"' in pages.get(address(post)).text
        assert "Not on Medium" in report_and_show(pages, post, "deleted")

    def test_a_copy_of_a_post_in_the_trash_can_be_kept(
        self, pages: Pages, posted: Publish, tools: Any, tick: Any
    ) -> None:
        post = posted()
        trash.discard(Post.get(post.id), tools.now(), withdraw=True)
        tick()
        answer = report(pages, post, "kept")
        assert answer.location == "/desk/trash"
        assert "stays as it is" in pages.get(answer.location).text
        assert pages.get(address(post)).status_code == 404


class TestLater:
    def test_the_user_is_reminded_tomorrow(self, pages: Pages, publish: Publish, time: Time, tick: Any) -> None:
        post = publish()
        time.passes(hours=3)
        answer = report(pages, post, "tomorrow")
        page = pages.get(answer.location).text
        assert "We'll remind you on Wed 25 Nov, 10:00." in unescape(page)
        assert "Reminder tomorrow, 10:00." in text_of(page)
        assert copy_of(post).next_attempt_at == time.now.replace(day=25, hour=9)
        time.passes(days=1)
        tick()
        assert "Due yesterday, 10:00." in text_of(pages.get(address(post)).text)

    def test_a_post_that_is_unpublished_needs_no_reminder(self, pages: Pages, publish: Publish, tools: Any) -> None:
        post = publish()
        publishing.unpublish(Post.get(post.id), tools.now())
        assert pages.post(address(post), outcome="tomorrow").status_code == 409

    def test_a_platform_is_removed_and_added_again(self, pages: Pages, publish: Publish, tick: Any) -> None:
        post = publish()
        answer = report(pages, post, "left")
        assert answer.location == f"/desk/posts/{post.id}/status"
        page = pages.get(answer.location).text
        assert "Medium removed from this post." in page
        assert copy_of(post).state == "withdrawn"
        assert copy_of(post).post.platforms == ["site"]
        assert "Not on Medium" in pages.get(address(post)).text
        assert "Medium is a destination of this post again." in pages.undo(page).text
        tick()
        assert copy_of(post).state == "awaiting_hand"

    def test_the_only_platform_stays_one_of_the_post(self, pages: Pages, a_post: Any, tick: Any) -> None:
        post = a_post(live=True, platforms=["medium"])
        tick()
        answer = report(pages, post, "left")
        assert "This post won't be posted on Medium." in unescape(pages.get(answer.location).text)

    def test_what_cannot_be_undone_says_so(self, pages: Pages, publish: Publish) -> None:
        answer = pages.post(f"{address(publish())}/undo", follow=True)
        assert "This can't be undone any more." in unescape(answer.text)

    def test_a_copy_that_was_posted_meanwhile_is_not_removed(
        self, pages: Pages, posted: Publish, republish: Callable[..., None]
    ) -> None:
        post = posted()
        answer = pages.post(address(post), outcome="left")
        assert answer.status_code == 409
        assert "The story was already reported as posted by Ann." in text_of(answer.text)
        republish(post, content="Other words.")
        assert pages.post(address(post), outcome="left").status_code == 409
        assert Post.get(post.id).platforms == ["site", "medium"]


class TestOtherStates:
    def test_a_text_that_is_not_ready_yet(self, pages: Pages, a_post: Any) -> None:
        post = a_post(live=True, platforms=["site", "medium"])
        page = pages.get(address(post)).text
        assert "Not ready yet for Medium" in page
        assert "The text will be ready in a moment." in page
        assert "data-soon" in page

    def test_a_scheduled_post_says_when(
        self, pages: Pages, publish: Publish, tools: Any, time: Time, tick: Any
    ) -> None:
        post = publish()
        publishing.unpublish(Post.get(post.id), tools.now())
        tick()
        publishing.schedule(Post.get(post.id), time.now.replace(hour=15), tools.now())
        page = pages.get(address(post)).text
        assert "The text will be ready for you today, 16:00." in text_of(page)
        assert "data-soon" not in page

    def test_a_text_that_the_platform_cannot_have_says_why(self, pages: Pages, a_post: Any, tick: Any) -> None:
        post = a_post(live=True, platforms=["hackernews"])
        tick()
        text = text_of(pages.get(address(post, "hackernews")).text)
        assert "Can't be posted on Hacker News" in text
        assert "A post on Hacker News needs a link." in text
        assert f"/desk/posts/{post.id}?as=hackernews" in pages.get(address(post, "hackernews")).text

    def test_an_unknown_outcome_shows_the_page(self, pages: Pages, publish: Publish) -> None:
        post = publish()
        assert pages.post(address(post), outcome="dance").location == address(post)

    def test_a_delivery_that_is_sent_by_blogsvc_has_no_such_page(self, pages: Pages, publish: Publish) -> None:
        post = publish()
        assert pages.get(address(post, "site")).status_code == 404
        assert pages.get("/desk/deliveries/dlv_1/hand-over").status_code == 404

    def test_authors_see_only_their_own_posts(
        self, publish: Publish, somebody: Callable[..., User], browser_of: Callable[[User], Pages], owner: User
    ) -> None:
        post, ben = publish(), somebody("author", "Ben")
        browser = browser_of(ben)
        assert browser.get(address(post)).status_code == 404
        for outcome in ("delivered", "updated", "deleted", "tomorrow", "left", "kept"):
            assert browser.post(address(post), outcome=outcome, url=LINK).status_code == 404
        assert browser.post(f"{address(post)}/undo").status_code == 404
        assert copy_of(post).state == "awaiting_hand"
        with transaction():
            db.session.get_one(Post, post.id).author_id = ben.id
        assert browser.get(address(post)).status_code == 200
