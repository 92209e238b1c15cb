"""Random HTML, nested as in the posts of real blogs, and worse."""

from __future__ import annotations

from html import escape
from random import Random

_WORDS = (
    "word", "a", "B", "x1", "é", "日本", "注意！", "「中」", "(b)", "[c]", "{d}", "!", "?", ":", ";", ".", ",", "...",
    "*", "**", "_", "__", "~", "`", "``", "#", "##", "-", "--", "+", "1.", "2)", ">", "<", "&", "&amp;", "|", "\\", "/",
    "=", "$", "%", "😀", "'", '"', "it's", "a_b", "2*3", "a*", "*b", "<br>", "[x](y)", "![", "]", "[", "](", "€", "—",
    "“q”", "https://a.example/b", "http://c.example", "www.d.example/e_f", "me@f.example",
    "https://g.example/(h)", "https://i.example/j.", "\u200b", "^", ":::", "(c)", "+-", "????", ",,",
)  # fmt: skip
_SPACES = ("", "", " ", " ", " ", " ", "\n", "  ", "&nbsp;", "&nbsp;", " &nbsp;", "&#x3000;")
_MARKS = (
    "b",
    "strong",
    "i",
    "em",
    "del",
    "s",
    "code",
    "kbd",
    "sub",
    "sup",
    "mark",
    "u",
    "small",
    "span",
    "cite",
    "var",
)
_TARGETS = (
    "https://l.example/a",
    "/local",
    "https://m.example/?a=1&b=2",
    "https://n.example/a_(b)",
    "#part",
    "mailto:o@p.example",
)


class RandomHtml:
    """Makes the HTML of posts, each from a number."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.longest = 4  # parts of a line, and words of a text

    def post(self) -> str:
        return "".join(self.block(2) for _ in range(self.random.randint(1, 3)))

    def trees(self, count: int) -> list[str]:
        """Return blocks that are smaller than those of a post, for thousands of them."""
        self.longest = 2
        return [self.block(self.random.randint(0, 1)) for _ in range(count)]

    def block(self, depth: int) -> str:
        kind = self.random.choice(
            "p p p p h2 ul ol blockquote pre table div hr figure details dl around".split()
            if depth
            else "p p p h3".split()
        )  # fmt: skip
        if kind in ("p", "h2", "h3"):
            return f"<{kind}>{self.line(3, has_breaks=kind == 'p')}</{kind}>"
        return str(getattr(self, f"_{kind}")(depth - 1))

    def line(self, depth: int, *, has_breaks: bool = True, in_link: bool = False) -> str:
        """Return text with elements."""
        return "".join(self._part(depth, has_breaks, in_link) for _ in range(self.random.randint(1, self.longest)))

    def text(self) -> str:
        picked = [
            (self.random.choice(_SPACES), escape(self.random.choice(_WORDS), quote=False))
            for _ in range(self.random.randint(1, self.longest))
        ]
        return "".join(space + word for space, word in picked) + self.random.choice(_SPACES)

    def _part(self, depth: int, has_breaks: bool, in_link: bool) -> str:
        kind = self.random.randint(0, 19)
        if depth == 0 or kind < 9:
            return self.text()
        if kind < 16:
            tag = self.random.choice(_MARKS)
            return f"<{tag}>{self.line(depth - 1, has_breaks=has_breaks, in_link=in_link)}</{tag}>"
        if kind < 18 and not in_link:
            words = self.line(depth - 1, has_breaks=has_breaks, in_link=True)
            return f'<a href="{escape(self.random.choice(_TARGETS))}">{words}</a>'
        if kind == 18 and has_breaks:
            return "<br>"
        return f'<img src="i{self.random.randint(0, 99)}.png" alt="{self.random.choice(("", "alt", "[a] *b*"))}">'

    # -- blocks

    def _items(self, tag: str, depth: int) -> str:
        items = [self._item(depth) for _ in range(self.random.randint(1, 3))]
        return f"<{tag}>{''.join(f'<li>{item}</li>' for item in items)}</{tag}>"

    def _item(self, depth: int) -> str:
        block = self.block(depth) if self.random.random() < 0.4 else ""
        if not block or "<figure" in block:
            return self.line(2)
        # Text in an item with blocks is a paragraph in Markdown.
        return block + self.random.choice(("", "", "after", "<b>after</b> it"))

    def _ul(self, depth: int) -> str:
        return self._items("ul", depth)

    def _ol(self, depth: int) -> str:
        return self._items("ol", depth)

    def _blockquote(self, depth: int) -> str:
        return f"<blockquote>{self.block(depth)}{self.block(depth)}</blockquote>"

    def _div(self, depth: int) -> str:
        return f"<div>{self.block(depth) if self.random.random() < 0.6 else self.line(2)}</div>"

    def _pre(self, _depth: int) -> str:
        lines = [self.random.choice(("all:", "\techo", "  a  b", "", "x\ty", "```", "*b*", "\t\tc")) for _ in range(3)]
        return f"<pre><code>x\n{chr(10).join(lines)}\ny</code></pre>"

    def _table(self, _depth: int) -> str:
        row = f"<tr><td>{self.line(2, has_breaks=False)}</td><td>{self.line(2, has_breaks=False)}</td></tr>"
        return f"<table><tbody>{row}</tbody></table>"

    def _hr(self, _depth: int) -> str:
        return "<hr>"

    def _figure(self, _depth: int) -> str:
        caption = self.random.choice(("Boat", "A *b*", "c &amp; d"))
        return f'<figure><img src="f.png" alt="f"><figcaption>{caption}</figcaption></figure>'

    def _details(self, depth: int) -> str:
        return f"<details><summary>{self.line(2, has_breaks=False)}</summary>{self.block(depth)}</details>"

    def _dl(self, _depth: int) -> str:
        return f"<dl><dt>{self.line(2, has_breaks=False)}</dt><dd>{self.line(2, has_breaks=False)}</dd></dl>"

    def _around(self, depth: int) -> str:
        tag = self.random.choice(("b", "em", "span", f'a href="{self.random.choice(_TARGETS)}"'))
        inside = self.block(depth)
        if tag[0] == "a" and ("<a " in inside or inside.startswith(("<pre", "<hr"))):
            inside = "<p>in</p>"
        return f"<{tag}>{inside}</{tag.split()[0]}>"
