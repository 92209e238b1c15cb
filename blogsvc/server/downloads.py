"""Send a large file. The HTTP server reads it as fast as the client takes it, without a thread and without Python."""

from __future__ import annotations

from typing import BinaryIO

from flask import Response, request, send_file

from blogsvc.server.rsgi import FILE


def attachment(file: BinaryIO, media_type: str, name: str) -> Response:
    """Return the response that sends an open file from its beginning, and closes it."""
    if FILE not in request.environ or request.method == "HEAD":  # another server, or nothing to send
        return send_file(file, media_type, as_attachment=True, download_name=name)
    request.environ[FILE] = file
    response = Response(mimetype=media_type)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response
