"""Atomic file writes, confined to a given folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


class OutsideError(ValueError):
    """Raised for a path that leads out of its folder."""


def inside(root: Path, relative: str) -> Path:
    """Return the path below `root`. Raises OutsideError for `..`, hidden files, and links that lead outside."""
    real_path(root, relative)
    return root.joinpath(relative)


def real_path(root: Path, relative: str) -> Path:
    """Return the path relative to `root`, with links resolved. Raises OutsideError, as `inside` does."""
    parts = Path(relative).parts
    if not parts or Path(relative).is_absolute() or any(part.startswith(".") for part in parts):
        raise OutsideError("This path is outside of the directory.")
    try:
        real, top = root.joinpath(*parts).resolve(), root.resolve()
    except RuntimeError as error:
        raise OutsideError("The symbolic links in this directory lead in a circle.") from error
    if not real.is_relative_to(top) or any(part.startswith(".") for part in real.relative_to(top).parts):
        raise OutsideError("A symbolic link in this directory leads outside of it, or to hidden files.")
    return real.relative_to(top)


def write(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file atomically: readers, also after a crash, see the old or the new content. Raises OSError.

    `mode` is the mode of a new file, before the umask is applied.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        write_at(directory, path.name, data, mode)
    finally:
        os.close(directory)


def write_at(directory: int, name: str, data: bytes, mode: int = 0o666) -> None:
    """Write a file atomically in an open directory, as `write` does."""
    # A fixed name per target, so that the next attempt replaces what a crash left behind.
    half = f".{name}.blogsvc"
    with suppress(FileNotFoundError):
        os.unlink(half, dir_fd=directory)
    with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=directory), "wb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except OSError:  # free the space if the disk is full
            os.unlink(half, dir_fd=directory)
            raise
    os.replace(half, name, src_dir_fd=directory, dst_dir_fd=directory)
    os.fsync(directory)


def sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
