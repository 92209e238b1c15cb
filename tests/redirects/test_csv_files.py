"""Redirects are read from CSV files, all or none, and written to them."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from flask import Flask
from sqlalchemy import select

from blogsvc.errors import Invalid
from blogsvc.models import Post, Redirect, db, transaction
from blogsvc.models.redirect import Target, keep
from blogsvc.redirects import csv_files, manage

Make = Callable[..., Post]
BLOG = "https://blog.example"

pytestmark = pytest.mark.usefixtures("app")


def read(text: str | bytes) -> csv_files.Outcome:
    return csv_files.read(BytesIO(text.encode() if isinstance(text, str) else text), BLOG)


def written() -> str:
    out = BytesIO()
    csv_files.write(out)
    return out.getvalue().decode("utf-8-sig")


def stored() -> dict[str, tuple[str | None, int]]:
    db.session.rollback()
    return {row.path: (row.target, row.status) for row in db.session.scalars(select(Redirect))}


@pytest.mark.parametrize(
    "text",
    [
        "path,target,status\n/a,/b,302\n/c,https://other.example/x\n\n/gone,,410\n",
        "/a,/b,302\r\n/c,https://other.example/x,\r\n/gone,,410",
        "\ufeffPath;Target;Status\n/a;/b;302\n/c;https://other.example/x;301\n/gone;;410\n",
        "/a\t/b\t302\nhttps://old.example/c/\thttps://other.example/x\n/gone\t\t410\n",
    ],
)
def test_a_file_is_read_with_or_without_header(text: str) -> None:
    assert read(text) == (3, 0, 0)
    assert stored() == {"/a": ("/b", 302), "/c": ("https://other.example/x", 301), "/gone": (None, 410)}


def test_nothing_is_stored_if_a_line_is_wrong() -> None:
    with pytest.raises(Invalid) as refused:
        read("path,target\n/a,/b\nnowhere,/b\n/c,ftp://x\n/a/,/d\n/e,/f,abc\n")

    assert [fault.detail.partition(":")[0] for fault in refused.value.faults] == [
        "Line 3",
        "Line 4",
        "Line 5",
        "Line 6",
    ]
    assert "/a is also in line 2" in str(refused.value)
    assert stored() == {}


def test_a_circle_is_refused_with_its_line() -> None:
    manage.create("/a", "/b", 301, BLOG)
    with pytest.raises(Invalid, match=r"Line 2: Redirects would lead in a circle: /"):
        read("/x,/y\n/b,/a\n")
    assert list(stored()) == ["/a"]


def test_a_circle_that_was_there_before_is_no_fault_of_a_file() -> None:
    with transaction():
        keep({"/here": Target(address="/there"), "/there": Target(address="/here")})
    assert read("/a,/b\n") == (1, 0, 0)


def test_a_line_replaces_the_redirect_of_its_path() -> None:
    manage.create("/a", "/b", 301, BLOG)
    manage.create("/kept", "/b", 301, BLOG)
    assert read("/a,/c\n/kept,/b\n/new,/d\n") == (1, 1, 1)
    assert stored() == {"/a": ("/c", 301), "/kept": ("/b", 301), "/new": ("/d", 301)}
    assert read("/a,/new\n/new,/z\n") == (0, 2, 0)


def test_what_is_written_can_be_read_again_without_a_change(a_post: Make) -> None:
    post = a_post(live=True, slug="one", tags=["boats"])
    with transaction():
        keep({"/2020/one": Target(post_id=post.id), "/t": Target(tag="boats"), "/author/ann": Target(address="/")})
    manage.create("/old/*", "https://other.example/*", 302, BLOG)
    manage.create("/gone", None, 410, BLOG)

    lines = written().split("\r\n")
    assert lines[0] == "path,target,status"
    assert sorted(lines[1:-1]) == [
        "/2020/one,/one,301",
        "/author/ann,/,301",
        "/gone,,410",
        "/old/*,https://other.example/*,302",
        "/t,/tag/boats,301",
    ]
    assert read(written()) == (0, 0, 5)
    assert {row.source for row in db.session.scalars(select(Redirect))} == {"user", "import"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no redirects"),
        (b"path,target,status\n", "no redirects"),
        (b"/a,/\xff\n", "UTF-8"),
        (b"/a,/b\n" * 20_000, "at most 10,000"),
        (b"x" * (csv_files.MAX_BYTES + 1), "at most 1.9 MB"),
        (b'/a,"' + b"x" * 200_000 + b'"\n', "Line 1"),
        (b"/a\0,/b\n", "Line 1"),
    ],
)
def test_a_file_that_can_not_be_read_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        read(data)


def test_ten_thousand_lines_are_read(app: Flask) -> None:
    text = "".join(f"/old-{number},/new-{number}\n" for number in range(10_000))
    assert read(text) == (10_000, 0, 0)
    assert read(text) == (0, 0, 10_000)
