"""Files that the command line writes, and never overwrites."""

from __future__ import annotations

from pathlib import Path

from blogsvc.errors import BlogError


class FileExists(BlogError):
    """The file is there already."""


def require_absent(path: Path) -> None:
    """Raise FileExists if there is something at the path."""
    if path.exists() or path.is_symlink():
        raise FileExists(f"{path} already exists. Choose another file name, or move the file away.")
