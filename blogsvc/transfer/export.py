"""Export all posts to a file, without secrets and without loading everything into memory.

Markdown: a zip that blogsvc, Hugo, Jekyll and others can read, with each post as published (drafts as they
are) and its images. JSON: all data of every post.
"""

from __future__ import annotations

import errno
import zipfile
from contextlib import ExitStack
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import BinaryIO, Literal

from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.lib.progress import Report, silent
from blogsvc.transfer.export_json import document
from blogsvc.transfer.export_markdown import MarkdownZip
from blogsvc.transfer.new_file import new_file

Form = Literal["markdown", "json"]
# One export at a time: it takes a thread of the server, and space on the disk.
_at_work = Lock()


def file_name(form: Form, now: datetime) -> str:
    """Return the file name of an export."""
    return f"blog-{now:%Y-%m-%d}.{'zip' if form == 'markdown' else 'json'}"


def to_stream(form: Form, tools: Tools) -> BinaryIO:
    """Return the export as an unnamed temporary file, deleted when closed.

    Raises Busy if the disk is full, or while this process makes another export.
    """
    if not _at_work.acquire(blocking=False):
        raise Busy("Another export is being made. Try again in a moment.", retry_after=10)
    try:
        with ExitStack() as until_done:
            out = until_done.enter_context(TemporaryFile(dir=tools.config.instance))
            _write(form, out, tools)
            out.seek(0)
            until_done.pop_all()  # the caller closes the file
            return out
    except OSError as error:
        raise _full(error) from error
    finally:
        _at_work.release()


def to_file(form: Form, target: Path, tools: Tools, report: Report = silent) -> Path:
    """Write the export to a new file with mode 0600, complete or not at all.

    Raises FileExists if the file exists, and Busy if the disk is full.
    """
    try:
        with new_file(target) as out:
            _write(form, out, tools, report)
    except OSError as error:
        raise _full(error) from error
    return target


def _full(error: OSError) -> Busy:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return Busy("The disk is full. Nothing was exported." if full else f"The file cannot be written: {error.strerror}.")


def _write(form: Form, out: BinaryIO, tools: Tools, report: Report = silent) -> None:
    if form == "json":
        text = TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=True)
        for part in document(tools, report):
            text.write(part)
        text.detach()
        return
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        MarkdownZip(zipped, tools).write(report)


# -- Markdown


# -- JSON
