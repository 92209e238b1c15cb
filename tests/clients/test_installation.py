"""The client libraries install as their READMEs say, and build as docs/releasing.md says, without a registry."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from blogsvc.config import ROOT
from tests.clients.conftest import require_program
from tests.clients.projects import CLIENTS, PROJECTS, VERSION, Project

# Builds and installs without network: the packages need nothing else, or find it in the environment of the tests.
WITHOUT_NETWORK = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # no isolation
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "npm_config_offline": "true",
    "npm_config_audit": "false",
    "COMPOSER_ALLOW_SUPERUSER": "1",
    "COMPOSER_DISABLE_NETWORK": "1",
    "COMPOSER_NO_INTERACTION": "1",
}
INSTALLED = {
    "python": "site/blogsvc_client/__init__.py",
    "node": "node_modules/blogsvc-client/src/index.js",
    "php": "vendor/blogsvc/client/src/Client.php",
    "ruby": f"gems/gems/blogsvc-{VERSION}/lib/blogsvc.rb",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the client libraries, in which building leaves its files."""
    skipped = shutil.ignore_patterns("node_modules", "vendor", ".*_cache", "__pycache__", "*.gem", "composer.lock")
    shutil.copytree(CLIENTS, tmp_path / "checkout" / "clients", ignore=skipped)
    return tmp_path / "checkout"


def run(script: str, folder: Path) -> None:
    """Run a shell script. Raises AssertionError if a command of it fails."""
    environ = {
        **os.environ,
        **WITHOUT_NETWORK,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PIP_TARGET": str(folder / "site"),
        "GEM_HOME": str(folder / "gems"),
        "COMPOSER_HOME": str(folder / "composer"),
        "VERSION": VERSION,
    }
    result = subprocess.run(["sh", "-ec", script], cwd=folder, env=environ, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, f"{script}\n{result.stdout}{result.stderr}"


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_the_readme_says_how_to_install_from_a_checkout(project: Project, checkout: Path, tmp_path: Path) -> None:
    for program in project.required_programs:
        require_program(program)
    readme = (CLIENTS / project.name / "README.md").read_text()
    script = re.search(r"```sh\n(.*?)```", readme, re.DOTALL)
    assert script is not None
    folder = tmp_path / "project"
    folder.mkdir()
    if project.name == "php":
        (folder / "composer.json").write_text('{"repositories": [{"packagist.org": false}]}')
    run(script[1].replace("path/to/blogsvc", str(checkout)), folder)
    assert (folder / INSTALLED[project.name]).exists()


def version_of_gem(path: Path) -> str:
    with tarfile.open(path) as archive:
        file = archive.extractfile("metadata.gz")
        assert file is not None
        metadata = gzip.decompress(file.read()).decode()
    found = re.search(r"^version: !ruby/object:Gem::Version\n  version: (\S+)$", metadata, re.MULTILINE)
    assert found is not None
    return found[1].strip("'")


def test_the_files_of_a_release_are_built_as_the_release_page_says(checkout: Path) -> None:
    for program in ("npm", "gem", "git"):
        require_program(program)
    page = (ROOT / "docs" / "releasing.md").read_text()
    script = re.search(r"<!-- build-clients -->\n```sh\n(.*?)```", page, re.DOTALL)
    assert script is not None
    identity = "-c user.name=Test -c user.email=test@example.org -c commit.gpgsign=false"
    run(f"git init -q && git add -A && git {identity} commit -qm Test", checkout)
    run(script[1].replace("-m build", "-m build --no-isolation"), checkout)
    dist = checkout / "dist"
    assert {path.name for path in dist.iterdir()} == {
        f"blogsvc_client-{VERSION}-py3-none-any.whl",
        f"blogsvc_client-{VERSION}.tar.gz",
        f"blogsvc-client-{VERSION}.tgz",
        f"blogsvc-{VERSION}.gem",
        f"blogsvc-client-{VERSION}.zip",
    }
    # The page gives these two their names, so the names say nothing about what is in them.
    assert version_of_gem(dist / f"blogsvc-{VERSION}.gem") == VERSION
    with ZipFile(dist / f"blogsvc-client-{VERSION}.zip") as archive:
        names = {name.removeprefix("blogsvc-client/") for name in archive.namelist()}
        assert f"VERSION = '{VERSION}'" in archive.read("blogsvc-client/src/Client.php").decode()
    assert {"composer.json", "autoload.php", "LICENSE", "README.md"} <= names
    assert {name for name in names if name.startswith(("tests/", "contract/"))} == set()


def test_the_php_library_can_be_split_into_a_repository_of_its_own(checkout: Path) -> None:
    require_program("git")
    if subprocess.run(["git", "subtree"], capture_output=True, cwd=checkout).returncode == 1:
        pytest.skip("GIT SUBTREE IS NOT INSTALLED: the repository of the PHP library is not tested")
    identity = "-c user.name=Test -c user.email=test@example.org -c commit.gpgsign=false"
    run(f"git init -q && git add -A && git {identity} commit -qm Test", checkout)
    page = (ROOT / "docs" / "releasing.md").read_text()
    script = page.partition("### PHP: Packagist")[2].partition("```sh\n")[2].partition("```")[0]
    run("git init -q --bare ../php.git", checkout)
    run(script.replace("URL_OF_THE_PHP_REPOSITORY", "../php.git"), checkout)
    listed = ["git", "ls-tree", "--name-only", f"v{VERSION}"]
    names = subprocess.run(listed, cwd=checkout.parent / "php.git", capture_output=True, text=True, check=True).stdout
    assert {"composer.json", "LICENSE", "README.md", "src"} <= set(names.split())
