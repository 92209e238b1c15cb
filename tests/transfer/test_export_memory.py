"""An export of any size needs little memory: posts, revisions and images are read, written and sent in parts."""

from __future__ import annotations

import http.client
import re
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Literal

import pytest

from blogsvc import create_app
from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.lib.time import utc_now
from blogsvc.models import Media, Post, Revision, close_connections, db, transaction
from blogsvc.transfer import export
from tests.bench.servers import Place
from tests.bench.signed_in import signed_in
from tests.kill.server import Server
from tests.running_server import started
from tests.tiers import exhaustive

MIB = 1024 * 1024
TEXT = "Words of a long post. " * (256 * 1024 // 22)


def peak_of(form: Literal["markdown", "json"], tools: Tools) -> tuple[int, int]:
    """Make an export. Return its size and the most memory that Python objects took, in bytes."""
    db.session.expunge_all()
    tracemalloc.start()
    try:
        with export.to_stream(form, tools) as file:
            peak = tracemalloc.get_traced_memory()[1]
            return file.seek(0, 2), peak
    finally:
        tracemalloc.stop()


def test_the_revisions_of_a_post_are_not_in_memory_together(a_post: Callable[..., Post], tools: Tools) -> None:
    post = a_post(content=TEXT)
    with transaction():
        for number in range(100, 200):
            db.session.add(Revision.of(post.id, number, post.fields(), "saved", tools.now()))
    size, peak = peak_of("json", tools)
    assert size > 25 * MIB
    assert peak < 8 * MIB


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_long_posts_are_not_in_memory_together(
    a_post: Callable[..., Post], tools: Tools, form: Literal["markdown", "json"]
) -> None:
    for number in range(40):
        a_post(title=f"Post {number}", content=TEXT)
    size, peak = peak_of(form, tools)
    assert size > (10 * MIB if form == "json" else 0)
    assert peak < 7 * MIB


def add_images(tools: Tools, count: int, size: int) -> None:
    tools.config.media.mkdir(exist_ok=True)
    with transaction():
        for number in range(count):
            media = Media.of(f"photo {number}.png", "", tools.now())
            media.media_type, media.width, media.height, media.bytes = "image/png", 1, 1, size
            media.name = f"{media.id}-{number:016x}.png"
            with (tools.config.media / media.name).open("wb") as file:
                file.truncate(size)
            db.session.add(media)


def test_images_are_not_in_memory_at_all(tools: Tools, a_post: Callable[..., Post]) -> None:
    a_post()
    add_images(tools, 40, 2 * MIB)
    size, peak = peak_of("markdown", tools)
    assert size > 80 * MIB
    assert peak < 2 * MIB


@exhaustive
def test_a_slow_client_holds_neither_the_export_in_memory_nor_a_thread(tmp_path: Path, blank_database_url: str) -> None:
    server = Server(tmp_path / "instance", blank_database_url, settings={"BLOGSVC_THREADS": "2"})
    with started(server) as served:
        app = create_app(server.config)
        with app.app_context():
            add_images(app.extensions["tools"], 60, 5 * MIB)
            close_connections()
        cookie = signed_in(Place(server.instance, blank_database_url), utc_now())
        before = peak_memory(server)
        with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
            connection.request("GET", "/desk/settings/export/markdown", headers={"Cookie": cookie})
            answer = connection.getresponse()
            assert answer.status == 200
            assert int(answer.headers["Content-Length"]) > 300 * MIB
            assert answer.headers["Content-Disposition"].startswith("attachment; filename=blog-")
            first = answer.read(MIB)
            for _ in range(20):
                assert served.call("POST", "/posts", {"title": "Meanwhile"}).status == 201
            rest = answer.read()
        with zipfile.ZipFile(BytesIO(first + rest)) as archive:
            assert len(archive.namelist()) >= 61
            assert archive.testzip() is None
        assert peak_memory(server) - before < 40 * MIB


def peak_memory(server: Server) -> int:
    """Return the most resident memory that the server has had, in bytes."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+)", status)
    assert found is not None
    return int(found[1]) * 1024


def test_one_export_is_made_at_a_time(
    tools: Tools, a_post: Callable[..., Post], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[Exception] = []

    def again() -> object:
        try:
            export.to_stream("json", tools)
        except Busy as error:
            refused.append(error)
        return utc_now()

    object.__setattr__(tools, "now", again)  # the export asks for the time while it is being made
    export.to_stream("json", tools).close()
    assert [str(error) for error in refused] == ["Another export is being made. Try again in a moment."]
    object.__setattr__(tools, "now", utc_now)
    export.to_stream("json", tools).close()
