"""Images and files to import are kept where all machines read them: in a shared directory, or in an S3 store."""

from __future__ import annotations

import http.client
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from time import time

import pytest
from flask import Flask
from sqlalchemy import select

from blogsvc.connections.load import build_connector
from blogsvc.connectors import connectors
from blogsvc.connectors.base import Origins
from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.lib.storage import Storage
from blogsvc.lib.storage.s3 import S3Storage
from blogsvc.media import images
from blogsvc.models import Media, Post, db, transaction
from blogsvc.models.import_job import ImportJob
from blogsvc.models.process import forget_processes, report
from blogsvc.transfer import importing
from blogsvc.transfer.import_lease import imports_of_others
from tests.cluster.fleet import Fleet
from tests.cluster.s3_server import BUCKET, S3Server, own_s3
from tests.cluster.test_processes import a_process
from tests.images import jpeg
from tests.kill.test_media_survive import size_of, upload
from tests.transfer.test_importing import a_file, zipped

Machines = Callable[[str, str], Tools]
KINDS = ("a shared directory", "an S3 store")


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with own_s3(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty storage."""
    if request.param == KINDS[0]:
        (tmp_path / "shared").mkdir()
        return f"file://{tmp_path}/shared"
    return a_store(request)


@pytest.fixture
def store_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty S3 store."""
    return a_store(request)


def a_store(request: pytest.FixtureRequest) -> str:
    server: S3Server = request.getfixturevalue("s3")
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    name: str = request.getfixturevalue("tmp_path").name
    return f"s3://{BUCKET}/{name}"


@pytest.fixture
def machine(tools: Tools, tmp_path: Path) -> Iterator[Machines]:
    """Return a function that gives the tools of a machine by its name."""
    machines: list[Tools] = []

    def machine(name: str, url: str) -> Tools:
        machines.append(replace(tools, config=replace(tools.config, instance=tmp_path / name, media_url=url)))
        return machines[-1]

    yield machine
    for tools in machines:
        tools.config.storage.close()


def storages(machine: Machines, url: str) -> tuple[Storage, Storage]:
    one, two = (machine(name, url).config.storage for name in ("one", "two"))
    return one, two


def test_what_one_machine_writes_another_one_reads(machine: Machines, url: str) -> None:
    one, two = storages(machine, url)
    one.write("media/a.jpg", b"An image")
    for storage in (one, two):
        found = storage.local("media/a.jpg")
        assert found is not None
        assert found.read_bytes() == b"An image"
        assert storage.local("media/b.jpg") is None


def test_files_are_listed_and_removed(machine: Machines, url: str) -> None:
    one, two = storages(machine, url)
    for name in ("media/a-480.webp", "media/a.jpg", "media/b.jpg", "imports/one/file"):
        one.write(name, b"12345")
    assert two.names("media/a") == ["media/a-480.webp", "media/a.jpg"]
    assert two.names("media/") == ["media/a-480.webp", "media/a.jpg", "media/b.jpg"]
    assert two.names("nothing/") == []
    assert [(file.name, file.size) for file in two.files("imports", below=True)] == [("imports/one/file", 5)]
    assert list(two.files("imports")) == []
    assert sorted(file.name for file in two.files("media")) == two.names("media/")
    two.remove(["media/a.jpg", "media/missing.jpg"])
    two.remove_directory("imports/one")
    assert one.names("media/") == ["media/a-480.webp", "media/b.jpg"]
    assert list(one.files("imports", below=True)) == []


def test_copies_of_a_store_make_room_for_new_ones(machine: Machines, store_url: str, tmp_path: Path) -> None:
    machine("another", store_url).config.storage.write("media/new.jpg", b"12345678")
    before = S3Storage(store_url, tmp_path / "copies")
    for name in ("media/old.jpg", "media/older.jpg"):
        before.write(name, b"12345678")
        os.utime(before.place(name), (time() - 3600, time() - 3600))
    before.close()
    storage = S3Storage(store_url, tmp_path / "copies", max_copies_bytes=10)
    assert storage.local("media/new.jpg") is not None
    assert [path.name for path in storage.place("media").iterdir()] == ["new.jpg"]
    assert storage.local("media/old.jpg") is not None
    storage.close()


def test_a_store_that_hangs_holds_up_one_reader_and_then_nobody_for_a_while(
    machine: Machines, s3: S3Server, store_url: str
) -> None:
    one, two = storages(machine, store_url)
    one.write("media/a.jpg", b"An image")
    s3.hang()
    try:
        with pytest.raises(Busy, match="is unavailable"):
            two.local("media/a.jpg")
        with pytest.raises(Busy, match="is unavailable"):
            two.local("media/a.jpg")
    finally:
        s3.go_on()


def test_an_image_of_one_server_is_served_by_another(fleet: Fleet, s3: S3Server, url: str) -> None:
    fleet.settings |= s3.environment | {"BLOGSVC_MEDIA_URL": url}
    one, two = fleet.server("one"), fleet.server("two")
    found = upload(one, fleet.key)
    for size in (found, *found["sizes"]):
        assert size_of(two, size["url"]) == size["bytes"]
    status, _ = fleet.request(two, "DELETE", f"/media/{found['id']}")
    assert status == 204
    for member in (one, two):
        assert size_of(member, found["url"]) == -1
    assert fleet.tracebacks() == []


def test_while_the_store_hangs_a_server_says_that_trying_again_helps(
    fleet: Fleet, s3: S3Server, store_url: str
) -> None:
    fleet.settings |= s3.environment | {"BLOGSVC_MEDIA_URL": store_url}
    one, two = fleet.server("one"), fleet.server("two")
    found = upload(one, fleet.key)
    s3.hang()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", two.port, timeout=60)
        connection.request("GET", "/media/" + found["url"].rpartition("/")[2])
        answer = connection.getresponse()
        assert answer.status == 503
        assert answer.headers["Retry-After"] == "30"
        connection.close()
    finally:
        s3.go_on()


def test_the_sweep_removes_only_orphans(app: Flask, machine: Machines, url: str) -> None:
    one, two = machine("one", url), machine("two", url)
    kept = images.add(jpeg(), "kept.jpg", "", one)
    one.config.storage.write("media/orphan-0000000000.jpg", b"An upload that a kill interrupted")
    one.config.storage.write("media/of-something-else.jpg", b"Another program's")
    now = one.now() + timedelta(days=400)  # the time of a test is not that of the store
    assert images.remove_orphans(two.config, now) == 1
    assert sorted(two.config.storage.names("media/")) == sorted(
        ["media/of-something-else.jpg", *(f"media/{name}" for name in kept.names)]
    )


def test_a_guessed_name_is_no_request_to_the_store(app: Flask, machine: Machines, s3: S3Server, store_url: str) -> None:
    one, two = machine("one", store_url).config, machine("two", store_url)
    media = images.add(jpeg(), "ferry.jpg", "", two)
    s3.hang()
    try:
        for name in ("guess-0000000000.jpg", "../secret.key", f"{media.key}-77777.webp"):
            assert images.local_file(name, one) is None
        with pytest.raises(Busy):
            images.local_file(media.name, one)
    finally:
        s3.go_on()


def test_a_delivery_has_the_images_of_another_machine(app: Flask, machine: Machines, url: str) -> None:
    one, two = machine("one", url), machine("two", url)
    media = images.add(jpeg(1000, 700), "ferry.jpg", "", one)
    connector = build_connector(connectors()["webhook"], {"url": "https://hook.example"}, two, Origins())
    image = connector.images.get(f"{two.config.public_url}{media.path}")
    assert image is not None
    assert len(image.data) == media.bytes


def test_an_import_goes_on_on_another_machine(app: Flask, machine: Machines, url: str) -> None:
    one, two, three = machine("one", url), machine("two", url), machine("three", url)
    file = zipped({"a.md": a_file("Of trees", text="![](b.jpg)"), "b.jpg": jpeg()})
    import_id = importing.receive(file, "posts.zip", None, one).id
    importing.step(import_id, two)
    importing.begin(import_id, one, blog=True)
    while importing.step(import_id, three):
        pass
    assert ImportJob.get(import_id).state == "finished"
    assert [post.title for post in db.session.scalars(select(Post))] == ["Of trees"]
    (media,) = db.session.scalars(select(Media))
    assert one.config.storage.local(f"media/{media.name}") is not None
    assert list(one.config.storage.files("imports", below=True)) == []


def test_an_import_stays_on_the_machine_of_its_file_as_long_as_that_runs(
    app: Flask, tools: Tools, tmp_path: Path
) -> None:
    import_id = importing.receive(zipped({"a.md": a_file("Of trees")}), "posts.zip", None, tools).id
    another = replace(tools, config=replace(tools.config, instance=tmp_path / "another"))
    shared = replace(another, config=replace(another.config, media_url=f"file://{tmp_path}"))
    report(a_process("the server", host=tools.host, seen_at=tools.now()))
    found = [imports_of_others([import_id], each) for each in (tools, another, shared)]
    assert found == [{}, {import_id: "the uploaded file"}, {}]
    forget(["the server"])
    assert imports_of_others([import_id], another) == {}
    assert not importing.step(import_id, another)
    assert ImportJob.get(import_id).error == "The uploaded file is no longer on the server. Upload it again."


def forget(names: list[str]) -> None:
    with transaction():
        forget_processes(names)
