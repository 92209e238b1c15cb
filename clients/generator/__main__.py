"""Regenerate the generated files of every client library, and write the project's address into the manifests."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from clients.generator import node, php, python, rbs, ruby
from clients.generator.manifests import LINES, PROJECT_URL, with_address
from clients.generator.model import load

CLIENTS = Path(__file__).parent.parent
LANGUAGES = (python, node, php, ruby, rbs)
# The header of every generated file.
HEADER = re.compile("Generated[^\n]*`make clients`")


def generate() -> dict[Path, str]:
    """Return the path and text of every generated file."""
    api = load()
    return {CLIENTS / path: text for language in LANGUAGES for path, text in language.generate(api).items()}


def manifests(url: str = PROJECT_URL) -> dict[Path, str]:
    """Return the path and text of every manifest with this address of the project."""
    return {CLIENTS / path: with_address(path, (CLIENTS / path).read_text(), url) for path in LINES}


def is_generated(text: str) -> bool:
    return HEADER.search(text[:300]) is not None


def stale_files(current: Collection[Path]) -> list[Path]:
    """Return generated files whose operation or schema is no longer in the document."""
    siblings = {other for path in current for other in path.parent.iterdir() if other.is_file()}
    return sorted(path for path in siblings - set(current) if is_generated(path.read_text()))


def main() -> None:
    files = generate()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(path.relative_to(CLIENTS.parent))
    for path, text in manifests().items():
        path.write_text(text)
    for path in stale_files(files):
        path.unlink()
        print(path.relative_to(CLIENTS.parent), "removed")


if __name__ == "__main__":
    main()
