"""The recorder shows what was sent and received, without random or time-dependent values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO

from flask import Response, request

from docs.recording import Play, Stable, exchanges


def shown(path: str, view: Callable[[], object], ask: Callable[[Play], object]) -> dict[str, object]:
    """Return the recorded exchange of one request, with an additional view."""

    def play(play: Play) -> None:
        play.app.add_url_rule(path, view_func=view, methods=["GET", "POST"])
        ask(play)

    (exchange,) = exchanges(play)
    return exchange


def test_a_recorded_form_shows_its_fields_and_file_names() -> None:
    def upload() -> dict[str, str]:
        return {"got": request.files["file"].filename or "", "alt": request.form["alt"]}

    def ask(play: Play) -> None:
        play("An image", "POST", "/upload", data={"file": (BytesIO(b"\x89PNG"), "ink.png"), "alt": "An oak gall"})

    found = shown("/api/v1/upload", upload, ask)
    assert found["request"]["form"] == {"file": {"file": "ink.png"}, "alt": "An oak gall"}
    assert found["answer"]["body"] == {"got": "ink.png", "alt": "An oak gall"}


def test_a_recorded_endless_response_shows_its_first_chunks() -> None:
    def stream() -> Response:
        def events() -> Iterator[str]:
            number = 0
            while True:
                number += 1
                yield f"data: {number}\n\n"

        return Response(events(), mimetype="text/event-stream")

    found = shown("/api/v1/stream", stream, lambda play: play("A stream", "GET", "/stream", chunks=2))
    assert found["answer"]["text"] == "data: 1\n\ndata: 2\n\n"


def test_a_recording_never_shows_a_key() -> None:
    found = shown("/api/v1/x", dict, lambda play: play("Anything", "GET", "/x", headers={"Accept": "*/*"}))
    assert found["request"]["headers"] == {"Accept": "*/*"}


def test_equal_values_are_replaced_equally_and_ids_keep_their_order() -> None:
    stable = Stable()
    first, second = "post_01jd8qk0000000000000000abc", "post_01jd8qk0000000000000000abd"
    one, two, again = stable([first, second, f"/posts/{first}"])
    assert one < two
    assert again == f"/posts/{one}"
    assert len(one) == len(first)
    assert stable({"key": "bsk_" + "a" * 40, "prefix": "bsk_aaaaaa"}) == Stable()(
        {"key": "bsk_" + "b" * 40, "prefix": "bsk_bbbbbb"}
    )
    key, prefix = stable(["bsk_" + "a" * 40, "bsk_aaaaaa"])
    assert key.startswith(prefix)
    assert stable({"retryAfter": 7, "detail": "wait 7 s."}) == {"retryAfter": 42, "detail": "wait 42 s."}
