"""File names and languages of code blocks."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert, convert_pasted
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.plain import plain, written_words
from tests.blog.test_prose import shown


@pytest.mark.parametrize(
    "info",
    [
        'nothing-known title="a b.txt"',
        "nothing-known title='a b.txt'",
        'nothing-known {3-5} file="a b.txt" numbers',
        'nothing-known{1} filename="a b.txt"',
        'title="a b.txt"',
    ],
)
def test_a_file_name_is_the_caption_of_the_code(info: str) -> None:
    block = '<pre class="code" tabindex="0"><code>x\n</code></pre>'
    assert render(f"```{info}\nx\n```") == (f'<figure class="code"><figcaption>a b.txt</figcaption>{block}</figure>\n')


def test_a_file_name_is_escaped() -> None:
    assert "<figcaption>&lt;b&gt; &amp; c</figcaption>" in render('~~~ title="<b> &amp; c"\nx\n~~~')


@pytest.mark.parametrize(
    "info", ["python {3-5}", "python{3-5}", "python numbers", "python subtitle=x", 'python title=""']
)
def test_what_else_follows_the_language_is_not_shown(info: str) -> None:
    html = render(f"```{info}\nx\n```")
    assert html.startswith('<pre class="code" tabindex="0"><code class="language-python">')
    assert plain(html) == "x"


def test_the_bar_of_code_names_the_file_and_the_language() -> None:
    html = shown('```python title="steam.py"\nx\n```')
    assert html.startswith(
        '<figure class="code"><figcaption><span dir="ltr">steam.py</span> <span>Python</span><button type="button"'
        ' data-copy="Copied" hidden>Copy</button></figcaption><pre class="code" tabindex="0" translate="no"><code'
    )
    assert html.endswith("</code></pre></figure>")
    assert html.count("<figure") == html.count("<figcaption") == 1


@pytest.mark.parametrize(
    "text", ['```python title="steam.py"\nx = 1\n```', '``` title="a b.txt"\nx\n```', "```python\nx\n```"]
)
def test_code_is_the_same_markdown_again_after_a_round_trip(text: str) -> None:
    assert convert(render(text)).markdown == text
    assert convert_pasted(render(text)).markdown == text
    assert convert_pasted(shown(text)).markdown == text


def test_what_follows_a_fence_is_no_word_of_the_text() -> None:
    assert written_words('a\n\n```python title="b c" {1}\nd\n```\n\n~~~ e\nf\n~~~\n') == 3
