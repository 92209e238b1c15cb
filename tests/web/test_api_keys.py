"""The pages of API keys: create, show once, change, rotate and revoke."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from blogsvc.models import ApiKey, User, db
from blogsvc.models.key import KEY_SCOPES, SCOPE_MEANINGS
from blogsvc.web.settings.api_keys import PRESETS
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.web.page_walk import Pages

LIST = "/desk/settings/keys"
KEY = re.compile(r"bsk_[A-Za-z0-9]{40,}")
HOSTILE = '"><script>alert(1)</script>'
FORM = {"name": "Build", "access": "publish", "ends": "365"}


def create_key(pages: Pages, **form: object) -> str:
    """Create a key with the form and return its text."""
    answer = pages.post(f"{LIST}/new", **{**FORM, **form})
    assert answer.status_code == 201, answer.text
    return KEY.findall(answer.text)[0]


def only() -> ApiKey:
    db.session.rollback()
    db.session.expire_all()
    (key,) = ApiKey.all()
    return key


def test_every_scope_has_a_description() -> None:
    assert set(SCOPE_MEANINGS) == set(KEY_SCOPES)
    for scopes, *_ in PRESETS.values():
        assert set(scopes) <= {*KEY_SCOPES, "all"}


def test_a_new_key_is_shown_once_and_works(pages: Pages) -> None:
    text = create_key(pages)
    assert Api(pages.client, text).post("/posts", title="By a program").status_code == 201
    assert Api(pages.client, text).get("/keys").status_code == 403
    for path in (LIST, f"{LIST}/{only().id}", f"{LIST}/{only().id}/rotate", f"{LIST}/{only().id}/revoke"):
        assert text not in pages.get(path).text
    assert only().expires_at == NOW + timedelta(days=365)


def test_the_page_that_shows_a_key_is_not_cached(pages: Pages) -> None:
    assert pages.post(f"{LIST}/new", **FORM).headers["Cache-Control"] == "no-store"


def test_a_key_has_only_the_selected_scopes_and_limits(pages: Pages) -> None:
    text = create_key(pages, access="these", scopes=["posts:read", "media:write"], **{"limits/read": "7"})
    assert (only().scopes, only().limits) == (["posts:read", "media:write"], {"read": 7})
    assert Api(pages.client, text).get("/posts").status_code == 200
    assert "Read posts, drafts, deliveries and events; Upload images, and delete unused ones" in pages.get(LIST).text


@pytest.mark.parametrize(
    ("form", "where"),
    [
        ({"access": "these"}, "scopes-fault"),
        ({"access": "these", "scopes": ["everything"]}, "scopes-fault"),
        ({"access": "king"}, "access-fault"),
        ({"name": ""}, "name-fault"),
        ({"name": "x" * 101}, "name-fault"),
        ({"name": "a\x00b"}, "name-fault"),
        ({"ends": "day"}, "day-fault"),
        ({"ends": "day", "day": "2026-11-23"}, "day-fault"),
        ({"ends": "day", "day": "soon"}, "day-fault"),
        ({"ends": "sometime"}, "ends-fault"),
        ({"limits/read": "0"}, "limits/read-fault"),
        ({"limits/write": "many"}, "limits/write-fault"),
    ],
)
def test_an_invalid_key_form_shows_the_error_at_its_field(form: dict[str, object], where: str, pages: Pages) -> None:
    answer = pages.post(f"{LIST}/new", **{**FORM, **form})
    assert answer.status_code == 422
    assert f'id="{where}"' in answer.text
    assert ApiKey.all() == []


def test_an_expiry_date_ends_in_the_time_zone_of_the_user(pages: Pages) -> None:
    create_key(pages, ends="day", day="2026-12-24")
    assert only().expires_at == datetime(2026, 12, 24, 22, 59, 59, tzinfo=UTC), "midnight in Berlin"


def test_changing_a_key_keeps_what_is_not_changed(pages: Pages) -> None:
    create_key(pages, **{"limits/read": "7", "limits/write": "8"})
    key, path = only(), f"{LIST}/{only().id}"
    before = key.expires_at
    page = pages.get(path).text
    assert 'value="publish" checked' in page
    assert 'value="7"' in page
    form = {"name": "Shop", "access": "read", "ends": "same", "limits/read": "", "limits/write": "9"}
    assert pages.post(path, **form).status_code == 303
    assert (only().name, only().limits, only().expires_at) == ("Shop", {"write": 9}, before)
    pages.post(path, **{**form, "ends": "never"})
    assert only().expires_at is None


def test_a_rotated_key_works_during_the_overlap(pages: Pages, time: Time) -> None:
    first = create_key(pages)
    answer = pages.post(f"{LIST}/{only().id}/rotate", overlap="1")
    (second,) = set(KEY.findall(answer.text))
    assert answer.status_code == 201
    assert "works until" in answer.text
    assert Api(pages.client, first).get("/me").status_code == 200
    time.passes(hours=2)
    assert [Api(pages.client, key).get("/me").status_code for key in (first, second)] == [401, 200]
    pages.prove()
    assert pages.post(f"{LIST}/{ApiKey.all()[0].id}/rotate", overlap="forever").status_code in (409, 422)


def test_a_revoked_key_is_rejected_and_stays_listed(pages: Pages) -> None:
    text = create_key(pages)
    key_id = only().id
    assert "Revoke Build?" in pages.get(f"{LIST}/{key_id}/revoke").text
    pages.post(f"{LIST}/{key_id}/revoke")
    assert Api(pages.client, text).get("/me").status_code == 401
    assert "Expired and revoked keys (1)" in pages.get(LIST).text
    assert pages.get(f"{LIST}/{key_id}").status_code == 409, "a revoked key cannot be changed"


def test_a_key_name_is_escaped(pages: Pages) -> None:
    create_key(pages, name=HOSTILE)
    key_id = only().id
    for path in (LIST, f"{LIST}/{key_id}", f"{LIST}/{key_id}/rotate", f"{LIST}/{key_id}/revoke"):
        assert "<script>alert" not in pages.get(path).text


def test_an_unknown_key_returns_404(pages: Pages) -> None:
    for path in ("key_1", "key_1/rotate", "key_1/revoke"):
        assert pages.get(f"{LIST}/{path}").status_code == 404


def test_the_list_shows_who_made_a_key(pages: Pages, owner: User) -> None:
    create_key(pages)
    assert f"by <bdi>{owner.name}</bdi>" in pages.get(LIST).text
