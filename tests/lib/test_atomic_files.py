"""Atomic writes inside a directory."""

from __future__ import annotations

import os
import resource

import pytest

from blogsvc.lib.files.atomic_files import OutsideError, inside, write


@pytest.mark.parametrize("path", ["", ".", "..", "../a", "a/../../b", "/etc/passwd", ".git/config", "a/.hidden"])
def test_a_path_outside_the_root_is_rejected(tmp_path, path):
    with pytest.raises(OutsideError):
        inside(tmp_path, path)


def test_a_symlink_inside_the_root_is_followed_and_one_out_of_it_is_not(tmp_path):
    (tmp_path / "root/real").mkdir(parents=True)
    (tmp_path / "root/good").symlink_to("real")
    (tmp_path / "root/bad").symlink_to(tmp_path)
    assert inside(tmp_path / "root", "good/file").parent.name == "good"
    with pytest.raises(OutsideError):
        inside(tmp_path / "root", "bad/file")


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises((OutsideError, OSError)):
        write(inside(tmp_path, "a/c.md"), b"x")


def test_the_root_itself_can_be_a_symlink(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to("real")
    write(inside(tmp_path / "root", "a/b.md"), b"x")
    assert (tmp_path / "real/a/b.md").read_bytes() == b"x"


def test_the_temporary_file_of_a_killed_write_is_overwritten(tmp_path):
    (tmp_path / ".a.md.blogsvc").write_bytes(b"half, and much longer than the whole")
    write(tmp_path / "a.md", b"whole")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.md", b"whole")]


def test_a_failed_write_keeps_the_old_file(tmp_path):
    write(tmp_path / "a.md", b"old")
    (tmp_path / ".a.md.blogsvc").mkdir()
    with pytest.raises(OSError):
        write(tmp_path / "a.md", b"new")
    assert (tmp_path / "a.md").read_bytes() == b"old"


def test_what_others_put_in_place_of_the_temporary_file_is_not_written_through(tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"Still here")
    (tmp_path / ".a.md.blogsvc").hardlink_to(victim)
    write(tmp_path / "a.md", b"new")
    os.mkfifo(tmp_path / ".b.md.blogsvc")
    write(tmp_path / "b.md", b"new")
    assert victim.read_bytes() == b"Still here"
    assert (tmp_path / "b.md").read_bytes() == b"new"


def test_a_write_that_exceeds_the_disk_space_leaves_nothing(tmp_path):
    write(tmp_path / "a", b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError):
            write(tmp_path / "a", bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a", b"old")]


def test_a_file_has_its_mode_from_the_start(tmp_path):
    write(tmp_path / "a", b"x", mode=0o600)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
