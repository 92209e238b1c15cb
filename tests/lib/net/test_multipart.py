"""Multipart forms with a file, parsed by another library."""

from __future__ import annotations

from io import BytesIO

from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from blogsvc.lib.net.multipart import encode


def read(body, content_type):
    """Return the fields, and the file as its name, media type and bytes."""
    media_type, options = parse_options_header(content_type)
    parser = FormDataParser(stream_factory=lambda *sizes, **options: BytesIO())
    _, form, files = parser.parse(BytesIO(body), media_type, len(body), options)
    file = files["file"]
    return dict(form), (file.filename, file.mimetype, file.read())


def test_an_encoded_form_can_be_parsed_again():
    data = bytes(range(256)) + b"\r\n--blogsvc-\r\n"
    form, file = read(*encode("file", "tree.png", "image/png", data, {"purpose": "image", "ref": "a–b"}))
    assert form == {"purpose": "image", "ref": "a–b"}
    assert file == ("tree.png", "image/png", data)


def test_encoding_the_same_file_gives_the_same_form():
    assert encode("file", "a.png", "image/png", b"x") == encode("file", "a.png", "image/png", b"x")
    assert encode("file", "a.png", "image/png", b"x") != encode("file", "a.png", "image/png", b"y")


def test_a_file_name_cannot_inject_a_header():
    _, (name, media_type, data) = read(*encode("file", 'a"\r\nX-Evil: 1.png', "image/png", b"x"))
    assert "\n" not in name
    assert (media_type, data) == ("image/png", b"x")
