"""Detect the format of an uploaded file by its content, and parse its posts."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import tzinfo
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from blogsvc.lib.sizes import MIB
from blogsvc.transfer.formats import JSON_FORMAT, Format, blogsvc_json
from blogsvc.transfer.formats.archives import Archive, opened
from blogsvc.transfer.formats.decoding import decoded
from blogsvc.transfer.formats.ghost import read as ghost
from blogsvc.transfer.formats.parsed_post import SkippedItem, UnreadableFile, counted
from blogsvc.transfer.formats.sites import read as markdown
from blogsvc.transfer.formats.sites.text import is_text
from blogsvc.transfer.formats.wordpress import read as wordpress

MAX_JSON_BYTES = 100 * MIB  # loaded into memory as a whole
HINT = (
    "Use a zip of Markdown files, an export of Ghost (.json) or WordPress (.xml), or a complete export of blogsvc"
    " (.json)."
)


def read(
    file: BinaryIO, zone: tzinfo, max_unpacked: int, chosen_format: Format | None = None, filename: str = ""
) -> tuple[Format, Iterator[Any]]:
    """Return the format of an open file, and an iterator of ParsedPost and SkippedItem.

    `filename` is the name that the file had. Raises UnreadableFile, also during iteration.
    """
    if not zipfile.is_zipfile(file):
        return _plain(file, zone, chosen_format, filename)
    with opened(file, max_unpacked) as archive:
        form, names = _kind(archive, chosen_format)
    return form, _from_zip(file, zone, max_unpacked, form, names)


def _plain(file: BinaryIO, zone: tzinfo, chosen_format: Format | None, filename: str) -> tuple[Format, Iterator[Any]]:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    start = decoded(head[:1000])[0].lstrip("\ufeff \t\r\n")
    if not start:
        raise UnreadableFile("This file is empty.")
    if start.startswith("PK"):
        raise UnreadableFile("This zip is damaged or incomplete.")
    is_markdown = chosen_format == "markdown" or (chosen_format is None and is_text(filename))
    is_xml = not is_markdown and (start.startswith("<") or _EXPORT["wordpress"].search(head) is not None)
    if chosen_format == "wordpress" or (chosen_format is None and is_xml):
        return "wordpress", wordpress.read([lambda: _again(file)], zone)
    if chosen_format in ("ghost", "blogsvc") or (start.startswith("{") and not is_markdown):
        with _again(file) as whole:
            return _of_json(whole.read(MAX_JSON_BYTES + 1), filename or "This file", zone)
    if is_markdown or not _is_binary(head):
        return "markdown", _one_file(file, zone, filename)
    raise UnreadableFile(f"This file type can't be imported. {HINT}")


@contextmanager
def _again(file: BinaryIO) -> Iterator[BinaryIO]:
    """Give the file, to be read from its beginning."""
    file.seek(0)
    yield file


def _is_binary(head: bytes) -> bool:
    return b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff"))


def _of_json(data: bytes, name: str, zone: tzinfo, archive: Archive | None = None) -> tuple[Format, Iterator[Any]]:
    """Parse an export in JSON. What is after it, or not in UTF-8, does not refuse the file."""
    if not data or len(data) > MAX_JSON_BYTES:
        raise UnreadableFile(f"{name} is larger than {MAX_JSON_BYTES // MIB} MiB, or empty.")
    text, warnings = decoded(data)
    try:
        document = json.JSONDecoder(strict=False).raw_decode(text.lstrip("\ufeff \t\r\n"))[0]
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{name} is not valid JSON. It is damaged or incomplete. Export it again.") from error
    notes = [SkippedItem(name, warning) for warning in warnings]
    if blogsvc_json.is_export(document):
        return "blogsvc", chain(notes, blogsvc_json.read(document, zone))
    if ghost.is_export(document):
        return "ghost", chain(notes, ghost.read(document, zone, archive))
    raise UnreadableFile(f"This JSON file is neither an export of Ghost nor of blogsvc. {HINT}")


def _kind(archive: Archive, chosen_format: Format | None) -> tuple[Format, list[str]]:
    """Return the format of a zip, and the export files to parse; none if it is Markdown, where all files are parsed.

    An export file that is recognized wins over Markdown, because the folders of a blog contain Markdown of their own,
    such as Ghost's `content/images/README.md`.
    """
    by_suffix = {form: [name for name in archive.names if name.lower().endswith(suffix)] for form, suffix in _SUFFIXES}
    recognized = {
        form: [name for name in names if _EXPORT[form].search(archive.head(name, HEAD_BYTES))]
        for form, names in by_suffix.items()
    }
    texts = [name for name in archive.names if markdown.is_post_file(name)]
    posts = [name for name in texts if not markdown.is_of_site(name)]
    # Both are JSON, told apart when it is parsed.
    kind: Format | None = "ghost" if chosen_format == "blogsvc" else chosen_format
    choices: tuple[tuple[Format, list[str], bool], ...] = (
        *((form, names, True) for form, names in recognized.items()),
        ("markdown", posts, False),
        *((form, names[:1], True) for form, names in by_suffix.items()),
        ("markdown", texts, False),
    )
    for form, names, is_export in choices:
        if names and kind in (None, form):
            return form, names if is_export else []
    raise UnreadableFile(f"This zip has no files that can be imported. {HINT}")


_SUFFIXES: tuple[tuple[Format, str], ...] = (("wordpress", ".xml"), ("ghost", ".json"))
HEAD_BYTES = 16 * 1024
_EXPORT: dict[Format, re.Pattern[bytes]] = {
    "wordpress": re.compile(rb"wordpress\.org/export/"),
    "ghost": re.compile(rb'^\s*\{\s*"db"\s*:|"exported_on"|"format"\s*:\s*"' + JSON_FORMAT.encode()),
}


def _from_zip(file: BinaryIO, zone: tzinfo, max_unpacked: int, form: Format, names: list[str]) -> Iterator[Any]:
    with opened(file, max_unpacked) as archive:
        if archive.strangers:
            number = counted(len(archive.strangers), "file", "files")
            yield SkippedItem(
                number,
                "Skipped: a link, an encrypted file, a path that leads outside of the zip, or a compression other than"
                " Deflate.",
            )
        if form == "markdown":
            yield from markdown.read(archive, zone)
        elif form == "wordpress":  # WordPress.com splits large exports
            yield from wordpress.read([partial(archive.stream, name) for name in names], zone)
        else:
            for name in names:
                yield from _of_json(archive.read(name, MAX_JSON_BYTES), name, zone, archive)[1]


def _one_file(file: BinaryIO, zone: tzinfo, filename: str) -> Iterator[Any]:
    """Parse a single Markdown file, as if it were in a zip."""
    name = filename if is_text(filename) else f"{Path(filename).stem or 'post'}.md"
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as zipped, _again(file) as whole:
        zipped.writestr(name, whole.read(markdown.MAX_FILE_BYTES + 1))
    with opened(packed, MIB * 100) as archive:
        yield from markdown.read(archive, zone, is_alone=True)
