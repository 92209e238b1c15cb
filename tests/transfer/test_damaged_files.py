"""One bad byte, blank lines or output of the server never refuse a file. What is replaced is reported."""

from __future__ import annotations

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from blogsvc.transfer.formats.detect import read
from tests.transfer.test_formats import HERE, a_ghost_export, found, lexical, markdown
from tests.transfer.test_wordpress_content import item

HEAD = '<?xml version="1.0" encoding="UTF-8" ?>\n<!-- generator -->\n'
NAMES = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"'


def exported(*items: str, head: str = HEAD, end: str = "") -> bytes:
    return f"{head}<rss {NAMES}><channel><title>B</title>{''.join(items)}</channel></rss>{end}".encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\n\n \n", b""),
        (b"\xef\xbb\xbf\r\n", b"\n"),
        (b"Notice: Undefined index in /var/www/a.php on line 3\n", b""),
        (b"<br />\n<b>Warning</b>: a &amp; b\n", b"<br />\n<b>Fatal error</b>: x < y & z\xff\n"),
        (b"", b"</channel></rss><html>"),
    ],
)
def test_what_is_before_and_after_an_export_is_ignored(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "a.xml").write_bytes(before + exported(item("words")) + after)
    assert found(tmp_path / "a.xml")[0]["a"].markdown == "words"


@pytest.mark.parametrize(
    ("old", "new", "text", "count"),
    [
        (b"X", "é".encode("latin-1"), "one\n\ntwé", 1),
        (b"X", b"\xef\xbf\xbe\xef\xbf\xbf", "one\n\ntw��", 2),
        (b"X", b"\xed\xa0\x80", "one\n\ntwí\xa0€", 3),
        (b"X", "\x92".encode("latin-1"), "one\n\ntw’", 1),
        (b"X", b"\x02o w\x07o\x1frds", "one\n\ntwo words", 3),
    ],
)
def test_characters_that_are_not_valid_are_replaced_and_reported(
    tmp_path: Path, old: bytes, new: bytes, text: str, count: int
) -> None:
    (tmp_path / "a.xml").write_bytes(exported(item("one\n\ntwX")).replace(old, new))
    post = found(tmp_path / "a.xml")[0]["a"]
    assert post.markdown == text
    were = "character was" if count == 1 else "characters were"
    assert post.warnings == (f"{count} {were} not valid and replaced or removed (line 3).",)


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        ("A</title>", "1 < 2 <3 </3 <b>A</b><br> & b</title>", "1 < 2 <3 </3 A & b"),
        ("A</title>", "A <y x</title><new:tag>x</new:tag><other/>", "A <y x"),
        ("A</title>", "A ]]> <![CDATA[b]]> c ]]></title>", "A ]]> b c ]]>"),
        ("A</title>", "A</title><?xml version='1.0'?>", "A"),
        (NAMES, "", "A"),
        ("A</title>", "A\x02B\x0bC&#3;</title>", "AB C"),
    ],
)
def test_what_is_no_xml_is_text(tmp_path: Path, old: str, new: str, title: str) -> None:
    head = f"{HEAD}{HEAD}"
    text = exported(item("<p>words</p>"), head=head).decode()
    for filler in ("", "x" * 65_400, "x" * 65_450, "x" * 65_500):
        (tmp_path / "a.xml").write_text(text.replace(old, new, 1).replace("<channel>", f"<channel><!--{filler}-->"))
        post = found(tmp_path / "a.xml")[0]["a"]
        assert (post.title, post.markdown) == (title, "words")


def test_the_end_of_a_section_that_an_author_typed_is_a_text_and_reported(tmp_path: Path) -> None:
    for filler in ("", *("x" * (64_900 + 7 * step) for step in range(60))):
        text = exported(item("<pre>if (a[b[0]]>1) c[d[1]]></pre>\n\nAfter"), head=HEAD).decode()
        (tmp_path / "a.xml").write_text(text.replace("<channel>", f"<channel><!--{filler}-->"))
        post = found(tmp_path / "a.xml")[0]["a"]
        assert post.markdown == "```\nif (a[b[0]]>1) c[d[1]]>\n```\n\nAfter"
        assert post.warnings == ("2 characters were not valid and replaced or removed (line 1).",)


@pytest.mark.parametrize("end", ["", "<item><title>Last</title><content:encoded><![CDATA[wor", "</item></channel>"])
def test_a_file_that_is_cut_off_is_read_up_to_there(tmp_path: Path, end: str) -> None:
    whole = exported(item("words"), item("more", post_name="b")).decode()
    (tmp_path / "a.xml").write_text(whole.partition("</channel>")[0] + end)
    posts, skipped = found(tmp_path / "a.xml")
    assert list(posts) == ["a", "b"]
    assert skipped[0].title == "The end of the file"
    assert skipped[0].reason.startswith("It is damaged or incomplete in line ")
    assert skipped[0].reason.endswith("What follows was not read. The last entry that was read is “A”.")


def test_references_that_xml_does_not_know_are_read(tmp_path: Path) -> None:
    title = "<title>A&nbsp;&eacute; &amp; B & C &#8211; &#11;D &copy;</title>"
    (tmp_path / "a.xml").write_bytes(exported(item("&nbsp;w").replace("<title>A</title>", title)))
    post = found(tmp_path / "a.xml")[0]["a"]
    assert post.title == "A é & B & C – D ©"


def test_a_file_in_another_encoding_is_read_as_it_says(tmp_path: Path) -> None:
    data = exported(item("Größe"), head=HEAD.replace("UTF-8", "ISO-8859-1")).decode().encode("latin-1")
    (tmp_path / "a.xml").write_bytes(data)
    post = found(tmp_path / "a.xml")[0]["a"]
    assert (post.markdown, post.warnings) == ("Größe", ())


def test_repairs_do_not_depend_on_how_a_file_is_read(tmp_path: Path) -> None:
    parts = "<![CDATA[a&amp;b]]]]><![CDATA[>&c;]]> & d &eacute; &#8211;&amp;&x;"
    for length in range(200):
        title = f"<title>{parts}</title>"
        filler = f"<!--{'x' * (65_536 - len(HEAD) - len(NAMES) - 150 + length)}-->"
        (tmp_path / "a.xml").write_bytes(exported(filler, item("words").replace("<title>A</title>", title)))
        assert found(tmp_path / "a.xml")[0]["a"].title == "a&b]]>&c; & d é –&&x;", length


def test_one_bad_byte_leaves_the_others_in_a_markdown_file(tmp_path: Path) -> None:
    text = "---\ntitle: Größe\ndate: 2020-01-02\n---\nÄ 日本\n\nb\xff\n"
    post = markdown(tmp_path, text.encode().replace("ÿ".encode(), b"\xe9"))
    assert (post.title, post.markdown) == ("Größe", "Ä 日本\n\nbé")
    assert post.warnings == ("Its encoding is not UTF-8 everywhere. Other bytes were read as Windows-1252 (line 7).",)


def test_one_bad_byte_and_output_after_it_do_not_refuse_a_ghost_export(tmp_path: Path) -> None:
    data = (HERE / "ghost.json").read_bytes().replace(b"Moving house", b"Moving h\xe9use")
    (tmp_path / "a.json").write_bytes(b"\n\n" + data + b"\nDone in 3 s.\n")
    posts, skipped = found(tmp_path / "a.json")
    assert posts["moving-house"].title == "Moving héuse"
    assert "read as Windows-1252 (line" in skipped[0].reason


@pytest.mark.parametrize(
    ("written", "fields", "text", "note"),
    [
        ("x \ud800 y\0z \U0001f600", {}, "x \ufffd yz \U0001f600", ["2 characters were"]),
        ("x", {"custom_excerpt": "a\udfffb", "plaintext": "\ud800"}, "x", ["1 character was"]),
        ("x \U0001f600\ttab", {}, "x \U0001f600 tab", []),
    ],
)
@pytest.mark.parametrize("form", ["html", "lexical", "mobiledoc"])
def test_characters_of_ghost_that_are_not_valid_are_replaced_and_reported(
    tmp_path: Path, form: str, written: str, fields: dict[str, str], text: str, note: list[str]
) -> None:
    documents = {
        "html": f"<p>{written}</p>",
        "lexical": lexical({"type": "paragraph", "children": [{"type": "text", "text": written}]}),
        "mobiledoc": json.dumps({"cards": [["markdown", {"markdown": written}]], "sections": [[10, 0]]}),
    }
    post = found(a_ghost_export(tmp_path, **{form: documents[form]}, **fields))[0]["a"]
    assert post.markdown.replace("\t", " ") == text
    assert post.warnings == tuple(f"{count} not valid and replaced or removed." for count in note)
    assert post.summary == ("a\ufffdb" if fields else "")


def test_a_markdown_file_may_begin_with_an_element(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("<b>bold</b>")
    with (tmp_path / "a").open("rb") as file:
        assert read(file, ZoneInfo("UTC"), 1000, filename="a.md")[0] == "markdown"


def test_a_text_without_the_end_of_its_section_swallows_no_other_post(tmp_path: Path) -> None:
    excerpt = "<excerpt:encoded><![CDATA[]]></excerpt:encoded>"
    broken = item("c words").replace("]]></content:encoded>", f"</content:encoded>{excerpt}")
    later = item("later").replace("<title>A", "<title>B").replace(">a<", ">b<")
    (tmp_path / "a.xml").write_bytes(exported(broken, later))
    posts = found(tmp_path / "a.xml")[0]
    assert {slug: post.markdown for slug, post in posts.items()} == {"a": "c words", "b": "later"}
    assert posts["a"].warnings == ("1 character was not valid and replaced or removed (line 1).",)


@pytest.mark.parametrize("between", ["<!-- generated in 0.3 s -->", "<script>var a = 1;</script>\n"])
def test_exports_that_were_joined_with_a_comment_between_them_are_both_read(tmp_path: Path, between: str) -> None:
    later = item("later").replace("<title>A", "<title>B").replace(">a<", ">b<")
    (tmp_path / "a.xml").write_bytes(exported(item("x")) + between.encode() + exported(later))
    assert set(found(tmp_path / "a.xml")[0]) == {"a", "b"}
