"""A corpus of posts for round trips: articles, cases, exports of other programs, and posts of hostile shape."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

FILES = Path(__file__).parent / "files"
ARTICLES = Path(__file__).parent.parent / "fidelity" / "articles"
CASES = FILES / "cases"

# Texts in one line, for titles, tags, captions and alternative texts.
LINES = (
    "null", "true", "no", "~", "2020-01-01", "1e3", "0x10", "01", "-", "---", "...", "Note: a colon", "a: b # c",
    "# no heading", '"quoted"', "it's 'so'", "{curly: [square]}", "[[a wiki link]]", "{{ a variable }}",
    "{% comment %}no{% endcomment %}", "{{< figure src=a >}}", "<!-- more -->", "<b>bold</b> &amp; &lt;", "a\\", "\\n",
    " a space before and after ", "two  spaces", "no\u00a0break", "ideographic\u3000space", "line\u2028separator",
    "zero\u200bwidth\ufeff", "\u202eright to left\u202c שלום", "日本語の題名", "é and e\u0301",
    "👩\u200d👩\u200d👧 family",
    "*[HTML]: kramdown", "&anchor *alias !tag", "@at %percent `tick`", "https://ghost-url.invalid/a", "__GHOST_URL__/a",
    "!!python/object:os.system", "|", ">", "? key", "long " * 59 + "end",
)  # fmt: skip
HEADS = (
    "---\nNote: keep this line.\n---\nBody.",
    "---\ntitle: not a title\n---\nBody.",
    '+++\ntitle = "no"\n+++\nBody.',
    '{"title": "no"}\n\nBody.',
    "\n\n---\n\nBody after a rule\n\n---\n",
    "---\n",
    "...\n---\n",
    "# A heading that is no title\n\nBody.",
    "\ufeff---\ntitle: a\n---\nBody",
)
TEXTS = (
    *HEADS,
    "No end of line",
    "\n\n\nLines before, and after\n\n\n",
    "Two spaces at the end  \n",
    "    code first\n\n    and last\n",
    "\tcode with a tab\n",
    "Windows\r\nline\r\n\r\nends\r\n",
    "```\r\ncode\r\n```\r\n",
    "old Mac\rends",
    "form\x0cfeed, vertical\x0btab, bell\x07, escape\x1b[0m, delete\x7f and next\x85line",
    "line\u2028separator\u2029paragraph, byte order\ufeffmark, zero\u200bwidth, not\ufffea character\ufdd0",
    "a\\\nbreak and a backslash at the end\\",
    "[[Post 1]] and [[Post 1#part|words]] and ![[photo.png]] and [a](Post-1.md) [[toc]]\n",
    "{{ site.title }} {% if a %}hidden{% endif %} {% raw %}raw{% endraw %} {{< figure src=a.png >}} {{% note %}}\n",
    "{% comment %}Secret{% endcomment %} {%- include a.html -%} `{{ code }}`\n",
    "{: .note}\nA paragraph\n{: #own-id .wide}\n\n## A heading {#own}\n\n{:toc}\n\n*[HTML]: Hyper\n",
    "{::comment}x{:/comment}\n\n{::options a=b /}\n",
    "<!-- a comment -->\n\nText <!-- inline --> end\n\n<!--more-->\n",
    '<div hidden>Hidden</div>\n\n<p style="display: none">gone</p>\n\n<script>alert(1)</script>\n',
    "import A from 'a'\n\nexport const b = 1\n\n<Tabs><Tab>words</Tab></Tabs>\n",
    "#hashtag and #another\n\n[gallery ids=\"1,2\"] [caption]a[/caption] [youtube https://youtu.be/abc]\n",
    "https://ghost-url.invalid/a __GHOST_URL__/b [c](https://ghost-url.invalid/c) ghost-url.invalid\n",
    "| a | b |\n|---|:-:|\n| 1 \\| 2 | `a\\|b` |\n| | |\n\n<table><tr><td colspan=2>merged</td></tr></table>\n",
    "A note[^1] and [^long].\n\n[^1]: One.\n[^long]: Two\n\n    paragraphs, and `code`.\n",
    "Inline $a^2$ and $$b$$\n\n$$\n\\int_0^1 x\\,dx\n$$\n\n```math\nx\n```\n",
    "> [!NOTE]\n> A callout\n\n> [!WARNING] Title\n> - with a list\n\n- [ ] open\n- [x] done\n",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ\n\n<https://a.example/?a=1&b=2>\n\n[a](https://a.example/(b) \"t\")\n",
    "[next](/post-2) [part](/post-2#part) [here](#a) [abs](https://blog.example/post-2?x=1#y)\n\n## A\n",
    "<details><summary>More</summary>\n\nInside\n\n</details>\n\n<span id=own>x</span> <kbd>K</kbd> a<br>b<br />c\n",
    "1) one\n2) two\n\n* a\n+ b\n- c\n\n***\n\nSetext\n======\n\nAnother\n-------\n",
    "~~~~ python title=\"a.py\" {1,3}\n```\ninner\n```\n~~~~\n",
    *(f"{'`' * n}\n{{{{ code }}}} [[x]] ![a](/media/none.png)\n{'`' * n}\n" for n in range(3, 7)),
    *(f"{'`' * n}liquid\n{{% raw %}}{{{{ code }}}}\n{'`' * n}\n" for n in range(3, 7)),
    "`` a ` b `` and ``` `` ``` and an open ` tick\n\n```\nan open fence with {% raw %}\n",
    "(c) (tm) +- ... -- --- \"quotes\" 'single' ???? ,,\n",
    "&amp; &lt;b&gt; &#123; &nbsp; \\& \\<a> \\*no\\* \\[\\[x\\]\\]\n",
    "trailing spaces   \t \n \n\t\nand empty lines\n",
    "a" * 5000 + "\n\n" + "word " * 3000,
    "[ref]: https://a.example 'title'\n[^n]: note without use\n\n[ref] [a][ref] [b][]\n",
    "![none](nowhere.png) ![up](../up.png) ![root](/root.png) <img src=missing.png>\n",
)  # fmt: skip
# How texts show an image; {} is its path.
IMAGES = (
    "![Alt]({})\n",
    '![Alt *em*]({} "A title") text ![]({})\n',
    "![a]( {} ) ![b](<{}>) ![c][d]\n\n[d]: <{}>\n",
    "![b][boat] ![boat][] ![boat]\n\n[boat]: {} 'Title'\n",
    "> ![b][q]\n>\n> [q]: {}\n",
    '<img src="{}" alt="A" width="640">\n',
    "<img alt=a src='{}'>\n\n<img src={}>\n",
    '<figure><img src="{}" alt="An oak"><figcaption>An *oak*</figcaption></figure>\n',
    "[![linked]({})](https://a.example)\n\n[full size]({})\n",
    "![a]({}) ![b]({})\n\n![c]({}){{.wide}}\n",
    "| a |\n|---|\n| ![in a table]({}) |\n\n- ![in a list]({})\n",
    "`![code]({})` and\n\n```\n![code]({})\n```\n\n    ![code]({})\n",
    "![a](https://blog.example{})\n\n<https://blog.example{}>\n\nBare {} as text\n",
    '<video poster="{}" src="https://a.example/a.mp4"></video>\n',
    '<a href="{}">link</a> <picture><source srcset="{} 2x"><img src="{}"></picture>\n',
)
SUMMARIES = (
    "One line.",
    "Two\nlines",
    "\n\nLines before, a  double space, and after\n",
    "Windows\r\nends",
    "---\ntitle: no\n---",
    "Tab\tand \\ backslash\\",
    " nbsp\u00a0and\u2028separator\u3000",
    "bell\x07",
    "https://ghost-url.invalid/a",
    "*Markdown* `code` <b>html</b>",
    "null",
    "x" * 2000,
)
# What an author chose for a destination, also nothing: no summary and no tags there.
OVERRIDES: tuple[dict[str, Any], ...] = (
    {"title": "W", "summary": "", "tags": []},
    {"summary": ""},
    {"tags": []},
    {"content": "", "options": {}},
    {"title": "W", "content": "", "options": {"status": "draft"}},
    {},
)


def posts(images: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the fields of posts: with hostile lines, texts and summaries, and texts that show these images."""
    for number, line in enumerate(LINES):
        yield {"title": line, "content": "Text.", "tags": [line[:50], f"tag {number}"], "meta_title": line[::-1]}
    for number, text in enumerate(TEXTS):
        yield {"title": f"Text {number}", "content": text, "overrides": {"mastodon": {"content": text[:400]}}}
        yield {"title": f"Texts {number}", "content": TEXTS[-number] + text, "kind": "page", "language": "de"}
    for number, text in enumerate(SUMMARIES):
        yield {"title": f"Summary {number}", "content": "Text.", "summary": text}
    for number, text in enumerate(IMAGES):
        image = images[number % len(images)]
        content = text.replace("{}", image).replace("{{", "{").replace("}}", "}")
        cover = {
            "cover_image": f"https://blog.example{image}",
            "cover_alt": LINES[number],
            "cover_caption": LINES[-2 - number],
        }
        yield {"title": f"Image {number}", "content": content, **cover, "overrides": {"mastodon": {"content": content}}}
    for case in json.loads((CASES / "posts.json").read_text()):
        yield {"title": f"Case {case['id']}", **{name: value for name, value in case.items() if name != "id"}}
    yield {"title": "No cover", "content": "Text.", "cover_alt": "An alt", "cover_caption": "A caption"}
    for own in OVERRIDES:
        yield {
            "title": "Overrides",
            "content": "Text.",
            "tags": ["ink"],
            "summary": "S",
            "overrides": {"wordpress": own},
        }
    yield {
        "title": "Options",
        "content": "Text.",
        "canonical_url": "https://a.example/b?c=d#e",
        "language": "zh-Hant-TW",
    }


def markdown_zip(target: Path, images: dict[str, bytes]) -> Path:
    """Write a zip file with the articles and the cases as a Markdown site."""
    with zipfile.ZipFile(target, "w") as zipped:
        for file in sorted(ARTICLES.glob("*.md")):
            head = "" if file.read_text().startswith("---") else f"---\ntitle: {file.stem}\ndate: 2020-01-02\n---\n"
            zipped.writestr(f"articles/{file.name}", head + file.read_text())
        for file in sorted((CASES / "markdown").iterdir()):
            zipped.writestr(f"cases/{file.name}", file.read_text())
        for name, data in images.items():
            zipped.writestr(f"cases/{name}", data)
    return target


def wordpress_xml(target: Path) -> Path:
    """Write an export of WordPress with an item for each case."""
    items = "".join(
        f"<item><title>{escape(file.stem)}</title><link>https://old.example/{file.stem}/</link>"
        f"<content:encoded><![CDATA[{file.read_text()}]]></content:encoded><wp:post_id>{number}</wp:post_id>"
        f"<wp:post_name>{file.stem}</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>"
        "<wp:post_date_gmt>2019-05-10 08:00:00</wp:post_date_gmt></item>"
        for number, file in enumerate(sorted((CASES / "wordpress").iterdir()), 1)
    )
    head = '<?xml version="1.0"?><rss xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    head += ' xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Cases</title>'
    target.write_text(f"{head}<wp:wxr_version>1.2</wp:wxr_version>{items}</channel></rss>")
    return target
