"""Helpers that create API keys through the API."""

from __future__ import annotations

from typing import Any

from werkzeug.test import TestResponse

from blogsvc.models import ApiKey
from tests.api_client import Api

IN_A_DAY, IN_TWO_DAYS = "2026-11-25T09:00:00.000Z", "2026-11-26T09:00:00.000Z"
USUAL = {"read": 100_000, "write": 100_000, "publish": 100_000}


def id_of(api: Api) -> str:
    return ApiKey.of(api.key).id


def made(answer: TestResponse) -> dict[str, Any]:
    assert answer.status_code == 201, answer.json
    return answer.json


def make(api: Api, *scopes: str, **more: Any) -> dict[str, Any]:
    return made(api.post("/keys", name="laptop", scopes=list(scopes) or ["posts:read"], **more))
