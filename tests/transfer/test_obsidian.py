"""Vaults of Obsidian: what it shows arrives, links lead where they led, and what it hides stays hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogsvc.transfer.formats.parsed_post import ParsedPost
from tests.transfer.test_formats import found, zipped

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"


def of_vault(tmp_path: Path, text: str, *others: str, name: str = "a.md", is_vault: bool = True) -> ParsedPost:
    """Return a note of a vault with other files."""
    settings: dict[str, str | bytes] = {".obsidian/app.json": '{"strictLineBreaks": true}'} if is_vault else {}
    return found(zipped(tmp_path, {name: HEAD + text, **settings, **dict.fromkeys(others, b"x")}))[0]["a"]


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("A block. ^ownblk", '<a id="block-ownblk"></a>A block.'),
        ("Two\nlines. ^Own-2  \n\nNext", '<a id="block-own-2"></a>Two\nlines.\n\nNext'),
        ("- item ^li1\n- [ ] to do ^li2", '- <a id="block-li1"></a>item\n- [ ] <a id="block-li2"></a>to do'),
        ("1. item\n   more ^li\n2. b", '1. <a id="block-li"></a>item\n   more\n2. b'),
        ("- a\n- b\n\n^list\n\nNext", '- <a id="block-list"></a>a\n- b\n\n\nNext'),
        ("- a\n- b\n  ^two\n- c", '- a\n- <a id="block-two"></a>b\n\n- c'),
        ("## Head ^h\nText", '## <a id="block-h"></a>Head\nText'),
        ("> quoted\n> words ^q", '> <a id="block-q"></a>quoted\n> words'),
        ("> quoted\n\n^q", '> <a id="block-q"></a>quoted\n'),
        ("> [!note] Title\n> Words.\n\n^q", '<a id="block-q"></a>\n\n> [!note] Title\n> Words.\n'),
        ("| a |\n|---|\n| b |\n\n^tbl", '<a id="block-tbl"></a>\n\n| a |\n|---|\n| b |\n'),
        ("| a |\n|---|\n| b |\n^tbl\nNext", '<a id="block-tbl"></a>\n\n| a |\n|---|\n| b |\n\nNext'),
        ("> | a |\n> |---|\n> ^tbl", '> <a id="block-tbl"></a>\n>\n> | a |\n> |---|\n>'),
        ("```\na ^x\n\nb\n```\n\n^code", '<a id="block-code"></a>\n\n```\na ^x\n\nb\n```\n'),
        ("![](https://a.example/a.png) ^i", '<a id="block-i"></a>\n\n![](https://a.example/a.png)'),
        ("$$\nx\n$$\n^eq", '<a id="block-eq"></a>\n\n$$\nx\n$$\n'),
        ("`a ^x`", "`a ^x`"),
        ("Time\n: later", "Time\n: later"),
        ("Not ^in the line", "Not ^in the line"),
        ("Not before ^more\nwords", "Not before ^more\nwords"),
        ("2^8 and ^_^", "2^8 and ^_^"),
        ("2 ^8", '<a id="block-8"></a>2'),
    ],
)
def test_ids_of_blocks_are_hidden_and_can_be_linked(tmp_path: Path, written: str, markdown: str) -> None:
    post = of_vault(tmp_path, written)
    assert post.markdown == markdown.rstrip()
    assert post.warnings == ()


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("One 37066d ^37066d", '<a id="block-37066d"></a>One 37066d'),
        ("One ^summary", '<a id="block-summary"></a>One'),
        ("It is 2 ^8\n\nIt is x ^n", "It is 2 ^8\n\nIt is x ^n"),
        ("It is 2 ^8\n\n[[#^8]]", '<a id="block-8"></a>It is 2\n\n[[#^8]]'),
    ],
)
def test_what_may_be_a_power_stays_unless_it_is_linked(tmp_path: Path, written: str, markdown: str) -> None:
    assert of_vault(tmp_path, written, is_vault=False).markdown == markdown


def test_what_looks_like_an_id_stays_in_a_post_of_another_program(tmp_path: Path) -> None:
    text = "It is ^words"
    assert of_vault(tmp_path, text, name="_posts/2020-01-02-a.md", is_vault=False).markdown == text


def test_a_title_has_no_anchor_of_its_heading(tmp_path: Path) -> None:
    archive = zipped(tmp_path, {"a.md": "---\ndate: 2020-01-02\n---\n# My title ^top\n\nWords"})
    post = found(archive)[0]["a"]
    assert (post.title, post.markdown) == ("My title", "Words")


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("![alt|150](p.png) ![|150](p.png) ![alt|100x50](p.png)", "![alt](p.png) ![](p.png) ![alt](p.png)"),
        ("![a|b | 150 ](<p.png>) ![alt|150][p]\n\n[p]: p.png", "![a|b](<p.png>) ![alt][p]\n\n[p]: p.png"),
        ("| a |\n|---|\n| ![alt\\|150](p.png) |", "| a |\n|---|\n| ![alt](p.png) |"),
        ("![250](https://a.example/p.png) ![10x20](p.png)", "![](https://a.example/p.png) ![](p.png)"),
        ("![a|b](p.png) ![in 2020](p.png) ![2x4 wood](p.png) `![a|1](p.png)`", None),
    ],
)
def test_sizes_are_no_part_of_alternative_texts(tmp_path: Path, written: str, markdown: str | None) -> None:
    assert of_vault(tmp_path, written, "p.png").markdown == (markdown or written)


def test_a_number_may_be_an_alternative_text_outside_of_a_vault(tmp_path: Path) -> None:
    written = "![2020](p.png) ![alt|150](p.png)"
    assert of_vault(tmp_path, written, "p.png", is_vault=False).markdown == "![2020](p.png) ![alt](p.png)"
    jekyll = of_vault(tmp_path, written, "p.png", name="_posts/2020-01-02-a.md", is_vault=False)
    assert jekyll.markdown == written


LOST = "The file {} was not imported, because only images are (line 5)."


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("A ![[doc.pdf]] b [[doc.pdf|the paper]] c ![[doc.pdf#page=2]]", "A doc.pdf b the paper c doc.pdf"),
        ("| a |\n|---|\n| [[doc.pdf\\|the *paper*]] |", "| a |\n|---|\n| the *paper* |"),
        ("![[files/doc.pdf|300]] [[../files/doc.pdf]]", "files/doc.pdf ../files/doc.pdf"),
        ("[*f*](doc.pdf) [g](files/doc.pdf#page=2 'Title') ![](<files/doc.pdf>)", "*f* g doc.pdf"),
        ("[![t](t.png)](files/doc.pdf) [a][1] [doc]\n\n[1]: doc.pdf\n[doc]: doc.pdf", None),
        ("`[[doc.pdf]]` `[f](doc.pdf)` [g](doc.pdf)", "`[[doc.pdf]]` `[f](doc.pdf)` g"),
    ],
)
def test_files_that_are_no_images_become_words_and_are_named(
    tmp_path: Path, written: str, markdown: str | None
) -> None:
    post = of_vault(tmp_path, written, "files/doc.pdf", "t.png")
    assert post.markdown.partition("\n\n[1]")[0] == (markdown or "![t](t.png) a doc")
    assert [note.partition(" (")[0] for note in post.warnings] == [LOST.format("files/doc.pdf").partition(" (")[0]]


def test_each_lost_file_is_named_with_its_line(tmp_path: Path) -> None:
    post = of_vault(tmp_path, "![[b.mp3]] [c](no/c.mov) [[b.mp3]] [[d.xyz]] [e](e.xyz) [f](f.csv)", "x/f.csv", "d.xyz")
    assert post.markdown == "b.mp3 c b.mp3 d.xyz [e](e.xyz) f"
    assert post.warnings == tuple(LOST.format(file) for file in ("b.mp3", "d.xyz", "no/c.mov", "x/f.csv"))


def test_a_note_with_a_point_in_its_name_is_no_file(tmp_path: Path) -> None:
    post = of_vault(tmp_path, "[[Node.js]] [[2.0 notes]] [x](Node.js.md)", "Node.js.md", "Node.js")
    assert post.markdown == "[[Node.js]] [[2.0 notes]] [x](Node.js.md)"
    assert post.warnings == ()


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("[f](/files/doc.pdf)", "static/files/doc.pdf"),
        ("[f](doc.pdf)", "content/posts/doc.pdf"),
        ('<a href="/doc.pdf">f</a>', "static/doc.pdf"),
    ],
)
def test_links_to_files_of_other_programs_stay_and_are_named(tmp_path: Path, written: str, file: str) -> None:
    settings: dict[str, str | bytes] = {"hugo.toml": "", "content/posts/a.md": HEAD + written, file: b"x"}
    post = found(zipped(tmp_path, settings))[0]["a"]
    assert post.markdown == written
    assert post.warnings == (LOST.format(file),)


def test_a_link_to_the_files_of_a_site_stays(tmp_path: Path) -> None:
    written = "[f](/files/doc.pdf) [g](https://a.example/doc.pdf)"
    post = of_vault(tmp_path, written)
    assert (post.markdown, post.warnings) == (written, ())


def test_videos_and_posts_of_other_sites_become_links(tmp_path: Path) -> None:
    video, post_url = "https://www.youtube.com/watch?v=a_b", "https://x.com/a/status/1"
    post = of_vault(tmp_path, f"![]({video})\n\n![A post|300]({post_url}) `![]({video})`")
    assert post.markdown == f"[{video}]({video})\n\n[A post]({post_url}) `![]({video})`"
    assert post.warnings == tuple(
        f"The content embedded from {site} is a link now (line {line})."
        for site, line in (("youtube.com", 5), ("x.com", 7))
    )
