"""The form with the details of a post."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from werkzeug.test import TestResponse

from blogsvc.connections import disconnect
from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import Connection, Media, Post, Series, User, db, transaction
from blogsvc.posts import editing, publishing, trash
from tests.api_client import BOUNDARY, File, encoded_form
from tests.clock import NOW, Time
from tests.images import png
from tests.web.page_walk import Pages

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}
Make = Callable[..., Post]


def path(post: Post) -> str:
    return f"/desk/posts/{post.id}/details"


def reload_post(post: Post) -> Post:
    db.session.rollback()
    db.session.expire_all()  # reload rows from the database
    return Post.get(post.id)


def rev_in(page: TestResponse) -> str:
    found = re.search(r'name="rev" value="([^"]+)"', page.text)
    assert found is not None
    return found[1]


def save(pages: Pages, post: Post, rev: str | None = None, **fields: Any) -> TestResponse:
    rev = rev or rev_in(pages.get(path(post)))
    return pages.post(path(post), rev=rev, **{name.replace("__", "/"): value for name, value in fields.items()})


def test_the_series_of_a_post_is_chosen_by_its_title(pages: Pages, a_post: Make) -> None:
    post, other = a_post(), a_post()
    rev = rev_in(pages.get(path(post)))
    save(pages, post, series="  On Ferries ", series_part="2")
    assert (reload_post(post).series, reload_post(post).series_part) == ("on-ferries", 2)
    page = pages.get(path(post)).text
    assert 'value="On Ferries"' in page
    assert '<option value="On Ferries">' in page

    save(pages, other, series="on ferries", series_part="")
    assert (reload_post(other).series, reload_post(other).series_part) == ("on-ferries", None)
    save(pages, other, series=" ")
    assert reload_post(other).series is None

    answer = save(pages, post, rev, series="Another", series_part="2")
    assert answer.status_code == 409
    assert [one.title for one in Series.all()] == ["On Ferries"], "nothing is added by a form that is not saved"


def test_the_details_name_another_post_with_the_same_part_number(
    pages: Pages, a_post: Make, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    note = "Part 2 is also “<bdi>First try</bdi>”."
    first = a_post(title="First try")
    author = somebody("author", "Bea")
    post = a_post(title="Second try")
    with transaction():
        Post.get(post.id).author_id = author.id
    save(pages, first, series="Boats", series_part="2")
    assert "is also" not in pages.get(path(first)).text
    save(pages, post, series="Boats", series_part="2")
    assert note in unescape(pages.get(path(post)).text)
    assert "is also" not in browser_of(author).get(path(post)).text, "authors do not see drafts of others"

    save(pages, post, series_part="3")
    assert "is also" not in pages.get(path(post)).text
    save(pages, post, series="Ferries", series_part="2")
    assert "is also" not in pages.get(path(post)).text
    save(pages, post, series="Boats")
    trash.discard(first, NOW)
    assert "is also" not in pages.get(path(post)).text


@pytest.mark.parametrize("part", ["0", "10001", "two", "1.5", "9" * 20])
def test_a_part_that_is_no_number_is_refused(pages: Pages, a_post: Make, part: str) -> None:
    post = a_post()
    answer = save(pages, post, series="Boats", series_part=part)
    assert answer.status_code == 422
    assert 'id="series_part-fault"' in answer.text
    assert Series.all() == []


def test_a_title_of_a_series_that_is_too_long_is_refused(pages: Pages, a_post: Make) -> None:
    answer = save(pages, a_post(), series="x" * 201)
    assert answer.status_code == 422
    assert 'id="series-fault"' in answer.text


def test_a_slug_in_another_script_is_shown_in_its_letters(pages: Pages, a_post: Make) -> None:
    post = a_post()
    save(pages, post, slug=" cafe\u0301-東京 ")  # decomposed, as some systems paste it
    assert reload_post(post).slug == "café-東京"
    field = re.search(r'<input[^>]*name="slug"[^>]*>', pages.get(path(post)).text)
    assert field is not None
    assert 'value="café-東京"' in field[0]
    assert 'dir="auto"' in field[0]
    assert "Use &#39;東京&#39;" in save(pages, post, slug="東京。").text


def test_every_detail_is_saved(pages: Pages, a_post: Make) -> None:
    post = a_post()
    answer = save(
        pages,
        post,
        summary="Two lines\r\nof it",
        slug="another",
        tags="ferries, Lisbon , ferries",
        canonical_url="https://elsewhere.example/first",
        language="pt-PT",
        cover_image="https://elsewhere.example/a.jpg",
    )
    assert (answer.status_code, answer.headers["Location"]) == (303, path(post))
    post = reload_post(post)
    assert (post.summary, post.slug, post.tags) == ("Two lines\nof it", "another", ["ferries", "Lisbon"])
    assert (post.canonical_url, post.language) == ("https://elsewhere.example/first", "pt-PT")
    page = pages.get(path(post)).text
    assert "Saved." in page
    for words in ("of it", 'value="another"', "ferries, Lisbon", 'value="pt-PT"', "https://elsewhere.example/a.jpg"):
        assert words in page

    save(pages, post, canonical_url=" ", language="", no_cover="y", tags="")
    post = reload_post(post)
    assert (post.canonical_url, post.language, post.cover_image, post.tags) == (None, None, None, [])
    assert post.summary == "Two lines\nof it", "absent fields are kept"


def test_where_the_blog_shows_a_post_is_saved(pages: Pages, a_post: Make) -> None:
    post = a_post()
    save(pages, post, kind="page", asks_switches="1", is_pinned="y", is_unlisted="y", meta_title=" About\tus ")
    post = reload_post(post)
    assert (post.kind, post.is_pinned, post.is_unlisted, post.meta_title) == ("page", True, True, "About us")
    page = pages.get(path(post)).text
    assert '<option selected value="page">' in page
    assert len(re.findall(r'<input [^>]*\bchecked\b[^>]* name="is_(?:pinned|unlisted)"', page)) == 2

    save(pages, post, asks_switches="1", is_unlisted="y")
    post = reload_post(post)
    assert (post.is_pinned, post.is_unlisted, post.kind) == (False, True, "page"), "absent fields are kept"
    save(pages, post, summary="Short")
    assert reload_post(post).is_unlisted


def test_the_caption_goes_with_its_cover(pages: Pages, a_post: Make) -> None:
    post = a_post(cover_image="https://a.example/harbour.png", cover_caption="By Ada")
    save(pages, post, cover_image="https://a.example/ferry.png", cover_caption="By Ada")
    assert reload_post(post).cover_caption == ""
    save(pages, post, cover_image="https://a.example/ferry.png", cover_caption="By Bo")
    assert reload_post(post).cover_caption == "By Bo"


def test_an_htmx_request_returns_only_the_details_panel(pages: Pages, a_post: Make) -> None:
    post = a_post()
    fragment = pages.fragment(path(post)).text
    assert fragment.startswith('<div id="details-panel"')
    assert "<html" not in fragment
    answer = pages.post(path(post), rev=rev_in(pages.get(path(post))), summary="New", headers=HTMX)
    assert answer.headers["HX-Trigger"] == "details-saved"
    assert "New</textarea>" in answer.text
    assert 'data-said="Saved."' in answer.text


def test_editing_details_does_not_change_the_scheduled_revision(
    pages: Pages, a_post: Make, tools: Tools, time: Time
) -> None:
    post = a_post()
    publishing.schedule(post, time.now.replace(hour=12), tools.now())
    pinned = post.live_revision_id
    answer = save(pages, post, summary="Later thought")
    post = reload_post(post)
    assert (post.state, post.live_revision_id, post.has_unpublished_changes) == ("scheduled", pinned, True)
    assert "The scheduled version doesn&#39;t change" in pages.get(answer.headers["Location"]).text


def test_the_old_address_of_a_published_post_redirects_to_the_new_one(pages: Pages, a_post: Make) -> None:
    post = a_post(live=True, slug="first")
    assert "the old one redirects to the new one" in pages.get(path(post)).text
    save(pages, post, slug="second")
    assert reload_post(post).slug == "second"
    publishing.publish(reload_post(post), post.updated_at)
    answer = pages.get("/first")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/second")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"slug": "taken"}, "The address 'taken' is already in use. Choose another"),
        ({"slug": "Not A Slug"}, "An address can contain lowercase letters and digits"),
        ({"slug": "archive"}, "already in use. Choose another"),
        ({"slug": "s" * 81}, "An address can have at most 80 characters"),
        ({"canonical_url": "ferry"}, "starts with https:// or http://"),
        ({"cover_image": "javascript:alert(1)"}, "starts with https:// or http://"),
        ({"language": "Portuguese?"}, "anguage tag such as en"),
        ({"summary": "s" * 2001}, "at most 2000 characters"),
        ({"tags": "t" * 51}, "1 to 50 characters"),
        ({"tags": ",".join(map(str, range(21)))}, "at most 20 tags"),
        ({"platforms": "nowhere", "asks_platforms": "1"}, "There is no destination named"),
        ({"overrides__site__title": "t" * 301}, "1 to 300 characters"),
        ({"cover_alt": "a" * 1501}, "at most 1500 characters"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_invalid_detail_shows_the_error_at_its_field_and_saves_nothing(
    pages: Pages, a_post: Make, fields: dict[str, str], words: str
) -> None:
    a_post(slug="taken")
    post = a_post(live=True)
    rev = post.rev
    answer = save(pages, post, **fields)
    assert answer.status_code == 422
    assert words in unescape(answer.text)
    assert all(unescape(answer.text).count(value[:200]) for value in fields.values())
    assert reload_post(post).rev == rev


def test_a_conflicting_change_of_details_is_shown_before_it_is_overwritten(
    pages: Pages, a_post: Make, tools: Tools
) -> None:
    post = a_post(tags=["ferries"], summary="Mine")
    seen = rev_in(pages.get(path(post)))
    editing.edit(post, {"tags": ["theirs & ours"], "language": "de"}, None, tools.now())

    everything = {"summary": "New", "tags": "ferries", "language": "", "slug": post.slug}
    save(pages, post, seen, **everything)
    post = reload_post(post)
    assert (post.summary, post.tags, post.language) == ("New", ["theirs & ours"], "de"), (
        "unchanged fields keep the other version"
    )

    answer = save(pages, post, seen, **everything | {"tags": "ferries, boats"})
    assert answer.status_code == 409
    assert "Tags: <span" in answer.text
    assert "theirs &amp; ours" in answer.text
    assert 'value="ferries, boats"' in answer.text
    assert 'value="de"' in answer.text, "other fields show the current values"
    assert reload_post(post).tags == ["theirs & ours"]

    save(pages, post, rev_in(answer), tags="ferries, boats", language="de")
    assert reload_post(post).tags == ["ferries", "boats"]


def test_destinations_can_be_chosen(pages: Pages, a_post: Make, connect: Callable[..., str]) -> None:
    connect("hook")
    post = a_post()
    save(pages, post, asks_platforms="1", platforms=["site", "hook"])
    assert reload_post(post).platforms == ["site", "hook"]
    save(pages, post, summary="Only this")
    assert reload_post(post).platforms == ["site", "hook"]
    save(pages, post, asks_platforms="1")
    assert reload_post(post).platforms == []


def test_a_removed_destination_is_shown_and_can_be_kept_or_removed(
    pages: Pages, a_post: Make, connect: Callable[..., str]
) -> None:
    post = a_post(platforms=["site", connect("gone")])
    disconnect.disconnect(Connection.named("gone"), NOW)
    assert "no account yet" in pages.get(path(post)).text
    assert save(pages, post, asks_platforms="1", platforms=["site", "gone"], summary="x").status_code == 303
    save(pages, post, asks_platforms="1", platforms=["site"])
    assert reload_post(post).platforms == ["site"]


def test_overrides_of_a_destination_keep_fields_that_the_form_does_not_show(
    pages: Pages, a_post: Make, connect: Callable[..., str]
) -> None:
    connect("hook")
    connect("gone")
    post = a_post(overrides={"hook": {"tags": ["own"], "title": "Old"}, "gone": {"title": "Kept"}})
    disconnect.disconnect(Connection.named("gone"), NOW)
    save(
        pages,
        post,
        overrides__hook__title="",
        overrides__hook__summary="Short",
        overrides__hook__content="Line\r\nline",
        overrides__site__title="",
    )
    assert reload_post(post).overrides == {
        "hook": {"tags": ["own"], "summary": "Short", "content": "Line\nline"},
        "gone": {"title": "Kept"},
    }
    page = pages.get(path(post)).text
    assert "Short</textarea>" in page
    assert "Line\nline</textarea>" in page.replace("\r\n", "\n")


def send_cover(pages: Pages, post: Post, data: bytes, **fields: str) -> TestResponse:
    rev = rev_in(pages.get(path(post)))
    form = {"csrf_token": pages.token(), "rev": rev, **fields, "cover_file": File(data, "ferry.png")}
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    return pages.client.post(path(post), data=encoded_form(form), content_type=kind)


def test_a_cover_can_be_uploaded_described_and_removed(pages: Pages, a_post: Make) -> None:
    post = a_post()
    assert send_cover(pages, post, png(), summary="With a cover").status_code == 303
    post = reload_post(post)
    (media,) = db.session.query(Media)
    assert post.cover_image == f"https://blog.example{media.path}"
    assert f'src="{media.path}"' in pages.get(path(post)).text

    save(pages, post, cover_image=post.cover_image, cover_alt=" A ferry ")
    assert reload_post(post).cover_alt == "A ferry"
    save(pages, post, cover_image=post.cover_image, cover_alt="A ferry", no_cover="y")
    post = reload_post(post)
    assert (post.cover_image, post.cover_alt) == (None, "")


def test_the_alt_text_of_the_media_library_is_offered_for_the_cover(pages: Pages, a_post: Make) -> None:
    post = a_post()
    assert send_cover(pages, post, png(), cover_alt="A ferry").status_code == 303
    (media,) = db.session.query(Media)
    assert (media.alt, reload_post(post).cover_alt) == ("A ferry", "A ferry")

    save(pages, post, cover_alt="")
    page = pages.get(path(post)).text
    assert 'placeholder="A ferry"' in page
    assert "its alt text in the media library is used" in page


def test_another_cover_drops_the_alt_text_of_the_former_one(pages: Pages, a_post: Make) -> None:
    post = a_post(cover_image="https://a.example/harbour.png", cover_alt="A harbour")
    save(pages, post, cover_image="https://a.example/ferry.png", cover_alt="A harbour")
    assert reload_post(post).cover_alt == ""
    save(pages, post, cover_image="https://a.example/boat.png", cover_alt="A boat")
    assert reload_post(post).cover_alt == "A boat"


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [(b"words", 422, "JPEG, PNG, GIF, WebP"), (b"", 422, "empty"), (bytes(25 * 1024 * 1024), 413, "at most 20 MiB")],
    ids=["text", "nothing", "too large"],
)
def test_an_invalid_cover_is_rejected_with_a_reason(
    pages: Pages, a_post: Make, data: bytes, status: int, words: str
) -> None:
    post = a_post()
    answer = send_cover(pages, post, data, summary="New")
    assert answer.status_code == status
    assert words in answer.text
    assert reload_post(post).summary == ""


def test_a_cover_can_be_chosen_from_media_without_changing_other_fields(
    pages: Pages, a_post: Make, tools: Tools
) -> None:
    images.add(png(), "tram.png", "A tram", tools)
    ferry = images.add(png(), "ferry.png", "A ferry", tools)
    post = a_post(summary="Stays", tags=["stays"])
    page = pages.get(f"/desk/posts/{post.id}/cover?q=ferry")
    choices = re.findall(r'name="cover_image" value="([^"]+)"', page.text)
    assert choices == [f"https://blog.example{ferry.path}"]
    pages.post(path(post), rev=rev_in(page), cover_image=choices[0])
    post = reload_post(post)
    assert (post.cover_image, post.summary, post.tags) == (choices[0], "Stays", ["stays"])
    assert pages.fragment(f"/desk/posts/{post.id}/cover").text.startswith('<div id="covers"')


def test_the_link_preview_is_shown(pages: Pages, a_post: Make) -> None:
    post = a_post(title="On <ferries>", content="They *leave*.\n\n![](https://elsewhere.example/a.jpg)")
    page = pages.get(path(post)).text
    card = page[page.index('class="card"') :]
    for words in ("blog.example", "On &lt;ferries&gt;", "They leave.", 'src="https://elsewhere.example/a.jpg"'):
        assert words in card
    save(pages, post, summary="About ferries")
    page = pages.get(path(post)).text
    assert "About ferries" in page[page.index('class="card"') :]


def test_tag_suggestions_are_returned_as_json(pages: Pages, a_post: Make) -> None:
    a_post(tags=["Lisbon", "boats"])
    a_post(tags=["boats"])
    assert pages.get("/desk/tags?q=bo").json == [{"name": "boats", "count": 2}]
    assert [tag["name"] for tag in pages.get("/desk/tags").json] == ["boats", "Lisbon"]


def test_tag_suggestions_for_an_author_have_no_tags_of_others_that_are_not_public(
    a_post: Make, somebody: Callable[..., User], browser_of: Callable[[User], Pages], time: Time
) -> None:
    author, editor = somebody("author", "Ben"), somebody("editor", "Eve")
    own = a_post(tags=["own"])
    with transaction():
        db.session.get_one(Post, own.id).author_id = author.id
    a_post(live=True, tags=["public"])
    a_post(tags=["merger"])
    changed = a_post(live=True, tags=["before"])
    editing.edit(changed, {"tags": ["next"]}, None, time.now)
    trash.discard(a_post(live=True, tags=["trashed"]), time.now)
    elsewhere = a_post(live=True, tags=["public"], platforms=["site"])
    editing.edit(elsewhere, {"tags": ["takeover"]}, ["medium"], time.now)
    publishing.publish(elsewhere, time.now)  # only there, so that the blog keeps the former version
    assert (elsewhere.has_unpublished_changes, elsewhere.site_revision_id is None) == (False, False)
    assert {tag["name"] for tag in browser_of(author).get("/desk/tags").json} == {"own", "public", "before"}
    assert {"merger", "next"} <= {tag["name"] for tag in browser_of(editor).get("/desk/tags").json}


def test_post_details_are_open_to_the_author_and_to_editors_only(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], a_post: Make
) -> None:
    post = a_post()
    author, editor = browser_of(somebody("author", "Ben")), browser_of(somebody("editor", "Eve"))
    for each in (path(post), f"/desk/posts/{post.id}/cover"):
        assert author.get(each).status_code == 404
        assert editor.get(each).status_code == 200
    assert author.post(path(post), rev="x", summary="Mine").status_code == 404
    assert reload_post(post).summary == ""
