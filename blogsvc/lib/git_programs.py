"""The settings of a repository's own configuration that make git run a program.

Who can write to a work tree can write to its `.git/config`, too, and would run programs as the user of the server. Git
cannot ignore this file. Settings that `git.CONFIG` overrides, or that no command of `git.py` uses, are harmless.
"""

from __future__ import annotations

import re

_RUN = re.compile(
    r"filter\..*\.(clean|smudge|process)"
    r"|merge\..*\.driver"
    r"|hook\..*\.command"
    r"|core\.(askpass|gitproxy|alternaterefscommand)"
    r"|remote\..*\.(receivepack|uploadpack|vcs)"
    r"|lfs\.(.*\.)?standalonetransferagent|lfs\.customtransfer\..*|lfs\.extension\..*"
)
_HELPER = re.compile(r"credential\.(.*\.)?helper")
# A helper by name, which is one of the programs installed with git, and options without characters for the shell.
_INSTALLED_HELPER = re.compile(r"([a-z][a-z0-9-]*( --?[\w./=~-]+)*)?", re.ASCII)


def program_in(listed: str) -> str | None:
    """Return the first setting that runs a program, None if there is none.

    Args:
        listed: the output of `git config --list --show-scope -z`, which includes included files. The settings of the
            user and the system count as the operator's.
    """
    parts = listed.split("\0")
    for scope, entry in zip(parts[::2], parts[1::2], strict=False):
        key, _, value = entry.partition("\n")
        if scope in ("local", "worktree") and _runs_program(key, value):
            return key
    return None


def _runs_program(key: str, value: str) -> bool:
    if _HELPER.fullmatch(key):
        return not _INSTALLED_HELPER.fullmatch(value)
    return bool(_RUN.fullmatch(key))
