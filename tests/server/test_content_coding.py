"""Compression of responses: what Accept-Encoding asks for, and what is worth compressing."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from blogsvc.server import content_coding
from blogsvc.server.content_coding import zstd


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("", ""),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("gzip, deflate, br", "gzip"),
        ("br;q=1.0, gzip;q=0.001", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.5, gzip", "gzip"),
        ("zstd;q=0, gzip", "gzip"),
        ("*", "zstd"),
        ("*;q=0.5", "zstd"),
        ("*, zstd;q=0", "gzip"),
        ("identity", ""),
        ("identity;q=0.5, gzip;q=1.0", "gzip"),
        ("identity, gzip;q=0.5", ""),
        ("gzip;q=0", ""),
        ("gzip;q=0.000", ""),
        ("*, gzip;q=0", "zstd"),
        ("*;q=0", ""),
        ("identity;q=0", ""),
        ("br", ""),
        ("x-unknown;q=0.9", ""),
        ("gzip;q=high", ""),
        ("gzip;q=-1", ""),
        ("gzip;q=\u0661", ""),
        ("gzip;level=1;q=0.5", "gzip"),
        (" , ;;q=1,,gzip ", "gzip"),
        ("gzip," + "x" * 300, ""),
    ],
)
def test_the_coding_is_the_one_that_the_client_prefers(accepted: str, chosen: str) -> None:
    assert content_coding.choose(accepted) == chosen


@pytest.mark.parametrize(
    ("media_type", "size", "is_worth_it"),
    [
        ("text/html", 1000, True),
        ("application/atom+xml", 1000, True),
        ("application/feed+json", 1000, True),
        ("image/svg+xml", 1000, True),
        ("text/plain", 100, False),
        ("font/woff2", 1000, False),
        ("image/png", 1000, False),
        ("", 1000, False),
    ],
)
def test_text_of_some_length_is_compressed(media_type: str, size: int, is_worth_it: bool) -> None:
    assert content_coding.is_compressible(media_type, size) is is_worth_it


@pytest.mark.parametrize(("coding", "unpack"), [("gzip", gzip.decompress), ("zstd", zstd.decompress)])
def test_the_same_body_gives_the_same_bytes(coding: str, unpack: Callable[[bytes], bytes]) -> None:
    body = b"some words " * 100
    once = content_coding.compress(body, coding)

    assert once == content_coding.compress(body, coding)
    assert unpack(once) == body
    assert len(once) < len(body) / 5


@pytest.mark.parametrize("length", [content_coding.MIN_SIZE, content_coding.LARGE + 1])
def test_bodies_of_any_size_are_restored(length: int) -> None:
    body = b"Some words. "[:length] * (length // 12 + 1)
    assert zstd.decompress(content_coding.compress(body, "zstd")) == body
    assert gzip.decompress(content_coding.compress(body, "gzip")) == body
