"""What is copied from other programs keeps its meaning: each file in clipboard/ becomes the Markdown beside it.

The files have the markup that each program puts on the clipboard.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.page_walk import Pages

CLIPBOARD = Path(__file__).parent / "clipboard"
SOURCES = sorted(path.stem for path in CLIPBOARD.glob("*.html"))


@pytest.mark.parametrize("source", SOURCES)
def test_a_paste_keeps_its_meaning(source: str, pages: Pages) -> None:
    html = (CLIPBOARD / f"{source}.html").read_text()
    answer = pages.client.post("/desk/paste", json={"html": html}, headers={"X-CSRFToken": pages.token()})
    assert answer.get_json()["markdown"] == (CLIPBOARD / f"{source}.md").read_text().rstrip("\n")
