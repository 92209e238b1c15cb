"""Image uploads in forms: limited in size and number, and received before the form is processed."""

from __future__ import annotations

from flask import Response, jsonify, make_response, request
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from blogsvc import context
from blogsvc.errors import Fault, Invalid
from blogsvc.http import body_limits
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.sizes import MIB
from blogsvc.media import images
from blogsvc.models import Media
from blogsvc.web.framework import current_user
from blogsvc.web.framework.error_pages import failure
from blogsvc.web.framework.rendering import private
from blogsvc.web.framework.routes import blueprint

# Bytes of a form in addition to its file: the text for one destination can be as long as a post.
MAX_FORM_OVERHEAD = 4 * MIB
TOO_LARGE = f"Images can have at most {MAX_IMAGE_BYTES // MIB} MiB. Make the image smaller and try again."

# The endpoints that accept images.
IMAGE_ENDPOINTS = frozenset({"desk.upload", "desk.details", "desk.site_image", "desk.edit_author", "desk.new_author"})


@blueprint.before_request
def receive() -> Response | None:
    """Read a form that can contain an image, before `route` reads it for the CSRF token with the default limits."""
    if request.endpoint not in IMAGE_ENDPOINTS or request.method != "POST" or current_user.session() is None:
        return None
    body_limits.allow(MAX_IMAGE_BYTES + MAX_FORM_OVERHEAD)
    request.max_form_memory_size = MAX_FORM_OVERHEAD
    try:
        with images.processing_slot():
            _ = request.files
    except RequestEntityTooLarge:
        return private(refusal(413, TOO_LARGE))
    return None


def refusal(status: int, text: str) -> Response:
    """Return an error as JSON for scripts, else as a page."""
    if not wants_json():
        return failure(status, text)
    return make_response(jsonify(detail=text), status)


def wants_json() -> bool:
    return request.accept_mimetypes.best == "application/json"


def taken_in(file: FileStorage | None, alt: str = "") -> Media:
    """Add the image that came with the form. Raises Invalid if it is missing or not usable, and Busy."""
    if file is None or not file.filename:
        raise Invalid(Fault("#/file", "required", "Select an image first."))
    data = file.read()
    if not data:
        raise Invalid(Fault("#/file", "empty", "This file is empty. Select another file."))
    if len(data) > MAX_IMAGE_BYTES:
        raise Invalid(Fault("#/file", "too_long", TOO_LARGE))
    return images.add(data, file.filename, alt, context.tools(), quota=current_user.quota())
