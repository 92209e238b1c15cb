"""An empty project in each language, with the client library installed from a package built by the language's tool."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from blogsvc.config import ROOT

CLIENTS = ROOT / "clients"
# All client libraries have this version, see tests/test_clients.py.
VERSION: str = json.loads((CLIENTS / "node" / "package.json").read_text())["version"]
COMMAND_TIMEOUT = 600  # seconds


@dataclass(frozen=True)
class Project:
    """`language` is the info string of its code blocks in Markdown."""

    name: str
    language: str
    required_programs: tuple[str, ...]
    suffix: str
    set_up: Callable[[Path], None]
    command: Callable[[Path], list[str]]

    def run(self, folder: Path, code: str, environ: Mapping[str, str]) -> str:
        """Run a program in this project folder and return its output. Raises AssertionError if it fails."""
        file = folder / f"program.{self.suffix}"
        file.write_text(code)
        result = subprocess.run(
            [*self.command(folder), str(file)],
            cwd=folder,
            env={**os.environ, **environ},
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT,
        )
        assert result.returncode == 0, f"{code}\n{result.stdout}{result.stderr}"
        assert result.stderr == "", result.stderr
        return result.stdout


def call(*command: str | Path, cwd: Path, **environ: str) -> str:
    """Run a command and return its output. Raises AssertionError if it fails."""
    arguments = [str(one) for one in command]
    env = {**os.environ, **environ}
    result = subprocess.run(arguments, cwd=cwd, env=env, capture_output=True, text=True, timeout=COMMAND_TIMEOUT)
    assert result.returncode == 0, f"{' '.join(arguments)}\n{result.stdout}{result.stderr}"
    return result.stdout


def only_match(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def copy_source(language: str, folder: Path) -> Path:
    """Copy the source of a library, so that building leaves no files in the checkout."""
    skipped = shutil.ignore_patterns("node_modules", "vendor", ".*", "__pycache__", "composer.lock")
    return shutil.copytree(CLIENTS / language, folder / "source", ignore=skipped)


def python(folder: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    call(
        *pip,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        folder,
        copy_source("python", folder),
        cwd=folder,
    )
    call(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    interpreter = folder / "venv" / "bin" / "python"
    call(*pip, "--python", interpreter, "install", "--no-deps", "--no-index", only_match(folder, "*.whl"), cwd=folder)
    # The only dependency, httpx2, comes from the environment of these tests.
    packages = only_match(folder, "venv/lib/python*/site-packages")
    (packages / "test-environment.pth").write_text(sysconfig.get_path("purelib"))


def node(folder: Path) -> None:
    call("npm", "pack", "--silent", "--pack-destination", folder, cwd=copy_source("node", folder))
    (folder / "package.json").write_text(json.dumps({"name": "empty", "private": True, "type": "module"}))
    options = ("--offline", "--silent", "--no-audit", "--no-fund")
    call("npm", "install", *options, only_match(folder, "*.tgz"), cwd=folder)


def php(folder: Path) -> None:
    package = copy_source("php", folder)
    as_root = {"COMPOSER_ALLOW_SUPERUSER": "1", "COMPOSER_HOME": str(folder / "home"), "COMPOSER_NO_INTERACTION": "1"}
    call("composer", "validate", "--strict", "--no-check-lock", cwd=package, **as_root)
    call("composer", "archive", "--format=tar", f"--dir={folder / 'dist'}", "--file=package", cwd=package, **as_root)
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    call("tar", "-xf", only_match(folder, "dist/*.tar"), "-C", unpacked, cwd=folder)
    manifest = {
        "repositories": [
            {"type": "path", "url": str(unpacked), "options": {"symlink": False}},
            {"packagist.org": False},
        ],
        "require": {"blogsvc/client": "*"},
        "minimum-stability": "dev",
    }
    (folder / "composer.json").write_text(json.dumps(manifest))
    call("composer", "install", "--quiet", cwd=folder, **as_root)


def ruby(folder: Path) -> None:
    package = copy_source("ruby", folder)
    call("gem", "build", "--silent", "--output", folder / "package.gem", only_match(package, "*.gemspec"), cwd=package)
    options = ("--local", "--no-document", "--silent", "--install-dir", folder / "gems")
    call("gem", "install", *options, folder / "package.gem", cwd=folder)


PROJECTS = (
    Project("python", "python", (), "py", python, lambda folder: [str(folder / "venv" / "bin" / "python")]),
    Project("node", "js", ("node", "npm"), "mjs", node, lambda folder: ["node"]),
    Project("php", "php", ("php", "composer"), "php", php, lambda folder: ["php"]),
    Project(
        "ruby", "ruby", ("ruby", "gem"), "rb", ruby, lambda folder: ["env", f"GEM_HOME={folder / 'gems'}", "ruby", "-w"]
    ),
)
