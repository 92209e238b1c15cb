"""A hostile repository of the folder connector: its files and settings reach nothing outside, and start no program."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from blogsvc.connectors.base import ConnectorError, Misconfigured
from blogsvc.connectors.folder.connector import Folder
from tests.connectors.contract import AN_IMAGE
from tests.connectors.test_folder import (
    PATH,
    bare,
    bare_with_a_commit,
    connect,
    git,
    operations,
    outside,
    plain,
    publish,
    push_as_colleague,
    work_tree,
)
from tests.outside import Outside, Reply, Seen
from tests.tiers import matrix

__all__ = ["connect", "outside"]  # fixtures

Connect = Callable[..., Folder]


def leaves_a_mark(program: Path, mark: Path) -> Path:
    """Write a program that creates `mark`."""
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    return program


def refuses(folder: Folder, words: str) -> None:
    """Check that nothing is done with the folder, before an account is stored and at a delivery."""
    with pytest.raises(Misconfigured, match=words):
        folder.verify()
    with pytest.raises(Misconfigured, match=words):
        publish(folder)


def test_a_remote_of_the_branch_is_never_an_option_of_git(tmp_path: Path, connect: Connect) -> None:
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    program = leaves_a_mark(tmp_path / "evil", mark)
    git(path, "config", "branch.main.remote", f"--receive-pack={program}")
    git(path, "config", f"url.{tmp_path}/blog.git.insteadOf", "HEAD:refs/heads/main")
    with pytest.raises(Misconfigured):
        publish(connect(path))
    git(path, "config", "--remove-section", f"url.{tmp_path}/blog.git")
    with pytest.raises(Misconfigured):
        publish(connect(path))
    assert not mark.exists()


def test_a_work_tree_elsewhere_is_not_used(tmp_path: Path, connect: Connect) -> None:
    path, victim = work_tree(tmp_path), tmp_path / "victim"
    victim.mkdir()
    git(path, "config", "core.worktree", str(victim))
    push_as_colleague(tmp_path / "blog.git", tmp_path / "first", {"evil.txt": "Elsewhere"})
    with suppress(ConnectorError):
        publish(connect(path))
    assert list(victim.iterdir()) == []


@matrix("remote", ["/somewhere/else.git", "https://other.example/blog.git", ".", "-x", "unknown"])
def test_only_a_configured_remote_is_pushed_to(tmp_path: Path, connect: Connect, remote: str) -> None:
    path = work_tree(tmp_path)
    git(path, "config", "branch.main.remote", remote)
    with pytest.raises(Misconfigured, match="remote"):
        publish(connect(path))


@matrix("merge", ["-x", "+refs/heads/*:refs/heads/*", "refs/heads/a:refs/heads/b", "refs/tags/v1", "main"])
def test_only_a_branch_is_pushed_to(tmp_path: Path, connect: Connect, merge: str) -> None:
    path = work_tree(tmp_path)
    git(path, "config", "branch.main.merge", merge)
    with pytest.raises(Misconfigured, match="branch"):
        publish(connect(path))


INSIDE = [
    *(".", "evil.git", "file://{path}/evil.git", "file://localhost{path}/evil.git", "{path}/.git", "-x"),
    *("file://{path}/a?/../evil.git", "file://{path}/a#/../evil.git", "file://{path}/..?/evil.git", ".\t./evil.git"),
]


@pytest.mark.parametrize("url", INSIDE)
def test_a_remote_inside_the_work_tree_does_not_run_its_hooks(tmp_path: Path, connect: Connect, url: str) -> None:
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    git(path, "init", "--quiet", "--bare", "evil.git")
    for repository in (path / ".git", path / "evil.git"):
        leaves_a_mark(repository / "hooks/pre-receive", mark)
    git(path, "config", "remote.origin.pushurl", url.format(path=path))
    refuses(connect(path), "remote")
    assert not mark.exists()


def test_a_pushed_directory_that_looks_like_a_bare_repository_is_refused(tmp_path: Path, connect: Connect) -> None:
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    git(path, "init", "--quiet", "--bare", "content")
    leaves_a_mark(path / "content/hooks/pre-receive", mark)
    refuses(connect(path / "content"), "inside the work tree")
    assert not mark.exists()


@pytest.mark.parametrize("name", ["COMMIT_EDITMSG", "FETCH_HEAD", "logs/HEAD", "index", "objects", "refs/heads"])
def test_a_link_in_the_git_directory_is_not_followed(tmp_path: Path, connect: Connect, name: str) -> None:
    path, victim = work_tree(tmp_path), tmp_path / "victim"
    entry = path / ".git" / name
    if entry.exists():
        entry.rename(victim)
    else:
        victim.write_text("Still here")
    before = victim.read_bytes() if victim.is_file() else sorted(victim.rglob("*"))
    entry.symlink_to(victim)
    refuses(connect(path), "symbolic link")
    assert before == (victim.read_bytes() if victim.is_file() else sorted(victim.rglob("*")))


@pytest.mark.parametrize("name", ["config", "index", "HEAD"])
def test_a_pipe_in_the_git_directory_is_refused(tmp_path: Path, connect: Connect, name: str) -> None:
    """Its content is another at each reading, so that git would not read what was checked."""
    path = work_tree(tmp_path)
    (path / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(path / ".git" / name)
    refuses(connect(path), "a device or a pipe")


def test_an_address_of_a_remote_outside_of_the_configuration_is_refused(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    (path / ".git/remotes").mkdir(exist_ok=True)
    (path / ".git/remotes/evil").write_text("URL: http://127.0.0.1:1/internal\n")
    git(path, "config", "extensions.partialClone", "evil")
    git(path, "config", "remote.evil.promisor", "true")
    refuses(connect(path), "remotes/evil")


def test_a_deep_git_directory_is_refused(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    (path / ".git" / Path(*["d"] * 60)).mkdir(parents=True)
    refuses(connect(path), "deeper than 50 directories")


def test_links_among_the_hooks_are_allowed(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    (path / ".git/hooks").mkdir(exist_ok=True)
    (path / ".git/hooks/pre-commit").symlink_to("../../scripts/pre-commit")
    publish(connect(path))
    assert operations(path) == ["op-1"]


def a_link(path: Path, elsewhere: Path) -> None:
    (path / ".git").symlink_to(elsewhere)


def a_pointer(path: Path, elsewhere: Path) -> None:
    (path / ".git").write_text(f"gitdir: {elsewhere}\n")


def a_common_directory(path: Path, elsewhere: Path) -> None:
    (path / ".git").mkdir()
    (path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (path / ".git/commondir").write_text(f"{elsewhere}\n")


@pytest.mark.parametrize("leads_to", [a_link, a_pointer, a_common_directory])
def test_a_repository_elsewhere_is_not_committed_to(
    tmp_path: Path, connect: Connect, leads_to: Callable[[Path, Path], None]
) -> None:
    other, path = work_tree(tmp_path), tmp_path / "site"
    path.mkdir()
    leads_to(path, other / ".git")
    refuses(connect(path), "git clone")
    assert operations(other) == []


@pytest.mark.parametrize("where", [work_tree, bare_with_a_commit])
def test_the_objects_of_another_repository_are_not_used(
    tmp_path: Path, connect: Connect, where: Callable[[Path], Path]
) -> None:
    path = where(tmp_path)
    secret = work_tree_of_somebody_else(tmp_path)
    objects = path / (".git/objects" if (path / ".git").exists() else "objects")
    (objects / "info/alternates").write_text(f"{secret}/.git/objects\n")
    refuses(connect(path), "alternates")


def work_tree_of_somebody_else(directory: Path) -> Path:
    git(directory, "init", "--quiet", "secret")
    git(directory / "secret", "commit", "--quiet", "--allow-empty", "-m", "Secret")
    return directory / "secret"


def test_a_bare_repository_with_a_harmful_setting_is_refused(tmp_path: Path, connect: Connect) -> None:
    path = bare(tmp_path)
    git(path, "config", "core.alternateRefsCommand", str(tmp_path / "evil"))
    refuses(connect(path), "core.alternaterefscommand")


def test_a_repository_of_another_user_is_refused(tmp_path: Path, connect: Connect) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    path = work_tree(tmp_path)
    for entry in (path, path / ".git"):
        os.chown(entry, 12345, 12345)
    refuses(connect(path), "another user")


def test_a_link_to_the_git_directory_is_not_written_through(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    (path / "content/posts").mkdir(parents=True)
    (path / "content/posts/of-trees").symlink_to("../../.git")
    with pytest.raises(Misconfigured):
        publish(connect(path))
    assert not (path / ".git/index.md").exists()


def test_a_setting_added_during_a_delivery_is_noticed(tmp_path: Path, connect: Connect) -> None:
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    program = leaves_a_mark(tmp_path / "evil", mark)
    hook = leaves_a_mark(tmp_path / "blog.git/hooks/pre-receive", tmp_path / "pushed")
    hook.write_text(f"#!/bin/sh\ncd {path}\nunset GIT_DIR\ngit config remote.origin.receivepack {program}\nexit 1\n")
    with pytest.raises(ConnectorError):
        publish(connect(path))
    with pytest.raises(Misconfigured, match="receivepack"):
        publish(connect(path))
    assert not mark.exists()


@pytest.mark.parametrize("where", [plain, work_tree])
def test_a_directory_that_becomes_a_link_during_a_delivery_is_not_followed(
    tmp_path: Path, where: Callable[[Path], Path]
) -> None:
    path, victim = where(tmp_path), tmp_path / "victim"
    victim.mkdir()

    def swap(seen: Seen) -> Reply:
        (path / "content/posts").mkdir(parents=True)
        (path / "content/posts/of-trees").symlink_to(victim)
        return Reply(status=404)

    slow = Outside()
    slow.teach("GET", AN_IMAGE, swap)
    with pytest.raises(Misconfigured):
        publish(Folder({"path": str(path)}, slow.door()))
    assert list(victim.iterdir()) == []


ORDINARY = {
    "user.name": "Ada",
    "user.email": "ada@example.org",
    "core.autocrlf": "input",
    "core.hooksPath": ".husky",
    "core.ignoreCase": "true",
    "core.sharedRepository": "group",
    "pull.rebase": "true",
    "push.default": "simple",
    "remote.backup.url": "git@backup.example:blog.git",
    "remote.origin.gh-resolved": "base",
    "branch.main.vscode-merge-base": "origin/main",
    "branch.main.rebase": "true",
    "submodule.themes/paper.url": "https://git.example/paper.git",
    "submodule.themes/paper.active": "true",
    "lfs.repositoryFormatVersion": "0",
    "lfs.https://git.example/blog.git/info/lfs.access": "basic",
    "gc.auto": "0",
    "color.ui": "auto",
    "alias.st": "status",
    "receive.denyNonFastForwards": "true",
}


@pytest.mark.parametrize("where", [work_tree, bare_with_a_commit])
def test_ordinary_settings_are_allowed(tmp_path: Path, connect: Connect, where: Callable[[Path], Path]) -> None:
    path = where(tmp_path)
    for key, value in ORDINARY.items():
        git(path, "config", key, value)
    publish(connect(path))
    assert operations(path, "main") == ["op-1"]


@pytest.mark.parametrize("options", [["--depth=1"], ["--filter=blob:none"], ["--origin=upstream"], ["--no-tags"]])
def test_a_clone_with_options_is_an_ordinary_repository(tmp_path: Path, connect: Connect, options: list[str]) -> None:
    remote = bare_with_a_commit(tmp_path)
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", *options, f"file://{remote}", "blog")
    publish(connect(tmp_path / "blog"))
    assert operations(remote, "main") == ["op-1"]


def test_a_plain_directory_in_a_work_tree_is_still_a_plain_directory(tmp_path: Path, connect: Connect) -> None:
    path = plain(work_tree(tmp_path))
    publish(connect(path))
    assert (path / PATH).exists()
