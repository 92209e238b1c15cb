"""What Kramdown adds to the posts of Jekyll is applied, or removed and reported. It is never shown as text."""

from __future__ import annotations

from datetime import UTC
from io import BytesIO
from zipfile import ZipFile

import pytest

from blogsvc.lib.markdown.render import render
from blogsvc.transfer.formats import detect
from blogsvc.transfer.formats.parsed_post import ParsedPost


def imported(text: str, name: str = "_posts/2020-01-02-a.md") -> ParsedPost:
    """Return the post that a file of Jekyll becomes."""
    out = BytesIO()
    with ZipFile(out, "w") as zipped:
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
