"""Files that the command line writes, and never overwrites."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from blogsvc.errors import BlogError
from blogsvc.lib.files import private_files


class FileExists(BlogError):
    """The file is there already."""


@contextmanager
def new_file(target: Path) -> Iterator[BinaryIO]:
    """Yield a file that is at `target`, with mode 0600, when the block succeeds. Raises FileExists, and OSError."""
    _require_absent(target)
    with private_files.appearing(target) as out:
        yield out
        _require_absent(target)


def _require_absent(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise FileExists(f"{path} already exists. Choose another file name, or move the file away.")
