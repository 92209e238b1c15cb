"""The contract with the templates of the blog as it is stored, so that each change of it is seen in review.

`.venv/bin/python -m tests.blog.stored_contract` stores it anew.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from blogsvc.blog.contract import CONTRACT
from docs.themes import field_types

STORED = Path(__file__).parent / "contract.json"


def current() -> dict[str, Any]:
    return {"contract": CONTRACT, "fields": field_types()}


def broken(stored: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return what was removed or has another type, unless the number of the contract is higher."""
    if now["contract"] > stored["contract"]:
        return []
    return [name for name, kind in stored["fields"].items() if now["fields"].get(name) != kind]


def main() -> None:
    if STORED.exists() and (lost := broken(json.loads(STORED.read_text()), current())):
        sys.exit(f"Keep these, or raise CONTRACT in blogsvc/blog/contract: {', '.join(lost)}")
    STORED.write_text(json.dumps(current(), indent=1) + "\n")


if __name__ == "__main__":
    main()
