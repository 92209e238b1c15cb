"""An export that is imported into an empty instance gives the same blog, table by table, and then the same export."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from blogsvc import create_app
from blogsvc.config import ROOT, Config
from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.media import images
from blogsvc.media.site_images import choose_site_images
from blogsvc.models import Media, Post, close_connections, db, setting, transaction
from blogsvc.models.redirect import Target, keep
from blogsvc.models.theme import Theme, save_theme
from blogsvc.navigation import menus, social_links
from blogsvc.posts import authors, editing, publishing, series, tag_pages
from blogsvc.redirects import manage
from blogsvc.transfer import export, import_images, importing
from tests.clock import Time
from tests.images import png
from tests.outside import Outside
from tests.transfer import corpus, same_blog

FILE_NAMES = {"json": "out.json", "markdown": "out.zip"}
Make = Callable[..., Post]


@pytest.fixture
def full_blog(app: Flask, tools: Tools, a_post: Make, time: Time) -> None:
    """A blog with a row of every kind that an export has."""
    cover, face = (images.add(png(60 + n, 40), f"{n}.png", f"Alt {n}", tools) for n in range(2))
    links = [{"label": "Home", "url": "https://ada.example/", "is_me": True}]
    ada = {"name": "Ada", "bio": f"Wrote *programs*. ![P]({cover.path})", "picture_id": face.id, "links": links}
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
    boats = {
        "title": "On boats",
        "description": f"All *parts*: ![]({cover.path})",
        "cover_image": url,
        "is_complete": True,
    }
    series.create({**boats, "slug": "boats"}, time())
    tag_pages.write("a/b", {"title": "A and B", "description": f"Both. ![B]({url})", "cover_image": url})
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
    time.passes(minutes=1, milliseconds=250)
    publishing.publish(a_post(title="At once"), time.passes(milliseconds=40))
    time.passes(minutes=1)
    a_post(title="Draft", summary="Not yet", kind="page", authors=["bo-b"])
    a_post(title="Dated", dated_at=time() - timedelta(days=400))
    own = {"summary": "Short", "canonical_url": "https://a.example/b", "overrides": {"mastodon": {"content": "Own"}}}
    a_post(True, title="Own", content=f"![]({cover.path}?w=300#a)", language="fr", **own)
    publishing.schedule(a_post(title="Later"), time() + timedelta(days=3), time())
    with transaction():  # addresses of a blog that was imported
        keep({"/tag/inks": Target(tag="ink"), "/old/0.png": Target(media_id=cover.id)})
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


def bring_in(file: Path, tools: Tools, **choices: Any) -> None:
    import_id = importing.receive_path(file, tools).id
    importing.step(import_id, tools)
    importing.begin(import_id, tools, **{"blog": True, "schedule": True, "taken": "rename", **choices})
    while importing.step(import_id, tools):
        pass


@pytest.fixture
def corpus_blog(app: Flask, tools: Tools, time: Time, outside: Outside, tmp_path: Path) -> None:
    """A blog with the exports of other programs, all articles and cases, and posts of hostile shape."""
    outside.teach("GET", "https://*", status=404)
    outside.teach("GET", "http://*", status=404)
    files = {"boat.png": png(50, 31), "ferry.png": png(50, 32)}
    for source in (
        corpus.markdown_zip(tmp_path / "site.zip", files),
        corpus.wordpress_xml(tmp_path / "cases.xml"),
        corpus.FILES / "wordpress.xml",
        corpus.FILES / "ghost.json",
    ):
        bring_in(source, tools, images=source.suffix == ".zip", blog=False)
    paths = [images.add(png(60, 40 + number), f"Boat {number}.png", "", tools).path for number in range(3)]
    for number, fields in enumerate(corpus.posts(paths)):
        time.passes(minutes=1)
        post = editing.create(fields, ["site"], time())
        if number % 4:
            with suppress(Invalid):
                publishing.publish(post, time())


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_a_blog_is_the_same_after_export_and_import(
    form: Any, full_blog: None, tools: Tools, elsewhere: Config, outside: Outside, tmp_path: Path
) -> None:
    assert " ".join(same_blog.without_value(same_blog.tables())) == "", "the blog has no value to compare"
    require_same(form, tools, elsewhere, outside, tmp_path)


def test_a_blog_is_the_same_if_its_images_take_long(
    full_blog: None,
    tools: Tools,
    elsewhere: Config,
    outside: Outside,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(import_images, "LIBRARY_SECONDS", -1.0)  # each image in a step of its own
    require_same("markdown", tools, elsewhere, outside, tmp_path)


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_a_withdrawn_post_keeps_its_former_addresses(
    form: Any, a_post: Make, time: Time, tools: Tools, elsewhere: Config, tmp_path: Path
) -> None:
    post = a_post(True, title="Withdrawn", slug="was-one")
    editing.edit(post, {"slug": "was-two"}, None, time.passes(hours=1))
    publishing.publish(post, time())
    publishing.unpublish(post, time())
    file = export.to_file(form, tmp_path / FILE_NAMES[form], tools)
    others = replace(tools, config=elsewhere)
    app = create_app(tools=others)
    with app.app_context():
        bring_in(file, others)
        publishing.publish(Post.get(post.id), time())
        assert app.test_client().get("/was-one").headers["Location"] == "/was-two"
        close_connections()


def test_a_blog_is_the_same_from_a_folder_that_was_packed_again(
    full_blog: None, tools: Tools, elsewhere: Config, outside: Outside, tmp_path: Path
) -> None:
    def packed_again(file: Path) -> Path:
        with zipfile.ZipFile(file) as zipped, zipfile.ZipFile(tmp_path / "again.zip", "w") as again:
            for name in zipped.namelist():
                again.writestr(f"my export/{name}", zipped.read(name))
        return tmp_path / "again.zip"

    require_same("markdown", tools, elsewhere, outside, tmp_path, packed_again)


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_a_corpus_is_the_same_after_export_and_import(
    form: Any, corpus_blog: None, tools: Tools, elsewhere: Config, outside: Outside, tmp_path: Path
) -> None:
    assert db.session.scalar(select(func.count()).select_from(Post)) >= 200
    require_same(form, tools, elsewhere, outside, tmp_path)


def test_what_an_export_leaves_out_is_in_the_database_and_in_the_documentation() -> None:
    assert same_blog.unknown_names() == []
    told = (ROOT / "docs" / "import-and-export.md").read_text()
    for part in same_blog.LEFT_OUT:
        assert f"| {part.label} | {part.reason} |" in told


def require_same(
    form: Any,
    tools: Tools,
    elsewhere: Config,
    outside: Outside,
    tmp_path: Path,
    changed: Callable[[Path], Path] = lambda file: file,
) -> None:
    """Export, import into the empty instance, compare all tables, and export again."""
    serve_images(outside, tools)
    urls = tools.config.public_url, elsewhere.public_url
    first = same_blog.tables(*urls)
    file = export.to_file(form, tmp_path / FILE_NAMES[form], tools)
    others = replace(tools, config=elsewhere)
    with create_app(tools=others).app_context():
        bring_in(changed(file), others)
        second = same_blog.tables(*urls)
        again = export.to_file(form, tmp_path / f"again-{FILE_NAMES[form]}", others)
        close_connections()
    found = same_blog.differences(first, second)
    assert not found, "\n".join(found)
    assert contents(again, urls) == contents(file, urls)


def serve_images(outside: Outside, tools: Tools) -> None:
    for media in db.session.scalars(select(Media)):
        body, headers = (tools.config.media / media.name).read_bytes(), {"Content-Type": media.media_type}
        outside.teach("GET", f"https://blog.example{media.path}", status=200, body=body, headers=headers)


# What the JSON file has for people to read and no import reads, and what differs between two instances.
NOT_READ = {"exportedAt", "connections", "revisions", "liveRevision", "deliveries", "author"}
OF_AN_IMAGE = {"id", "createdAt"}


def contents(file: Path, public_urls: Iterable[str]) -> dict[str, str]:
    """Return the files in an export, or the parts of a JSON document, without what is not imported."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as zipped:
            return {name: zipped.read(name).decode("latin-1") for name in zipped.namelist()}

    def read(part: dict[str, Any]) -> dict[str, Any]:
        left_out = OF_AN_IMAGE if "mediaType" in part else NOT_READ
        return {name: value for name, value in part.items() if name not in left_out}

    text = re.sub("|".join(map(re.escape, public_urls)), "", file.read_text())
    document = json.loads(text, object_hook=read)
    posts = {post["id"]: json.dumps(post) for post in document.pop("posts")}
    return posts | {name: json.dumps(part) for name, part in document.items()}
