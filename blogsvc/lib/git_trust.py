"""Check that a repository can be used although others may write to it: it stays in its directory and runs no program.

Everything in the `.git` directory counts as written by somebody hostile: git would follow links in it, use another
repository that it names, and obey its configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISSOCK
from urllib.parse import unquote

from blogsvc.lib.git_command import GitMisused, output
from blogsvc.lib.git_settings import Settings

# No command enters the repositories of submodules, and the hooks of a work tree don't run. Hooks are often links.
UNUSED = ("hooks", "modules")
# Directories in which old versions of git keep addresses of remotes, and git still reads them.
OLD_REMOTES = ("branches", "remotes")
MAX_DEPTH = 50  # of directories in .git: branches have names like paths


def require_trusted(root: Path, git_dir: Path) -> Settings:
    """Return the local settings of the repository `git_dir` with the work tree `root`. Raises GitError.

    A bare repository is its own root.
    """
    _require_own_directory(git_dir)
    _require_plain_files(git_dir)
    settings = Settings.parsed(output(root, "config", "--list", "--show-scope", "--no-includes", "-z"))
    # Without --git-dir: only when git finds the repository itself does it check who owns the directory.
    if Path(output(root, "rev-parse", "--absolute-git-dir").removesuffix("\n")) != git_dir.resolve():
        raise GitMisused("git uses another directory than this one. Use a directory made with `git clone`.")
    for url in settings.urls():
        _require_remote_elsewhere(url, root)
    return settings


def _require_own_directory(git_dir: Path) -> None:
    if git_dir.is_symlink() or not git_dir.is_dir() or (git_dir / "commondir").exists():
        raise GitMisused(
            "The .git of this directory leads to another directory, as in a linked work tree or a submodule. Use a"
            " directory made with `git clone`."
        )
    for name in ("alternates", "http-alternates"):
        if (git_dir / "objects/info" / name).exists():
            raise GitMisused(
                f"This repository uses the objects of another one (objects/info/{name}). Run `git repack -a -d` and"
                " delete this file."
            )


def _require_plain_files(git_dir: Path) -> None:
    """Refuse symbolic links, devices and pipes, whose content changes between two reads, and addresses of remotes."""
    for entry in _entries(git_dir):
        name = Path(entry.path).relative_to(git_dir)
        if entry.is_symlink():
            raise GitMisused(f"The git directory of this repository contains a symbolic link: {name}. Remove it.")
        if not entry.is_dir() and not entry.is_file() and not S_ISSOCK(entry.stat().st_mode):
            raise GitMisused(f"The git directory of this repository contains a device or a pipe: {name}. Remove it.")
        if entry.is_file() and name.parts[0] in OLD_REMOTES:
            raise GitMisused(f"git would read the address of a remote from {name}. Remove this file.")
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


def _require_remote_elsewhere(url: str, root: Path) -> None:
    """Refuse a remote inside the work tree, whose hooks would run, and an address that looks like an option."""
    if url.startswith("-") or not url.isprintable():
        raise GitMisused("The address of a remote is not valid. Change it with `git remote set-url`.")
    path = _local_path(url)
    if path is not None and (root / path).resolve().is_relative_to(root.resolve()):
        raise GitMisused("A remote of this repository is inside its own work tree. Move it to another directory.")


def _local_path(url: str) -> Path | None:
    """Return the path of a repository on this server, None for an address elsewhere, as git tells them apart."""
    if url.lower().startswith("file://"):
        _host, slash, path = url[len("file://") :].partition("/")
        return Path(unquote(slash + path))  # unlike in other addresses, ? and # are part of the path
    if "://" in url or re.match(r"[^/]*:", url):  # https://host/path, or host:path
        return None
    return Path(url).expanduser() if url.startswith("~") else Path(url)
