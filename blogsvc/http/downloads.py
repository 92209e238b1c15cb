"""Send a file to be saved."""

from __future__ import annotations

from typing import BinaryIO

from flask import Response, send_file


def attachment(file: BinaryIO, media_type: str, name: str) -> Response:
    """Return the response that sends an open file from its beginning, and closes it."""
    return send_file(file, media_type, as_attachment=True, download_name=name, conditional=False)
