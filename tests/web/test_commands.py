"""The command palette over HTTP: which commands it finds, in which order, and for whom."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from blogsvc.models import User, db
from tests.web.page_walk import Pages


@pytest.fixture
def post_id(pages: Pages) -> str:
    return pages.post("/desk/posts").headers["Location"].split("?")[0].rpartition("/")[2]


def labels(page: str) -> list[str]:
    return re.findall(r'<span dir="auto">([^<]+)</span>', page[page.index('id="found"') :])


def found(pages: Pages, query: str, **more: str) -> list[str]:
    return labels(pages.client.get("/desk/commands", query_string={"q": query, **more}).text)


def test_the_best_fit_comes_first(pages: Pages) -> None:
    assert found(pages, "an")[0] == "Analytics"
    assert found(pages, "dark")[0] == "Theme: dark"
    assert found(pages, "nwp") == ["New post"]
    assert found(pages, "dsh")[0] == "Dashboard"
    assert found(pages, "statistics") == ["Analytics"]
    assert found(pages, "zzz") == []


def test_a_post_has_commands_on_its_pages(pages: Pages, post_id: str) -> None:
    assert found(pages, "version") == []
    assert found(pages, "version", post=post_id) == ["Version history"]
    assert found(pages, "schedule", post=post_id)[0] == "Publish or schedule"
    assert found(pages, "copy link", post=post_id) == []  # it has no address yet
    assert found(pages, "version", post="no-such-post") == []


def test_formatting_is_offered_in_the_editor_only(pages: Pages, post_id: str) -> None:
    editor = {
        "HX-Request": "true",
        "HX-Target": "div#found",
        "HX-Current-URL": f"http://localhost/desk/posts/{post_id}",
    }
    address = f"/desk/commands?q=insert table&post={post_id}"
    assert labels(pages.client.get(address, headers=editor).text) == ["Insert table"]
    elsewhere = {**editor, "HX-Current-URL": f"http://localhost/desk/posts/{post_id}/history"}
    assert labels(pages.client.get(address, headers=elsewhere).text) == []


def test_commands_of_owners_are_not_offered_to_authors(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    author = browser_of(somebody("author", "Ben"))
    assert found(author, "webhooks") == []
    assert found(author, "your account")[0].startswith("Your account")


def test_the_theme_is_a_preference_of_the_user(pages: Pages, owner: User) -> None:
    assert pages.post("/desk/theme/dark").status_code == 303
    assert 'data-scheme="dark"' in pages.client.get("/desk").text
    assert pages.post("/desk/theme/system").status_code == 303
    assert "data-scheme" not in pages.client.get("/desk").text
    assert pages.post("/desk/theme/purple").status_code == 422
    db.session.rollback()
    assert owner.prefers("shortcuts") is True


def test_all_shortcuts_are_a_page(pages: Pages) -> None:
    page = pages.client.get("/desk/commands?show=keys").text
    assert "Keyboard shortcuts" in page
    assert "<kbd>Ctrl Shift 8</kbd>" in page
