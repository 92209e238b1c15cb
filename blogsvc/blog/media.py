"""Serve uploaded images: public, with names that never change."""

from __future__ import annotations

from flask import Blueprint, Response, abort, send_file

from blogsvc import context
from blogsvc.lib.images import MEDIA_TYPES
from blogsvc.lib.time import ONE_YEAR_SECONDS
from blogsvc.media.images import local_file

blueprint = Blueprint("media", __name__)

# The sandbox stops scripts whatever type a browser detects; the cross-origin policy lets feed readers show
# images.
IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": f"public, max-age={ONE_YEAR_SECONDS}, immutable",
}


@blueprint.get("/media/<name>")
def image(name: str) -> Response:
    """Serve an uploaded image. Its name is never used for another image, so it can be cached forever."""
    file = local_file(name, context.tools().config)
    if file is None:
        abort(404)
    media_type, etag = MEDIA_TYPES[file.suffix[1:]], name.partition(".")[0]
    response = send_file(file, media_type, download_name=name, etag=etag, conditional=True)
    response.headers.update(IMAGE_HEADERS)
    return response
