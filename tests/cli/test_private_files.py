"""Other users of the machine can't read, replace or plant what the command line and the server write, at any umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_IMODE

import pytest

from blogsvc import create_app
from blogsvc.config import Config
from tests.api_client import Api, File
from tests.cli.conftest import Run, make_app
from tests.clock import eventually
from tests.images import jpeg
from tests.kill.server import Server

a_file = pytest.mark.sqlite("the database is a file, which can be backed up")
DIRECTORIES = ["", "media", "processes", "backups", "imports"]


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Return a directory in which everybody may write."""
    directory = tmp_path / "shared"
    directory.mkdir(0o777)
    return directory


def mode(path: Path) -> int:
    return S_IMODE(path.lstat().st_mode)


def planted_names(target: Path) -> list[Path]:
    """Return the names beside a target that someone who sees the processes of the machine could guess."""
    return [target.with_name(f".{target.name}{end}") for end in (f".{os.getpid()}", ".blogsvc", ".tmp", "")]


COMMANDS = [("export",), ("export", "--json"), pytest.param(("backup",), marks=a_file)]


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_written_into_a_planted_file(run: Run, shared: Path, command: tuple[str, ...]) -> None:
    target = shared / "out"
    planted = planted_names(target)
    for path in planted:
        path.write_text("Planted")
    run(*command, str(target))
    assert mode(target) == 0o600
    assert {path.read_text() for path in planted} == {"Planted"}
    assert sorted(shared.iterdir()) == sorted([*planted, target])


@pytest.mark.parametrize("command", COMMANDS)
def test_no_planted_link_is_followed(run: Run, shared: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    kept = tmp_path / "kept"
    kept.write_text("Kept")
    for path in planted_names(shared / "out"):
        path.symlink_to(kept)
    run(*command, str(shared / "out"))
    assert kept.read_text() == "Kept"
    assert mode(shared / "out") == 0o600
    assert not (shared / "out").is_symlink()


@a_file
def test_the_data_directory_is_closed_whatever_the_umask(run: Run, tmp_path: Path, environment: dict[str, str]) -> None:
    there = {"BLOGSVC_INSTANCE": str(tmp_path / "new" / "instance")}
    run("migrate", **there)
    key = run("key", "create", "laptop", **there).stdout.strip()
    with make_app(environment | there) as app:
        Api(app.test_client(), key).post("/media", form={"file": File(jpeg(60, 40))})
    run("post", "new", "-", stdin="# Ink", **there)
    run("import", "--dry-run", str(a_folder_of_posts(tmp_path)), **there)
    backup = run("backup", **there).stdout.strip()
    run("restore", backup, BLOGSVC_INSTANCE=str(tmp_path / "restored"))
    for instance in (tmp_path / "new" / "instance", tmp_path / "restored"):
        found = [instance, *instance.rglob("*")]
        assert {str(path) for path in found if path.is_dir() and mode(path) != 0o700} == set()
        assert {str(path) for path in found if path.is_file() and mode(path) != 0o600} == set()


def a_folder_of_posts(tmp_path: Path) -> Path:
    folder = tmp_path / "posts"
    folder.mkdir()
    (folder / "ink.md").write_text("---\ntitle: Ink\n---\nIron gall.\n")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_others_cannot_rename_what_is_above_a_file(run: Run, shared: Path, command: tuple[str, ...]) -> None:
    run(*command, str(shared / "new" / "deep" / "out"))
    assert mode(shared / "new") == mode(shared / "new" / "deep") == 0o700


def test_others_cannot_rename_what_is_above_the_data_directory(run: Run, shared: Path) -> None:
    run("migrate", BLOGSVC_INSTANCE=str(shared / "srv" / "blog" / "instance"))
    assert mode(shared / "srv") == mode(shared / "srv" / "blog") == 0o700


@a_file
def test_the_lock_of_the_scheduler_is_never_written_through_a_link(instance: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("Kept")
    (instance / ".scheduler.lock").symlink_to(kept)
    server = Server(instance)
    server.start()
    try:
        server.wait_until_ready()
        eventually(lambda: "the scheduler runs without its lock" in server.log.read_text())
        eventually(lambda: "set up this blog at http" in server.log.read_text())  # when the scheduler has started
    finally:
        server.kill()
    assert kept.read_text() == "Kept"


@pytest.mark.parametrize("name", DIRECTORIES)
def test_an_open_directory_is_a_problem_and_is_closed_at_the_next_start(run: Run, instance: Path, name: str) -> None:
    directory = instance / name
    directory.mkdir(exist_ok=True)
    directory.chmod(0o755)
    assert f"Run `chmod 700 {directory}`" in run("doctor", code=1).stdout
    run("post", "list")
    assert mode(directory) == 0o700
    assert "permissions  Only the user of the server" in run("doctor").stdout


def test_what_a_link_leads_to_is_left_as_it_is(run: Run, instance: Path, shared: Path) -> None:
    (instance / "media").symlink_to(shared)
    run("post", "list")
    assert mode(shared) == 0o777
    assert f"chmod 700 {instance / 'media'}" in run("doctor", code=1).stdout


def test_a_directory_for_everybody_is_left_as_it_is(environment: dict[str, str], shared: Path) -> None:
    shared.chmod(0o1777)
    create_app(Config.load(environment | {"BLOGSVC_INSTANCE": str(shared)}))
    assert mode(shared) == 0o1777
