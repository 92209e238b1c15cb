"""The body of a response that many clients get, large enough to be sent from a file."""

from __future__ import annotations

from functools import cached_property
from tempfile import TemporaryFile
from typing import BinaryIO

# The maximum size of a body that is sent from memory, in bytes. For each client, Granian takes as much for a body from
# a file, whatever its size: twice 128 KiB (measured, 2.8.7).
MAX_FROM_MEMORY = 256 * 1024


class LargeBody(bytes):
    """Bytes that are in a file, too."""

    @cached_property
    def file(self) -> BinaryIO:
        """Return a file without a name, which is closed with the last reference to it. Raises OSError."""
        file = TemporaryFile()  # noqa: SIM115
        file.write(self)
        file.flush()
        return file
