"""Imports and exports take the images along in every notation, and change no code."""

from __future__ import annotations

import json
import zipfile
from base64 import b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from sqlalchemy import select

from blogsvc.context import Tools
from blogsvc.lib.markdown.image_links import addresses
from blogsvc.media import images
from blogsvc.models import ImportedPost, ImportJob, Media, Post, db
from blogsvc.posts import trash
from blogsvc.transfer import export, importing
from tests.images import png
from tests.outside import Outside
from tests.transfer.test_importing import a_file, by_slug, zipped

# Each with %s for the address. Code is not changed.
IMAGES = r"""
![a < b > `]` [c]](%s 'Title') and ![d](
<%s>
(Title)), `![code](the_code.png)`, `` <img
src=the_code.png> ``

> [![e][f]](%s)
>
> [F]:
> %s "Title"

| g |
|---|
| ![h\|i](%s) |

<video poster="%s" title="1 > 2"
  src=%s></video>

<picture><source srcset="%s 1x, %s 2x"><img alt='j > k' SRC='%s'></picture>

    ![code](the_code.png)

- l

  ```
  ![code](the_code.png)
  ```

<pre>
![code](the_code.png)
</pre>

<!-- <img src=the_code.png> -->
"""
COUNT = IMAGES.count("%s")
CODE = IMAGES.count("the_code.png")


def imported(data: object, tools: Tools, tick: Callable[[], None], name: str = "a.zip") -> ImportJob:
    if isinstance(data, Path):
        import_id = importing.receive_path(data, tools).id
    else:
        import_id = importing.receive(data, name, None, tools).id
    tick()
    importing.begin(import_id, tools, blog=True)
    tick()
    return ImportJob.get(import_id)


def warnings(job: ImportJob) -> str:
    return "\n".join(f"{entry.detail} {entry.warnings}" for entry in ImportedPost.all_of(job.id))


def images_of(post: Post) -> list[str]:
    """Return the addresses of the images, after a look at the code."""
    assert post.content.count("the_code.png") == CODE
    return addresses(post.content)


def test_images_in_every_notation_are_imported_from_a_folder(tools: Tools, tick: Callable[[], None]) -> None:
    names = [f"i {n}.png" for n in range(COUNT)]
    text = IMAGES % tuple(name.replace(" ", "%20") for name in names)
    data = f"data:image/png;base64,{b64encode(png(99)).decode()}"
    text += f"\n[large](<i 0.png>) [lost](lost.png) ![data](<{data}>)\n"
    files = {f"b/{name}": png(n + 10) for n, name in enumerate(names)}
    job = imported(zipped({"b/post.md": a_file("Post", text=text), **files}), tools, tick)
    urls = images_of(by_slug("post"))
    assert sum(url.startswith("/media/") for url in urls) == COUNT + 1
    assert [url for url in urls if not url.startswith("/media/")] == ["lost.png"]
    assert "lost.png" in warnings(job)
    assert {"d", "e", "h|i", "j > k", "data"} <= set(db.session.scalars(select(Media.alt)))


def test_images_in_every_notation_are_imported_from_wordpress(
    tools: Tools, tick: Callable[[], None], outside: Outside
) -> None:
    item = """<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">
        <channel><wp:wxr_version>1.2</wp:wxr_version><item><title>Post</title><link>https://old.example/post</link>
        <wp:post_name>post</wp:post_name><wp:post_type>post</wp:post_type><wp:status>publish</wp:status>
        <wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt>
        <content:encoded>%s</content:encoded></item></channel></rss>"""
    html = """<p><img src=https://old.example/1.png alt="a > b">
        <a href="https://old.example/2.png"><img src="https://old.example/2-300x200.png"></a>
        <a href="https://old.example/3.png">large</a> <a href="https://other.example/x.png">other</a></p>
        <table><tr><td><p>x</p><img src="https://old.example/4.png"><p>y</p></td></tr></table>
        <pre>&lt;img src="https://old.example/5.png"&gt;</pre>"""
    for number in range(1, 5):
        outside.teach("GET", f"https://old.example/{number}.png", status=200, body=png(number + 10))
    job = imported(zipped({"a.xml": item % escape(html)}), tools, tick)
    post = by_slug("post")
    assert "not imported" not in warnings(job)
    assert post.content.count("/media/") == 4
    assert "https://other.example/x.png" in post.content
    assert post.content.count("https://old.example/") == post.content.count("https://old.example/5.png") == 1


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_an_export_has_no_addresses_of_the_media_library_and_can_be_imported(
    form: str,
    tools: Tools,
    tick: Callable[[], None],
    a_post: Callable[..., Post],
    outside: Outside,
    tmp_path: Path,
) -> None:
    media = [images.add(png(n + 10), f"m{n}.png", "", tools) for n in range(COUNT + 2)]
    content = IMAGES % tuple(one.path for one in media[:COUNT]) + f"\n[large]({media[COUNT].path})\n"
    own = {"mastodon": {"content": f"Look: ![a]({media[-1].path})"}}
    post = a_post(True, title="Post", content=content, overrides=own)
    file = export.to_file(form, tmp_path / f"out.{'zip' if form == 'markdown' else 'json'}", tools)
    if form == "markdown":
        with zipfile.ZipFile(file) as zipped_file:
            name = next(name for name in zipped_file.namelist() if name.startswith("posts/"))
            text = zipped_file.read(name).decode()
        assert text.count("../media/m") == COUNT + 2
        assert "/media/" not in text.replace("../media/", "")
        assert text.count("the_code.png") == CODE
    else:
        for one in json.loads(file.read_text())["media"]:
            number = int(one["filename"].strip("mpng."))
            outside.teach("GET", one["url"], status=200, body=png(number + 10))
    trash.erase(post, tools.now())
    job = imported(file, tools, tick)
    assert "not imported" not in warnings(job)
    again = by_slug("post")
    urls = images_of(again)
    assert len(urls) == COUNT + 1
    assert all(url.startswith("/media/") for url in urls)
    assert addresses(again.overrides["mastodon"]["content"])[0].startswith("/media/")
