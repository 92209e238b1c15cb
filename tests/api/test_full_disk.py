"""A full disk: a clear response, no partial change, and normal operation once there is space again."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.api_client import Api
from tests.full_disk import full_disk


@pytest.mark.sqlite("only its file can be limited; PostgreSQL errors are in tests/models/test_database.py")
def test_a_full_disk_returns_503_changes_nothing_and_recovers(app: Flask, api: Api) -> None:
    post = api.post("/posts", title="Kept", content="Words.").json

    with full_disk(app):
        refused = api.put(f"/posts/{post['id']}", title="Too much", content="x" * 500_000)
        assert refused.status_code == 503
        assert refused.headers["Retry-After"] == "1"
        assert api.get(f"/posts/{post['id']}").json["title"] == "Kept"

    assert api.put(f"/posts/{post['id']}", title="Room again", content="x" * 500_000).status_code == 200
