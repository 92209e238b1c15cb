"""A repository whose own configuration names programs or other places: no program runs, no other place is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from blogsvc.connectors.base import ConnectorError
from blogsvc.connectors.folder.connector import Folder
from tests.connectors.contract import AN_ARTICLE
from tests.connectors.test_folder import (
    connect,
    files_in,
    git,
    operations,
    outside,
    publish,
    push_as_colleague,
    update,
    work_tree,
)
from tests.tiers import exhaustive, matrix

__all__ = ["connect", "outside"]  # fixtures

# What a configuration can name: {run} is a program that creates a file, {file} a file that it may include.
SETTINGS = {
    "filter.evil.clean": "{run}",
    "filter.evil.smudge": "{run}",
    "filter.evil.process": "{run}",
    "filter.Ev il.clean": "{run}",
    "merge.evil.driver": "{run} %A",
    "diff.external": "{run}",
    "diff.evil.command": "{run}",
    "diff.evil.textconv": "{run}",
    "trailer.evil.command": "{run}",
    "include.path": "{file}",
    "includeIf.gitdir:/.path": "{file}",
    "core.askPass": "{run}",
    "core.attributesFile": "{file}",
    "core.gitProxy": "{run}",
    "core.alternateRefsCommand": "{run}",
    "core.worktree": "{hooks}",
    "credential.helper": "{run}",
    "credential.https://git.example.helper": "!{run}",
    # A helper stores what the user's own helpers answer.
    "credential.https://other.example.helper": "store --file={file}",
    "gc.recentObjectsHook": "{run}",
    "http.proxy": "http://proxy.example",
    "http.https://git.example.sslVerify": "false",
    "push.pushOption": "merge_request.create",
    "remote.origin.proxy": "http://proxy.example",
    "remote.origin.receivepack": "{run}",
    "remote.origin.uploadpack": "{run}",
    "remote.origin.vcs": "ext",
    "url.ext::{run} .insteadOf": "https://git.example/",
    "url./tmp/.pushInsteadOf": "https://git.example/",
    "hook.evil.command": "{run}",
    "lfs.customtransfer.evil.path": "{run}",
    "lfs.extension.evil.clean": "{run}",
    "not.yet.invented": "{run}",
    "core.fsmonitor": "{run}",
    "core.hooksPath": "{hooks}",
    "core.editor": "{run}",
    "core.pager": "{run}",
    "core.sshCommand": "{run}",
    "commit.gpgSign": "true",
    "push.gpgSign": "true",
    "gpg.program": "{run}",
    "log.showSignature": "true",
    "alias.commit": "!{run}",
    "protocol.ext.allow": "always",
}
ATTRIBUTES = "* filter=evil diff=evil merge=evil\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = work_tree(tmp_path)
    (path / ".git/info").mkdir(exist_ok=True)
    (path / ".git/info/attributes").write_text(ATTRIBUTES)
    (path / ".gitattributes").write_text(ATTRIBUTES)
    return path


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that leaves a file behind when it runs."""
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/has-run\ncat\n")
    program.chmod(0o755)
    return program


def name_program(tree: Path, program: Path, key: str, value: str) -> None:
    hooks, file = program.parent / "hooks", program.parent / "more.config"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "pre-push"):
        (hooks / name).symlink_to(program)
    file.write_text(f'[filter "evil"]\n\tclean = {program}\n')
    places = {"run": program, "hooks": hooks, "file": file}
    git(tree, "config", key.format(**places), value.format(**places))


def use_everything(tmp_path: Path, folder: Folder) -> None:
    """Publish, update after a colleague's push, which rebases, update into a conflict, and delete."""
    receipt = publish(folder)
    remote, first = tmp_path / "blog.git", tmp_path / "first"
    git(first, "pull", "--quiet", "origin", "main")
    push_as_colleague(remote, first, {"about.md": "Me"})
    receipt = update(folder, replace(AN_ARTICLE, title="Of trees, again"), receipt)
    folder.delete({"operation": "op-3"}, receipt)


@matrix("key", SETTINGS)
def test_a_setting_of_the_work_tree_is_not_obeyed(
    tmp_path: Path, tree: Path, program: Path, connect: Callable[..., Folder], key: str
) -> None:
    name_program(tree, program, key, SETTINGS[key])
    (tmp_path / "has-run").unlink(missing_ok=True)
    hooks = sorted((tmp_path / "hooks").iterdir())
    use_everything(tmp_path, connect(tree))
    assert not (tmp_path / "has-run").exists()
    assert sorted((tmp_path / "hooks").iterdir()) == hooks
    assert "about.md" in files_in(tmp_path / "blog.git")
    assert operations(tmp_path / "blog.git", "main") == ["op-3", "op-2", "op-1"]


def test_a_remote_that_is_a_command_is_not_run(
    tmp_path: Path, tree: Path, program: Path, connect: Callable[..., Folder]
) -> None:
    git(tree, "remote", "set-url", "origin", f"ext::{program}")
    git(tree, "config", "protocol.ext.allow", "always")
    git(tree, "config", "protocol.allow", "always")
    with pytest.raises(ConnectorError):
        publish(connect(tree))
    assert not (tmp_path / "has-run").exists()


@exhaustive
def test_the_configuration_of_a_submodule_is_not_used(
    tmp_path: Path, tree: Path, program: Path, connect: Callable[..., Folder]
) -> None:
    theme = tmp_path / "theme"
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "theme")
    (theme / "a.css").write_text("a {}")
    git(theme, "add", "--all")
    git(theme, "commit", "--quiet", "-m", "A theme")
    git(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(theme), "theme")
    git(tree, "commit", "--quiet", "--all", "-m", "With a theme")
    git(tree, "push", "--quiet", "origin", "HEAD:main")
    git(tree / "theme", "config", "core.fsmonitor", str(program))
    for name in ("submodule.recurse", "fetch.recurseSubmodules"):
        git(tree, "config", name, "true")
    git(tree, "config", "push.recurseSubmodules", "check")
    (tmp_path / "has-run").unlink(missing_ok=True)
    use_everything(tmp_path, connect(tree))
    assert not (tmp_path / "has-run").exists()


def test_programs_of_the_users_own_configuration_run(
    tmp_path: Path, tree: Path, program: Path, connect: Callable[..., Folder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    git(tmp_path, "config", "--global", "filter.evil.clean", str(program))
    publish(connect(tree))
    assert (tmp_path / "has-run").exists()
