"""Git by its command line: commit given paths once, and push without force.

It never prompts, runs no hooks of the work tree, ignores git's environment variables, and refuses a repository that
leads elsewhere or whose own configuration isn't harmless. Hooks of the remote repository do run, because they deploy,
and so do the programs of the user's own configuration, such as filters for large files.
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

from blogsvc.lib.git_command import (
    GitConflict,
    GitDenied,
    GitError,
    GitMissing,
    GitMisused,
    error_of,
    output,
    run,
)
from blogsvc.lib.git_settings import BRANCH_REF, Settings
from blogsvc.lib.git_trust import require_trusted

__all__ = ["GitConflict", "GitDenied", "GitError", "GitMissing", "GitMisused", "NoGit", "WorkTree", "clone", "kind"]

TRAILER = "Blogsvc-Operation"
PUSHES = 5  # attempts if others push at the same time
OVERTAKEN = ("[rejected]", "cannot lock ref", "failed to update ref", "incorrect old value")


def kind(path: Path) -> Literal["work tree", "bare", "none"]:
    """Return the kind of a folder. Only the root of a work tree counts, not folders inside it."""
    if os.path.lexists(path / ".git"):
        return "work tree"
    is_bare = (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return "bare" if is_bare else "none"


@dataclass(frozen=True)
class WorkTree:
    """A checked-out repository, and the author of its commits ("" uses git's configuration)."""

    root: Path
    name: str = ""
    email: str = ""

    def branch(self) -> str:
        """Return the current branch, even without commits. Raises GitMisused if none is checked out."""
        ref = self._ask("symbolic-ref", "--quiet", "HEAD")
        if not BRANCH_REF.fullmatch(ref):
            raise GitMisused("No branch is checked out there.")
        return ref.removeprefix("refs/heads/")

    def has(self, operation: str) -> bool:
        """Return True if the branch has a commit of this operation."""
        if not self._ask("rev-parse", "--verify", "--quiet", "HEAD"):
            return False
        return bool(self._ask("log", "-1", "--format=%H", f"--grep=^{TRAILER}: {_word(operation)}$"))

    def tracked(self) -> list[str]:
        """Return all tracked paths."""
        return self._git("ls-files", "-z").split("\0")

    def commit(self, paths: Sequence[str], title: str, operation: str) -> None:
        """Commit these paths, and no other staged changes. Does nothing if they are unchanged."""
        tracked = set(self.tracked())
        ours = [path for path in paths if path in tracked or (self.root / path).exists()]
        if not ours:
            return
        self._git("add", "--all", "--", *ours)
        if not self._git("diff", "--no-ext-diff", "--no-textconv", "--cached", "--name-only", "--", *ours):
            return
        message = f"{' '.join(title.split())}\n\n{TRAILER}: {_word(operation)}\n"
        self._git("commit", "--quiet", "--only", "--file=-", "--", *ours, stdin=message)

    def push(self) -> None:
        """Push the branch, rebased onto what others have pushed. Does nothing without a remote."""
        branch, settings = self.branch(), self._settings()
        remote, target = settings.remote(branch), settings.target(branch)
        if not remote:
            return
        for _ in range(PUSHES):
            done = self._run("push", "--porcelain", "--", remote, f"HEAD:{target}")
            if done.returncode == 0:
                self._settings()
                return
            if not any(sign in done.stdout + done.stderr for sign in OVERTAKEN):
                raise error_of(done)
            self._git("fetch", "--quiet", "--", remote, target)
            self._rebase()
        raise GitError("Others keep pushing to this repository. Try again later.")

    def mend(self) -> None:
        """Abort a rebase that we started and a crash interrupted, but no one else's."""
        if self._mark.exists():
            self._run("rebase", "--abort")
            self._mark.unlink()

    def _rebase(self) -> None:
        self._mark.touch()
        done = self._run("rebase", "--quiet", "FETCH_HEAD")
        if done.returncode != 0:
            self.mend()
            raise GitConflict("The repository was changed elsewhere, and git cannot merge the changes.")
        self._mark.unlink()

    @property
    def _git_dir(self) -> Path:
        return self.root / ".git"

    @property
    def _mark(self) -> Path:
        return self._git_dir / "blogsvc-rebase"

    def _ask(self, *arguments: str) -> str:
        """Return the output of a command, "" if it exits with status 1."""
        done = self._run(*arguments)
        if done.returncode not in (0, 1):
            raise error_of(done)
        return done.stdout.strip()

    def _git(self, *arguments: str, stdin: str = "") -> str:
        done = self._run(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise error_of(done)
        return done.stdout

    def _run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command. The repository is checked each time, because others may write to it meanwhile."""
        self._settings()
        places = f"--git-dir={self._git_dir}", f"--work-tree={self.root}"
        return run(self.root, *places, *arguments, stdin=stdin, config=self._identity)

    def _settings(self) -> Settings:
        return require_trusted(self.root, self._git_dir)

    @cached_property
    def _identity(self) -> tuple[str, ...]:
        """Return the author, which git requires: given, configured, or a default."""
        name = self.name or self._configured("user.name") or "blogsvc"
        email = self.email or self._configured("user.email") or "blogsvc@localhost"
        return f"user.name={name}", f"user.email={email}"

    def _configured(self, key: str) -> str:
        return run(self.root, "config", "--get", key).stdout.strip()


class NoGit(WorkTree):
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
    wanted = check_bare(bare, branch)
    with tempfile.TemporaryDirectory(prefix="blogsvc-") as directory:
        options = [f"--branch={wanted}"] if wanted else []
        output(Path(directory), "clone", "--quiet", *options, "--", str(bare.absolute()), directory)
        tree = WorkTree(Path(directory), name, email)
        if not wanted and branch:  # an empty repository: the first commit creates the branch
            tree._git("symbolic-ref", "--", "HEAD", f"refs/heads/{branch}")
        yield tree


def check_bare(bare: Path, branch: str) -> str:
    """Return the branch to clone, "" if the repository is empty.

    Raises GitMisused if the branch is missing, or if somebody who pushes files could have made this repository.
    """
    for parent in bare.resolve().parents:
        if os.path.lexists(parent / ".git"):
            raise GitMisused(f"This bare repository is inside the work tree {parent}. Move it to another directory.")
    require_trusted(bare, bare)
    place = f"--git-dir={bare}"
    branches = output(bare, place, "for-each-ref", "--format=%(refname:short)", "--", "refs/heads").split()
    wanted = branch or run(bare, place, "symbolic-ref", "--short", "HEAD").stdout.strip()
    if branches and wanted not in branches:
        raise GitMisused(f"The repository has no branch {wanted}. Available: {', '.join(branches[:5])}.")
    return wanted if branches else ""


def _word(operation: str) -> str:
    """Return an operation's id without characters that have a meaning in a pattern."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", operation)
