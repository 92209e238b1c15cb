"""HTML to Markdown: every notation of an embedded video, page or file becomes a link."""

from __future__ import annotations

import pytest

from blogsvc.lib.html_to_markdown import convert

WATCH = "[www.youtube.com](https://www.youtube.com/watch?v=dQw4w9WgXcQ)"
# The code that YouTube gave its users until 2010.
OLD_CODE = (
    '<object width="425" height="344"><param name="movie" value="{0}"></param><param name="allowFullScreen"'
    ' value="true"></param><embed src="{0}" type="application/x-shockwave-flash" width="425" height="344"></embed>'
    "</object>"
)


@pytest.mark.parametrize(
    "html",
    [
        OLD_CODE.format("http://www.youtube.com/v/dQw4w9WgXcQ&hl=en&fs=1"),
        OLD_CODE.format("//www.youtube.com/v/dQw4w9WgXcQ?version=3"),
        '<object data="https://www.youtube-nocookie.com/v/dQw4w9WgXcQ"></object>',
        '<object type="application/x-shockwave-flash"><PARAM NAME="movie" VALUE="http://youtube.com/v/dQw4w9WgXcQ">'
        "</object>",
        '<object><embed src="http://youtube.com/v/dQw4w9WgXcQ"></object>',
        '<object><object data="http://youtube.com/v/dQw4w9WgXcQ"></object></object>',
        '<embed src="http://youtube.googleapis.com/v/dQw4w9WgXcQ">',
        '<object class="BLOGGER-youtube-video" data-thumbnail-src="https://ytimg.googleusercontent.com/vi/dQw4w9WgXcQ/0.jpg">'
        '<param name="movie" value="https://youtube.googleapis.com/v/dQw4w9WgXcQ&source=uds" />'
        '<embed src="https://youtube.googleapis.com/v/dQw4w9WgXcQ&source=uds" /></object>',
        '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0"></iframe>',
    ],
)
def test_an_old_video_is_a_link_to_its_page(html: str) -> None:
    made = convert(f"<p>one<br>{html}two</p>")
    assert made.markdown == f"one\n\n{WATCH}\n\ntwo"
    assert made.warnings == ("The content embedded from www.youtube.com is a link now.",)


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("http://vimeo.com/moogaloop.swf?server=vimeo.com&amp;clip_id=1084537", "https://vimeo.com/1084537"),
        ("http://www.dailymotion.com/swf/x5qm1", "https://www.dailymotion.com/video/x5qm1"),
        ("https://www.youtube.com/embed/videoseries?list=PLabcdefgh", "https://www.youtube.com/playlist?list=PLabcdefgh"),
        ("http://www.youtube.com/p/ABCDEF123456", "https://www.youtube.com/playlist?list=ABCDEF123456"),
    ],
)  # fmt: skip
def test_other_players_are_links_to_their_pages(url: str, page: str) -> None:
    assert f"]({page})" in convert(OLD_CODE.format(url)).markdown


def test_a_malformed_url_is_kept() -> None:
    assert "http://" in convert(OLD_CODE.format("http://[")).markdown


def test_the_other_content_of_an_object_is_kept() -> None:
    html = '<object data="/files/paper.pdf"><p>Get <a href="/files/paper.pdf">the paper</a>.</p></object>'
    assert convert(html).markdown == "[paper.pdf](/files/paper.pdf)\n\nGet [the paper](/files/paper.pdf)."
    assert convert("<object><p>Only words.</p></object>").markdown == "Only words."


def test_an_object_that_is_an_image_is_an_image() -> None:
    html = '<object type="image/svg+xml" data="/map.svg" title="Map"></object><object data="a.png"></object>'
    assert convert(html).markdown == "![Map](/map.svg)![](a.png)"


def test_an_object_without_a_url_is_reported() -> None:
    for html in ("<object></object>", '<object data="javascript:alert(1)"></object>', '<iframe src="about:blank">'):
        assert convert(f"a{html}").warnings == ("Embedded content without a URL was removed.",)


def test_a_page_of_the_same_site_is_a_link() -> None:
    assert convert('<iframe src="/demo/index.html?a=1"></iframe>').markdown == "[index.html](/demo/index.html?a=1)"
