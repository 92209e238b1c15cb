"""The contract with the templates of the blog as it is stored, so that each change of it is seen in review.

`.venv/bin/python -m tests.blog.stored_contract` stores it anew; `make docs` then writes docs/themes.md.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

from blogsvc.blog.contract import CONTRACT
from docs.themes import STORED, field_types


def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(STORED.read_text())
    return found


def current(before: dict[str, Any]) -> dict[str, Any]:
    """Return the contract of the code. Fields that it has had before keep the version that they came with."""
    since = {name: field["since"] for name, field in before["fields"].items()}
    new = version("blogsvc")
    fields = {name: {"type": kind, "since": since.get(name, new)} for name, kind in field_types().items()}
    return {"contract": CONTRACT, "fields": fields}


def broken(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return what was removed or has another type, unless the number of the contract is higher."""
    if now["contract"] > before["contract"]:
        return []
    types = {name: field["type"] for name, field in now["fields"].items()}
    return [name for name, field in before["fields"].items() if types.get(name) != field["type"]]


def main() -> None:
    before = stored()
    now = current(before)
    if lost := broken(before, now):
        sys.exit(f"Keep these, or raise CONTRACT in blogsvc/blog/contract: {', '.join(lost)}")
    STORED.write_text(json.dumps(now, indent=1) + "\n")


if __name__ == "__main__":
    main()
