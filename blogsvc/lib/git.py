"""Git, by its own command line: commit some paths once, push them, never by force.

Nothing is asked on a terminal, hooks of the work tree are not run, and what the environment says
of git is not passed on. The hooks of the repository that is pushed to do run: they deploy.
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

TRAILER = "Blogsvc-Operation"
PUSHES = 5  # how often to begin again when somebody else pushed first
GIT_TIMEOUT_SECONDS = 60.0  # for one command
PASSED_VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK")
CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.quotePath=false",
    "commit.gpgSign=false",
    "rebase.autoStash=false",
    "gc.auto=0",
)
OVERTAKEN = ("[rejected]", "cannot lock ref", "failed to update ref", "incorrect old value")
DENIED = re.compile(
    "authentication failed|permission denied|could not read username|host key verification|access denied",
    re.IGNORECASE,
)


class GitError(Exception):
    """A command failed; the message is its own, without addresses. It may work later.

    GitError
      GitMissing     git is not installed
      GitMisused     the repository is not as it should be; somebody must look at it
      GitDenied      the credentials for the remote are not accepted
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
    """What a directory is. Of a work tree only the root counts, lest a post end in somebody's dotfiles."""
    if (path / ".git").exists():
        return "work tree"
    is_bare = (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return "bare" if is_bare else "none"


@dataclass(frozen=True)
class WorkTree:
    """A checked-out repository, and whose name goes on its commits ("": git's own configuration)."""

    root: Path
    name: str = ""
    email: str = ""

    def branch(self) -> str:
        """The branch that is checked out, also where it has no commit yet. Raises GitMisused."""
        branch = self._ask("symbolic-ref", "--quiet", "--short", "HEAD")
        if not branch:
            raise GitMisused("No branch is checked out there.")
        return branch

    def has(self, operation: str) -> bool:
        """Whether a commit of this operation is in the branch already."""
        if not self._ask("rev-parse", "--verify", "--quiet", "HEAD"):
            return False
        return bool(self._ask("log", "-1", "--format=%H", f"--grep=^{TRAILER}: {_word(operation)}$"))

    def tracked(self) -> list[str]:
        """Every path that git knows of."""
        return self._git("ls-files", "-z").split("\0")

    def commit(self, paths: Sequence[str], title: str, operation: str) -> None:
        """Commit these paths as they are now, and nothing else that may be staged. No change, no commit."""
        tracked = set(self.tracked())
        ours = [path for path in paths if path in tracked or (self.root / path).exists()]
        if not ours:
            return
        self._git("add", "--all", "--", *ours)
        if not self._git("diff", "--cached", "--name-only", "--", *ours):
            return
        message = f"{' '.join(title.split())}\n\n{TRAILER}: {_word(operation)}\n"
        self._git("commit", "--quiet", "--only", "--file=-", "--", *ours, stdin=message)

    def push(self) -> None:
        """Bring the branch to its remote, on top of what others have pushed. No remote, no push."""
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
        raise GitError("Others push to this repository all the time.")

    def mend(self) -> None:
        """Undo a rebase of ours that a kill cut short; one of somebody else's is left alone."""
        if self._mark.exists():
            self._run("rebase", "--abort")
            self._mark.unlink()

    def _rebase(self) -> None:
        self._mark.touch()
        done = self._run("rebase", "--quiet", "FETCH_HEAD")
        if done.returncode != 0:
            self.mend()
            raise GitConflict("The repository was changed elsewhere, and git cannot join the changes.")
        self._mark.unlink()

    @cached_property
    def _mark(self) -> Path:
        return self.root / self._git("rev-parse", "--git-path", "blogsvc-rebase").strip()

    def _remote(self) -> tuple[str, str]:
        """The remote and the ref there that this branch belongs to; "" where there is no remote."""
        branch = self.branch()
        remotes = self._git("remote").split()
        usual = "origin" if "origin" in remotes else "".join(remotes[:1])
        remote = self._ask("config", f"branch.{branch}.remote") or usual
        return remote, self._ask("config", f"branch.{branch}.merge") or f"refs/heads/{branch}"

    def _ask(self, *arguments: str) -> str:
        """What a command answers, or "" where it fails because there is nothing."""
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
        return _run(self.root, *arguments, stdin=stdin, config=self._identity)

    @cached_property
    def _identity(self) -> tuple[str, ...]:
        """Committing needs a name; where nobody gave one, ours is better than a failure."""
        name = self.name or _configured(self.root, "user.name") or "blogsvc"
        email = self.email or _configured(self.root, "user.email") or "blogsvc@localhost"
        return f"user.name={name}", f"user.email={email}"


class NoGit(WorkTree):
    """A plain directory: what is written is done."""

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
    """A work tree of a bare repository, for as long as the block lasts. Raises GitError."""
    wanted = check_bare(bare, branch)
    with tempfile.TemporaryDirectory(prefix="blogsvc-") as directory:
        options = ["--branch", wanted] if wanted else []
        done = _run(bare, "clone", "--quiet", *options, "--", str(bare), directory)
        if done.returncode != 0:
            raise _error(done)
        tree = WorkTree(Path(directory), name, email)
        if not wanted and branch:  # empty: the first commit makes the branch
            tree._git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
        yield tree


def check_bare(bare: Path, branch: str) -> str:
    """The branch to clone; "" where the repository is empty. Raises GitMisused where it is missing."""
    done = _run(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    if done.returncode != 0:
        raise _error(done)
    branches = done.stdout.split()
    wanted = branch or _run(bare, "symbolic-ref", "--short", "HEAD").stdout.strip()
    if branches and wanted not in branches:
        raise GitMisused(f"The repository has no branch {wanted}: name one of {', '.join(branches[:5])}.")
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
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
        "GIT_LITERAL_PATHSPECS": "1",
    }


def _error(done: subprocess.CompletedProcess[str]) -> GitError:
    """What a failed command means. Addresses are left out of its words: they may hold a token."""
    words = re.sub(r"\S+://\S+", "the remote", done.stderr).strip()
    if "dubious ownership" in words:
        return GitMisused("git does not trust this directory, as it belongs to another user.")
    if DENIED.search(words):
        return GitDenied("The remote repository does not accept our credentials.")
    lines = [line for line in words.splitlines() if line.startswith(("fatal:", "error:", "remote:"))]
    return GitError(f"git: {(lines or words.splitlines() or ['failed'])[0][:200]}")


def _word(operation: str) -> str:
    """An operation's id as one word without meaning in a pattern."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", operation)
