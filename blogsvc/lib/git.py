"""Git by its command line: commit given paths once, and push without force.

It never prompts, runs no hooks of the work tree and no programs that its configuration names, and ignores git's
environment variables. Hooks of the remote repository do run, because they deploy, and so do the programs of the user's
own configuration, such as filters for large files.
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

from blogsvc.lib.git_programs import program_in

TRAILER = "Blogsvc-Operation"
PUSHES = 5  # attempts if others push at the same time
GIT_TIMEOUT_SECONDS = 60.0  # per command
PASSED_VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK")
CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.quotePath=false",
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "log.showSignature=false",
    "rebase.autoStash=false",
    "rebase.backend=merge",
    "protocol.ext.allow=never",
    # Submodules have a configuration of their own.
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "diff.ignoreSubmodules=all",
    "gc.auto=0",
    "maintenance.auto=false",
)
OVERTAKEN = ("[rejected]", "cannot lock ref", "failed to update ref", "incorrect old value")
DENIED = re.compile(
    "authentication failed|permission denied|could not read username|host key verification|access denied",
    re.IGNORECASE,
)


class GitError(Exception):
    """A git command failed. The message is git's own, without URLs. It may succeed later.

    GitError
      GitMissing     git is not installed
      GitMisused     the repository is in an unexpected state; a person must look at it
      GitDenied      the remote rejected the credentials
      GitConflict    others changed the same lines, or the work tree has changes in the way
    """


class GitMissing(GitError):
    pass


class GitMisused(GitError):
    pass


class GitDenied(GitError):
    pass


class GitConflict(GitError):
    pass


def kind(path: Path) -> Literal["work tree", "bare", "none"]:
    """Return the kind of a folder. Only the root of a work tree counts, not folders inside it."""
    if (path / ".git").exists():
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
        branch = self._ask("symbolic-ref", "--quiet", "--short", "HEAD")
        if not branch:
            raise GitMisused("No branch is checked out there.")
        return branch

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
        remote, target = self._remote()
        if not remote:
            return
        for _ in range(PUSHES):
            done = self._run("push", "--porcelain", remote, f"HEAD:{target}")
            if done.returncode == 0:
                return
            if not any(sign in done.stdout + done.stderr for sign in OVERTAKEN):
                raise _error(done)
            self._git("fetch", "--quiet", remote, target)
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

    @cached_property
    def _mark(self) -> Path:
        return self.root / self._git("rev-parse", "--git-path", "blogsvc-rebase").strip()

    def _remote(self) -> tuple[str, str]:
        """Return the remote and the ref of this branch, "" without a remote."""
        branch = self.branch()
        remotes = self._git("remote").split()
        usual = "origin" if "origin" in remotes else "".join(remotes[:1])
        remote = self._ask("config", f"branch.{branch}.remote") or usual
        return remote, self._ask("config", f"branch.{branch}.merge") or f"refs/heads/{branch}"

    def _ask(self, *arguments: str) -> str:
        """Return the output of a command, "" if it exits with status 1."""
        done = self._run(*arguments)
        if done.returncode not in (0, 1):
            raise _error(done)
        return done.stdout.strip()

    def _git(self, *arguments: str, stdin: str = "") -> str:
        done = self._run(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise _error(done)
        return done.stdout

    def _run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        self._require_no_programs  # noqa: B018  once per work tree
        return _run(self.root, *arguments, stdin=stdin, config=self._identity)

    @cached_property
    def _require_no_programs(self) -> None:
        """Raise GitMisused if the repository's own configuration makes git run a program."""
        done = _run(self.root, "config", "--list", "--show-scope", "-z")
        if done.returncode != 0:
            raise _error(done)
        if (key := program_in(done.stdout)) is not None:
            raise GitMisused(
                f"The configuration of this repository runs a program: {key}. Remove it, or set it for the user of the"
                " server with `git config --global`."
            )

    @cached_property
    def _identity(self) -> tuple[str, ...]:
        """Return the author, which git requires: given, configured, or a default."""
        name = self.name or _configured(self.root, "user.name") or "blogsvc"
        email = self.email or _configured(self.root, "user.email") or "blogsvc@localhost"
        return f"user.name={name}", f"user.email={email}"


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
        options = ["--branch", wanted] if wanted else []
        done = _run(Path(directory), "clone", "--quiet", *options, "--", str(bare.absolute()), directory)
        if done.returncode != 0:
            raise _error(done)
        tree = WorkTree(Path(directory), name, email)
        if not wanted and branch:  # an empty repository: the first commit creates the branch
            tree._git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
        yield tree


def check_bare(bare: Path, branch: str) -> str:
    """Return the branch to clone, "" if the repository is empty. Raises GitMisused if the branch is missing."""
    done = _run(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    if done.returncode != 0:
        raise _error(done)
    branches = done.stdout.split()
    wanted = branch or _run(bare, "symbolic-ref", "--short", "HEAD").stdout.strip()
    if branches and wanted not in branches:
        raise GitMisused(f"The repository has no branch {wanted}. Available: {', '.join(branches[:5])}.")
    return wanted if branches else ""


def _configured(root: Path, name: str) -> str:
    return _run(root, "config", name).stdout.strip()


def _run(
    directory: Path, *arguments: str, stdin: str = "", config: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    options = [word for setting in (*CONFIG, *config) for word in ("-c", setting)]
    try:
        return subprocess.run(  # noqa: S603  a list of arguments, no shell
            ["git", *options, *arguments],  # noqa: S607  the operator's git, from PATH
            cwd=directory,
            env=_environment(),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=GIT_TIMEOUT_SECONDS,
        )
    except FileNotFoundError:
        raise GitMissing("git is not installed on this server.") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git did not finish within {GIT_TIMEOUT_SECONDS:.0f} seconds.") from None


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    return {
        **kept,
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_SEQUENCE_EDITOR": "true",
        "GIT_PAGER": "cat",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
        "GIT_LITERAL_PATHSPECS": "1",
    }


def _error(done: subprocess.CompletedProcess[str]) -> GitError:
    """Return the error for a failed command. Removes URLs from the message, because they may contain a token."""
    words = re.sub(r"\S+://\S+", "the remote", done.stderr).strip()
    if "dubious ownership" in words:
        return GitMisused("git does not trust this directory, because it belongs to another user.")
    if DENIED.search(words):
        return GitDenied("The remote repository rejected the credentials.")
    lines = [line for line in words.splitlines() if line.startswith(("fatal:", "error:", "remote:"))]
    return GitError(f"git: {(lines or words.splitlines() or ['failed'])[0][:200]}")


def _word(operation: str) -> str:
    """Return an operation's id without characters that have a meaning in a pattern."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", operation)
