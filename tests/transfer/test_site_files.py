"""What vaults and the files of static sites contain: other suffixes, comments, figures, ids and names of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogsvc.lib.markdown.render import render
from blogsvc.transfer.formats.parsed_post import ParsedPost
from tests.transfer.test_formats import found, zipped

NO_PAGE = "The old blog had no page for it. It is imported as a draft."
HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"
NOTE, HUGO, JEKYLL = "a.md", "content/posts/a.md", "_posts/2020-01-02-a.md"


def imported(tmp_path: Path, name: str, text: str, **others: str) -> ParsedPost:
    return found(zipped(tmp_path, {name: HEAD + text, **dict.fromkeys(others.values(), b"x")}))[0]["a"]


def test_posts_with_other_suffixes_are_read_or_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "_posts/2020-01-01-html.html": f"{HEAD}<p>Hi <b>you</b>, {{% comment %}}Secret{{% endcomment %}}and</p>",
        "_posts/2020-01-01-down.mkdown": f"{HEAD}*Hi*",
        "_posts/2020-01-01-no-head.html": "<p>Hi</p>",
        "_posts/2020-01-01-t.textile": f"{HEAD}h1. Hi",
        "_layouts/default.html": f"{HEAD}{{{{ content }}}}",
    }
    posts, skipped = found(zipped(tmp_path, files))
    assert {slug: post.markdown for slug, post in posts.items()} == {"html": "Hi **you**, and", "down": "*Hi*"}
    assert [item.title for item in skipped] == ["_posts/2020-01-01-no-head.html", "_posts/2020-01-01-t.textile"]


def test_comments_of_obsidian_are_removed_and_named(tmp_path: Path) -> None:
    text = "One %% secret %%two.\n\n%%\nblock\n\nof it\n%%\n\nThree 100%% sure, 50%% more. `%% code %%`"
    post = imported(tmp_path, NOTE, text)
    assert post.markdown == "One two.\n\n\n\nThree 100%% sure, 50%% more. `%% code %%`"
    assert post.warnings == ("A comment, which Obsidian does not show, was removed (lines 5, 7).",)


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("![[m.png#center]]", "![](/img/m.png)"),
        ("| a |\n|---|\n| ![[m.png\\|50]] |", "| a |\n|---|\n| ![](/img/m.png) |"),
        ("[[m.png]] [[m.png|the map]]", "[m.png](/img/m.png) [the map](/img/m.png)"),
        ("![[Other note]]", "[[Other note]]"),
        ("`![[m.png]]` `![[Other note]]`", "`![[m.png]]` `![[Other note]]`"),
    ],
)
def test_files_that_obsidian_names_are_found(tmp_path: Path, written: str, markdown: str) -> None:
    assert imported(tmp_path, NOTE, written, file="img/m.png").markdown == markdown


@pytest.mark.parametrize(
    ("file", "written"), [("Cafe\u0301.png", "Caf\u00e9.png"), ("Caf\u00e9.png", "Cafe\u0301.png")]
)
def test_a_file_is_found_however_its_letters_are_composed(tmp_path: Path, file: str, written: str) -> None:
    post = imported(tmp_path, NOTE, f"![a]({written}) ![[{written}]]", file=file)
    assert post.warnings == ()
    assert all(path for _, path in post.images)


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        (
            '{{< figure src="/a.jpg" caption="Cap" attr="By Ann" attrlink="https://ann.example" title="Big" >}}',
            "![Cap](/a.jpg)\n\n**Big** *Cap* [By Ann](https://ann.example)",
        ),
        (
            '1. Open {{< figure src="/a.jpg" caption="Cap" >}}\n2. Close',
            "1. Open ![Cap](/a.jpg) *Cap*\n2. Close",
        ),
        ('> {{< figure src="/a.jpg" caption=" Cap" >}}', "> ![Cap](/a.jpg)\n>\n> *Cap*"),
        ('- a\n- {{< figure src="/a.jpg" caption="Cap" >}}\n  b', "- a\n- ![Cap](/a.jpg)\n\n  *Cap*\n\n  b"),
        (
            'a\n{{< figure src="/a.jpg" caption="B" >}}\n{{< figure src="/a.jpg" title="C" >}}\nd',
            "a\n\n![B](/a.jpg)\n\n*B*\n\n![C](/a.jpg)\n\n**C**\n\nd",
        ),
        (r'{{< figure src="/a.jpg" alt="An \"alt\" text" >}}', '![An "alt" text](/a.jpg)'),
        ('{{< figure src="/a.jpg" alt="It\'s [a] *b* `c`" >}}', r"![It's \[a\] \*b\* \`c\`](/a.jpg)"),
        (
            r'{{< figure src="/a.jpg" caption="With \"quotes\" in it" title="\"T\"" >}}',
            '![With "quotes" in it](/a.jpg)\n\n**"T"** *With "quotes" in it*',
        ),
        ("Close it with {{ end }} always.", "Close it with {{ end }} always."),
    ],
)
def test_figures_of_hugo_keep_all_words(tmp_path: Path, written: str, markdown: str) -> None:
    assert imported(tmp_path, HUGO, written, file="static/a.jpg").markdown == markdown


def test_a_link_to_an_own_id_reaches_its_heading_in_hugo(tmp_path: Path) -> None:
    html = render(imported(tmp_path, HUGO, "[g](#own)\n\n## Head {#own .big}").markdown)
    assert 'href="#in-own"' in html
    assert 'id="in-own"' in html
    assert "{" not in html


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("{% codeblock lang:html %}<p>{{ b }}</p>{% endcodeblock %} after", "```html\n<p>{{ b }}</p>\n```\n\nafter"),
        ("`a.rb`{: .filepath} is a file", "`a.rb` is a file"),
        ("![i](/a.png){:width='50%'}{:.c}", "![i](/a.png)"),
        ("A {::nomarkdown}<b>x</b>{:/} B", "A <b>x</b> B"),
        ('Of {{ page.date | date: "%B %d" }}.', "Of ."),
    ],
)
def test_what_jekyll_adds_is_no_text(tmp_path: Path, written: str, markdown: str) -> None:
    assert imported(tmp_path, JEKYLL, written, file="a.png").markdown == markdown


@pytest.mark.parametrize(
    ("settings", "name", "head", "addresses"),
    [
        ("", JEKYLL, "", ["/2020/01/02/a.html"]),
        ("", JEKYLL, "categories: [News, Old boats]\n", ["/news/old boats/2020/01/02/a.html"]),
        ("", f"boats/{JEKYLL}", "category: news\n", ["/boats/news/2020/01/02/a.html"]),
        ("permalink: pretty", JEKYLL, "categories: news boats\n", ["/news/boats/2020/01/02/a/"]),
        ("permalink: /blog/:year/:title", JEKYLL, "slug: b\n", ["/blog/2020/b"]),
        ("baseurl: /notes", JEKYLL, "", ["/2020/01/02/a.html", "/notes/2020/01/02/a.html"]),
        ("baseurl: /notes", JEKYLL, "permalink: /:title.html\n", ["/a.html", "/notes/a.html"]),
        ("baseurl: /notes", JEKYLL, "permalink: /own/\n", ["/own/"]),
        ("permalink: :title/", f"blog-main/{JEKYLL}", "", ["/a/"]),
        ("permalink: /:unknown/:title", JEKYLL, "", []),
        ("- no\n: settings", JEKYLL, "", ["/2020/01/02/a.html"]),
    ],
)
def test_the_addresses_of_jekyll_are_known(
    tmp_path: Path, settings: str, name: str, head: str, addresses: list[str]
) -> None:
    files: dict[str, str | bytes] = {
        name: f"---\ntitle: A\ndate: 2020-01-02\n{head}---\nHi",
        f"{name.partition('/')[0]}/_config.yml" if name.startswith("blog-main") else "_config.yml": settings,
    }
    (post,) = found(zipped(tmp_path, files))[0].values()
    assert list(post.addresses) == addresses


@pytest.mark.parametrize(
    ("settings", "name", "address"),
    [
        ("collections:\n  til: {output: true, permalink: '/t/:path/'}\n", "_til/git/two.md", "/t/git/two/"),
        ("collections:\n  notes: {output: true}\n", "_notes/n1.md", "/notes/n1.html"),
        ("permalink: pretty\ncollections:\n  notes: {output: true}\n", "_notes/n1.md", "/notes/n1/"),
        ("permalink: /:title\ncollections:\n  notes: {output: true}\n", "_notes/n1.md", "/notes/n1"),
        (
            "baseurl: /b\ncollections_dir: all\n"
            "collections:\n  notes: {output: true, permalink: '/:collection/:year/:name'}",
            "all/_notes/in/n1.md",
            "/b/notes/2020/n1",
        ),
    ],
)
def test_the_addresses_of_collections_of_jekyll_are_known(
    tmp_path: Path, settings: str, name: str, address: str
) -> None:
    (post,) = found(zipped(tmp_path, {"_config.yml": settings, name: f"{HEAD}Hi"}))[0].values()
    assert address in post.addresses


def test_the_anchors_of_old_html_are_reached() -> None:
    assert render('<a name="x"></a>Here') == '<p><a id="in-x"></a>Here</p>\n'


@pytest.mark.parametrize(
    ("fields", "summary", "meta_title", "notes"),
    [
        (
            "subtitle: Sub\ndescription: For search\nexcerpt: Ex",
            "For search",
            "",
            ["Its excerpt was not imported: Ex", "Its subtitle was not imported: Sub"],
        ),
        ("subtitle: Sub", "Sub", "", []),
        ("summary: One\nexcerpt: One\nsubtitle: A", "One", "", []),
        ("seoTitle: Ti\nseoDescription: De", "De", "Ti", []),
        ("seo: {title: Ti, description: De}\nexcerpt: Ex", "Ex", "Ti",
         ["Its description for search engines was not imported: De"]),
        ("meta-title: Ti\nmetaDescription: De\nsummary: Su", "Su", "Ti",
         ["Its meta description was not imported: De"]),
        ("og_title: Og\ntwitterDescription: Tw\nog_image: /b.png", "", "",
         ["Its texts for social networks were not imported: Og; Tw",
          "Its image for social networks was not imported; they show the cover."]),
        ("summary: S\nexcerpt: true", "S", "", []),
    ],
)  # fmt: skip
def test_texts_of_front_matter_are_kept_or_named(
    tmp_path: Path, fields: str, summary: str, meta_title: str, notes: list[str]
) -> None:
    files: dict[str, str | bytes] = {NOTE: f"---\ntitle: A\ndate: 2020-01-02\n{fields}\n---\nWords."}
    post = found(zipped(tmp_path, files))[0]["a"]
    assert (post.summary, post.meta_title, list(post.warnings)) == (summary, meta_title, notes)


@pytest.mark.parametrize(
    ("field", "status", "is_unlisted", "note"),
    [
        ("password: abc", "draft", False, "It was protected by a password. It is imported as a draft."),
        ("visibility: private", "draft", False, "It was private. It is imported as a draft."),
        ("publish: false", "draft", False, ""),
        ("isPublished: false", "draft", False, ""),
        ("isDraft: true", "draft", False, ""),
        ("status: unpublished", "draft", False, ""),
        ("unlisted: true", "published", True, ""),
        ("hidden: true", "published", True, ""),
        ("eleventyExcludeFromCollections: true", "published", True, ""),
        ("eleventyComputed: {permalink: false}", "draft", False, NO_PAGE),
        ("build:\n  list: never", "published", True, ""),
        ("_build: {list: false}", "published", True, ""),
        ("build: {list: local}", "published", True, ""),
        ("build: {list: always}", "published", False, ""),
        ("visibility: public", "published", False, ""),
        ("publish: true", "published", False, ""),
    ],
)
def test_a_post_that_the_old_blog_did_not_show_is_not_published(
    tmp_path: Path, field: str, status: str, is_unlisted: bool, note: str
) -> None:
    files: dict[str, str | bytes] = {NOTE: f"---\ntitle: A\ndate: 2020-01-02\n{field}\n---\nWords."}
    post = found(zipped(tmp_path, files))[0]["a"]
    assert (post.status, post.is_unlisted, post.warnings) == (status, is_unlisted, tuple(filter(None, [note])))


@pytest.mark.parametrize(
    "field",
    [
        "datePublished: Thu Jan 02 2020 10:00:00 GMT+0000 (Coordinated Universal Time)",
        "publishedAt: '2020-01-02T10:00:00Z'",
        "published-at: 2020-01-02T10:00:00Z",
        "createdAt: 2020-01-02T10:00:00Z\nupdatedAt: 2020-01-05",
    ],
)
def test_dates_are_read_however_their_names_are_written(tmp_path: Path, field: str) -> None:
    post = found(zipped(tmp_path, {NOTE: f"---\ntitle: A\n{field}\ntags: [a, null, ~]\n---\nWords."}))[0]["a"]
    assert (post.status, str(post.published_at)) == ("published", "2020-01-02 10:00:00+00:00")
    assert post.tags == ("a",)
