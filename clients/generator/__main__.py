"""Write the generated files of every library anew."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from clients.generator import node, php, python, rbs, ruby
from clients.generator.model import load

CLIENTS = Path(__file__).parent.parent
LANGUAGES = (python, node, php, ruby, rbs)
# What stands at the top of every generated file.
MARK = re.compile("Generated[^\n]*`make clients`")


def files() -> dict[Path, str]:
    """Every generated file and its text."""
    api = load()
    return {CLIENTS / path: text for language in LANGUAGES for path, text in language.files(api).items()}


def is_generated(text: str) -> bool:
    return MARK.search(text[:300]) is not None


def left_over(made: Collection[Path]) -> list[Path]:
    """What was generated of something that the document does not have any more."""
    beside = {other for path in made for other in path.parent.iterdir() if other.is_file()}
    return sorted(path for path in beside - set(made) if is_generated(path.read_text()))


def main() -> None:
    made = files()
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(path.relative_to(CLIENTS.parent))
    for path in left_over(made):
        path.unlink()
        print(path.relative_to(CLIENTS.parent), "is gone")


if __name__ == "__main__":
    main()
