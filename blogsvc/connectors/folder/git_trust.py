"""Check that the files of a work tree's `.git` are its own: git would follow links in it, and use what they name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISSOCK

from blogsvc.connectors.folder.git_command import GitMisused

# No command enters the repositories of submodules, and the hooks of a work tree don't run. Hooks are often links.
UNUSED = ("hooks", "modules")
MAX_DEPTH = 50  # of directories in .git: branches have names like paths


def require_own_files(git_dir: Path) -> None:
    """Raise GitMisused for a git directory that leads to another, by a link, a file or a list of other objects."""
    if git_dir.is_symlink() or not git_dir.is_dir() or (git_dir / "commondir").exists():
        raise GitMisused(
            "The .git of this directory leads to another directory, as in a linked work tree or a submodule. Use a"
            " directory made with `git clone`."
        )
    for file in ("alternates", "http-alternates"):
        if (git_dir / "objects/info" / file).exists():
            raise GitMisused(
                f"This repository uses the objects of another one (objects/info/{file}). Run `git repack -a -d` and"
                " delete this file."
            )
    for entry in _entries(git_dir):
        name = Path(entry.path).relative_to(git_dir)
        if entry.is_symlink():
            raise GitMisused(f"The git directory of this repository contains a symbolic link: {name}. Remove it.")
        if not entry.is_dir() and not entry.is_file() and not S_ISSOCK(entry.stat().st_mode):
            raise GitMisused(f"The git directory of this repository contains a device or a pipe: {name}. Remove it.")
        if len(name.parts) > MAX_DEPTH:
            raise GitMisused(f"The git directory of this repository is deeper than {MAX_DEPTH} directories.")


def _entries(git_dir: Path) -> Iterator[os.DirEntry[str]]:
    to_read = [str(git_dir)]
    while to_read:
        directory = to_read.pop()
        with suppress(FileNotFoundError), os.scandir(directory) as entries:  # files come and go while others use git
            for entry in entries:
                if directory != str(git_dir) or entry.name not in UNUSED:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        to_read.append(entry.path)
