"""Import and export: imported posts exist once, with their original dates and addresses."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from blogsvc import create_app, migrate
from blogsvc.auth import accounts
from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.errors import Invalid, StateConflict
from blogsvc.media import images
from blogsvc.models import (
    Author,
    Connection,
    Delivery,
    Event,
    ImportedPost,
    ImportJob,
    Media,
    Post,
    PostSlug,
    Series,
    Setting,
    TagPage,
    close_connections,
    db,
    transaction,
)
from blogsvc.models.import_job import LEASE
from blogsvc.posts import editing, publishing, series, tag_pages, trash
from blogsvc.transfer import export, import_images, importing
from blogsvc.transfer.import_run import BATCH_SIZE
from tests.clock import Time
from tests.connections.test_not_connected import statements_of
from tests.images import png
from tests.outside import Outside

HERE = Path(__file__).parent / "files"
UPLOADS = "https://old.example/wp-content/uploads/"


def zipped(files: dict[str, str | bytes]) -> BytesIO:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    out.seek(0)
    return out


def a_file(title: str, date: str = "2020-01-02", text: str = "Some words.", **more: str) -> str:
    lines = "".join(f"{name}: {value}\n" for name, value in more.items())
    return f"---\ntitle: {title}\ndate: {date}\n{lines}---\n{text}\n"


Bring = Callable[..., ImportJob]


@pytest.fixture
def import_file(app: Flask, tools: Tools, tick: Callable[[], None]) -> Bring:
    """Return a function that imports a file with the scheduler."""

    def one(data: Any, name: str = "export.zip", **choices: Any) -> ImportJob:
        if isinstance(data, Path):
            import_id = importing.receive_path(data, tools).id
        else:
            import_id = importing.receive(data, name, None, tools).id
        tick()
        assert ImportJob.get(import_id).state == "planned", ImportJob.get(import_id).error
        importing.begin(import_id, tools, **{"blog": True, **choices})
        tick()
        done = ImportJob.get(import_id)
        assert done.state == "finished"
        return done

    return one


def states(one: ImportJob) -> dict[str, str]:
    return {entry.slug: entry.state for entry in ImportedPost.all_of(one.id)}


def by_slug(slug: str) -> Post:
    address = db.session.get(PostSlug, slug)
    assert address is not None, slug
    return Post.get(address.post_id)


def teach_images(outside: Outside) -> None:
    for path, width in (("2019/05/ferry.jpg", 64), ("2018/01/quay.png", 40)):
        outside.teach("GET", UPLOADS + path, status=200, body=png(width), headers={"Content-Type": "image/png"})


def test_a_wordpress_blog_is_imported_with_its_dates_images_and_old_addresses(
    import_file: Bring, outside: Outside, client: FlaskClient
) -> None:
    teach_images(outside)
    done = import_file(HERE / "wordpress.xml")
    assert done.counts() == {"waiting": 0, "made": 7, "skipped": 0, "failed": 0}
    post = by_slug("ferries-friends")
    assert (post.state, post.published_at) == ("published", datetime(2019, 5, 10, 8, tzinfo=UTC))
    assert "](/classic)" in post.content  # a symlink among the posts
    assert "old.example" not in post.content
    assert post.cover_image is not None
    assert post.cover_image.startswith("https://blog.example/media/")
    assert len(db.session.scalars(select(Media)).all()) == 2  # each once, even if several posts use it
    assert {media.alt for media in db.session.scalars(select(Media))} == {"A ferry", ""}
    page = client.get("/ferries-friends")
    assert page.status_code == 200
    assert re.search(r"/media/[a-z-]+-[0-9a-z]{10}\.", page.text)
    assert client.get("/%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82").status_code == 200
    assert by_slug("diary").state == by_slug("members").state == "draft"
    assert client.get("/members").status_code == 404


def test_imported_posts_are_not_delivered_and_keep_their_dates_in_feeds(
    import_file: Bring, outside: Outside, connect: Callable[..., str], client: FlaskClient, tools: Tools
) -> None:
    connect("hook")
    with transaction():
        Setting.write("default_platforms", ["site", "hook"])
    import_file(zipped({"a.md": a_file("Old", "2011-05-06")}))
    post = by_slug("a")
    assert [delivery.destination for delivery in post.deliveries] == ["site"]
    assert outside.requests == []
    types = [event.type for event in db.session.scalars(select(Event).where(Event.post_id == post.id))]
    assert types == ["post.imported"]
    feed = client.get("/feed.json").json
    assert feed["items"][0]["date_published"].startswith("2011-05-06")
    assert feed["items"][0]["date_modified"].startswith("2011-05-06")


def test_importing_a_file_twice_creates_nothing_twice(import_file: Bring, outside: Outside) -> None:
    teach_images(outside)
    import_file(HERE / "wordpress.xml")
    count = len(db.session.scalars(select(Post)).all())
    again = import_file(HERE / "wordpress.xml", taken="rename")
    assert set(states(again).values()) == {"skipped"}
    assert len(db.session.scalars(select(Post)).all()) == count
    trash.erase(by_slug("classic"), datetime(2026, 11, 24, tzinfo=UTC))
    third = import_file(HERE / "wordpress.xml")
    assert [slug for slug, state in states(third).items() if state == "made"] == ["classic"]


def test_a_post_with_a_taken_slug_is_skipped_or_renamed(import_file: Bring, a_post: Callable[..., Post]) -> None:
    a_post(title="Hello", slug="hello")
    files = {"hello.md": a_file("Hello"), "archive.md": a_file("Archive"), "b/hello.md": a_file("Hello too")}
    skipped = import_file(zipped(files))
    assert states(skipped) == {"archive": "made", "hello": "skipped"}
    assert by_slug("archive-2").title == "Archive"  # the page of the archive itself cannot be used
    renamed = import_file(zipped(files), taken="rename")
    assert renamed.counts()["made"] == 2
    assert by_slug("hello-2").title in ("Hello", "Hello too")
    assert by_slug("hello-3").title in ("Hello", "Hello too")


def test_two_posts_with_one_slug_in_one_file_are_both_imported(import_file: Bring) -> None:
    import_file(zipped({"a/x.md": a_file("One"), "b/x.md": a_file("Two")}))
    assert {by_slug("x").title, by_slug("x-2").title} == {"One", "Two"}


def test_a_post_that_cannot_be_made_fails_alone_and_one_that_occurs_twice_is_made_once(import_file: Bring) -> None:
    too_large = a_file("Many", text="![x](/a.png)\n\n" * 4_000)  # more images than a page may have
    files = {"a.md": a_file("A"), "b.md": too_large, "c.md": a_file("C"), "copy/a.md": a_file("A")}
    done = import_file(zipped(files), images=False)
    assert [(entry.title, entry.state) for entry in ImportedPost.all_of(done.id)] == [
        ("A", "made"), ("Many", "failed"), ("C", "made"), ("A", "skipped"),
    ]  # fmt: skip
    assert {post.title for post in db.session.scalars(select(Post))} == {"A", "C"}


def test_drafts_and_images_can_be_excluded_from_an_import(import_file: Bring) -> None:
    files = {"a.md": a_file("A", text="![x](p.png)"), "b.md": a_file("B", draft="true"), "p.png": png()}
    done = import_file(zipped(files), drafts=False, images=False)
    assert states(done) == {"a": "made", "b": "skipped"}
    assert "![x](p.png)" in by_slug("a").content
    assert db.session.scalars(select(Media)).all() == []


def test_an_image_that_cannot_be_fetched_keeps_its_url_with_a_warning(
    import_file: Bring, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside.teach("GET", "https://old.example/gone.png", status=404)
    outside.teach("GET", "https://old.example/page.png", status=200, body=b"<html>")
    outside.names["inside.example"] = ["10.0.0.1"]
    for number in range(5):
        outside.teach("GET", f"https://down.example/{number}.png", failure="unreachable")
    addresses = ["https://old.example/gone.png", "https://old.example/page.png", "https://inside.example/a.png"]
    addresses += [f"https://down.example/{number}.png" for number in range(5)]
    text = "\n\n".join(f"![x]({address})" for address in [*addresses, "lost.png"])
    done = import_file(zipped({"a.md": a_file("A", text=text)}))
    assert by_slug("a").content == text
    told = "\n".join(ImportedPost.all_of(done.id)[0].warnings)
    for word in (
        "9 images were not imported",
        "answered 404",
        "10.0.0.1",
        "no more images were requested",
        "not in the file",
    ):
        assert word in told or word == "10.0.0.1", told
    assert sum("down.example" in seen.url for seen in outside.requests) == import_images.IMAGE_ATTEMPTS


def test_ghost_images_are_fetched_from_the_original_site(import_file: Bring, outside: Outside) -> None:
    for name in ("van.png", "house.png"):
        url = f"https://ghost.example/content/images/2023/11/{name}"
        outside.teach("GET", url, status=200, body=png(), headers={"Content-Type": "image/png"})
    import_file(HERE / "ghost.json", site="https://ghost.example/")
    post = by_slug("moving-house")
    assert post.content.count("/media/van-") == 1
    assert (post.cover_image or "").startswith("https://blog.example/media/house-")
    assert "__GHOST_URL__" not in post.content


OWN = "__GHOST_URL__"
LEXICAL = {
    "root": {
        "type": "root",
        "children": [
            {"type": "link", "url": f"{OWN}/b/", "children": [{"type": "text", "text": OWN}]},
            {"type": "image", "src": f"{OWN}/content/images/a.png", "alt": OWN, "caption": f"<a href='{OWN}/'>x</a>"},
            {"type": "html", "html": f"<iframe src='{OWN}/x'></iframe><audio src='{OWN}/content/media/a.mp3'></audio>"},
            {"type": "markdown", "markdown": f"[m]({OWN}/b/#c) and <{OWN}/b/>\n\n    {OWN}/code"},
        ],
    }
}
MOBILEDOC = {
    "cards": [["html", {"html": f'<a href="{OWN}/content/files/a.pdf">{OWN}/content/files/a.pdf</a>'}]],
    "markups": [["a", ["href", f"{OWN}/a/"]]],
    "sections": [[1, "p", [[0, [0], 1, OWN]]], [10, 0]],
}


@pytest.mark.parametrize("site", ["", "https://ghost.example"])
def test_the_placeholder_of_ghost_for_its_address_never_survives(
    import_file: Bring, outside: Outside, tmp_path: Path, tools: Tools, site: str
) -> None:
    html = f"""<p>See {OWN}/b/, <a href="{OWN}/b/">b</a>, <a href="{OWN}">home</a> and
        <a href="{OWN}/about/">{OWN}/about/</a>.
        <code>{OWN}/b_c/</code></p><pre><code>GET {OWN}/x</code></pre><div dir="rtl"><a href="{OWN}/b/">b</a></div>
        <table><tr><td colspan="2"><a href="{OWN}/b/">b</a></td></tr></table>
        <figure class="kg-bookmark-card"><a href="{OWN}/b/"><div class="kg-bookmark-title">{OWN}</div></a></figure>
        <figure><iframe src="{OWN}/embed/"></iframe></figure><video src="{OWN}/content/media/v.mp4"></video>"""
    of_all = {"status": "published", "published_at": "2020-01-02T10:00:00Z", "custom_excerpt": f"At {OWN}/b/"}
    posts = [
        {"id": "1", "uuid": "1", "title": f"A {OWN}", "slug": "a", "html": html, "canonical_url": f"{OWN}/a/"},
        {"id": "2", "uuid": "2", "title": "B", "slug": "b", "html": None, "lexical": json.dumps(LEXICAL)},
        {"id": "3", "uuid": "3", "title": "C", "slug": "c", "mobiledoc": json.dumps(MOBILEDOC)},
    ]
    more = {"feature_image": f"{OWN}/content/images/c.png", "canonical_url": f"{OWN}/other/", "codeinjection_head": OWN}
    meta = {"post_id": "1", "meta_title": f"At {OWN}", "og_image": f"{OWN}/og.png", "feature_image_caption": OWN}
    data = {"posts": [{**post, **of_all, **more, **post} for post in posts], "posts_meta": [meta]}
    (tmp_path / "ghost.json").write_text(json.dumps({"db": [{"data": data}]}))
    for name in ("a", "c"):
        outside.teach("GET", f"https://ghost.example/content/images/{name}.png", status=404)
    done = import_file(tmp_path / "ghost.json", site=site)
    assert set(states(done).values()) == {"made"}
    told = [warning for entry in ImportedPost.all_of(done.id) for warning in entry.warnings]
    stored = export.to_file("json", tmp_path / "out.json", tools).read_text()
    for trace in ("GHOST", "ghost-url", "](:", "](<"):
        assert trace not in stored + "\n".join(told), trace
    assert by_slug("a").content.startswith(f"See {site}/b/, [b](/b), [home](/) and [{site}/about/](/about).")
    assert "](/b)\n" in by_slug("a").content
    assert by_slug("a").canonical_url is None
    assert by_slug("b").canonical_url == (f"{site}/other/" if site else None)
    assert f"[m](/b#c) and [{site}/b/](/b)" in by_slug("b").content
    assert f"({site}/content/files/a.pdf)" in by_slug("c").content
    assert any("1 video, audio or other file was not imported" in warning for warning in told)


def test_an_import_killed_between_two_posts_is_resumed(app: Flask, tools: Tools, tick: Callable[[], None]) -> None:
    files: dict[str, str | bytes] = {f"{number}.md": a_file(f"Post {number}") for number in range(2 * BATCH_SIZE + 3)}
    import_id = importing.receive(zipped(files), "a.zip", None, tools).id
    assert not importing.step(import_id, tools)
    importing.begin(import_id, tools, blog=True)
    assert importing.step(import_id, tools)
    # The process is killed here: another one has only the rows and the file.
    close_connections()
    other = create_app(tools=tools)
    with other.app_context():
        counts = ImportJob.get(import_id).counts()
        assert 0 < counts["made"] <= BATCH_SIZE
        assert counts["made"] + counts["waiting"] == len(files)
        while importing.step(import_id, tools):
            pass
        assert ImportJob.get(import_id).state == "finished"
        assert len(db.session.scalars(select(Post)).all()) == len(files)
        close_connections()


class Killed(BaseException):
    """Stands for the end of the process."""


def kill_while_reading(import_id: str, tools: Tools) -> None:
    """Start to read the file, and end as a killed process does: without giving the lease back."""

    def dying() -> bool:
        raise Killed

    with pytest.raises(Killed):
        importing.step(import_id, tools, dying)
    db.session.rollback()


def test_an_import_whose_reading_was_interrupted_twice_fails_and_can_be_discarded(
    app: Flask, tools: Tools, time: Time
) -> None:
    import_id = importing.receive(zipped({"a.md": a_file("A")}), "a.zip", None, tools).id
    for _ in range(2):
        kill_while_reading(import_id, tools)
        assert not importing.step(import_id, tools)  # another process may still read it
        assert ImportJob.get(import_id).state == "reading"
        time.passes(seconds=LEASE.total_seconds() + 1)
    importing.step(import_id, tools)
    assert (ImportJob.get(import_id).state, ImportJob.get(import_id).error) == ("failed", importing.INTERRUPTED)
    importing.discard(import_id, tools)
    assert ImportJob.latest() == []


def test_an_import_whose_reading_was_interrupted_once_is_read_again(app: Flask, tools: Tools, time: Time) -> None:
    import_id = importing.receive(zipped({"a.md": a_file("A")}), "a.zip", None, tools).id
    kill_while_reading(import_id, tools)
    time.passes(seconds=LEASE.total_seconds() + 1)
    importing.step(import_id, tools)
    assert ImportJob.get(import_id).state == "planned"


def test_a_server_that_stops_gives_a_file_back_to_be_read_by_the_next_one(app: Flask, tools: Tools) -> None:
    import_id = importing.receive(zipped({"a.md": a_file("A")}), "a.zip", None, tools).id
    for _ in range(5):
        importing.step(import_id, tools, lambda: True)
        assert ImportJob.get(import_id).state == "reading"
    importing.step(import_id, tools)
    assert ImportJob.get(import_id).state == "planned"


def test_an_import_that_is_discarded_while_it_is_read_leaves_nothing(app: Flask, tools: Tools) -> None:
    import_id = importing.receive(zipped({"a.md": a_file("A")}), "a.zip", None, tools).id
    asked = iter(range(100))

    def discarding() -> bool:
        if next(asked) == 0:
            importing.discard(import_id, tools)
        return False

    assert not importing.step(import_id, tools, discarding)
    assert ImportJob.latest() == []
    assert list((tools.config.instance / "imports").iterdir()) == []


def test_an_import_killed_during_a_post_duplicates_neither_the_post_nor_its_images(
    app: Flask, tools: Tools, time: Time
) -> None:
    text = "![a](a.png) ![b](b.png)"
    import_id = importing.receive(
        zipped({"a.md": a_file("A", text=text), "a.png": png(), "b.png": png(30, 20)}), "a.zip", None, tools
    ).id
    importing.step(import_id, tools)
    importing.begin(import_id, tools, blog=True)

    calls = iter(range(100))

    def dying() -> datetime:
        # During the second image, before the post exists.
        if len(db.session.scalars(select(Media)).all()) == 1 and next(calls) > 1:
            raise Killed
        return time()

    with pytest.raises(Killed):
        importing.step(import_id, replace(tools, now=dying))
    db.session.rollback()
    assert db.session.scalars(select(Post)).all() == []
    assert not importing.step(import_id, tools)  # another process may still use it
    time.passes(seconds=LEASE.total_seconds() + 1)
    while importing.step(import_id, tools):
        pass
    assert ImportJob.get(import_id).counts()["made"] == 1
    assert len(db.session.scalars(select(Media)).all()) == 2


def test_the_end_of_an_import_needs_as_few_statements_for_many_posts(app: Flask, tools: Tools) -> None:
    def at_the_end(count: int) -> int:
        files: dict[str, str | bytes] = {f"{count}-{n}.md": a_file(f"Post {n} of {count}") for n in range(count)}
        import_id = importing.receive(zipped(files), "a.zip", None, tools).id
        importing.step(import_id, tools)
        importing.begin(import_id, tools, blog=True)
        importing.step(import_id, tools)
        assert ImportJob.get(import_id).counts()["made"] == count
        statements = statements_of(lambda: importing.step(import_id, tools))
        assert ImportJob.get(import_id).state == "finished"
        return statements

    assert at_the_end(12) <= at_the_end(2)


def test_an_import_can_be_cancelled_and_keeps_the_posts_made_so_far(app: Flask, tools: Tools) -> None:
    files: dict[str, str | bytes] = {f"{number}.md": a_file(f"Post {number}") for number in range(BATCH_SIZE + 1)}
    import_id = importing.receive(zipped(files), "a.zip", None, tools).id
    importing.step(import_id, tools)
    with pytest.raises(StateConflict):
        importing.cancel(import_id, tools)
    importing.begin(import_id, tools, blog=True)
    importing.step(import_id, tools)
    importing.cancel(import_id, tools)
    assert not importing.step(import_id, tools)
    counts = ImportJob.get(import_id).counts()
    assert counts["made"] == len(db.session.scalars(select(Post)).all()) > 0
    assert counts["waiting"] > 0
    assert not (tools.config.imports / import_id).exists()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x00\x01\x02", "file type can't be imported"),
        (b"{", "not valid JSON"),
        (b"<rss><channel>", "incomplete"),
        (b"PK\x03\x04", "damaged"),
    ],
)
def test_an_unreadable_import_file_fails_with_a_reason_and_leaves_no_file(
    data: bytes, word: str, app: Flask, tools: Tools, tick: Callable[[], None]
) -> None:
    import_id = importing.receive(BytesIO(data), "a", None, tools).id
    tick()
    failed = ImportJob.get(import_id)
    assert failed.state == "failed"
    assert word in (failed.error or "")
    assert not (tools.config.imports / import_id).exists()


def test_an_empty_or_too_large_import_file_is_rejected_and_not_stored(app: Flask, tools: Tools) -> None:
    small = replace(tools, config=replace(tools.config, import_mib=1))
    for data in (b"", bytes(1024 * 1024 + 1)):
        with pytest.raises(Invalid):
            importing.receive(BytesIO(data), "a", None, small)
    assert list((tools.config.instance / "imports").iterdir()) == []


def test_abandoned_imports_are_deleted(app: Flask, tools: Tools, time: Time) -> None:
    import_id = importing.receive(zipped({"a.md": a_file("A")}), "a.zip", None, tools).id
    importing.step(import_id, tools)
    importing.delete_old_imports(time.passes(days=3), tools.config)
    assert ImportJob.get(import_id).state == "planned"
    importing.delete_old_imports(time.passes(days=5), tools.config)
    assert db.session.scalars(select(ImportJob)).all() == []


def exported(tools: Tools) -> dict[str, bytes]:
    with export.to_stream("markdown", tools) as file, zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


ODD = '"Quotes": # [and] {braces} \\ — ünï'


@pytest.fixture
def full(app: Flask, tools: Tools, a_post: Callable[..., Post], time: Time) -> None:
    """A blog with every kind of content."""
    media = [images.add(png(60 + n, 40), name, "Alt", tools) for n, name in enumerate(("My photo.png", "my-photo.png"))]
    shown = f"![Alt]({media[0].path}) and ![Alt]({media[1].path})\n\n```\n![no]({media[0].path})\n```\n\nEnd"
    manage.connect("sandbox", "sandbox", {"outcome": "works"}, tools)
    cover = f"https://blog.example{media[1].path}"
    top = f"https://blog.example{media[0].path}"
    fields = {"title": "Odd: 'things'", "description": "Some *more*.", "cover_image": top, "is_complete": True}
    series.create(fields, time())
    series.create({"title": "Empty"}, time())
    tag_pages.write("a, b", {"title": "A: 'b'", "description": "Some *more*.", "cover_image": top})
    own: dict[str, Any] = {"sandbox": {"content": "No 'quotes'\n", "options": {"outcome": "works"}}}
    a_post(
        True,
        title=ODD,
        content=shown,
        tags=["a, b", "no"],
        cover_image=cover,
        cover_alt="No: 'x'",
        cover_caption="By *Ada*: 'x'",
        is_pinned=True,
        meta_title='Title: "x"',
        series="odd-things",
        series_part=7,
        overrides=own,
        language="de-AT",
    )
    time.passes(hours=1)
    a_post(title="A draft", content="---\n\nA rule, and  \nlines", summary="Said: #1")
    moved = a_post(True, title="Moved", slug="first", content="x", canonical_url="https://elsewhere.example/x?a=1")
    editing.edit(moved, {"slug": "second"}, None, time.passes(hours=2))
    publishing.publish(moved, time.passes(hours=1))
    a_post(title="../../etc/passwd", content="")
    a_post(True, title="About", kind="page", is_unlisted=True)


def test_exporting_an_imported_export_gives_the_same_files(
    full: None, tools: Tools, tmp_path: Path, blank_database_url: str, outside: Outside, time: Time
) -> None:
    first = exported(tools)
    assert {"media/my-photo.png", "media/my-photo-2.png"} <= set(first)
    assert "posts/2026-11-24-etc-passwd.md" in first
    assert not any(".." in name or name.startswith("/") for name in first)
    file = export.to_file("markdown", tmp_path / "out.zip", tools)
    assert file.stat().st_mode & 0o777 == 0o600

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    address = "https://new.example"
    config = replace(tools.config, instance=elsewhere, base_url=address, database_url=blank_database_url)
    others = replace(tools, config=config)
    other = create_app(tools=others)
    migrate(other)
    with other.app_context():
        import_id = importing.receive_path(file, others).id
        importing.step(import_id, others)
        assert [entry.warnings for entry in ImportedPost.all_of(import_id)] == [[]] * 5
        importing.begin(import_id, others, blog=True)
        while importing.step(import_id, others):
            pass
        assert ImportJob.get(import_id).counts()["made"] == 5
        second = exported(others)
        former = db.session.get(PostSlug, "first")
        assert former is not None
        assert Post.get(former.post_id).slug == "second"
        close_connections()
    first.pop("README.md"), second.pop("README.md")
    assert second == first


def test_importing_an_export_into_the_same_blog_creates_nothing(
    full: None, import_file: Bring, tools: Tools, tmp_path: Path
) -> None:
    done = import_file(export.to_file("markdown", tmp_path / "out.zip", tools))
    assert done.counts()["made"] == 0
    done = import_file(export.to_file("json", tmp_path / "out.json", tools))
    assert done.counts()["made"] == 0


def test_the_json_export_contains_everything_except_secrets_and_can_be_imported(
    full: None, import_file: Bring, tools: Tools, tmp_path: Path, connect: Callable[..., str], outside: Outside
) -> None:
    connect("hook")
    connection = Connection.named("hook")
    document = json.loads(export.to_file("json", tmp_path / "out.json", tools).read_text())
    assert (document["format"], document["version"]) == ("blogsvc-export", 1)
    assert [one["name"] for one in document["connections"]] == ["hook", "sandbox"]
    assert connection.settings["url"] not in json.dumps(document["connections"])
    post = next(post for post in document["posts"] if post["title"] == ODD)
    assert post["deliveries"][0]["url"] == f"/{post['slug']}"
    assert post["revisions"][0]["content"] == post["content"]
    assert post["overrides"]["sandbox"]["options"] == {"outcome": "works"}
    assert {media["filename"] for media in document["media"]} == {"My photo.png", "my-photo.png"}
    for media in document["media"]:
        outside.teach("GET", media["url"], status=200, body=png(), headers={"Content-Type": "image/png"})
    for one in db.session.scalars(select(Post)).all():
        trash.erase(one, tools.now())
    for row in Series.all():
        series.remove(row)
    tag_pages.remove("a, b")
    done = import_file(tmp_path / "out.json")
    assert done.counts()["made"] == 5
    assert by_slug("second").state == "published"
    again = json.loads(export.to_file("json", tmp_path / "again.json", tools).read_text())
    kept = ("coverAlt", "coverCaption", "kind", "isPinned", "isUnlisted", "metaTitle", "series", "seriesPart")
    assert [one | {"coverImage": ""} for one in again["series"]] == [
        one | {"coverImage": ""} for one in document["series"]
    ]
    assert [one["title"] for one in again["tagPages"]] == ["A: 'b'"]
    (cover,) = [one["coverImage"] for one in again["series"] if one["coverImage"]]
    assert cover.startswith("https://blog.example/media/")
    assert {one["id"]: [one[name] for name in kept] for one in again["posts"]} == {
        one["id"]: [one[name] for name in kept] for one in document["posts"]
    }


def test_an_import_describes_tags_that_have_no_description_yet(import_file: Bring, outside: Outside) -> None:
    tag_pages.write("Travel", {"title": "On the road"})
    outside.teach("GET", UPLOADS, status=404)
    import_file(HERE / "wordpress.xml", images=False)
    assert {page.tag: (page.title, page.description) for page in TagPage.all()} == {
        "Travel": ("On the road", ""),
        "Sea & Salt": ("", "Waves."),
    }


def test_posts_of_other_generators_bring_their_series(import_file: Bring, app: Flask, time: Time) -> None:
    boats = series.create({"title": "Boats"}, time())
    names = {"a": "boats", "b": '["On Ferries"]', "c": "On ferries", "d": "[]", "e": '""'}
    import_file(zipped({f"{slug}.md": a_file(slug, series=name, series_part="2") for slug, name in names.items()}))
    assert {slug: by_slug(slug).series for slug in names} == {
        "a": boats.slug,
        "b": "on-ferries",
        "c": "on-ferries",
        "d": None,
        "e": None,
    }
    assert (Series.named("on-ferries").title, by_slug("b").series_part) == ("On Ferries", 2)


def test_the_markdown_export_contains_the_published_revision(
    app: Flask, a_post: Callable[..., Post], tools: Tools
) -> None:
    post = a_post(True, title="Live", content="As published.")
    editing.edit(post, {"content": "Better."}, None, tools.now())
    assert b"As published." in exported(tools)["posts/2026-11-24-live.md"]
    with export.to_stream("json", tools) as file:
        document = json.load(file)
    assert document["posts"][0]["content"] == "Better."
    assert document["posts"][0]["hasUnpublishedChanges"] is True


@pytest.mark.settings(import_posts=2, import_images=1)
def test_an_import_respects_its_limits_on_posts_and_images(import_file: Bring) -> None:
    files: dict[str, str | bytes] = {f"{n}.md": a_file(f"P {n}", text=f"![x]({n}.png)") for n in range(3)}
    done = import_file(zipped(files | {f"{n}.png": png(20 + n, 20) for n in range(3)}))
    assert done.counts()["made"] == 2
    assert any("At most 2 posts" in reason for _, reason in done.left_out)
    assert len(db.session.scalars(select(Media)).all()) == 1
    assert db.session.scalars(select(Delivery.destination)).all() == ["site", "site"]


SCHEDULED = {
    "ghost": "2026-12-24T09:00:00.000Z",
    "wordpress": "2026-12-24 09:00:00",
    "markdown": "2026-12-24T09:00:00.000Z",
}


def a_scheduled_post(tmp_path: Path, form: str, at: str) -> Path:
    post = {
        "id": "1",
        "title": "Soon",
        "slug": "soon",
        "html": "<p>Words</p>",
        "status": "scheduled",
        "published_at": at,
    }
    item = (
        f"<item><title>Soon</title><content>x</content><post_date_gmt>{at}</post_date_gmt><post_name>soon</post_name>"
        "<status>future</status><post_type>post</post_type></item>"
    )
    texts = {
        "ghost": json.dumps({"db": [{"data": {"posts": [post]}}]}),
        "wordpress": f"<rss><channel>{item.replace('content>', 'encoded>')}</channel></rss>",
        "markdown": f"---\ntitle: Soon\nslug: soon\ndate: {at}\n---\nWords",
    }
    (tmp_path / form).write_text(texts[form].replace("<encoded>", '<encoded xmlns="content">'))
    return tmp_path / form


@pytest.mark.parametrize("form", SCHEDULED)
def test_a_scheduled_post_keeps_its_time_if_its_author_says_so(
    import_file: Bring, tmp_path: Path, form: str, client: FlaskClient, time: Time, tick: Callable[[], None]
) -> None:
    done = import_file(a_scheduled_post(tmp_path, form, SCHEDULED[form]), schedule=True)
    post = by_slug("soon")
    assert (post.state, post.scheduled_at) == ("scheduled", datetime(2026, 12, 24, 9, tzinfo=UTC))
    [entry] = ImportedPost.all_of(done.id)
    assert (entry.status, entry.warnings) == ("scheduled", [])
    types = [event.type for event in db.session.scalars(select(Event).where(Event.post_id == post.id))]
    assert types == ["post.imported"]
    assert client.get("/soon").status_code == 404
    time.passes(days=31)
    tick()
    assert client.get("/soon").status_code == 200


@pytest.mark.parametrize("form", SCHEDULED)
def test_a_scheduled_post_becomes_a_draft_by_default_and_says_so(import_file: Bring, tmp_path: Path, form: str) -> None:
    done = import_file(a_scheduled_post(tmp_path, form, SCHEDULED[form]))
    assert (by_slug("soon").state, by_slug("soon").scheduled_at) == ("draft", None)
    [entry] = ImportedPost.all_of(done.id)
    assert entry.status == "draft"
    assert entry.warnings == [
        "It was scheduled for 2026-12-24T09:00:00.000Z. It is imported as a draft, unless you keep the times of"
        " scheduled posts."
    ]


def test_a_post_that_was_scheduled_for_the_past_is_a_draft_and_says_so(import_file: Bring, tmp_path: Path) -> None:
    done = import_file(a_scheduled_post(tmp_path, "ghost", "2025-01-01T09:00:00.000Z"), schedule=True)
    assert by_slug("soon").state == "draft"
    [entry] = ImportedPost.all_of(done.id)
    assert "which has passed" in entry.warnings[0]


def test_a_time_that_passes_before_the_import_begins_is_not_kept(
    tmp_path: Path, tools: Tools, time: Time, app: Flask
) -> None:
    import_id = importing.receive_path(a_scheduled_post(tmp_path, "ghost", SCHEDULED["ghost"]), tools).id
    importing.step(import_id, tools)
    time.passes(days=40)
    importing.begin(import_id, tools, blog=True, schedule=True)
    while importing.step(import_id, tools):
        pass
    assert by_slug("soon").state == "draft"
    assert "which has passed" in ImportedPost.all_of(import_id)[0].warnings[-1]


def test_scheduled_posts_are_no_drafts_if_drafts_are_left_out(import_file: Bring, tmp_path: Path) -> None:
    file = a_scheduled_post(tmp_path, "ghost", SCHEDULED["ghost"])
    assert states(import_file(file, drafts=False)) == {"soon": "skipped"}
    assert states(import_file(file, drafts=False, schedule=True)) == {"soon": "made"}


def test_a_json_export_keeps_the_date_of_an_old_post_and_that_of_a_draft_from_elsewhere(
    import_file: Bring, tmp_path: Path, tools: Tools
) -> None:
    old = {"title": "Old", "content": "Words.", "status": "published", "publishedAt": "1950-06-01T12:00:00Z"}
    moved = {"title": "Moved", "content": "Words.", "status": "draft", "publishedAt": "2019-05-04T10:00:00Z"}
    document = {"format": "blogsvc-export", "version": 1, "posts": [{"id": "a", **old}, {"id": "b", **moved}]}
    done = import_file(BytesIO(json.dumps(document).encode()), "export.json")
    assert done.counts()["made"] == 2
    posts = {post.title: post for post in db.session.scalars(select(Post))}
    assert (posts["Old"].published_at, posts["Old"].state) == (datetime(1950, 6, 1, 12, tzinfo=UTC), "published")
    assert posts["Old"].deliveries[0].id.startswith("dlv_0000000000")
    assert (posts["Moved"].dated_at, posts["Moved"].state) == (datetime(2019, 5, 4, 10, tzinfo=UTC), "draft")
    again = json.loads(export.to_file("json", tmp_path / "out.json", tools).read_text())
    assert {post["title"]: post["publishedAt"] for post in again["posts"]} == {
        "Old": "1950-06-01T12:00:00.000Z",
        "Moved": "2019-05-04T10:00:00.000Z",
    }


def test_an_exported_draft_keeps_its_destinations_and_waits_for_their_accounts(
    import_file: Bring, a_post: Callable[..., Post], tools: Tools
) -> None:
    post = a_post(title="Ink", platforms=["site", "wordpress"])
    post_id, files = post.id, exported(tools)
    assert b'platforms: ["site", "wordpress"]' in files["posts/2026-11-24-ink.md"]
    with export.to_stream("json", tools) as file:
        document = BytesIO(file.read())
    for data, name in ((zipped(files), "export.zip"), (document, "export.json")):
        trash.erase(Post.get(post_id), tools.now())
        import_file(data, name)
        assert by_slug("ink").platforms == ["site", "wordpress"]


def test_an_unknown_destination_of_an_export_is_removed_with_a_note(import_file: Bring) -> None:
    text = a_file("Ink", draft="true", blogsvc_id="post_1", platforms="[site, fax, dev.to]")
    done = import_file(zipped({"ink.md": text}))
    assert by_slug("ink").platforms == ["site", "devto"]
    (entry,) = ImportedPost.all_of(done.id)
    assert "Its destination 'fax' is unknown here, and was removed." in entry.warnings


def test_the_authors_of_ghost_keep_their_names_pictures_and_links(
    import_file: Bring, outside: Outside, client: FlaskClient, tmp_path: Path
) -> None:
    user = {"id": "1", "name": "Ada", "slug": "ada", "email": "ada@example.org", "bio": "Writes.", "twitter": "@ada"}
    user |= {"profile_image": f"{OWN}/content/images/ada.png", "website": "https://ada.example"}
    kim = [{"id": number, "name": "Kim", "slug": slug} for number, slug in (("2", "kim"), ("3", "kim-2"))]
    post = {"status": "published", "published_at": "2020-01-02T10:00:00Z", "html": "<p>x</p>"}
    posts = [{**post, "id": str(n), "uuid": str(n), "title": f"P {n}", "slug": f"p-{n}"} for n in range(3)]
    named = [("0", "2"), ("0", "1"), ("1", "3"), ("2", "1")]
    authors = [{"post_id": of, "author_id": by, "sort_order": n} for n, (of, by) in enumerate(named)]
    data = {"posts": posts, "users": [user, *kim], "posts_authors": authors}
    (tmp_path / "ghost.json").write_text(json.dumps({"db": [{"data": data}]}))
    picture = "https://ghost.example/content/images/ada.png"
    outside.teach("GET", picture, status=200, body=png(90, 90), headers={"Content-Type": "image/png"})
    import_file(tmp_path / "ghost.json", site="https://ghost.example")

    assert [by_slug(f"p-{n}").authors for n in range(3)] == [["kim", "ada"], ["kim-2"], ["ada"]]
    ada = Author.named("ada")
    assert (ada.name, ada.bio, ada.user_id) == ("Ada", "Writes.", None)
    assert [link["url"] for link in ada.links] == ["https://ada.example", "https://x.com/ada"]
    media = db.session.get(Media, ada.picture_id)
    assert media is not None
    assert media.path in client.get("/author/ada").text
    import_file(tmp_path / "ghost.json", site="https://ghost.example")
    assert sorted(author.slug for author in Author.all()) == ["ada", "kim", "kim-2"]


def test_an_imported_author_with_the_address_of_a_user_is_that_user(
    import_file: Bring, outside: Outside, tools: Tools
) -> None:
    for name in ("van", "house"):
        outside.teach("GET", f"https://old.example/content/images/2023/11/{name}.png", status=404)
    accounts.add_user("ADA@example.org", "Countess", "correct horse battery", "owner", "UTC", tools.now())
    import_file(HERE / "ghost.json", site="https://old.example")
    assert by_slug("moving-house").authors == ["countess"]
    assert [author.slug for author in Author.all()] == ["countess"]


def test_the_authors_of_wordpress_and_of_front_matter_are_imported(
    import_file: Bring, outside: Outside, client: FlaskClient, tmp_path: Path
) -> None:
    teach_images(outside)
    text = (HERE / "wordpress.xml").read_text()
    name = "<wp:author_display_name><![CDATA[Ada Lovelace]]></wp:author_display_name>"
    (tmp_path / "a.xml").write_text(
        text.replace("</wp:author_login></wp:author>", f"</wp:author_login>{name}</wp:author>")
    )
    import_file(tmp_path / "a.xml")
    assert by_slug("ferries-friends").authors == ["ada"]
    assert Author.named("ada").name == "Ada Lovelace"
    assert client.get("/?author=1").location == "/author/ada"

    files = {"a.md": a_file("A", author="Ada Lovelace"), "b.md": a_file("B", authors="[Bo, Kim K.]")}
    import_file(zipped(files))
    assert by_slug("a").authors == ["ada"]
    assert by_slug("b").authors == ["bo", "kim-k"]


def test_images_in_every_notation_are_imported_and_exported(import_file: Bring, tools: Tools) -> None:
    notations = '![a](a.png "T") ![b][r] ![r]\n\n<img src=a.png alt=c>\n\n> [r]: <a.png>'
    import_file(zipped({"a.md": a_file("A", text=notations), "a.png": png(20)}))
    assert by_slug("a").content.count("/media/a-") == 3
    assert "a.png" not in by_slug("a").content
    with export.to_stream("markdown", tools) as file, zipfile.ZipFile(file) as archive:
        (name,) = (name for name in archive.namelist() if name.startswith("posts/"))
        text = archive.read(name).decode()
    assert text.count("../media/a.png") == 3
    assert "/media/a-" not in text
