"""`blogsvc import`, killed on the way and run again: it goes on with the next post."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from blogsvc.config import Config
from tests.clock import eventually
from tests.databases import another

POSTS = 400


@pytest.fixture
def blog_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "old-blog"
    folder.mkdir()
    for number in range(POSTS):
        (folder / f"post-{number}.md").write_text(f"---\ntitle: Post {number}\ndate: 2020-01-02\n---\nWords.\n")
    return folder


def command(environment: dict[str, str], folder: Path, *options: str) -> subprocess.Popen[str]:
    words = [str(Path(sys.executable).with_name("blogsvc")), "import", str(folder), *options]
    return subprocess.Popen(
        words, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def count_of(table: str, environment: dict[str, str]) -> int:
    with another(Config.load(environment).rows_url) as rows:
        return int(rows.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_an_import_that_was_killed_continues_and_makes_no_post_twice(
    environment: dict[str, str], blog_folder: Path
) -> None:
    begun = command(environment, blog_folder)
    eventually(lambda: count_of("post", environment) > 0)
    begun.kill()
    begun.communicate()
    assert count_of("post", environment) < POSTS

    refused = command(environment, blog_folder, "--dry-run")
    assert "Run the command without --dry-run to continue it." in refused.communicate()[1]

    continued = command(environment, blog_folder)
    said, notes = continued.communicate()
    assert "Continuing the import of this file, with the options it began with." in notes
    assert f"{POSTS} made, 0 skipped, 0 failed." in said
    assert (count_of("post", environment), count_of("import_job", environment)) == (POSTS, 1)
