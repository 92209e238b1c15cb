"""Check that a repository can be used although others may write to it: it stays in its directory and runs no program.

Everything in the `.git` directory counts as written by somebody hostile: git would follow links in it, use another
repository that it names, and obey its configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from blogsvc.lib.git_command import GitMisused, output
from blogsvc.lib.git_settings import Settings

# No command enters the repositories of submodules, and the hooks of a work tree don't run. Hooks are often links.
UNUSED = ("hooks", "modules")


def require_trusted(root: Path, git_dir: Path) -> Settings:
    """Return the local settings of the repository `git_dir` with the work tree `root`. Raises GitError.

    A bare repository is its own root.
    """
    _require_own_directory(git_dir)
    _require_no_links(git_dir)
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


def _require_no_links(git_dir: Path) -> None:
    for entry in _entries(git_dir, unused=UNUSED):
        if entry.is_symlink():
            name = Path(entry.path).relative_to(git_dir)
            raise GitMisused(f"The git directory of this repository contains a symbolic link: {name}. Remove it.")


def _entries(directory: str | Path, unused: Collection[str] = ()) -> Iterator[os.DirEntry[str]]:
    with suppress(FileNotFoundError), os.scandir(directory) as entries:  # files come and go while others use git
        for entry in entries:
            if entry.name not in unused:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.path)


def _require_remote_elsewhere(url: str, root: Path) -> None:
    """Refuse a remote inside the work tree, whose hooks would run, and an address that looks like an option."""
    if url.startswith("-"):
        raise GitMisused("The address of a remote begins with a hyphen. Change it with `git remote set-url`.")
    path = _local_path(url)
    if path is not None and (root / path).resolve().is_relative_to(root.resolve()):
        raise GitMisused("A remote of this repository is inside its own work tree. Move it to another directory.")


def _local_path(url: str) -> Path | None:
    """Return the path of a repository on this server, None for an address elsewhere, as git tells them apart."""
    if url.lower().startswith("file://"):
        return Path(unquote(urlsplit(url).path))
    if "://" in url or re.match(r"[^/]*:", url):  # https://host/path, or host:path
        return None
    return Path(url).expanduser() if url.startswith("~") else Path(url)
