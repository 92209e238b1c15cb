"""The wheel and the source distribution carry every file that the package reads at run time."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from blogsvc.config import ROOT


def wheel_of(source: Path, folder: Path) -> dict[str, bytes]:
    """The files of the wheel that is built from a source tree, by path."""
    [built] = WheelBuilder(str(source)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return wheel_of(ROOT, tmp_path_factory.mktemp("wheel"))


def files_below(folder: str) -> list[Path]:
    return [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def test_the_wheel_carries_the_package_its_templates_and_its_static_files(wheel: dict[str, bytes]) -> None:
    for folder, prefix in (("blogsvc", ""), ("templates", "blogsvc/"), ("static", "blogsvc/")):
        files = files_below(folder)
        assert files
        for path in files:
            name = f"{prefix}{path.relative_to(ROOT).as_posix()}"
            assert wheel.get(name) == path.read_bytes(), f"{name} is not in the wheel"


def test_the_wheel_carries_the_pages_of_docs_that_the_server_shows(wheel: dict[str, bytes]) -> None:
    shown = [ROOT / "docs" / "examples.json", ROOT / "docs" / "versions.md", *(ROOT / "docs" / "guides").glob("*.md")]
    for path in shown:
        assert wheel.get(f"blogsvc/{path.relative_to(ROOT).as_posix()}") == path.read_bytes()


def test_the_wheel_installs_nothing_outside_the_package(wheel: dict[str, bytes]) -> None:
    folders = {name.partition("/")[0] for name in wheel}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"blogsvc"}


def test_the_source_distribution_builds_the_same_wheel(wheel: dict[str, bytes], tmp_path: Path) -> None:
    [archive] = SdistBuilder(str(ROOT)).build(directory=str(tmp_path / "sdist"), versions=["standard"])
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    [source] = (tmp_path / "unpacked").iterdir()
    assert wheel_of(source, tmp_path / "wheel") == wheel
