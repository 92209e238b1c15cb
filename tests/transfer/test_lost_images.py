"""Images of an export that an import can't fetch and no post shows: the report names each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import delete, select

from blogsvc import create_app
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.media import images
from blogsvc.models import Author, ImportedPost, ImportJob, Media, Post, close_connections, db
from blogsvc.posts import authors, series, tag_pages, trash
from blogsvc.transfer import export, importing
from tests.clock import Time
from tests.images import png
from tests.outside import Outside

Make = Callable[..., Post]


@pytest.fixture
def exported(app: Flask, tools: Tools, a_post: Make, time: Time, tmp_path: Path) -> Path:
    """The JSON export of a blog with an image in each place, some of which no post shows."""
    names = ("face", "boats", "ink", "unused", "shown")
    face, boats, ink, _, shown = (
        images.add(png(60 + number, 40), f"{name}.png", "", tools) for number, name in enumerate(names)
    )
    authors.create({"name": "Cy", "bio": "Has not written yet.", "picture_id": face.id}, time())
    cover = {"cover_image": f"https://blog.example{boats.path}"}
    series.create({"title": "On boats", "description": "All.", "slug": "boats", **cover}, time())
    tag_pages.write("ink", {"title": "Ink", "description": "", "cover_image": f"https://blog.example{ink.path}"})
    a_post(True, title="Shown", content=f"![Alt]({shown.path})")
    return export.to_file("json", tmp_path / "out.json", tools)


def bring_in(file: Path, tools: Tools, **choices: bool) -> ImportJob:
    import_id = importing.receive_path(file, tools).id
    importing.step(import_id, tools)
    importing.begin(import_id, tools, blog=False, **choices)
    while importing.step(import_id, tools):
        pass
    return ImportJob.get(import_id)


def test_lost_images_that_no_post_shows_are_named(
    exported: Path, tools: Tools, elsewhere: Config, outside: Outside
) -> None:
    outside.teach("GET", "https://blog.example/*", status=404)
    others = replace(tools, config=elsewhere)
    with create_app(tools=others).app_context():
        told = dict(bring_in(exported, others).left_out)
        assert db.session.scalars(select(Author)).first().picture_id is None  # type: ignore[union-attr]
        close_connections()
    names = ["face.png", "boats.png", "ink.png", "unused.png", "shown.png"]
    pages = ["Cover image of the series “On boats”", "Cover image of the tag “ink”", "Picture of Cy"]
    assert sorted(told) == sorted([*names, *pages])
    for reason in told.values():
        assert reason.startswith("https://blog.example/media/")
        assert "was not imported: " in reason
    assert "answered 404" in told["face.png"]
    assert "/boats-" in told["Cover image of the series “On boats”"]


def test_no_image_is_named_lost_that_a_post_brought_or_that_nobody_wanted(
    exported: Path, tools: Tools, elsewhere: Config, outside: Outside
) -> None:
    media = json.loads(exported.read_text())["media"]
    for number, one in enumerate(media):
        good = {"status": 200, "body": png(80 + number), "headers": {"Content-Type": "image/png"}}
        for answer in ({"status": 503}, good) if one["filename"] == "shown.png" else (good,):
            outside.teach("GET", one["url"], **answer)
    others = replace(tools, config=elsewhere)
    with create_app(tools=others).app_context():
        assert bring_in(exported, others, images=False).left_out == []
        db.session.execute(delete(ImportedPost))
        for post in db.session.scalars(select(Post)).all():
            trash.erase(post, tools.now())
        assert bring_in(exported, others).left_out == []
        assert len(db.session.scalars(select(Media)).all()) == len(media)
        close_connections()
