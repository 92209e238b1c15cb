"""Admonitions of Docusaurus, Starlight and VitePress become callouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import markdown

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"


@pytest.mark.parametrize("name", ["blog/a.md", "blog/a.mdx", "src/content/blog/a.md"])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (":::note My title\n\nContent **x**\n\n:::", "> [!NOTE] My title\n>\n> Content **x**\n>"),
        (":::tip[Bracket *title* [x](/b)]\nY\n:::", "> [!TIP] Bracket *title* [x](/b)\n> Y"),
        ("::: danger\nY\n:::\nAfter", "> [!CAUTION]\n> Y\n\nAfter"),
        ("Before\n:::info\n- a\n\n  b\n:::", "Before\n\n> [!NOTE]\n> - a\n>\n>   b"),
        ("::: details Click me\nY\n:::", "> [!NOTE]- Click me\n> Y"),
        ("::: details\nY\n:::", "> [!NOTE]- Details\n> Y"),
        ("::::note\nA\n\n:::tip T\nB\n:::\n::::", "> [!NOTE]\n> A\n>\n> > [!TIP] T\n> > B\n>"),
        (":::note\nA\n:::\n:::tip\nB\n:::", "> [!NOTE]\n> A\n\n> [!TIP]\n> B"),
        ("- item\n\n  :::warning\n  Y\n\n      z\n  :::", None),
        (":::note\n```\n:::\n```\n:::", "> [!NOTE]\n> ```\n> :::\n> ```"),
        (":::message\nA\n:::", "> [!NOTE]\n> A"),
        (":::message alert\nA\n:::", "> [!CAUTION]\n> A"),
        (":::note warn\nA\n:::", "> [!WARNING]\n> A"),
        ("```\n:::note\nA\n:::\n```", "```\n:::note\nA\n:::\n```"),
        ("::: gallery\n![](/a.png)\n:::", "::: gallery\n![](/a.png)\n:::"),
        (":::note is a word, without an end", ":::note is a word, without an end"),
    ],
)
def test_an_admonition_becomes_a_callout(tmp_path: Path, text: str, shown: str | None, name: str) -> None:
    post = markdown(tmp_path, HEAD + text, name)
    if shown is None:
        assert post.markdown.startswith("- item\n\n  > [!WARNING]\n  > Y\n  >\n  >")
    else:
        assert post.markdown.rstrip() == shown
    assert all("image is" in warning for warning in post.warnings)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::: code-group\n```js\na\n```\n:::", "```js\na\n```"),
        ("::: center\nWords\n:::\n\nmore", "Words\n\n\nmore"),
        ('::: {.callout-tip title="T"}\nWords\n:::', "> [!TIP] T\n> Words"),
    ],
)
def test_the_fences_of_other_containers_are_left_out(tmp_path: Path, text: str, shown: str) -> None:
    post = markdown(tmp_path, HEAD + text, "blog/a.md")
    assert post.markdown.strip() == shown
    if "callout" not in text:
        (warning,) = post.warnings
        assert warning == f"The container {text.splitlines()[0]} was removed; its content was kept (line 5)."


@pytest.mark.parametrize("name", ["_posts/2020-01-02-a.md", "content/posts/a.md"])
def test_programs_without_admonitions_show_them(tmp_path: Path, name: str) -> None:
    text = ":::note\nA\n:::"
    head = HEAD if name.startswith("_") else "+++\ntitle = 'A'\n+++\n"
    assert markdown(tmp_path, head + text, name).markdown == text
