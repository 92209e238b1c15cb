"""Render the pages of the blog: each template gets the blog, its menus, the page, and what is shown on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import current_app, render_template
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from blogsvc.blog import icons, theme
from blogsvc.blog.contract import Feed, Page, Site
from blogsvc.blog.heads import Head
from blogsvc.blog.views import ATOM, JSON_FEED, look_of, nav_of, site_of
from blogsvc.models.theme import Theme


def render(template: str, head: Head, **values: Any) -> str:
    """Return the HTML of a page. `values` are objects of the contract."""
    look = head.theme or Theme.read()
    blog = site_of(head.blog, look.scheme)
    nav = nav_of(head.blog, head.path, is_first=head.is_first)
    page = _page_of(head, blog, look, values)
    return render_template(f"blog/{template}", blog=blog, nav=nav, theme=look_of(look), page=page, **values)


def _page_of(head: Head, blog: Site, look: Theme, values: dict[str, Any]) -> Page:
    data = head.json_ld
    own = (head.feed,) if head.feed else ()
    page = Page(
        kind=head.kind,
        path=head.path,
        is_first=head.is_first,
        title=head.title,
        description=head.description,
        canonical=head.canonical,
        robots=head.robots,
        feeds=(Feed(blog.title, blog.feed_path, ATOM), Feed(blog.title, "/feed.json", JSON_FEED), *own),
        feed=head.feed,
        json_ld=htmlsafe_json_dumps(data, dumps=current_app.json.dumps, sort_keys=True) if data else Markup(),
        head=Markup(),
        foot=Markup(),
    )
    entry = values.get("entry")
    metadata = render_template(
        "blog/_head.html",
        blog=blog,
        page=page,
        entry=entry,
        link_preview=head.link_preview,
        fediverse=head.fediverse,
        document=head.document,
        icon=icons.best_path(head.blog),
        has_own_icon=bool(head.blog.frame.icon),
        style_sheet=theme.address(look),
        fonts=theme.FONTS if look.has_font_files else (),
        papers=theme.papers(look),
        # Previews have none.
        scripts=theme.script_addresses(entry.html) if entry and head.style is None else (),
        style=head.style and Markup(head.style),  # noqa: S704  (our style sheet)
    )
    return replace(page, head=Markup(metadata))  # noqa: S704  (rendered)
