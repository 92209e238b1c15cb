"""What Kramdown adds to the posts of Jekyll is applied, or removed and reported. It is never shown as text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from io import BytesIO
from types import MappingProxyType
from zipfile import ZipFile

import pytest

from blogsvc.lib.markdown.render import render
from blogsvc.transfer.formats import detect
from blogsvc.transfer.formats.parsed_post import ParsedPost


def imported(
    text: str, name: str = "_posts/2020-01-02-a.md", others: Mapping[str, str] = MappingProxyType({})
) -> ParsedPost:
    """Return the post that a file of Jekyll becomes."""
    out = BytesIO()
    with ZipFile(out, "w") as zipped:
        for other, content in others.items():
            zipped.writestr(other, content)
        zipped.writestr(name, f"---\ntitle: A\nlayout: post\n---\n{text}")
    (post,) = detect.read(out, UTC, 1024 * 1024)[1]
    assert isinstance(post, ParsedPost)
    return post


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("* TOC\n{:toc}\n\nWords.", "[[toc]]\n\nWords."),
        ("1. Contents\n{: toc}", "[[toc]]"),
        ("## Heading {#own-id}", '## <a id="own-id"></a>Heading'),
        ("## Own id {#own-id}", "## Own id"),
        ("# C# {#csharp}", '# <a id="csharp"></a>C#'),
        ("## Heading ## {#own-id}", '## <a id="own-id"></a>Heading'),
        ("Heading {#own-id}\n-------", '<a id="own-id"></a>Heading\n-------'),
        ("Words.\n{: #here}", '<a id="here"></a>Words.'),
        ("- one\n- two\n{: #here}", '- <a id="here"></a>one\n- two'),
        ("| a |\n|---|\n{: #here}", '<a id="here"></a>\n\n| a |\n|---|'),
        ("## Alpha\n### Beta\n{: #beta-id}", '## Alpha\n### <a id="beta-id"></a>Beta'),
        ("## 1. First\n## Two\n### Next\n{: #x}", '## 1. First\n## Two\n### <a id="x"></a>Next'),
        ("## Alpha\nWords.\n{: #x}", '## Alpha\n<a id="x"></a>Words.'),
        ("Alpha\n-----\nWords.\n{: #x}", 'Alpha\n-----\n<a id="x"></a>Words.'),
        ("Words.\n## Alpha\n{: #x}\nMore.", 'Words.\n## <a id="x"></a>Alpha\nMore.'),
        ("## Alpha\n{: #alpha}", "## Alpha"),
        ("Words.\n```\na\n\nb\n```\n{: #x}", 'Words.\n<a id="x"></a>\n\n```\na\n\nb\n```'),
        ("Words.\n- one\n- two\n{: #x}", 'Words.\n- <a id="x"></a>one\n- two'),
        ("- one\n\n- two\n{: #x}", '- <a id="x"></a>one\n\n- two'),
        ("- one\n- two\n  {: #x}\n- three", '- one\n- <a id="x"></a>two\n- three'),
        ("- one\n\n  ## Alpha\n  {: #x}\n", '- one\n\n  ## <a id="x"></a>Alpha'),
        ("- {: #x} one\n- [ ] two\n{: #y}", '- <a id="y"></a><a id="x"></a>one\n- [ ] two'),
        ("- [ ] two\n{: #y}", '- [ ] <a id="y"></a>two'),
        ("> ## Alpha\n> {: #x}\n> Words.", '> ## <a id="x"></a>Alpha\n> Words.'),
        ("Words.\n{: #x}\nMore.", '<a id="x"></a>Words.\n\nMore.'),
        ("> Words.\n> {: #x}\n> More.", '> <a id="x"></a>Words.\n>\n> More.'),
        ("> Words.\n> {: #x}\n>\n> More.", '> <a id="x"></a>Words.\n>\n> More.'),
        ("> Words.\n> {: #x}\nMore.", '> <a id="x"></a>Words.\nMore.'),
        ("Words.\n{: #x}\n{: .note}", '> [!NOTE]\n> <a id="x"></a>Words.'),
        ("Words.\n{: .note #x}", '> [!NOTE]\n> <a id="x"></a>Words.'),
        ("{:hint: .note #x}\n\nWords.\n{: hint}", '\n> [!NOTE]\n> <a id="x"></a>Words.'.strip()),
        ('Words.\n{: id="x" class="note"}', '> [!NOTE]\n> <a id="x"></a>Words.'),
        ("![Boat](/a.png)\n{: #x}", '<a id="x"></a>\n\n![Boat](/a.png)'),
        ("## Alpha {#v1.2}", '## <a id="v1.2"></a>Alpha'),
        ("Words\nof two lines.\n{: .note}", "> [!NOTE]\n> Words\n> of two lines."),
        ("Words\n{: .note}\n> Others", "> [!NOTE]\n> Words\n\n> Others"),
        ("> Words.\n{: .prompt-warning }", "> [!WARNING]\n> Words."),
        ("{: .important }\n> Words.\n\nMore.", "> [!IMPORTANT]\n> Words.\n\nMore."),
        ("Words.\n{: .notice--danger}", "> [!CAUTION]\n> Words."),
        ("![Boat](/a.png){: .wide}", "![Boat](/a.png){.wide}"),
        ("![Boat](/a.png)\n{: .full}", "![Boat](/a.png){.full}"),
    ],
)
def test_what_our_pages_have_is_applied(written: str, markdown: str) -> None:
    post = imported(written)
    assert post.markdown == markdown
    assert not any("removed" in warning for warning in post.warnings)


@pytest.mark.parametrize(
    ("written", "markdown", "warning"),
    [
        ("Words.\n{: alt='Figure #1'}", "Words.", "The attributes {: alt='Figure #1'} were removed (line 6)."),
        ("- {:.big} one\n- two", "- one\n- two", "The attributes {:.big} were removed (line 5)."),
        ("[a](/b){: .btn .btn-primary}.", "[a](/b).", "The attributes {: .btn .btn-primary} were removed (line 5)."),
        ('One.\n\n*x*{: title="y"}', "One.\n\n*x*", 'The attributes {: title="y"} were removed (line 7).'),
        ("Words.\n{: .lead}", "Words.", "The attributes {: .lead} were removed (line 6)."),
        ("```ruby\nx\n```\n{: .lineno}", "```ruby\nx\n```", "The attributes {: .lineno} were removed (line 8)."),
        ("The HTML.\n\n*[HTML]: Words", "The HTML.", "The abbreviation HTML (Words) was removed (line 7)."),
        ("{::options a='b' /}\n\nWords.", "Words.", "The attributes {::options a='b' /} were removed (line 5)."),
    ],
)
def test_what_our_pages_do_not_have_is_removed_and_named(written: str, markdown: str, warning: str) -> None:
    post = imported(written)
    assert post.markdown == markdown
    assert warning in post.warnings


@pytest.mark.parametrize(
    "text",
    [
        "Write `{: .note}` below it.",
        "    {: .note}",
        "```\nWords.\n{: .note}\n```",
        "A set {a: 1} and *[x] and {:} in words.",
        "![Boat](/a.png){.wide}",
    ],
)
def test_code_and_other_braces_stay(text: str) -> None:
    post = imported(f"Before.\n\n{text}")
    assert post.markdown == f"Before.\n\n{text}"
    assert not any("removed" in warning for warning in post.warnings)


def test_a_link_to_an_own_id_reaches_its_heading() -> None:
    html = render(imported("[there](#own-id)\n\n## Heading {#own-id}").markdown)
    assert 'href="#in-own-id"' in html
    assert 'id="in-own-id"' in html


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        (
            "| a | b |\n|---|:-:|\n| `x|y` | z |\n| 1 | 2 | three |",
            "| a | b |  |\n| --- | :-: | --- |\n| `x\\|y` | z |\n| 1 | 2 | three |",
        ),
        ("| c | d |\n| e | f |", "|  |  |\n| --- | --- |\n| c | d |\n| e | f |"),
        ("| c | d |", "|  |  |\n| --- | --- |\n| c | d |"),
        ("c | d\ne | f", "|  |  |\n| --- | --- |\n| c | d |\n| e | f |"),
        ("|---|---|\n| c | d |", "|  |  |\n| --- | --- |\n| c | d |"),
        ("| a | b |\n|---+---|\n| c | d |", "| a | b |\n| --- | --- |\n| c | d |"),
        (
            "|---|\n| a |\n|:--|\n| b |\n|---|\n| c |\n|===|\n| d |\n|---|",
            "| a |\n| :-- |\n| b |\n| c |\n| d |",
        ),
        ("> | c | d |\n> | e | f |", "> |  |  |\n> | --- | --- |\n> | c | d |\n> | e | f |"),
        ("- One\n\n  | a |\n  |---|\n  | b | c |", "- One\n\n  | a |  |\n  | --- | --- |\n  | b | c |"),
        ("| a |\n|---|\n| <code>x|y</code> |", "| a |\n| --- |\n| <code>x\\|y</code> |"),
        ("| a |\n|---|\n| 1 \\| 2 | 3 |", "| a |  |\n| --- | --- |\n| 1 \\| 2 | 3 |"),
    ],
)
def test_tables_of_kramdown_keep_all_cells(written: str, markdown: str) -> None:
    post = imported(written)
    assert post.markdown == markdown
    assert "<table" in render(post.markdown)


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|:--|--:|\n| c | d |\n| e |",
        "| a | b |\n|---|---|",
        "Run `a | b` or\n`c | d` here.",
        "Home | About",
        "- a | b\n- c | d",
        "## a | b\n\nWords \\| more\nand \\| more.",
        "```\n| c | d |\n| e | f |\n```",
        "    | c | d |\n    | e | f |",
        "<div>\n| c | d |\n| e | f |\n</div>",
        "Words,\n| and more\n| words",
    ],
)
def test_other_tables_and_lines_with_bars_stay(text: str) -> None:
    assert imported(f"Before.\n\n{text}").markdown == f"Before.\n\n{text}"


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("**日本語「強調」**です。", "<strong>日本語「強調」</strong>です。"),
        ("**重要。**次 **한국어**는", "<strong>重要。</strong>次 <strong>한국어</strong>는"),
        ("*（注）*文字", "<em>（注）</em>文字"),
        ("これは_（注）_ です", "これは<em>（注）</em> です"),
        ('**"Stop!"**and', "<strong>“Stop!”</strong>and"),
        ("**Note:**text", "<strong>Note:</strong>text"),
        ("**Bonjour !**Il", "<strong>Bonjour !</strong>Il"),
        ("***「語」***です", "<strong><em>「語」</em></strong>です"),
        ("*a **「語」**で b*", "<em>a <strong>「語」</strong>で b</em>"),
        ("~~「語」~~です", "<del>「語」</del>です"),
        (
            "**「[a](/b_c*d)」**で `**「a」**で`",
            '<strong>「<a href="/b_c*d">a</a>」</strong>で <code>**「a」**で</code>',
        ),
        ("H~2~O and ~5~ and ~~no~~", "H~2~O and ~5~ and <s>no</s>"),
    ],
)
def test_the_emphasis_of_kramdown_is_kept_beside_all_letters(written: str, html: str) -> None:
    assert html in render(imported(written).markdown)


@pytest.mark.parametrize(
    "text",
    [
        "**Bold** and *it*, __b__ and _i_, ***both***.",
        "snake_case_word, 2 * 3 * 4, a*b and ** no **",
        "`**「a」**で` and\n\n    **「a」**で",
        r"\*\*「a」\*\*で",
        "It is ~5 and ~6, see https://a.example/~b/~c.",
        "* one\n* two*",
        "<a title='**「a」**で'>b</a>",
    ],
)
def test_other_marks_stay(text: str) -> None:
    assert imported(f"Before.\n\n{text}").markdown == f"Before.\n\n{text}"


@pytest.mark.parametrize("name", ["content/a.md", "src/content/a.md", "source/_posts/a.md"])
def test_other_programs_read_emphasis_and_tables_as_our_pages(name: str) -> None:
    text = "**「語」**です H~2~O\n\n| c | d |\n| e | f |"
    assert imported(text, name).markdown.replace("\\\n", "\n") == text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("_config.yml", "markdown: CommonMark"),
        ("_config.yml", "source_dir: source"),
        ("eleventy.config.js", "x"),
    ],
)
def test_settings_say_that_posts_are_not_written_in_kramdown(name: str, content: str) -> None:
    text = "**「語」**です"
    assert imported(text, others={name: content}).markdown == text


@pytest.mark.parametrize("name", ["src/content/a.md", "src/content/a.mdx", "notes/a.md", "blog/2020-01-02-a.md"])
@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("## Custom heading {#foo}", '## <a id="foo"></a>Custom heading'),
        ("## Foo {#foo}", "## Foo"),
        ("## Custom heading ## {#foo}", '## <a id="foo"></a>Custom heading'),
        ("- ## Custom {#foo}", '- ## <a id="foo"></a>Custom'),
        ("Custom {#foo}\n---", '<a id="foo"></a>Custom\n---'),
        ("Write `## Custom {#foo}`.", "Write `## Custom {#foo}`."),
        ("```\n## Custom {#foo}\n```", "```\n## Custom {#foo}\n```"),
        ("Words {#foo}", "Words {#foo}"),
    ],
)
def test_headings_of_all_programs_keep_their_ids(name: str, written: str, markdown: str) -> None:
    assert imported(f"Before.\n\n{written}", name).markdown == f"Before.\n\n{markdown}"


def test_the_ids_of_headings_in_comments_of_mdx_are_kept() -> None:
    post = imported("## Two {/* #bar */}\n\nA {/* #bar */}b", "blog/a.mdx")
    assert post.markdown == '## <a id="bar"></a>Two\n\nA b'


def test_blocks_of_svelte_in_headings_stay() -> None:
    assert imported("Before.\n\n## Use {#each}", "src/content/a.md").markdown == "Before.\n\n## Use {#each}"


def test_programs_without_kramdown_keep_the_text() -> None:
    post = imported("Words.\n{: .note}", name="src/content/a.md")
    assert post.markdown == "Words.\n{: .note}"


@pytest.mark.parametrize(
    ("written", "markdown", "removed"),
    [
        ("![i](a.png)\n{width=300 loading=lazy}", "![i](a.png)", "{width=300 loading=lazy}"),
        ('Words.\n{style="color: red"}', "Words.", '{style="color: red"}'),
        ("Words.\n{ data-x='a \"b\"', .c }\nOthers.", "Words.\n\nOthers.", "{ data-x='a \"b\"', .c }"),
        ('> quote\n{cite="https://x.example/?a"}', "> quote", '{cite="https://x.example/?a"}'),
        ('Words.\n{title="T" .lead}', "Words.", '{title="T" .lead}'),
        ('| a |\n|---|\n| 1 |\n{class="wide-table"}', "| a |\n|---|\n| 1 |", '{class="wide-table"}'),
        ("- a\n- b\n{ .x }", "- a\n- b", "{ .x }"),
        ("```go\nx\n```\n{linenos=table}", "```go\nx\n```", "{linenos=table}"),
        ("Before.\n\n{x=1}\n\nAfter.", "Before.\n\n\nAfter.", "{x=1}"),
        ("## Heading {key=v}", "## Heading", "{key=v}"),
        ("## Heading {-}", "## Heading", "{-}"),
        ('Words.\n{title="T" #x}', '<a id="x"></a>Words.', '{title="T" #x}'),
        ("![i](a.png)\n{width=300 .wide}", "![i](a.png){.wide}", "{width=300 .wide}"),
        ("Words.\n{.note width=3}", "> [!NOTE]\n> Words.", "{.note width=3}"),
    ],
)
@pytest.mark.parametrize("name", ["content/posts/a.md", "a.md"])
def test_attributes_with_values_are_removed_and_named(name: str, written: str, markdown: str, removed: str) -> None:
    post = imported(written, name, {"hugo.toml": ""} if name.startswith("content") else {".eleventy.js": ""})
    assert post.markdown == markdown
    assert [warning.partition(" were removed")[0] for warning in post.warnings if "removed" in warning] == [
        f"The attributes {removed}"
    ]


@pytest.mark.parametrize("text", ["{a, b}", "{x = 1}", "{ return x; }", "x\n{a=1} and", "`a`\n\n    {a=1}", "{a=1 b}"])
def test_braces_with_other_words_stay(text: str) -> None:
    assert imported(f"Before.\n\n{text}", "content/posts/a.md", {"hugo.toml": ""}).markdown == f"Before.\n\n{text}"


def test_lists_without_a_colon_are_words_in_kramdown() -> None:
    assert imported("Words.\n{a=1}").markdown == "Words.\n{a=1}"


@pytest.mark.parametrize("name", ["_posts/2020-01-02-a.md", "a.md"])
@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        (
            '<div class="x" markdown="1">\n*a*[^1]\n</div>\nb\n\n[^1]: c',
            '<div class="x">\n\n*a*[^1]\n\n</div>\n\nb\n\n[^1]: c',
        ),
        ("<div markdown='block'>*a*</div>", "<div>\n\n*a*\n\n</div>"),
        ("<div markdown=1>\n\n*a*\n\n</div>", "<div>\n\n*a*\n\n</div>"),
        ("<div markdown>\n- *a*\n</div>", "<div>\n\n- *a*\n\n</div>"),
        ('<div markdown="span">*a*</div>', "<div>\n\n*a*\n\n</div>"),
        ('<div markdown="0">*a*</div>', "<div>*a*</div>"),
        (
            '<details markdown="1"><summary markdown="span">*a*</summary>\n- b\n</details>',
            "<details>\n\n<summary><em>a</em></summary>\n\n- b\n\n</details>",
        ),
        ('<p markdown="1">*a* [b]</p>\n\n[b]: /c', '<p><em>a</em> <a href="/c">b</a></p>\n\n[b]: /c'),
        (
            '<table><tr><td markdown="1">*a*</td><td>*b*</td></tr></table>',
            "<table><tr><td><em>a</em></td><td>*b*</td></tr></table>",
        ),
        (
            '<section markdown="1">\n<div markdown="1">\n*a*\n</div>\n<div>\n*b*\n</div>\n*c*\n</section>',
            "<section>\n\n<div>\n\n*a*\n\n</div>\n\n<div>\n*b*\n</div>\n\n*c*\n\n</section>",
        ),
        ('- x\n  <div markdown="1">\n  *a*\n  </div>\n- y', "- x\n  <div>\n\n  *a*\n\n  </div>\n\n- y"),
        ('> <div markdown="1">\n> *a*\n> </div>', "> <div>\n>\n> *a*\n>\n> </div>"),
        ('a <span markdown="1">*b*</span> c', "a <span>*b*</span> c"),
        ('`<div markdown="1">*a*</div>`', '`<div markdown="1">*a*</div>`'),
        ('<!-- <div markdown="1">*a*</div> -->', '<!-- <div markdown="1">*a*</div> -->'),
        ('<div markdown="1">\n*a*', "<div>\n*a*"),
        ('<div markdown="1"></div>', "<div></div>"),
    ],
)
def test_markdown_in_elements_is_read(name: str, written: str, markdown: str) -> None:
    assert imported(written, name).markdown == markdown


def test_goldmark_reads_no_markdown_in_elements() -> None:
    text = '<div markdown="1">\n*a*\n</div>'
    assert imported(text, "content/posts/a.md", {"hugo.toml": ""}).markdown == text


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("He said <<guillemets>> and << Bonjour >> end.", "He said «guillemets» and «&nbsp;Bonjour&nbsp;» end."),
        ("<b>a</b>> <<*b*>>", "<b>a</b>> «*b*»"),
        (">> quoted << a\n>> more >>", ">> quoted «&nbsp;a\n>> more&nbsp;»"),
        (r"\<<a\>> `<<b>>`" + "\n\n    a << b\n\n$$a << b$$", "&lt;&lt;a&gt;&gt; `<<b>>`\n\n    a << b\n\n$$a << b$$"),
        ('<a title=">>">b</a>', '<a title=">>">b</a>'),
    ],
)
def test_guillemets_are_shown(written: str, markdown: str) -> None:
    assert imported(written).markdown == markdown
    assert imported(written, "src/content/a.md").markdown == written


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("one\\\\\ntwo", "one\\\ntwo"),
        ("one\\\\\\\\\ntwo", "one\\\\\\\ntwo"),
        ("> one\\\\\n> two\\\\\n\n- a\\\\\n  b", "> one\\\n> two\\\\\n\n- a\\\n  b"),
        ("* a\n\n^\n\n* b", "* a\n\n<!-- -->\n\n* b"),
        ("* a\n^\n    code", "* a\n<!-- -->\n\n    code"),
        ("a\n^\nb", "a\n\nb"),
        ("> - a\n>\n> ^\n>\n> - b", "> - a\n>\n> <!-- -->\n>\n> - b"),
    ],
)
def test_line_breaks_and_ends_of_blocks_are_ours(written: str, markdown: str) -> None:
    assert imported(written).markdown == markdown
    assert imported(written, "src/content/a.md").markdown == written


@pytest.mark.parametrize(
    "text",
    [
        "$$\na \\\\\nb\n$$",
        "```\na\\\\\n^\nb\n```",
        "`a\\\\\nb`",
        "one\\\ntwo",
        "one\\\\\n\ntwo\\\\",
        "a ^ b\n^c",
        "<div>\na\\\\\nb\n</div>",
    ],
)
def test_other_backslashes_and_carets_stay(text: str) -> None:
    assert imported(f"Before.\n\n{text}").markdown == f"Before.\n\n{text}"


SETTINGS = "kramdown:\n  parse_block_html: true\n  hard_wrap: true\n"
OPTION = '{::options parse_block_html="true" /}\n\n'


def test_settings_of_kramdown_are_read() -> None:
    text = "<div>\n*a*\nb\n</div>\n<p>*c*</p>\n\n<script>\n*d*\n</script>"
    shown = imported(text, others={"_config.yml": SETTINGS}).markdown
    assert shown.startswith("<div>\n\n*a*\\\nb\n\n</div>\n\n<p><em>c</em></p>")
    assert "<em>d" not in shown
    assert imported(f"{OPTION}<div>\n*a*\n</div>").markdown.strip() == "<div>\n\n*a*\n\n</div>"
    assert imported("<div>\n*a*\nb\n</div>", others={"_config.yml": "a: b"}).markdown == "<div>\n*a*\nb\n</div>"
