"""The Containerfile and compose.yaml, checked without a container engine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from threading import Thread

import pytest
import yaml

from blogsvc.config import ROOT, Config
from tests.containerfile import is_ignored, stages
from tests.receiver import free_port

BUILD, FINAL = stages()
VARIABLES = {field.metadata["variable"] for field in fields(Config)}


def test_the_base_images_have_a_tag_and_name_no_registry() -> None:
    for stage in (BUILD, FINAL):
        name, _, tag = stage.one("FROM").arguments[0].partition(":")
        assert tag not in ("", "latest")
        assert "/" not in name


def test_every_copied_file_exists_and_is_not_ignored() -> None:
    sources = [source for copied in BUILD.all("COPY") for source in copied.arguments[:-1]]
    assert {"blogsvc", "templates", "static", "docs", "pyproject.toml"} <= set(sources)
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not is_ignored(source), source


@pytest.mark.parametrize(
    "path", [".git/config", "docs/deploy/.env", ".venv/bin/python", "instance/blogsvc.db", "docs/screenshots/a.png"]
)
def test_what_the_image_does_not_need_is_ignored(path: str) -> None:
    assert is_ignored(path)


def test_the_final_image_contains_only_the_built_environment() -> None:
    [copied] = FINAL.all("COPY")
    assert "--from=build" in copied.words
    assert BUILD.one("FROM").words.endswith(" AS build")


def test_the_server_runs_as_a_user_without_privileges() -> None:
    user = FINAL.one("USER").words
    assert user.isdigit(), "a number, so that Kubernetes can check that it is not root"
    assert int(user) > 0
    assert f"useradd --uid {user} " in " ".join(run.words for run in FINAL.all("RUN"))
    positions = [instruction.name for instruction in FINAL.instructions]
    assert "RUN" not in positions[positions.index("USER") :]


def test_the_data_is_on_a_volume() -> None:
    assert FINAL.one("VOLUME").words == FINAL.environment["BLOGSVC_INSTANCE"] == FINAL.environment["HOME"]


def test_the_environment_of_the_image_has_only_settings_that_exist() -> None:
    assert set(FINAL.environment) - {"PATH", "HOME"} <= VARIABLES
    assert FINAL.one("EXPOSE").words == FINAL.environment["PORT"]


def test_the_image_starts_the_server() -> None:
    assert [*FINAL.one("ENTRYPOINT").command, *FINAL.one("CMD").command] == ["blogsvc", "serve"]


class Health(BaseHTTPRequestHandler):
    """A server whose /health answers with `status`."""

    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture(params=[200, 503])
def health(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """The port of a server, and the status of its /health."""
    handler = type("Health", (Health,), {"status": request.param})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield server.server_port, request.param
        server.shutdown()


def check_health(port: int) -> int:
    """The exit code of the health check of the image."""
    python, *arguments = FINAL.one("HEALTHCHECK").command
    assert python == "python"
    environ = os.environ | {"PORT": str(port)}
    return subprocess.run([sys.executable, *arguments], env=environ, stderr=subprocess.DEVNULL).returncode


def test_the_health_check_follows_the_health_of_the_server(health: tuple[int, int]) -> None:
    port, status = health
    assert (check_health(port) == 0) == (status == 200)


def test_the_health_check_fails_if_nothing_listens() -> None:
    assert check_health(free_port()) != 0


def test_compose_builds_the_image_and_keeps_the_data() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    [service] = compose["services"].values()
    assert (ROOT / service["build"]["context"] / service["build"]["dockerfile"]).samefile(ROOT / "Containerfile")
    assert service["image"] == f"blogsvc:{version('blogsvc')}"
    [mounted] = service["volumes"]
    name, _, target = mounted.partition(":")
    assert name in compose["volumes"]
    assert target == FINAL.one("VOLUME").words
    assert set(service["environment"]) <= VARIABLES
    assert [port.rpartition(":")[2] for port in service["ports"]] == [FINAL.environment["PORT"]]


def test_compose_gives_the_server_no_privileges_and_time_to_stop() -> None:
    [service] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].values()
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert "user" not in service
    assert int(service["stop_grace_period"].removesuffix("s")) > 2 * Config().grace_seconds
