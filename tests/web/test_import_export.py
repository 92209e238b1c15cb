"""The pages of import and export: a file is analyzed before its posts are imported; and everything can be exported."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from blogsvc.context import Tools
from blogsvc.models import ImportJob, Post, PostSlug, User, db
from tests.web.page_walk import Pages

HERE = Path(__file__).parent.parent / "transfer" / "files"
GHOST = (HERE / "ghost.json").read_bytes()
IMPORT = "/desk/settings/import"


def a_zip(*titles: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for title in titles:
            archive.writestr(f"{title.lower()}.md", f"---\ntitle: {title}\ndate: 2020-01-02\n---\nWords of {title}.\n")
    return out.getvalue()


def send(pages: Pages, data: bytes, name: str = "export.zip") -> TestResponse:
    """Upload as a browser would; the forms of the test client leave large files open."""
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + data + b"\r\n--x--\r\n"
    return pages.client.post(
        IMPORT, data=body, content_type="multipart/form-data; boundary=x", headers={"X-CSRFToken": pages.token()}
    )


def test_an_import_file_is_analyzed_before_anything_is_imported(
    pages: Pages, owner: User, tick: Callable[[], None]
) -> None:
    page = send(pages, a_zip("Ferry", "Quay")).location
    assert 'hx-trigger="every 1s"' in pages.get(page).text
    assert '<meta http-equiv="refresh"' in pages.get(page).text  # without JavaScript
    tick()
    plan = pages.get(page)
    assert "2 posts" in plan.text
    assert "Import 2 posts" in plan.text
    assert "every 1s" not in plan.text
    assert db.session.scalars(select(Post)).all() == []
    assert pages.post(f"{page}/begin", drafts="y", images="y", taken="skip").status_code == 303
    fragment = pages.fragment(page).text
    assert fragment.lstrip().startswith('<div id="import"')
    assert "0 of 2" in fragment
    tick()
    done = pages.get(page).text
    assert "2 imported" in done
    posts = db.session.scalars(select(Post)).all()
    assert all(f'href="/desk/posts/{post.id}"' in done for post in posts)
    assert {post.author_id for post in posts} == {owner.id}
    assert "2 imported" in pages.get(IMPORT).text


def test_the_import_of_a_removed_user_creates_posts_without_an_author(
    pages: Pages, somebody: Callable[..., User], browser_of: Callable[[User], Pages], tick: Callable[[], None]
) -> None:
    ben = somebody("owner", "Ben")
    page = send(browser_of(ben), a_zip("Ferry")).location
    tick()
    pages.post(f"/desk/settings/users/{ben.id}/remove")
    pages.post(f"{page}/begin", drafts="y", images="y", taken="skip")
    tick()
    assert [post.author_id for post in db.session.scalars(select(Post))] == [None]


def test_an_import_shows_which_old_addresses_lead_to_a_page(
    pages: Pages, owner: User, tick: Callable[[], None]
) -> None:
    posts = [
        {"id": slug, "slug": slug, "title": slug, "html": "<p>Words.</p>", "status": "published", "visibility": of}
        | {"published_at": "2020-01-02T00:00:00.000Z"}
        for slug, of in (("ferry", "public"), ("about", "members"))
    ]
    file = json.dumps({"db": [{"data": {"posts": posts}}]}).encode()
    page = send(pages, file, "ghost.json").location
    tick()
    assert "4 of 5 addresses of the old blog will lead to a page here." in pages.get(page).text
    pages.post(f"{page}/begin", drafts="y", images="y", taken="skip")
    tick()
    done = pages.get(page).text
    assert "4 of 5 addresses of the old blog lead to a page here." in done
    assert '<code dir="auto">/about</code> &#39;about&#39; is a draft here.' in done


def test_slug_conflicts_are_shown_and_can_be_resolved(
    pages: Pages, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    a_post(title="Ferry", slug="ferry")
    page = send(pages, a_zip("Ferry", "Quay")).location
    tick()
    plan = pages.get(page).text
    assert "1 post has an address that is already in use." in plan
    assert "Address in use" in plan
    pages.post(f"{page}/begin", drafts="y", images="y", taken="rename")
    tick()
    assert db.session.get(PostSlug, "ferry-2") is not None
    again = send(pages, a_zip("Ferry", "Quay")).location
    tick()
    assert "This file has no new posts." in pages.get(again).text


def test_a_ghost_import_asks_for_the_original_site(pages: Pages, tick: Callable[[], None]) -> None:
    page = send(pages, GHOST, "ghost.json").location
    tick()
    plan = pages.get(page).text
    assert 'name="site"' in plan
    assert "It was visible only to members" in plan
    answer = pages.post(f"{page}/begin", drafts="y", images="y", taken="skip", site="my blog")
    assert answer.status_code == 422
    assert "must be a URL" in answer.text
    assert ImportJob.latest()[0].state == "planned"


def test_an_import_of_scheduled_posts_asks_whether_they_keep_their_times(
    pages: Pages, tick: Callable[[], None]
) -> None:
    post = {"id": "1", "slug": "soon", "title": "Soon", "html": "<p>Words.</p>", "status": "scheduled"}
    posts = [{**post, "published_at": "2026-12-24T09:00:00.000Z"}]
    page = send(pages, json.dumps({"db": [{"data": {"posts": posts}}]}).encode(), "ghost.json").location
    tick()
    plan = pages.get(page).text
    assert 'name="schedule"' in plan
    assert "It was scheduled for 2026-12-24T09:00:00.000Z" in plan
    pages.post(f"{page}/begin", drafts="y", images="y", taken="skip", schedule="y")
    tick()
    assert "Scheduled" in pages.get(page).text
    assert db.session.scalars(select(Post)).one().state == "scheduled"


def test_an_unreadable_import_file_shows_the_reason_and_can_be_discarded(
    pages: Pages, tick: Callable[[], None]
) -> None:
    page = send(pages, b'{"db": ["', "ghost.json").location
    tick()
    told = pages.get(page).text
    assert "damaged or incomplete" in told
    assert pages.post(f"{page}/discard").location == IMPORT
    assert pages.get(page).status_code == 404


@pytest.mark.parametrize("data", [b"", None])
def test_an_empty_upload_is_rejected(pages: Pages, data: bytes | None) -> None:
    answer = pages.post(IMPORT) if data is None else send(pages, data)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_an_import_file_may_be_larger_than_other_requests_up_to_its_limit(pages: Pages, tools: Tools) -> None:
    assert send(pages, bytes(10 * 1024 * 1024), "a.zip").status_code == 303
    object.__setattr__(tools.config, "import_mib", 1)
    assert send(pages, bytes(1024 * 1024 + 10)).status_code == 422
    assert send(pages, bytes(3 * 1024 * 1024)).status_code == 413
    assert pages.client.post("/desk/settings/blog", data={"x": "a" * (8 * 1024 * 1024)}).status_code == 413


def test_an_import_can_be_discarded_while_its_file_is_read(pages: Pages, tick: Callable[[], None]) -> None:
    page = send(pages, a_zip("Ferry")).location
    assert f'action="{page}/discard"' in pages.get(page).text
    assert pages.post(f"{page}/discard").location == IMPORT
    tick()
    assert pages.get(page).status_code == 404


def test_an_import_can_be_cancelled(pages: Pages, tick: Callable[[], None]) -> None:
    page = send(pages, a_zip("Ferry")).location
    tick()
    assert pages.post(f"{page}/cancel").status_code == 409
    pages.post(f"{page}/begin", drafts="y", taken="skip")
    assert "Stopped" in pages.post(f"{page}/cancel", follow=True).text
    assert pages.post(f"{page}/begin", drafts="y", taken="skip").status_code == 409


def test_an_import_whose_file_is_gone_says_so(pages: Pages, tick: Callable[[], None], tools: Tools) -> None:
    page = send(pages, a_zip("Ferry")).location
    tick()
    pages.post(f"{page}/begin", drafts="y", taken="skip")
    shutil.rmtree(tools.config.imports)
    tick()
    told = pages.get(page).text
    assert "Stopped, 0 imported" in told
    assert "The uploaded file is no longer on the server. Upload it again." in told


def test_hostile_titles_in_an_import_are_escaped(pages: Pages, tick: Callable[[], None]) -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.md", "---\ntitle: '<script>alert(1)</script>'\ndate: 2020-01-01\n---\nx {{< <b>x >}}\n")
    page = send(pages, out.getvalue(), "<img src=x>.zip").location
    tick()
    told = pages.get(page).text
    assert "<script>alert" not in told
    assert "<img src=x" not in told


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_everything_can_be_exported(pages: Pages, a_post: Callable[..., Post], form: str) -> None:
    a_post(True, title="Ferry")
    assert f"/desk/settings/export/{form}" in pages.get("/desk/settings/export").text
    answer = pages.get(f"/desk/settings/export/{form}")
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=blog-2026-11-24.")
    assert answer.headers["Cache-Control"] == "no-store"
    if form == "json":
        assert json.loads(answer.data)["posts"][0]["title"] == "Ferry"
    else:
        assert "posts/2026-11-24-ferry.md" in zipfile.ZipFile(BytesIO(answer.data)).namelist()
    answer.close()


def test_an_unknown_export_format_returns_404(pages: Pages) -> None:
    assert pages.get("/desk/settings/export/xml").status_code == 404


@pytest.mark.parametrize("path", [IMPORT, "/desk/settings/export", "/desk/settings/export/json"])
def test_import_and_export_require_an_owner(
    path: str, somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    assert browser_of(somebody("editor", name="Ben")).get(path).status_code == 403


def test_an_editor_cannot_upload_an_import_file(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages]
) -> None:
    ben = browser_of(somebody("editor", name="Ben"))
    assert send(ben, bytes(10 * 1024 * 1024)).status_code in (403, 413)
    assert db.session.scalars(select(ImportJob)).all() == []
