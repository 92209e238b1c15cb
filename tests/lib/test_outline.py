"""The headings of a text, and its TK markers."""

from __future__ import annotations

import pytest

from blogsvc.lib.text.outline import Heading, outline, to_come

TEXT = """\
---
Not a heading

# One *and* [two](https://x.example)

Words

Setext `code`
---

```
# no heading
```

> ### In a quotation
"""


def test_the_outline_lists_the_headings_with_their_lines() -> None:
    assert outline(TEXT) == [
        Heading(1, "One and two", 3),
        Heading(2, "Setext code", 7),
        Heading(3, "In a quotation", 14),
    ]
    lines = TEXT.split("\n")
    assert [lines[heading.line][:1] for heading in outline(TEXT)] == ["#", "S", ">"]


@pytest.mark.parametrize("text", ["", "#", "# ", "no heading", "\n" * 60_000])
def test_a_text_without_headings_has_an_empty_outline(text: str) -> None:
    assert [heading.text for heading in outline(text) if heading.text] == []


def test_tk_markers_are_found_by_line() -> None:
    assert to_come("TK\nATK STKS TK.\n\nTKTK and TK") == [0, 1, 3, 3]
