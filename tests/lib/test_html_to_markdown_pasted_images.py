"""Images of pasted HTML become paragraphs of their own, and the ones that are lost are counted."""

from __future__ import annotations

import pytest

from blogsvc.lib import html_to_markdown
from blogsvc.lib.html_to_markdown import Pasted

QUAY = '<img src="https://x.example/quay.jpg" alt="A quay" width="602" height="401">'
BOW = '<img src="https://x.example/bow.jpg" alt="A bow" width="602" height="401">'
QUAY_TEXT, BOW_TEXT = "![A quay](https://x.example/quay.jpg)", "![A bow](https://x.example/bow.jpg)"

WORD = """<p class=MsoNormal>The boat <span style='mso-no-proof:yes'><!--[if gte vml 1]><v:shapetype
 id="_x0000_t75" coordsize="21600,21600" o:spt="75"><v:stroke joinstyle="miter"/>
</v:shapetype><v:shape id="Picture_x0020_1" o:spid="_x0000_i1025" type="#_x0000_t75" style='width:300pt;height:200pt'>
 <v:imagedata src="file:///C:/Users/ann/AppData/Local/Temp/msohtmlclip1/01/clip_image001.png" o:title=""/>
</v:shape><![endif]--><![if !vml]><img width=400 height=267
src="file:///C:/Users/ann/AppData/Local/Temp/msohtmlclip1/01/clip_image002.png" v:shapes="Picture_x0020_1"><![endif]>
</span>waits.<o:p></o:p></p>

<p class=MsoNormal><span style='mso-no-proof:yes'><!--[if gte vml 1]><v:shape id="Chart_x0020_2"
 o:spid="_x0000_i1026" type="#_x0000_t75"><v:imagedata
 src="file:///C:/Users/ann/AppData/Local/Temp/msohtmlclip1/01/clip_image003.png" o:title=""/>
</v:shape><![endif]--><![if !vml]><img width=553 height=323
src="file:///C:/Users/ann/AppData/Local/Temp/msohtmlclip1/01/clip_image003.png" v:shapes="Chart_x0020_2"><![endif]>
</span><o:p></o:p></p>

<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'><img width=11 height=11
src="file:///C:/Users/ann/AppData/Local/Temp/msohtmlclip1/01/clip_image004.gif" alt="*"><span
style='font:7.0pt "Times New Roman"'>&nbsp; </span></span></span><![endif]>It leaves<o:p></o:p></p>"""
GOOGLE_DOCS = (
    '<b style="font-weight:normal;" id="docs-internal-guid-2f1c6a5e-7fff-9b1d-33aa-0e8f5d1a7c11"><p dir="ltr"'
    ' style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;"><span style="font-size:11pt;font-weight:400;'
    'white-space:pre-wrap;">The boat </span><span style="font-size:11pt;font-weight:400;white-space:pre-wrap;"><span'
    ' style="border:none;display:inline-block;overflow:hidden;width:602px;height:401px;"><img'
    ' src="https://x.example/quay.jpg" width="602" height="401" alt="A quay" style="margin-left:0px;" /></span></span>'
    '<span style="font-size:11pt;font-weight:700;white-space:pre-wrap;"> never</span><span style="font-size:11pt;'
    'font-weight:400;white-space:pre-wrap;"> waits.</span></p><p dir="ltr" style="line-height:1.38;"><span'
    ' style="font-size:11pt;font-weight:400;">It leaves.</span></p></b><br class="Apple-interchange-newline">'
)
GMAIL = (
    '<div dir="ltr"><div>Dear Ann,</div><div><br></div><div>this is the quay:</div><div><img'
    ' src="https://x.example/quay.jpg" alt="A quay" width="400" height="267" class="CToWUd a6T"><br></div><div>It is'
    ' <b>old</b>.</div><div><br></div><div>Ben</div></div><br class="Apple-interchange-newline">'
)


def convert_pasted(html: str) -> str:
    return html_to_markdown.convert_pasted(html).markdown


def test_an_image_in_a_sentence_of_google_docs_follows_the_whole_sentence() -> None:
    assert convert_pasted(GOOGLE_DOCS) == f"The boat **never** waits.\n\n{QUAY_TEXT}\n\nIt leaves."


def test_an_image_on_a_line_of_its_own_in_gmail_stays_between_the_lines() -> None:
    assert convert_pasted(GMAIL) == f"Dear Ann,\n\nthis is the quay:\n\n{QUAY_TEXT}\n\nIt is **old**.\n\nBen"


@pytest.mark.parametrize(
    ("html", "written"),
    [
        (f"<p>The {QUAY}boat waits.</p><p>B</p>", f"The boat waits.\n\n{QUAY_TEXT}\n\nB"),
        (f"<p>\n {QUAY} The boat waits.</p>", f"{QUAY_TEXT}\n\nThe boat waits."),
        (f"<p>{QUAY}<br>The boat waits.</p>", f"{QUAY_TEXT}\n\nThe boat waits."),
        (f"<p>The boat<br>{QUAY}<br>waits.</p>", f"The boat\\\nwaits.\n\n{QUAY_TEXT}"),
        (f"<p>{QUAY}The boat{BOW} waits.</p>", f"{QUAY_TEXT}\n\nThe boat waits.\n\n{BOW_TEXT}"),
        (f"<p>The boat {QUAY} and {BOW} waits.</p>", f"The boat and waits.\n\n{QUAY_TEXT}\n\n{BOW_TEXT}"),
        (f"<p>{QUAY}{BOW}</p>", f"{QUAY_TEXT}\n\n{BOW_TEXT}"),
        (f"<p>A <em>boat {QUAY} that</em> waits.</p>", f"A *boat that* waits.\n\n{QUAY_TEXT}"),
        (f"<div>The {QUAY} boat.<p>It waits.</p></div>", f"The boat.\n\n{QUAY_TEXT}\n\nIt waits."),
        (f"<span>The {QUAY} boat</span> waits.", f"The boat waits.\n\n{QUAY_TEXT}"),
        (f"<h2>The {QUAY} boat</h2><p>It waits.</p>", f"## The boat\n\n{QUAY_TEXT}\n\nIt waits."),
        (f"<h2>{QUAY}The boat</h2><p>It waits.</p>", f"## The boat\n\n{QUAY_TEXT}\n\nIt waits."),
        (f"<h2>{QUAY}</h2><p>It waits.</p>", f"{QUAY_TEXT}\n\nIt waits."),
        (f"<blockquote><p>The {QUAY} boat.</p></blockquote>", f"> The boat.\n>\n> {QUAY_TEXT}"),
    ],
)
def test_an_image_is_a_paragraph_of_its_own_and_the_sentence_stays_whole(html: str, written: str) -> None:
    assert convert_pasted(html) == written


def test_an_image_keeps_its_link_as_a_paragraph() -> None:
    linked = f"[{QUAY_TEXT}](https://x.example/harbour)"
    html = f'<p>The <a href="https://x.example/harbour">{QUAY}</a> boat.</p>'
    assert convert_pasted(html) == f"The boat.\n\n{linked}"
    html = f'<p>The <a href="https://x.example/harbour">boat {QUAY}</a> waits.</p>'
    assert convert_pasted(html) == f"The [boat](https://x.example/harbour) waits.\n\n{linked}"


def test_images_in_items_stay_in_their_items() -> None:
    html = f"<ul><li>Quay: {QUAY} old<ul><li>Deep</li></ul></li><li><p>Bow {BOW}</p></li><li>{QUAY}</li></ul>"
    assert convert_pasted(html) == (f"- Quay: old\n\n  {QUAY_TEXT}\n\n  - Deep\n- Bow\n\n  {BOW_TEXT}\n- {QUAY_TEXT}")


def test_images_in_cells_stay_in_their_cells() -> None:
    html = f"<table><tr><th>Boat</th><th>Image</th></tr><tr><td>One</td><td>The quay {QUAY} is old</td></tr></table>"
    assert convert_pasted(html).endswith(f"| One | The quay {QUAY_TEXT} is old |")


def test_emoji_and_formulas_stay_in_their_sentences() -> None:
    emoji = '<img data-emoji="👋" alt="👋" src="https://fonts.gstatic.com/s/e/notoemoji/16.0/1f44b/32.png">'
    assert convert_pasted(f"<div>Hello {emoji} Ann {QUAY}</div>") == f"Hello 👋 Ann\n\n{QUAY_TEXT}"
    formula = '<img src="https://x.example/svg/ab1" class="mwe-math-fallback-image-inline" alt="x">'
    assert convert_pasted(f"<p>If {formula} is odd.</p>") == "If ![x](https://x.example/svg/ab1) is odd."


def test_an_image_at_the_start_of_an_alert_of_github_follows_its_text() -> None:
    html = f'<div class="markdown-alert"><p class="markdown-alert-title">Note</p><p>{QUAY} The boat waits.</p></div>'
    assert convert_pasted(html) == f"> [!NOTE]\n> The boat waits.\n>\n> {QUAY_TEXT}"


def test_an_image_in_a_footnote_stays_in_the_footnote() -> None:
    html = f'<p>See<sup><a href="#fn1">1</a></sup>.</p><p>After.</p><p id="fn1">The quay {QUAY} is old.</p>'
    assert convert_pasted(html) == f"See[^1].\n\nAfter.\n\n[^1]: The quay is old.\n\n    {QUAY_TEXT}"


def test_the_image_of_a_figure_stays_with_its_caption() -> None:
    html = f"<p>The boat.</p><figure>{QUAY}<figcaption>In May</figcaption></figure><p>It waits.</p>"
    assert convert_pasted(html) == f'The boat.\n\n{QUAY_TEXT[:-1]} "In May")\n\nIt waits.'


def test_one_space_is_left_where_an_image_was() -> None:
    assert convert_pasted(f"<p>The<b>{QUAY} boat</b></p>") == f"The **boat**\n\n{QUAY_TEXT}"
    assert convert_pasted(f"<p>The <b>{QUAY} boat</b></p>") == f"The **boat**\n\n{QUAY_TEXT}"
    assert convert_pasted(f"<p><b>The {QUAY}</b> boat</p>") == f"**The** boat\n\n{QUAY_TEXT}"
    assert convert_pasted(f"<p><b>The {QUAY}</b>boat</p>") == f"**The** boat\n\n{QUAY_TEXT}"
    assert convert_pasted(f"<p>The <b>{QUAY}</b> boat</p>") == f"The boat\n\n{QUAY_TEXT}"
    assert convert_pasted(f"<p>It waits.{QUAY}It leaves</p>") == f"It waits. It leaves\n\n{QUAY_TEXT}"
    assert convert_pasted(f"<p>It waits{QUAY}.</p>") == f"It waits.\n\n{QUAY_TEXT}"


def test_an_image_of_word_is_counted_once_although_word_writes_it_twice() -> None:
    assert html_to_markdown.convert_pasted(WORD) == Pasted("The boat waits.\n\n- It leaves", lost_images=2)


@pytest.mark.parametrize(
    "src",
    [
        "file:///tmp/lu12345abc.tmp/lu12345abd_tmp_1a2b3c.png",
        "file:///C:/Users/ann/AppData/Local/Temp/msohtmlclip1/01/clip_image001.png",
        "cid:image001.png@01DB2C8F.5A3E1B20",
        "blob:https://docs.example/0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0",
        "webkit-fake-url://3F2504E0-4F89-11D3-9A0C-0305E82C3301/quay.tiff",
        "Timetable_files/image001.png",
    ],
)
def test_images_on_the_computer_of_the_user_are_left_out_and_counted(src: str) -> None:
    html = (
        f'<p>The <img src="{src}" alt="Quay" width="400" height="267"> boat.</p><p><img src="{src}" name="Image2"></p>'
    )
    assert html_to_markdown.convert_pasted(html) == Pasted("The boat.", lost_images=2)


def test_images_that_nobody_can_see_are_not_counted() -> None:
    hidden = (
        '<img src="https://track.example/open.gif" width="1" height="1" alt="">'
        '<img src="cid:spacer" width="1" height="1"><img alt="Later">'
        '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="Quay">'
        '<img style="display:none" src="file:///C:/x.png"><img src="file:///C:/x.png" class="emoji" alt="👋">'
    )
    assert html_to_markdown.convert_pasted(f"<p>The boat {hidden}</p>") == Pasted("The boat 👋", lost_images=0)


def test_links_to_files_on_the_computer_of_the_user_become_text() -> None:
    html = '<p><a href="file:///C:/a.docx">a</a> <a href="cid:b">b</a> <a href="blob:https://x.example/1">c</a></p>'
    assert html_to_markdown.convert_pasted(html) == Pasted("a b c", lost_images=0)
