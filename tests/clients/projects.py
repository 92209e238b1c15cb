"""An empty project in each language, into which the package is installed from the file that its own tool built."""

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
MOST = 120  # seconds


@dataclass(frozen=True)
class Project:
    """`language` is how its code is marked in Markdown, `needs` are the programs that it takes."""

    name: str
    language: str
    needs: tuple[str, ...]
    suffix: str
    set_up: Callable[[Path], None]
    run: Callable[[Path], list[str]]

    def play(self, folder: Path, code: str, environ: Mapping[str, str]) -> str:
        """What a program prints in the project that was set up in this folder. Raises AssertionError where it fails."""
        file = folder / f"told.{self.suffix}"
        file.write_text(code)
        done = subprocess.run(
            [*self.run(folder), str(file)],
            cwd=folder,
            env={**os.environ, **environ},
            capture_output=True,
            text=True,
            timeout=MOST,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"
        assert done.stderr == "", done.stderr
        return done.stdout


def call(*command: str | Path, cwd: Path, **environ: str) -> str:
    """Raises AssertionError where it does not end well."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **environ}, capture_output=True, text=True, timeout=MOST)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def source(language: str, folder: Path) -> Path:
    """A copy, so that building leaves nothing behind."""
    skipped = shutil.ignore_patterns("node_modules", "vendor", ".*", "__pycache__", "composer.lock")
    return shutil.copytree(CLIENTS / language, folder / "source", ignore=skipped)


def python(folder: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    call(
        *pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source("python", folder), cwd=folder
    )
    call(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    here = folder / "venv" / "bin" / "python"
    call(*pip, "--python", here, "install", "--no-deps", "--no-index", only(folder, "*.whl"), cwd=folder)
    # Its one dependency, from where these tests run.
    packages = only(folder, "venv/lib/python*/site-packages")
    (packages / "beside.pth").write_text(sysconfig.get_path("purelib"))


def node(folder: Path) -> None:
    call("npm", "pack", "--silent", "--pack-destination", folder, cwd=source("node", folder))
    (folder / "package.json").write_text(json.dumps({"name": "empty", "private": True, "type": "module"}))
    options = ("--offline", "--silent", "--no-audit", "--no-fund")
    call("npm", "install", *options, only(folder, "*.tgz"), cwd=folder)


def php(folder: Path) -> None:
    package = source("php", folder)
    as_root = {"COMPOSER_ALLOW_SUPERUSER": "1", "COMPOSER_HOME": str(folder / "home"), "COMPOSER_NO_INTERACTION": "1"}
    call("composer", "validate", "--strict", "--no-check-lock", cwd=package, **as_root)
    call("composer", "archive", "--format=tar", f"--dir={folder / 'dist'}", "--file=package", cwd=package, **as_root)
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    call("tar", "-xf", only(folder, "dist/*.tar"), "-C", unpacked, cwd=folder)
    described = {
        "repositories": [
            {"type": "path", "url": str(unpacked), "options": {"symlink": False}},
            {"packagist.org": False},
        ],
        "require": {"blogsvc/client": "*"},
        "minimum-stability": "dev",
    }
    (folder / "composer.json").write_text(json.dumps(described))
    call("composer", "install", "--quiet", cwd=folder, **as_root)


def ruby(folder: Path) -> None:
    package = source("ruby", folder)
    call("gem", "build", "--silent", "--output", folder / "package.gem", only(package, "*.gemspec"), cwd=package)
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
