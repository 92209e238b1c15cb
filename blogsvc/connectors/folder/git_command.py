"""One git command: its settings, its environment, and its errors."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

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
    "rebase.updateRefs=false",
    "rebase.backend=merge",
    # Submodules have a configuration of their own.
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "diff.ignoreSubmodules=all",
    "gc.auto=0",
    "maintenance.auto=false",
)
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


def run(
    directory: Path, *arguments: str, stdin: str = "", config: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run git in a directory. Raises GitError only if it can't be run or doesn't end."""
    options = [word for setting in (*CONFIG, *config) for word in ("-c", setting)]
    try:
        process = subprocess.Popen(  # noqa: S603  a list of arguments, no shell
            ["git", *options, *arguments],  # noqa: S607  the operator's git, from PATH
            cwd=directory,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # a group with all programs that git starts
        )
    except FileNotFoundError:
        raise GitMissing("git is not installed on this server.") from None
    with process:
        try:
            out, err = process.communicate(stdin, GIT_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise GitError(f"git did not finish within {GIT_TIMEOUT_SECONDS:.0f} seconds.") from None
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def output(directory: Path, *arguments: str) -> str:
    """Return the output of a command. Raises GitError if it fails."""
    done = run(directory, *arguments)
    if done.returncode != 0:
        raise error_of(done)
    return done.stdout


def error_of(done: subprocess.CompletedProcess[str]) -> GitError:
    """Return the error for a failed command. Removes URLs from the message, because they may contain a token."""
    words = re.sub(r"(?<!\S)\S+?://\S+", "the remote", done.stderr).strip()
    if "dubious ownership" in words:
        return GitMisused("git does not trust this directory, because it belongs to another user.")
    if DENIED.search(words):
        return GitDenied("The remote repository rejected the credentials.")
    lines = [line for line in words.splitlines() if line.startswith(("fatal:", "error:", "remote:"))]
    return GitError(f"git: {(lines or words.splitlines() or ['failed'])[0][:200]}")


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
        # No other protocols, such as ext, which runs a command. Overrides `protocol.*.allow`.
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    }
