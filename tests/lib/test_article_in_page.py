"""The text of an article in a page."""

from __future__ import annotations

import pytest

from blogsvc.errors import TextRefused
from blogsvc.lib.text.article_in_page import MAX_LENGTH, article_in

HEAD = "<!doctype html><html><head><title>T</title><script>'<article>'</script></head><body>"


@pytest.mark.parametrize(
    "page",
    [
        '<main><div class="h-entry"><h1 class="p-name">T</h1><div class="x e-content">{}</div><p>Tags</p></div></main>',
        '<main><article><header>By Ada</header><div class="entry-content">{}</div></article></main>',
        '<div class="post-content">{}</div><article class="related">Another one</article>',
        '<div class="e-content">{}</div><div class="e-content">A comment</div>',
        "<header>A blog</header><article>{}</article><footer>Imprint</footer>",
        "<nav>Home</nav>\n<main>{}</main>",
    ],
)
def test_the_article_is_recognised_by_its_markup(page):
    text = "<p>Oaks é <b>grow</b>\nslowly<br>here.\r\n\u2028</p><div><div>x</div></div>"
    found = article_in(HEAD + page.format(text))
    assert found is not None
    assert "grow</b>" in found
    assert found.count("<div>x</div></div>") == 1
    assert not any(word in found for word in ("Tags", "Ada", "Another", "comment", "Imprint", "Home", "script"))


def test_a_page_without_an_article_has_none():
    assert article_in(HEAD + "<div><p>Sign in</p></div>") is None
    assert article_in("") is None
    assert article_in("<article>" * 3) is not None


def test_a_page_of_excessive_size_is_refused():
    with pytest.raises(TextRefused):
        article_in("a" * (MAX_LENGTH + 1))
