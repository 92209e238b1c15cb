"""Files in a directory to which somebody hostile writes, too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from blogsvc.connectors.folder.confined_files import ConfinedFiles
from blogsvc.lib.files.atomic_files import OutsideError

SWAP_ON = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
first, second = (os.fsencode(path) for path in sys.argv[1:])
print("swapping", flush=True)
while libc.renameat2(-100, first, -100, second, 2) == 0:  # RENAME_EXCHANGE
    pass
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/a.md").write_text("Still here")
    return tmp_path / "victim"


def test_a_file_is_written_read_listed_and_removed_with_its_empty_directories(root: Path) -> None:
    files = ConfinedFiles(root)
    files.write("a/b/c.md", b"x")
    files.write("a/d.md", b"words")
    files.write("e.md", b"")
    assert (files.read("a/d.md"), files.read("a/d.md", 2), files.read("e.md"), files.read("f/g.md")) == (
        *(b"words", b"wo", b""),
        None,
    )
    assert (files.names("a"), files.names("nothing"), files.names("e.md")) == ({"b", "d.md"}, set(), set())
    files.remove("a/b/c.md")
    assert sorted(path.name for path in root.rglob("*")) == ["a", "d.md", "e.md"]
    for _ in range(2):
        files.remove("a/d.md")
    assert [path.name for path in root.iterdir()] == ["e.md"]


def test_a_link_to_another_directory_of_the_root_is_followed(root: Path) -> None:
    (root / "real").mkdir()
    (root / "link").symlink_to("real")
    ConfinedFiles(root).write("link/a.md", b"x")
    assert (root / "real/a.md").read_bytes() == b"x"
    assert ConfinedFiles(root).read("link/a.md") == b"x"


@pytest.mark.parametrize("path", ["../victim/a.md", "out/a.md", "out/b.md", "a.md", ".git/config", "/etc/hostname"])
def test_nothing_outside_is_written_read_or_removed(root: Path, victim: Path, path: str) -> None:
    (root / "out").symlink_to(victim)
    (root / "a.md").symlink_to(victim / "a.md")
    files = ConfinedFiles(root)
    with pytest.raises(OutsideError):
        files.write(path, b"x")
    with pytest.raises(OutsideError):
        files.read(path)
    with pytest.raises(OutsideError):
        files.remove(path)
    with pytest.raises(OutsideError):
        files.names("out")
    assert [(file.name, file.read_text()) for file in victim.iterdir()] == [("a.md", "Still here")]


def test_a_pipe_in_place_of_a_file_does_not_block(root: Path) -> None:
    os.mkfifo(root / "a.md")
    with pytest.raises(OutsideError, match="not a file"):
        ConfinedFiles(root).read("a.md")
    ConfinedFiles(root).write("a.md", b"x")
    assert ConfinedFiles(root).read("a.md") == b"x"


@contextmanager
def swapping(first: Path, second: Path) -> Iterator[None]:
    """Exchange two directory entries all the time."""
    with subprocess.Popen([sys.executable, "-c", SWAP_ON, first, second], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"swapping\n"
            yield
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="exchanging two entries at once needs Linux")
def test_a_directory_that_is_exchanged_with_a_link_all_the_time_is_never_left(root: Path, victim: Path) -> None:
    files, written = ConfinedFiles(root), 0
    (root / "posts").mkdir()
    (root / "link").symlink_to(victim)
    with swapping(root / "posts", root / "link"):
        for number in range(500):
            with suppress(OutsideError, OSError):
                files.write("posts/a.md", f"{number}".encode())
                written += 1
            with suppress(OutsideError, OSError):
                files.remove("posts/a.md")
    assert written
    assert [(file.name, file.read_text()) for file in victim.iterdir()] == [("a.md", "Still here")]
