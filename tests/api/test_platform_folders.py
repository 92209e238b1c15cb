"""A folder connection writes only to directories that the owner allows."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from blogsvc.config import Config
from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed"
    folder.mkdir()
    return folder


@pytest.fixture
def config(config: Config, allowed: Path, request: pytest.FixtureRequest) -> Config:
    """With `allowed` as the only directory; `@pytest.mark.parametrize("config", [...], indirect=True)` for others."""
    places = getattr(request, "param", ("{allowed}",))
    named = {"allowed": allowed, "instance": config.instance, "above": config.instance.parent}
    return replace(config, folders=tuple(place.format(**named) for place in places))


def connect(api: Api, path: Path | str) -> TestResponse:
    return api.post("/platforms", connector="folder", settings={"path": str(path)})


def a_folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def test_a_directory_below_an_allowed_one_can_be_connected(
    api: Api, allowed: Path, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    site = a_folder(allowed / "deep" / "site")
    assert connect(api, site).status_code == 201
    post = a_post(live=True, platforms=["folder"])
    tick()
    assert api.get(f"/posts/{post.id}").json["status"] == "published"
    assert list(site.rglob("index.md"))


def test_the_allowed_directory_itself_can_be_connected(api: Api, allowed: Path) -> None:
    assert connect(api, allowed).status_code == 201


@pytest.mark.parametrize("config", [()], indirect=True)
def test_by_default_only_the_folders_directory_of_the_instance_is_allowed(
    api: Api, config: Config, allowed: Path
) -> None:
    assert faults(connect(api, allowed)) == {"#/settings/path": "misconfigured"}
    assert connect(api, a_folder(config.instance / "folders" / "site")).status_code == 201


@pytest.mark.parametrize(
    "path",
    [
        "{tmp}",
        "{tmp}/elsewhere",
        "{tmp}/allowed-too",
        "{allowed}/../elsewhere",
        "{allowed}/link",
        "{allowed}/link/deeper",
        "{allowed}/circle",
        "allowed",
        "~",
        "/",
        "/etc",
        "/proc/self/cwd",
        "{instance}",
        "https://git.example/blog.git",
        "file:///srv/blog",
    ],
)
def test_any_other_directory_is_rejected(api: Api, tmp_path: Path, instance: Path, allowed: Path, path: str) -> None:
    a_folder(tmp_path / "elsewhere" / "deeper")
    a_folder(tmp_path / "allowed-too")
    (allowed / "link").symlink_to(tmp_path / "elsewhere")
    (allowed / "circle").symlink_to(allowed / "circle")
    answer = connect(api, path.format(tmp=tmp_path, allowed=allowed, instance=instance))
    assert faults(answer) == {"#/settings/path": "misconfigured"}


def test_the_error_names_the_setting_and_the_allowed_directories(api: Api, tmp_path: Path, allowed: Path) -> None:
    detail = connect(api, tmp_path).json["detail"]
    assert "BLOGSVC_FOLDERS" in detail
    assert str(allowed) in detail


@pytest.mark.parametrize("config", [("{above}",), ("{instance}", "/"), ("{instance}/media",)], indirect=True)
@pytest.mark.parametrize("path", ["", "..", "media", "media/2026", "backups", "blogsvc.db", "link"])
def test_the_instances_own_directories_are_never_allowed(api: Api, instance: Path, path: str) -> None:
    a_folder(instance / "media" / "2026")
    a_folder(instance / "backups")
    (instance / "link").symlink_to(instance / "media")
    answer = connect(api, instance / path)
    assert faults(answer) == {"#/settings/path": "misconfigured"}


@pytest.mark.parametrize("config", [("{above}",)], indirect=True)
def test_other_directories_of_the_instance_can_be_allowed(api: Api, instance: Path) -> None:
    assert connect(api, a_folder(instance / "sites")).status_code == 201


def test_a_symlink_changed_to_point_outside_later_is_not_followed(
    api: Api, tmp_path: Path, allowed: Path, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    site, elsewhere = allowed / "site", a_folder(tmp_path / "elsewhere")
    site.symlink_to(a_folder(allowed / "real"))
    assert connect(api, site).status_code == 201
    site.unlink()
    site.symlink_to(elsewhere)
    a_post(live=True, platforms=["folder"])
    tick()
    assert list(elsewhere.iterdir()) == []
    folder = api.get("/platforms/folder").json
    assert folder["health"] == "disconnected"
    assert "BLOGSVC_FOLDERS" in folder["lastError"]
    answer = api.post("/platforms/folder/verify")
    assert (answer.status_code, answer.json["code"]) == (502, "misconfigured")


def test_a_changed_path_is_validated_like_a_new_one(api: Api, tmp_path: Path, allowed: Path) -> None:
    assert connect(api, allowed).status_code == 201
    answer = api.patch("/platforms/folder", settings={"path": str(tmp_path)})
    assert faults(answer) == {"#/settings/path": "misconfigured"}
    assert api.get("/platforms/folder").json["settings"]["path"] == str(allowed)


def test_a_missing_directory_and_a_missing_branch_give_different_errors(api: Api, allowed: Path) -> None:
    assert faults(connect(api, allowed / "nothing")) == {"#/settings/path": "misconfigured"}
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", allowed], check=True)
    answer = api.post("/platforms", connector="folder", settings={"path": str(allowed), "branch": "other"})
    assert faults(answer) == {"#/settings/branch": "misconfigured"}


def git(where: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True)


def a_clone(site: Path, remote: Path) -> None:
    git(site.parent, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    git(site.parent, "clone", "--quiet", str(remote), str(site))
    git(site, "symbolic-ref", "HEAD", "refs/heads/main")


def test_a_repository_on_this_server_is_pushed_to_only_in_an_allowed_directory(
    api: Api, tmp_path: Path, allowed: Path
) -> None:
    a_clone(allowed / "site", tmp_path / "elsewhere.git")
    refused = connect(api, allowed / "site")
    assert faults(refused) == {"#/settings/path": "misconfigured"}
    assert str(tmp_path / "elsewhere.git") in refused.json["detail"]
    git(allowed / "site", "remote", "set-url", "origin", "../../elsewhere.git")
    assert faults(connect(api, allowed / "site")) == {"#/settings/path": "misconfigured"}
    a_clone(allowed / "blog", allowed / "blog.git")
    account = connect(api, allowed / "blog")
    assert account.json["account"] == f"blog, pushed to {allowed / 'blog.git'}"


def test_another_remote_waits_until_the_settings_are_saved(
    api: Api, allowed: Path, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    a_clone(allowed / "blog", allowed / "blog.git")
    assert connect(api, allowed / "blog").status_code == 201
    git(allowed, "init", "--quiet", "--bare", "other.git")
    git(allowed / "blog", "remote", "set-url", "origin", str(allowed / "other.git"))
    post = a_post(live=True, platforms=["folder"])
    tick()
    assert "reconnect the account" in api.get("/platforms/folder").json["lastError"]
    assert api.post("/platforms/folder/verify").json["code"] == "misconfigured"
    assert api.patch("/platforms/folder", settings={}).status_code == 200
    tick()
    assert api.get(f"/posts/{post.id}").json["status"] == "published"
    git(allowed / "other.git", "rev-parse", "--verify", "main")


@pytest.mark.parametrize(
    "pattern",
    [
        "javascript:alert('{slug}')//",
        "data:text/html,{slug}",
        "/posts/{slug}/",
        "https:///{slug}",
        "https://me.example/{title}/",
    ],
)
def test_a_post_url_that_readers_could_not_follow_is_refused(api: Api, allowed: Path, pattern: str) -> None:
    settings = {"path": str(allowed), "url_pattern": pattern}
    answer = api.post("/platforms", connector="folder", settings=settings)
    assert faults(answer) == {"#/settings/url_pattern": "misconfigured"}
    assert "https://" in answer.json["errors"][0]["detail"]
    good = settings | {"url_pattern": "https://me.example/{year}/{month}/{day}/{slug}/"}
    assert api.post("/platforms", connector="folder", settings=good).status_code == 201
    assert faults(api.patch("/platforms/folder", settings={"url_pattern": pattern})) == {
        "#/settings/url_pattern": "misconfigured"
    }
