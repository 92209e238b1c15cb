"""Typography keeps code, addresses and options, wherever they are written."""

from __future__ import annotations

import pytest

from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain

CODE = "git log --format=\"%h\" 'a'--b..."


@pytest.mark.parametrize("element", ["code", "kbd", "pre", "samp", "tt", "var", "CODE", 'code class="x"'])
@pytest.mark.parametrize("before", ["", "- ", "> ", "## ", "|a|\n|-|\n|"])
def test_code_in_raw_html_stays(element: str, before: str) -> None:
    end = f"</{element.split()[0]}>"
    assert CODE in plain(render(f"{before}Run <{element}>{CODE}{end} now"))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("<code>a--b *c--d* <kbd>e--f</kbd> g--h</code> i--j", "a--b c--d e--f g--h i–j"),
        ("</code> a--b <!-- <code> --> c--d <codex>e--f", "a–b  c–d e–f"),
        ("<code>a--b\n\nc--d", "a--b\n\nc–d"),
        ("<div><code>\n\na--b\n\n</code></div>\n\nc--d", "a--b\n\nc–d"),
        ("<div>\n<!-- <code> -->\n\na--b\n\n</div>", "a–b"),
    ],
)
def test_text_beside_code_in_raw_html_is_printed(text: str, printed: str) -> None:
    assert plain(render(text)).split() == printed.split()


@pytest.mark.parametrize(
    "link",
    [
        '<a href="https://a--b.com">a--b.com</a>',
        "x <A class=y HREF='https://a--b.com/'><b>https://A--b.com</b></A>",
        "[www.a--b.com/](https://www.a--b.com)",
        "[www.a--b.com](https://a--b.com/)",
        "[A--b.com](https://a--b.com)",
        "[HTTPS://a--b.com](https://a--b.com)",
        "[münchen--x.de](https://münchen--x.de/)",
        "[a--b.com/ü](https://a--b.com/%C3%BC)",
        "[a--b@c.com](mailto:a--b@c.com)",
    ],
)
def test_a_link_text_that_is_the_address_stays(link: str) -> None:
    assert "–" not in render(link)


@pytest.mark.parametrize(
    "address",
    ["o'neil@x.example", "a--b+c@x.example", "xn--mnchen-3ya.example", "/path/a--b", "x.example/it's--x", "~/a--b"],
)
def test_an_address_that_is_no_link_stays(address: str) -> None:
    assert plain(render(f"At {address}, it's a--b")) == f"At {address}, it’s a–b"


def test_words_beside_addresses_are_printed() -> None:
    assert plain(render("x.example's /usr/bin's he/she--it")) == "x.example’s /usr/bin’s he/she–it"
    assert plain(render("'Twas the '90s, 't huis, a 'quote'")) == "’Twas the ’90s, ’t huis, a ‘quote’"


@pytest.mark.parametrize(
    "link", ['<a href="https://a--b.com">c--d</a>', '<a href="https://a--b.com">c</a> a--b', "[c--d](https://a--b.com)"]
)
def test_other_text_of_links_is_printed(link: str) -> None:
    assert "–" in render(link)


@pytest.mark.parametrize(
    "option",
    [
        "(--force)", '"--verbose"', "'--verbose'", "[--x]", "{--x}", "foo|--z", "key=--x", "a:--b", "a/--b", "-Wl,--x",
        "“--x”", "«--x»", "「--x」", "（--x）", '("--x")', "&--x", "$--x", "\\<--x", "a;--b", "a+--b",
    ],
)  # fmt: skip
def test_an_option_after_a_mark_stays(option: str) -> None:
    assert "--" in render(f"Use {option} now")


@pytest.mark.parametrize(
    "dash",
    ["a--b", "1--2", "(a)--b", "[a]--b", '"a"--b', "“a.”--b", "a%--b", "what?--b", "end.--b", "हिन्दी--b", "我--你"],
)
def test_a_dash_between_words_is_printed(dash: str) -> None:
    assert "–" in render(f"See {dash} now")


@pytest.mark.parametrize(
    ("language", "typed", "printed"),
    [
        ("ko", "'집'에 갔다", "‘집’에 갔다"),
        ("ko", "'사과'와 '배'를", "‘사과’와 ‘배’를"),
        ("ko", "\"'집'에\"라고 했다", "“‘집’에”라고 했다"),
        ("ko", "'*집*'에, '`x`'를, '집!'이라고", "‘집’에, ‘x’를, ‘집!’이라고"),
        ("ko", "그는'Docker'를 '2023'년", "그는‘Docker’를 ‘2023’년"),
        ("ko", "don't, '집'에 it's", "don’t, ‘집’에 it’s"),
        ("ko", "집'에 갔다", "집'에 갔다"),
        ("ko", "집' 갔다", "집' 갔다"),
        ("ja", "\"引用'内'\"", "「引用『内』」"),
        ("ja", '彼は"引用"と', "彼は「引用」と"),
        ("ja", "『'内'』", "『『内』』"),
        ("zh", "他说'好'吗", "他说‘好’吗"),
        ("th", "คำ'นี้'ดี", "คำ‘นี้’ดี"),
        ("he", "ג'ורג' צה\"ל", 'ג’ורג’ צה"ל'),
        ("ru", "об'ект", "об’ект"),
    ],
)
def test_quotation_marks_beside_scripts_without_spaces_are_paired(language: str, typed: str, printed: str) -> None:
    assert plain(render(typed, language)) == printed


def test_a_quotation_mark_without_a_partner_stays_with_many_others() -> None:
    assert plain(render("'" * 3 + "집" + "'a\"" * 500 + "b'c")).endswith("b’c")
