"""Slugs, word counts, excerpts, front matter, and HTML as plain text."""

import re
import sys
import time

import pytest

from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.facts import reading_minutes
from blogsvc.lib.text.plain import (
    UNSPACED,
    excerpt,
    links,
    plain,
    slugify,
    word_count,
    written_words,
)
from blogsvc.lib.text.plain_paragraphs import paragraphs
from tests.fidelity import corpus


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("Don't panic — it’s fine", "dont-panic-its-fine"),
        ("Größe & Äther", "grosse-ather"),
        ("Привет мир", "privet-mir"),
        ("  --a__b--  ", "a-b"),
        ("!!!", ""),
        ("", ""),
    ],
)
def test_a_slug_is_lowercase_ascii_joined_by_hyphens(title, slug):
    assert slugify(title) == slug


def test_a_chinese_title_has_a_slug():
    assert slugify("漢字") != ""
    assert slugify("漢字").isascii()


def test_a_long_slug_is_cut_at_a_hyphen():
    assert slugify("one two three", longest=9) == "one-two"
    assert slugify("one two three", longest=7) == "one-two"


def test_a_single_long_word_is_cut_at_the_limit():
    assert slugify("a" * 100, longest=10) == "a" * 10


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("one two  three\nfour", 4),
        ("don't well-known 3.14", 3),
        ("yes—no", 2),
        ("... — !", 0),
        ("漢字かな", 4),
        ("I like 寿司 a lot", 6),
        ("ภาษาไทยง่าย", 10),
        ("ที่นี่ good", 3),
        ("ພາສາລາວ", 7),
        ("ភាសា", 2),
        ("ｶﾀｶﾅ", 4),
        ("हिन्दी भाषा", 2),
        ("한국어 단어", 2),
        ("re\u0301sume\u0301", 1),
    ],
)
def test_words_are_counted(text, count):
    assert word_count(text) == count


@pytest.mark.parametrize("text", ["." * 2**20, "a" * 2**20, "漢" * 2**20, "a." * 2**19, ".—" * 2**19])
def test_counting_words_of_a_megabyte_takes_bounded_time(text):
    began = time.process_time()
    word_count(text)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("markdown", "count"),
    [
        ("See [the *long* way](https://example.org/a/b-c) home.", 5),
        ("![A ferry](/media/ferry.webp) comes", 3),
        ("https://example.org/some/where and <https://example.org>", 1),
        ('<figure class="wide">Ink</figure>', 1),
        ("---\nNote: counted\n---\n\nCounted (twice)", 4),
        ("1 < 2 and 3 > 2, a](b", 6),
        ("Use ```code``` here and there.", 5),
        ("```code``` here and there.", 4),
        ("Run ~~~ a b c", 4),
        ('![a](/u.webp "Sea (2020)") [b](/u "The [old] sea")', 7),
        (r'![](/u "The \"sea\" (2020)")', 3),
        ('![](/u "Sea" and ![](/v "two (2)")', 5),
    ],
)
def test_markup_is_not_counted_as_words(markdown, count):
    assert written_words(markdown) == count


def test_reading_takes_at_least_a_minute_and_rounds_up():
    assert [reading_minutes(words) for words in (0, 230, 231, 2300)] == [1, 1, 2, 10]


def test_a_short_text_is_its_own_excerpt():
    assert excerpt(" a\n short  text ", 12) == "a short text"


def test_an_excerpt_is_cut_after_a_word_and_fits():
    assert excerpt("one two, three", 9) == "one two…"
    assert excerpt("one two three", 8) == "one two…"
    assert excerpt("one two three", 7) == "one tw…"


def test_an_excerpt_of_one_long_word_fits_too():
    assert excerpt("漢字漢字漢字", 4) == "漢字漢…"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("One\ntwo.\n\nThree.", "One two.\n\nThree."),
        ("## Part\n\nWords.\n\n***\n\nMore.", "Part\n\nWords.\n\nMore."),
        ("A line\\\nand another.", "A line\nand another."),
        ("> One.\n>\n> Two.", "One.\n\nTwo."),
        ("Before:\n\n- a\n- b\n\nAfter.", "Before:\n\n- a\n- b\n\nAfter."),
        ("3. a\n4. b", "3. a\n4. b"),
        ("- a\n  1. b\n  2. c\n- d", "- a\n  1. b\n  2. c\n- d"),
        ("- One.\n\n  Two.\n- Three.", "- One.\n  Two.\n- Three."),
        ("Run:\n\n    def f():\n\n        pass\n\nDone.", "Run:\n\ndef f():\n\n    pass\n\nDone."),
        ("- a\n\n  ```\n  if b:\n\n      c\n  ```", "- a\n  if b:\n\n      c"),
        ("| a | b |\n| --- | --- |\n| 1 |  |\n|  | 2 |\n\nEnd.", "a | b\n1 |\n| 2\n\nEnd."),
        ("Seen[^1].\n\n[^1]: There.", "Seen.\n\n1. There."),
        ("![A tree](https://a.example/tree.png)", ""),
        ("<ol start='-1'><li>a</li></ol>", "1. a"),
        ("<ol reversed><li>a</li><li>b<ol><li>c</li></ol></li><li>d</li></ol>", "3. a\n2. b\n  1. c\n1. d"),
        ("<ol reversed start='9'><li>a</li><li>b</li></ol>", "9. a\n8. b"),
        ("<ol><li>a</li><li value='10'>b</li><li>c</li></ol>", "1. a\n10. b\n11. c"),
        ("<ul><li value='10'>a</li></ul>", "- a"),
        ("- [x] done\n- [ ] todo", "- [x] done\n- [ ] todo"),
        ("a<br>b<br><br>c<br>", "a\nb\n\nc"),
        ("- a<br><br>b\n- c", "- a\n\n  b\n- c"),
        ("Go [there](https://a.example/b).", "Go there (https://a.example/b)."),
        ("<https://a.example/b> or [A.example/b](https://a.example/b/)", "https://a.example/b or https://a.example/b/"),
        ("[x@a.example](mailto:x@a.example) [mail](mailto:x@a.example)", "x@a.example mail (x@a.example)"),
        ("[![A tree](https://a.example/tree.png)](https://a.example/)", ""),
        ("## Part\n\n[Up](#part) [*in*\nlines](/b)", "Part\n\nUp in lines (/b)"),
        ("<li>a</li>", "a"),
        ("-\n\nAfter.", "After."),
    ],
)
def test_plain_text_has_a_blank_line_between_paragraphs_and_marks_at_the_items_of_lists(written, text):
    assert paragraphs(render(written)) == text


@pytest.mark.parametrize("name", corpus.NAMES)
def test_plain_text_with_paragraphs_has_the_words_of_its_lines(name):
    html = corpus.article(name).html
    marks = re.compile(r"^ *(?:- |\d+\. )?(?:\[[ x]\] )?|\|", re.MULTILINE)
    written = paragraphs(html)
    for url in links(html):
        written = written.replace(f" ({url.removeprefix('mailto:')})", "")
    assert marks.sub("", written).split() == marks.sub("", plain(html)).split()


@pytest.mark.parametrize(
    "hostile",
    [
        "<ul><li>a",
        "<ol start='9'><li>a",
        "<td>a",
        "<pre>a",
        "</li>a</ul>",
        "<br>",
        "a<br><br>",
        "<ol reversed><li>",
        "<a href='b'>c",
    ],
)
def test_plain_text_with_paragraphs_takes_linear_time(hostile):
    began = time.process_time()
    assert len(paragraphs(hostile * 20_000)) < 1_000_000
    assert time.process_time() - began < 5


def test_words_are_counted_as_the_pattern_of_a_word_finds_them() -> None:
    word = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}][^\s—–…/{UNSPACED}]*")
    for code in (*range(0x3100), *range(0x3100, sys.maxunicode, 101)):
        text = f"a{chr(code)}b {chr(code)}"
        assert word_count(text) == len(word.findall(text)), hex(code)
