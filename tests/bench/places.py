"""Empty instances for benchmarks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.servers import Place
from tests.databases import databases

database = "sqlite"  # the kind that this run measures


@contextmanager
def folder() -> Iterator[Place]:
    """Yield an empty instance directory with a database."""
    with tempfile.TemporaryDirectory(prefix="bench") as name, databases(database) as lent:
        yield Place(Path(name), lent.lend(is_blank=True))
