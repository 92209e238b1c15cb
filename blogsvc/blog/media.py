"""Serve uploaded images: public, with names that never change."""

from __future__ import annotations

from flask import Blueprint, Response, abort, send_file

from blogsvc import context
from blogsvc.lib.images import MEDIA_TYPES
from blogsvc.lib.media_names import key_in
from blogsvc.lib.time import ONE_YEAR_SECONDS

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
    file = context.tools().config.media / name
    # `key_in` accepts only names of uploaded images, without slashes, so the path stays in the media directory.
    if key_in(name) is None or not file.is_file():
        abort(404)
    media_type, etag = MEDIA_TYPES[file.suffix[1:]], name.partition(".")[0]
    response = send_file(file, media_type, download_name=name, etag=etag, conditional=True)
    response.headers.update(IMAGE_HEADERS)
    return response
