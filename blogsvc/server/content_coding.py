"""Compression of responses: which coding a client accepts (RFC 9110, section 12.5.3), and the compressed bytes."""

from __future__ import annotations

import gzip
import sys
from functools import lru_cache

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Codings that the server can apply, the preferred one first.
CODINGS = ("zstd", "gzip")
# The compressed form of a smaller body is hardly smaller, in bytes.
MIN_SIZE = 256
# Responses from memory are compressed once and sent many times, so both levels favour the size.
GZIP_LEVEL, ZSTD_LEVEL = 6, 15
# For larger bodies, level 15 would take 0.1 s and 32 MB for each MiB; this takes a tenth, and is as small.
LARGE, ZSTD_LEVEL_LARGE = 256 * 1024, 9
# A longer Accept-Encoding header is ignored; browsers send less than 40 characters.
MAX_HEADER = 200

_TEXT_TYPES = frozenset({"application/javascript", "application/json", "application/xml"})


def is_compressible(media_type: str, size: int) -> bool:
    """Return True for text of some length. Images and fonts are already compressed."""
    is_text = media_type.startswith("text/") or media_type.endswith(("+xml", "+json")) or media_type in _TEXT_TYPES
    return is_text and size >= MIN_SIZE


def choose(accept_encoding: str) -> str:
    """Return the coding for a client with this Accept-Encoding header, "" for none."""
    return _choose(accept_encoding) if len(accept_encoding) <= MAX_HEADER else ""


@lru_cache(maxsize=256)
def _choose(accept_encoding: str) -> str:
    weights = _weights(accept_encoding)
    others = weights.get("*", 0.0)
    best = max(CODINGS, key=lambda coding: weights.get(coding, others))
    weight = weights.get(best, others)
    return best if weight > 0 and weight >= weights.get("identity", 0.0) else ""


def _weights(accept_encoding: str) -> dict[str, float]:
    """Return the codings with their weights. Invalid weights count as 0."""
    weights = {}
    for part in accept_encoding.lower().split(","):
        coding, *parameters = (piece.strip() for piece in part.split(";"))
        weights[coding] = _weight(parameters)
    return weights


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return float(value) if value.replace(".", "", 1).isdecimal() and value.isascii() else 0.0
    return 1.0


def compress(body: bytes, coding: str) -> bytes:
    """Compress with a coding of `CODINGS`. The same body gives the same bytes."""
    assert coding in CODINGS, coding
    if coding == "gzip":
        return gzip.compress(body, GZIP_LEVEL, mtime=0)
    return zstd.compress(body, ZSTD_LEVEL if len(body) <= LARGE else ZSTD_LEVEL_LARGE)
