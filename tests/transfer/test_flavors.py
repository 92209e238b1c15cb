"""What programs read in another way than our pages: callouts, notes in a line, marks, line breaks and tildes."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogsvc.lib.markdown.render import render
from blogsvc.transfer.formats.archives import pack
from blogsvc.transfer.formats.parsed_post import ParsedPost
from tests.transfer.test_formats import found, zipped

HEAD = "---\ntitle: A\ndate: 2020-01-02\n---\n"
OF_ZENN = HEAD.replace("date", "emoji: 😀\ntype: tech\ntopics: [a]\ndate")
OF_DEV = HEAD.replace("date", "published: true\ntags: a, b\ncover_image:\ndate")
VAULT: dict[str, str | bytes] = {".obsidian/app.json": "{}"}
OF_HUGO: dict[str, str | bytes] = {"hugo.toml": ""}
ELEVENTY: dict[str, str | bytes] = {"eleventy.config.js": "x"}
JEKYLL, HUGO, ASTRO, HEXO = "_posts/2020-01-02-a.md", "content/a.md", "src/content/blog/a.md", "source/_posts/a.md"


def imported(
    tmp_path: Path, text: str, name: str = "a.md", others: dict[str, str | bytes] | None = None, head: str = HEAD
) -> ParsedPost:
    """Return the post that a file becomes, beside others: those of a vault of Obsidian if none are given."""
    files: dict[str, str | bytes] = {name: head + text, **(VAULT if others is None else others)}
    return next(iter(found(zipped(tmp_path, files))[0].values()))


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("> [!info] Title\n> Words", "> [!NOTE] Title\n> Words"),
        ("> [!info]- Folded **title**\n> Words", "> [!NOTE]- Folded **title**\n> Words"),
        ("> [!success]\n> Done", "> [!TIP] Success\n> Done"),
        ("> [!BUG]+\n> Words", "> [!CAUTION]+ Bug\n> Words"),
        ("> [!question]\n> x\n\n> [!danger] y", "> [!NOTE] Question\n> x\n\n> [!CAUTION] y"),
        ("> [!quote] Ann\n> Said", "> **Ann**\n>\n> Said"),
        ("> [!cite] *Ann*\n> Said", "> *Ann*\n>\n> Said"),
        ("> [!quote]\n> Said", ">\n> Said"),
        ("> [!quote]- Ann\n> Said", "> [!NOTE]- Ann\n> Said"),
        ("> [!info] a\n> b\n>> [!quote] c\n>> d", "> [!NOTE] a\n> b\n>> **c**\n>>\n>> d"),
        ("- > [!todo] a\n  > b", "- > [!NOTE] a\n  > b"),
        ("> [!note|right] a\n> b", "> [!note] a\n> b"),
        ("> [!note] a\n> b\n\n> [!WARNING]\n> c", "> [!note] a\n> b\n\n> [!WARNING]\n> c"),
        ("> a\n> \\[!info] b", "> a\n> \\[!info] b"),
        ("`> [!info] x`\n\n    > [!info] x\n\n[!info] x", "`> [!info] x`\n\n    > [!info] x\n\n[!info] x"),
    ],
)
@pytest.mark.parametrize(
    ("name", "others"), [("a.md", VAULT), (HUGO, OF_HUGO), (JEKYLL, {}), (ASTRO, {}), ("a.mdx", {})]
)
def test_callouts_of_other_kinds_keep_their_titles(
    tmp_path: Path, name: str, others: dict[str, str | bytes], written: str, markdown: str
) -> None:
    if "note|" in written:
        markdown = "> [!NOTE] a\n> b"
    text = imported(tmp_path, f"Before.\n\n{written}", name, others).markdown
    if name.endswith(".mdx") and "    >" in written:
        return
    assert text.replace("\\\n", "\n") == f"Before.\n\n{markdown}"


@pytest.mark.parametrize(
    ("name", "others", "is_callout"),
    [("a.md", VAULT, True), ("a.md", {}, True), (HUGO, OF_HUGO, True), (JEKYLL, {}, False), (ASTRO, {}, False)],
)
def test_any_word_is_a_kind_in_obsidian_and_hugo(
    tmp_path: Path, name: str, others: dict[str, str | bytes], is_callout: bool
) -> None:
    written = "> [!my-kind|meta]\n> c"
    shown = "> [!NOTE] My kind\n> c" if is_callout else written
    assert imported(tmp_path, written, name, others).markdown == shown


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("Words^[An *inline* note].", "Words[^inline-1].\n\n[^inline-1]: An *inline* note"),
        ("a^[b [c](/d) `]` e] f", "a[^inline-1] f\n\n[^inline-1]: b [c](/d) `]` e"),
        ("a^[b] c^[d]", "a[^inline-1] c[^inline-2]\n\n[^inline-1]: b\n\n[^inline-2]: d"),
        ("- a^[b]\n\n> c^[d\n> e]", "- a[^inline-1]\n\n> c[^inline-2]\n\n[^inline-1]: b\n\n[^inline-2]: d e"),
        ("a^[b]\n\n[^inline-1]: c", "a[^inline2-1]\n\n[^inline-1]: c\n\n[^inline2-1]: b"),
        ("a^[b]\n\n```\nc", "[^inline-1]: b\n\na[^inline-1]\n\n```\nc"),
        ("a ^[b [c] d", None),
        ("`a^[b]` \\^[c] ^[] ^[d](/e) [^f]", None),
        ("a ^[b\n\nc]", None),
    ],
)
@pytest.mark.parametrize(("name", "others"), [("a.md", VAULT), ("a.md", {}), ("src/a.md", ELEVENTY)])
def test_notes_in_a_line_are_footnotes(
    tmp_path: Path, name: str, others: dict[str, str | bytes], written: str, markdown: str | None
) -> None:
    assert imported(tmp_path, written, name, others).markdown == (markdown or written)


@pytest.mark.parametrize("name", [JEKYLL, HUGO, ASTRO])
def test_notes_and_marks_of_other_programs_stay(tmp_path: Path, name: str) -> None:
    written = "a^[b] ==c== d"
    assert imported(tmp_path, written, name, OF_HUGO if name == HUGO else {}).markdown == written


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("a ==b *c*== d", "a <mark>b *c*</mark> d"),
        ("==a b==, **==c==** ==[d](/e)==", "<mark>a b</mark>, **<mark>c</mark>** <mark>[d](/e)</mark>"),
        ("これは==重要==です", "これは<mark>重要</mark>です"),
        ("| ==a | b== |\n|---|---|\n| ==c== | d |", "| ==a | b== |\n|---|---|\n| <mark>c</mark> | d |"),
        ("a == b and c == d, `==e==`, ===f===, \\==g==, YQ== Yg==", None),
        ("[a](/b==c==) <a title='==b=='> https://a.example/?a==b==", None),
        ("==a\n\nb==\n\n    ==c==", None),
    ],
)
@pytest.mark.parametrize("others", [VAULT, {}])
def test_marked_words_are_marked(
    tmp_path: Path, others: dict[str, str | bytes], written: str, markdown: str | None
) -> None:
    assert imported(tmp_path, written, others=others).markdown == (markdown or written)


def test_signs_within_words_mark_them_in_a_vault_only(tmp_path: Path) -> None:
    written = "a==b or c==d"
    assert imported(tmp_path, written).markdown == "a<mark>b or c</mark>d"
    assert imported(tmp_path, written, others={}).markdown == written


POEM = "Roses are red\nViolets are blue"


@pytest.mark.parametrize(
    ("name", "others", "head", "has_breaks"),
    [
        ("a.md", VAULT, HEAD, True),
        ("a.md", {".obsidian/workspace.json": "{}"}, HEAD, True),
        ("a.md", {"vault/.obsidian/app.json": '{"strictLineBreaks": false}'}, HEAD, True),
        ("a.md", {".obsidian/app.json": '{"strictLineBreaks": true}'}, HEAD, False),
        ("a.md", {}, HEAD, False),
        ("articles/a.md", {}, OF_ZENN, True),
        (HEXO, {}, HEAD, True),
        (HEXO, {"_config.yml": "source_dir: source\nmarked:\n  gfm: true"}, HEAD, True),
        (HEXO, {"_config.yml": "markdown:\n  render:\n    html: true"}, HEAD, True),
        (HEXO, {"_config.yml": "marked:\n  breaks: false"}, HEAD, False),
        (HEXO, {"_config.yml": "marked:\n  gfm: false"}, HEAD, False),
        ("a.md", {}, OF_DEV, True),
        (JEKYLL, {}, OF_DEV, False),
        (HEXO, {"_config.yml": "markdown:\n  render:\n    breaks: false"}, HEAD, False),
        (HEXO, {"_config.yml": "markdown: rdiscount"}, HEAD, False),
        (JEKYLL, {}, HEAD, False),
        (HUGO, OF_HUGO, HEAD, False),
        (ASTRO, {}, HEAD, False),
    ],
)
def test_line_breaks_are_kept_from_programs_that_show_them(
    tmp_path: Path, name: str, others: dict[str, str | bytes], head: str, has_breaks: bool
) -> None:
    post = imported(tmp_path, POEM, name, others, head)
    assert post.markdown == (POEM.replace("\n", "\\\n") if has_breaks else POEM)


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("a  \nb\\\nc\nd", "a  \nb\\\nc\\\nd"),
        ("a `b\nc` *d\ne* [f\ng](/h)\ni", "a `b\nc` *d\\\ne* [f\\\ng](/h)\\\ni"),
        ("- [ ] a\n  b\n  c\n- d\n\n> e\nf", "- [ ] a\\\n  b\\\n  c\n- d\n\n> e\\\nf"),
        ("> [!note] a\n> b\n> c\n\n> [!tip]\n> d\n> e", "> [!note] a\n> b\\\n> c\n\n> [!tip]\n> d\\\n> e"),
        ("a[^1]\nb\n\n[^1]: c\n    d", "a[^1]\\\nb\n\n[^1]: c\\\n    d"),
        ("a\nb ^id", '<a id="block-id"></a>a\\\nb'),
        ("a\n# b\nc\n- d\n\n| e |\n|---|\n| f |\ng", "a\n# b\nc\n- d\n\n| e |\n|---|\n| f |\ng"),
        (
            "$$\na\nb\n$$\n\n```\nc\nd\n```\n\n<div>\ne\nf\n</div>",
            "$$\na\nb\n$$\n\n```\nc\nd\n```\n\n<div>\ne\nf\n</div>",
        ),
    ],
)
def test_each_line_of_a_paragraph_ends_in_a_break(tmp_path: Path, written: str, markdown: str) -> None:
    assert imported(tmp_path, written).markdown == markdown


@pytest.mark.parametrize(
    ("name", "others", "head", "strikes"),
    [
        ("a.md", VAULT, HEAD, False),
        ("src/a.md", ELEVENTY, HEAD, False),
        ("articles/a.md", {}, OF_ZENN, False),
        ("a.md", {}, OF_DEV, False),
        (JEKYLL, {}, HEAD, False),
        (HUGO, OF_HUGO, HEAD, True),
        (ASTRO, {}, HEAD, True),
    ],
)
def test_one_tilde_strikes_out_only_where_it_did(
    tmp_path: Path, name: str, others: dict[str, str | bytes], head: str, strikes: bool
) -> None:
    html = render(imported(tmp_path, "営業は9~12時、13~17時です。H~2~O `~x~` ~~no~~", name, others, head).markdown)
    assert ("9~12時、13~17時" in html) is not strikes
    assert ("H~2~O" in html) is not strikes
    assert "<code>~x~</code> <s>no</s>" in html


@pytest.mark.parametrize(("settings", "has_breaks"), [("{}", True), ('{"strictLineBreaks": true}', False)])
def test_a_folder_that_is_imported_is_known_as_a_vault(tmp_path: Path, settings: str, has_breaks: bool) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "app.json").write_text(settings)
    (vault / ".obsidian" / "workspace.json").write_text("{}")
    (vault / "a.md").write_text(HEAD + POEM)
    pack(vault, tmp_path / "a.zip")
    post = found(tmp_path / "a.zip")[0]["a"]
    assert ("\\" in post.markdown) is has_breaks
