"""Which texts have their footnotes in the margin."""

from __future__ import annotations

import re

import pytest

from blogsvc.blog import margin_notes
from blogsvc.config import STATIC
from blogsvc.lib.markdown.render import render

AFTER = "\n\nMore words.\n\n" + "Enough text beside the note. " * 20 + "\n\n[^1]: A note."


def fit(text: str) -> bool:
    return margin_notes.fit(render(text + AFTER))


@pytest.mark.parametrize(
    "rule", [r"#in-fnref(\d+) \{\s+anchor-name: --r\1;", r"#in-fn(\d+) \{\s+position-anchor: --r\1;"]
)
def test_the_style_sheet_has_a_place_for_every_note_that_may_stand_in_the_margin(rule: str) -> None:
    numbers = re.findall(rule, (STATIC / "blog.css").read_text())
    assert [int(number) for number in numbers] == list(range(1, margin_notes.MOST + 1))


@pytest.mark.parametrize("text", ["A mark[^1].", "> [!tip]- Closed\n> b\n\nA mark[^1].", "> [!tip] Tip\n> A mark[^1]."])
def test_a_short_note_fits_beside_its_mark(text: str) -> None:
    assert fit(text)


@pytest.mark.parametrize(
    "text",
    [
        "> [!tip]- Closed\n> A mark[^1].",
        "<details><summary>Closed</summary>\n\nA mark[^1].\n\n</details>",
        "<details>\n\n<details>\n\nb\n\n</details>\n\nA mark[^1].\n\n</details>",
    ],
)
def test_a_note_whose_mark_can_be_folded_away_has_no_place_in_the_margin(text: str) -> None:
    assert not fit(text)
