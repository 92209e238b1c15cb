"""What Hashnode, Zenn, HackMD and DEV add to Markdown arrives as their readers saw it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import found, markdown, zipped

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"
OF_HASHNODE = HEAD.replace("date", "cuid: ckx1\ndate")
NAMES = ["posts/a.md", "_posts/2020-01-02-a.md", "content/a.md", "src/content/a.md", "blog/a.mdx"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('![Alt](https://cdn.example/a.png align="left")', "![Alt](https://cdn.example/a.png)"),
        ('![](https://cdn.example/b.png align="center") x', "![](https://cdn.example/b.png) x"),
        ('![A [b]](https://cdn.example/b_(1).png  align="center" )', "![A [b]](https://cdn.example/b_(1).png)"),
        ("![](https://x.example/a.png =250x)", "![](https://x.example/a.png)"),
        ('![a](https://x.example/a.png =60%x100 "T")', '![a](https://x.example/a.png "T")'),
        ("![a](https://x.example/a.png 'T' =x100)", "![a](https://x.example/a.png 'T')"),
        ("![a](<https://x.example/a.png> =100x100)", "![a](<https://x.example/a.png>)"),
        ("![My photo](https://x.example/my photo 1.png)", "![My photo](https://x.example/my%20photo%201.png)"),
        ('![a](https://x.example/my photo.JPG "A title")', '![a](https://x.example/my%20photo.JPG "A title")'),
        ("`![](https://x.example/a.png =250x)` `![](a b.png)`", None),
        ('![a](https://x.example/a.png "T") [b](/c \'align="x"\') (a =250x)', None),
    ],
)
def test_images_have_only_an_address_and_a_title(tmp_path: Path, name: str, written: str, shown: str | None) -> None:
    assert markdown(tmp_path, HEAD + written, name).markdown == (shown or written)


def test_addresses_with_spaces_are_links_in_kramdown_only(tmp_path: Path) -> None:
    written = "[k](/a b c) [l](/d e 'T') `[m](/f g)` [n] (o p)"
    shown = "[k](/a%20b%20c) [l](/d%20e 'T') `[m](/f g)` [n] (o p)"
    assert markdown(tmp_path, HEAD + written, "_posts/2020-01-02-a.md").markdown == shown
    assert markdown(tmp_path, HEAD + written, "src/content/a.md").markdown == written


@pytest.mark.parametrize(
    ("written", "shown", "warning"),
    [
        ("%[https://youtu.be/abc]", "<https://youtu.be/abc>", "The content embedded with %[] is a link now (line 6)."),
        ("%%[my-widget]\n\nx", "x", "The widget %%[my-widget] was removed (line 6)."),
        (
            "@[youtube](abc-1)",
            "<https://www.youtube.com/watch?v=abc-1>",
            "The content embedded with youtube is a link now (line 6).",
        ),
        ("@[card](https://c.example)", "<https://c.example>", "The content embedded with card is a link now (line 6)."),
        ("100%[a] `%[https://youtu.be/abc]` @[Ann](https://a.example) a@[card](b)", None, ""),
    ],
)
def test_embedded_pages_are_links(tmp_path: Path, written: str, shown: str | None, warning: str) -> None:
    post = markdown(tmp_path, OF_HASHNODE + written, "posts/a.md")
    assert post.markdown == (written if shown is None else shown)
    assert [one for one in post.warnings if "date" not in one] == ([warning] if warning else [])


def test_mentions_of_hashnode_lead_to_its_pages(tmp_path: Path) -> None:
    written = "Thanks [Ann *B*](@ann-b) `[c](@d)`."
    shown = "Thanks [Ann *B*](https://hashnode.com/@ann-b) `[c](@d)`."
    assert markdown(tmp_path, OF_HASHNODE + written).markdown == shown
    assert markdown(tmp_path, HEAD + written).markdown == written


ONLY_WORDS = "The {} is only words now: no page can have it (line 5)."


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize(
    ("written", "shown", "named"),
    [
        ("A ![f](file:///Users/x/a.png) end.", "A f end.", ["image file:///Users/x/a.png"]),
        ("A [*l* m](file:///x/y.pdf 'T') end.", "A *l* m end.", ["link to file:///x/y.pdf"]),
        ("A ![](file:///x/y%20z.png) end.", "A  end.", ["image file:///x/y%20z.png"]),
        (
            "[![a](file:///b.png)](https://a.example) [![a](/a.png)](file:///c)",
            "[a](https://a.example) ![a](/a.png)",
            ["image file:///b.png", "link to file:///c"],
        ),
        ("[o](obsidian://open?x=1)", None, ["link to obsidian://open?x=1"]),
        ("`![f](file:///x)` [a](https://a.example/file:///x) (file: x)", None, []),
    ],
)
def test_links_that_markdown_refuses_are_words_and_are_named(
    tmp_path: Path, name: str, written: str, shown: str | None, named: list[str]
) -> None:
    post = markdown(tmp_path, HEAD + written, name)
    assert post.markdown == (shown or written)
    assert [one for one in post.warnings if "only words" in one] == [ONLY_WORDS.format(one) for one in named]


OF_DEV = HEAD.replace("date", "published: true\ndate")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("{% link a/b-1 %}", "<https://dev.to/a/b-1>"),
        ("{% post a/b-1 %}", "<https://dev.to/a/b-1>"),
        ("{% github a/b.js no-readme %}", "<https://github.com/a/b.js>"),
        ("{% twitter 123 %}", "<https://x.com/i/status/123>"),
        ("{% user ann %} and {% tag python %}", "<https://dev.to/ann> and <https://dev.to/t/python>"),
        ("{% spotify spotify:track:1Ab %}", "<https://open.spotify.com/track/1Ab>"),
        ("{% embed https://youtu.be/abc %}", "<https://youtu.be/abc>"),
        ("[x]({% link posts/b.md %})", "[x](/b)"),
        ("`{% link a/b-1 %}`", "`{% link a/b-1 %}`"),
        (
            "The `{% raw %}` tag, `{% endraw %}` and `{{ '{{' }}`.\n\n```\n{% raw %}\n```",
            "The `{% raw %}` tag, `{% endraw %}` and `{{ '{{' }}`.\n\n```\n{% raw %}\n```",
        ),
        ("{% raw %}{{ a }}{% endraw %} `b`", "{{ a }} `b`"),
        ("a {% cta https://b.example %} Press *me* {% endcta %} c", "a [Press *me*](https://b.example) c"),
        ("a {% comment 1a2b %}b", "a b"),
    ],
)
def test_tags_of_dev_are_links(tmp_path: Path, written: str, shown: str) -> None:
    assert markdown(tmp_path, OF_DEV + written, "posts/a.md").markdown == shown


@pytest.mark.parametrize(
    ("name", "written", "shown"),
    [
        (
            "posts/a.md",
            "A\n{% details Sum & more %}\nBody *x*\n{% enddetails %}\nB",
            "A\n\n<details><summary>Sum &amp; more</summary>\n\nBody *x*\n\n</details>\n\nB",
        ),
        (
            "posts/a.md",
            "{% collapsible A %}\n{% spoiler %}\nB\n{% endspoiler %}\n{% endcollapsible %}",
            "<details><summary>A</summary>\n\n<details><summary>Details</summary>\n\nB\n\n</details>\n\n</details>",
        ),
        ("posts/a.md", "{% details A %} B", "B"),
        (
            "_posts/2020-01-02-a.md",
            "{% details A %}B{% enddetails %}",
            "<details><summary>A</summary>\n\nB\n\n</details>",
        ),
        (
            "content/a.md",
            '{{< details summary="A b" open=true >}}\nB\n{{< /details >}}',
            "<details open><summary>A b</summary>\n\nB\n\n</details>",
        ),
    ],
)
def test_folded_content_stays_folded(tmp_path: Path, name: str, written: str, shown: str) -> None:
    post = markdown(tmp_path, OF_DEV + written, name)
    assert post.markdown.strip() == shown
    assert ("removed" in " ".join(post.warnings)) is (written == "{% details A %} B")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("```js:src/a.js\nx: y\n```", '```js title="src/a.js"\nx: y\n```'),
        ("```js:title=src/a.js\nx\n```", '```js title="src/a.js"\nx\n```'),
        ("~~~diff js:a.js {1}\nx\n~~~", '~~~diff title="a.js" {1}\nx\n~~~'),
        ("```ts [config.ts]\nx\n```", '```ts title="config.ts"\nx\n```'),
        ("```docker:Dockerfile\nx\n```", '```docker title="Dockerfile"\nx\n```'),
        ("```js:no-line-numbers\nx\n```", "```js\nx\n```"),
        ("- a\n\n  ```rb:a.rb\n  x\n  ```", '- a\n\n  ```rb title="a.rb"\n  x\n  ```'),
        ("> ```rb:a.rb\n> x\n> ```", '> ```rb title="a.rb"\n> x\n> ```'),
        ("````\n```js:a.js\n```\n````", None),
        ('```js title="a:b.js"\n```', None),
        ("```js\na:b.js\n```\n\n`js:a.js`", None),
    ],
)
def test_code_blocks_keep_their_languages_and_files(tmp_path: Path, name: str, written: str, shown: str | None) -> None:
    assert markdown(tmp_path, HEAD + written, name).markdown == (shown or written)


def test_the_topics_of_zenn_are_tags(tmp_path: Path) -> None:
    assert markdown(tmp_path, HEAD.replace("date", "topics: [a, b c]\ndate") + "x").tags == ("a", "b c")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<aside>\n💡 A **b** [c](/d)\n\n- e\n\n</aside>\n\nf", "> 💡 A **b** [c](/d)\n>\n> - e\n>\n\n\nf"),
        (
            '<aside>\n<img src="https://n.example/i.svg" alt="i" width="40px" />\nA **b**\n</aside>',
            '> <img src="https://n.example/i.svg" alt="i" width="40px" />\n>\n> A **b**',
        ),
        ("- a\n    \n    <aside>\n    💡 *b*\n    \n    </aside>", "- a\n    \n\n    > 💡 *b*\n    >"),
        ("<aside>\na\n\n<aside>\n*b*\n\n</aside>\n</aside>", "> a\n>\n>\n> > *b*\n> >\n>"),
        ("```\n<aside>\n*b*\n</aside>\n```", None),
        ("<aside>\n\nA **b**\n\n</aside>", None),
        ("<aside>\n<p>a</p>\n</aside>", None),
    ],
)
def test_callouts_of_notion_are_quotations(tmp_path: Path, written: str, shown: str | None) -> None:
    assert markdown(tmp_path, HEAD + written, "A post 0123456789abcdef0123456789abcdef.md").markdown.strip() == (
        shown or written
    )
    assert markdown(tmp_path, HEAD + written, "_posts/2020-01-02-a.md").markdown == written


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("<aside>\nWords\n</aside>\n\naside> x", "\n> Words\n\n\naside> x"),
        ("a `{=html} b", "a `{=html} b"),
        ("`a` words `{=html} z", "`a` words `{=html} z"),
        ("```{=html}\n<b>x</b>\nlast", "\n<b>x</b>\nlast"),
        ("{{< user ann >}} words", "words"),
    ],
)
def test_what_only_looks_like_a_notation_loses_no_words(tmp_path: Path, written: str, markdown: str) -> None:
    post = found(zipped(tmp_path, {"a.md": f"---\ntitle: A\ndate: 2020-01-02\n---\n{written}\n"}))[0]["a"]
    assert post.markdown.strip() == markdown.strip()


def test_equal_parts_are_reported_with_the_line_of_each(tmp_path: Path) -> None:
    text = "---\ntitle: A\ndate: 2020-01-02\n---\nOne\n{: .foo}\n\nTwo\n{: .foo}\n"
    post = found(zipped(tmp_path, {"_posts/2020-01-02-a.md": text}))[0]["a"]
    assert post.warnings == ("The attributes {: .foo} were removed (lines 6, 9).",)
