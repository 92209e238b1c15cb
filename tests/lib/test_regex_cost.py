"""Patterns and parsers take about linear time: no text of an author, and no import file, can block a thread."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from math import inf
from types import FrameType
from zipfile import ZIP_STORED, ZipFile

import pytest

from blogsvc.connectors.folder.site_layouts import LAYOUTS
from blogsvc.lib.html_to_markdown import wpautop
from blogsvc.lib.markdown.writer import escape
from blogsvc.lib.text.front_matter import split
from blogsvc.lib.text.plain import excerpt, slugify, word_count, written_words
from blogsvc.lib.time import zone
from blogsvc.transfer.formats import detect
from blogsvc.transfer.formats.parsed_post import UnreadableFile
from tests.lib.regex_patterns import Pattern, hostile_texts, patterns
from tests.tiers import exhaustive, matrix

LENGTH = 30_000  # characters
# Seconds of CPU time, after which a text counts as too slow. Patterns take milliseconds, and parsers some tenths.
LONGEST_MATCH, LONGEST = 3.0, 30.0
# A text that is four times as long takes four times as long, or sixteen times if the time is quadratic.
FACTOR, MAX_RATIO = 4, 9.0


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Stop a match that would not end, after some CPU time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def cost(work: Callable[[], object], longest: float) -> float:
    """Return the seconds of CPU time; infinity if the work takes longer than `longest`."""
    began = time.process_time()
    try:
        with stopped_after(longest):
            work()
    except TimeoutError:
        return inf
    return time.process_time() - began


def is_linear(work: Callable[[int], Callable[[], object]], length: int, negligible: float, longest: float) -> bool:
    """Compare texts of two lengths. `work` prepares a text of a length, and returns what reads it.

    Args:
        negligible: seconds for the longer text that are fine whatever the shorter one takes.
    """
    short, long = work(length), work(FACTOR * length)
    if (longer := cost(long, longest)) < negligible:
        return True
    if longer == inf:
        return False
    shorter = min(cost(short, longest) for _ in range(3))  # a busy machine only adds to it
    return min(longer, cost(long, longest)) / max(shorter, negligible / 10) < MAX_RATIO


# Modules with patterns that may take more than linear time, each with the reason why their texts are harmless.
_RENDERED = "It reads HTML that this program has rendered, in which each tag is closed."
BOUNDED: dict[str, str] = {
    "blogsvc.blog.images": _RENDERED,
    "blogsvc.blog.markup": _RENDERED,
    "blogsvc.blog.shared_draft": _RENDERED,
    "blogsvc.connectors._kit.portable": _RENDERED,
    "blogsvc.connectors.ghost.posts": _RENDERED,
    "blogsvc.connectors.wordpress.blocks": _RENDERED,
    "blogsvc.connectors._kit.images": "It reads at most 1,000 characters before a URL.",
    "blogsvc.lib.images": "It matches only the beginning of a file.",
    "blogsvc.web.framework.rendering": "It reads a file of this program.",
    "blogsvc.connectors.telegram": "It reads the id of a copy, which this program has stored.",
}


def slow_text(pattern: Pattern) -> str | None:
    """Return the beginning of a text for which the pattern takes more than linear time."""
    for text_of in hostile_texts(pattern.pattern):

        def work(length: int, text_of: Callable[[int], str] = text_of) -> Callable[[], object]:
            text = text_of(length)
            return lambda: pattern.run(text)

        # The longer texts only confirm what the shorter ones show, which a busy machine can disturb.
        if not is_linear(work, 1_000, 0.002, LONGEST_MATCH) and not is_linear(work, 4_000, 0.02, LONGEST_MATCH):
            return text_of(40)
    return None


@exhaustive
def test_every_pattern_takes_linear_time_for_any_text() -> None:
    found = {(one.where, one.pattern.pattern): slow_text(one) for one in patterns()}
    slow = {name: text for name, text in found.items() if text is not None and name[0] not in BOUNDED}
    assert slow == {}


def test_a_module_that_is_excused_still_has_patterns() -> None:
    assert set(BOUNDED) <= {one.where for one in patterns()}


@pytest.mark.parametrize(
    "slow",
    [
        "(a+)+$",
        r"\s+UTC$",
        r"\{\{\s*(\S*)\s*-?\}\}",
        r"\[(code|php)\](.*?)\[/\1\]",
        "<pre.*?</pre>",
        r"(?m)^\s*(https?://\S+)\s*$",
    ],
)
def test_the_check_detects_patterns_that_take_too_long(slow: str) -> None:
    assert slow_text(Pattern(re.compile(slow, re.DOTALL), "finditer", "here")) is not None


def test_patterns_are_found_at_modules_in_dictionaries_and_in_calls() -> None:
    found = {one.where for one in patterns()}
    assert len(patterns()) > 300
    assert {"blogsvc.transfer.formats.tags.liquid", "OpenAPI"} <= found
    assert any(where.startswith("blogsvc.transfer.formats.wordpress.content:") for where in found)


OPENINGS = (
    "{{",
    "{{ a ",
    "{{-",
    "{{<",
    "{{%",
    "{{</*",
    "{{< highlight a >}}",
    '{{< figure src="',
    "{%",
    "{% highlight",
    "{% highlight a %}",
    "{% raw %}",
    "{% comment %}",
    "```a\n",
    "~~~",
    "[code]",
    "[code ",
    "[caption]",
    "[caption ",
    "[caption]<a ",
    "[embed]",
    "[embed]a ",
    "[gallery]",
    "[aa]",
    "[aa=",
    "[/aa]",
    "<pre",
    "<pre>",
    "<b>\n\n",
    "<br>",
    "_www._",
    "*https://a_b",
    "a_@",
    "https://a.example/)",
    "<code>",
    "<!--",
    "<!-- wp:x ",
    "<!-- wp:x {",
    "https://a.example ",
    "\nhttps://a.example/",
    " src=",
    " src='",
    "<A",
    "<A ",
    "</",
    "import ",
    "^[",
    "==",
    "==a",
    "> [!a] ",
    "> [!a]\n",
    "%[https://",
    "@[card](",
    "](a =1",
    "![](file:",
    "[[",
    "[[a#",
    "~",
    "a~",
    "::: a\n",
    "```a:",
    "![",
    "![a](",
    "![a](<",
    "<img src=",
    "<p>",
    "<a",
    "<a href=",
    "---\na: ",
    "+++\n",
    "a.",
    "a-",
    "a ",
    "a,",
    "a: &a [",
    "*a",
    "- ",
    "? ",
    "1 ",
    "{",
    "[",
    "(",
    "((",
    "\\",
    '"',
    "'",
    '\\"',
    "&",
    "&lt;",
    " ",
    "\n",
    "\n ",
    "\t",
    "=",
    "@",
    "é",
    "中",
)


def repeated(length: int) -> Iterator[str]:
    """Yield hostile texts: each opening repeated, and before spaces, blank lines and letters."""
    for opening in OPENINGS:
        yield (opening * (length // len(opening) + 1))[:length]
        for filling in (" ", "\n", "a"):
            yield opening + filling * length + "!"


# Functions that read a whole text, up to the MiB that a post may have.
WHOLE: dict[str, Callable[[str], object]] = {
    "slugify": slugify,
    "front matter": lambda text: split(text),
    "word count": word_count,
    "written words": written_words,
    "excerpt": lambda text: excerpt(text, 240),
    "Hugo": LAYOUTS["hugo"].text,
    "Jekyll": LAYOUTS["jekyll"].text,
    "Astro": LAYOUTS["astro"].text,
    "paragraphs of WordPress": wpautop.paragraphs,
    "escaped text": lambda text: escape(text, ends_line=False),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_long_text_is_read_in_linear_time(name: str) -> None:
    assert slow_texts(lambda text: lambda: WHOLE[name](text)) == []


def slow_texts(work: Callable[[str], Callable[[], object]]) -> list[str]:
    """Return the beginnings of the texts that take more than linear time."""
    return [
        long[:20]
        for short, long in zip(repeated(LENGTH // FACTOR), repeated(LENGTH), strict=True)
        if not is_linear(
            {LENGTH // FACTOR: work(short), LENGTH: work(long)}.__getitem__, LENGTH // FACTOR, 0.05, LONGEST
        )
    ]


def file_of_markdown(text: str, name: str = "2020-01-02-a.md", head: str = "title: A") -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as zipped:
        zipped.writestr(name, f"---\n{head}\n---\n{text}")
    return out.getvalue()


def file_of_obsidian(text: str) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as zipped:
        zipped.writestr(".obsidian/app.json", "{}")
        zipped.writestr("a.md", text)
    return out.getvalue()


def file_of_wordpress(text: str, field: str = "content:encoded") -> bytes:
    safe = text.replace("]]>", "")
    return (
        '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">'
        f"<channel><item><title>A</title><{field}><![CDATA[{safe}]]></{field}></item></channel></rss>"
    ).encode()


def file_of_ghost(text: str, field: str = "html") -> bytes:
    posts = [{"id": "1", "title": "A", "slug": "a", field: text}]
    return json.dumps({"db": [{"data": {"posts": posts}}]}).encode()


def file_of_redirects(text: str) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as zipped:
        zipped.writestr("a.json", file_of_ghost("a"))
        zipped.writestr("redirects.json", json.dumps([{"from": f"/{text}", "to": f"/{text}"}]))
    return out.getvalue()


def file_of_blogsvc(text: str) -> bytes:
    posts = [{"id": "1", "title": text, "content": text, "createdAt": text}]
    return json.dumps({"format": "blogsvc-export", "version": 1, "posts": posts}).encode()


FILES: dict[str, Callable[[str], bytes]] = {
    "Markdown": file_of_markdown,
    "WordPress": file_of_wordpress,
    "Obsidian": file_of_obsidian,
    "MDX": lambda text: file_of_markdown(text, "a.mdx"),
    "YAML": lambda text: file_of_markdown("a", head=f"title: A\ntags: {text}"),
    "YAML in quotes": lambda text: file_of_markdown("a", head=f"tags: {json.dumps(text)}"),
    "TOML": lambda text: f"+++\na = {text}\n+++\n".encode(),
    "TOML key": lambda text: f"+++\n{text} = 1\n+++\n".encode(),
    "WordPress title": lambda text: file_of_wordpress(text, "title"),
    "WordPress date": lambda text: file_of_wordpress(text, "wp:post_date"),
    "WordPress link": lambda text: file_of_wordpress(f"https://a.example/{text}", "link"),
    "Ghost HTML": file_of_ghost,
    "Ghost Lexical": lambda text: file_of_ghost(text, "lexical"),
    "Ghost Mobiledoc": lambda text: file_of_ghost(text, "mobiledoc"),
    "Ghost image": lambda text: file_of_ghost(f"https://a.example/content/images/{text}", "feature_image"),
    "Ghost caption": lambda text: file_of_ghost(text, "feature_image_caption"),
    "redirects": file_of_redirects,
    "blogsvc": file_of_blogsvc,
    "XML": lambda text: f"<rss><channel>{text}".encode(),
    "JSON": lambda text: b'{"db":' + text.encode(),
}


@matrix("name", FILES, default=lambda name: name in ("Markdown", "WordPress", "TOML key"))
def test_an_import_file_is_read_in_linear_time(name: str) -> None:
    def work(text: str) -> Callable[[], object]:
        file = BytesIO(FILES[name](text))

        def read() -> None:
            with suppress(UnreadableFile):
                for _ in detect.read(file, zone("UTC"), 100 * 1024 * 1024)[1]:
                    pass

        return read

    assert slow_texts(work) == []
