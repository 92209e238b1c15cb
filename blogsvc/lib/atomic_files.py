"""Files written whole or not at all, and never outside the directory that was given."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


class OutsideError(ValueError):
    """A path that leads out of its directory."""


def inside(root: Path, relative: str) -> Path:
    """The path below `root`. Raises OutsideError for `..`, for `.git` and for links that lead out."""
    parts = Path(relative).parts
    if not parts or Path(relative).is_absolute() or any(part.startswith(".") for part in parts):
        raise OutsideError("This path leads out of the directory.")
    path = root.joinpath(*parts)
    if not path.resolve().is_relative_to(root.resolve()):
        raise OutsideError("A link in this directory leads out of it.")
    return path


def write(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file so that a reader, or a power cut, sees the old one or the new one. Raises OSError.

    `mode` is that of a new file, less what the process' umask takes away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # One name per target: what a kill leaves behind, the next attempt overwrites.
    half = path.with_name(f".{path.name}.blogsvc")
    with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode), "wb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except OSError:  # a full disk needs the room
            half.unlink(missing_ok=True)
            raise
    half.replace(path)
    sync_directory(path.parent)


def remove(path: Path, root: Path) -> None:
    """Remove a file, and the directories below `root` that this leaves empty."""
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == root or not parent.is_relative_to(root):
            return
        with suppress(OSError):  # not empty, or not there
            parent.rmdir()


def sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
