"""An installed wheel runs without the checkout, and keeps its data in the data directory of the user."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogsvc.config import ROOT
from tests.installed.installation import ENVIRONMENT, Installation, run
from tests.receiver import free_port


def test_the_installed_package_is_not_the_checkout(installed: Installation) -> None:
    script = "import blogsvc; print(blogsvc.__file__)"
    found = run(installed.bin / "python", "-c", script, cwd=installed.home, environ=installed.environment())
    assert Path(found.strip()).is_relative_to(installed.bin.parent)
    assert not Path(found.strip()).is_relative_to(ROOT)


def test_a_post_published_with_the_api_is_on_the_blog(installed: Installation) -> None:
    key = installed.run("key", "create", "test").strip()
    post = {"title": "From a wheel", "content": "It *works*.", "scheduledAt": f"{datetime.now(UTC):%FT%TZ}"}
    with installed.running("serve", port=free_port()) as server:
        assert server.call("/api/v1/posts", key, post).status == 201
        page = server.wait_for("/from-a-wheel").text
        assert "It <em>works</em>." in page
        assert "From a wheel" in server.call("/").text


def test_posts_are_pushed_with_the_command_line(installed: Installation, tmp_path: Path) -> None:
    (tmp_path / "reeds.md").write_text("# Reeds\n\nCut in winter.\n")
    assert "1 created" in installed.run("post", "push", str(tmp_path))
    assert "Reeds" in installed.run("post", "list")


def test_every_kind_of_page_is_served(installed: Installation) -> None:
    with installed.running("serve", port=free_port()) as server:
        for path in ("/api/v1/docs", "/api/v1/docs/versions", "/api/v1/openapi.json", "/static/blog.css", "/feed.xml"):
            assert server.call(path).status == 200, path
        setup = next(line for line in server.log.read_text().splitlines() if "/setup/" in line)
        assert server.call(f"/setup/{setup.rpartition('/setup/')[2]}").status == 200


def test_the_data_is_in_the_data_directory_of_the_user(installed: Installation) -> None:
    installed.run("key", "create", "test")
    assert {path.name for path in installed.data.iterdir()} >= {"blogsvc.db", "secret.key"}
    assert installed.data.stat().st_mode & 0o777 == 0o700
    assert list(installed.home.iterdir()) == [installed.home / "share"]
    assert not list(installed.bin.parent.rglob("blogsvc.db"))


def test_the_demo_shows_a_blog_with_posts_and_deletes_everything(installed: Installation) -> None:
    temporary = installed.home / "tmp"
    temporary.mkdir()
    demo = replace(installed, settings={"TMPDIR": str(temporary)})
    with demo.running("demo", port=free_port()) as server:
        assert "The last ferry" in server.call("/archive").text
        key = re.search(r"bsk_\w+", server.log.read_text())
        assert key is not None
        posts = server.call("/api/v1/posts?limit=100", key[0]).json["data"]
        assert {post["status"] for post in posts} == {"draft", "scheduled", "published", "partial"}
        assert server.call("/login").status == 200
    assert not list(temporary.iterdir())
    assert not installed.data.exists()


def test_the_command_runs_without_an_installation(wheel: Path, tmp_path: Path) -> None:
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{ENVIRONMENT.get('PATH', '')}")
    if uv is None:
        pytest.skip("NO UV HERE: `uvx --from WHEEL blogsvc` is not tested. `make test-installed` installs it.")
    environ = ENVIRONMENT | {"HOME": str(Path.home()), "UV_PYTHON": sys.executable}  # the home directory has the cache
    uvx = [uv, "tool", "run", "--constraints", ROOT / "requirements.lock", "--from", wheel]
    said = run(*uvx, "blogsvc", "--version", cwd=tmp_path, environ=environ)
    assert said.strip() == f"blogsvc, version {wheel.name.split('-')[1]}"
