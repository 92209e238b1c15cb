"""What Pandoc, Quarto and markdown-it-attrs add to Markdown is applied, or removed and named. It is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import markdown

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"


def removals(warnings: tuple[str, ...]) -> list[str]:
    return [warning.partition(" (line")[0] for warning in warnings if " removed" in warning]


@pytest.mark.parametrize("name", ["a.md", "content/posts/a.md"])
@pytest.mark.parametrize(
    ("written", "shown", "removed"),
    [
        ("![a](/b.png){width=50%} c", "![a](/b.png) c", "{width=50%}"),
        ("![a](/b.png){.wide}", "![a](/b.png){.wide}", ""),
        ('![a](/b.png "T"){.full width=3}', '![a](/b.png "T"){.full}', "{.full width=3}"),
        ('![a "b"](/c.png){fig-alt="D [e]"}', '![D \\[e\\]](/c.png "a \\"b\\"")', '{fig-alt="D [e]"}'),
        ("![a](/b.png){width=50% #c}", '<a id="c"></a>\n\n![a](/b.png)', "{width=50% #c}"),
        ("- ![a](</b c.png>){#c}", '- <a id="c"></a>\n\n  ![a](</b c.png>)', ""),
        ("See ![a](/b.png){#c}", 'See <a id="c"></a>![a](/b.png)', ""),
        ("[![a](/b.png){width=3}](/c_(d)){.e}", "[![a](/b.png)](/c_(d))", "{width=3}|{.e}"),
        ('[a](/b){target="_blank" rel=nofollow}.', "[a](/b).", '{target="_blank" rel=nofollow}'),
        ("[a](/b){#c}", '[a](/b)<a id="c"></a>', ""),
        ("<https://a.example>{.uri}", "<https://a.example>", "{.uri}"),
        ("![r]{width=3} [a][r]{.b}\n\n[r]: /b.png", "![r] [a][r]\n\n[r]: /b.png", "{width=3}|{.b}"),
        ("A [*b* [c](/d) e]{.smallcaps}.", "A *b* [c](/d) e.", "{.smallcaps}"),
        ("[two\nlines]{.x}", "two\nlines", "{.x}"),
        ("[a]{.underline} [b]{.mark #c} [d]{.kbd}", '<u>a</u> <a id="c"></a><mark>b</mark> <kbd>d</kbd>', ""),
        ("[a [b](/c){.d}]{.mark}", "<mark>a [b](/c)</mark>", "{.d}"),
        ("`a = 1`{.python} **b**{.red}", "`a = 1` **b**", "{.python}|{.red}"),
        ("`<b>a</b>`{=html} b", "<b>a</b> b", ""),
    ],
)
def test_attributes_in_a_line_are_applied_or_removed(
    tmp_path: Path, name: str, written: str, shown: str, removed: str
) -> None:
    post = markdown(tmp_path, HEAD + written, name)
    assert post.markdown == shown
    assert removals(post.warnings) == [f"The attributes {one} were removed" for one in removed.split("|") if one]


@pytest.mark.parametrize(
    "text",
    [
        r"\sqrt[3]{a=b} and \x[y]{.z}",
        "$\\x [a]{b=c}$ and $$[a]{.b}$$",
        "`[a]{.b}` and\n\n    [a]{.b}\n\n```\n![a](b){.c}\n```",
        r"\[a]{.b}",
        "f(x){.a} [a] {.b} [c]{d e} [f]{} a{.b} [^1]{.a}",
        "[a\n\nb]{.c}",
    ],
)
def test_code_formulas_and_other_braces_stay(tmp_path: Path, text: str) -> None:
    post = markdown(tmp_path, f"{HEAD}Before.\n\n{text}", "a.md")
    assert (post.markdown, post.warnings) == (f"Before.\n\n{text}", ())


@pytest.mark.parametrize("name", ["_posts/2020-01-02-a.md", "src/content/a.md"])
def test_programs_without_such_attributes_keep_the_text(tmp_path: Path, name: str) -> None:
    assert markdown(tmp_path, f"{HEAD}![a](/b.png){{width=3}}", name).markdown == "![a](/b.png){width=3}"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('```{.python .numberLines filename="a.py"}\nx\n```', '```python title="a.py"\nx\n```'),
        ("``` {.haskell}\nx\n```", "```haskell\nx\n```"),
        ("```{r, echo=FALSE}\nx\n```", "```r\nx\n```"),
        ("- a\n\n  ~~~ {#x .rust}\n  y\n  ~~~", "- a\n\n  ~~~rust\n  y\n  ~~~"),
        ("a\n\n```{=html}\n<b>\nc</b>\n```\n\nd", "a\n\n\n<b>\nc</b>\n\n\nd"),
        ("> ```{=html}\n> <b>c</b>\n> ```\n> d", ">\n> <b>c</b>\n>\n> d"),
        ("```go {linenos=table}\nx\n```", "```go {linenos=table}\nx\n```"),
        ("````\n```{.python}\n```\n````", "````\n```{.python}\n```\n````"),
    ],
)
def test_code_keeps_the_language_in_its_attributes(tmp_path: Path, written: str, shown: str) -> None:
    post = markdown(tmp_path, HEAD + written, "a.md")
    assert (post.markdown, post.warnings) == (shown, ())


def test_what_is_raw_for_other_formats_is_removed_and_named(tmp_path: Path) -> None:
    post = markdown(tmp_path, HEAD + "a `\\b`{=latex}\n\n```{=latex}\nc\n\nd\n```\n\ne", "a.md")
    assert post.markdown.split() == ["a", "e"]
    assert post.warnings == (
        "The text ```{=latex} c d ``` was removed (line 7).",
        "The text `\\b`{=latex} was removed (line 5).",
    )


TABLE = "| a |\n|---|\n| b |\n\n"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (": A caption", "*A caption*"),
        ("Table: A *short* one {#tbl-a}", '<a id="tbl-a"></a>A *short* one'),
        (": In two\nlines\n\nMore.", "*In two\nlines*\n\nMore."),
        ("Table:", "Table:"),
        ("Words: others", "Words: others"),
    ],
)
def test_captions_of_tables_are_shown_without_their_mark(tmp_path: Path, written: str, shown: str) -> None:
    assert markdown(tmp_path, HEAD + TABLE + written, "a.md").markdown == TABLE + shown


def test_a_caption_above_its_table_defines_no_words(tmp_path: Path) -> None:
    table = "| a |\n|---|\n| b |"
    text = f"Words\n\n: A caption {{#tbl-a}}\n\n{table}"
    assert markdown(tmp_path, HEAD + text, "a.md").markdown == f'Words\n\n<a id="tbl-a"></a>*A caption*\n\n{table}'
    assert "<dl>" in markdown(tmp_path, HEAD + text, "_posts/2020-01-02-a.md").markdown
