"""Write the golden files: the payload of every connector for every article."""

from __future__ import annotations

from tests.fidelity.corpus import GOLDEN, NAMES, golden, platforms, shown


def main() -> None:
    wanted = {golden(key, name): shown(key, name) for key in platforms() for name in NAMES}
    for path in GOLDEN.rglob("*.txt"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{len(wanted)} files in {GOLDEN}: see with git diff what changed, and whether it was meant to.")


if __name__ == "__main__":
    main()
