"""Uploaded pictures, as their files are: public, unchanging, and nothing but pictures."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, send_file

from blogsvc.lib.images import MEDIA_TYPES
from blogsvc.models.media import id_in

blueprint = Blueprint("media", __name__)

ONE_YEAR_SECONDS = 31_536_000
# Whatever a browser might be talked into taking it for, it runs nothing; and feed readers may show it.
IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": f"public, max-age={ONE_YEAR_SECONDS}, immutable",
}


@blueprint.get("/media/<name>")
def image(name: str) -> Response:
    """An uploaded picture. Its name is made of its content, so it never changes."""
    file = current_app.extensions["toolbox"].config.media / name
    # The name has the one shape that ours have, without a slash or a second dot, so it leads nowhere else.
    if id_in(name) is None or not file.is_file():
        abort(404)
    response = send_file(
        file, MEDIA_TYPES[file.suffix[1:]], download_name=name, etag=name.partition(".")[0], conditional=True
    )
    response.headers.update(IMAGE_HEADERS)
    return response
