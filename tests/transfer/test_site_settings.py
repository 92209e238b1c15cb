"""The settings of a static site: fields that posts have by default, what is no post, time zones and addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogsvc.transfer.formats.parsed_post import ParsedPost
from tests.transfer.test_formats import found, zipped

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\nWords.\n"
NO_PAGE = ("The old blog had no page for it. It is imported as a draft.",)
Files = dict[str, str | bytes]


def imported(tmp_path: Path, files: Files) -> tuple[dict[str, ParsedPost], list[str]]:
    posts, skipped = found(zipped(tmp_path, files))
    return posts, [item.title for item in skipped]


@pytest.mark.parametrize(
    ("settings", "text", "name"),
    [
        (
            "_config.yml",
            "defaults:\n- scope: {path: ''}\n  values: {published: true}\n"
            "- scope: {path: _posts/kept}\n  values: {published: false}\n",
            "_posts/kept/2020-01-02-a.md",
        ),
        ("_config.yml", "defaults:\n- scope: {type: posts}\n  values: {draft: true}\n", "_posts/2020-01-02-a.md"),
        ("content/kept/_index.md", "---\ntitle: B\ncascade:\n  draft: true\n---\n", "content/kept/a.md"),
        ("content/kept/_index.md", '+++\ntitle = "B"\n[[cascade]]\ndraft = true\n+++\n', "content/kept/in/a.md"),
        (
            "content/_index.md",
            "---\ntitle: B\ncascade:\n- target: {path: '/kept/**'}\n  draft: true\n---\n",
            "content/kept/a.md",
        ),
        ("posts/posts.json", '{"draft": true}', "posts/a.md"),
        ("posts/posts.11tydata.json", '{"draft": true}', "posts/deeper/a.md"),
    ],
)
def test_settings_hide_posts(tmp_path: Path, settings: str, text: str, name: str) -> None:
    program = "_config.yml" if "_posts" in name else "hugo.toml" if "content" in name else ".eleventy.js"
    other = "/".join([*name.split("/")[:1], "2020-01-03-b.md"])
    files: Files = {program: "", name: HEAD, other: HEAD.replace("title: A", "title: B\ndraft: false")}
    posts, _ = imported(tmp_path, files | {settings: text})
    assert {slug: post.status for slug, post in posts.items()} == {"a": "draft", "b": "published"}


def test_posts_have_the_fields_of_their_settings_unless_they_say_otherwise(tmp_path: Path) -> None:
    settings = "defaults:\n- scope: {path: '', type: posts}\n  values: {tags: [all], permalink: '/b/:title/'}\n"
    files: Files = {"_config.yml": settings, "_posts/2020-01-02-a.md": HEAD}
    files["_posts/2020-01-02-b.md"] = HEAD.replace("title: A", "title: B\ntags: [own]")
    posts, _ = imported(tmp_path, files)
    assert (posts["a"].tags, posts["b"].tags) == (("all",), ("own",))
    assert "/b/a/" in posts["a"].addresses


def test_collections_without_pages_become_drafts(tmp_path: Path) -> None:
    settings = "collections:\n  notes: {output: true}\n  parts: {output: false}\n"
    files: Files = {
        "_config.yml": settings,
        "_notes/a.md": HEAD,
        "_parts/b.md": HEAD,
        "_other/c.md": HEAD,
        "d.md": HEAD,
    }
    posts, _ = imported(tmp_path, files)
    warnings = {slug: post.warnings for slug, post in posts.items()}
    assert warnings == {"a": (), "b": NO_PAGE, "c": NO_PAGE, "d": ()}


@pytest.mark.parametrize(
    ("settings", "post", "others"),
    [
        ("hugo.toml", "content/posts/a.md", ["themes/t/exampleSite/content/p.md", "archetypes/default.md", "q.md"]),
        (
            "_config.yml",
            "_posts/2020-01-02-a.md",
            ["_includes/i.md", "vendor/bundle/r.md", "old/_posts/2020-01-02-x.md"],
        ),
        (".eleventy.js", "src/a.md", ["src/_includes/c.md", "_data/d.md"]),
        ("hugo.toml", "content/posts/a.md", ["content/posts/_index.de.md"]),
    ],
)
def test_files_of_the_site_are_no_posts(tmp_path: Path, settings: str, post: str, others: list[str]) -> None:
    text = "exclude: [old]\n" if settings == "_config.yml" else ""
    posts, skipped = imported(tmp_path, {settings: text, **dict.fromkeys([post, *others], HEAD)})
    assert set(posts) == {"a"}
    assert sorted(skipped) == sorted(others)


@pytest.mark.parametrize(
    ("settings", "post", "hidden"),
    [
        ("docusaurus.config.js", "blog/a.md", ["blog/_2020-01-02-z.md", "blog/_hid/2020-01-02-x.md", "docs/_p.mdx"]),
        ("_site/docusaurus.config.ts", "_site/blog/a.md", ["_site/blog/_b.md"]),
        ("astro.config.mjs", "src/content/blog/a.md", ["src/content/blog/_h.md", "src/data/_d/h2.md"]),
        ("readme.txt", "src/content/blog/a.md", ["src/content/blog/_d/h2.md", "src/pages/_p.md"]),
        ("_quarto.yml", "posts/a.md", ["posts/_b.md", "_parts/c.md"]),
        ("_config.yml", "_posts/2020-01-02-a.md", ["_posts/_2020-01-02-b.md", "_posts/_wip/2020-01-02-c.md", "_d.md"]),
        ("hugo.toml", "content/posts/_a.md", []),
        ("readme.txt", "_a.md", []),
    ],
)
def test_files_that_the_program_leaves_out_for_their_names_are_no_posts(
    tmp_path: Path, settings: str, post: str, hidden: list[str]
) -> None:
    posts, skipped = imported(tmp_path, {settings: "", **dict.fromkeys([post, *hidden], HEAD)})
    assert set(posts) == {"a"}
    assert sorted(skipped) == sorted(hidden)


@pytest.mark.parametrize(
    ("settings", "text", "name"),
    [
        ("_config.yml", "timezone: America/New_York\n", "_posts/2020-01-03-a.md"),
        ("hugo.toml", 'timeZone = "America/New_York"\n', "content/a.md"),
        ("_config.yml", "timezone: Nowhere/Nothing\n", "_posts/2020-01-03-b.md"),
    ],
)
def test_dates_are_in_the_time_zone_of_the_site(tmp_path: Path, settings: str, text: str, name: str) -> None:
    head = "---\ntitle: A\ndate: 2020-01-03 23:30:00\n---\nWords.\n"
    ((slug, post),) = imported(tmp_path, {settings: text, name: head})[0].items()
    known = {"a": "2020-01-04 04:30:00+00:00", "b": "2020-01-03 22:30:00+00:00"}  # or in Berlin
    assert str(post.published_at) == known[slug]


@pytest.mark.parametrize(
    ("settings", "name", "address"),
    [
        ("", "src/posts/two.md", "/posts/two/"),
        ("", "posts/two/two.md", "/posts/two/"),
        ("", "posts/2020-01-02-two.md", "/posts/two/"),
        ('return {dir: {input: "site"}}', "site/notes/two/index.md", "/notes/two/"),
    ],
)
def test_the_default_addresses_of_eleventy_are_known(tmp_path: Path, settings: str, name: str, address: str) -> None:
    ((_, post),) = imported(tmp_path, {".eleventy.js": settings, name: HEAD})[0].items()
    assert address in post.addresses


@pytest.mark.parametrize(
    ("settings", "name", "fields", "slug", "address"),
    [
        ("", "blog/2024-01-04-z.md", "", "z", "/blog/2024/01/04/z"),
        ("", "blog/2024-01-04-z/index.mdx", "slug: uu", "uu", "/blog/uu"),
        ("", "blog/2024/01/04/w.md", "", "w", "/blog/2024/01/04/w"),
        ("", "blog/2024/01-04-v/index.mdx", "", "v", "/blog/2024/01/04/v"),
        ("", "blog/in/2024-01-04-z.md", "", "z", "/blog/2024/01/04/in/z"),
        ("", "blog/undated.md", "date: 2024-01-04", "undated", "/blog/undated"),
        (
            "baseUrl: '/site/', presets: [['classic', {docs: {routeBasePath: 'd'}, blog: {x: {}, path: './news',"
            " routeBasePath: '/n'}}]]",
            "news/2024-01-04-z.md",
            "",
            "z",
            "/site/n/2024/01/04/z",
        ),
        (
            "plugins: [['@docusaurus/plugin-content-blog', {id: 'b', path: 'b', routeBasePath: '/'}]]",
            "b/2024-01-04-z.md",
            "",
            "z",
            "/2024/01/04/z",
        ),
    ],
)
def test_posts_of_docusaurus_have_the_dates_and_addresses_of_their_files(
    tmp_path: Path, settings: str, name: str, fields: str, slug: str, address: str
) -> None:
    files: Files = {"docusaurus.config.js": settings, name: f"---\ntitle: A\n{fields}\n---\nWords."}
    post = imported(tmp_path, files)[0][slug]
    assert address in post.addresses
    assert str(post.published_at) == "2024-01-03 23:00:00+00:00"  # in Berlin


def test_addresses_with_templates_are_left_out_and_paths_are_read(tmp_path: Path) -> None:
    def addresses(field: str) -> tuple[str, ...]:
        return imported(tmp_path, {"a.md": f"---\ntitle: A\n{field}\n---\nWords."})[0]["a"].addresses

    assert addresses("url: /:year/:title/") == ()
    assert addresses("path: /own/path") == ("/own/path",)
    assert addresses("path: posts/a.md") == ()


@pytest.mark.parametrize("field", ["permalink: {}", "eleventyComputed:\n  permalink: {}"])
@pytest.mark.parametrize(
    ("permalink", "address"),
    [
        ("/blog/{{ title | slug }}/", "/blog/what's-uber-in-c-and-go/"),
        ("/blog/{{ title | slugify }}/index.html", "/blog/whats-ueber-in-c-and-go/"),
        ("/b/{{page.fileSlug}}.html", "/b/two.html"),
        ("{{ page.date | date: '%Y/%m/%d' }}/{{ kind | downcase }}/", "2020/01/02/note/"),
        ("/b/{{ title | unknown }}/", ""),
        ("/b/{{ missing }}/", ""),
        ("/own/", "/own/"),
        ("/b/{% if x %}{{ title }}{% endif %}/", ""),
        ("/b/{{ page.date | date: '%s' }}/", ""),
    ],
)
def test_addresses_of_eleventy_that_are_computed_are_known_or_named(
    tmp_path: Path, permalink: str, address: str, field: str
) -> None:
    own = field.format(f'"{permalink}"')
    text = f"---\ntitle: What's über in C & Go\ndate: 2020-01-02\nkind: Note\n{own}\n---\nWords."
    files: Files = {".eleventy.js": "", "posts/2020-01-02-two.md": text}
    post = imported(tmp_path, files)[0]["two"]
    assert post.addresses == ((address,) if address else ())
    note = f"Its address on the old blog, {permalink}, is computed, and unknown here."
    assert post.warnings == (() if address else (note,))


@pytest.mark.parametrize(
    "head",
    [
        "Title: My post\nDate: 2020-01-02 10:00\nTags: one, two\nAuthors: Ann; Bo\nSummary: Over\n    two lines\n\n",
        "title: My post\ndate: 2020-01-02 10:00\ntags: [one, two]\nauthors: [Ann, Bo]\nsummary: Over two lines\n---\n",
    ],
)
def test_heads_without_dashes_are_read(tmp_path: Path, head: str) -> None:
    post = imported(tmp_path, {"a.md": f"{head}Words: here.\n"})[0]["a"]
    assert (post.title, post.tags, post.summary) == ("My post", ("one", "two"), "Over two lines")
    assert ([author.name for author in post.authors], post.markdown) == (["Ann", "Bo"], "Words: here.")
    assert str(post.published_at) == "2020-01-02 09:00:00+00:00"  # in Berlin


@pytest.mark.parametrize("settings", [".obsidian/app.json", "_config.yml", "astro.config.mjs"])
@pytest.mark.parametrize(
    ("head", "markdown"),
    [
        ("---\ncssclasses:\n  - wide\n---\n", "Text."),
        ("---\ndg-publish: true\nown property: x\n---\n", "Text."),
        ("---\nWords: that are\nno: [yaml\n---\n", None),
        ("---\nWords alone\n\n---\n", None),
        ("\n---\nown: x\n---\n", None),
    ],
)
def test_what_a_file_of_a_site_or_a_vault_begins_with_is_its_head_whatever_the_names_of_its_fields(
    tmp_path: Path, settings: str, head: str, markdown: str | None
) -> None:
    posts, _ = imported(tmp_path, {settings: "{}", "a.md": f"{head}Text."})
    assert posts["a"].markdown == (markdown or f"{head}Text.".lstrip("\n"))


def test_what_is_between_rules_is_text_if_no_program_is_known(tmp_path: Path) -> None:
    text = "---\ncssclasses: x\n---\nText."
    assert imported(tmp_path, {"a.md": text})[0]["a"].markdown == text


@pytest.mark.parametrize("written", ["{static}/img/b.png", "{attach}b.png", "|filename|../in/b.png"])
def test_the_images_of_pelican_are_found(tmp_path: Path, written: str) -> None:
    text = f"![i]({written}) <img src='{written}'> ![j][1]\n\n[1]: {written}\n"
    text = f"Title: A\nDate: 2020-01-02\nCover: {written}\n\n{text}"
    post = imported(tmp_path, {"content/in/a.md": text, "content/img/b.png": b"x", "content/in/b.png": b"x"})[0]["a"]
    path = written.partition("}")[2] or "../in/b.png"
    assert post.markdown == f"![i]({path}) <img src='{path}'> ![j][1]\n\n[1]: {path}"
    assert (post.cover, post.warnings, len(post.images)) == (path, (), 1)
    assert post.images[0][1] in ("content/img/b.png", "content/in/b.png")


@pytest.mark.parametrize(
    "text",
    [
        "Title: a thing\n\nWords.",
        "Note: this\nWarning: that\n\nWords.",
        "Title: x\nDate: y\nand text\n\nWords.",
        "A: b\n---\nc",
    ],
)
def test_text_that_looks_like_a_head_is_text(tmp_path: Path, text: str) -> None:
    assert imported(tmp_path, {"a.md": text})[0]["a"].markdown == text


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ('---json\n{"title": "A", "date": "2020-01-02"}\n---\n', ""),
        ('---toml\ntitle = "A"\ndate = "2020-01-02"\n---\n', ""),
        ("---js\n{title: 'A'}\n---\n", "Its front matter is JavaScript, which is not read."),
        ("---json\n{title}\n---\n", "Its front matter is not JSON."),
    ],
)
def test_front_matter_can_name_its_format(tmp_path: Path, head: str, reason: str) -> None:
    posts, skipped = found(zipped(tmp_path, {"a.md": f"{head}Words.\n"}))
    assert [item.reason for item in skipped] == [reason] * bool(reason)
    assert [(post.title, post.status, post.markdown) for post in posts.values()] == (
        [] if reason else [("A", "published", "Words.")]
    )


@pytest.mark.parametrize("field", ["redirect_to: https://x.example", "audience: only_paid"])
def test_a_post_whose_text_was_not_shown_is_a_draft(tmp_path: Path, field: str) -> None:
    post = imported(tmp_path, {"a.md": HEAD.replace("title: A", f"title: A\n{field}")})[0]["a"]
    assert post.status == "draft"
    assert post.warnings[0].endswith("It is imported as a draft.")


def test_each_language_of_hugo_has_its_folder_of_posts(tmp_path: Path) -> None:
    settings = 'contentDir = "./content/en"\n[languages.en]\n[languages.fr]\ncontentDir = "content/fr"\n'
    files: Files = {"hugo.toml": settings, "content/en/a.md": HEAD, "content/fr/b.md": HEAD, "content/c.md": HEAD}
    posts, skipped = imported(tmp_path, files)
    assert (set(posts), skipped) == ({"a", "b"}, ["content/c.md"])


def test_a_file_of_the_site_takes_no_name_from_a_post(tmp_path: Path) -> None:
    files: Files = {"_config.yml": "", "_includes/about.md": HEAD, "about.md": HEAD}
    assert imported(tmp_path, files)[0]["about"].file_name == "about"
