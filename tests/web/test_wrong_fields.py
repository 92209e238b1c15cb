"""Several wrong fields are named above a form, with links to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest

from blogsvc.models import Post
from tests.web.page_walk import Pages
from tests.web.test_users import invite


@pytest.mark.parametrize(
    ("path", "form", "names"),
    [
        ("/desk/queue/slots", {"time": "x"}, ["Days", "Time"]),
        ("/desk/settings/webhooks/new", {"url": "", "which": "these"}, ["URL", "Selected events"]),
        ("/desk/settings/blog", {"title": "", "language": ""}, ["Title", "Language"]),
        ("/login", {"email": "", "password": ""}, ["E-mail", "Password"]),
    ],
)
def test_every_link_of_the_summary_leads_to_its_field(
    pages: Pages, visitor: Pages, path: str, form: dict[str, str], names: list[str]
) -> None:
    assert linked((visitor if path == "/login" else pages).post(path, **form).text) == names


def test_the_details_of_a_post_have_a_summary(pages: Pages, a_post: Callable[..., Post]) -> None:
    path = f"/desk/posts/{a_post().id}/details"
    answer = pages.post(path, slug="A B", language="Portuguese?", asks_platforms="1", platforms="nowhere")
    assert linked(answer.text) == ["Address", "Language", "Destinations"]


def test_an_invitation_has_a_summary(pages: Pages, visitor: Pages) -> None:
    answer = visitor.post(invite(pages), name="", email="ben", password="short")
    assert linked(answer.text) == ["Your name", "E-mail", "Password"]


def linked(page: str) -> list[str]:
    """Return the names of the linked fields, whose elements are on the page."""
    (summary,) = re.findall(r'<div class="err" role="alert">(.*?)</div>', page, re.DOTALL)
    links = re.findall(r'<a href="#([^"]+)">([^<]+)</a>', summary)
    assert f"{len(links)} fields need a change:" in summary
    assert [target for target, _ in links if f' id="{target}"' not in page] == []
    return [unescape(name) for _, name in links]
