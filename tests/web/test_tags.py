"""The settings page of tags, without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from blogsvc.models import Post, TagPage, db
from tests.web.page_walk import Pages

PAGE = "/desk/settings/tags"
Make = Callable[..., Post]


def test_the_page_of_a_tag_is_described(pages: Pages, a_post: Make) -> None:
    assert "No tags yet." in pages.get(PAGE).text
    a_post(tags=["on/off", "boats"])
    a_post(live=True, tags=["on/off"])
    listed = pages.get(PAGE).text
    address = f"{PAGE}/edit?tag={quote('on/off', safe='')}"
    assert f'href="{address}"' in listed.replace('on/off"', 'on%2Foff"')
    assert "2 posts" in listed
    assert "No tag matches." in pages.get(f"{PAGE}?q=nothing").text

    answer = pages.post(address, follow=True, title="Switches", description="*On* or off.", cover_image="")
    assert "The page of “on/off” is saved." in answer.text
    assert "Switches" in answer.text
    db.session.rollback()
    page = TagPage.find("on/off")
    assert page is not None
    assert (page.title, page.description, page.cover_image) == ("Switches", "*On* or off.", None)
    assert 'value="Switches"' in pages.get(address).text

    answer = pages.post(address, title="", description="x" * 10_001, cover_image="boat.png")
    assert answer.status_code == 422
    assert 'id="description-fault"' in answer.text
    assert 'id="cover_image-fault"' in answer.text
