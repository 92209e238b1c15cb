"""Markdown to the HTML of pages and feeds, in linear time."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import html5lib
import pytest

from blogsvc.connectors._kit import portable
from blogsvc.lib.html_to_markdown import convert
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import images_in, links, plain
from tests.tiers import exhaustive

MEBIBYTE = 2**20


def test_paragraphs_emphasis_and_typography():
    assert render('*a* **b** "c" -- d...') == "<p><em>a</em> <strong>b</strong> “c” – d…</p>\n"


def test_empty_text_renders_to_nothing():
    assert render("") == ""


def test_headings_in_the_text_never_become_h1():
    html = render("# One\n\n## Two\n\nThree\n=====\n\n<h1 align=center>Four</h1>\n\nx <H1>Five</H1>")
    assert "<h1" not in html
    assert html.count("<h2") == html.count("</h2>") == 5


def test_headings_have_unique_prefixed_ids():
    html = render("## A b\n\n## A b\n\n## A b 2\n\n## Größe `x`\n\n## 漢字\n\n## !!!\n\n## A b")
    ids = re.findall(r'id="([^"]*)"', html)
    assert ids[:3] == ["in-a-b", "in-a-b-1", "in-a-b-2"]
    assert ids[3] == "in-grosse-x"
    assert len(set(ids)) == len(ids) == 7
    assert all(name.startswith("in-") for name in ids)


def test_a_link_to_a_heading_works():
    html = render("[down](#a-b)\n\n## A b\n\n<i id=place></i> [here](#place)")
    assert 'href="#in-a-b"' in html
    assert 'id="in-a-b"' in html
    assert 'href="#in-place"' in html
    assert 'id="in-place"' in html


def test_rendering_the_result_again_changes_no_id():
    once = render("## A\n\nx[^1]\n\n[^1]: y")
    assert re.findall('id="[^"]*"', render(once)) == re.findall('id="[^"]*"', once)


@pytest.mark.parametrize("heading", ["Fn1", "Fnref1", "Fnref1 1"])
def test_a_heading_never_has_the_id_of_a_footnote(heading):
    html = render(f"# {heading}\n\na[^1] b[^1]\n\n# {heading}\n\n[^1]: c")
    ids = re.findall(r'id="([^"]*)"', html)
    name = heading.lower().replace(" ", "-")
    assert ids == [f"in-section-{name}", "in-fnref1", "in-fnref1:1", f"in-section-{name}-1", "in-fn1"]


def test_every_footnote_link_points_to_one_id():
    html = render("a[^x] b[^y] c[^x]\n\n[^x]: One.\n[^y]: Two.\n")
    ids = re.findall(r'id="([^"]*)"', html)
    assert len(ids) == len(set(ids)) == 5
    assert set(re.findall(r'href="#([^"]*)"', html)) == set(ids)


def test_the_mark_of_a_footnote_is_its_number_without_brackets():
    html = render("a[^x] b[^y] c[^x]\n\n[^x]: One.\n[^y]: Two.\n")
    assert re.findall(r"<sup[^>]*><a[^>]*>([^<]*)</a></sup>", html) == ["1", "2", "1"]


def test_the_marks_of_two_footnotes_do_not_read_as_one_number():
    html = render("a[^x][^y]\n\n[^x]: One.\n[^y]: Two.\n")
    assert '1</a></sup><sup class="footnote-ref">\u202f<a' in html
    assert convert(html).markdown == "a[^1][^2]\n\n[^1]: One.\n\n[^2]: Two."


def test_a_table_keeps_its_alignment_without_a_style_attribute():
    html = render("|a|b|c|\n|:-|:-:|-:|\n|1|2|3|\n")
    assert re.findall('align="([a-z]+)"', html) == ["left", "center", "right"] * 2
    assert "style" not in html


def test_a_task_is_a_disabled_checkbox_with_a_label():
    html = render('- [ ] buy *fresh* "milk" & `<b>`\n- [x] done\n')
    boxes = html5lib.parseFragment(html, namespaceHTMLElements=False).findall(".//input")
    assert [box.get("aria-label") for box in boxes] == ["buy fresh “milk” & <b>", "done"]
    assert all(box.get("type") == "checkbox" and "disabled" in box.attrib for box in boxes)
    assert ["checked" in box.attrib for box in boxes] == [False, True]


def test_a_task_without_text_still_has_a_label():
    assert 'aria-label="Task"' in render("- [ ] ![](a.png)\n")


def test_an_input_in_raw_html_can_only_be_a_disabled_checkbox():
    html = render('<input type="password" name="p" autofocus>')
    assert 'type="checkbox"' in html
    assert "disabled" in html
    assert "password" not in html
    assert "name" not in html


def test_an_alert_keeps_its_classes():
    html = render("> [!WARNING]\n> hot\n")
    assert '<div class="markdown-alert markdown-alert-warning">' in html
    assert '<p class="markdown-alert-title">Warning</p>' in html


@pytest.mark.parametrize("name", ["python", "py", "Python", "python3"])
def test_code_is_highlighted_with_short_classes(name):
    html = render(f"```{name}\ndef f(): pass\n```\n")
    assert html.startswith('<pre class="code" tabindex="0"><code class="language-python">')
    assert '<span class="k">def</span>' in html
    assert plain(html) == "def f(): pass"


@pytest.mark.parametrize("text", ["```\na < b\n```", "```klingon\na < b\n```", "    a < b\n", '```"><x\na < b\n```'])
def test_code_without_a_known_language_is_not_highlighted(text):
    assert render(text) == '<pre class="code" tabindex="0"><code>a &lt; b\n</code></pre>\n'


@pytest.mark.parametrize(
    "name",
    [
        "bash",
        "c",
        "console",
        "css",
        "html",
        "javascript",
        "json",
        "php",
        "python",
        "sql",
        "toml",
        "tsx",
        "yaml",
    ],
)
def test_highlighting_loses_no_character(name):
    code = "\n\n  <a href='x'>&amp; \"$y\" # z\n\n\tend\n"
    parsed = html5lib.parseFragment(render(f"x\n\n```{name}\n{code}```\n"), namespaceHTMLElements=False)
    assert "".join(parsed.find(".//code").itertext()) == code


def test_classes_in_raw_html_are_removed():
    html = render('<p class="btn">a</p>\n\n<span class="k evil">b</span> <code class="language-x">c</code>')
    assert "btn" not in html
    assert "evil" not in html
    assert "language-x" not in html


def test_images_are_lazy_and_decode_asynchronously():
    html = render('An ![alt "text"](a.png "title")')
    image = html5lib.parseFragment(html, namespaceHTMLElements=False).find(".//img")
    assert image.attrib == {
        "src": "a.png",
        "alt": 'alt "text"',
        "title": "title",
        "loading": "lazy",
        "decoding": "async",
    }


@pytest.mark.parametrize(
    "url",
    ["https://a.org/b?c=1", "http://a.org", "mailto:a@b.org", "tel:+49123", "/b", "b", "?q", "//a.org/b"],
)
def test_a_link_with_an_allowed_scheme_is_kept(url):
    assert links(render(f"[x]({url})")) == [url]


@pytest.mark.parametrize(
    "url", ["ftp://a.org", "xmpp:a@b.org", "file:///etc/passwd", "about:blank", "blob:x", "intent:x"]
)
def test_a_link_with_another_scheme_is_removed(url):
    assert links(render(f'<a href="{url}">x</a>')) == []


def test_bare_urls_become_links():
    html = render("see https://a.org/b, www.c.org and d@e.org; not http:// or a:b")
    assert links(html) == ["https://a.org/b", "http://www.c.org", "mailto:d@e.org"]


def test_a_link_has_no_target_and_keeps_its_rel():
    html = render('<a href="/x" target="_blank" rel="me">x</a> <a href="/y" rel="opener">y</a>')
    assert "target" not in html
    assert 'rel="me"' in html
    assert "opener" not in html


def test_allowed_raw_html_is_kept():
    text = "<details open><summary>More</summary>\n\n*inside*\n\n</details>\n\n"
    text += "<kbd>x</kbd><video controls src=/a.mp4></video>"
    html = render(text)
    assert '<details open=""><summary>More</summary>' in html
    assert "<em>inside</em>" in html
    assert "<kbd>x</kbd>" in html
    assert 'src="/a.mp4"' in html


def test_a_lone_surrogate_and_a_nul_do_not_break_it():
    assert render("a\ud800b\0c") == "<p>a?b\ufffdc</p>\n"


def test_plain_returns_the_text_without_markup():
    html = render("# Title\n\na *b*<br>c[^1] &amp; `d`\n\n- e\n- f\n\n[^1]: note\n")
    assert plain(html) == "Title\na b\nc & d\ne\nf\nnote"


def test_images_and_links_are_listed_in_order():
    html = render("![a](1.png) [x](/y) ![](2.png) [top](#top)\n\n[z](https://z.org)[^1]\n\n[^1]: n")
    assert images_in(html) == [("1.png", "a"), ("2.png", "")]
    assert links(html) == ["/y", "https://z.org"]


def test_an_image_that_only_a_text_or_an_attribute_mentions_is_not_listed():
    html = render('`<img src="1.png">` ![<img src="2.png"> > "a"](3.png)\n\n<p title="<img src=4.png>">b</p>')
    assert images_in(html) == [("3.png", '<img src="2.png"> > "a"')]


def test_raw_html_images_and_code_are_treated_like_markdown():
    assert 'loading="lazy" decoding="async"' in render('<img src="a.png" loading="eager">')
    assert "eager" not in render('x <IMG src="a.png" loading="eager">')
    assert '<pre class="code" tabindex="0">' in render("<pre>a</pre>")


def test_threads_render_the_same_html():
    text = '# A\n\nx[^1] "q" [r]\n\n[^1]: n\n[r]: /u\n\n```python\nx = 1\n```\n\n- [ ] t\n'
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(render, [text] * 100))) == 1


def test_deep_nesting_is_cut_without_a_crash():
    for mark in (">", "- ", "> - ", "[^a]: "):
        render(mark * 20_000 + "a")


def test_lists_nest_twenty_deep():
    text = "".join(f"{'  ' * depth}- level{depth}\n" for depth in range(20))
    assert "level19" in render(text)


def test_a_too_long_paragraph_is_shown_as_text():
    html = render("*a* <b>" * 10_000)
    assert html.startswith("<p>\n*a* &lt;b&gt;*a*")
    assert len(plain(html)) > 60_000


def test_code_too_long_to_highlight_keeps_its_language():
    html = render("```python\n" + "x = 1\n" * 2_000 + "```\n")
    assert '<code class="language-python">x = 1\n' in html
    assert "<span" not in html


def test_one_long_url_used_often_does_not_explode():
    html = render(f"[a]: /{'x' * 10_000}\n\n" + "[a] [a]\n\n" * 20_000)
    assert html.count("<a ") > 10
    assert len(html) < 2 * MEBIBYTE


def test_raw_html_over_3000_elements_is_shown_as_text():
    html = render("x <b>y</b>\n\n" * 3_500)
    assert html.count("<b>") == 3_000
    assert html.count("&lt;b&gt;") == 500


def test_a_long_table_in_raw_html_is_still_a_table():
    html = render("<table>\n" + "<tr><td>a</td><td>b</td></tr>\n" * 5_000 + "</table>")
    assert html.count("<td>") == 10_000


def test_text_over_50000_lines_is_shown_as_code():
    html = render("*a*\r\n" * 50_001)
    assert html.startswith('<pre class="code" tabindex="0"><code>*a*\n*a*')
    assert html.count("*a*") == 50_001


HOSTILE = {
    "brackets": "[",
    "images": "![",
    "links": "[a](",
    "references": "[a][",
    "notes": "[^a]: x\n",
    "stars": "*a_",
    "tildes": "~~a~",
    "quotes": "'\"a",
    "deep quotes": ">",
    "deep lists": "- ",
    "backticks": "`a",
    "fences": "```\n",
    "tags": "<a ",
    "comments": "<!--",
    "raw": "<div>\n",
    "inline tags": "x<b>",
    "entities": "&a",
    "tables": "a|b\n-|-\n",
    "addresses": "://",
    "mailto": "mailto:",
    "mails": "a@",
    "same headings": "# a\n",
    "coloured": "```js\n`${\n```\n",
    "tasks": "- [ ] a\n",
    "escapes": "\\",
    "definitions": "[a]:\n",
}


WIDE_TABLES = f"{'|a' * 120}|\n{'|-' * 120}|\n" + "a\n" * 120 + "\n"


def seconds_for(paragraph):
    """Return the CPU seconds for 64 KiB of such paragraphs."""
    text = (paragraph * (64 * 1024 // len(paragraph) + 1))[: 64 * 1024]
    began = time.process_time()
    render(text)
    return time.process_time() - began


# The limits apply per paragraph, so the worst input just stays below them, repeatedly. It takes
# about one second; without the limit a case takes ten and more.
@pytest.mark.long
@exhaustive
@pytest.mark.parametrize("length", [750, 1_500, 15_000])
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_paragraphs_are_rendered_in_bounded_time(piece, length):
    assert seconds_for((piece * length)[:length] + "\n\n") < 5


@pytest.mark.parametrize("piece", ["http:", "'\"a"], ids=["addresses", "quotes"])
def test_quadratic_searches_are_avoided(piece):
    # About 0.02 s; two seconds without the limit.
    assert seconds_for(piece * (15_000 // len(piece)) + "\n\n") < 1


def test_small_tables_with_missing_cells_do_not_add_up():
    assert seconds_for(WIDE_TABLES) < 5


MANY = {
    "fences": ":::\n" * 10_000,
    "open galleries": "::: gallery\n" * 10_000,
    "galleries": "::: gallery\n![](x)\n:::\n" * 10_000,
    "galleries in quotations": "".join("> " * (n % 40) + "::: gallery\n" for n in range(10_000)),
    "contents": "[[toc]]\n\n" * 10_000 + "## a\n\n" * 10_000,
    "figures": '![](x "t"){.wide}\n\n' * 10_000,
    "images with a width": '![](x "t"){.wide} ' * 10_000,
    "callouts": "> [!tip]- a\n> b\n\n" * 10_000,
    "nested callouts": ("> " * 40 + "[!tip]- a\n") * 1_000,
    "named code": "``` title='a' {1}\nb\n```\n" * 10_000,
}


# Each takes at most 2 s. Galleries in galleries took 7 s.
@pytest.mark.parametrize("text", MANY.values(), ids=MANY.keys())
def test_ten_thousand_content_elements_are_rendered_in_bounded_time(text):
    began = time.process_time()
    html = render(text)
    assert time.process_time() - began < 10
    assert html.count("<nav") == text.startswith("[[")


def test_the_amount_of_highlighted_code_is_limited():
    html = render(("```python\n" + "x = 1\n" * 1_000 + "```\n\n") * 20)
    assert html.count('<code class="language-python">') == 20
    assert html.count("<code") - html.count('python">x = 1') == 5


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            '<iframe src="https://a.example/1" title="A film">Old browsers</iframe>',
            '<p><a class="embed" href="https://a.example/1">A film</a></p>',
        ),
        (
            'See <iframe src="https://a.example/1"></iframe> here',
            '<p>See <a class="embed" href="https://a.example/1">Embedded page</a> here</p>\n',
        ),
        (
            '<div>\n<IFRAME\n  src="https://a.example/1"></IFRAME>\n</div>',
            '<div>\n<p><a class="embed" href="https://a.example/1">Embedded page</a></p>\n</div>',
        ),
        ('<iframe src="javascript:alert(1)"></iframe>', ""),
        ("`<iframe src=x>`", "<p><code>&lt;iframe src=x&gt;</code></p>\n"),
    ],
)
def test_an_embedded_page_becomes_a_link(text, html):
    assert render(text) == html


def test_the_files_of_audio_and_video_are_kept():
    html = '<audio controls=""><source src="https://a.example/1.mp3" type="audio/mpeg"></audio>'
    assert render(html) == f"<p>{html}</p>\n"
    assert portable.html(render(html)) == f"<p>{html}</p>\n"
    assert portable.markdown(html, ("html",), "Example").text.strip() == html
    assert render('<video><source src="javascript:alert(1)"></video>') == "<p><video><source></video></p>\n"


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("a -- b, c---d, 1--2...", "a – b, c—d, 1–2…"),
        ("(c) (R) (tm) +- ???? !!!! ,, ..", "(c) (R) (tm) +- ???? !!!! ,, .."),
        ("git log --all a-->b <!--x--> go test ./...", None),
        ("https://a.example/b--c...d and www.a.example/e--f", None),
        ("[https://a.example/b--c](https://a.example/b--c)", "https://a.example/b--c"),
    ],
)
def test_only_dashes_and_ellipses_are_replaced_and_never_in_addresses(typed: str, printed: str | None) -> None:
    assert plain(render(typed.replace("<", "\\<"))) == (typed if printed is None else printed)


@pytest.mark.parametrize(
    ("language", "printed"),
    [
        ("en", "“it’s ‘fine’”"),
        ("de", "„it’s ‚fine‘“"),
        ("de-AT", "„it’s ‚fine‘“"),
        ("fr", "«\u202fit’s «\u202ffine\u202f»\u202f»"),
        ("fr-CA", "«\u202fit’s ”fine“\u202f»"),
        ("fr-CH", "«it’s ‹fine›»"),
        ("sv", "”it’s ’fine’”"),
        ("pl", "„it’s «fine»”"),
        ("pt", "“it’s ‘fine’”"),
        ("pt-PT", "«it’s “fine”»"),
        ("ja", "「it’s 『fine』」"),
        ("zh-Hant-TW", "「it’s 『fine』」"),
        ("nl", "“it’s ‘fine’”"),
        ("tlh", "“it’s ‘fine’”"),
        ("", "\"it's 'fine'\""),
    ],
)
def test_straight_quotes_become_the_quotation_marks_of_the_language(language: str, printed: str):
    assert render("\"it's 'fine'\"", language) == f"<p>{printed}</p>\n"


@pytest.mark.parametrize(
    "address", ["https://x.example/it's", "https://x.example/'a'/b", "https://x.example/a--b", "http://x.example/a...b"]
)
def test_addresses_keep_their_quotes_and_dashes(address: str):
    for text in (f"See {address} now", f"<{address}>", f"[{address}](<{address}>)", f"[*{address}*](<{address}>)"):
        assert address in unescape(re.sub(r"<[^<>]*>", "", render(text))), text


def test_bare_hosts_keep_their_dashes():
    assert ">www.x.example/a--b</a>" in render("See www.x.example/a--b")
    assert ">x.example/a--b</a>" in render("See [x.example/a--b](https://x.example/a--b)")


def test_addresses_among_the_words_of_a_link_keep_their_quotes():
    html = render('[see "https://x.example/o\'b"](https://y.example/)')
    assert html == '<p><a href="https://y.example/">see “https://x.example/o\'b”</a></p>\n'
