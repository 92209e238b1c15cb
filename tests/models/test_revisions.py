"""Revisions: the live one is rendered once."""

from __future__ import annotations

from blogsvc.lib.markdown.render import render
from blogsvc.models import Post, transaction
from blogsvc.models.revision import rendered
from tests.clock import NOW

WORDS = {"title": "Long", "slug": "long", "content": "A *long* text. " * 2000}


def test_content_rendered_in_advance_is_not_rendered_again(app: object) -> None:
    ahead = rendered(WORDS["content"], None)
    assert ahead == render(WORDS["content"])

    with transaction():
        post = Post.write(WORDS, ["site"], NOW)
        assert post.pin("published", NOW).html is ahead
