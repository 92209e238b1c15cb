"""Import formats: what is read from files, and what is reported about the rest."""

from __future__ import annotations

import json
import os
import re
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from blogsvc.lib.text.slug_letters import SlugStyle
from blogsvc.posts.rules import EARLIEST_DATE
from blogsvc.transfer.fitted_post import fitted
from blogsvc.transfer.formats.detect import read
from blogsvc.transfer.formats.parsed_page import ParsedPage
from blogsvc.transfer.formats.parsed_post import ParsedPost, SkippedItem, UnreadableFile

HERE = Path(__file__).parent.parent / "transfer" / "files"
NOW = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
MIB = 1024 * 1024


def found(path: Path, most: int = 100 * MIB) -> tuple[dict[str, ParsedPost], list[SkippedItem]]:
    """Return the posts of a file by slug, within our limits and serialized as in an import; and the skipped items."""
    with path.open("rb") as file:
        items = list(read(file, ZoneInfo("Europe/Berlin"), most)[1])
    posts = [fitted(one, NOW, SlugStyle()) for one in items if isinstance(one, ParsedPost)]
    kept = [ParsedPost.of_json(json.loads(json.dumps(one.to_json()))) for one in posts]
    assert kept == posts
    return {post.slug: post for post in kept}, [one for one in items if isinstance(one, SkippedItem)]


def pages_in(path: Path) -> list[ParsedPage]:
    with path.open("rb") as file:
        return [one for one in read(file, ZoneInfo("UTC"), MIB)[1] if isinstance(one, ParsedPage)]


def zipped(tmp_path: Path, files: dict[str, str | bytes], name: str = "a.zip") -> Path:
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return path


def markdown(tmp_path: Path, text: str | bytes, name: str = "content/posts/a-post.md") -> ParsedPost:
    posts, skipped = found(zipped(tmp_path, {name: text}))
    assert not skipped, skipped
    return next(iter(posts.values()))


def test_a_wordpress_post_is_converted_to_markdown_with_its_metadata() -> None:
    posts, _ = found(HERE / "wordpress.xml")
    post = posts["ferries-friends"]
    assert (post.title, post.status, post.summary) == ("Ferries & Friends", "published", "A day at sea.")
    assert post.published_at == datetime(2019, 5, 10, 8, tzinfo=UTC)
    assert post.tags == ("Sea & Salt", "Travel")
    assert post.cover == "https://old.example/wp-content/uploads/2019/05/ferry.jpg"
    assert post.markdown == (
        "We took the **ferry**. See [the classic](https://old.example/2018/01/classic/).\n\n"
        "![A ferry](https://old.example/wp-content/uploads/2019/05/ferry.jpg)\n\n"
        "The *ferry*\n\n"
        '```php\necho "<b>";\n```\n\n'
        "<https://www.youtube.com/watch?v=abcdefghijk>\n\n"
        "| Day | Tide |\n| --- | --- |\n| Mon | high \\| low |\n\n"
        "It was late[^1].\n\n"
        "[^1]: By the *old* clock."
    )
    assert post.warnings == (
        "The block 'latest-posts' was removed, because WordPress generates its content (line 23).",
    )
    assert post.cover_caption == "On the water"


def test_the_descriptions_of_tags_and_categories_are_read() -> None:
    assert pages_in(HERE / "wordpress.xml") == [
        ParsedPage("tag", "Travel", "", "By sea & land."),
        ParsedPage("tag", "Sea & Salt", "", "Waves."),
    ]
    assert pages_in(HERE / "ghost.json") == [ParsedPage("tag", "Home", "At home", "Where *we* live.")]


def test_a_classic_wordpress_post_keeps_its_paragraphs_and_shortcodes() -> None:
    post = found(HERE / "wordpress.xml")[0]["classic"]
    assert post.markdown.startswith("First paragraph,\\\nin two lines.\n\n![](https://old.example/wp-content/")
    assert "quay.png)\n\nThe quay at **noon**" in post.markdown
    assert 'ferry.jpg "On the water")' in post.markdown
    assert "and [sic] stays." in post.markdown
    assert '```python\nif a < b:\n\n    print("[x]")\n```' in post.markdown
    assert "> Wise words\n>\n> and more" in post.markdown
    assert "[vimeo.com](https://vimeo.com/12345)" in post.markdown
    assert any("contact-form-7" in warning for warning in post.warnings)


def test_what_a_wordpress_post_says_for_lists_and_search_engines_is_kept(tmp_path: Path) -> None:
    text = (HERE / "wordpress.xml").read_text()
    metas = {"_yoast_wpseo_title": "Ferries: the guide", "rank_math_title": "%title% %sep%"}
    more = "<wp:is_sticky>1</wp:is_sticky>" + "".join(
        f"<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value>{value}</wp:meta_value></wp:postmeta>"
        for key, value in metas.items()
    )
    (tmp_path / "a.xml").write_text(text.replace("<wp:post_id>12</wp:post_id>", f"<wp:post_id>12</wp:post_id>{more}"))
    posts = found(tmp_path / "a.xml")[0]
    assert (posts["ferries-friends"].meta_title, posts["ferries-friends"].is_pinned) == ("Ferries: the guide", True)
    assert (posts["classic"].meta_title, posts["classic"].is_pinned) == ("", False)


def test_what_blogsvc_has_no_field_for_is_reported_for_wordpress_posts(tmp_path: Path) -> None:
    text = (HERE / "wordpress.xml").read_text()
    metas = {"_yoast_wpseo_metadesc": "Ferries: the guide", "rank_math_description": "%excerpt%"}
    more = "".join(
        f"<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value>{value}</wp:meta_value></wp:postmeta>"
        for key, value in metas.items()
    )
    (tmp_path / "a.xml").write_text(text.replace("<wp:post_id>12</wp:post_id>", f"<wp:post_id>12</wp:post_id>{more}"))
    post = found(tmp_path / "a.xml")[0]["ferries-friends"]
    assert post.cover_alt == "A ferry"
    assert post.warnings[1:] == ("Its texts for search engines were not imported: Ferries: the guide",)


def test_private_wordpress_posts_are_imported_as_drafts_with_a_warning() -> None:
    posts, _ = found(HERE / "wordpress.xml")
    for slug, word in (("diary", "private"), ("members", "password"), ("an-idea-without-a-name", "no title")):
        assert posts[slug].status == "draft"
        assert posts[slug].published_at is None
        assert any(word in warning for warning in posts[slug].warnings)


def test_skipped_wordpress_items_are_reported() -> None:
    _, skipped = found(HERE / "wordpress.xml")
    assert [one.title for one in skipped] == ["1 post or page in the trash", "1 comment"]


def test_pages_are_read_from_every_source(tmp_path: Path) -> None:
    wordpress = found(HERE / "wordpress.xml")[0]["about"]
    assert (wordpress.kind, wordpress.status, wordpress.markdown) == ("page", "published", "About us.")
    assert wordpress.old_paths == ("/about/", "/?p=2", "/?page_id=2")
    ghost = found(HERE / "ghost.json")[0]["about"]
    assert (ghost.kind, ghost.status, ghost.old_paths) == ("page", "published", ("/about/", "/p/8a2f-5/"))
    assert found(HERE / "ghost.json")[0]["moving-house"].kind == "post"
    jekyll = markdown(tmp_path, "---\nlayout: page\ntitle: About\npermalink: /about/\n---\nWe.", "about.md")
    assert (jekyll.kind, jekyll.status, jekyll.warnings) == ("page", "published", ())
    assert jekyll.old_paths == ("/about/",)


def test_a_ghost_post_is_converted_with_its_cards_tags_and_times() -> None:
    posts, skipped = found(HERE / "ghost.json")
    post = posts["moving-house"]
    assert post.tags == ("Home", "Work & play")
    assert post.published_at == datetime(2023, 11, 1, 9, 30, tzinfo=UTC)
    assert post.canonical_url == "https://elsewhere.example/moving"
    assert [address.rpartition("/")[2] for address, _ in post.images] == ["van.png", "house.png"]
    assert "[Keys](https://ghost-url.invalid/keys/)" in post.markdown
    assert "[A guide](https://example.org/guide)" in post.markdown
    assert "> 💡 Label boxes." in post.markdown
    assert "```js\nlet a = 1;\n```" in post.markdown
    assert posts["for-friends"].status == "draft"
    assert skipped == []


def test_old_addresses_and_feed_ids_are_read_from_every_source(tmp_path: Path) -> None:
    ghost = found(HERE / "ghost.json")[0]["moving-house"]
    assert (ghost.old_paths, ghost.feed_id) == (("/moving-house/", "/p/8a2f-1/"), "6541a")
    assert ghost.tag_paths == (("/tag/home/", "Home"), ("/tag/work-play/", "Work & play"))
    assert [(one.slug, one.paths) for one in ghost.authors] == [("ada", ("/author/ada/",))]
    wordpress = found(HERE / "wordpress.xml")[0]["ferries-friends"]
    assert wordpress.old_paths == ("/2019/05/ferries-friends/", "/?p=12")
    assert wordpress.feed_id == "https://old.example/?p=12"
    of_tags = (("/tag/sea/", "Sea & Salt"), ("/?tag=sea", "Sea & Salt"))
    assert wordpress.tag_paths == (*of_tags, ("/category/travel/", "Travel"), ("/?cat=7", "Travel"))
    assert [(one.slug, one.paths) for one in wordpress.authors] == [("ada", ("/author/ada/", "/?author=1"))]
    hugo = markdown(tmp_path, "---\ntitle: A\nurl: /b%20c/\naliases: ['https://old.example/d.html?e=f']\n---\nwords")
    assert hugo.old_paths == ("/b c/", "/d.html?e=f")


def test_old_slugs_of_any_length_are_kept_with_the_folder_of_the_old_blog(tmp_path: Path) -> None:
    slug = "a" * 191
    document = json.loads((HERE / "ghost.json").read_text())
    document["db"][0]["data"]["posts"][0]["slug"] = slug
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert f"/{slug}/" in {path for post in found(tmp_path / "a.json")[0].values() for path in post.old_paths}
    text = (HERE / "wordpress.xml").read_text().replace("https://old.example/?p=12", "https://old.example/blog/?p=12")
    (tmp_path / "a.xml").write_text(text)
    post = found(tmp_path / "a.xml")[0]["ferries-friends"]
    assert post.old_paths[1] == "/blog/?p=12"
    assert post.tag_paths[0] == ("/blog/tag/sea/", "Sea & Salt")


@pytest.mark.parametrize("top", ["", "my-blog/", "ghost-backup/content/"])
@pytest.mark.parametrize("folder", ["content/images/", "images/", "content/images/size/w600/"])
def test_a_zip_of_ghosts_data_is_read_in_every_layout(tmp_path: Path, top: str, folder: str) -> None:
    files: dict[str, str | bytes] = {
        f"{top}export.ghost.2026-11-24.json": (HERE / "ghost.json").read_text(),
        f"{top}{folder}2023/11/van.png": b"1",
        f"{top}content/images/README.md": "# Images\n",
        f"{top}content/themes/source/README.md": "# A theme\n",
        f"{top}content/themes/source/package.json": '{"name": "source"}',
        f"{top}content/media/2023/a.mp4": b"2",
        f"__MACOSX/{top}._export.json": b"3",
    }
    posts, skipped = found(zipped(tmp_path, files))
    assert dict(posts["moving-house"].images)["https://ghost-url.invalid/content/images/2023/11/van.png"] == (
        f"{top}{folder}2023/11/van.png"
    )
    assert skipped == []


def test_the_full_size_of_a_ghost_image_is_preferred_to_a_smaller_one(tmp_path: Path) -> None:
    text = (HERE / "ghost.json").read_text().replace("images/2023/11/van", "images/size/w600/format/webp/2023/11/van")
    files = {"a.json": text, "content/images/2023/11/van.png": b"1", "content/images/size/w600/2023/11/van.png": b"2"}
    images = dict(found(zipped(tmp_path, files))[0]["moving-house"].images)
    small = "https://ghost-url.invalid/content/images/size/w600/format/webp/2023/11/van.png"
    assert images[small] == "content/images/2023/11/van.png"


def test_the_parts_of_a_split_wordpress_export_are_read_together(tmp_path: Path) -> None:
    text = (HERE / "wordpress.xml").read_text()
    head, _, items = text.partition("<item>")
    first, *others = ("<item>" + items).partition("</channel>")[0].split("<item>")[1:]
    end = "</channel></rss>"
    parts = {"blog.001.xml": f"{head}<item>{first}{end}", "blog.002.xml": f"{head}<item>{'<item>'.join(others)}{end}"}
    posts, skipped = found(zipped(tmp_path, {**parts, "sitemap.xml": "<urlset></urlset>"}))
    whole, whole_skipped = found(HERE / "wordpress.xml")
    assert posts == whole  # also the images that are described in the other part
    assert skipped == whole_skipped


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("My post.md", "my-post"),
        ("2020-01-02-tides.markdown", "tides"),
        ("README.md", "readme"),
        ("notes.txt", "notes"),
        ("2020-01-02-مرحبا.md", "مرحبا"),
        ("Über uns.md", "uber-uns"),
        ("日本の旅.md", "日本の旅"),
    ],
)
def test_one_markdown_file_keeps_its_own_name(tmp_path: Path, name: str, slug: str) -> None:
    (tmp_path / "file").write_text("Some words.")
    with (tmp_path / "file").open("rb") as file:
        [post] = read(file, ZoneInfo("Europe/Berlin"), MIB, filename=name)[1]
    assert fitted(post, NOW, SlugStyle()).slug == slug


def test_ghost_posts_without_html_are_read_from_mobiledoc_or_lexical() -> None:
    posts, _ = found(HERE / "ghost.json")
    assert posts["unfinished"].markdown.startswith("## Plan\n\nBe **bold**\\\n[and go](https://example.org)")
    assert posts["unfinished"].warnings == ("A card of type 'wormhole' was removed.",)
    assert posts["old-days"].markdown == (
        "A *card* of Markdown\n\n**bold [link](https://example.org)** end\n\n---\n\n- one\n- two"
    )


def test_hugo_posts_are_read_with_toml_bundles_static_files_and_shortcodes(tmp_path: Path) -> None:
    head = (
        '+++\ntitle = "Tides"\ndate = 2020-05-01T10:00:00+02:00\ntags = ["sea"]\naliases = ["/old/tides/"]\n'
        'images = ["/img/cover.png"]\n+++\n'
    )
    text = (
        "![Here](quay.png) ![There](/img/sea.png) ![Lost](gone.png)\n\n"
        '{{< figure src="quay.png" alt="Q" caption="At noon" >}}\n\n{{< youtube abc123 >}}\n\n{{< mystery >}}\n\n'
        "```\n{{< figure >}}\n```\n"
    )
    files = {"content/posts/tides/index.md": head + text, "content/posts/_index.md": "---\ntitle: All\n---\n"}
    images = {"content/posts/tides/quay.png": b"1", "static/img/sea.png": b"2", "static/img/cover.png": b"3"}
    posts, skipped = found(zipped(tmp_path, files | images))
    post = posts["tides"]
    assert post.published_at == datetime(2020, 5, 1, 8, tzinfo=UTC)
    assert dict(post.images) == {
        "quay.png": "content/posts/tides/quay.png",
        "/img/sea.png": "static/img/sea.png",
        "gone.png": "",
        "/img/cover.png": "static/img/cover.png",
    }
    assert post.addresses == ("/old/tides/", "/posts/tides/")
    assert "![Q](quay.png)\n\n*At noon*" in post.markdown
    assert "https://www.youtube.com/watch?v=abc123" in post.markdown
    assert "```\n{{< figure >}}\n```" in post.markdown
    assert {"1 image is not in the file.", "The template command {{< mystery >}} was removed (line 14)."} <= set(
        post.warnings
    )
    assert len(skipped) == 1


def test_jekyll_posts_are_read_with_file_name_dates_drafts_and_liquid(tmp_path: Path) -> None:
    head = "---\nlayout: post\ntitle: 2001 {0}\ncategories: code notes\npermalink: /a/b.html\n---\n"
    text = "{% highlight ruby %}\nputs 1\n{% endhighlight %}\n\n![x]({{ site.baseurl }}/assets/x.png)\n"
    files = {
        "_posts/2020-01-02-first-one.md": head.replace("{0}", "") + text,
        "_posts/2020-02-03-untitled.markdown": "# A heading\n\nwords",
        "_drafts/idea.md": "---\ntitle: Idea\n---\nwords",
        "about.md": "---\nlayout: page\ntitle: About\n---\nWe.",
        "archive.md": "---\nlayout: archive\ntitle: Archive\n---\n",
        "assets/x.png": b"1",
    }
    posts, skipped = found(zipped(tmp_path, files))
    post = posts["first-one"]
    assert post.title == "2001"
    assert post.published_at == datetime(2020, 1, 1, 23, tzinfo=UTC)  # midnight in Berlin
    assert post.tags == ("code", "notes")
    assert post.markdown.startswith("```ruby\nputs 1\n```")
    assert dict(post.images) == {"/assets/x.png": "assets/x.png"}
    assert (posts["untitled"].title, posts["untitled"].markdown) == ("A heading", "words")
    assert posts["idea"].status == "draft"
    assert (posts["about"].kind, posts["about"].status) == ("page", "published")
    assert [one.title for one in skipped] == ["Archive"]


@pytest.mark.parametrize(
    ("text", "markdown_text"),
    [
        ("{% raw %}{{ a }} {% b %}{% endraw %} c", "{{ a }} {% b %} c"),
        ("```\n{% raw %}{{ a }}{% endraw %} {{ site.url }}\n```", "```\n{{ a }} {{ site.url }}\n```"),
        ("{% highlight html %}\n{% raw %}{{ a }}{% endraw %}\n{% endhighlight %}", "```html\n{{ a }}\n```"),
        ("```liquid{% raw %}\n{{ a }}\n```{% endraw %}\n{{ site.url }}/b", "```liquid\n{{ a }}\n```\n/b"),
        ("```\n{% raw %}\n{{ a }}\n```\n{{ b }}{% endraw %}\n{{ site.url }}/c", "```\n\n{{ a }}\n```\n{{ b }}\n/c"),
        ("{% raw %}\n```\n{{ a }}\n```\n{% endraw %}{{ site.url }}/d", "```\n{{ a }}\n```\n/d"),
        ("a {% comment %}{{ b }} {% c %}{% endcomment %}d", "a d"),
        ('{{</* figure src="a" */>}}', '{{< figure src="a" >}}'),
        ("{{%/* note */%}}", "{{% note %}}"),
        ('{{< highlight go "linenos=1" >}}\nx := {{ 1 }}\n{{< / highlight >}}', "```go\nx := {{ 1 }}\n```"),
        ("{% highlight md %}\n```\na\n```\n{% endhighlight %}", "````md\n```\na\n```\n````"),
        ("````\n```\n{{ site.url }}\n````\n{{ site.url }}/a", "````\n```\n{{ site.url }}\n````\n/a"),
        ("{% highlight a", "{% highlight a"),
        ("{{ x", "{{ x"),
        ("{{" + " " * 400 + "}}", "{{" + " " * 400 + "}}"),
        ("{% assign a = {b} %}", "{% assign a = {b} %}"),
        ("{{< note >}}a{{< /note >}}", "a"),
    ],
)
def test_tags_of_liquid_and_hugo_are_converted_where_they_are_tags(
    tmp_path: Path, text: str, markdown_text: str
) -> None:
    assert markdown(tmp_path, f"---\ntitle: A\n---\n{text}\n").markdown == markdown_text


@pytest.mark.parametrize(
    ("html", "markdown_text"),
    [
        ('[code lang="js"]a [b]\n[/code]', "```js\na [b]\n```"),
        ("[code]a[/php] [code]b[/code]", "```\na[/php] [code]b\n```"),
        ("<PRE>[gallery]</PRE>", "```\n[gallery]\n```"),
        ("[embed]https://a.example/b[/embed]", "<https://a.example/b>"),
        ("[embed]no address here[/embed]", "no address here"),
        ("a\n\nhttps://a.example/b\n\nc", "a\n\n<https://a.example/b>\n\nc"),
        ('<!-- wp:spacer {"height":"1px"} /--><!-- wp:paragraph --><p>a</p><!-- /wp:paragraph -->', "a"),
        ("[sic] [unknown a=1]b[/unknown] [other]c[/other]", "[sic] b c"),
    ],
)
def test_shortcodes_and_blocks_of_wordpress_are_converted_where_they_are_closed(
    tmp_path: Path, html: str, markdown_text: str
) -> None:
    (tmp_path / "a.xml").write_text(wordpress_file(html))
    posts, _ = found(tmp_path / "a.xml")
    assert posts["a"].markdown == markdown_text


def wordpress_file(html: str) -> str:
    return (
        '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">'
        f"<channel><item><title>A</title><wp:post_name>a</wp:post_name><content:encoded><![CDATA[{html}]]>"
        "</content:encoded></item></channel></rss>"
    )


def test_a_text_that_is_too_long_is_cut_before_it_is_converted(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(wordpress_file("[code]a[/code]" + "long " * MIB))
    posts, _ = found(tmp_path / "a.xml")
    assert "Its text was cut to 4 MiB before it was converted." in posts["a"].warnings
    assert len(posts["a"].markdown) <= 4 * MIB


def test_a_card_of_ghost_that_is_shown_again_and_again_does_not_fill_the_memory(tmp_path: Path) -> None:
    document = {"cards": [["html", {"html": "word " * 20_000}]], "sections": [[10, 0]] * 20_000}
    post = {"id": "1", "title": "A", "slug": "a", "mobiledoc": json.dumps(document)}
    (tmp_path / "a.json").write_text(json.dumps({"db": [{"data": {"posts": [post]}}]}))
    posts, _ = found(tmp_path / "a.json")
    assert "Its text was cut to 4 MiB before it was converted." in posts["a"].warnings
    assert len(posts["a"].markdown) < 5 * MIB


def test_galleries_of_wordpress_show_a_bounded_number_of_images(tmp_path: Path) -> None:
    attachments = "".join(
        f"<item><wp:post_id>{n}</wp:post_id><wp:post_parent>9</wp:post_parent><wp:post_type>attachment</wp:post_type>"
        f"<wp:attachment_url>https://a.example/{n}.png</wp:attachment_url></item>"
        for n in range(100, 400)
    )
    text = wordpress_file("[gallery]" * 100).replace("<wp:post_name>", "<wp:post_id>9</wp:post_id><wp:post_name>")
    (tmp_path / "a.xml").write_text(text.replace("</channel>", f"{attachments}</channel>"))
    posts, _ = found(tmp_path / "a.xml")
    assert posts["a"].markdown.count("![") == 1_000
    assert "Its galleries have more than 1,000 images. The others were removed (line 1)." in posts["a"].warnings


def test_astro_posts_are_read_with_their_field_names_and_without_components(tmp_path: Path) -> None:
    head = "---\ntitle: no\npubDate: Jul 08 2022\nheroImage: ../../assets/a b.png\ndescription: Said.\n---\n"
    text = "import X from './X.astro';\n\n<X client:load>In <b>it</b></X>\n"
    name = "src/content/blog/astro-post.mdx"
    posts, _ = found(zipped(tmp_path, {name: head + text, "src/assets/a b.png": b"1"}))
    post = posts["astro-post"]
    assert (post.title, post.summary, post.status) == ("no", "Said.", "published")
    assert post.markdown == "In <b>it</b>"
    assert dict(post.images) == {"../../assets/a b.png": "src/assets/a b.png"}
    assert any("<X client:load>" in warning for warning in post.warnings)


@pytest.mark.parametrize(
    "head",
    [
        "cover: a.png\ncover_alt: A ferry",
        "heroImage: a.png\nheroImageAlt: A ferry",
        "cover:\n  image: a.png\n  alt: A ferry",
        "feature_image: a.png\nfeature_image_alt: 'A\n  ferry'",
    ],
)
def test_the_alt_text_of_a_cover_is_read(tmp_path: Path, head: str) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\ndate: 2020-01-02\n{head}\n---\nwords")
    assert (post.cover, post.cover_alt) == ("a.png", "A ferry")


@pytest.mark.parametrize(
    "date",
    [
        "2020-01-02T03:04:05Z", "2020-01-02 04:04:05 +0100", "Thu, 02 Jan 2020 03:04:05 GMT", "2020-01-02 04:04:05",
        "2020-01-02T03:04:05.000Z", "2020-01-02 4:04:05 AM", "January 2nd, 2020 at 4:04:05 a.m.",
        "2020-01-02 03:04:05 GMT",
        "2020-01-01 22:04:05 EST", "2020-01-02 04:04:05 Europe/Berlin", "Jan 1, 2020 7:04:05 pm PST",
    ],
)  # fmt: skip
def test_common_date_formats_are_read(tmp_path: Path, date: str) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\ndate: {date}\n---\nwords")
    assert post.published_at == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "date",
    [
        "2020-1-5",
        "2020/1/05",
        "2020-1-5 0:00",
        "2020.01.05T00:00",
        "Jan 5, 2020",
        "January 5th, 2020",
        "05.01.2020",
        "5 Jan. 2020",
        "Sunday, 5 January 2020",
    ],
)
def test_dates_are_read_with_and_without_zeros(tmp_path: Path, date: str) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\ndate: {date}\n---\nwords")
    assert post.published_at == datetime(2020, 1, 4, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("published: 2020-01-02", "a.md"),
        ("lastmod: 2020-01-02", "a.md"),
        ("published: true\nlastmod: 2020-01-02", "a.md"),
        ("lastmod: 2021-01-01", "2020-01-02-a.md"),
    ],
)
def test_a_date_is_found_in_the_fields_that_programs_write(tmp_path: Path, head: str, name: str) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\n{head}\n---\nwords", name)
    assert (post.status, post.published_at) == ("published", datetime(2020, 1, 1, 23, tzinfo=UTC))


@pytest.mark.parametrize(
    ("head", "warning"),
    [
        ("expiryDate: 2020-02-01", "It was shown until 2020-01-31T23:00:00.000Z. It is imported as a draft."),
        ("headless: true", "The old blog had no page for it. It is imported as a draft."),
        ("build:\n  render: never", "The old blog had no page for it. It is imported as a draft."),
        ("permalink: false", "The old blog had no page for it. It is imported as a draft."),
        ("private: true", "It was private. It is imported as a draft."),
    ],
)
def test_a_post_without_a_page_on_the_old_blog_is_a_draft(tmp_path: Path, head: str, warning: str) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\ndate: 2020-01-02\n{head}\n---\nwords", "content/a.md")
    assert (post.status, post.warnings) == ("draft", (warning,))
    assert "false" not in post.addresses


def test_a_future_time_of_publishing_makes_a_draft_with_its_time(tmp_path: Path) -> None:
    head = "date: 2020-01-02\npublishDate: 2030-01-01\nexpiryDate: 2031-01-01"
    post = markdown(tmp_path, f"---\ntitle: A\n{head}\n---\nwords")
    assert (post.status, post.scheduled_at) == ("draft", datetime(2029, 12, 31, 23, tzinfo=UTC))


@pytest.mark.parametrize(
    ("head", "name", "reason"),
    [
        ("published: true", "a.md", "It has no date."),
        ("date: 2020-13-45", "a.md", "Its date, '2020-13-45', is not valid."),
        ("pubDate: someday", "a.md", "Its date, 'someday', is not valid."),
        ("date: 0001-01-01T00:00:00Z", "a.md", "Its date, '0001-01-01T00:00:00Z', is not valid."),
        ("draft: false", "2020-02-31-a.md", "Its date, '2020-02-31', is not valid."),
        ("draft: false", "a.md", "It has no date."),
    ],
)
def test_a_post_without_a_valid_date_is_a_draft(tmp_path: Path, head: str, name: str, reason: str) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\n{head}\n---\nwords", name)
    assert (post.status, post.published_at) == ("draft", None)
    assert post.warnings == (f"{reason} It is imported as a draft.",)


@pytest.mark.parametrize(("date", "year"), [("0201-01-02 10:00:00", 201), ("1000-12-30", 1000)])
def test_a_date_that_is_too_early_is_named(tmp_path: Path, date: str, year: int) -> None:
    post = markdown(tmp_path, f"---\ntitle: A\ndate: {date}\n---\nwords")
    assert (post.status, post.published_at) == ("published", EARLIEST_DATE)
    (note,) = post.warnings
    assert re.fullmatch(rf"Its date, \d\d \w+ {year}, is too early. It became the earliest possible date.", note)


def test_a_future_date_makes_a_draft_with_its_time(tmp_path: Path) -> None:
    post = markdown(tmp_path, "---\ntitle: A\ndate: 2030-01-01\n---\nwords")
    assert (post.status, post.scheduled_at) == ("draft", datetime(2029, 12, 31, 23, tzinfo=UTC))
    assert any("was scheduled for 2029-12-31T23:00:00.000Z" in warning for warning in post.warnings)


@pytest.mark.parametrize("data", ["Größe".encode("utf-8-sig"), "Größe".encode("utf-16"), "Größe".encode("latin-1")])
def test_common_text_encodings_are_read(tmp_path: Path, data: bytes) -> None:
    head = "---\ntitle: Größe\ndate: 2020-01-01\n---\n"
    encoding = "utf-16" if data.startswith(b"\xff\xfe") else "latin-1" if b"\xf6" in data else "utf-8-sig"
    post = markdown(tmp_path, (head + "Größe").encode(encoding))
    assert (post.title, post.markdown, post.slug) == ("Größe", "Größe", "a-post")


@pytest.mark.parametrize(
    ("head", "word"),
    [
        ("---\ntitle: [\n---\n", "YAML"),
        ("---\ntitle: &a [x]\ntags: [*a, *a]\n---\n", "alias"),
        ("+++\ntitle = \n+++\n", "TOML"),
        ("---\ntitle: " + "[" * 5000 + "\n---\n", "YAML"),
    ],
)
def test_a_post_with_broken_front_matter_is_skipped_with_a_reason(tmp_path: Path, head: str, word: str) -> None:
    posts, skipped = found(zipped(tmp_path, {"a.md": head + "words", "b.md": "---\ntitle: B\n---\nfine"}))
    assert list(posts) == ["b"]
    assert word in skipped[0].reason


def test_zip_entries_with_unsafe_paths_and_symlinks_are_skipped(tmp_path: Path) -> None:
    path = zipped(
        tmp_path, {"../up.md": "x", "/abs.md": "x", "C:\\win.md": "x", "a/b/../../../c.md": "x", "fine.md": "x"}
    )
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    posts, skipped = found(path)
    assert list(posts) == ["fine"]
    assert "5 files" in [one.title for one in skipped]


def test_a_zip_bomb_is_stopped_at_the_size_limits(tmp_path: Path) -> None:
    posts, skipped = found(zipped(tmp_path, {"big.md": b"a" * (30 * MIB), "b.md": "x"}))
    assert list(posts) == ["b"]
    assert "compressed more than 100 times" in skipped[0].reason
    posts, skipped = found(zipped(tmp_path, {"big.md": os.urandom(3 * MIB).hex(), "b.md": "x"}, "large.zip"))
    assert list(posts) == ["b"]
    assert "larger than 4 MiB" in skipped[0].reason
    many = {f"{number}.md": os.urandom(MIB * 3 // 2).hex() for number in range(10)}
    posts, skipped = found(zipped(tmp_path, many, "many.zip"), most=10 * MIB)
    assert len(posts) == 3
    assert "contents of this zip are too large" in skipped[0].reason


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><rss><channel>&b;</channel></rss>'
)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 cut off", "damaged"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "file type can't be imported"),
        (b"<html><p>hello", "does not start with <rss>"),
        (b"<rss><channel><item>", "incomplete"),
        (BOMB.encode(), "entities"),
        (b'<?xml version="1.0" encoding="no-such"?><rss></rss>', "encoding"),
        (b"<rss>" + b"<channel>" * 1000, "too deeply nested"),
        (b'{"posts": 1}', "neither an export of Ghost nor of blogsvc"),
        (b'{"db": [', "damaged or incomplete"),
        (b"[" * 100_000, "file type can't be imported"),
        (b'{"a":' * 100_000, "damaged or incomplete"),
        (b'{"format": "blogsvc-export", "version": 99}', "version 99"),
    ],
)
def test_an_unreadable_file_is_rejected_with_a_reason(tmp_path: Path, data: bytes, word: str) -> None:
    path = tmp_path / "upload"
    path.write_bytes(data)
    if data == b"[" * 100_000:
        found(path)  # treated like any other text
        return
    with pytest.raises(UnreadableFile, match=word):
        found(path)


def test_a_zip_without_posts_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no files that can be imported"):
        found(zipped(tmp_path, {"a.png": b"1"}))


def test_control_characters_in_wordpress_files_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes((HERE / "wordpress.xml").read_bytes().replace(b"Dear diary", b"Dear\x0b diary\x01"))
    assert found(path)[0]["diary"].markdown == "Dear diary."


def test_overlong_fields_are_truncated_with_warnings(tmp_path: Path) -> None:
    tags = ", ".join(f"t{number}" for number in range(30))
    post = markdown(tmp_path, f"---\ntitle: {'x ' * 300}\ndate: 2020-01-01\ntags: [{tags}]\n---\n{'word ' * 300_000}")
    assert len(post.title) <= 300
    assert len(post.tags) == 20
    assert len(post.markdown.encode()) <= MIB
    assert len(post.warnings) == 3


@pytest.mark.parametrize(
    ("name", "slug", "language", "addresses"),
    [
        ("content/posts/a/index.de.md", "a", "de", ["/de/posts/a/"]),
        ("content/posts/a/index.md", "a", None, ["/posts/a/"]),
        ("my-blog/content/en/blog/b.md", "b", None, ["/en/blog/b/"]),
        ("content/posts/c.pt-BR.md", "c", "pt-BR", ["/pt-br/posts/c/"]),
        ("content/posts/version-1.10.md", "version-1-10", None, ["/posts/version-1.10/"]),
        ("content/posts/next.js.md", "next-js", None, ["/posts/next.js/"]),
        ("content/My Posts/What's New.md", "whats-new", None, ["/my-posts/whats-new/"]),
        ("content/posts/2020-01-02-e.md", "e", None, ["/posts/2020-01-02-e/", "/posts/e/"]),
        ("_posts/2020-01-02-d.md", "d", None, ["/2020/01/02/d.html"]),
    ],
)
def test_paths_of_hugo_say_slug_language_and_old_addresses(
    tmp_path: Path, name: str, slug: str, language: str | None, addresses: list[str]
) -> None:
    post = markdown(tmp_path, "---\ntitle: A\ndate: 2020-01-02\n---\nwords", name)
    assert (post.slug, post.language, list(post.addresses)) == (slug, language, addresses)


def test_references_of_hugo_and_jekyll_lead_to_posts_and_headings(tmp_path: Path) -> None:
    references = {
        '{{< ref "/posts/a/index.md" >}}': "/a",
        '{{< relref "#s" >}}': "#s",
        '{{< ref path="/posts/f.md" lang="de" >}}': "/f",
        '{{< ref "b.de.md#über-uns" >}}': "/b#über-uns",
        '{{% ref "posts/c/" %}}': "/c",
        "{% post_url 2020-01-02-d %}": "/d",
        "{% link _posts/2020-01-02-e.md %}#f": "/e#f",
    }
    text = " ".join(f"[x]({reference})" for reference in references)
    post = markdown(tmp_path, f"---\ntitle: A\n---\n{text}", "a.md")
    assert post.markdown == " ".join(f"[x]({path})" for path in references.values())


def test_images_of_obsidian_are_found_by_their_names(tmp_path: Path) -> None:
    text = "![[my photo.png]] ![[b.JPG|A bee|300]] ![[c.png|200x100]] `![[b.JPG]]` ![[Note]]"
    files: dict[str, str | bytes] = {"notes/a.md": f"---\ntitle: A\ndate: 2020-01-02\n---\n{text}"}
    post = found(zipped(tmp_path, files | {"files/my photo.png": b"x", "files/b.JPG": b"x"}))[0]["a"]
    assert post.markdown == ("![](/files/my%20photo.png) ![A bee](/files/b.JPG) ![](c.png) `![[b.JPG]]` [[Note]]")
    assert dict(post.images)["/files/b.JPG"] == "files/b.JPG"
    assert "1 image is not in the file." in post.warnings


def test_names_of_files_are_utf_8_also_without_the_flag(tmp_path: Path) -> None:
    text = "---\ntitle: A\ndate: 2020-01-02\n---\nHi ![x](äpfel.png)"
    file = zipped(tmp_path, {"_____________.md": text, "__pfel.png": b"x"})
    data = file.read_bytes().replace(b"_____________.md", "日記の本1.md".encode())
    file.write_bytes(data.replace(b"__pfel.png", "äpfel.png".encode()))
    (post,) = found(file)[0].values()
    assert post.file_name == "rijinoben1"
    assert post.images == (("äpfel.png", "äpfel.png"),)


def a_ghost_export(tmp_path: Path, **fields: Any) -> Path:
    post = {"id": "1", "uuid": "u", "title": "A", "slug": "a", "status": "published", "visibility": "public"}
    post |= {"published_at": "2020-01-02T10:00:00Z", **fields}
    (tmp_path / "ghost.json").write_text(json.dumps({"db": [{"data": {"posts": [post]}}]}))
    return tmp_path / "ghost.json"


def lexical(*cards: dict[str, Any]) -> str:
    return json.dumps({"root": {"type": "root", "children": list(cards)}})


def test_a_ghost_post_with_a_part_for_members_becomes_a_draft(tmp_path: Path) -> None:
    begin = '<!--kg-gated-block:begin nonMember:{} memberSegment:"status:free" -->'
    html = "<p>A</p>{}<p>Gated</p><!--kg-gated-block:end-->"
    card = {
        "type": "html",
        "html": "<p>H</p>",
        "visibility": {"web": {"nonMember": False, "memberSegment": "status:free"}},
    }
    warning = "The old blog showed a part of it to members alone. It is imported as a draft."
    for fields in ({"html": html.format(begin.format("false"))}, {"lexical": lexical(card)}):
        post = found(a_ghost_export(tmp_path, **fields))[0]["a"]
        assert (post.status, post.warnings) == ("draft", (warning,))
    for_all = found(a_ghost_export(tmp_path, html=html.format(begin.format("true"))))[0]["a"]
    assert (for_all.status, for_all.warnings) == ("published", ())
    card["visibility"] = {"web": {"nonMember": False, "memberSegment": ""}}
    in_mail = found(a_ghost_export(tmp_path, lexical=lexical(card, {"type": "hr"})))[0]["a"]
    assert (in_mail.markdown, in_mail.status) == ("---", "published")
    assert in_mail.warnings == ("A card of type 'html' was removed, because only e-mails showed it.",)


@pytest.mark.parametrize(
    ("href", "is_kept"),
    [
        ('"#/portal/signup"', False),
        ("'#/portal'", False),
        ("#/portal/account/plans", False),
        ('"__GHOST_URL__/#/portal/signup/free"', False),
        ('"/about/#/share"', False),
        ('"#/search"', False),
        ('"https://other.example/#/portal/signup"', True),
        ('"//other.example/#/portal/signup"', True),
    ],
)
def test_links_to_what_only_ghost_has_become_words_and_are_named(tmp_path: Path, href: str, is_kept: bool) -> None:
    html = f"<p><a class=x href={href} rel=y>Join <b>us</b></a></p><pre>&lt;a href={href}></pre>"
    post = found(a_ghost_export(tmp_path, html=html))[0]["a"]
    target = href.strip("\"'").partition("#")[2]
    address = href.strip('"')
    code = f"```\n<a href={href.replace('__GHOST_URL__', 'https://ghost-url.invalid')}>\n```"
    assert post.markdown == f"{f'[Join **us**]({address})' if is_kept else 'Join **us**'}\n\n{code}"
    assert post.warnings == (() if is_kept else (f"Links to what only Ghost has are only words now: #{target}.",))


def test_the_words_of_a_ghost_post_without_documents_are_kept(tmp_path: Path) -> None:
    post = found(a_ghost_export(tmp_path, plaintext="Only *plain* words"))[0]["a"]
    assert (post.markdown, post.status) == (r"Only \*plain\* words", "published")


@pytest.mark.parametrize(
    ("card", "markdown"),
    [
        ({"type": "header", "heading": "HH", "subheading": "SH"}, "## HH\n\nSH"),
        ({"type": "audio", "src": "/a.mp3", "title": "AT"}, '<audio src="/a.mp3" controls></audio>\n\nAT'),
        ({"type": "file", "src": "/f.pdf", "fileTitle": "F", "fileCaption": "FC"}, "[F](/f.pdf)\\\nFC"),
        (
            {"type": "bookmark", "url": "https://b.example", "metadata": {"title": "B", "description": "BD"}},
            "[B](https://b.example) \\\nBD",
        ),
        ({"type": "embed", "url": "https://e.example", "caption": "<b>EC</b>"}, "<https://e.example>\n\n**EC**"),
        (
            {"type": "image", "src": "https://o.example/i.png", "alt": "ia", "href": "https://h.example"},
            "[![ia](https://o.example/i.png)](https://h.example)",
        ),
        (
            {
                "type": "product",
                "productTitle": "PT",
                "productDescription": "<p>PD</p>",
                "productUrl": "https://p.example",
                "productButton": "Buy",
            },
            "#### PT\n\nPD\n\n[Buy](https://p.example)",
        ),
        (
            {
                "type": "paragraph",
                "children": [{"type": "text", "text": "a"}, {"type": "tab"}, {"type": "tk", "text": "TK"}],
            },
            "a TK",
        ),
    ],
)
def test_the_words_of_cards_in_lexical_are_kept(tmp_path: Path, card: dict[str, Any], markdown: str) -> None:
    assert found(a_ghost_export(tmp_path, lexical=lexical(card)))[0]["a"].markdown == markdown
