"""Slugs in the letters of any language."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from blogsvc.lib.text.plain import slugify
from blogsvc.lib.text.slug_letters import MAX_SLUG_LENGTH, SLUG_PATTERN, SlugStyle, is_slug, slugs_of_any_style
from blogsvc.posts.rules import wrong_value

LATIN, NATIVE = SlugStyle("latin"), SlugStyle("native")

# A title, the language of the post, its slug in Latin letters, and its slug in its own letters.
TITLES = [
    ("Don't panic — it’s fine", None, "dont-panic-its-fine", "dont-panic-its-fine"),
    ("Größe & Äther", None, "grosse-ather", "größe-äther"),
    ("Ça va ? L’été", None, "ca-va-lete", "ça-va-lété"),
    ("İstanbul", None, "istanbul", "istanbul"),
    ("Привет, мир", None, "privet-mir", "привет-мир"),
    ("Καλημέρα ΚΟΣΜΟΣ", None, "kalimera-kosmos", "καλημέρα-κοσμος"),
    ("안녕하세요 세계", None, "annyeonghaseyo-segye", "안녕하세요-세계"),
    ("你好，世界", None, "nihao-shijie", "你好-世界"),
    ("東京タワーへ行く", None, "東京タワーへ行く", "東京タワーへ行く"),
    ("ｶﾀｶﾅ ＡＢＣ", None, "カタカナ-abc", "カタカナ-abc"),
    ("東京", None, "dongjing", "東京"),
    ("東京", "ja", "東京", "東京"),
    ("東京", "zh-Hant", "dongjing", "東京"),
    ("東京 and Köln", "ja-JP", "東京-and-koln", "東京-and-köln"),
    ("مرحبا بالعالم", None, "مرحبا-بالعالم", "مرحبا-بالعالم"),
    ("می‌خواهم", None, "میخواهم", "میخواهم"),
    ("شـــكرا", None, "شكرا", "شكرا"),
    ('שלום צה"ל', None, "שלום-צהל", "שלום-צהל"),
    ("नमस्ते दुनिया", None, "नमस्ते-दुनिया", "नमस्ते-दुनिया"),
    ("สวัสดี น้ำ", None, "สวัสดี-น้ำ", "สวัสดี-น้ำ"),
    ("😀", None, "grinning", "grinning"),
    ("שלום, Привет & hello 24", None, "שלום-privet-hello-24", "שלום-привет-hello-24"),
    ("1️⃣ step™", None, "1-steptm", "1-steptm"),
    ("!!!…", None, "", ""),
]


@pytest.mark.parametrize(("title", "language", "latin", "native"), TITLES)
def test_a_title_in_any_language_has_a_legible_slug(title: str, language: str | None, latin: str, native: str) -> None:
    for form in ("NFC", "NFD"):
        written = unicodedata.normalize(form, title)
        assert (LATIN.slug_of(written, language), NATIVE.slug_of(written, language)) == (latin, native)
    assert {latin, native} <= slugs_of_any_style(title, MAX_SLUG_LENGTH)
    assert all(is_slug(slug) for slug in (latin, native) if slug)


def test_the_language_of_the_blog_counts_for_posts_without_one() -> None:
    assert SlugStyle("latin", "ja").slug_of("東京") == "東京"
    assert SlugStyle("latin", "ja").slug_of("東京", "zh") == "dongjing"


@pytest.mark.parametrize("title", ["Hello, World!", "a" * 300, "one two " * 30, "!!!"])
def test_an_ascii_title_has_the_same_slug_in_every_style(title: str) -> None:
    assert LATIN.slug_of(title) == NATIVE.slug_of(title) == slugify(title)
    assert slugs_of_any_style(title, MAX_SLUG_LENGTH) == {slugify(title)}


@pytest.mark.parametrize(
    "title",
    ["とても長い" * 60, "API " + "とても長い" * 60, "नमस्ते" * 50, "a" + "\u0301" * 299, "𞤀𞤣𞤤𞤢𞤥 " * 50, "ﷺ" * 300],
)
def test_a_long_title_is_cut_between_letters(title: str) -> None:
    for style in (LATIN, NATIVE):
        slug = style.slug_of(title, longest=71)
        assert is_slug(slug)
        assert len(slug) <= 71
        if title.startswith(("と", "API")):
            assert len(slug) == 71  # these scripts have no spaces


def test_a_mark_is_not_cut_from_its_letter() -> None:
    assert NATIVE.slug_of("नमस्ते" * 50, longest=12) == "नमस्ते" * 2
    assert NATIVE.slug_of("नमस्ते" * 50, longest=11) == "नमस्तेनमस्"  # not the letter without its vowel


def test_every_character_gives_a_valid_slug_or_none() -> None:
    for point in range(sys.maxunicode + 1):
        letter = chr(point)
        if unicodedata.category(letter) not in ("Cn", "Cs", "Co"):
            slug = NATIVE.slug_of(f"x {letter}y", longest=1000)
            assert is_slug(slug), (hex(point), slug)
            assert re.fullmatch(SLUG_PATTERN, slug), (hex(point), slug)


@pytest.mark.parametrize("slug", ["ä", "東京", "مرحبا-2", "नमस्ते", "น้ำ", "٢٠٢٤", "привет-мир", "a-slug"])
def test_a_slug_may_have_the_letters_of_any_language(slug: str) -> None:
    assert wrong_value("slug", slug) is None


@pytest.mark.parametrize(
    ("slug", "fix"),
    [
        ("Привет", "Use 'привет'"),
        ("Not A Slug", "Use 'not-a-slug'"),
        ("привет--мир", "Use 'привет-мир'"),
        ("a\u0308", "normalization form NFC"),
        ("می\u200cخواهم", "Use 'میخواهم'"),
        ("abc\u202edef", "Use 'abcdef'"),
        ("a\u200b", "Use 'a'"),
        ("a\ufe0f", "Use 'a'"),
        ("ㅤ", "single hyphens."),  # the Hangul filler
        ("\u0301", "single hyphens."),
        ("a-\u0301", "Use 'a'"),
        ("😀", "single hyphens."),
        ("東京。", "Use '東京'"),
        ("a_b", "Use 'a-b'"),
        ("-ä", "Use 'ä'"),
        ("ä/ö", "Use 'ä-ö'"),
        ("ä\n", "Use 'ä'"),
        ("ä\ud800", "Use 'ä'"),
    ],
)
def test_an_invalid_slug_is_rejected_with_the_fix(slug: str, fix: str) -> None:
    wrong = wrong_value("slug", slug)
    assert wrong is not None
    assert wrong.code == "invalid"
    assert fix in wrong.detail


@pytest.mark.parametrize("slug", ["", "A", "-a", "a-", "a--b", "a_b", "a b", "a/b", "a.b", "a`b", "a\x7f", "a\xa0b"])
def test_the_published_pattern_rejects_what_the_rule_rejects_in_ascii(slug: str) -> None:
    assert not is_slug(slug)
    assert not re.fullmatch(SLUG_PATTERN, slug)
