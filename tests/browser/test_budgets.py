"""Size budgets: compressed scripts, styles, fonts and HTML of an uncached page, and its number of requests."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Response

from tests.browser.conftest import Desk, a_desk
from tests.browser.screenshots import PAGES
from tests.browser.seed import seed

KB = 1024
AUTHORING = {"script": 24 * KB, "stylesheet": 8 * KB, "document": 14 * KB, "font": 85 * KB, "requests": 12}
# With the page of the blog in the preview, in its own fonts.
EDITOR = {**AUTHORING, "document": 18 * KB, "font": 200 * KB, "requests": 16}
# The same preview, with the styles of the strip above it.
LOOK = {**EDITOR, "stylesheet": 9 * KB}
# A post with code and headings has two scripts: one copies code, one finds the part that an address names.
BLOG = {"script": 0.9 * KB, "stylesheet": 7.5 * KB, "document": 14 * KB, "font": 72 * KB, "requests": 8}
PUBLIC = {"home": "/", "archive": "/archive", "post": "/a-ferry-in-the-fog"}
# The pages that show the font of the draft.
IN_DRAFT = {"editor", "history", "details"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Desk]:
    with a_desk(tmp_path_factory.mktemp("seeded"), shared_database_url) as desk:
        with desk.app() as (app, tools):
            post = seed(tools, app)
            desk.ids |= {"post": post.id, "failing": post.id}
        yield desk


@pytest.mark.parametrize("name", PAGES)
def test_an_authoring_page_stays_within_its_size_budget(
    name: str, desk: Desk, open_browser: Callable[..., BrowserContext]
) -> None:
    budget = LOOK if name == "look" else EDITOR if name in IN_DRAFT else AUTHORING
    weights = weigh(open_browser(), PAGES[name].format(**desk.ids))
    assert over(weights, budget) == {}, dict(weights)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_blog_page_stays_within_its_size_budget(name: str, open_browser: Callable[..., BrowserContext]) -> None:
    weights = weigh(open_browser(None), PUBLIC[name])
    assert over(weights, BLOG) == {}, dict(weights)


def over(weights: Counter[str], budget: dict[str, float]) -> dict[str, float]:
    return {kind: weights[kind] - most for kind, most in budget.items() if weights[kind] > most}


def weigh(browser: BrowserContext, path: str) -> Counter[str]:
    """Return the compressed bytes by type that a page loads, without images."""
    answers: list[Response] = []
    page = browser.new_page()
    page.on("response", lambda answer: answers.append(answer))
    page.goto(path, wait_until="networkidle")
    weights: Counter[str] = Counter()
    for answer in answers:
        kind = answer.request.resource_type
        if kind == "image" or answer.status >= 300:
            continue
        body = answer.body()
        weights[kind] += len(body) if kind == "font" else len(gzip.compress(body))
        weights["requests"] += 1
    return weights
