"""Addresses, hashtags and mentions in plain text, by one set of rules."""

from __future__ import annotations

import pytest

from blogsvc.lib.text.autolinks import addresses, hashtag, hashtags_in, without_mentions


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("(https://w.example/Foo_(bar))", "https://w.example/Foo_(bar)"),
        ("See https://a.example/x.", "https://a.example/x"),
        ("**https://a.example/x**, ~~so~~", "https://a.example/x"),
        ("~~https://a.example/y~~ _b_", "https://a.example/y"),
        ("See https://a.example/x...", "https://a.example/x"),
        ("“https://a.example/x”, he said", "https://a.example/x"),
        ("https://a.example/?q=[a]&b={c}!", "https://a.example/?q=[a]&b={c}"),
        ("[https://a.example/]", "https://a.example/"),
        ("次は https://a.example/日本。終わり", "https://a.example/日本"),
        ("（https://a.example/x）", "https://a.example/x"),
        ("「HTTPS://A.example/x」", "HTTPS://A.example/x"),
        ("<https://a.example/>", "https://a.example/"),
        ("https://a.example/x، ثم", "https://a.example/x"),
        ("https://a.example/x؟", "https://a.example/x"),
        ("https://a.example/x۔", "https://a.example/x"),
        ("https://a.example/h। अगला", "https://a.example/h"),
        ("https://a.example/x։", "https://a.example/x"),
        ("https://a.example/x።", "https://a.example/x"),
        ("‘https://a.example/q’", "https://a.example/q"),
        ("‹https://a.example/q›.", "https://a.example/q"),
        ("(https://a.example/x؟)", "https://a.example/x"),
        ("https://a.example/c’s and", "https://a.example/c’s"),
        ("https://a.example/col·lecció", "https://a.example/col·lecció"),
        ("https://a.example/हिन्दी", "https://a.example/हिन्दी"),
    ],
)
def test_an_address_ends_where_the_sentence_around_it_goes_on(text: str, address: str) -> None:
    (found,) = addresses(text)
    assert found.target == text[found.start : found.end] == address


@pytest.mark.parametrize("text", ["https://", "https://...", "http:/a.example", "xhttps:"])
def test_other_text_is_no_address(text: str) -> None:
    assert list(addresses(text)) == []


@pytest.mark.parametrize(
    "name",
    ["हिन्दी", "ภาษาไทย", "e\u0301te\u0301", "می‌خواهم", "한국어", "日本語", "2026er", "snake_case", "Größe", "தமிழ்"],
)
@pytest.mark.parametrize("text", ["#{}", "see #{}, please", "(#{})", "「#{}」"])
def test_a_hashtag_has_letters_marks_and_numbers_of_all_scripts(name: str, text: str) -> None:
    assert [found.target for found in hashtags_in(text.format(name))] == [name]


@pytest.mark.parametrize("text", ["#42", "#_", "a#b", "[a](#b)", "#", "C# and C++", "https://a.example/#part", "&#39;"])
def test_other_text_is_no_hashtag(text: str) -> None:
    assert list(hashtags_in(text)) == []


@pytest.mark.parametrize("tag", ["C#", "C++", "C++ 17", "F＃", "2026", "❤️", "+", ""])
def test_a_tag_that_would_say_something_else_has_no_hashtag(tag: str) -> None:
    assert hashtag(tag) == ""


def test_a_tag_with_a_hash_in_front_is_the_same_tag() -> None:
    assert hashtag("#web") == hashtag("web") == "web"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("CSS @media rules", "CSS @\u2060media rules"),
        ("@ada and (@bob).", "@\u2060ada and (@\u2060bob)."),
        ("a@b.example", "a@b.example"),
        ("_@media_ rules", "_@\u2060media_ rules"),
        ("__@ada__ and (_@bob_)", "__@\u2060ada__ and (_@\u2060bob_)"),
        ("a_b_@x.example _a@b.example_", "a_b_@x.example _a@b.example_"),
        ("https://a.example/@ada", "https://a.example/@ada"),
        ("a @ b", "a @ b"),
        ("@ada@mastodon.example", "@\u2060ada@mastodon.example"),
    ],
)
def test_a_name_after_an_at_sign_mentions_nobody(text: str, shown: str) -> None:
    assert without_mentions(text) == shown


def test_a_full_handle_can_stay_a_mention() -> None:
    text = "By @ada@mastodon.example and @media"
    assert without_mentions(text, keeps_handles=True) == "By @ada@mastodon.example and @\u2060media"
