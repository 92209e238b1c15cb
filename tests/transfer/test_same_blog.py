"""An export that is imported into an empty instance gives the same blog, table by table."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from blogsvc import create_app
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.media.site_images import choose_site_images
from blogsvc.models import Author, Media, Post, Redirect, Series, Setting, close_connections, db, setting, transaction
from blogsvc.models.post_fields import POST_FIELDS
from blogsvc.models.site_images import site_images
from blogsvc.models.tag_page import TagPage
from blogsvc.models.theme import Theme, save_theme
from blogsvc.navigation import menus, social_links
from blogsvc.posts import authors, editing, publishing, series, tag_pages
from blogsvc.redirects import listing, manage
from blogsvc.transfer import export, importing
from tests.clock import Time
from tests.databases import Databases
from tests.images import png
from tests.outside import Outside

Rows = list[dict[str, Any]]
Make = Callable[..., Post]


@pytest.fixture
def full_blog(app: Flask, tools: Tools, a_post: Make, time: Time) -> None:
    """A blog with a row of every kind that an export has."""
    cover, face = (images.add(png(60 + n, 40), f"{n}.png", f"Alt {n}", tools) for n in range(2))
    links = [{"label": "Home", "url": "https://ada.example/", "is_me": True}]
    ada = {"name": "Ada", "bio": "Wrote *programs*.", "picture_id": face.id, "links": links}
    authors.create({**ada, "fediverse": "ada@social.example"}, time())
    authors.change(authors.create({"name": "Bo"}, time()), {"slug": "bo-b"})  # the former address redirects
    authors.create({"name": "Cy", "bio": "Has not written yet.", "picture_id": face.id}, time())
    url = f"https://blog.example{cover.path}"
    post = {
        "cover_image": url,
        "cover_alt": "A",
        "cover_caption": "By [Bo](https://bo.example)",
        "tags": ["ink", "a/b"],
    }
    boats = {"title": "On boats", "description": "All *parts*.", "cover_image": url, "is_complete": True}
    series.create({**boats, "slug": "boats"}, time())
    tag_pages.write("a/b", {"title": "A and B", "description": "Both.", "cover_image": url})
    place = {"series": "boats", "series_part": 2}
    a_post(True, title="Both", **post, **place, authors=["bo-b", "ada"], is_pinned=True, meta_title="Both: the title")
    time.passes(hours=1)
    moved = a_post(True, title="Moved", slug="first", content=f"![Alt]({cover.path})", authors=["ada"])
    editing.edit(moved, {"slug": "second", "language": "de"}, None, time.passes(hours=1))
    publishing.publish(moved, time())
    about = a_post(True, title="About", kind="page", is_unlisted=True)
    items = [{"label": "About", "to": f"page:{about.id}"}, {"label": "Ink", "to": "tag:ink"}]
    menus.save_menus(
        {"header": items, "footer": [{"label": "Shop", "to": "https://a.example"}]}, "https://blog.example"
    )
    social_links.save_social_links([{"label": "Me", "url": "https://social.example/@ada", "is_me": True}])
    describe_the_blog(tools)
    a_post(title="Draft", summary="Not yet", kind="page", authors=["bo-b"])
    for path, target, status in (
        ("/mine", "/second", 301),
        ("/gone", None, 410),
        ("/to/*", "https://a.example/*", 302),
    ):
        manage.create(path, target, status, tools.config.public_url)


def describe_the_blog(tools: Tools) -> None:
    named = {"title": "Harbour notes", "description": "Boats, *ropes*.", "author": "Ada", "language": "de-AT"}
    more = {"slug_script": "native", "security_contact": "ada@blog.example", "ai_preference": "no-training"}
    with transaction():
        setting.describe_blog(named | more)
        css = ".lead { color: teal }\n.cover { background: url(/media/sea.webp) }"
        save_theme(Theme("#7a1f5c", "sans", "wide", "cards", "dark", css), tools.now())
    drawn = {"icon": png(512, 520), "logo": png(301, 100), "logo_dark": png(302, 100)}
    added = {name: images.add(body, f"{name}.png", f"The {name}", tools).id for name, body in drawn.items()}
    choose_site_images(added, tools)  # type: ignore[arg-type]


def tables(tools: Tools) -> dict[str, Rows]:
    """Return what the database has, with images in place of their names, which differ, and without what readers of no
    blog can see: ids of rows, and times of the import itself."""
    files = {media.key: f"image of {media.width} x {media.height}" for media in db.session.scalars(select(Media))}
    by_id = {media.id: files[media.key] for media in db.session.scalars(select(Media))}

    def plain(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        text = value.replace(tools.config.public_url, "")
        return re.sub(r"/media/([\w-]+?)(?:-\d+)?\.\w+", lambda found: files.get(found[1], found[0]), text)

    posts = [
        {name: plain(getattr(post, name)) for name in POST_FIELDS}
        | {name: getattr(post, name) for name in ("state", "published_at", "content_changed_at")}
        | {"is_live": post.site_revision_id is not None}
        for post in db.session.scalars(select(Post).order_by(Post.slug))
    ]
    people = [
        {name: getattr(author, name) for name in ("slug", "name", "bio", "links", "fediverse")}
        | {"picture": by_id.get(author.picture_id or "")}
        for author in db.session.scalars(select(Author).order_by(Author.slug))
    ]
    are_made = ~Redirect.path.startswith("/media/")  # an import adds the addresses of images that it renames
    rows = db.session.scalars(select(Redirect).where(are_made).order_by(Redirect.path)).all()
    redirects = [{"path": one.row.path, "target": one.address, "status": one.row.status} for one in listing.shown(rows)]
    media = [{"file": files[one.key], "alt": one.alt} for one in db.session.scalars(select(Media))]
    heads = ("title", "description", "cover_image")
    of_series = [
        {name: plain(getattr(one, name)) for name in ("slug", *heads, "is_complete")}
        for one in db.session.scalars(select(Series).order_by(Series.slug))
    ]
    of_tags = [{name: plain(getattr(one, name)) for name in ("tag", *heads)} for one in TagPage.all()]
    frame = {name: Setting.read(name) for name in ("blog_navigation", "blog_social", "blog_theme")} | setting.blog()
    frame |= {name: by_id[media_id] for name, media_id in site_images().items()}
    return {
        "setting": [frame],
        "series": of_series,
        "tag_page": of_tags,
        "post": posts,
        "author": people,
        "redirect": redirects,
        "media": sorted(media, key=lambda one: one["file"]),
    }


def require_same_blog(first: dict[str, Rows], second: dict[str, Rows]) -> None:
    for name, rows in first.items():
        assert rows, f"the blog has no {name} to compare"
        assert second[name] == rows, name


@pytest.fixture
def elsewhere(config: Config, empty_instance: Path, databases: Databases, tmp_path: Path) -> Iterator[Config]:
    """The settings of a second instance, which is empty."""
    shutil.copytree(empty_instance, tmp_path / "elsewhere")
    url = databases.lend()
    yield replace(config, instance=tmp_path / "elsewhere", base_url="https://new.example", database_url=url)
    databases.give_back(url)


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_a_blog_is_the_same_after_export_and_import(
    form: Any, full_blog: None, tools: Tools, elsewhere: Config, outside: Outside, tmp_path: Path
) -> None:
    for media in db.session.scalars(select(Media)):
        body = (tools.config.media / media.name).read_bytes()
        headers = {"Content-Type": media.media_type}
        outside.teach("GET", f"https://blog.example{media.path}", status=200, body=body, headers=headers)
    first = tables(tools)
    file = export.to_file(form, tmp_path / ("out.json" if form == "json" else "out.zip"), tools)

    others = replace(tools, config=elsewhere)
    with create_app(tools=others).app_context():
        import_id = importing.receive_path(file, others).id
        importing.step(import_id, others)
        importing.begin(import_id, others, blog=True)
        while importing.step(import_id, others):
            pass
        second = tables(others)
        close_connections()
    require_same_blog(first, second)
