"""Pages of the blog as readers would see them with another look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from blogsvc.blog import heads, pages, queries, theme
from blogsvc.blog.pages import Shown
from blogsvc.blog.posts import Blog
from blogsvc.blog.rendering import render
from blogsvc.blog.working_copy import PreviewPage, staying_in_frame
from blogsvc.models.navigation import FIXED
from blogsvc.models.theme import Theme


def _newest_post(blog: Blog) -> Shown:
    """Return the page of the newest post, or the home page if there is none."""
    found = queries.page_of_posts(blog, 1, None).entries
    return pages.post_page(found[0]) if found else pages.home_page(blog)


PAGES: dict[str, Callable[[Blog], Shown]] = {
    "home": pages.home_page,
    "post": _newest_post,
    "archive": lambda blog: pages.archive_page(blog, FIXED["archive"]),
}


def preview_look(look: Theme, page: str, scheme: str | None) -> PreviewPage:
    """Return a page of PAGES with a look that is checked. It counts no view, and is in no cache.

    `scheme` is "light" or "dark", None for that of the browser.
    """
    shown = PAGES[page](Blog.read())
    style = theme.text(look, scheme)
    head = replace(shown.head, robots=heads.NOT_INDEXED, style=style, theme=look)
    html = render(shown.template, head, **shown.values)
    head_and_style, end, rest = html.partition("</style>")  # which custom CSS can't contain
    return PreviewPage(head_and_style + end + staying_in_frame(rest), style)
