"""A webhook that is connected through the API."""

from __future__ import annotations

from typing import Any

from blogsvc.connections.load import secrets_of
from blogsvc.context import Tools
from blogsvc.models import Connection, db
from tests.api_client import Api
from tests.outside import Outside

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
URL = "https://hook.example/in"
HOOK = {"connector": "webhook", "name": "hook", "settings": {"url": URL, "secret": SECRET}}


def connect_hook(api: Api, outside: Outside) -> dict[str, Any]:
    """Connect HOOK to a receiver that accepts everything."""
    outside.teach("POST", URL, status=200)
    answer = api.post("/platforms", json=HOOK)
    assert answer.status_code == 201, answer.json
    outside.requests.clear()
    return dict(answer.json)


def secret_of(name: str, tools: Tools) -> str:
    """Return the stored secret of a connection."""
    db.session.rollback()
    return secrets_of(Connection.named(name), tools)["secret"]
