"""Images: pages, filters, search, and the posts that use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.errors import Forbidden, InUse, Invalid
from blogsvc.lib.media_names import name_of
from blogsvc.media import images
from blogsvc.media.uses import posts_using
from blogsvc.models import Author, Media, Quota, User, db, transaction
from blogsvc.models.media import MAX_ALT_LENGTH, alt_of, conditions, newest, tally
from blogsvc.posts import editing, publishing, series, tag_pages, trash
from tests.api_client import Api
from tests.clock import NOW
from tests.images import png

Make = Callable[..., Any]


@pytest.fixture
def an_image(app: Flask) -> Callable[..., Media]:
    """Return a function that creates the row of an image without files."""

    def make(filename: str = "ferry.jpg", alt: str = "") -> Media:
        media = Media.of(filename, alt, NOW)
        media.media_type, media.width, media.height, media.bytes = "image/jpeg", 64, 48, 900
        media.name = name_of(media.key, "jpg")
        with transaction():
            db.session.add(media)
        return media

    return make


@pytest.fixture
def author(app: Flask) -> User:
    with transaction():
        return User.of("ann@blog.example", "Ann", "author", "", "UTC", NOW)


def shows(media: Media) -> str:
    return f"![](/media/{media.name})"


def found(choice: Any = "all", question: str = "") -> list[Media]:
    return newest(conditions(choice, question), None, 100)[0]


def test_pages_list_every_image_newest_first(an_image: Make) -> None:
    made = [an_image() for _ in range(7)]
    seen: list[Media] = []
    place: str | None = None
    for _ in range(3):
        rows, place = newest(conditions("all"), place, 3)
        seen += rows
        an_image()  # a new image in between shifts nothing
    assert place is None
    assert seen == made[::-1]


def test_an_image_that_a_post_shows_without_alt_text_can_be_found(an_image: Make, a_post: Make) -> None:
    silent, told, unused = an_image(), an_image(alt="A ferry"), an_image()
    a_post(content=f"{shows(silent)}\n\n{shows(told)}")
    assert found("undescribed") == [silent]
    images.describe(silent.id, lambda _: None, alt="Another ferry")
    assert found("undescribed") == []
    a_post(cover_image=f"https://blog.example/media/{unused.name}")
    assert found("undescribed") == [unused]


@pytest.mark.parametrize(
    ("content", "is_missed"),
    [
        ("![A ferry]({url})", False),
        ("![A ferry]({url})\n\n![]({url})", True),
        ("[The file]({url})", False),
        ('<img src="{url}" alt="A ferry">', False),
        ("<img alt='' src=\"{url}\">", True),
        ('<img src="{url}" alt="">', True),
        ("<img src={url}>", True),
        ("<img src={url} alt=Ferry>", False),
        ("![][ferry]\n\n[ferry]: {url}", True),
        ("![A ferry][ferry]\n\n[ferry]: {url}", False),
        ("`![]({url})`", False),
    ],
)
def test_readers_miss_no_alt_text_that_the_post_has(
    content: str, is_missed: bool, an_image: Make, a_post: Make
) -> None:
    image = an_image()
    a_post(content=content.format(url=f"/media/{image.name}"))
    assert tally()["undescribed"] == is_missed


def test_the_missing_alt_texts_follow_the_changes_of_a_post(an_image: Make, a_post: Make, tools: Tools) -> None:
    image = an_image()
    post = a_post(live=True, content=shows(image))
    editing.edit(post, {"content": f"![A ferry](/media/{image.name})"}, None, tools.now())
    assert found("undescribed") == [image]  # readers see the published version
    publishing.publish(post, tools.now())
    assert found("undescribed") == []
    editing.edit(post, {"content": shows(image)}, None, tools.now())
    assert found("undescribed") == [image]
    trash.discard(post, tools.now(), withdraw=True)
    assert found("undescribed") == []


@pytest.mark.parametrize(
    "question", ["ferry", "FERR", "üBER", "uber", "ferry lissabon", "img", "0042", '"ferry uber"', "ferry -tram"]
)
def test_an_image_is_found_by_words_of_its_name_and_alt_text(an_image: Make, question: str) -> None:
    wanted = an_image("IMG_0042.jpg", "A ferry über den Tejo, Lissabon")
    an_image("IMG-7.jpg", "A tram")
    assert found(question=question)[-1] == wanted


@pytest.mark.parametrize("question", ["erry", "100%", "ferry tram", '"ferr"', "ferry -jpg"])
def test_a_query_without_a_match_finds_nothing(an_image: Make, question: str) -> None:
    an_image("ferry.jpg", "A ferry")
    assert found(question=question) == []


def test_the_api_supports_the_same_filters_and_search(api: Api, an_image: Make, a_post: Make) -> None:
    silent, told = an_image(), an_image("tram.jpg", "A tram")
    a_post(content=shows(silent))
    for query, wanted in (("show=undescribed", [silent]), ("show=unused&q=tram", [told]), ("q=-tram", [silent])):
        listed = api.get(f"/media?{query}").json["data"]
        assert [each["id"] for each in listed] == [media.id for media in wanted]
    assert api.get("/media?show=some").status_code == 422


def test_search_follows_a_changed_alt_text(an_image: Make) -> None:
    media = an_image(alt="A tram")
    images.describe(media.id, lambda _: None, alt="A ferry")
    assert found(question="ferry") == [media]
    assert found(question="tram") == []


def test_an_image_is_used_by_text_cover_and_overrides(an_image: Make, a_post: Make) -> None:
    text, cover, own, unused = (an_image() for _ in range(4))
    post = a_post(
        content=f"Look: https://blog.example/media/{text.name}.",
        cover_image=f"https://blog.example/media/{cover.name}",
        overrides={"site": {"content": shows(own)}},
    )
    assert found("unused") == [unused]
    assert tally() == {"all": 4, "undescribed": 2, "unused": 1}  # the link has text
    for media in (text, cover, own):
        assert posts_using(media) == [post]


def test_an_image_is_in_use_as_long_as_readers_see_it(an_image: Make, a_post: Make, tools: Tools) -> None:
    media = an_image()
    post = a_post(live=True, content=f"Look: {shows(media)}")
    editing.edit(post, {"content": "No more."}, None, tools.now())
    assert posts_using(media) == [post]
    with pytest.raises(InUse):
        images.remove(media.id, tools.config, lambda _: None)

    publishing.publish(post, tools.now())
    assert found("unused") == [media]
    images.remove(media.id, tools.config, lambda _: None)


def test_an_image_shown_only_by_the_live_revision_is_unused_after_a_republish(
    an_image: Make, a_post: Make, tools: Tools
) -> None:
    media = an_image()
    post = a_post(live=True, content=shows(media))
    editing.edit(post, {"content": "No more."}, None, tools.now())
    publishing.schedule(a_post(), NOW, tools.now())
    publishing.unpublish(post, tools.now())
    assert posts_using(media) == [post], "the revision that was live is still the last one sent"
    publishing.publish(post, tools.now())
    assert posts_using(media) == []


def test_an_image_is_unused_once_its_posts_are_erased(an_image: Make, a_post: Make, tools: Tools) -> None:
    media = an_image()
    post = a_post(content=shows(media))
    trash.discard(post, tools.now())
    assert found("unused") == []
    trash.erase(post, tools.now())
    assert found("unused") == [media]


def test_a_cover_of_a_series_or_a_tag_is_in_use(an_image: Make, tools: Tools) -> None:
    of_series, of_tag, unused = an_image("a.jpg"), an_image("b.jpg"), an_image("c.jpg")
    boats = series.create({"title": "Boats", "cover_image": f"https://blog.example{of_series.path}"}, NOW)
    tag_pages.write("ink", {"cover_image": f"https://blog.example{of_tag.path}"})
    assert found("unused") == [unused]
    with pytest.raises(InUse, match="the cover of the series Boats"):
        images.remove(of_series.id, tools.config, lambda media: None)
    with pytest.raises(InUse, match="the cover of the tag ink"):
        images.remove(of_tag.id, tools.config, lambda media: None)
    series.remove(boats)
    images.remove(of_series.id, tools.config, lambda media: None)


def test_authors_delete_only_their_own_images_that_no_other_author_uses(
    an_image: Make, a_post: Make, author: User, tools: Tools
) -> None:
    quota = Quota(author.id, tools.config)
    used, own = (images.add(png(width), "ferry.png", "", tools, quota=quota) for width in (40, 50))
    theirs = an_image()
    a_post(content=shows(used))
    for media in (used, theirs):
        with pytest.raises(Forbidden):
            images.remove(media.id, tools.config, images.editable_by(author), force=True)
    images.remove(own.id, tools.config, images.editable_by(author))
    with transaction():
        author.role = "editor"
    for media in (used, theirs):
        images.remove(media.id, tools.config, images.editable_by(author), force=True)
    assert found() == []


@pytest.mark.parametrize("is_guest", [True, False])
def test_the_picture_of_another_author_is_deleted_by_editors_only(author: User, tools: Tools, is_guest: bool) -> None:
    media = images.add(png(), "ada.png", "", tools, quota=Quota(author.id, tools.config))
    with transaction():
        other = User.of("ada@blog.example", "Ada", "author", "", "UTC", NOW)
        for user_id in (author.id, None if is_guest else other.id):
            picture_of = Author.of_user(user_id) or Author.of("Ada", NOW, user_id=user_id)
            picture_of.picture_id = media.id
    guard = images.editable_by(author)
    with pytest.raises(Forbidden):
        images.remove(media.id, tools.config, guard, force=True)
    with transaction():
        picture_of.picture_id = None
    images.remove(media.id, tools.config, guard, force=True)
    assert found() == []


def test_an_alt_text_is_one_line_of_limited_length() -> None:
    assert alt_of(" A ferry\r\n leaves ") == "A ferry leaves"
    for text in ("a" * (MAX_ALT_LENGTH + 1), "\x00"):
        with pytest.raises(Invalid):
            alt_of(text)
