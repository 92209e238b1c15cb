"""Links to a part of a post arrive there, from wherever they come: the ids of texts have a prefix."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.posts import editing, publishing
from tests.browser.conftest import Desk
from tests.clock import eventually

GAP = "Words.\n\n" * 80
GUIDE = (
    f"[down](#über-uns)\n\n{GAP}## Setup\n\n{GAP}## Über uns\n\n{GAP}## हिन्दी में\n\n{GAP}## Part 1 -- Intro\n\n{GAP}"
    f'<p id="legacy">Legacy</p>\n\n{GAP}<p id="two words">Two words</p>\n\n{GAP}## Résumé\n\n{GAP}## Resume\n\n{GAP}'
)


@pytest.fixture(scope="module")
def guide(desk: Desk) -> str:
    """The path of a long post with parts. Another one, at /other, has a link to one of them."""
    with desk.app() as (_, tools):
        texts = {"guide": GUIDE, "other": "[setup](/guide#setup)", "plain": "Words."}
        for slug, content in texts.items():
            fields = {"title": slug.title(), "slug": slug, "content": content}
            publishing.publish(editing.create(fields, ["site"], tools.now()), tools.now())
    return "/guide"


@pytest.fixture
def reader(open_browser: Callable[..., BrowserContext]) -> Page:
    return open_browser(None).new_page()


def expect_arrival(page: Page, text: str) -> None:
    place = page.locator(":target")
    expect(place).to_contain_text(text)
    expect(place).to_be_in_viewport()
    eventually(lambda: place.evaluate("(place) => place.getBoundingClientRect().top") < 200)


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("setup", "Setup"),
        ("in-setup", "Setup"),
        ("über-uns", "Über uns"),
        ("%C3%BCber-uns", "Über uns"),
        ("uber-uns", "Über uns"),
        ("हिन्दी-में", "हिन्दी में"),
        ("part-1----intro", "Part 1 – Intro"),
        ("legacy", "Legacy"),
        ("two%20words", "Two words"),
        ("résumé", "Résumé"),
        ("resume", "Resume"),
    ],
)
def test_an_address_with_a_fragment_opens_at_its_part(guide: str, reader: Page, fragment: str, text: str) -> None:
    reader.goto(f"{guide}#{fragment}")
    expect_arrival(reader, text)


def test_a_link_from_another_post_arrives_and_the_way_back_is_one_step(guide: str, reader: Page) -> None:
    reader.goto("/other")
    reader.get_by_role("link", name="setup", exact=True).click()
    expect_arrival(reader, "Setup")
    reader.go_back()
    expect(reader).to_have_url("/other")
    reader.go_forward()
    expect_arrival(reader, "Setup")


def test_a_fragment_that_is_typed_into_the_address_arrives(guide: str, reader: Page) -> None:
    reader.goto(guide)
    reader.evaluate("location.hash = 'legacy'")
    expect_arrival(reader, "Legacy")
    reader.evaluate("location.hash = 'über-uns'")
    expect_arrival(reader, "Über uns")
    reader.go_back()
    expect_arrival(reader, "Legacy")


@pytest.mark.parametrize("fragment", ["missing", "%E0%A4%A", "", '"]'])
def test_other_fragments_open_at_the_top(guide: str, reader: Page, fragment: str) -> None:
    reader.goto(f"{guide}#{fragment}")
    assert reader.evaluate("scrollY") == 0


def test_only_texts_with_parts_load_the_script(guide: str, reader: Page) -> None:
    scripts = "[...document.scripts].filter((script) => script.src.includes('fragments.js')).length"
    reader.goto(guide)
    assert reader.evaluate(scripts) == 1
    reader.goto("/plain")
    assert reader.evaluate(scripts) == 0
