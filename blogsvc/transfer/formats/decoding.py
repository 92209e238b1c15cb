"""Decode text that should be UTF-8, but of which some bytes may be from another encoding."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress

from blogsvc.transfer.formats.removals import Removals

ERRORS = "blogsvc-windows-1252"
# Follows each character that was replaced or guessed, until it is counted. Unicode reserves it for such uses.
MARK = "\ufdd0"


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Return the bytes that can't be decoded as characters of Windows-1252, each with a mark."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return "".join(f"{character}{MARK}" for character in bad.decode("cp1252", "replace")), error.end


codecs.register_error(ERRORS, _as_windows_1252)


def decoded(data: bytes) -> tuple[str, list[str]]:
    """Decode bytes of UTF-8 or, with a byte order mark, UTF-16. Other bytes count as Windows-1252.

    Returns the text, and a warning if there are such bytes.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), []
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8-sig"), []
    marked = data.decode("utf-8-sig", ERRORS)
    removals = Removals(marked)
    for found in re.finditer(MARK, marked):
        removals.note("Its encoding is not UTF-8 everywhere. Other bytes were read as Windows-1252.", found.start())
    return marked.replace(MARK, ""), list(removals.warnings())
