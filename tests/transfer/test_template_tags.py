"""Text about templates stays, and what templates hide is not published: tags of Jekyll, Hugo and others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transfer.test_formats import found, markdown, zipped

HEXO = "source/_posts/a.md"
JEKYLL, HUGO, ASTRO = "_posts/2020-01-02-a.md", "content/a.md", "src/content/blog/a.md"
HEAD, TOML = "---\ntitle: A\ndate: 2020-01-02\n---\n", '+++\ntitle = "A"\ndate = 2020-01-02\n+++\n'


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        (JEKYLL, "a {% comment %}Secret{% endcomment %}b", "a b"),
        (JEKYLL, "a {%- comment -%}Secret\n\n```\nx\n{%- endcomment -%}b", "a b"),
        (JEKYLL, "a {% comment %}x {% comment %}y{% endcomment %} Secret{% endcomment %}b", "a b"),
        (JEKYLL, "a {% comment %}{% raw %}{% endcomment %}{% endraw %}Secret{% endcomment %}b", "a b"),
        (JEKYLL, "```\na {% comment %}Secret{% endcomment %}b\n```", "```\na b\n```"),
        (JEKYLL, "a {% # Secret %}{% comment %}{# Secret #}{% endcomment %}b", "a b"),
        (HEXO, "a {% # Secret %}b {# Secret #}c", "a b c"),
        (JEKYLL, "a {::comment}Secret\n\n*x*{:/comment}b {::comment}Secret{:/}c", "a b c"),
        (JEKYLL, "a\n\n{::comment}\nSecret\n{:/comment}\n\nb", "a\n\n\n\nb"),
        (HUGO, "a {{< comment >}}Secret{{< /comment >}}b {{% comment %}}Secret{{% /comment %}}c", "a b c"),
        ("a.md", "a {% comment %}Secret{% endcomment %}b {{< comment >}}Secret{{< /comment >}}c", "a b c"),
    ],
)
def test_what_a_template_hides_is_removed(tmp_path: Path, name: str, text: str, shown: str) -> None:
    post = markdown(tmp_path, HEAD + text, name)
    assert post.markdown == shown
    assert post.status == "published"
    assert "A comment, which the old blog did not show, was removed" in post.warnings[0]


@pytest.mark.parametrize(
    ("name", "text", "tag"),
    [
        (JEKYLL, "a {% if site.is_draft %}Secret{% endif %}", "{% if site.is_draft %}"),
        (JEKYLL, "a {% comment %}Secret", "a comment without an end"),
        (JEKYLL, "a {::comment}Secret", "a comment without an end"),
        (HUGO, '{{% box role="editor" %}}Secret{{% /box %}}', '{{% box role="editor" %}}'),
        (HUGO, '{{< members-only level="1" >}}Secret{{< /members-only >}}', '{{< members-only level="1" >}}'),
    ],
)
def test_a_post_with_text_that_the_old_blog_may_have_hidden_is_a_draft(
    tmp_path: Path, name: str, text: str, tag: str
) -> None:
    post = markdown(tmp_path, HEAD + text, name)
    assert (post.status, "Secret" in post.markdown) == ("draft", True)
    assert f"The old blog may have hidden the text in {tag}. The post is imported as a draft (line 5)." in post.warnings


@pytest.mark.parametrize(
    ("name", "head", "text", "shown"),
    [
        (JEKYLL, HEAD, "`{% raw %}{% if x %}{% endraw %}` and `b`", "`{% if x %}` and `b`"),
        (JEKYLL, HEAD, "{% verbatim %}{{ a }}{% raw %}{% endverbatim %} b", "{{ a }}{% raw %} b"),
        (JEKYLL, HEAD, "{% raw %}{{</* a */>}} {% endraw %}{{< b >}}", "{{</* a */>}} {{< b >}}"),
        (JEKYLL, HEAD, "`{{ page.title }}` and ``{% include a.html %}``", None),
        (JEKYLL, HEAD, "    {{ page.url }}\n\n<pre>{{ page.url }}</pre>", None),
        (JEKYLL, HEAD, "- a\n\n  ```\n  {{ page.url }}\n  ```", "- a\n\n  ```\n  {{ page.url }}\n  ```"),
        (JEKYLL, HEAD, '{{ "{%" }} raw %} {{ page.title }} {% endraw %}', "{% raw %} A {% endraw %}"),
        (HUGO, TOML, "```\n{{</* youtube a */>}} {{%/* b */%}}\n```", "```\n{{< youtube a >}} {{% b %}}\n```"),
        (HUGO, TOML, "{% raw %}{{ .Title }}{% endraw %} {% comment %}a{% endcomment %}", None),
        (ASTRO, HEAD, "{% comment %}a{% endcomment %} {{ page.title }} {{< a >}} {% include b %}", None),
        (JEKYLL, HEAD, "`{::comment}a{:/comment}` and {::nothing}", None),
        (HUGO, TOML, "{::comment}a{:/comment}", None),
        ("a.md", HEAD, "`{% comment %}a{% endcomment %}` {% endraw %}", None),
    ],
)  # fmt: skip
def test_text_about_templates_is_shown(tmp_path: Path, name: str, head: str, text: str, shown: str | None) -> None:
    post = markdown(tmp_path, head + text, name)
    assert post.markdown == (text.strip("\n") if shown is None else shown.strip("\n")).rstrip()


JEKYLL_HTML, HUGO_HTML = "_posts/2020-01-02-a.html", "content/a.html"
IMAGE_AND_POST: dict[str, str | bytes] = {
    "source/_posts/a/pic one.png": b"x",
    "source/_posts/other.md": "---\ntitle: The *other* one\ndate: 2020-01-02\nslug: third\n---\nx",
}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('{% asset_img "pic one.png" %}', "![](pic%20one.png)"),
        ('{% asset_img left "pic one.png" 300 200 "Some words" %}', "![Some words](pic%20one.png)"),
        ("{% asset_img 'pic one.png' Alt *text* %}", r"![Alt \*text\*](pic%20one.png)"),
        ("""a {% img c d /c.png 10 20 '"T" "Alt c"' %}""", 'a ![Alt c](/c.png "T")'),
        ('{% img https://x.example/c.png "T" "Alt" %} b', '![Alt](https://x.example/c.png "T") b'),
        ('{% image "./c.png", "Alt c", "(min-width: 30em) 50vw, 100vw" %}', "![Alt c](./c.png)"),
        ('{% image "p/c.png","Alt, two" %}', "![Alt, two](p/c.png)"),
        ("{% image './c d.png' , '' , [300, 600] %}", "![](./c%20d.png)"),
        ('{% figure "./c.png", "Alt c", "Cap" %}', "![Alt c](./c.png)\n\n*Cap*"),
        ("{% img /c.png Ninja Attack! %}", "![Ninja Attack!](/c.png)"),
        ("{% post_link other 'Other words' %} {% post_link other a b false %}", "[Other words](/third) [a b](/third)"),
        ('{% post_link other %} {% post_link "The *other* one" %}', r"[The \*other\* one](/third) " * 2),
        ("{% post_link nobody Its title %}", "[Its title](/nobody)"),
        ("{% link Google https://google.com true %}", "[Google](https://google.com)"),
        ('{% asset_link a.png "My words" %} ![b]({% asset_path b.png %})', "[My words](a.png) ![b](b.png)"),
        ("{% blockquote %}\nquoted\n{% endblockquote %}\nafter", "> quoted\n\nafter"),
        ("{% quote Ann, The Book %}a\n\nb{% endquote %}", "> a\n>\n> b\n>\n> **Ann**, *The Book*"),
        (
            "- x\n\n  {% blockquote Ann https://b.example A *page* %}\n  a\n  {% quote %}\n  b\n  {% endquote %}\n"
            "  {% codeblock lang:js %}\n  c\n  {% endcodeblock %}\n  {% endblockquote %}\n\ny",
            "- x\n\n  > a\n  >\n  > > b\n  >\n  > ```js\n  > c\n  > ```\n  >\n"
            "  > **Ann**, [A \\*page\\*](https://b.example)\n\ny",
        ),
        ("{% pullquote left %}a{% endpullquote %}", "> a"),
    ],
)
def test_tags_of_hexo_and_octopress_keep_what_they_show(tmp_path: Path, written: str, shown: str) -> None:
    posts, _ = found(zipped(tmp_path, {HEXO: HEAD + written, **IMAGE_AND_POST}))
    assert posts["a"].markdown == shown.strip()
    assert not [warning for warning in posts["a"].warnings if "not in the file" not in warning]


def test_images_in_the_folder_of_a_post_of_hexo_are_found(tmp_path: Path) -> None:
    text = "![](<pic one.png>) {% asset_img 'pic one.png' %}"
    posts, _ = found(zipped(tmp_path, {HEXO: HEAD + text, **IMAGE_AND_POST}))
    assert set(dict(posts["a"].images).values()) == {"source/_posts/a/pic one.png"}
    assert posts["a"].warnings == ()


@pytest.mark.parametrize("written", ["{% blockquote %}a", "{% blockquote %}a{% endquote %}", "a{% endblockquote %}"])
def test_a_quotation_without_end_or_beginning_is_text(tmp_path: Path, written: str) -> None:
    post = markdown(tmp_path, HEAD + written, HEXO)
    assert post.markdown == "a"
    assert "was removed" in post.warnings[0]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            '{{< details summary="More *here*" >}}Body *x*{{< /details >}}',
            "<details><summary>More <em>here</em></summary>\n\nBody *x*\n\n</details>",
        ),
        ('{{< details "1. b < c" >}}d{{< /details >}}', "<details><summary>1. b &lt; c</summary>\n\nd\n\n</details>"),
        (
            '- x\n\n  {{< details "Title" open >}}\n  y\n\n  z\n  {{< /details >}}\n\nw',
            "- x\n\n  <details open><summary>Title</summary>\n\n  y\n\n  z\n\n  </details>\n\nw",
        ),
        ('{{% expand "Why?" %}}y{{% /expand %}}', "<details><summary>Why?</summary>\n\ny\n\n</details>"),
        ('{{< spoiler text="End" >}}y{{< /spoiler >}}', "<details><summary>End</summary>\n\ny\n\n</details>"),
        ('{{< param "site.Sub" >}} {{% param subtitle %}} {{< param weight >}}', "S *T* 3"),
    ],
)
def test_what_shortcodes_of_hugo_show_is_kept_with_its_summary(tmp_path: Path, written: str, shown: str) -> None:
    head = TOML.replace("\n+++\n", '\nsubtitle = "*T*"\nweight = 3\n[params.site]\nsub = "S"\n+++\n')
    post = markdown(tmp_path, head + written, HUGO)
    assert (post.markdown, post.warnings) == (shown, ())


def test_shortcodes_of_themes_without_a_summary_are_removed(tmp_path: Path) -> None:
    post = markdown(tmp_path, TOML + "{{< expand >}}a{{< /expand >}}", HUGO)
    assert post.markdown == "a"
    assert "was removed" in post.warnings[0]


def test_the_address_of_a_post_in_the_text_is_that_of_the_imported_post(tmp_path: Path) -> None:
    text = "See {% post_url sub/2020-01-04-b %} ({% post_url sub/2020-01-04-b %}), {{ site.url }}{% post_url c %}."
    files: dict[str, str | bytes] = {
        JEKYLL: HEAD + text,
        "_posts/sub/2020-01-04-b.md": f"{HEAD[:-4]}slug: drei\n---\nx",
    }
    assert found(zipped(tmp_path, files))[0]["a"].markdown == "See /drei (/drei), /c."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('{% include figure.html src="/a.png" caption="Cap" %}', "![Cap](/a.png)\n\n*Cap*"),
        ('{% image src="./c.png", alt="Alt c" %}', "![Alt c](./c.png)"),
        ('{% image "./c.png", alt="Alt c", class="x" %}', "![Alt c](./c.png)"),
        ('{% responsiveImage "./c.png", "Alt c", "wide" %}', "![Alt c](./c.png)"),
        ('{% include image url="/a.png" alt="Alt" description="Des" %}', "![Alt](/a.png)\n\n*Des*"),
        ('{{< img src="a.png" alt="Alt" >}}', "![Alt](a.png)"),
    ],
)
def test_tags_that_are_named_after_images_are_images(tmp_path: Path, written: str, shown: str) -> None:
    post = markdown(tmp_path, HEAD + written, "a.md")
    assert post.markdown == shown
    assert post.warnings[0] == f"The template command {written} is an image now (line 5)."


def test_embedded_content_in_neighbouring_lines_is_in_paragraphs_of_its_own(tmp_path: Path) -> None:
    post = markdown(tmp_path, TOML + 'a\n{{< vimeo 1 >}}\n{{< card url="https://x.example" >}}\nb', HUGO)
    assert post.markdown == "a\n\n[Vimeo](https://vimeo.com/1)\n\n<https://x.example>\n\nb"


@pytest.mark.parametrize(
    ("name", "head", "written", "shown"),
    [
        (JEKYLL_HTML, HEAD, "<p>a</p>{% highlight html %}<b>x{% endhighlight %}", "a\n\n```html\n<b>x\n```"),
        (HUGO_HTML, TOML, '<p>a</p>{{< figure src="/a.png" caption="C" >}}', "a\n\n![C](/a.png)\n\n*C*"),
        (HUGO_HTML, TOML, "<p>a {{< vimeo 1 >}} b</p>", "a [Vimeo](https://vimeo.com/1) b"),
        (HUGO_HTML, TOML, '<p>{{< b href="/b" >}}w{{< /b >}} <a href="{{< ref c >}}">d</a></p>', "[w](/b) [d](/c)"),
        (JEKYLL_HTML, HEAD, "<p>a</p>\n\n    {% img /a.png T %}", "a\n\n![T](/a.png)"),
        (JEKYLL_HTML, HEAD, "{% quote Ann %}<p>a</p>{% endquote %}", "> a\n>\n> **Ann**"),
    ],
)  # fmt: skip
def test_tags_in_html_become_elements(tmp_path: Path, name: str, head: str, written: str, shown: str) -> None:
    assert markdown(tmp_path, head + written, name).markdown == shown


IN_QUOTATION = "> Quote:\n>\n> {0}\n> <b>\n>\n>   x\n> {1}\n\nRest of *post*."
IN_LIST = "1. One\n\n   {0}\n   a = 1\n     b\n   {1}\n\n2. Two: {0}\nc\n  d\n   {1} more\n\n3. Three"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (IN_QUOTATION, "> Quote:\n>\n> ```ruby\n> <b>\n>\n>   x\n> ```\n\nRest of *post*."),
        (
            IN_LIST,
            "1. One\n\n   ```ruby\n   a = 1\n     b\n   ```\n\n"
            "2. Two:\n   ```ruby\n   c\n     d\n   ```\n   more\n\n3. Three",
        ),
        ("- {0}\n  a\n{1}\n- b", "- ```ruby\n  a\n  ```\n- b"),
        ("> - x\n>   {0}\n>   a\n>   {1}\n\nb", "> - x\n>   ```ruby\n>   a\n>   ```\n\nb"),
        ("Text {0}a{1} end", "Text\n\n```ruby\na\n```\n\nend"),
        ("Text:\n{0}\n  a\n\n{1}\nend", "Text:\n\n```ruby\n  a\n```\nend"),
        ("<div>\n{0}\na\n{1}\n</div>", "<div>\n\n```ruby\na\n```\n</div>"),
        ("| a |\n|---|\n| {0}a{1} |", "| a |\n|---|\n| `a` |"),
        ('{0}\nx = "`"\n{1}\nUse `{{ a }}` and `{{% b %}}`.', '```ruby\nx = "`"\n```\nUse `{{ a }}` and `{{% b %}}`.'),
        ("```\n{0}\n```\n", "```\n{0}\n```"),
    ],
)
@pytest.mark.parametrize(
    ("name", "opened", "closed"),
    [
        (JEKYLL, "{% highlight ruby %}", "{% endhighlight %}"),
        (HUGO, "{{< highlight ruby >}}", "{{< /highlight >}}"),
        ("source/_posts/a.md", "{% codeblock lang:ruby %}", "{% endcodeblock %}"),
    ],
)
def test_highlighted_code_is_a_block_where_it_stands(
    tmp_path: Path, name: str, opened: str, closed: str, written: str, shown: str
) -> None:
    text, expected = (one.replace("{0}", opened).replace("{1}", closed) for one in (written, shown))
    assert markdown(tmp_path, (TOML if name == HUGO else HEAD) + text, name).markdown == expected


@pytest.mark.parametrize(
    ("name", "written", "shown"),
    [
        (HUGO, 'a {{< highlight go "hl_inline=true" >}}x := `1`{{< /highlight >}} b.', "a `` x := `1` `` b."),
        (HUGO, '{{< highlight "go" "linenos=1" >}}\na\n{{< /highlight >}}', "```go\na\n```"),
        (HUGO, "{{< highlight m >}}\n{{</* y */>}}{{%/* z */%}}\n{{< /highlight >}}", "```m\n{{< y >}}{{% z %}}\n```"),
        (JEKYLL, "a {% ihighlight python %}from x\nimport y{% endihighlight %} b", "a `from x import y` b"),
        (JEKYLL, "{% highlight c++ linenos %}a{% endhighlight %}", "```c++\na\n```"),
        (JEKYLL, "{% codeblock a.rb %}\na\n{% endcodeblock %}", '```rb title="a.rb"\na\n```'),
        (JEKYLL, "{% codeblock Some title lang:ruby %}\na\n{% endcodeblock %}", '```ruby title="Some title"\na\n```'),
        (
            JEKYLL,
            "{% codeblock lang:js a.js https://x.example/a.js the *link* %}\na\n{% endcodeblock %}\nb",
            '```js title="a.js"\na\n```\n\n[the \\*link\\*](https://x.example/a.js)\n\nb',
        ),
        (JEKYLL, '{% code A "b" line_number:false %}\na\n{% endcode %}', 'A "b"\n\n```\na\n```'),
    ],
)  # fmt: skip
def test_code_in_tags_keeps_its_language_title_and_link(tmp_path: Path, name: str, written: str, shown: str) -> None:
    assert markdown(tmp_path, (TOML if name == HUGO else HEAD) + written, name).markdown == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("`{{ '{{' }} page.title }}` and `{{ \"{% if x %}\" }}`", "`{{ page.title }}` and `{% if x %}`"),
        ("```\non: ${{ '{{' }} a }}\n```", "```\non: ${{ a }}\n```"),
        ("a\n\n    {{ \"{% include a %}\" }}", "a\n\n    {% include a %}"),
        ("{% highlight yaml %}\n${{ '{{' }} a }}\n{% endhighlight %}", "```yaml\n${{ a }}\n```"),
        ("{% raw %}`{{ '{{' }}`{% endraw %}", "`{{ '{{' }}`"),
        ('`{{ "{% raw %}" }}` {{ page.title }} `{{ "{% endraw %}" }}`', "`{% raw %}` A `{% endraw %}`"),
        ('`{{ "{% comment %}" }}` b `{{ "{% endcomment %}" }}`', "`{% comment %}` b `{% endcomment %}`"),
        ('`{{ "words" }}`', '`{{ "words" }}`'),
    ],
)  # fmt: skip
def test_braces_that_liquid_prints_are_shown_also_in_code(tmp_path: Path, written: str, shown: str) -> None:
    assert markdown(tmp_path, HEAD + written, JEKYLL).markdown == shown


def test_the_settings_in_an_archive_say_what_tags_mean(tmp_path: Path) -> None:
    text = HEAD + "{% include a %}{{< b >}}"
    shown_by = {
        "astro.config.mjs": "{% include a %}{{< b >}}",
        "hugo.toml": "{% include a %}",
        "_config.yml": "{{< b >}}",
    }
    for setting, shown in shown_by.items():
        posts, _ = found(zipped(tmp_path, {f"blog/{setting}": "x", "blog/posts/a.md": text}))
        assert posts["a"].markdown == shown


def test_what_is_removed_is_named_with_its_lines(tmp_path: Path) -> None:
    text = '{% include nav.html %}\n\n{% include nav.html %}\n\n{% card url="https://a.example/?b=c" %}\n{{ site.x }}'
    post = markdown(tmp_path, HEAD + text, JEKYLL)
    assert post.markdown == "<https://a.example/?b=c>"
    assert post.warnings == (
        "The template command {% include nav.html %} was removed (lines 5, 7).",
        'The template command {% card url="https://a.example/?b=c" %} is a link now (line 9).',
        "The template value site.x was removed (line 10).",
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{{< button href="/b" >}}the words{{< /button >}}.', "[the words](/b)."),
        ('{{% button relref="/posts/b.md" %}}the words{{% /button %}}', "[the words](/b)"),
        ('{{< card url="https://a.example" >}}\n\nWords\n\nMore{{< /card >}}', "<https://a.example>\n\nWords\n\nMore"),
        ("{{< tab >}}a{{< /tab >}}{{< tab >}}b{{< /tab >}}", "a b"),
    ],
)
def test_shortcodes_with_words_and_addresses_are_links(tmp_path: Path, text: str, shown: str) -> None:
    assert markdown(tmp_path, TOML + text, HUGO).markdown.strip() == shown


@pytest.mark.parametrize(
    "filters", ["url", "url | absoluteUrl(metadata.url)", "relative_url", "htmlBaseUrl", "locale_url"]
)
def test_addresses_in_links_are_kept(tmp_path: Path, filters: str) -> None:
    text = f"""[a]({{{{ "/b/" | {filters} }}}}) <a href="{{{{ '/b/' | {filters} }}}}">c</a>"""
    post = markdown(tmp_path, HEAD + text, JEKYLL)
    assert (post.markdown, post.warnings) == ('[a](/b/) <a href="/b/">c</a>', ())


def test_values_that_jekyll_has_shown_are_reported(tmp_path: Path) -> None:
    post = markdown(tmp_path, HEAD + "a {{ content | strip }}b", JEKYLL)
    assert (post.markdown, post.warnings) == ("a b", ("The template value content | strip was removed (line 5).",))


def test_shortcodes_of_zola_are_converted_like_those_of_hugo(tmp_path: Path) -> None:
    text = '{{ youtube(id="abc", autoplay=true) }} {% quote(author="B") %}Words{% end %} {{ toc() }}c `{{ toc() }}`'
    post = markdown(tmp_path, TOML + text, HUGO)
    assert post.markdown == "[Youtube](https://www.youtube.com/watch?v=abc) Words c `{{ toc() }}`"
    assert [warning.partition(" (line")[0] for warning in post.warnings] == [
        "The content embedded with youtube is a link now",
        'The template command {% quote(author="B") %} was removed',
        "The template command {{ toc() }} was removed",
    ]


@pytest.mark.parametrize(
    ("settings", "name", "is_shown"),
    [
        ("_config.yml", JEKYLL, True),
        ("_config.yml", "a.md", True),
        ("readme.txt", JEKYLL, True),
        (".eleventy.js", "posts/a.md", False),
        ("_config.yml", HEXO, False),
        ("readme.txt", "a.md", False),
    ],
)
def test_braces_with_hashes_are_text_in_jekyll_and_comments_elsewhere(
    tmp_path: Path, settings: str, name: str, is_shown: bool
) -> None:
    text = "In Jinja a comment is {# like this #}, and `{# here #}`."
    post = found(zipped(tmp_path, {settings: "", name: HEAD + text}))[0]["a"]
    assert post.markdown == (text if is_shown else text.replace("{# like this #}", ""))
    assert bool(post.warnings) is not is_shown


@pytest.mark.parametrize(
    ("settings", "field", "has_templates"),
    [
        ("", "templateEngineOverride: md", False),
        ("", "templateEngineOverride: false", False),
        ("", "templateEngineOverride: njk, md", True),
        ("", "templateEngineOverride:", True),
        ("return { markdownTemplateEngine: false }", "", False),
        ("return { markdownTemplateEngine: false }", "templateEngineOverride: liquid,md", True),
        ("return { markdownTemplateEngine: 'njk' }", "", True),
    ],
)
def test_text_of_eleventy_is_shown_as_it_is_without_templates(
    tmp_path: Path, settings: str, field: str, has_templates: bool
) -> None:
    head, text = HEAD.replace("title: A", f"title: A\n{field}"), "Use {{ shown }} and {% if x %} here."
    post = found(zipped(tmp_path, {"eleventy.config.js": settings, "posts/a.md": head + text}))[0]["a"]
    shown = ("draft", "Use  and  here.") if has_templates else ("published", text)
    assert (post.status, post.markdown) == shown


@pytest.mark.parametrize("text", ["{% details A %}\nx\n\n{% details B %}\ny\n{% enddetails %}\n\nrest"])
def test_folded_content_without_an_end_is_ended_with_the_text(tmp_path: Path, text: str) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\ndate: 2020-01-02\n---\n{text}\n", "a.md")
    assert post.markdown.count("<details>") == post.markdown.count("</details>") == 2
