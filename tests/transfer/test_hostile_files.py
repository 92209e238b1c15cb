"""Hostile import files: each is refused with a reason, or imported in part, in a process that ends with them."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest
from flask import Flask

from blogsvc.context import Tools
from blogsvc.lib.html_to_markdown import plain_text
from blogsvc.models import ImportedPost, ImportJob, db
from blogsvc.transfer import import_parse, importing
from blogsvc.transfer.formats.parsed_post import SkippedItem, UnreadableFile
from tests.clock import eventually
from tests.siege.texts import WORST_HTML
from tests.tiers import matrix

PROJECT = Path(__file__).parents[2]
MIB = 1024 * 1024
Tick = Callable[[], None]


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> BytesIO:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    out.seek(0)
    return out


def laughs() -> bytes:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE rss [<!ENTITY a0 "ha">{entities}]><rss><channel>&a9;</channel></rss>'.encode()


def ghost(html: str) -> bytes:
    post = {"id": "1", "title": "Of trees", "slug": "trees", "html": html, "status": "published"}
    return json.dumps({"db": [{"data": {"posts": [{**post, "published_at": "2020-01-02T03:04:05Z"}]}}]}).encode()


def with_many_files() -> BytesIO:
    """Return a zip whose last record says that it has more files than are allowed."""
    data = bytearray(packed({"a.md": b"words"}).getvalue())
    place = data.rindex(b"PK\x05\x06")
    data[place + 8 : place + 12] = b"\xff\xff\xff\xff"
    return BytesIO(bytes(data))


HOSTILE: dict[str, tuple[Callable[[], BytesIO], str]] = {
    "entities": (lambda: BytesIO(laughs()), "declares entities"),
    "deep XML": (lambda: BytesIO(b"<rss><channel>" + b"<item>" * 100_000), "too deeply nested"),
    "deep JSON": (lambda: BytesIO(b'{"db":' + b"[" * 500_000), "not valid JSON"),
    "a number of a million digits": (lambda: BytesIO(b'{"db": ' + b"9" * MIB + b"}"), "not valid JSON"),
    "a zip of zeros": (lambda: packed({"a.json": b'{"db":' + bytes(101 * MIB)}), "compressed more than 100 times"),
    "small JSON that is large": (
        lambda: packed({"a.json": b'{"db":[' + b"[],{}," * MIB + b"0]}"}),
        "more than 100 times",
    ),
    "JSON that fills the memory": (lambda: BytesIO(b'{"db":[' + b"[],{}," * (16 * MIB) + b"0]}"), "memory"),
    "a zip with another compression": (lambda: packed({"a.json": b"{}"}, zipfile.ZIP_LZMA), "no files that can be"),
    "a zip with too many files": (with_many_files, "at most 50,000"),
}


# A file that fills the memory ends the parser; a test below kills it instead.
@matrix("name", HOSTILE, default=lambda name: name != "JSON that fills the memory")
def test_a_hostile_file_is_refused_with_a_reason(name: str, app: Flask, tools: Tools, tick: Tick) -> None:
    make, reason = HOSTILE[name]
    one = importing.receive(make(), "export", None, tools)
    tick()
    db.session.expire_all()
    done = ImportJob.get(one.id)
    assert done.state == "failed"
    assert reason in (done.error or "")


@pytest.mark.parametrize("name", ["nested lists", "open b"])
def test_a_text_that_is_too_much_to_convert_is_imported_as_plain_text(
    name: str, app: Flask, tools: Tools, tick: Tick
) -> None:
    html = WORST_HTML[name]()
    one = importing.receive(BytesIO(ghost(html)), "ghost.json", None, tools)
    tick()
    db.session.expire_all()
    assert (ImportJob.get(one.id).state, ImportJob.get(one.id).error) == ("planned", None)
    [entry] = ImportedPost.all_of(one.id)
    assert tuple(entry.warnings) == plain_text(html).warnings


def parsers() -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            command = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if import_parse.WORKER.encode() in command and parent == os.getpid():
                found.append(int(folder.name))
    return found


def many_posts(path: Path, count: int) -> Path:
    post = "---\ntitle: A\ndate: 2020-01-02\n---\nWords, *more* words.\n\n" + "| a | b |\n" * 200
    path.write_bytes(packed({f"post-{number}.md": post.encode() for number in range(count)}).getvalue())
    return path


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """A file that takes a while to parse."""
    return many_posts(tmp_path / "long.zip", 1_000)


def read_all(path: Path, go_on: Callable[[], None]) -> int:
    with import_parse.parsed(path, go_on, zone="UTC", max_unpacked=500 * MIB) as (_, items):
        return sum(not isinstance(item, SkippedItem) for item in items)


def test_a_parser_that_is_killed_fails_the_import_with_a_reason(long_file: Path) -> None:
    def kill() -> None:
        eventually(parsers)
        os.kill(parsers()[0], signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    with pytest.raises(UnreadableFile, match="Split the export"):
        read_all(long_file, lambda: None)
    killer.join()


def test_a_file_that_takes_too_long_to_parse_is_refused_with_this_reason(tmp_path: Path) -> None:
    limited: set[int] = set()

    def go_on() -> None:
        """Move the limits of the parser to 1 s, as far apart as they are."""
        for parser in [] if limited else parsers():
            soft, hard = resource.prlimit(parser, resource.RLIMIT_CPU)
            if soft != resource.RLIM_INFINITY:
                resource.prlimit(parser, resource.RLIMIT_CPU, (1, 1 + hard - soft))
                limited.add(parser)

    with pytest.raises(UnreadableFile, match="takes too long to read"):
        read_all(many_posts(tmp_path / "longer.zip", 20_000), go_on)


def test_the_parser_ends_when_the_import_is_cancelled(long_file: Path) -> None:
    class Cancelled(Exception):
        pass

    def go_on() -> None:
        if parsers():
            raise Cancelled

    with pytest.raises(Cancelled):
        read_all(long_file, go_on)
    assert parsers() == []


def test_a_parser_has_no_secrets_and_no_open_files_of_the_server(
    long_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets no environment variables, and of the server's open files only the import file."""
    monkeypatch.setenv("BLOGSVC_SECRET", "hunter2")
    seen: dict[str, bytes | set[str]] = {}

    def go_on() -> None:
        for process in [] if "files" in seen else parsers():
            with suppress(OSError):
                seen["environment"] = Path(f"/proc/{process}/environ").read_bytes()
                links = {os.readlink(one) for one in Path(f"/proc/{process}/fd").iterdir()}
                # What Python opens for a moment to import a module is its own.
                own = ("pipe:", "/dev/null", sys.base_prefix, sys.prefix, str(PROJECT))
                seen["files"] = {link for link in links if not link.startswith(own)}

    assert read_all(long_file, go_on) == 1_000
    assert (seen["environment"], seen["files"]) == (b"", {str(long_file)})
