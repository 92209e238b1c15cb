"""The steps of the Containerfile, run in an empty directory instead of a container engine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.containerfile import copy_source, stages
from tests.installed.installation import ENVIRONMENT, Installation, run
from tests.receiver import free_port

BUILD, FINAL = stages()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root directory of the image after the steps of the build stage."""
    root = tmp_path_factory.mktemp("image")
    programs = root / "programs"
    programs.mkdir()
    (programs / "python").symlink_to(sys.executable)
    environ = os.environ | {"PATH": f"{programs}:{ENVIRONMENT['PATH']}"}
    folder = root
    for step in BUILD.instructions:
        if step.name == "WORKDIR":
            folder = root / step.words.strip("/")
            folder.mkdir(parents=True)
        elif step.name == "COPY":
            *sources, target = step.arguments
            for source in sources:
                copy_source(source, folder / target)
        elif step.name == "RUN":
            run("sh", "-c", step.words.replace("/opt/", f"{root}/opt/"), cwd=folder, environ=environ)
        else:
            assert step.name == "FROM", f"{step.name} is not run by this test"
    return root


def test_the_steps_of_the_containerfile_build_a_server_that_keeps_its_data_on_the_volume(
    root: Path, tmp_path: Path
) -> None:
    [copied] = FINAL.all("COPY")
    assert copied.arguments == ["/opt/blogsvc", "/opt/blogsvc"]
    data = tmp_path / "data"
    settings = {name: value for name, value in FINAL.environment.items() if name not in ("PATH", "HOME", "PORT")}
    image = Installation(root / "opt/blogsvc/bin", tmp_path, settings | {"BLOGSVC_INSTANCE": str(data)})
    with image.running(*FINAL.one("CMD").command, port=free_port()) as server:
        python, *check = FINAL.one("HEALTHCHECK").command
        server.wait_for("/health")
        run(image.bin / python, *check, cwd=tmp_path, environ=image.environment(server.port))
    assert (data / "blogsvc.db").exists()
