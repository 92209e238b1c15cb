"""Limits of request bodies and forms, and the error of a body that did not arrive.

Whoever is not signed in may send MAX_ANONYMOUS bytes, which a route for others raises once it knows who asks.
"""

from __future__ import annotations

import io
from typing import IO, Any

from flask import Flask, Request, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

from blogsvc.lib.sizes import KIB, MIB

# The maximum size of a body in bytes, and the number of fields of a form: of anybody, and of a user or an API key,
# because a post may have 1 MiB of text, which JSON escapes may double.
MAX_ANONYMOUS, MAX_ANONYMOUS_FIELDS = 16 * KIB, 50
MAX_BODY, MAX_FIELDS = 2 * MIB, 1000

# The keys of the WSGI environment for the error of a body that did not arrive, and for the second call.
FAULT = "blogsvc.body_fault"
IS_SECOND_CALL = "blogsvc.is_second_call"


class Json(DefaultJSONProvider):
    """Flask's JSON, with the fields of objects in their order, and without deeply nested bodies."""

    sort_keys = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Raise ValueError for JSON that is nested too deeply, as for any other that can't be read."""
        try:
            return super().loads(s, **kwargs)
        except RecursionError:
            raise ValueError("The JSON is nested too deeply.") from None


class BoundedForms(FormDataParser):
    """Counts the fields of a form before it parses them, in each encoding."""

    def parse(self, stream: IO[bytes], mimetype: str, *given: Any, **options: Any) -> Any:
        if mimetype == "application/x-www-form-urlencoded" and self.max_form_parts is not None:
            form = stream.read()
            if form.count(b"&") >= self.max_form_parts:
                raise RequestEntityTooLarge
            stream = io.BytesIO(form)
        return super().parse(stream, mimetype, *given, **options)


class BoundedRequest(Request):
    """A request whose form is bounded, and whose files stay in memory, because they are not checked yet."""

    form_data_parser_class = BoundedForms

    def _get_file_stream(self, *_args: object, **_options: object) -> IO[bytes]:
        return io.BytesIO()


def init(app: Flask) -> None:
    """Bound the bodies of all requests, and refuse those that did not arrive completely, whatever views would read."""
    app.request_class = BoundedRequest
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_ANONYMOUS, MAX_FORM_PARTS=MAX_ANONYMOUS_FIELDS, MAX_FORM_MEMORY_SIZE=MAX_BODY
    )

    @app.before_request
    def refuse() -> None:
        fault: Exception | None = request.environ.get(FAULT)
        if fault is not None:
            raise fault


def allow(max_bytes: int, max_fields: int = MAX_FIELDS) -> None:
    """Let the sender of this request, who is known by now, send so much, unless the route allows more already."""
    request.max_content_length = max(max_bytes, request.max_content_length or 0)
    request.max_form_parts = max_fields
