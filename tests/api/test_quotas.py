"""Quotas: what a user or an API key creates per day, and how much all images take."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from blogsvc.context import Tools
from blogsvc.models import Post, Usage, User, db
from blogsvc.models.retention import delete_old_rows
from tests.api.faults import faults
from tests.api_client import Api, File
from tests.clock import Time
from tests.images import noise, png
from tests.web.conftest import browser_of, owner, pages, somebody
from tests.web.page_walk import Pages
from tests.web.test_media_library import send

__all__ = ["browser_of", "owner", "pages", "somebody"]  # fixtures

FULL = {"#": "quota_exceeded"}
IMAGE = noise(450, 450)  # about 600 KB, also when it is stored
PADDED = png() + bytes(600_000)  # smaller once it is stored
OTHER = PADDED + b"\0"  # another file


def create(api: Api) -> TestResponse:
    return api.post("/posts", json={"title": "One more", "content": "Words."})


@pytest.mark.settings(posts_per_day=2)
def test_an_api_key_creates_a_number_of_posts_per_day(api: Api, time: Time, new_key: Callable[..., str]) -> None:
    first = create(api).json["id"]
    assert api.post(f"/posts/{first}/duplicate").status_code == 201

    refused = create(api)
    assert refused.status_code == 422
    assert faults(refused) == FULL
    assert "This API key created 2 posts today" in refused.json["errors"][0]["detail"]
    assert "BLOGSVC_POSTS_PER_DAY" in refused.json["errors"][0]["detail"]
    assert api.post(f"/posts/{first}/duplicate").status_code == 422
    bulk = api.post("/posts/bulk", json={"operations": [{"operation": "duplicate", "id": first}]})
    assert [result["status"] for result in bulk.json["results"]] == [422]
    assert db.session.query(Post).count() == 2

    assert create(Api(api.client, new_key())).status_code == 201, "another key"
    assert api.patch(f"/posts/{first}", json={"title": "Changed"}).status_code == 200, "no new post"
    time.passes(days=1)
    assert create(api).status_code == 201, "another day"


@pytest.mark.settings(posts_per_day=1)
def test_a_user_creates_a_number_of_posts_per_day(
    pages: Pages, browser_of: Callable[[User], Pages], somebody: Callable[..., User]
) -> None:
    assert pages.post("/desk/posts").status_code == 303
    refused = pages.post("/desk/posts")
    assert refused.status_code == 422
    assert "You created 1 posts today, which is the limit." in refused.text
    post = db.session.scalars(select(Post)).one()
    assert pages.post(f"/desk/posts/{post.id}/duplicate").status_code == 422
    assert browser_of(somebody("author", name="Ben")).post("/desk/posts").status_code == 303


def upload(api: Api, data: bytes = PADDED) -> TestResponse:
    return api.post("/media", form={"file": File(data, "a.png")})


@pytest.mark.settings(upload_mib_per_day=1)
def test_an_api_key_uploads_an_amount_per_day(api: Api, time: Time, new_key: Callable[..., str]) -> None:
    assert upload(api).status_code == 201
    refused = upload(api, OTHER)
    assert faults(refused) == FULL
    assert upload(api).status_code == 200, "the same file takes no room"
    assert "BLOGSVC_UPLOAD_MIB_PER_DAY" in refused.json["errors"][0]["detail"]
    assert upload(Api(api.client, new_key())).status_code == 201
    time.passes(days=1)
    assert upload(api, OTHER).status_code == 201


@pytest.mark.settings(upload_mib_per_day=1)
def test_a_user_uploads_an_amount_per_day(pages: Pages) -> None:
    assert send(pages, PADDED).status_code == 303
    refused = send(pages, OTHER)
    assert refused.status_code == 422
    assert "You uploaded almost 1 MiB today" in refused.text


@pytest.mark.settings(media_mib=1)
def test_all_images_together_have_a_limit(api: Api, tools: Tools) -> None:
    first = upload(api, IMAGE)
    assert first.status_code == 201
    files = sorted(tools.config.media.iterdir())
    refused = upload(api, noise(451, 450))
    assert faults(refused) == FULL
    assert "Delete unused images, or raise BLOGSVC_MEDIA_MIB." in refused.json["errors"][0]["detail"]
    assert sorted(tools.config.media.iterdir()) == files
    assert api.delete(f"/media/{first.json['id']}").status_code == 204
    assert upload(api, IMAGE).status_code == 201


@pytest.mark.settings(posts_per_day=0, upload_mib_per_day=0, media_mib=0)
def test_zero_means_no_limit(api: Api) -> None:
    assert create(api).status_code == 201
    assert upload(api).status_code == 201


def test_usage_is_forgotten_after_two_days(api: Api, time: Time, tools: Tools) -> None:
    create(api)
    time.passes(days=2)
    delete_old_rows(tools.config, tools.now())
    assert db.session.query(Usage).count() == 1
    time.passes(days=1)
    delete_old_rows(tools.config, tools.now())
    assert db.session.query(Usage).count() == 0
