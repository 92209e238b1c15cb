"""Records: Python types by attribute, JSON values by key."""

from __future__ import annotations

import copy
import pickle
from datetime import datetime, timezone

import pytest

from blogsvc_client._decode import parse_time
from blogsvc_client.types import Analytics, NewKey, Post, ProblemError

POST = Post(
    {
        "id": "post_1",
        "scheduledAt": "2030-01-01T08:00:00.5Z",
        "publishedAt": None,
        "tags": ["ink"],
        "deliveries": [{"id": "dlv_1", "lastError": {"code": "gone", "detail": "It is gone."}}],
        "mood": {"isNew": True},
    }
)


def test_attributes_have_python_types_and_keys_have_json_values() -> None:
    assert POST.scheduled_at == datetime(2030, 1, 1, 8, 0, 0, 500_000, timezone.utc)
    assert POST["scheduledAt"] == "2030-01-01T08:00:00.5Z"
    assert POST.published_at is None
    error = POST.deliveries[0].last_error
    assert error is not None
    assert error.code == "gone"


def test_unknown_fields_are_available() -> None:
    assert POST["mood"] == {"isNew": True}
    assert getattr(POST, "mood") == {"isNew": True}  # noqa: B009, a type checker does not know this attribute
    assert "mood" in dir(POST)


def test_a_missing_optional_field_is_none_and_a_missing_required_field_raises() -> None:
    assert ProblemError({"code": "x", "detail": "y"}).pointer is None
    with pytest.raises(AttributeError, match=r"has no 'title'\. Its fields are id, scheduledAt"):
        _ = POST.title
    with pytest.raises(AttributeError, match="response"):
        _ = POST.deliveries[0].response


def test_a_reserved_word_gets_a_trailing_underscore() -> None:
    assert Analytics({"range": {"from": "2026-01-01"}}).range.from_ == "2026-01-01"


def test_a_record_is_read_only() -> None:
    with pytest.raises(AttributeError, match="read-only"):
        POST.title = "Ink"
    with pytest.raises(AttributeError, match="read-only"):
        del POST.id
    POST["tags"].append("gall")
    POST.tags.append("gall")
    POST["mood"]["isNew"] = False
    assert POST["tags"] == POST.tags == ["ink"]
    assert POST["mood"]["isNew"]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda post: pickle.loads(pickle.dumps(post))])
def test_a_record_can_be_copied_and_pickled(copied: object) -> None:
    assert callable(copied)
    assert copied(POST) == POST
    assert copied(POST).scheduled_at == POST.scheduled_at


def test_repr_shows_no_secret() -> None:
    assert repr(NewKey({"id": "key_1", "key": "bsk_secret"})) == "NewKey(id='key_1')"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2030-01-01T08:00:00Z", datetime(2030, 1, 1, 8, tzinfo=timezone.utc)),
        ("2030-01-01t08:00:00.1234567z", datetime(2030, 1, 1, 8, 0, 0, 123_456, timezone.utc)),
        ("2030-01-01T08:00:00.5-03:30", datetime(2030, 1, 1, 11, 30, 0, 500_000, timezone.utc)),
    ],
)
def test_rfc_3339_timestamps_are_parsed(text: str, expected: datetime) -> None:
    assert parse_time(text) == expected


def test_a_timestamp_without_an_offset_is_rejected() -> None:
    with pytest.raises(ValueError, match="RFC 3339"):
        parse_time("2030-01-01T08:00:00")
