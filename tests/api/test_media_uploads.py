"""Uploads: accepted types and forms; everything else is rejected at its pointer and leaves no file."""

from __future__ import annotations

import gzip
import os
import re
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from blogsvc.config import Config
from tests.api.faults import faults
from tests.api.test_full_disk import full_disk
from tests.api_client import Api, File
from tests.images import a_bomb, a_gif, an_image, encoded, png

MIB = 1024 * 1024


def upload(api: Api, data: bytes | None = None, name: str = "image.png", **form: Any) -> TestResponse:
    return api.post("/media", form={"file": File(png() if data is None else data, name), **form})


def stored_files(config: Config) -> set[str]:
    return set(os.listdir(config.media)) if config.media.exists() else set()


def assert_problem(answer: TestResponse, status: int, slug: str) -> None:
    assert answer.status_code == status, answer.json
    assert answer.json["type"].endswith(f"/problems/{slug}")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("evil.html", "text/html"),
        ("a.svg", "image/svg+xml"),
        ("../../etc/passwd", "image/jpeg"),
        ("C:\\x\\y.exe", "application/octet-stream"),
        ("\x00.png", ""),
        ("x" * 500, "image/png"),
    ],
)
def test_the_file_name_and_declared_type_are_not_trusted(api: Api, config: Config, name: str, kind: str) -> None:
    form = {"file": File(png(), name, kind)}
    media = api.post("/media", form=form).json
    assert media["type"] == "image/png"
    assert media["url"].endswith(".png")
    assert not {"/", "\\", "\x00"} & set(media["filename"])
    assert len(media["filename"]) <= 255
    assert all(re.fullmatch(r"[a-z0-9-]+\.(png|webp)", file) for file in stored_files(config))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "not_an_image"),
        (b"<html><script>alert(1)</script>", "not_an_image"),
        (png()[:-30], "damaged"),
        (a_bomb(), "too_many_pixels"),
        (a_gif(1, 1, *[(1, 1)] * 1001), "too_many_frames"),
        (bytes(20 * MIB), "not_an_image"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_invalid_image_is_rejected_and_leaves_no_file(api: Api, config: Config, data: bytes, code: str) -> None:
    assert faults(upload(api, data)) == {"#/file": code}
    assert stored_files(config) == set()
    assert api.get("/media").json["data"] == []


def test_an_upload_over_20_mib_is_rejected(api: Api) -> None:
    answer = upload(api, bytes(20 * MIB + 1))
    assert_problem(answer, 413, "too-large")
    assert "20 MiB" in answer.json["detail"]
    assert_problem(upload(api, bytes(25 * MIB)), 413, "too-large")


def test_data_appended_to_an_image_counts_against_the_size_and_is_removed(api: Api, config: Config) -> None:
    media = upload(api, png() + b"<script>alert(1)</script>" + bytes(3 * MIB)).json
    assert media["bytes"] < 10_000
    assert not any(b"script" in file.read_bytes() for file in config.media.iterdir())


def test_requests_other_than_uploads_are_limited_to_two_mib(api: Api) -> None:
    media = upload(api).json
    for method, path in (("POST", "/posts"), ("PATCH", f"/media/{media['id']}")):
        assert_problem(api(method, path, json={"alt": "x" * 2 * MIB}), 413, "too-large")


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({}, {"#/file": "required"}),
        ({"alt": "x"}, {"#/file": "required"}),
        ({"file": "words, not a file"}, {"#/file": "wrong_type"}),
        ({"file": File(png()), "alt": File(png())}, {"#/alt": "wrong_type"}),
        ({"file": File(png()), "title": "x"}, {"#/title": "unknown"}),
        ({"image": File(png())}, {"#/file": "required", "#/image": "unknown"}),
        ({"file": [File(png()), File(png())]}, {"#/file": "repeated"}),
        ({"file": File(png()), "alt": ["x", "y"]}, {"#/alt": "repeated"}),
        ({"file": File(png()), "alt": "x" * 1501}, {"#/alt": "too_long"}),
        ({"file": File(b""), "alt": "x\0", "a": "", "b": ""}, {
            "#/file": "empty", "#/alt": "control_character", "#/a": "unknown", "#/b": "unknown",
        }),
    ],
    ids=str,
)  # fmt: skip
def test_all_errors_of_an_upload_form_are_returned(api: Api, form: dict[str, Any], wrong: dict[str, str]) -> None:
    assert faults(api.post("/media", form=form)) == wrong


def send(api: Api, body: bytes, kind: str, **headers: str) -> TestResponse:
    bearer = {"Authorization": f"Bearer {api.key}", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return api.client.post("/api/v1/media", data=body, content_type=kind, headers=bearer)


@pytest.mark.parametrize("kind", ["application/json", "image/png", "application/x-www-form-urlencoded", ""])
def test_an_upload_with_another_content_type_returns_415(api: Api, kind: str) -> None:
    assert_problem(send(api, b"{}", kind), 415, "unsupported-media-type")


def test_a_compressed_upload_returns_415(api: Api) -> None:
    answer = send(api, gzip.compress(b"x"), "multipart/form-data; boundary=b", Content_Encoding="gzip")
    assert_problem(answer, 415, "unsupported-media-type")


PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", PART + png() + b"\r\n--b--\r\n"),
        ("multipart/form-data; boundary=b", PART + png()),
        ("multipart/form-data; boundary=b", b"no form at all"),
        ("multipart/form-data; boundary=b", PART[:40]),
    ],
)
def test_a_malformed_form_returns_400(api: Api, config: Config, kind: str, body: bytes) -> None:
    assert_problem(send(api, body, kind), 400, "unreadable")
    assert stored_files(config) == set()


@pytest.mark.parametrize("count", [11, 2000])
def test_a_form_with_too_many_parts_returns_413(api: Api, count: int) -> None:
    parts = b"".join(b'--b\r\nContent-Disposition: form-data; name="p%d"\r\n\r\nx\r\n' % n for n in range(count))
    assert_problem(send(api, parts + b"--b--\r\n", "multipart/form-data; boundary=b"), 413, "too-large")


def test_a_form_part_without_a_name_is_rejected(api: Api) -> None:
    body = b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n" + PART + png() + b"\r\n--b--\r\n"
    assert faults(send(api, body, "multipart/form-data; boundary=b")) == {"#": "unknown"}


@pytest.mark.sqlite("the disk is filled by limiting SQLite's pages")
def test_a_failed_database_write_leaves_no_file(app: Flask, api: Api, config: Config) -> None:
    with full_disk(app):
        for number in range(20):  # until the free space in its pages is used up
            before = stored_files(config)
            refused = upload(api, png(20 + number), alt="x" * 1500)
            if refused.status_code == 503:
                break
        assert_problem(refused, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        assert stored_files(config) == before
    assert upload(api).status_code == 201


def test_one_upload_runs_one_waits_and_others_get_503_with_retry_after(app: Flask, api: Api) -> None:
    """Each upload occupies a thread, and most threads are reserved for readers."""
    large = encoded(an_image(40, 30).resize((1600, 1200)), "PNG", compress_level=1)
    answers: list[TestResponse] = []

    def one() -> None:
        with app.app_context():
            answers.append(upload(api, large))

    threads = [Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answer.status_code for answer in answers) == [201, 201, 503, 503]
    assert {answer.headers["Retry-After"] for answer in answers if answer.status_code == 503} == {"3"}
    assert upload(api).status_code == 201
