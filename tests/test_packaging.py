"""The wheel carries every file that the package reads at run time, and pyproject.toml declares what it imports."""

from __future__ import annotations

import ast
import re
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from blogsvc.config import PACKAGE, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Dependencies that no module imports: data files, and an extra that markdown-it-py loads.
NOT_IMPORTED = {"tzdata", "linkify-it-py"}
# In the standard library of Python 3.14, and installed for older versions under another name.
LATER_STANDARD = {"compression"}


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


def test_the_wheel_contains_the_package_its_templates_and_static_files(wheel: dict[str, bytes]) -> None:
    for folder, prefix in (("blogsvc", ""), ("templates", "blogsvc/"), ("static", "blogsvc/")):
        files = files_below(folder)
        assert files
        for path in files:
            name = f"{prefix}{path.relative_to(ROOT).as_posix()}"
            assert wheel.get(name) == path.read_bytes(), f"{name} is not in the wheel"


def test_the_wheel_contains_the_docs_that_the_server_shows(wheel: dict[str, bytes]) -> None:
    shown = [ROOT / "docs" / "examples.json", ROOT / "docs" / "versions.md", *(ROOT / "docs" / "guides").glob("*.md")]
    for path in shown:
        assert wheel.get(f"blogsvc/{path.relative_to(ROOT).as_posix()}") == path.read_bytes()


def test_the_wheel_installs_nothing_outside_the_package(wheel: dict[str, bytes]) -> None:
    folders = {name.partition("/")[0] for name in wheel}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"blogsvc"}


def test_the_source_distribution_builds_the_same_wheel(wheel: dict[str, bytes], tmp_path: Path) -> None:
    [archive] = SdistBuilder(str(ROOT)).build(directory=str(tmp_path / "sdist"), versions=["standard"])
    with tarfile.open(archive) as packed:
        images = [name for name in packed.getnames() if name.endswith(".png") and "/static/desk/icons/" not in name]
        assert images == [], "screenshots make it large"
        packed.extractall(tmp_path / "unpacked", filter="data")
    [source] = (tmp_path / "unpacked").iterdir()
    assert wheel_of(source, tmp_path / "wheel") == wheel


def normalized(name: str) -> str:
    """The canonical name of a distribution, without extras and versions."""
    return re.sub(r"[._]", "-", re.split(r"[^\w.-]", name)[0].lower())


def imported_packages() -> dict[str, set[str]]:
    """The top-level packages of others that modules of blogsvc import, each with the modules."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                found.setdefault(name.partition(".")[0], set()).add(str(path.relative_to(ROOT)))
    own = sys.stdlib_module_names | LATER_STANDARD | {"blogsvc"}
    return {name: files for name, files in found.items() if name not in own}


def declared() -> set[str]:
    extras = [requirement for extra in PROJECT["optional-dependencies"].values() for requirement in extra]
    return {normalized(requirement) for requirement in [*PROJECT["dependencies"], *extras]}


def test_every_imported_package_is_a_declared_dependency() -> None:
    distributions = packages_distributions()
    names = declared()
    for package, files in imported_packages().items():
        providers = {normalized(name) for name in distributions.get(package, [])}
        assert providers & names, f"{package} is imported by {sorted(files)} and not declared in pyproject.toml"


def test_every_declared_dependency_is_imported() -> None:
    distributions = packages_distributions()
    used = {normalized(name) for package in imported_packages() for name in distributions.get(package, [])}
    assert declared() - used == NOT_IMPORTED
