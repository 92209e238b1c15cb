"""The body of a response that many clients get, large enough to be sent from a file."""

from __future__ import annotations

from typing import BinaryIO

# The maximum size of a body that is sent from memory, in bytes. For each client, Granian takes as much for a body from
# a file, whatever its size: twice 128 KiB (measured, 2.8.7).
MAX_FROM_MEMORY = 256 * 1024


class LargeBody(bytes):
    """Bytes that may be in a file, too, which is closed with the last reference to it."""

    file: BinaryIO | None = None
