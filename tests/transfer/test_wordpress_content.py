"""Words in brackets, embeds, blocks, hidden texts and dates of WordPress: nothing is lost, nothing hidden shows."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogsvc.transfer.formats.parsed_post import ParsedPost
from tests.transfer.test_formats import found

AUDIO, VIDEO = "https://a.example/a.mp3", "https://a.example/v.mp4"


def item(content: str, **fields: str) -> str:
    named = {"post_name": "a", "status": "publish", "post_date_gmt": "2020-01-02 03:04:05", **fields}
    more = "".join(f"<wp:{name}>{value}</wp:{name}>" for name, value in named.items() if name != "pubDate")
    date = f"<pubDate>{named['pubDate']}</pubDate>" if "pubDate" in named else ""
    return f"<item><title>A</title>{date}{more}<content:encoded><![CDATA[{content}]]></content:encoded></item>"


def attachment(number: int, url: str) -> str:
    fields = {"post_id": str(number), "post_type": "attachment", "post_parent": "9", "attachment_url": url}
    return item("", post_name=f"file-{number}", **fields)


def imported(tmp_path: Path, *items: str) -> ParsedPost:
    (tmp_path / "a.xml").write_text(
        '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">'
        f"<channel>{''.join(items)}</channel></rss>"
    )
    return found(tmp_path / "a.xml")[0]["a"]


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("He wrote [emphasis mine] and left.", "He wrote [emphasis mine] and left."),
        ("[my_own word] [Ed: no] [and/or] [...] [/close] a[i]", "[my_own word] [Ed: no] [and/or] [...] [/close] a[i]"),
        ("Type [[gallery]] or [[box a=1]x[/box]].", "Type [gallery] or [box a=1]x[/box]."),
        ("[[not a shortcode]]", "[[not a shortcode]]"),
        ("<code>[box]a[/box]</code> [emphasis]", "`[box]a[/box]` [emphasis]"),
        (
            "<code>[[gallery]] [[caption]x[/caption]] [[ -f a ]] [[A page]]</code>",
            "`[gallery] [caption]x[/caption] [[ -f a ]] [[A page]]`",
        ),
        ("[Video] [contact me] [recipe below] [video below] [Gallery]", None),
        ("[quote from the recipe=book and more]", None),
        ("[youtube https://v.example/w] [Youtube]", "<https://v.example/w>\n\n[Youtube]"),
        ('a[my-form id="3" wide] [contact-form-7 404 "Not Found"]', "a"),
        ("[box]kept[/box] [form id='3'] [contact-form]", "kept"),
    ],
)
def test_words_in_brackets_are_shortcodes_only_if_they_look_like_one(
    tmp_path: Path, html: str, shown: str | None
) -> None:
    assert imported(tmp_path, item(html)).markdown == (html if shown is None else shown)


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("[java]List<String> x;[/java]", "java\nList<String> x;"),
        ("[xml]<a>\n<b>c</b>[/xml]", "xml\n<a>\n<b>c</b>"),
        ("[sql]SELECT 1 WHERE a<b AND c>d;[/sql]", "sql\nSELECT 1 WHERE a<b AND c>d;"),
        ('[cc lang="ruby"]puts "a"[/cc]', 'ruby\nputs "a"'),
        ("[text]a <b>[/text]", "\na <b>"),
        ('<pre lang="php" line="1"><?php echo "x"; ?></pre>', 'php\n<?php echo "x"; ?>'),
        ('<pre lang="xml"><b>x</b></pre>', "xml\n<b>x</b>"),
        ('<pre lang="xml" escaped="true">&lt;a&gt;</pre>', "xml\n<a>"),
    ],
)
def test_code_in_shortcodes_and_of_plugins_is_code(tmp_path: Path, html: str, code: str) -> None:
    post = imported(tmp_path, item(f"{html}\n\nNext, [text] and [go]."))
    assert (post.markdown, post.warnings) == (f"```{code}\n```\n\nNext, [text] and [go].", ())


def test_html_that_page_builders_encode_is_read(tmp_path: Path) -> None:
    encoded, plain = b64encode(b"%3Cp%3EHi%20there%3C%2Fp%3E").decode(), b64encode(b"<b>you</b>").decode()
    text = f"[vc_raw_html]{encoded}[/vc_raw_html] [fusion_code]{plain}[/fusion_code]"
    assert imported(tmp_path, item(text)).markdown == "Hi there\n\n**you**"


@pytest.mark.parametrize(
    "html",
    [
        '<!-- wp:paragraph {"UAGDisplayConditions":"userstate","UAGLoggedOut":true} --><p>a</p><!-- /wp:paragraph -->',
        "[wlm_ismember]a[/wlm_ismember]",
        '[timed-content-server show="2099-01-01"]a[/timed-content-server]',
    ],
)
def test_a_post_with_a_block_or_shortcode_for_some_readers_is_a_draft(tmp_path: Path, html: str) -> None:
    assert imported(tmp_path, item(html)).status == "draft"


def test_captions_keep_their_links(tmp_path: Path) -> None:
    text = """[caption caption="By <a href='/a'>Ann</a>"]<img src="/a.png">[/caption]"""
    assert imported(tmp_path, item(text)).markdown == "![](/a.png)\n\n*By [Ann](/a)*"


def test_the_pages_of_a_post_stay_apart(tmp_path: Path) -> None:
    assert imported(tmp_path, item("Para one<!--nextpage-->Para two")).markdown == "Para one\n\nPara two"


def test_exports_that_were_joined_in_one_file_are_all_read(tmp_path: Path) -> None:
    imported(tmp_path, item("One"))
    one = (tmp_path / "a.xml").read_text()
    two = one.replace(">One<", ">Two<").replace("[One]", "[Two]").replace(">a<", ">b<")
    (tmp_path / "a.xml").write_text(f'{one}\n<?xml version="1.0"?>\n{two}{two.replace(">b<", ">c<")}')
    assert sorted(found(tmp_path / "a.xml")[0]) == ["a", "b", "c"]


def test_words_between_shortcodes_stay(tmp_path: Path) -> None:
    words = '[youtube id="a" /] words [youtube]b[/youtube] more [vimeo 1] last [vimeo]2[/vimeo]'
    text = imported(tmp_path, item(words)).markdown
    assert [word for word in text.split() if word.isalpha()] == ["words", "more", "last"]
    assert re.findall(r"\w+(?=>)", text) == ["a", "b", "1", "2"]


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("[tab]a[/tab][tab]b[/tab]", "a b"),
        ('one[form id="3"]two [hi]th[/hi]ree', "one two three"),
        (
            '<a href="https://a.example/a.pdf">Paper</a><a href="https://a.example/a.pdf" class="wp-block-file__button"'
            " download>Download</a>",
            "[Paper](https://a.example/a.pdf) [Download](https://a.example/a.pdf)",
        ),
    ],
)
def test_words_beside_shortcodes_and_buttons_are_not_glued(tmp_path: Path, html: str, shown: str) -> None:
    assert imported(tmp_path, item(html)).markdown == shown


def test_a_caption_with_quotation_marks_is_whole(tmp_path: Path) -> None:
    html = '[caption caption="He said &quot;hi&quot; &amp; left"]<img src="https://a.example/a.png">[/caption]'
    assert r'"He said \"hi\" & left"' in imported(tmp_path, item(html)).markdown


def test_nothing_is_called_kept_that_is_not_there(tmp_path: Path) -> None:
    html = "[video][/video]\n[box a='1'] [/box]\n[box a='2' /]\n[box a='3']x[/box]"
    assert [one.partition("] ")[2] for one in imported(tmp_path, item(html)).warnings] == [
        "was removed (line 1).",
        "was removed (line 2).",
        "was removed (line 3).",
        "was removed; its content was kept (line 4).",
    ]


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ("https://v.example/watch?v=a&amp;list=b", "https://v.example/watch?v=a&list=b"),
        ("[embed]https://v.example/w?a=1&#038;b=2[/embed]", "https://v.example/w?a=1&b=2"),
        ('<!-- wp:embed {"url":"https://v.example/s?x=1\\u0026y=2"} /-->', "https://v.example/s?x=1&y=2"),
        ('<!-- wp:core-embed/youtube {"url":"https:\\/\\/v.example\\/s"} /-->', "https://v.example/s"),
        ('<!-- wp:jetpack/player {"a":{"src":"https://v.example/s?a=b"}} /-->', "https://v.example/s?a=b"),
        ("[youtube https://www.youtube.com/watch?v=abc&amp;t=3]", "https://www.youtube.com/watch?v=abc&t=3"),
        ("[youtube=https://www.youtube.com/watch?v=abc]", "https://www.youtube.com/watch?v=abc"),
        ("[youtube]abc-d[/youtube]", "https://www.youtube.com/watch?v=abc-d"),
        ('[youtube id="abc" w=3]', "https://www.youtube.com/watch?v=abc"),
        ("[soundcloud url='https://s.example/a?b=c' /]", "https://s.example/a?b=c"),
        ("[googlemaps https://m.example/?q=1&amp;z=2]", "https://m.example/?q=1&z=2"),
    ],
)
def test_addresses_in_embeds_arrive_as_their_author_meant_them(tmp_path: Path, html: str, address: str) -> None:
    assert imported(tmp_path, item(html)).markdown == f"<{address}>"


@pytest.mark.parametrize(
    ("html", "addresses"),
    [
        (f"[audio {AUDIO}?a=b&amp;c=d]", [f"{AUDIO}?a=b&amp;c=d"]),
        (f'[audio mp3="{AUDIO}" ogg="https://a.example/a.ogg"][/audio]', [AUDIO]),
        (f'[video width="1" webm="{VIDEO}"][/video]', [VIDEO]),
        (f"[audio {AUDIO}|titles=My song|artists=B]", [AUDIO]),
        ("[audio] [video]", [AUDIO, VIDEO]),
        ('[playlist ids="1,2"]', [AUDIO, "https://a.example/b.mp3"]),
        ('[playlist type="video" ids="3"]', [VIDEO]),
        ("[playlist]", [AUDIO, "https://a.example/b.mp3"]),
    ],
)
def test_audio_and_video_keep_their_files(tmp_path: Path, html: str, addresses: list[str]) -> None:
    files = [attachment(1, AUDIO), attachment(2, "https://a.example/b.mp3"), attachment(3, VIDEO)]
    text = imported(tmp_path, *files, item(html, post_id="9")).markdown
    assert [part.split('"')[0] for part in text.split('src="')[1:]] == addresses


def test_what_is_removed_is_named_with_its_lines_and_kept_only_if_it_was(tmp_path: Path) -> None:
    html = '[box a="1"]kept[/box]\n\n[form id="3"]\n\n[form id="3"]\n[video]\n[playlist ids="7"]\n[card url="https://a.example"]'
    assert imported(tmp_path, item(html)).warnings == (
        'The shortcode [box a="1"] was removed; its content was kept (line 1).',
        'The shortcode [form id="3"] was removed (lines 3, 5).',
        "The shortcode [video] was removed (line 6).",
        "The files of a playlist are not in the file: 7. Export the media together with the posts (line 7).",
        'The shortcode [card url="https://a.example"] is a link now (line 8).',
    )


def test_a_text_that_posts_share_is_in_each_of_them(tmp_path: Path) -> None:
    shared = item("<!-- wp:paragraph --><p>Shared</p><!-- /wp:paragraph -->", post_type="wp_block", post_id="5")
    endless = item('<p>Again</p><!-- wp:block {"ref":6} /-->', post_type="wp_block", post_id="6")
    text = '<p>a</p><!-- wp:block {"ref":5} /--><!-- wp:block {"ref":6} /--><p>b</p>'
    post = imported(tmp_path, shared, endless, item(text))
    assert post.markdown.startswith("a\n\nShared\n\nAgain")
    assert post.markdown.endswith("\n\nb")
    assert post.warnings == ("The block 'block' was removed, because WordPress generates its content (line 1).",)


def test_a_block_with_an_empty_element_is_reported(tmp_path: Path) -> None:
    post = imported(tmp_path, item('<p>a</p><!-- wp:acme/map {"id":3} --><div class="m"></div><!-- /wp:acme/map -->'))
    assert post.warnings == ("The block 'acme/map' was removed, because WordPress generates its content (line 1).",)


@pytest.mark.parametrize("hidden", ['"metadata":{"blockVisibility":false}', '"blockVisibility":{"hideBlock":true}'])
def test_a_block_that_its_author_has_hidden_is_not_imported(tmp_path: Path, hidden: str) -> None:
    block = f"<!-- wp:group {{{hidden}}} --><!-- wp:group --><p>Secret</p><!-- /wp:group -->"
    post = imported(tmp_path, item(f"<p>a</p>{block}<p>Secret</p><!-- /wp:group --><p>b</p>"))
    assert (post.markdown, post.status) == ("a\n\nb", "published")
    assert post.warnings == ("The block 'group' was removed, because the old blog did not show it (line 1).",)


SHORTCODES = (
    '[members_only] [restrict level="2"] [passster password="x"] [content_protector password="x"] [s2If is_user()]'
    " [am4show have='1'] [um_show_content roles='a'] [user_meta] [content_control] [sociallocker] [emaillocker]"
    " [hidepost='1'] [membersonly] [schedule on='2030-01-01'] [comment] [mepr-active rules='1'] [box role='a']"
    " [box capability='a'] [box logged_in='1'] [box membership='gold'] [box password='a']"
)


def test_a_post_with_text_for_some_readers_is_a_draft(tmp_path: Path) -> None:
    for shortcode in re.findall(r"\[[^\]]+\]", SHORTCODES):
        name = re.match(r"\[([\w-]+)", shortcode)
        assert name
        post = imported(tmp_path, item(f"{shortcode}Secret[/{name[1]}]"))
        assert (post.status, post.markdown) == ("draft", "Secret"), shortcode
        assert "The old blog may have hidden the text in" in post.warnings[0]


@pytest.mark.parametrize("html", ['[heading level="2"]Words[/heading]', '[button role="button"]Words[/button]'])
def test_levels_of_headings_restrict_nothing(tmp_path: Path, html: str) -> None:
    assert imported(tmp_path, item(html)).status == "published"


@pytest.mark.parametrize(
    "html",
    [
        "<!-- wp:premium-content/container --><p>Secret</p><!-- /wp:premium-content/container -->",
        "<!-- wp:jetpack/paywall /--><p>Secret</p>",
        "<!-- wp:jetpack/paywall --><!-- /wp:jetpack/paywall --><p>Secret</p>",
        '<!-- wp:paragraph {"blockVisibility":{"controlSets":[{"id":1}]}} --><p>Secret</p><!-- /wp:paragraph -->',
    ],
)
def test_a_post_with_blocks_for_some_readers_is_a_draft(tmp_path: Path, html: str) -> None:
    post = imported(tmp_path, item(html))
    assert (post.status, post.markdown) == ("draft", "Secret")
    assert "The old blog may have hidden the text in" in post.warnings[0]


ZEROS = "0000-00-00 00:00:00"


@pytest.mark.parametrize(
    ("fields", "status", "date"),
    [
        ({"pubDate": "Sat, 02 Mar 2013 10:00:00 +0000"}, "published", datetime(2013, 3, 2, 10, tzinfo=UTC)),
        ({"post_date": "2013-3-2 9:05:00"}, "published", datetime(2013, 3, 2, 8, 5, tzinfo=UTC)),
        (
            {"post_date_gmt": "1970-01-01 00:00:00", "post_date": "2013-03-02 09:05:00"},
            "published",
            datetime(2013, 3, 2, 8, 5, tzinfo=UTC),
        ),
        ({"pubDate": "Mon, 30 Nov -0001 00:00:00 +0000"}, "draft", None),
    ],
)
def test_a_post_has_its_first_valid_date_and_without_one_it_is_a_draft(
    tmp_path: Path, fields: dict[str, str], status: str, date: datetime | None
) -> None:
    post = imported(tmp_path, item("words", **{"post_date_gmt": ZEROS, "post_date": ZEROS, **fields}))
    assert (post.status, post.published_at) == (status, date)
    assert post.warnings == (() if date else ("It has no valid date. It is imported as a draft.",))


def test_parts_that_another_post_links_to_keep_their_ids(tmp_path: Path) -> None:
    parts = '<h2 id="set-up">Getting ready</h2><p id="unlinked">A</p><p id="über">B</p><h2 id="plain">Plain</h2>'
    links = '<a href="https://old.example/a/#set-up">x</a> <a href=/a/#%C3%BCber>y</a> <a href="/a#plain">z</a>'
    text = imported(tmp_path, item(parts), item(links, post_name="b")).markdown
    assert text == '## <a id="set-up"></a>Getting ready\n\nA\n\n<a id="über"></a>B\n\n## Plain'


@pytest.mark.parametrize("marks", [("[:{}]", "[:]"), ("{{:{}}}", "{:}"), ("<!--:{}-->", "<!--:-->")])
def test_an_entry_in_several_languages_becomes_a_post_for_each(tmp_path: Path, marks: tuple[str, str]) -> None:
    begin, end = marks
    en, de = begin.format("en"), begin.format("de")
    text = f"{de}<p>Guten Tag</p>{end}{en}<p>Good day</p>{end}<p>★ [:x]</p>"
    title = f"<title><![CDATA[{de}Eins{en}One{end}]]></title><link>https://old.example/a/</link>"
    entry = item(text).replace("<title>A</title>", title)
    (tmp_path / "a.xml").write_text(
        '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">'
        f"<channel><title>Notes</title><language>en-US</language>{entry}</channel></rss>"
    )
    posts = found(tmp_path / "a.xml")[0]
    one, eins = posts["a"], posts["a-de"]
    assert (one.title, one.language, one.markdown) == ("One", "en", "Good day\n\n★ [:x]")
    assert (eins.title, eins.language, eins.markdown) == ("Eins", "de", "Guten Tag\n\n★ [:x]")
    assert (one.addresses[0], eins.addresses[0]) == ("https://old.example/a/", "https://old.example/de/a/")
    assert one.source != eins.source


def test_images_with_addresses_without_a_host_are_those_of_the_old_blog(tmp_path: Path) -> None:
    html = (
        '<img src="/up/a.png"><a href="/up/b.jpg"><img src=up/s.jpg></a>'
        '<img src="//cdn.example/c.png"> <a href="/x/">x</a>'
    )
    entry = item(html).replace("</title>", "</title><link>https://old.example/2020/a/</link>")
    post = imported(tmp_path, entry)
    full = [
        "https://old.example/up/a.png",
        "https://old.example/up/b.jpg",
        "https://old.example/2020/a/up/s.jpg",
        "https://cdn.example/c.png",
    ]
    assert sorted(address for address, _ in post.images) == sorted(full)
    assert all(address in post.markdown for address in full)
    assert "[x](/x/)" in post.markdown


@pytest.mark.parametrize(
    ("name", "attributes", "pre", "language"),
    [
        ("syntaxhighlighter/code", '{"language":"bash"}', '<pre class="wp-block-syntaxhighlighter-code">', "bash"),
        ("kevinbatdorf/code-block-pro", '{"language":"javascript"}', '<div><pre class="shiki">', "javascript"),
        ("code", '{"language":"bash"}', '<pre class="language-php">', "php"),
        ("code", "{}", "<pre>", ""),
    ],
)
def test_code_has_the_language_of_its_block(
    tmp_path: Path, name: str, attributes: str, pre: str, language: str
) -> None:
    block = f"<!-- wp:{name} {attributes} -->{pre}<code>x</code></pre><!-- /wp:{name} --><pre>y</pre>"
    text = imported(tmp_path, item(block)).markdown
    assert text == f"```{language}\nx\n```\n\n```\ny\n```"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('Go [button link="https://b.example" color="red"]Press[/button] now.', "Go [Press](https://b.example) now."),
        ("[url=https://x.example]U[/url]", "[U](https://x.example)"),
        ('[button url="https://b.example" text="Label"]', "[Label](https://b.example)"),
        ("Blue[efn_note]See <em>Smith</em>.[/efn_note].", "Blue[^1].\n\n[^1]: See *Smith*."),
        ("A[ref]B[/ref] c[footnote]D[/footnote]", "A[^1] c[^2]\n\n[^1]: B\n\n[^2]: D"),
        (
            "[audio:https://old.example/b.mp3|titles=T] [youtube:https://youtu.be/def]",
            '<audio src="https://old.example/b.mp3" controls></audio>\n\n<https://youtu.be/def>',
        ),
        ("httpv://www.youtube.com/watch?v=rrr", "<http://www.youtube.com/watch?v=rrr>"),
        (
            '[video mp4="https://x.example/c.mp4"]not shown[/video] After',
            '<video src="https://x.example/c.mp4" controls></video>\n\nAfter',
        ),
        ("[Ed: see a=b] [audio: soon]", "[Ed: see a=b] [audio: soon]"),
    ],
)
def test_shortcodes_keep_their_words_and_addresses_together(tmp_path: Path, html: str, markdown: str) -> None:
    assert imported(tmp_path, item(html)).markdown == markdown


def test_linked_files_are_named_and_attachment_pages_lead_to_their_file(tmp_path: Path) -> None:
    html = '<a href="/wp-content/uploads/doc.pdf">doc</a> <a href="/?attachment_id=15">a</a> <a href="/2020/at/">b</a>'
    file = attachment(15, "https://old.example/a.jpg").replace(
        "</title>", "</title><link>https://old.example/2020/at/</link>"
    )
    entry = item(html).replace("</title>", "</title><link>https://old.example/2020/a/</link>")
    post = imported(tmp_path, file, entry)
    pdf, image = "https://old.example/wp-content/uploads/doc.pdf", "https://old.example/a.jpg"
    assert post.markdown == f"[doc]({pdf}) [a]({image}) [b]({image})"
    assert post.warnings == ("1 linked file was not imported: doc.pdf. The links still lead to the old blog.",)
    assert post.images == ((image, ""),)


def test_former_slugs_are_old_addresses(tmp_path: Path) -> None:
    meta = "<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>{}</wp:meta_value></wp:postmeta>"
    head = f"</title><link>https://old.example/2020/a/</link>{meta.format('was')}{meta.format('before')}"
    addresses = imported(tmp_path, item("x").replace("</title>", head)).addresses
    assert {"https://old.example/2020/was/", "https://old.example/2020/before/"} < set(addresses)


def test_the_words_of_a_block_that_wordpress_generates_are_in_the_report(tmp_path: Path) -> None:
    data = '{"data":{"quote":"He said so","_quote":"field_1","size":"1px"},"className":"is style","url":"https://g.example/a"}'
    post = imported(tmp_path, item(f"<!-- wp:acf/testimonial {data} /-->"))
    assert post.warnings == (
        "The block 'acf/testimonial' is a link now, because WordPress generates its content: “He said so” (line 1).",
    )


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("_jetpack_newsletter_access", "paid_subscribers", "draft"),
        ("_jetpack_newsletter_access", "everybody", "published"),
        ("_members_access_role", "subscriber", "draft"),
        ("rcp_subscription_level", "3", "draft"),
        ("rcp_access_level", "None", "published"),
    ],
)
def test_a_post_for_members_becomes_a_draft(tmp_path: Path, name: str, value: str, status: str) -> None:
    meta = f"<wp:postmeta><wp:meta_key>{name}</wp:meta_key><wp:meta_value>{value}</wp:meta_value></wp:postmeta>"
    post = imported(tmp_path, item("x").replace("</title>", f"</title>{meta}"))
    assert post.status == status
    why = "It was visible only to some readers. It is imported as a draft."
    assert post.warnings == ((why,) if status == "draft" else ())


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('[vc_single_image image="77" img_size="full"]', "![](https://old.example/s77.jpg)"),
        ('[fusion_imageframe image_id="77|full"]', "![](https://old.example/s77.jpg)"),
        ('[et_pb_image src="https://old.example/d.jpg" alt="Divi" /]', "![Divi](https://old.example/d.jpg)"),
        (
            '[tabs][tab title="First tab"]One[/tab][tab title="Second"]Two[/tab][/tabs]',
            "**First tab**\n\nOne\n\n**Second**\n\nTwo",
        ),
        ('[vc_custom_heading text="A heading"]', "**A heading**"),
        ('[tooltip title="More"]word[/tooltip]', "word"),
    ],
)
def test_shortcodes_of_page_builders_keep_their_images_and_titles(tmp_path: Path, html: str, markdown: str) -> None:
    assert imported(tmp_path, attachment(77, "https://old.example/s77.jpg"), item(html)).markdown == markdown


def test_a_post_with_a_paywall_of_substack_becomes_a_draft(tmp_path: Path) -> None:
    post = imported(tmp_path, item('<p>Free</p><div class="paywall-jump"></div><p>For subscribers</p>'))
    assert (post.status, post.markdown) == ("draft", "Free\n\nFor subscribers")


@pytest.mark.parametrize("html", ["[if is_user_logged_in]Secret[/if]", "[ifuser]Secret[/ifuser]"])
def test_a_condition_of_a_shortcode_makes_a_draft(tmp_path: Path, html: str) -> None:
    post = imported(tmp_path, item(html))
    assert (post.status, post.markdown) == ("draft", "Secret")


def test_parts_of_lists_in_python_are_no_languages(tmp_path: Path) -> None:
    assert imported(tmp_path, item("<p>lo = a[:lo] hi = a[:hi] copy = a[:] end</p>")).language is None
