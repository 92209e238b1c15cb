"""What a platform lost of a text: words and elements that were sent and are not shown."""

from __future__ import annotations

import resource
from contextlib import suppress

import pytest

from blogsvc.errors import Busy, TextRefused
from blogsvc.lib.text.losses import MAX_LENGTH, compare
from blogsvc.lib.text.plain import plain
from blogsvc.lib.workers import text_jobs
from tests.fidelity import corpus
from tests.tiers import matrix


def told(sent: str, shown: str) -> list[str]:
    """Return the sentences about one HTML text shown as another."""
    return [loss.text for loss in compare([("html", sent)], [("html", shown)]).losses]


@pytest.mark.parametrize("name", corpus.NAMES)
def test_an_article_shown_as_it_was_sent_lost_nothing(name):
    html = corpus.article(name).html
    assert told(html, html) == []


@pytest.mark.parametrize("name", [name for name in corpus.NAMES if name != "hostile"])
def test_an_article_without_its_elements_lost_all_of_them(name):
    """Only the words are left."""
    sent = [("html", corpus.article(name).html)]
    compared = compare(sent, [("text", plain(corpus.article(name).html))])
    elements = {loss.kind for loss in compared.losses} - {"words", "order"}
    marks = {"superscript"} if name in ("footnotes", "nested") else set()  # the plain text has none
    assert elements == set(compared.kinds) - {"image description"} - marks


@pytest.mark.parametrize(
    "shown",
    [
        "<p>Say “hello” – don’t, it’s 3 × 4…</p>",
        '<p class="has-drop-cap">Say &#8220;hello&#8221; &#8212; don&#8217;t, it&#8217;s 3&#215;4&#8230;</p>',
        "<header>A blog</header><p>SAY \"hel&shy;lo\" - don't, it's 3x4...</p><footer>Share this</footer>",
    ],
)
def test_typography_and_the_page_around_a_text_are_no_loss(shown):
    assert told("<p>Say \"hello\" -- don't, it's 3x4...</p>", shown) == []


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ('<img src="https://a.example/1.png" alt="A tree">', '<img srcset="/wp/1-300x200.png 300w" alt="A tree">'),
        ('<a href="https://a.example/x/">x</a>', '<a rel="nofollow" href="http://www.a.example/x?utm_source=b">x</a>'),
        ('<a href="https://a.example/x">x</a>', '<a href="https://out.example/?to=https%3A%2F%2Fa.example%2Fx">x</a>'),
        ("<p><b>a <i>b</i> c</b></p>", "<p><strong>a </strong><strong><em>b</em></strong><strong> c</strong></p>"),
        ("<p><del>no</del> <ins>yes</ins></p>", "<p><s>no</s> <u>yes</u></p>"),
        ("<pre><code>a\n  b\n</code></pre>", '<pre class="hl"><code>a<br>  <span class="k">b</span></code></pre>'),
        ("<p>Sun ☀️ 🙂</p>", '<p>Sun ☀ <img class="emoji" alt="🙂" src="/1f642.svg"></p>'),
        ('<p>a<a href="#n" id="r">1</a></p><p id="n">N <a href="#r">↩</a></p>',
         '<p>a<a href="#p-n" id="p-r">1</a></p><p id="p-n">N <a href="#p-r">↑</a></p>'),
        ('<div class="markdown-alert"><p>Note</p></div>', "<blockquote><p>Note</p></blockquote>"),
        ('<div class="markdown-alert"><p>Note</p><p>a</p><p>b</p></div>',
         '<div class="kg-card kg-callout-card"><div class="kg-callout-emoji">💡</div><div class="kg-callout-text">'
         "<strong>Note</strong><br>a<br><br>b</div></div>"),
        ("<details><summary>More</summary><p>a</p></details>",
         '<div class="kg-card kg-toggle-card"><div class="kg-toggle-heading"><h4>More</h4><button><svg></svg></button>'
         '</div><div class="kg-toggle-content">a</div></div>'),
    ],
)  # fmt: skip
def test_another_notation_of_an_element_is_no_loss(sent, shown):
    assert told(sent, shown) == []


@pytest.mark.parametrize(
    ("sent", "shown", "sentence"),
    [
        ("<p>one two three</p>", "<p>one three</p>", "The word “two” is missing."),
        ("<p>one two</p>", "<p>Home</p>", "The whole text is missing."),
        ("<p>read <mark>this</mark> now</p>", "<p>readthis now</p>", "2 of 3 words are missing: “read this”."),
        ("<p>a <b>b c</b></p>", "<p>a b c</p>", "“b c” are shown without bold."),
        ("<p>a <mark>b</mark></p>", "<p>a b</p>", "“b” is shown without highlighting."),
        ("<h2>Title</h2>", "<h3>Title</h3>", "The heading “Title” is shown with another level."),
        ("<h2>Title</h2>", "<p>Title</p>", "The heading “Title” is shown as plain text."),
        ("<table><tr><td>a</td></tr></table>", "<p>a</p>", "The table “a” is shown as plain text."),
        ("<pre><code>if x:\n  y</code></pre>", "<pre><code>if x:\ny</code></pre>",
         "The code block “if x:” is shown with other characters or spaces."),
        ("<pre><code>x = 1</code></pre>", "<p>Rest</p>", "The code block “x = 1” is missing."),
        ("<p>Use <code>rm -r</code></p>", "<p>Use <code>rm –r</code></p>",
         "The inline code “rm -r” is shown with other characters or spaces."),
        ('<img src="/1"><img src="/2"><img src="/3">', '<img src="/x">', "2 of 3 images are missing."),
        ('<img src="/1" alt="A tree">', '<img src="/1" alt="">', "The image description “A tree” is missing."),
        ('<img src="/1" alt="A tree">', "", "The image is missing."),
        ('<a href="https://a.example/x">here</a>', "here", "The link “a.example/x” is shown as plain text."),
        ('<a href="https://a.example/x">here</a>', '<a href="https://b.example/">here</a>',
         "The link “a.example/x” is shown with another target."),
        ("<ol><li>one</li><li>two</li><li>three</li></ol>", "<ol><li>three</li><li>two</li><li>one</li></ol>",
         "The steps of a numbered list are in another order."),
        ("<p>one</p><p>two</p>", "<p>two</p><p>one</p>", "Parts of the text are in another order."),
        ("<ol><li>one</li><li>two</li></ol>", "<ol><li>one</li></ol><ol><li>two</li></ol>",
         "The step of a numbered list “two” is shown with another number or level."),
        ("<ul><li>one<ul><li>two</li></ul></li></ul>", "<ul><li>one</li><li>two</li></ul>",
         "The list item “two” is shown in another place."),
        ("<blockquote>a <blockquote>b</blockquote></blockquote>", "<blockquote>a b</blockquote>",
         "“b” is shown without nested quotation formatting."),
        ('<p>a<sup><a href="#n">[1]</a></sup></p><p id="n">N</p>', '<p>a<sup><a href="#n">[1]</a></sup></p><p>N</p>',
         "The footnote number “1” is shown as plain text."),
        ('<p id="r">a</p><p>N <a href="#r">↩</a></p>', '<p>a</p><p>N <a href="#r">↩</a></p>',
         "The link back from a note is missing."),
        ('<p dir="rtl">שלום</p>', "<p>שלום</p>", "“שלום” is shown without right-to-left text."),
        ("<details><summary>More</summary>text</details>", "More text", "“More text” are shown without a collapsible"),
        ('<div class="kg-callout-card"><p>Note<br>a</p></div>', "<p>Note<br>a</p>",
         "“Note a” are shown without callout formatting."),
        ('<div class="kg-toggle-card"><h4>More</h4><div>text</div></div>', "<h4>More</h4>text",
         "“More text” are shown without a collapsible section."),
        ("<p>a<br>b</p>", "<p>a b</p>", "The line break is missing."),
        ("<p>1</p><hr><p>2</p>", "<p>1</p><p>2</p>", "The separator line is missing."),
        ('<p>See</p><iframe src="https://v.example/1"></iframe>', "<p>See</p>", "The embedded page is missing."),
        ("<p>Sun 🙂</p>", "<p>Sun ?</p>", "The word “🙂” is missing."),
    ],
)  # fmt: skip
def test_a_loss_is_named(sent, shown, sentence):
    assert any(text.startswith(sentence) for text in told(sent, shown)), told(sent, shown)


def test_a_loss_within_a_missing_paragraph_is_named_once():
    assert told("<p>Stays.</p><p>This <b>is</b> gone.</p>", "<p>Stays.</p>") == [
        "3 of 4 words are missing: “This is gone”."
    ]


def test_a_plain_text_keeps_its_links_if_the_platform_shortens_them():
    sent = [("text", "New: of trees https://blog.example/posts/of-trees #trees")]
    shown = (
        '<p>New: of trees <a href="https://blog.example/posts/of-trees">blog.example/po…</a> <a href="/t">#trees</a>'
    )
    assert compare(sent, [("html", shown)]).losses == []
    assert [loss.text for loss in compare(sent, [("html", "New: of trees #trees")]).losses] == [
        "The link “blog.example/posts/of-trees” is missing."
    ]


def test_a_title_is_compared_if_the_platform_shows_one():
    sent = [("title", "Of trees"), ("html", "<p>Oaks</p>")]
    assert compare(sent, [("html", "<p>Oaks</p>")]).losses == []
    assert [loss.text for loss in compare(sent, [("title", "Of"), ("html", "<p>Oaks</p>")]).losses] == [
        "The word “trees” is missing."
    ]


HOSTILE = {
    "deep": "<div>" * 30_000,
    "deep lists": "<ol><li>" * 10_000,
    "deep quotations": "<blockquote>" * 10_000 + "a",
    "unclosed": "<" * 200_000,
    "many words": "a " * 500_000,
    "many links": '<a href="https://a.example/">a</a>' * 50_000,
    "one word of many": "<b>a</b>" * 100_000,
    "tables": "<table><tr><td>" * 5_000,
    "entities": "&amp;" * 300_000,
}
QUICK = ("deep quotations", "unclosed", "many links", "tables")


@matrix("name", HOSTILE, default=lambda name: name in QUICK)
def test_a_hostile_copy_takes_bounded_time(name):
    """Its confined process ends after 15 s of CPU time, or after a minute on a machine that is too busy for them."""
    began = cpu_seconds_of_ended_processes()
    with suppress(TextRefused, Busy):
        assert text_jobs.losses([("html", "<p>Oaks</p>")], [("html", HOSTILE[name])]).losses
    assert cpu_seconds_of_ended_processes() - began < 25


def cpu_seconds_of_ended_processes() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def test_a_copy_of_excessive_size_is_refused():
    with pytest.raises(TextRefused):
        compare([("html", "<p>Oaks</p>")], [("html", "a" * (MAX_LENGTH + 1))])
