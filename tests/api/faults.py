"""Errors of a response by pointer: {"#/title": "required"}."""

from __future__ import annotations

from werkzeug.test import TestResponse


def faults(answer: TestResponse) -> dict[str, str]:
    """Return the error codes of a 422 response by pointer, or by parameter as `?name`."""
    assert answer.status_code == 422, answer.json
    assert answer.mimetype == "application/problem+json"
    found = {fault.get("pointer") or f"?{fault['parameter']}": fault for fault in answer.json["errors"]}
    for fault in found.values():
        assert fault["detail"].endswith("."), "a sentence"
        assert not {"Input", "Value", "String", "List"} & set(fault["detail"].split()), "pydantic's words, not ours"
    return {place: fault["code"] for place, fault in found.items()}
