"""Git by its command line: commit given paths once, and push without force.

It never prompts, runs no hooks of the work tree, and ignores git's environment variables and the configuration of the
work tree, except for what `git_settings.py` copies. Hooks of the remote repository do run, because they deploy, and so
do the programs of the user's own configuration, such as filters for large files.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from blogsvc.connectors.folder.git_command import (
    GitConflict,
    GitDenied,
    GitError,
    GitMissing,
    GitMisused,
    error_of,
    output,
    run,
)
from blogsvc.connectors.folder.git_settings import Remote, Settings, is_bare, require_outside_work_trees
from blogsvc.connectors.folder.git_trust import require_own_files
from blogsvc.connectors.folder.git_view import checked_out, make_view

__all__ = [
    "GitConflict",
    "GitDenied",
    "GitError",
    "GitMissing",
    "GitMisused",
    "Kind",
    "NoGit",
    "WorkTree",
    "check_bare",
    "clone",
    "kind",
    "work_tree",
]

TRAILER = "Blogsvc-Operation"
PUSHES = 5  # attempts if others push at the same time
OVERTAKEN = ("[rejected]", "cannot lock ref", "failed to update ref", "incorrect old value")
# For a checkout that no one sees: large files stay the pointers that git stores.
WITHOUT_LARGE_FILES = ("process=", "smudge=", "clean=", "required=false")
Kind = Literal["work tree", "bare", "none"]


def kind(path: Path) -> Kind:
    """Return the kind of a folder. Only the root of a work tree counts, not folders inside it."""
    if os.path.lexists(path / ".git"):
        return "work tree"
    return "bare" if is_bare(path) else "none"


@contextmanager
def work_tree(root: Path, name: str = "", email: str = "") -> Iterator[WorkTree]:
    """Open a checked-out repository. `name` and `email` are the author of commits, "" for git's configuration.

    Raises GitMisused if its `.git` leads elsewhere, or if no branch is checked out.
    """
    git_dir = root / ".git"
    require_own_files(git_dir)
    settings, branch = Settings.read(git_dir), checked_out(git_dir)
    with tempfile.TemporaryDirectory(prefix="blogsvc-") as directory:
        yield WorkTree(root, Path(directory), branch, settings, name, email)


@dataclass(frozen=True)
class WorkTree:
    """A checked-out repository with its branch, and a temporary directory for git directories of our own."""

    root: Path
    temporary: Path
    branch: str
    settings: Settings
    name: str
    email: str

    @cached_property
    def remote(self) -> Remote | None:
        """The remote that the branch is pushed to, as it was when the repository was opened. Raises GitMisused."""
        return self.settings.remote(self.branch, self.root)

    def has(self, operation: str) -> bool:
        """Return True if the branch has a commit of this operation."""
        if not self._commit_of("HEAD"):
            return False
        return bool(self._git("log", "-1", "--format=%H", f"--grep=^{TRAILER}: {_word(operation)}$"))

    def tracked(self) -> list[str]:
        """Return all tracked paths."""
        return self._git("ls-files", "-z").split("\0")

    def commit(self, paths: Sequence[str], title: str, operation: str) -> None:
        """Commit these paths, and no other staged changes. Does nothing if they are unchanged."""
        tracked = set(self.tracked())
        own_paths = [path for path in paths if path in tracked or (self.root / path).exists()]
        if not own_paths:
            return
        self._git("add", "--all", "--", *own_paths)
        if not self._git("diff", "--no-ext-diff", "--no-textconv", "--cached", "--name-only", "--", *own_paths):
            return
        message = f"{' '.join(title.split())}\n\n{TRAILER}: {_word(operation)}\n"
        self._git("commit", "--quiet", "--only", "--file=-", "--", *own_paths, stdin=message)

    def push(self) -> None:
        """Push the branch, rebased onto what others have pushed. Does nothing without a remote."""
        if not self.remote:
            return
        target = self.remote.target
        for _ in range(PUSHES):
            done = self._run("push", "--porcelain", "--", self.remote.name, f"HEAD:{target}")
            if done.returncode == 0:
                return
            if not any(sign in done.stdout + done.stderr for sign in OVERTAKEN):
                raise error_of(done)
            self._git("fetch", "--quiet", "--", self.remote.name, target)
            self._rebase_onto(self._commit_of("FETCH_HEAD"))
        raise GitError("Others keep pushing to this repository. Try again later.")

    def _rebase_onto(self, theirs: str) -> None:
        """Rebase the branch in a work tree of its own, then change the files that differ. A kill leaves no rebase."""
        ours = self._commit_of("HEAD")
        rebased = self._rebased(ours, theirs)
        self._run("update-index", "--quiet", "--refresh")
        if self._run("read-tree", "-m", "-u", ours, rebased).returncode != 0:
            raise GitConflict(
                "The repository was changed elsewhere, and files with uncommitted changes are in the way."
            )
        self._git("update-ref", f"refs/heads/{self.branch}", rebased, ours)

    def _rebased(self, ours: str, theirs: str) -> str:
        """Return a commit with our changes after theirs. Raises GitConflict."""
        with tempfile.TemporaryDirectory(dir=self.temporary) as directory:
            files = Path(directory, "files")
            files.mkdir()
            view = self._make_view(Path(directory, "git"), has_index=False)
            options = [word for setting in WITHOUT_LARGE_FILES for word in ("-c", f"filter.lfs.{setting}")]
            self._git(*options, "checkout", "--quiet", "--detach", ours, view=view, files=files)
            if self._run(*options, "rebase", "--quiet", theirs, view=view, files=files).returncode != 0:
                raise GitConflict("The repository was changed elsewhere, and git cannot merge the changes.")
            return self._git("rev-parse", "HEAD", view=view, files=files).strip()

    def _commit_of(self, name: str) -> str:
        """Return the id of a commit, "" if there is none of this name."""
        return self._ask("rev-parse", "--verify", "--quiet", name)

    def _ask(self, *arguments: str) -> str:
        """Return the output of a command, "" if it exits with status 1."""
        done = self._run(*arguments)
        if done.returncode not in (0, 1):
            raise error_of(done)
        return done.stdout.strip()

    def _git(self, *arguments: str, stdin: str = "", view: Path | None = None, files: Path | None = None) -> str:
        done = self._run(*arguments, stdin=stdin, view=view, files=files)
        if done.returncode != 0:
            raise error_of(done)
        return done.stdout

    def _run(
        self, *arguments: str, stdin: str = "", view: Path | None = None, files: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command with our own git directory, and with `files` in place of the work tree.

        The repository is checked each time, because others may write to it meanwhile.
        """
        require_own_files(self.root / ".git")
        files = files or self.root
        places = f"--git-dir={view or self._view}", f"--work-tree={files}"
        return run(files, *places, *arguments, stdin=stdin, config=self._identity)

    def _make_view(self, view: Path, *, has_index: bool = True) -> Path:
        return make_view(self.root / ".git", view, self.branch, self.settings.own_config(self.remote), has_index)

    @cached_property
    def _view(self) -> Path:
        return self._make_view(self.temporary / "git")

    @cached_property
    def _identity(self) -> tuple[str, ...]:
        """Return the author, which git requires: given, configured, or a default."""
        name = self.name or self._configured("user.name") or "blogsvc"
        email = self.email or self._configured("user.email") or "blogsvc@localhost"
        return f"user.name={name}", f"user.email={email}"

    def _configured(self, key: str) -> str:
        return run(self.root, f"--git-dir={self._view}", "config", "--get", key).stdout.strip()


class NoGit:
    """A plain folder without git: nothing to commit or push."""

    def has(self, operation: str) -> bool:
        return False

    def tracked(self) -> list[str]:
        return []

    def commit(self, paths: Sequence[str], title: str, operation: str) -> None:
        return

    def push(self) -> None:
        return


@contextmanager
def clone(bare: Path, branch: str, name: str, email: str) -> Iterator[WorkTree]:
    """Clone a bare repository into a temporary work tree. Raises GitError."""
    cloned_branch = check_bare(bare, branch)
    with tempfile.TemporaryDirectory(prefix="blogsvc-") as directory:
        options = [f"--branch={cloned_branch}"] if cloned_branch else []
        output(Path(directory), "clone", "--quiet", *options, "--", str(bare.absolute()), directory)
        if not cloned_branch and branch:  # an empty repository: the first commit creates the branch
            Path(directory, ".git/HEAD").write_text(f"ref: refs/heads/{branch}\n")
        with work_tree(Path(directory), name, email) as tree:
            yield tree


def check_bare(bare: Path, branch: str) -> str:
    """Return the branch to clone, "" if the repository is empty.

    Raises GitMisused if the branch is missing, or if somebody who pushes files could have made this repository.
    """
    require_outside_work_trees(bare)
    # Without --git-dir: only when git finds the repository itself does it check who owns the directory.
    if Path(output(bare, "rev-parse", "--absolute-git-dir").removesuffix("\n")) != bare.resolve():
        raise GitMisused("git uses another directory than this one. Use a directory made with `git clone --bare`.")
    place = f"--git-dir={bare}"
    branches = output(bare, place, "for-each-ref", "--format=%(refname:short)", "--", "refs/heads").split()
    wanted = branch or run(bare, place, "symbolic-ref", "--short", "HEAD").stdout.strip()
    if branches and wanted not in branches:
        raise GitMisused(f"The repository has no branch {wanted}. Available: {', '.join(branches[:5])}.")
    return wanted if branches else ""


def _word(operation: str) -> str:
    """Return an operation's id without characters that have a meaning in a pattern."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", operation)
