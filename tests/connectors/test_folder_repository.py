"""A hostile repository of the folder connector: its files and settings reach nothing outside, and start no program."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from blogsvc.connectors.base import Conflict, ConnectorError, Misconfigured
from blogsvc.connectors.folder.connector import Folder
from tests.connectors.contract import AN_IMAGE
from tests.connectors.test_folder import (
    PATH,
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


def refuses(folder: Folder, words: str, at_delivery: str | None = None) -> None:
    """Check that nothing is done with the folder, before an account is stored and at a delivery."""
    with pytest.raises(Misconfigured, match=words):
        folder.verify()
    with pytest.raises(Misconfigured, match=at_delivery or words):
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
    for use in (Folder.verify, publish):
        with pytest.raises(ConnectorError, match=r"remote|inside the work tree|now a git repository"):
            use(connect(path))
    assert not mark.exists()


def test_a_pushed_directory_that_looks_like_a_bare_repository_is_refused(tmp_path: Path, connect: Connect) -> None:
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    git(path, "init", "--quiet", "--bare", "content")
    leaves_a_mark(path / "content/hooks/pre-receive", mark)
    refuses(connect(path / "content"), "inside the work tree", "now a git repository")
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


def test_an_address_of_a_remote_outside_of_the_configuration_is_not_used(tmp_path: Path, connect: Connect) -> None:
    path, other = work_tree(tmp_path), tmp_path / "other.git"
    git(tmp_path, "init", "--quiet", "--bare", "other.git")
    (path / ".git/remotes").mkdir(exist_ok=True)
    (path / ".git/remotes/origin").write_text(f"URL: {other}\nPush: refs/heads/main:refs/heads/main\n")
    publish(connect(path))
    assert operations(tmp_path / "blog.git", "main") == ["op-1"]
    assert git(other, "branch", "--list") == ""


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


def test_the_objects_of_another_repository_are_not_used(tmp_path: Path, connect: Connect) -> None:
    path, secret = work_tree(tmp_path), work_tree_of_somebody_else(tmp_path)
    (path / ".git/objects/info/alternates").write_text(f"{secret}/.git/objects\n")
    refuses(connect(path), "alternates")


def work_tree_of_somebody_else(directory: Path) -> Path:
    git(directory, "init", "--quiet", "secret")
    git(directory / "secret", "commit", "--quiet", "--allow-empty", "-m", "Secret")
    return directory / "secret"


def test_a_bare_repository_of_another_user_is_refused(tmp_path: Path, connect: Connect) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    path = bare_with_a_commit(tmp_path)
    os.chown(path, 12345, 12345)
    refuses(connect(path), "another user", "now a git repository")


def test_a_link_to_the_git_directory_is_not_written_through(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    (path / "content/posts").mkdir(parents=True)
    (path / "content/posts/of-trees").symlink_to("../../.git")
    with pytest.raises(Misconfigured):
        publish(connect(path))
    assert not (path / ".git/index.md").exists()


def during_a_delivery(folder: Folder, act: Callable[[], object]) -> None:
    """Publish, and change something while the image of the post is fetched."""
    has_acted = []

    def answer(seen: Seen) -> Reply:
        act()
        has_acted.append(seen)
        return Reply(status=404)

    slow = Outside()
    slow.teach("GET", AN_IMAGE, answer)
    try:
        publish(Folder(folder.settings, slow.http(), facts=folder.facts))
    finally:
        assert has_acted


def test_a_setting_added_during_a_delivery_is_not_obeyed(tmp_path: Path, connect: Connect) -> None:
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    program = leaves_a_mark(tmp_path / "evil", mark)
    elsewhere = tmp_path / "elsewhere.git"
    git(tmp_path, "init", "--quiet", "--bare", elsewhere.name)

    def add_settings() -> None:
        for key in ("remote.origin.receivepack", "core.fsmonitor", "filter.evil.clean"):
            git(path, "config", key, str(program))
        git(path, "config", "remote.origin.url", str(elsewhere))
        (path / ".git/info").mkdir(exist_ok=True)
        (path / ".git/info/attributes").write_text("* filter=evil\n")

    during_a_delivery(connect(path), add_settings)
    assert not mark.exists()
    assert operations(tmp_path / "blog.git", "main") == ["op-1"]
    assert git(elsewhere, "branch", "--list") == ""


def becomes_bare(path: Path) -> None:
    git(path, "init", "--quiet", "--bare", "--initial-branch=main", ".")


def becomes_a_work_tree(path: Path) -> None:
    remote = path.parent / "evil.git"
    git(path.parent, "init", "--quiet", "--bare", "--initial-branch=main", remote.name)
    git(path, "init", "--quiet", "--initial-branch=main")
    git(path, "remote", "add", "origin", str(remote))


@pytest.mark.parametrize("becomes", [becomes_bare, becomes_a_work_tree])
def test_a_directory_that_becomes_a_repository_is_refused_until_its_settings_are_saved(
    tmp_path: Path, connect: Connect, becomes: Callable[[Path], None]
) -> None:
    path, mark = plain(tmp_path), tmp_path / "has-run"
    folder = connect(path)
    becomes(path)
    for repository in (path, path / ".git", tmp_path / "evil.git"):
        if repository.exists():
            leaves_a_mark(repository / "hooks/post-receive", mark)
    refuses(folder, "reconnect the account: save its settings again")
    assert not mark.exists()
    publish(connect(path))
    assert mark.exists()


def test_a_work_tree_that_becomes_a_bare_repository_is_refused(tmp_path: Path, connect: Connect) -> None:
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    folder = connect(path)
    (path / ".git").rename(tmp_path / "away")
    becomes_bare(path)
    leaves_a_mark(path / "hooks/post-receive", mark)
    refuses(folder, "another kind")
    assert not mark.exists()


@pytest.mark.parametrize("key", ["url", "pushurl"])
def test_another_remote_is_used_only_after_the_settings_are_saved(tmp_path: Path, connect: Connect, key: str) -> None:
    path, other = work_tree(tmp_path), tmp_path / "other.git"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", other.name)
    folder = connect(path)
    git(path, "config", f"remote.origin.{key}", str(other))
    refuses(folder, f"pushed to .*{other}")
    assert git(other, "branch", "--list") == ""
    publish(connect(path))
    assert operations(other, "main") == ["op-1"]


def test_another_remote_of_the_branch_is_another_remote(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    folder = connect(path)
    git(path, "remote", "add", "other", "https://evil.example/blog.git")
    git(path, "config", "branch.main.remote", "other")
    refuses(folder, "pushed to https://evil.example/blog.git")


def test_a_new_token_in_the_address_is_no_other_remote(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    for address in ("https://old-token@127.0.0.1:1/@me/blog.git", "https://me:token@127.0.0.1:1/@me/blog.git"):
        git(path, "remote", "set-url", "origin", address)
        account = connect(path).verify()
        assert account.name == "blog, pushed to https://127.0.0.1:1/@me/blog.git"
        assert "token" not in repr(account)


@pytest.mark.parametrize(
    "address", ["https://evil.example/@git.example/blog.git", "https://evil.example#@git.example/blog.git"]
)
def test_another_host_is_not_hidden_as_a_user_name(tmp_path: Path, connect: Connect, address: str) -> None:
    path = work_tree(tmp_path)
    git(path, "remote", "set-url", "origin", "https://git.example/blog.git")
    folder = connect(path)
    git(path, "remote", "set-url", "origin", address)
    refuses(folder, "would now be pushed to")


@pytest.mark.parametrize("where", [plain, work_tree])
def test_a_directory_that_becomes_a_link_during_a_delivery_is_not_followed(
    tmp_path: Path, connect: Connect, where: Callable[[Path], Path]
) -> None:
    path, victim = where(tmp_path), tmp_path / "victim"
    victim.mkdir()

    def swap() -> None:
        (path / "content/posts").mkdir(parents=True)
        (path / "content/posts/of-trees").symlink_to(victim)

    with pytest.raises(Misconfigured):
        during_a_delivery(connect(path), swap)
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
    for n in range(3):
        push_as_colleague(remote, tmp_path / "first", {"README.md": f"Hello {n}"})
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", *options, f"file://{remote}", "blog")
    push_as_colleague(remote, tmp_path / "first", {"README.md": "Hello again", "about.md": "Me"})
    publish(connect(tmp_path / "blog"))
    assert operations(remote, "main") == ["op-1"]
    assert git(tmp_path / "blog", "status", "--porcelain") == ""
    assert (tmp_path / "blog/README.md").read_text() == "Hello again"


def test_a_repository_with_longer_hashes_is_an_ordinary_repository(tmp_path: Path, connect: Connect) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", "blog")
    publish(connect(tmp_path / "blog"))
    assert operations(tmp_path / "blog") == ["op-1"]


def test_changes_of_the_owner_in_the_way_of_a_colleagues_are_kept(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    push_as_colleague(tmp_path / "blog.git", tmp_path / "first", {"README.md": "Theirs"})
    (path / "README.md").write_text("Half-way")
    with pytest.raises(Conflict, match="uncommitted changes"):
        publish(connect(path))
    assert (path / "README.md").read_text() == "Half-way"
    git(path, "checkout", "--quiet", "README.md")
    publish(connect(path))
    assert operations(tmp_path / "blog.git", "main") == ["op-1"]
    assert git(path, "status", "--porcelain", "--branch") == "## main...origin/main"


def test_a_plain_directory_in_a_work_tree_is_still_a_plain_directory(tmp_path: Path, connect: Connect) -> None:
    path = plain(work_tree(tmp_path))
    publish(connect(path))
    assert (path / PATH).exists()


def test_a_file_address_with_a_host_is_refused(tmp_path: Path, connect: Connect) -> None:
    """git takes the host, decoded, as the beginning of the path."""
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    inner = Path(f"{path}{tmp_path}/blog.git")
    inner.parent.mkdir(parents=True)
    git(path, "init", "--quiet", "--bare", "--initial-branch=main", str(inner))
    leaves_a_mark(inner / "hooks/pre-receive", mark)
    host = str(path).replace("/", "%2F")
    git(path, "config", "remote.origin.pushurl", f"file://{host}{tmp_path}/blog.git")
    refuses(connect(path), "not valid")
    assert not mark.exists()


def test_a_remote_is_exactly_the_named_repository(tmp_path: Path, connect: Connect) -> None:
    """git would also try the path with ".git" after it, and in it."""
    path, mark = work_tree(tmp_path), tmp_path / "has-run"
    git(path, "init", "--quiet", "--bare", "--initial-branch=main", "r.git")
    leaves_a_mark(path / "r.git/hooks/pre-receive", mark)
    (path / "r").symlink_to("../nothing.git")
    git(path, "config", "remote.origin.pushurl", "r")
    with pytest.raises(ConnectorError, match="no remote repository"):
        connect(path).verify()
    own = path.rename(tmp_path / "site.git")
    leaves_a_mark(own / ".git/hooks/pre-receive", mark)
    git(own, "config", "remote.origin.pushurl", f"{tmp_path}/site")
    with pytest.raises(ConnectorError, match="no remote repository"):
        connect(own).verify()
    assert not mark.exists()


def test_a_link_as_remote_is_not_followed_to_another_place(tmp_path: Path, connect: Connect) -> None:
    path, other = work_tree(tmp_path), tmp_path / "other.git"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", other.name)
    (tmp_path / "remote").symlink_to("blog.git")
    git(path, "remote", "set-url", "origin", "../remote")
    folder = connect(path)
    assert folder.verify().name == f"blog, pushed to {tmp_path / 'blog.git'}"
    (tmp_path / "remote").unlink()
    (tmp_path / "remote").symlink_to("other.git")
    refuses(folder, f"pushed to {other}")
    assert git(other, "branch", "--list") == ""


def test_a_repository_that_was_only_fetched_from_is_not_pushed_to(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "mine.git")
    git(path, "config", "remote.origin.pushurl", str(tmp_path / "mine.git"))
    folder = connect(path)
    git(path, "config", "--unset", "remote.origin.pushurl")
    git(path, "config", "--add", "remote.origin.url", str(tmp_path / "mine.git"))
    refuses(folder, "blog.git and .*mine.git")
    assert operations(tmp_path / "blog.git", "main") == []


def test_another_branch_is_pushed_to_only_after_the_account_is_reconnected(tmp_path: Path, connect: Connect) -> None:
    path = work_tree(tmp_path)
    git(tmp_path / "blog.git", "branch", "production", "main")
    folder = connect(path, branch="main")
    git(path, "config", "branch.main.merge", "refs/heads/production")
    refuses(folder, "branch production")
    publish(connect(path, branch="main"))
    assert operations(tmp_path / "blog.git", "production") == ["op-1"]


@pytest.mark.parametrize("name", ["objects", "refs", "index"])
def test_what_becomes_a_link_in_the_git_directory_during_a_delivery_is_not_followed(
    tmp_path: Path, connect: Connect, name: str
) -> None:
    path, victim = work_tree(tmp_path), tmp_path / "victim"
    entry = path / ".git" / name

    def swap() -> None:
        entry.rename(victim)
        entry.symlink_to(victim)

    with pytest.raises(Misconfigured, match="symbolic link"):
        during_a_delivery(connect(path), swap)
    assert operations(tmp_path / "blog.git", "main") == []
    assert git(tmp_path / "first", "rev-parse", "main") == git(path, "rev-parse", "HEAD")


def test_a_git_directory_that_becomes_a_link_during_a_delivery_is_not_followed(
    tmp_path: Path, connect: Connect
) -> None:
    path = work_tree(tmp_path)
    git(tmp_path, "clone", "--quiet", str(tmp_path / "blog.git"), "other")

    def swap() -> None:
        (path / ".git").rename(path / ".git2")
        (path / ".git").symlink_to(tmp_path / "other/.git")

    with pytest.raises(Misconfigured):
        during_a_delivery(connect(path), swap)
    assert operations(tmp_path / "other") == []


def test_objects_of_another_repository_that_are_added_during_a_delivery_are_not_pushed(
    tmp_path: Path, connect: Connect
) -> None:
    path, secret = work_tree(tmp_path), work_tree_of_somebody_else(tmp_path)

    def add() -> None:
        (path / ".git/objects/info").mkdir(exist_ok=True)
        (path / ".git/objects/info/alternates").write_text(f"{secret}/.git/objects\n")

    with pytest.raises(Misconfigured, match="alternates"):
        during_a_delivery(connect(path), add)
    assert operations(tmp_path / "blog.git", "main") == []


HEADS = [
    *("refs/heads/../../../victim", "refs/heads/a/../../config", "refs/heads/..", "refs/heads//x", "refs/heads/x/"),
    *("refs/heads/-x", "refs/heads/main.lock", "refs/heads/@{u}", "refs/heads/.x", "refs/heads/a.", "refs/heads/a b"),
    *("refs/heads/", "refs/tags/v1", "HEAD", "0123456789012345678901234567890123456789"),
]


@pytest.mark.parametrize("head", HEADS)
def test_only_a_branch_can_be_checked_out(tmp_path: Path, connect: Connect, head: str) -> None:
    path = work_tree(tmp_path)
    folder = connect(path)
    before = sorted(tmp_path.rglob("*"))
    (path / ".git/HEAD").write_text(f"ref: {head}\n")
    refuses(folder, "No branch is checked out")
    assert sorted(tmp_path.rglob("*")) == before
