"""Images through the API: upload, alt text, and deletion that protects posts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from PIL import Image
from werkzeug.test import TestResponse

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import images_in
from blogsvc.media import images
from blogsvc.models import Post
from blogsvc.posts import editing, publishing, trash
from blogsvc.scheduler.loop import Scheduler
from tests.api.faults import faults
from tests.api_client import Api, File
from tests.clock import Time, wait_until
from tests.images import animation, jpeg, png

MIB = 1024 * 1024
Make = Callable[..., Post]


def upload(api: Api, data: bytes | None = None, name: str = "image.png", **form: Any) -> TestResponse:
    return api.post("/media", form={"file": File(png() if data is None else data, name), **form})


def stored_files(config: Config) -> set[str]:
    return set(os.listdir(config.media)) if config.media.exists() else set()


def assert_problem(answer: TestResponse, status: int, slug: str) -> None:
    assert answer.status_code == status, answer.json
    assert answer.json["type"].endswith(f"/problems/{slug}")


def test_an_upload_returns_every_field_of_the_image(api: Api, config: Config) -> None:
    answer = upload(api, jpeg(1200, 900), "Ferry.JPG", alt="A ferry\n leaves ")

    media = answer.json
    assert answer.status_code == 201
    assert answer.location == f"/api/v1/media/{media['id']}"
    assert api.get(f"/media/{media['id']}").json == media
    assert media["id"].startswith("med_")
    assert (media["type"], media["width"], media["height"]) == ("image/jpeg", 1200, 900)
    assert (media["filename"], media["alt"]) == ("Ferry.JPG", "A ferry leaves")
    assert re.fullmatch(r"https://blog\.example/media/ferry-[0-9a-z]{10}\.jpg", media["url"])
    assert media["createdAt"] == "2026-11-24T09:00:00.000Z"
    assert [(size["width"], size["height"]) for size in media["sizes"]] == [(480, 360), (960, 720), (1200, 900)]
    for each in (media, *media["sizes"]):
        file = config.media / each["url"].rpartition("/")[2]
        assert file.stat().st_size == each["bytes"]
        with Image.open(file) as image:
            assert image.size == (each["width"], each["height"])


def test_stored_files_are_readable_by_the_server_only(api: Api, config: Config) -> None:
    os.umask(os.umask(0o022))  # of any type
    upload(api)
    assert config.media.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in config.media.iterdir()} == {0o600}


@pytest.mark.parametrize(
    "alt",
    ["A ferry", 'a [b](c) *d* _e_ `f` "g" & <b>h</b> \\ ! :smile: ~~i~~ https://j.example @k $l$ #m | n', "", "ü 🚢"],
)
def test_the_markdown_of_an_image_renders_with_its_description(api: Api, alt: str) -> None:
    media = upload(api, alt=alt).json
    ((url, said),) = images_in(render(f"Words.\n\n{media['markdown']}\n"))
    assert media["url"] == f"https://blog.example{url}"
    # The renderer adds typographic quotes.
    assert said.translate({ord("“"): '"', ord("”"): '"'}) == alt


def test_the_same_file_again_is_the_same_image(api: Api) -> None:
    first, again = upload(api), upload(api, name="copy.png")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json == first.json
    assert again.headers["Location"] == first.headers["Location"]
    assert upload(api, png(40, 30)).status_code == 201


def test_the_same_file_is_stored_again_if_it_was_lost(api: Api, config: Config) -> None:
    """A database can be restored without its images."""
    lost = upload(api).json
    for file in config.media.iterdir():
        file.unlink()
    again = upload(api)
    assert again.status_code == 201
    assert again.json["id"] != lost["id"]
    assert upload(api).json == again.json


def test_the_same_file_with_two_alt_texts_is_two_images(api: Api) -> None:
    """Each image has its own alt text and can be deleted on its own."""
    one, two = upload(api, alt="One").json, upload(api, alt="Two").json
    assert one["url"] != two["url"]
    api.delete(f"/media/{one['id']}")
    assert api.get(f"/media/{two['id']}").json == two


def test_media_are_listed_newest_first_with_pages(api: Api, time: Time) -> None:
    ids = []
    for number in range(5):
        time.passes(minutes=1)
        ids.append(upload(api, png(20 + number)).json["id"])

    seen, path = [], "/media?limit=2"
    while path:
        answer = api.get(path)
        seen += [media["id"] for media in answer.json["data"]]
        cursor = answer.json["nextCursor"]
        assert ("Link" in answer.headers) == (cursor is not None)
        path = f"/media?limit=2&cursor={cursor}" if cursor else ""
    assert seen == ids[::-1]
    assert faults(api.get("/media?cursor=x")) == {"?cursor": "invalid"}
    assert faults(api.get("/media?limit=0")) == {"?limit": "out_of_range"}


def test_an_unknown_image_returns_404(api: Api) -> None:
    for method, json in (("GET", None), ("PATCH", {"alt": "x"}), ("DELETE", None)):
        assert_problem(api(method, "/media/med_nothing", json=json), 404, "not-found")


def test_changing_a_description_requires_the_latest_etag(api: Api) -> None:
    media = upload(api, alt="Before").json
    path = f"/media/{media['id']}"
    etag = api.get(path).headers["ETag"]
    assert api.get(path, headers={"If-None-Match": etag}).status_code == 304

    changed = api.patch(path, alt="After", headers={"If-Match": etag})
    assert changed.json == media | {"alt": "After", "markdown": media["markdown"].replace("Before", "After")}
    assert changed.headers["ETag"] == api.get(path).headers["ETag"] != etag
    assert_problem(api.patch(path, alt="Late", headers={"If-Match": etag}), 412, "stale")
    assert_problem(api.delete(path, headers={"If-Match": etag}), 412, "stale")
    assert api.get(path).json["alt"] == "After"


def test_an_absent_description_is_kept_and_null_clears_it(api: Api) -> None:
    path = f"/media/{upload(api, alt='Words').json['id']}"
    assert api.patch(path, json={}).json["alt"] == "Words"
    assert api.patch(path, json={"alt": None}).json["alt"] == ""
    assert faults(api.patch(path, json={"alt": 1, "id": "x"})) == {"#/alt": "wrong_type", "#/id": "read_only"}


def test_deleting_an_image_deletes_its_files(api: Api, config: Config) -> None:
    media, other = upload(api, png(600, 40)).json, upload(api).json
    answer = api.delete(f"/media/{media['id']}")

    assert (answer.status_code, answer.data) == (204, b"")
    assert api.get(f"/media/{media['id']}").status_code == 404
    assert stored_files(config) == {each["url"].rpartition("/")[2] for each in (other, *other["sizes"])}


def shown_in_draft(make: Make, media: dict[str, Any], now: Time) -> Post:
    return make(content=media["markdown"])


def shown_by_full_address(make: Make, media: dict[str, Any], now: Time) -> Post:
    return make(content=f'<img src="{media["url"]}">')


def shown_as_cover(make: Make, media: dict[str, Any], now: Time) -> Post:
    return make(cover_image=media["url"])


def shown_on_another_destination_only(make: Make, media: dict[str, Any], now: Time) -> Post:
    return make(overrides={"site": {"content": media["markdown"]}})


def shown_in_one_size(make: Make, media: dict[str, Any], now: Time) -> Post:
    return make(content=f"![]({media['sizes'][0]['url']})")


def shown_on_the_blog_but_removed_from_the_draft(make: Make, media: dict[str, Any], now: Time) -> Post:
    return editing.edit(make(live=True, content=media["markdown"]), {"content": "Without."}, None, now())


def shown_by_a_scheduled_post(make: Make, media: dict[str, Any], now: Time) -> Post:
    return publishing.schedule(make(content=media["markdown"]), now() + timedelta(days=1), now())


def shown_by_a_post_in_the_trash(make: Make, media: dict[str, Any], now: Time) -> Post:
    post = make(content=media["markdown"])
    trash.discard(post, now())
    return post


@pytest.mark.parametrize(
    "shows",
    [
        shown_in_draft,
        shown_by_full_address,
        shown_as_cover,
        shown_on_another_destination_only,
        shown_in_one_size,
        shown_on_the_blog_but_removed_from_the_draft,
        shown_by_a_scheduled_post,
        shown_by_a_post_in_the_trash,
    ],
)
def test_deleting_an_image_used_by_a_post_requires_force(
    api: Api, config: Config, a_post: Make, time: Time, shows: Callable[..., Post]
) -> None:
    media = upload(api, png(600, 40)).json
    post = shows(a_post, media, time)
    a_post(title="Another", content="Nothing to see.")

    refused = api.delete(f"/media/{media['id']}")
    assert_problem(refused, 409, "state-conflict")
    assert refused.json["posts"] == [{"id": post.id, "title": "A post"}]
    assert (refused.json["state"], "A post" in refused.json["detail"]) == ("used", True)
    assert stored_files(config)

    assert api.delete(f"/media/{media['id']}?force=true").status_code == 204
    assert stored_files(config) == set()


def test_an_image_no_longer_used_by_a_post_can_be_deleted(api: Api, a_post: Make, time: Time) -> None:
    media = upload(api).json
    post = a_post(live=True, content=media["markdown"])
    editing.edit(post, {"content": "Without."}, None, time())
    publishing.publish(post, time())
    assert api.delete(f"/media/{media['id']}").status_code == 204


def test_an_animation_is_stored_whole(api: Api) -> None:
    media = upload(api, animation("GIF", 5, 600, 40)).json
    assert (media["type"], media["width"], media["sizes"]) == ("image/gif", 600, [])


def orphaned_file(config: Config, name: str, age: timedelta, now: Time) -> Path:
    file = config.media / name
    file.write_bytes(b"x")
    then = (now() - age).timestamp()
    os.utime(file, (then, then))
    return file


@pytest.mark.parametrize("name", ["lisbon-7k3m9q2xvb.jpg", ".med_01m8.blogsvc", "strange"])
def test_files_without_an_image_are_deleted_after_a_day(api: Api, config: Config, time: Time, name: str) -> None:
    media = upload(api, png(600, 40)).json
    for file in config.media.iterdir():
        os.utime(file, (0, 0))
    young = orphaned_file(config, f"x{name}", timedelta(hours=23), time)
    old = orphaned_file(config, name, timedelta(hours=25), time)

    assert images.remove_orphans(config, time()) == 1
    assert (old.exists(), young.exists()) == (False, True)
    assert len(stored_files(config)) == 1 + 1 + len(media["sizes"])


def test_what_somebody_keeps_in_a_directory_of_its_own_stays(config: Config, time: Time) -> None:
    (config.media / "originals").mkdir(parents=True)
    kept = orphaned_file(config, "originals/lisbon.jpg", timedelta(days=90), time)
    assert images.remove_orphans(config, time()) == 0
    assert kept.exists()


def test_the_scheduler_deletes_orphaned_files(app: Flask, api: Api, tools: Tools, time: Time) -> None:
    upload(api)
    old = orphaned_file(tools.config, "strange", timedelta(days=2), time)
    scheduler = Scheduler(app, tools)
    scheduler.start()
    wait_until(lambda: not old.exists())
    assert scheduler.stop(5)


def test_there_are_no_orphaned_files_before_the_first_upload(app: Flask, config: Config, time: Time) -> None:
    assert images.remove_orphans(config, time()) == 0


def test_a_repeated_upload_with_one_idempotency_key_is_stored_once(api: Api) -> None:
    key = {"Idempotency-Key": "one-image"}
    image = png()
    first, again = (api.post("/media", form={"file": File(image)}, headers=key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json == first.json
    assert len(api.get("/media").json["data"]) == 1
    other = api.post("/media", form={"file": File(image), "alt": "Another wish"}, headers=key)
    assert other.status_code == 422
