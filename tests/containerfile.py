"""Reads Containerfile and .dockerignore, for tests that check the image without a container engine."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from blogsvc.config import ROOT


@dataclass(frozen=True)
class Instruction:
    """One instruction of a Containerfile, its continued lines joined."""

    name: str
    words: str

    @property
    def arguments(self) -> list[str]:
        """The words of the instruction without its flags."""
        return [word for word in self.words.split() if not word.startswith("--")]

    @property
    def command(self) -> list[str]:
        """The command of an instruction in exec form, such as CMD ["blogsvc", "serve"]."""
        found: list[str] = json.loads(self.words[self.words.index("[") :])
        return found


@dataclass(frozen=True)
class Stage:
    """One stage of a build: from FROM to the next FROM."""

    instructions: list[Instruction]

    def all(self, name: str) -> list[Instruction]:
        return [found for found in self.instructions if found.name == name]

    def one(self, name: str) -> Instruction:
        [found] = self.all(name)
        return found

    @property
    def environment(self) -> dict[str, str]:
        return dict(word.split("=", 1) for found in self.all("ENV") for word in found.arguments)


def stages() -> list[Stage]:
    """The stages of the Containerfile, in order."""
    text = (ROOT / "Containerfile").read_text()
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    found: list[Stage] = []
    for line in filter(None, map(str.strip, lines)):
        name, _, words = line.partition(" ")
        if name == "FROM":
            found.append(Stage([]))
        found[-1].instructions.append(Instruction(name, words.strip()))
    return found


def is_ignored(path: str) -> bool:
    """Return True if .dockerignore keeps a path out of the build. The last rule that matches decides."""
    ignored = False
    for rule in filter(None, (ROOT / ".dockerignore").read_text().splitlines()):
        pattern = rule.removeprefix("!").removeprefix("**/")
        parts = Path(path).parts
        tails = range(len(parts)) if "**/" in rule else range(1)
        if any(
            fnmatch("/".join(parts[tail:end]), pattern) for tail in tails for end in range(tail + 1, len(parts) + 1)
        ):
            ignored = not rule.startswith("!")
    return ignored


def copy_source(source: str, target: Path) -> None:
    """Copy a file or a directory of the repository as COPY does, without the ignored files."""
    for path in [ROOT / source, *(ROOT / source).rglob("*")]:
        name = path.relative_to(ROOT).as_posix()
        if (path.is_file() or path.is_symlink()) and not is_ignored(name):
            inside = path.relative_to(ROOT / source) if (ROOT / source).is_dir() else Path(path.name)
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / inside, follow_symlinks=False)
