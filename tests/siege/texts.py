"""Texts that took seconds or gigabytes to render, convert or compare.

`WORST` has Markdown, `WORST_HTML` has HTML for the clipboard, `WORST_PAIRS` has texts to compare. All are generated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

MIB = 1024 * 1024


LINES = 49_000  # just below the limit of `lib/markdown/render.py`, beyond which a text is shown as code


def _filled(piece: str, length: int = MIB) -> str:
    """Return the piece, repeated up to this many characters, but at most to `LINES` lines."""
    times = length // len(piece) + 1
    if breaks := piece.count("\n"):
        times = min(times, LINES // breaks)
    return (piece * times)[:length]


def _open_elements(opening: Callable[[int], str], count: int, paragraph: str, length: int) -> str:
    """Return raw HTML that leaves elements open, and paragraphs in each of which the parser opens them again."""
    opened = "".join(map(opening, range(count)))
    return f"<p>{opened}{_filled(paragraph, length)}"[:MIB]


def _headings(count: int) -> str:
    return "".join(f"{'#' * (1 + n % 6)} a\n" for n in range(count))


WORST: Mapping[str, Callable[[], str]] = {
    # The HTML parser opens formatting elements again in every paragraph.
    "open b": lambda: _open_elements(lambda n: f"<b id=a{n}>", 2_900, "<p>x", 100_000),
    "open font": lambda: _open_elements(lambda n: f"<font color={n}>", 2_900, "<p>x", 90_000),
    "open b in a mebibyte": lambda: _open_elements(lambda n: f"<b id=a{n}>", 2_900, "<p>x", MIB),
    "open and misnested b": lambda: _open_elements(lambda n: f"<b id=a{n}>", 2_900, "<p></b>x", 100_000),
    "open links": lambda: _open_elements(lambda n: f'<a href="/{n}">', 2_900, "<p>x", 100_000),
    "open links and i": lambda: _open_elements(lambda n: f"<a href={n}><i id={n}>", 1_400, "<p>x", 100_000),
    "open b in items": lambda: "<ul><li>" + _open_elements(lambda n: f"<b id={n}>", 2_900, "<li>x", 100_000),
    "open b in cells": lambda: "<table><tr><td>" + _open_elements(lambda n: f"<b id={n}>", 2_900, "<td>x", 100_000),
    "open b in a paragraph": lambda: (
        "x " + "".join(f"<b id={n}>" for n in range(1_000)) + "</p>\n\n" + _filled("y</p><p>x</p>\n\n", 100_000)
    ),
    "few open b": lambda: _open_elements(lambda n: f"<b id=a{n}>", 40, "<p>x", MIB),
    "open long b": lambda: f"<p><b title='{'a' * 10_000}'>" + _filled("<p>x", 100_000),
    "open b with quoted tags": lambda: _open_elements(lambda n: f"<b title='>' id=a{n}>", 2_000, "<p>x", 100_000),
    "open b that seem closed": lambda: _open_elements(
        lambda n: f"<b id=a{n}><textarea></b></textarea>", 1_400, "<p>x", 60_000
    ),
    "open b closed in a cell": lambda: _open_elements(
        lambda n: f"<b id=a{n}><table><td></b></table>", 1_400, "<p>x", 60_000
    ),
    "open b closed in an attribute": lambda: _open_elements(lambda n: f'<b id=">x</b>{n}">', 2_900, "<p>x", 60_000),
    "misnested formatting": lambda: _filled("<b><i><p></b></i>x\n\n"),
    "misnested links": lambda: _filled("<a href=x><div></a><p>x\n\n"),
    "open b in paragraphs": lambda: _filled("<b>x\n\n"),
    "open elements": lambda: _filled("<div><p>x\n\n"),
    "closed without open": lambda: _filled("<div>", 15_000) + "\n\n" + _filled("</b></i>"),
    "raw tables": lambda: _filled("<table><td>"),
    # Blocks.
    "rules in lists": lambda: _filled("- - - a\n"),
    "rules in longer lists": lambda: _filled("- - - " + "a" * 15 + "\n"),
    "rules in lists and quotes": lambda: _filled("> - > - > - a b c\n"),
    "lists and empty lines": lambda: _filled("- - - a\n\n"),
    "items in one line": lambda: _filled("- "),
    "items in lines": lambda: _filled("- " * 40 + "a\n"),
    "quotes in one line": lambda: _filled(">"),
    "quotes in lines": lambda: _filled("> " * 40 + "a\n"),
    "quotes and lazy lines": lambda: _filled("> " * 40 + "a\n" + "a\n" * 40),
    "growing lists": lambda: "\n".join(" " * (2 * n) + "- a" for n in range(1_000)),
    "growing lists repeated": lambda: _filled("".join(" " * (2 * n) + "- a\n" for n in range(24))),
    "numbered lists": lambda: _filled("1. 2) - + a\n"),
    "short lines": lambda: _filled("a\n"),
    "short paragraphs": lambda: _filled("a\n\n"),
    "headings": lambda: _headings(48_000),
    "same headings": lambda: _filled("# a\n"),
    "setext": lambda: _filled("a\n-\n"),
    "fences": lambda: _filled("```\n"),
    "open fences in quotes": lambda: _filled("> ```\n\n"),
    "references": lambda: "".join(f"[{n}]: /{n}\n" for n in range(48_000)),
    "references in quotes": lambda: _filled("> [a]: b\n"),
    "half references": lambda: _filled("[a]: <\n"),
    "references with titles": lambda: _filled("[a]: b 'c\n"),
    "one reference often": lambda: "[a]: /" + "x" * 5_000 + "\n\n" + _filled("[a] "),
    "tables": lambda: _filled("|a|b|\n|-|-|\n|c|d|\n\n"),
    "wide table": lambda: "|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + _filled("|b\n", 100_000),
    "table lines": lambda: _filled("a|b\n"),
    "footnotes": lambda: "".join(f"[^{n}]\n\n[^{n}]: a\n\n" for n in range(12_000)),
    "footnote used often": lambda: "[^a]: b\n\n" + _filled("[^a] "),
    "footnotes in footnotes": lambda: "".join(f"[^{n}]: [^{n + 1}]\n\n" for n in range(24_000)) + "[^0]",
    "html blocks": lambda: _filled("<p>\n\n"),
    "comments": lambda: _filled("<!--\n\n"),
    "alerts": lambda: _filled("> [!NOTE]\n> a\n\n"),
    "tasks": lambda: _filled("- [ ] a\n"),
    "callouts": lambda: _filled("> [!tip]- a\n> b\n\n"),
    "callouts in lines": lambda: _filled("> " * 40 + "[!note]- a\n"),
    "open galleries": lambda: _filled("::: gallery\n"),
    "galleries": lambda: _filled("::: gallery\n![](x)\n:::\n"),
    "galleries in quotes": lambda: _filled("> ::: gallery\n> > ::: gallery\n"),
    "contents": lambda: _filled("[[toc]]\n\n", MIB // 2) + _headings(20_000),
    "figures": lambda: _filled('![](x "t"){.wide}\n\n'),
    "named code": lambda: _filled("```x title='a' {1}\nb\n```\n"),
    "code": lambda: _filled("```python\n" + "f(x) = [1]\n" * 30 + "```\n\n"),
    # Inline markup.
    "images": lambda: _filled("!["),
    "images in paragraphs": lambda: _filled("![" * 8_000 + "\n\n"),
    "links": lambda: _filled("["),
    "links in paragraphs": lambda: _filled("[" * 16_000 + "\n\n"),
    "small paragraphs of links": lambda: _filled("[" * 200 + "\n\n"),
    "links to nowhere": lambda: _filled("[a]("),
    "links to nowhere in paragraphs": lambda: _filled("[a](" * 4_000 + "\n\n"),
    "links to angles": lambda: _filled("[a](<b" * 2_600 + "\n\n"),
    "images in images": lambda: _filled("![" * 19 + "a" + "](b)" * 19 + " "),
    "links in brackets": lambda: _filled("[a][b]" * 2_600 + "\n\n"),
    "footnotes without end": lambda: _filled("[^" * 8_000 + "\n\n"),
    "inline footnotes": lambda: _filled("^[" * 8_000 + "\n\n"),
    "emphasis": lambda: _filled("*a **b "),
    "emphasis in paragraphs": lambda: _filled("*a **b " * 2_300 + "\n\n"),
    "emphasis closed late": lambda: _filled("*a" * 4_000 + "a*" * 4_000 + "\n\n"),
    "nested emphasis": lambda: _filled("**" * 4_000 + "a" + "**" * 4_000 + "\n\n"),
    "mixed emphasis": lambda: _filled("_*~~a" * 3_200 + "\n\n"),
    "struck": lambda: _filled("~~a~~ ~b "),
    "code spans": lambda: "".join("`" * n + " " for n in range(1, 1_400)),
    "code spans in paragraphs": lambda: _filled("".join("`" * n + " " for n in range(1, 170)) + "\n\n"),
    "quotes": lambda: _filled("\"a 'b "),
    "quotes in paragraphs": lambda: _filled("\"a 'b " * 60 + "\n\n"),
    "entities": lambda: _filled("&amp;&#0;&x"),
    "escapes": lambda: _filled("\\*\\["),
    "autolinks": lambda: _filled("<http://a"),
    "bare addresses": lambda: _filled("http://a.b "),
    "bare addresses in paragraphs": lambda: _filled("www.a.b http://" * 1_000 + "\n\n"),
    "colons": lambda: _filled("http:" * 3_000 + "\n\n"),
    "addresses of people": lambda: _filled("a@b." * 4_000 + "\n\n"),
    "raw html in a line": lambda: _filled("a<b"),
    "unclosed comments in a line": lambda: _filled("a <!-- " * 2_000 + "\n\n"),
    "unclosed instructions": lambda: _filled("a <? " * 2_000 + "\n\n"),
    "declarations": lambda: _filled("a <!A " * 2_000 + "\n\n"),
    "cdata": lambda: _filled("a <![CDATA[ " * 1_300 + "\n\n"),
    "attributes": lambda: "a <b " + _filled("a=b ") + ">",
    "line breaks": lambda: _filled("a  \n"),
    "spaces": lambda: _filled(" "),
    "tabs": lambda: _filled("\t-\t"),
    "noise": lambda: "".join(Random(1).choices("*_`[]()<>!#-+>|~ \n\ta1.\\\"'&:=", k=MIB)),
}

WORST_HTML: Mapping[str, Callable[[], str]] = {
    "nested lists": lambda: _filled("<ul><li>a" * 25 + "</li></ul>" * 25, 450_000),
    "lists in lists": lambda: _filled("<ul><li>", 450_000),
    "nested quotes": lambda: _filled("<blockquote>a" * 50 + "</blockquote>" * 50, 450_000),
    "deep lists of many items": lambda: "<ul><li>" * 28 + _filled("a<br>", 90_000) + "</li></ul>" * 28,
    "deep quotes of many lines": lambda: "<blockquote>" * 55 + _filled("a<br>", 90_000) + "</blockquote>" * 55,
    "deep quotes of paragraphs": lambda: "<blockquote>" * 55 + _filled("<p>a", 90_000) + "</blockquote>" * 55,
    "open b": lambda: "".join(f"<b id={n}>" for n in range(2_900)) + _filled("<p>x", 100_000),
    "open links": lambda: "".join(f"<a href=/{n}>" for n in range(2_900)) + _filled("<p>x", 100_000),
    "nested b": lambda: _filled("<b><i>a" * 25 + "</i></b>" * 25, 450_000),
    "misnested": lambda: _filled("<b><i><p></b></i>x", 450_000),
    "tables in tables": lambda: _filled("<table><tr><td>a" * 15 + "</td></tr></table>" * 15, 450_000),
    "wide table": lambda: "<table><tr>" + "<td>a" * 4_000 + "<tr><td>a" * 4_000 + "</table>",
    "table of long headings": lambda: "<table><tr><th>" + "a" * 50_000 + "<tr><td>b" * 9_000 + "</table>",
    "line breaks": lambda: _filled("<br>", 450_000),
    "text and line breaks": lambda: _filled("a<br>", 90_000),
    "items": lambda: "<ol>" + _filled("<li>a", 90_000) + "</ol>",
    "siblings": lambda: "<p>" + _filled("<em>a</em>", 150_000),
    "brackets": lambda: _filled("<", 450_000),
    "entities": lambda: _filled("&#x2a;&lt;", 450_000),
    "stars": lambda: _filled("*_`[", 450_000),
    "code": lambda: "<pre>" + _filled("` ```` ", 450_000) + "</pre>",
    "spaces": lambda: _filled(" \n\t", 450_000),
    "attributes": lambda: "<p " + _filled("a=b ", 450_000) + ">x",
    "images": lambda: _filled('<img src="https://a.b/c" alt="[[[">', 450_000),
    "images in one paragraph": lambda: "<p>a<b>" + 'a <img src="https://a.b/c">' * 9_000,
    "images in paragraphs": lambda: '<p>a <img src="https://a.b/c">' * 9_000,
    "comments": lambda: _filled("<!--", 450_000),
}

WORST_PAIRS: Mapping[str, Callable[[], tuple[str, str]]] = {
    "other lines": lambda: (_filled("a\n"), _filled("b\n")),
    "every other line": lambda: ("a\n" * 4_000, "a\nb\n" * 2_000),
    "two kinds of lines": lambda: ("a\nb\n" * 2_000, "b\nb\na\n" * 1_333),
    "same lines of words": lambda: ("a b " * 375, "b a a " * 250),
    "many changed lines": lambda: ("a b c d " * 180 + "\n", "b a d e c " * 145 + "\n"),
    "forty changed lines often": lambda: (
        "".join(f"{'a b ' * 300}{n}\n" * 39 + "same\n" for n in range(20)),
        "".join(f"{'b a a ' * 200}{n}\n" * 39 + "same\n" for n in range(20)),
    ),
    "one long line": lambda: (_filled("a b c ", MIB // 2), _filled("b a c ", MIB // 2)),
    "cycles of lines": lambda: (
        "".join(f"{n % 100}\n" for n in range(3_990)),
        "".join(f"{n * 7 % 100}\n" for n in range(3_990)),
    ),
    "cycles of words": lambda: (
        "".join(" ".join(f"w{n % 97}" for n in range(1_490)) + f" {line}\nsame {line}\n" for line in range(150)),
        "".join(" ".join(f"w{n * 7 % 97}" for n in range(1_490)) + f" {line}\nsame {line}\n" for line in range(150)),
    ),
    "alternating characters": lambda: (_filled("中文", 1_500), _filled("文文中", 1_500)),
    "alike lines": lambda: (
        "".join(f"{'中文' * 700}{n}\nsame {n}\n" for n in range(300)),
        "".join(f"{'文中中' * 450}{n}\nsame {n}\n" for n in range(300)),
    ),
}


def worst_texts() -> dict[str, str]:
    """Return all texts of Markdown by name, up to 1 MiB each."""
    return {name: make() for name, make in WORST.items()}
