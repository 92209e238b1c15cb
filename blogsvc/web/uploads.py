"""Files that come with a form: received within bounds, before anything else is done with the form."""

from __future__ import annotations

from io import BytesIO
from typing import IO

from flask import Flask, Request, Response, jsonify, make_response, request
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from blogsvc import context
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.media import images
from blogsvc.models import Media
from blogsvc.web import current_person
from blogsvc.web.error_pages import failure
from blogsvc.web.rendering import private
from blogsvc.web.routes import blueprint

MIB = 1024 * 1024
# What a form may hold beside its file: the words for one destination alone may be as long as a post.
MAX_FORM_OVERHEAD = 4 * MIB
TOO_LARGE = f"Images can have at most {MAX_IMAGE_BYTES // MIB} MiB. Make the image smaller and try again."

# The endpoints whose forms may hold a picture.
TAKE_PICTURES = frozenset({"desk.upload", "desk.details"})


class InMemoryUpload(Request):
    """What nobody has seen yet does not lie about in a temporary directory."""

    def _get_file_stream(self, *_args: object, **_options: object) -> IO[bytes]:
        return BytesIO()


def init(app: Flask) -> None:
    app.request_class = InMemoryUpload


@blueprint.before_request
def receive() -> Response | None:
    """Read such a form. The route asks it for its token, and would read it within the bounds of other forms."""
    if request.endpoint not in TAKE_PICTURES or request.method != "POST" or current_person.session() is None:
        return None
    request.max_content_length = MAX_IMAGE_BYTES + MAX_FORM_OVERHEAD
    request.max_form_memory_size = MAX_FORM_OVERHEAD
    try:
        with images.processing_slot():
            _ = request.files
    except RequestEntityTooLarge:
        return private(refusal(413, TOO_LARGE))
    return None


def refusal(status: int, text: str) -> Response:
    """What is wrong, in words: for a script as JSON, else as a page."""
    if not wants_json():
        return failure(status, text)
    return make_response(jsonify(detail=text), status)


def wants_json() -> bool:
    return request.accept_mimetypes.best == "application/json"


def taken_in(file: FileStorage | None, alt: str = "") -> Media:
    """A picture that came with the form. Raises Invalid where there is none, or it will not do; Busy."""
    if file is None or not file.filename:
        raise Invalid(Fault("#/file", "required", "Select an image first."))
    data = file.read()
    if not data:
        raise Invalid(Fault("#/file", "empty", "This file is empty. Select another file."))
    if len(data) > MAX_IMAGE_BYTES:
        raise Invalid(Fault("#/file", "too_long", TOO_LARGE))
    return images.add(data, file.filename, alt, context.tools())
