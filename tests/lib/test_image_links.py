"""Images are found where the renderer finds them, and get other addresses in every notation, but not in code."""

from __future__ import annotations

import re
from html import unescape
from random import Random
from urllib.parse import unquote

import pytest

from blogsvc.lib.markdown.image_alts import images_with_alt
from blogsvc.lib.markdown.image_links import addresses, alts, rewritten
from blogsvc.lib.markdown.render import render

SHOWN = re.compile(r'<(?:img|video|audio|source)\b[^<>]*? (?:src|poster)="([^"]*+)"')
POSTER = re.compile(r'<video\b[^<>]*? poster="([^"]*+)"')
NOTATIONS = {
    # Titles, angle brackets, line breaks
    "![a](/a.png) ![b](</a.png> 't')": "![a](/new.png) ![b](</new.png> 't')",
    '![a](/a.png "With a title")': '![a](/new.png "With a title")',
    "![a](/a.png 'With a title')": "![a](/new.png 'With a title')",
    "![a](/a.png (With a title))": "![a](/new.png (With a title))",
    "![a](\n/a.png\n'a\ntitle' )": "![a](\n/new.png\n'a\ntitle' )",
    "![a\nb](/a.png)": "![a\nb](/new.png)",
    "![a](/a.png){.wide}": "![a](/new.png){.wide}",
    # Alternative texts
    r"![a < b > `]` \] [c] **d**](/a.png)": r"![a < b > `]` \] [c] **d**](/new.png)",
    "![a ![b](/b.png)](/a.png)": "![a ![b](/b.png)](/new.png)",
    "![<img src=/x.png>](/a.png)": "![<img src=/x.png>](/new.png)",
    "![](/a.png)": "![](/new.png)",
    # Escapes and entities
    "![a](&#47;a&period;png)": "![a](/new.png)",
    r"![a](/a\.png)": "![a](/new.png)",
    # Links
    "[![a](/a.png)](https://x.example/)": "[![a](/new.png)](https://x.example/)",
    "[![a](/a.png)](/a.png)": "[![a](/new.png)](/new.png)",
    "[![a](/a.png) [b]][c]\n\n[c]: /c": "[![a](/new.png) [b]][c]\n\n[c]: /c",
    # Blocks
    "- a\n\n    ![b](/a.png)": "- a\n\n    ![b](/new.png)",
    "> - ![a\n> b](\n> /a.png)\nlazy ![c](/a.png)": "> - ![a\n> b](\n> /new.png)\nlazy ![c](/new.png)",
    "1.\t![a](/a.png)\n\t![b](/a.png)": "1.\t![a](/new.png)\n\t![b](/new.png)",
    "# ![a](/a.png) #\n\n![b](/a.png)\n===": "# ![a](/new.png) #\n\n![b](/new.png)\n===",
    "| `/a.png` ![a\\|b](/a.png) | ![c](/a.png) |\n|-|-|\n| x | ![d](/a.png) |": (
        "| `/a.png` ![a\\|b](/new.png) | ![c](/new.png) |\n|-|-|\n| x | ![d](/new.png) |"
    ),
    "> | a |\n> |-|\n> | <img alt='a\\|b' src='/a.png'> |": "> | a |\n> |-|\n> | <img alt='a\\|b' src='/new.png'> |",
    "Note.[^1]\n\n[^1]: See ![a](/a.png)\n\n    ![b](/a.png)": (
        "Note.[^1]\n\n[^1]: See ![a](/new.png)\n\n    ![b](/new.png)"
    ),
    "> [!NOTE]\n> ![a](/a.png)": "> [!NOTE]\n> ![a](/new.png)",
    "::: gallery\n![a](/a.png 'A')\n![b](/a.png)\n:::": "::: gallery\n![a](/new.png 'A')\n![b](/new.png)\n:::",
    "![a](/a.png)\r\n\r\n![b](/a.png)\r![c](/a.png)": "![a](/new.png)\r\n\r\n![b](/new.png)\r![c](/new.png)",
    # Addresses that are defined elsewhere
    "![a][Boat  b]\n\n[boat b]: /a.png 'T'": "![a][Boat  b]\n\n[boat b]: /new.png 'T'",
    "![a][] ![b]\n\n[a]: </a.png>\n[B]:\n  /a.png": "![a][] ![b]\n\n[a]: </new.png>\n[B]:\n  /new.png",
    "> ![a]\n>\n> [a]: /a.png": "> ![a]\n>\n> [a]: /new.png",
    "![a]\n\n> - [a]:\n>   /a.png": "![a]\n\n> - [a]:\n>   /new.png",
    "- [![a][b]][c]\n\n  [b]: /a.png\n  [c]: /c": "- [![a][b]][c]\n\n  [b]: /new.png\n  [c]: /c",
    "![x][a\nß]\n\n[A\nSS]: /a.png": "![x][a\nß]\n\n[A\nSS]: /new.png",
    "![x][\\]]\n\n[\\]]: /a.png": "![x][\\]]\n\n[\\]]: /new.png",
    "![x][a] [^1]\n\n[^1]: Note.\n\n    [a]: /a.png": "![x][a] [^1]\n\n[^1]: Note.\n\n    [a]: /new.png",
    "![a]\n\n[a]: /a.png\n[a]: /b.png": "![a]\n\n[a]: /new.png\n[a]: /b.png",
    # Tags
    "<img src=/a.png alt=b> <IMG alt='' SRC='/a.png'/>": "<img src=/new.png alt=b> <IMG alt='' SRC='/new.png'/>",
    "a <img alt='b > c' data-src=/x.png src = \"/a.png\" title='<'> d": (
        "a <img alt='b > c' data-src=/x.png src = \"/new.png\" title='<'> d"
    ),
    "<img\n  alt='b > c'\n  src='/a.png'\n />": "<img\n  alt='b > c'\n  src='/new.png'\n />",
    "- x\n\n  <div>\n    <img src=' /a.png '>\n  </div>": "- x\n\n  <div>\n    <img src=' /new.png '>\n  </div>",
    "<video src=/a.png poster='/a.png'><source src='/a.png'></video>": (
        "<video src=/new.png poster='/new.png'><source src='/new.png'></video>"
    ),
    "<audio src=/a.png></audio>": "<audio src=/new.png></audio>",
    "<img src='&#x2F;a.png' src=/b.png>": "<img src='/new.png' src=/b.png>",
    "<picture><source srcset='/a.png, /a.png 2x,/a.png 3x'><img src=/a.png></picture>": (
        "<picture><source srcset='/new.png, /new.png 2x,/new.png 3x'><img src=/new.png></picture>"
    ),
    "x <!-- <img src=/b.png> --> <img src=/a.png>": "x <!-- <img src=/b.png> --> <img src=/new.png>",
    "<pre><img src=/a.png></pre>": "<pre><img src=/new.png></pre>",
    "<code>![a](/a.png)</code>": "<code>![a](/new.png)</code>",
}
NO_IMAGES = (
    "`![a](/a.png)`",
    "`` a\n![a](/a.png) ` <img src=/a.png>``",
    "```\n![a](/a.png)\n```",
    "    ![a](/a.png)\n    <img src=/a.png>",
    "> - x\n>\n>       ![a](/a.png)\n>\n>   ~~~\n>   ![a](/a.png)",
    "<pre>\n![a](/a.png)\n\n![a](/a.png)</pre>",
    "<code>\n![a](/a.png)\n</code>",
    "<!-- ![a](/a.png)\n\n<img src=/a.png> -->",
    "<div><textarea><img src=/a.png></textarea></div>",
    "![a]\n\n```\n[a]: /a.png\n```",
    "[a]\n\n[a]: /a",
    r"!\[a](/a.png) ![a]( /a.png \!\[a](/a.png)",
    r"\<img src=/a.png> < img src=/a.png>",
)

PIECES = [
    *("![a](/%d.png)", "![a][r]", "![r]", "[r]: /%d.png", "[r]:\n</%d.png> 't'", "![a](</f %d.png>\n'x')", "](/%d)"),
    *("<img src=/%d.png>", '<img alt="x > y"\nsrc="/%d.png">', "<video poster=/%d.png src='/1%d.png'>", "<picture>"),
    *("\n", "\n\n", "\r\n", "\r", "\n> ", "\n- ", "\n  ", "\n    ", "\n\t", "> ", "1. ", "# ", "\n===\n", "["),
    *("`", "``", "\n```\n", "| ", " |", "\n|-|-|\n", "\\", "\\|", "*", "a", "&amp;", "\0", "(/x(y)%d.png)", ":::\n"),
    *("<!--", "-->", "<pre>", "</pre>", "<code>", "</code>", "<div>\n", "</div>", "::: gallery\n", "> [!NOTE]\n"),
]  # fmt: skip


def new(address: str) -> str:
    return "/new.png" if address == "/a.png" else address


@pytest.mark.parametrize("text", NOTATIONS)
def test_an_image_gets_another_address_in_every_notation(text: str) -> None:
    assert set(addresses(text)) == {"/a.png"}
    assert rewritten(text, new) == NOTATIONS[text]


@pytest.mark.parametrize("text", NOTATIONS)
def test_the_images_are_those_that_readers_see(text: str) -> None:
    assert set(addresses(text)) == {url.strip() for url in shown(text)}


@pytest.mark.parametrize("text", NO_IMAGES)
def test_code_and_comments_keep_their_addresses(text: str) -> None:
    assert addresses(text) == []
    assert rewritten(text, lambda _: "/new.png") in (text, text.replace("]: /a", "]: /new.png"))
    assert SHOWN.findall(render(text)) == []


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("![a](</a b.png>)", "/a b.png"),
        ("![a](/a%20b.png)", "/a%20b.png"),
        ("![a](/a.png?b=1&amp;c=2&copy=3)", "/a.png?b=1&c=2&copy=3"),
        (r"![a](/a\(b\_.png)", "/a(b_.png"),
        ("![a](/a(b)c.png)", "/a(b)c.png"),
        ("![a](/über`x.png)", "/über`x.png"),
        ("<img src='/a b.png?c=1&amp;d=2&copy=3&reg;'>", "/a b.png?c=1&d=2&copy=3®"),
        ("<img src=/a.png?b&copy/>", "/a.png?b©/"),
        ("<img srcset='/a,b.png 1x, /a,b.png 2x' src='/a,b.png'>", "/a,b.png"),
        ("![a](/a\\|b.png)\n", "/a|b.png"),
    ],
)
def test_an_address_is_read_and_written_as_the_renderer_reads_it(written: str, address: str) -> None:
    assert addresses(written) == [address]
    assert unquote(unescape(SHOWN.findall(render(written))[0])) == unquote(address)
    for other in ("/c d.png", "/c(d`|.png", "/c&amp;d\\.png", "https://b.example/ü?a=1&b=2"):
        text = rewritten(written, lambda _, other=other: other)
        assert unquote(addresses(text)[0]) == other
        assert unquote(unescape(SHOWN.findall(render(text))[0])) == other


def test_linked_image_files_of_the_blog_count_as_images() -> None:
    text = (
        "[![a](https://b.example/s.png)](https://b.example/large.JPG) [b](c.webp) [d](/e.png?f) [g](/h)"
        " [i](mailto:j.png) <a href=k.gif>l</a> [m](https://wiki.example/File:N.jpg) [o](https://home.example/p.png)"
        " [q](//[r.png)"
    )
    found = ["https://b.example/large.JPG", "c.webp", "/e.png?f", "k.gif", "https://home.example/p.png"]
    assert set(addresses(text, "https://home.example/x")) == {"https://b.example/s.png", *found}


def test_several_addresses_in_a_tag_are_changed() -> None:
    text = '<img srcset="/a.png 1x, /b.png?c=1&amp;d, 2x" src=/a.png>'
    assert addresses(text) == ["/a.png", "/b.png?c=1&d", "2x"]
    assert rewritten(text, lambda address: f"/x{address}").count("/x/") == 3


def test_alternative_texts_are_found() -> None:
    text = "![*a* `b`](/a.png) <img src=/b.png alt='c &amp; > d'> ![e][f]\n\n[f]: /f.png\n\n![](/a.png) ![g](/g.png)"
    assert alts(text) == {"/a.png": "a b", "/b.png": "c & > d", "/f.png": "e", "/g.png": "g"}
    quick = images_with_alt(f"{text} <img alt='>' src=/x.png> ![][f] `![](/y.png)`")
    assert dict(quick) == {"/a.png": "", "/b.png": "c & > d", "/g.png": "g", "/x.png": ">", "/f.png": ""}


def shown(markdown: str) -> list[str]:
    """Return the addresses of the images that readers see."""
    html = render(markdown)
    return sorted(unquote(unescape(url)) for url in (*SHOWN.findall(html), *POSTER.findall(html)))


def moved(address: str) -> str:
    return f"/new{address}" if address.startswith("/") else address


@pytest.mark.parametrize("seed", range(4))
def test_no_image_of_a_text_is_missed_whatever_is_around_it(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        pieces = random.choices(PIECES, k=random.randrange(2, 25))
        text = "".join(piece.replace("%d", str(random.randrange(100))) for piece in pieces)
        assert set(shown(text)) <= set(map(unquote, addresses(text))), text
        assert shown(rewritten(text, moved)) == sorted(map(moved, shown(text))), text
