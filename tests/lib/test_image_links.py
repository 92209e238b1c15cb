"""Images are found and get other addresses in every notation, but not in code."""

from __future__ import annotations

import pytest

from blogsvc.lib.markdown.image_links import addresses, rewritten


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("![a](/a.png) ![b](</a.png> 't')", "![a](/new.png) ![b](/new.png 't')"),
        ('![a](/a.png "With a title")', '![a](/new.png "With a title")'),
        ("[![a](/a.png)](https://x.example/)", "[![a](/new.png)](https://x.example/)"),
        ("<img src=/a.png alt=b> <IMG alt='' src='/a.png'/>", "<img src=/new.png alt=b> <IMG alt='' src='/new.png'/>"),
        ("- a\n\n    ![b](/a.png)", "- a\n\n    ![b](/new.png)"),
        ("![a][Boat  b]\n\n[boat b]: /a.png 'T'", "![a][Boat  b]\n\n[boat b]: /new.png 'T'"),
        ("![a][] ![b]\n\n[a]: </a.png>\n[B]:\n  /a.png", "![a][] ![b]\n\n[a]: /new.png\n[B]:\n  /new.png"),
        ("> ![a]\n>\n> [a]: /a.png", "> ![a]\n>\n> [a]: /new.png"),
        ("- [![a][b]][c]\n\n  [b]: /a.png\n  [c]: /c", "- [![a][b]][c]\n\n  [b]: /new.png\n  [c]: /c"),
    ],
)
def test_an_image_gets_another_address_in_every_notation(text: str, changed: str) -> None:
    assert set(addresses(text)) == {"/a.png"}
    assert rewritten(text, lambda _: "/new.png") == changed


@pytest.mark.parametrize(
    "text",
    ["`![a](/a.png)`", "```\n![a](/a.png)\n```", "![a]\n\n```\n[a]: /a.png\n```", "[a]\n\n[a]: /a.png"],
)
def test_code_and_links_keep_their_addresses(text: str) -> None:
    assert addresses(text) == []
    assert rewritten(text, lambda _: "/new.png") == text
