"""Links between imported posts lead to the imported posts, however they are written."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from blogsvc.models import ImportedPost, Post
from tests.transfer.test_importing import Bring, by_slug, import_file, zipped

__all__ = ["import_file"]

OLD = "https://old.example/2020/a/"
HEAD = "---\ntitle: {}\ndate: 2020-01-02\nurl: {}\n---\n{}\n"


def blog(text: str) -> io.BytesIO:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("_posts/2020-01-02-a.md", HEAD.format("The First Post", OLD, "## Some Heading\n\nHi"))
        archive.writestr("_posts/My Notes.md", "---\ntitle: C\ndate: 2020-01-04\nslug: named-otherwise\n---\nHi")
        archive.writestr("_posts/2020-01-03-b.md", HEAD.format("Second", "https://old.example/2020/b/", text))
    data.seek(0)
    return data


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f"[x]({OLD})", "[x](/a)"),
        (f'[x]({OLD}#part "Title")', '[x](/a#part "Title")'),
        ("[x](http://www.old.example/2020/a)", "[x](/a)"),
        ("[x](/2020/a/#part)", "[x](/a#part)"),
        (f"<{OLD}>", f"[{OLD}](/a)"),
        (f"[x][1]\n\n[1]: {OLD}", "[x][1]\n\n[1]: /a"),
        (f'<a href="{OLD}">x</a>', '<a href="/a">x</a>'),
        ("[x](2020-01-02-a.md)", "[x](/a)"),
        ("[x](../a/index.md#part)", "[x](/a#part)"),
        ("[x](/_posts/2020-01-02-a.md)", "[x](/a)"),
        ("[x]({% post_url 2020-01-02-a %})", "[x](/a)"),
        ("[x]({% link _posts/2020-01-02-a.md %})", "[x](/a)"),
        ("[[The First Post]]", "[The First Post](/a)"),
        ("[[The First Post#Some Heading|these *words*]]", "[these *words*](/a#some-heading)"),
        ("[[The First Post#One#Two -- b]]", "[The First Post > One > Two -- b](/a#two----b)"),
        ("[[#Here|h]] [[#So & so]] [[#One#Two]] `[[#a]]`", "[h](#here) [So & so](#so--so) [One > Two](#two) `[[#a]]`"),
        ("[[|x]] [[#]] [[#!]] ![[#a]]", "[[|x]] [[#]] [[#!]] [a](#a)"),
        ("[[#^Block]] [[#^block|x]]", "[\\^Block](#block-block) [x](#block-block)"),
        ("[[a#^block]] ![[a#^block|x]]", "[a > ^block](/a#block-block) [x](/a#block-block)"),
        ("| a |\n|---|\n| [[a#One\\|x]] [[a#One]] |", "| a |\n|---|\n| [x](/a#one) [a > One](/a#one) |"),
        ("[[2020-01-02-a]] [[Nobody]] [[toc]]", "[2020-01-02-a](/a) [[Nobody]] [[toc]]"),
        ("[[a|x]]", "[x](/a)"),
        ("[x](<My Notes.md>) [[my notes]]", "[x](/named-otherwise) [my notes](/named-otherwise)"),
        ("[x](My%20Notes.md#part)", "[x](/named-otherwise#part)"),
        ("[x]({% post_url 2020-01-04-my-notes %})", "[x](/named-otherwise)"),
        ("[x](?p=13) [y](https://old.example/?page_id=7)", "[x](/?p=13) [y](/?page_id=7)"),
        (
            "[x](https://old.example/?p=13#part) [y](/index.php?page_id=7) [z](//old.example/2020/a/?lang=de#part)",
            "[x](/?p=13#part) [y](/?page_id=7) [z](/a#part)",
        ),
        (
            "[x](https://old.example/2020/a/?utm_source=x) [y](https://old.example/?s=a)",
            "[x](/a) [y](https://old.example/?s=a)",
        ),
        ("[x](https://other.example/2020/a/) [y](https://other.example/?p=1)", None),
        (f"`[x]({OLD})` `[[The First Post]]` [y]({OLD})", f"`[x]({OLD})` `[[The First Post]]` [y](/a)"),
    ],
)
def test_a_link_to_another_post_leads_to_it(import_file: Bring, written: str, shown: str | None) -> None:
    import_file(blog(written))
    assert by_slug("b").content == (shown or written)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[m](<Two words.md#Sub heading>)", "[m](/two-words#sub-heading)"),
        ('[m](<./Two words.md#Sub heading> "Title")', '[m](/two-words#sub-heading "Title")'),
        ("[m](<Two words.md#One#Sub (a) heading>)", "[m](/two-words#sub-a-heading)"),
        ("[m](Two%20words.md#Sub%20heading)", "[m](/two-words#sub-heading)"),
        ("[m](Two%20words.md#%5EBlock) [n](Two%20words.md#^b)", "[m](/two-words#block-block) [n](/two-words#block-b)"),
        ("[m](Two%20words) [m](<Two words#Sub>)", "[m](/two-words) [m](/two-words#sub)"),
        ("[m](#Own%20part) [m](<#Own part>) [m](#Own)", "[m](#own-part) [m](#own-part) [m](#own)"),
        ("[m](#^own) [m](#%C3%9Cber%20uns)", "[m](#block-own) [m](#über-uns)"),
        ('[m](#Own) <a id="Own"></a>', None),
        ("[m](#fn:1) [m](#top) [m](#) [m](#!)", None),
        ("`[m](#Own%20part)` [m](https://other.example/#Own%20part)", None),
    ],
)
def test_links_of_notes_lead_to_headings_and_blocks(import_file: Bring, written: str, shown: str | None) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("notes/Two words.md", "---\ndate: 2020-01-02\n---\n## Sub heading\n\nWords ^block")
        archive.writestr("b.md", f"---\ndate: 2020-01-02\n---\n{written}")
    data.seek(0)
    import_file(data)
    assert by_slug("b").content == (shown or written)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[[A#Two#Sub|deep]] [[A#One#Sub]]", "[deep](/a#sub-1) [A > One > Sub](/a#sub)"),
        ("[[A#Two#Sub]] `[[A#Two#Sub]]`", "[A > Two > Sub](/a#sub-1) `[[A#Two#Sub]]`"),
        (
            "| a |\n|---|\n| [[A#Two#Sub\\|x]] ![[A#Two#Sub]] |",
            "| a |\n|---|\n| [x](/a#sub-1) [A > Two > Sub](/a#sub-1) |",
        ),
        ("[[A#Two#Other]] [[A#Sub]]", "[A > Two > Other](/a#other) [A > Sub](/a#sub)"),
        ("# One\n\n## Sub\n\n# Two\n\n## Sub ##\n\n[[#Two#Sub]]", "[Two > Sub](#sub-1)"),
    ],
)
def test_links_to_a_heading_below_another_one_lead_to_it(import_file: Bring, written: str, shown: str) -> None:
    head = "---\ntitle: {}\ndate: 2020-01-02\n---\n"
    text = "## One\n### Sub\nfirst\n```\n### Sub\n```\n## Two\n### Sub\nsecond\n## Three\n### Other"
    import_file(zipped({"A.md": head.format("A") + text, "b.md": head.format("B") + written}))
    assert by_slug("b").content.endswith(shown)


@pytest.mark.parametrize(
    ("written", "shown", "missing"),
    [
        ("[[Missing note|shown]] [[Missing note]] ![[Other]]", "shown Missing note Other", "“Missing note”, “Other”"),
        ("[[Missing#Part#Sub]] [[Missing#^b|x]] [[folder/My note]]", "Missing > Part > Sub x folder/My note", None),
        ("| a |\n|---|\n| [[Missing\\|*x*]] |", "| a |\n|---|\n| *x* |", "“Missing”"),
        ("[*m*](Missing%20note.md#a) [n](<../No.md> 'T') [o][1]\n\n[1]: No.md", "*m* n o", "“Missing note”, “No”"),
        ("[[One]][[Two]] x[[1]][[2]] a[[i]] pre[[fix]]es", "OneTwo x[[1]][[2]] a[[i]] prefixes", "“One”, “Two”, “fix”"),
        ("[[Two words\\|x]] [[Two words|]] [[Two words#]]", None, ""),
        ("`[[Missing]]` [[toc]] [[ -f x ]] a[[1]] [[a=b]] [x](/No.md) [y](https://a.example/No.md)", None, ""),
    ],
)
def test_links_to_notes_that_are_missing_become_words_and_are_named(
    import_file: Bring, written: str, shown: str | None, missing: str | None
) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("notes/Two words.md", "---\ndate: 2020-01-02\n---\nHi")
        archive.writestr("b.md", f"---\ndate: 2020-01-02\n---\n{written}")
    data.seek(0)
    job = import_file(data)
    links = "[x](/two-words) [Two words](/two-words) [Two words](/two-words)" if "Two words" in written else written
    assert by_slug("b").content.partition("\n\n[1]")[0] == (shown or links)
    notes = [note for entry in ImportedPost.snapshot_of(job.id) for note in entry.warnings]
    named = "“Missing”, “folder/My note”" if missing is None else missing
    assert notes == ([f"Links to notes that are not imported are only words now: {named}."] if named else [])


SITE = {
    "content/posts/second.md": "zwo",
    "content/posts/second.de.md": "zwei",
    "content/notes/second.md": "other",
    "content/notes/bundle/index.md": "bundle",
    "content/notes/bundle/index.de.md": "paket",
    "content/fr/posts/alone.md": "seul",
    "content/en/posts/alone.md": "alone",
    "_posts/2020-01-02-same.md": "first",
    "_posts/2021-01-02-same.md": "later",
}


@pytest.mark.parametrize(
    ("name", "written", "shown"),
    [
        ("content/posts/b.de.md", '[x]({{< ref "second" >}}) [y]({{< relref "second.md#a" >}})', "zwei zwei#a"),
        ("content/posts/b.de.md", "[x](second.md) [y](<../posts/second.md#a> 'T') [z](/posts/second.md)", None),
        ("content/posts/b.de.md", '[x]({{< ref path="second" lang="en" >}}) [y](second.de.md)', "zwo zwei"),
        ("content/posts/b.md", '[x]({{< ref path="second" lang="de" >}}) [y]({{< ref "second" >}})', "zwei zwo"),
        ("content/posts/b.md", '[x]({{< ref "notes/second" >}}) [y](../notes/second.md)', "other other"),
        ("content/notes/b.md", '[x]({{< ref "second" >}}) [y](../posts/second.md) [z](second.md)', "other zwo other"),
        ("content/notes/b/index.de.md", '[x](../bundle/index.md) [y]({{< ref "bundle" >}})', "paket paket"),
        ("content/fr/posts/b.md", '[x](alone.md) [y]({{< ref "/posts/alone" >}})', "seul seul"),
        (
            "content/fr/posts/b.md",
            '[x]({{< ref path="/posts/alone" lang="en" >}}) [y]({{< relref "/posts/alone#a" >}})',
            "alone seul#a",
        ),
        ("content/en/posts/b.md", '[x](alone.md) {{< button relref="alone" >}}y{{< /button >}}', "alone alone"),
        (
            "_posts/2020-02-02-b.md",
            "[x]({% post_url 2021-01-02-same %}) [y]({% post_url 2020-01-02-same %})",
            "later first",
        ),
        ("_posts/2020-02-02-b.md", "[x](2021-01-02-same.md) [y](/_posts/2021-01-02-same.md#a)", "later later#a"),
    ],
)
def test_a_link_leads_to_the_file_in_its_language_and_folder_among_those_of_one_name(
    import_file: Bring, name: str, written: str, shown: str | None
) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for file, slug in SITE.items():
            archive.writestr(file, f"---\ntitle: {slug}\ndate: 2020-01-02\nslug: {slug}\n---\nHi")
        archive.writestr(name, f"---\ntitle: Here\ndate: 2020-01-03\nslug: here\n---\n{written}")
    data.seek(0)
    import_file(data)
    if shown is None:
        assert by_slug("here").content == "[x](/zwei) [y](/zwei#a 'T') [z](/zwei)"
        return
    slugs = zip("xyz", shown.split(), strict=False)
    assert by_slug("here").content == " ".join(f"[{word}](/{slug})" for word, slug in slugs)


OF_JEKYLL = "_posts/2020-01-02-one.md _posts/2020-01-03-zwei.md"
OF_ONE_NAME = {
    "_config.yml": "",
    "_posts/2020-01-09-weekly.md": "[old]({% post_url 2020-01-02-weekly %}) [here](/weekly)",
    "_posts/2020-01-02-weekly.md": "[n]({% post_url 2020-01-09-weekly %}) [m]({% link _posts/2020-01-09-weekly.md %})",
    "_posts/2020-01-16-weekly.md": "[x](2020-01-09-weekly.md)",
}
WITH_LANGUAGES = {
    "hugo.toml": 'defaultContentLanguage="en"\n[languages.en]\n[languages.de]\n',
    "content/posts/a.md": '[x]({{< relref path="b" lang="de" >}})',
    "content/posts/a.de.md": '[x]({{% ref "b" %}}) [y](b.de.md)',
    "content/posts/b.md": "b",
    "content/posts/b.de.md": "[x](../a/index.md)",
}


@pytest.mark.parametrize(
    ("files", "contents"),
    [
        (
            OF_ONE_NAME,
            {
                "weekly": "[n](/weekly-2) [m](/weekly-2)",
                "weekly-2": "[old](/weekly) [here](/weekly)",
                "weekly-3": "[x](/weekly-2)",
            },
        ),
        (WITH_LANGUAGES, {"a": "[x](/b-2)", "a-2": "[x](/b-2) [y](/b-2)"}),
    ],
)
@pytest.mark.parametrize("taken", ["skip", "rename"])
def test_a_link_leads_to_a_later_post_whose_slug_gets_a_number(
    import_file: Bring, files: dict[str, str], contents: dict[str, str], taken: str
) -> None:
    head = "---\ntitle: A\ndate: 2020-01-02\n---\n"
    data = zipped({name: head + text if name.endswith(".md") else text for name, text in files.items()})
    import_file(data, taken=taken)
    assert {slug: by_slug(slug).content for slug in contents} == contents


@pytest.mark.parametrize(
    ("settings", "names", "written", "shown"),
    [
        ("permalink: /:year/:month/:day/:title/", OF_JEKYLL, "../../03/", "zwei"),
        ("permalink: /:year/:title/", OF_JEKYLL, "../", "zwei"),
        ("", "content/posts/one.de.md content/posts/zwei.md content/posts/zwei.de.md", "../", "zwei-2"),
    ],
)
def test_a_link_that_is_relative_to_the_old_address_of_its_post_leads_to_the_other_post(
    import_file: Bring, settings: str, names: str, written: str, shown: str
) -> None:
    text = f"---\ntitle: A\ndate: 2020-01-02\n---\n[x]({written}zwei/#a) [y](../no/)"
    files = {name: text.replace("-02\n", "-03\n") if "03" in name else text for name in names.split()}
    import_file(zipped({"_config.yml" if settings else "hugo.toml": settings, **files}))
    assert by_slug("one").content == f"[x](/{shown}#a) [y](../no/)"


def test_a_link_leads_to_the_post_that_is_here_from_an_earlier_import(
    import_file: Bring, a_post: Callable[..., Post]
) -> None:
    first = {"b.md": "---\ntitle: B\ndate: 2020-01-02\nslug: taken\n---\nHi"}
    a_post(title="Taken", slug="taken")
    import_file(zipped(first), taken="rename")
    import_file(zipped({**first, "a.md": "---\ntitle: A\ndate: 2020-01-02\n---\n[b](b.md)"}))
    assert by_slug("a").content == "[b](/taken-2)"


def test_a_post_keeps_its_slug_if_an_earlier_one_had_an_address_with_its_name(import_file: Bring) -> None:
    head = "---\ntitle: {}\ndate: 2020-01-02\nslug: {}\nurl: {}\n---\n[to b](/x/b/)"
    import_file(zipped({"1.md": head.format("A", "a", "/old/b/"), "2.md": head.format("B", "b", "/x/b/")}))
    assert by_slug("b").title == "B"


def test_the_addresses_of_pelican_lead_to_posts_tags_and_authors(import_file: Bring) -> None:
    head = "Title: {}\nDate: 2020-01-02\nSlug: {}\nTags: a b\nAuthor: Ann Lee\n\n{}"
    text = (
        "[a]({filename}c.md#x) [b](|filename|/in/c.md) [c](<{filename}../content/in/c.md>) [d]({tag}a%20b)"
        " [e]({author}ann%20lee) [f]({index}) [g]({category}news) `[h]({filename}c.md)` [i][1]\n\n[1]: {filename}c.md"
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("content/in/b.md", head.format("B", "b", text))
        archive.writestr("content/in/c.md", head.format("C", "named-otherwise", "Hi"))
    data.seek(0)
    import_file(data)
    assert by_slug("b").content == (
        "[a](/named-otherwise#x) [b](/named-otherwise) [c](/named-otherwise) [d](/tag/a%20b)"
        " [e](/author/ann-lee) [f](/) [g](/tag/news) `[h]({filename}c.md)` [i][1]\n\n[1]: /named-otherwise"
    )


def test_fragments_of_other_programs_stay(import_file: Bring) -> None:
    written = "[x](/2020/a/#My_Part) [y](<My Notes.md#a b>) [z](#Own)"
    import_file(blog(written))
    assert by_slug("b").content == "[x](/a#My_Part) [y](/named-otherwise#a%20b) [z](#Own)"


@pytest.mark.parametrize("spelling", ["%d0%bf%D1%80/", "%D0%BF%D1%80", "пр/"])
def test_a_link_finds_a_post_however_its_letters_are_encoded(import_file: Bring, spelling: str) -> None:
    data = blog(f"[x](https://old.example/2020/{spelling})")
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr(
            "_posts/c.md",
            HEAD.format("C", "https://old.example/2020/%D0%BF%d1%80/", "Hi").replace("---\n", "---\nslug: c\n", 1),
        )
    data.seek(0)
    import_file(data)
    assert by_slug("b").content == "[x](/c)"
