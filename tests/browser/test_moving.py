"""Import and export in a real browser: an old blog is imported with its images, exported, and imported again."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from blogsvc.models import Media, Post, db
from tests.browser.conftest import Desk, a_desk
from tests.images import png

HERE = Path(__file__).parent.parent / "transfer" / "files"
A_WHILE = 60_000  # milliseconds, for a busy machine


class _OldBlog(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path.endswith("ferry.jpg")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "image/png" if found else "text/plain")
        self.end_headers()
        self.wfile.write(png(640, 400) if found else b"gone")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def old_blog() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _OldBlog) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def words_of(desk: Desk) -> dict[str, tuple[object, ...]]:
    """Return the relevant fields of each post, by slug."""
    with desk.app():
        return {
            post.slug: (post.id, post.title, post.state, post.published_at, post.tags, post.summary, post.word_count)
            for post in db.session.scalars(select(Post))
        }


def import_file(page: Page, file: Path, *, look: Callable[..., None] | None = None) -> None:
    page.goto("/desk/settings/import")
    if look:
        look(page, "import")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload file").click()
    go = page.get_by_role("button", name="Import ")
    expect(go).to_be_visible(timeout=A_WHILE)
    if look:
        look(page, "import-planned")
    go.click()
    expect(page.get_by_text("imported").first).to_be_visible(timeout=A_WHILE)
    expect(page.get_by_role("link", name="Show posts")).to_be_visible(timeout=A_WHILE)
    if look:
        look(page, "import-finished")


def test_a_blog_can_be_imported_exported_and_imported_again(
    page: Page,
    desk: Desk,
    look: Callable[..., None],
    old_blog: str,
    tmp_path: Path,
    open_browser: Callable[..., object],
) -> None:
    xml = tmp_path / "wordpress.xml"
    xml.write_text((HERE / "wordpress.xml").read_text().replace("https://old.example", old_blog))
    import_file(page, xml, look=look)
    expect(page.get_by_text("7 imported")).to_be_visible()
    notes = page.get_by_role("listitem").filter(has_text="The classic").first
    notes.locator("summary").click()
    expect(notes.get_by_text("answered 404").first).to_be_visible()
    look(page, "import-notes")
    with desk.app():
        assert [media.filename for media in db.session.scalars(select(Media))] == ["ferry.jpg"]
    page.goto("/ferries-friends")
    expect(page.get_by_role("img", name="A ferry").first).to_be_visible()

    page.goto("/desk/settings/export")
    look(page, "export")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download zip").click()
    file = tmp_path / "export.zip"
    download.value.save_as(file)
    assert (
        "media/ferry.jpg" in zipfile.ZipFile(file).namelist() or "media/ferry.png" in zipfile.ZipFile(file).namelist()
    )

    with a_desk(tmp_path / "another") as empty:
        context = page.context.browser.new_context(base_url=empty.url)  # type: ignore[union-attr]
        context.add_cookies([{"name": "blogsvc", "value": empty.token(), "url": empty.url}])
        import_file(context.new_page(), file)
        context.close()
        assert words_of(empty) == words_of(desk)


def test_a_blog_can_be_imported_without_javascript(plain_page: Page, tmp_path: Path, look: Callable[..., None]) -> None:
    file = tmp_path / "posts.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("plain.md", "---\ntitle: Plain\ndate: 2020-01-02\n---\nWords.\n")
    import_file(plain_page, file)
    broken = tmp_path / "broken.json"
    broken.write_text('{"db": [')
    plain_page.goto("/desk/settings/import")
    plain_page.get_by_label("File", exact=True).set_input_files(broken)
    plain_page.get_by_role("button", name="Upload file").click()
    expect(plain_page.get_by_text("damaged or incomplete")).to_be_visible(timeout=A_WHILE)
    plain_page.get_by_role("button", name="Select another file").click()
    expect(plain_page.get_by_text("The file is deleted")).to_be_visible()
