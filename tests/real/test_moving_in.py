"""Blogs of a real Ghost and a real WordPress move in, by the files that these export themselves.

With the command line, as their owner would do it: `blogsvc import` and `blogsvc export`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.images import png
from tests.tiers import matrix

IMAGE = "/content/images/2024/05/oak.png"
CARDS = """\
<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://example.org/guide">\
<div class="kg-bookmark-content"><div class="kg-bookmark-title">A guide</div>\
<div class="kg-bookmark-description">To trees</div></div></a></figure>
<div class="kg-card kg-callout-card kg-callout-card-blue"><div class="kg-callout-emoji">🌳</div>\
<div class="kg-callout-text">Water the <b>oaks</b>.</div></div>
<div class="kg-card kg-toggle-card" data-kg-toggle-state="close"><div class="kg-toggle-heading">\
<h4 class="kg-toggle-heading-text">More</h4></div><div class="kg-toggle-content"><p>Inside.</p></div></div>
<div class="kg-card kg-button-card kg-align-center"><a href="https://example.org/buy" class="kg-btn">Buy</a></div>
<!--kg-card-begin: html--><table><tr><th>Tree</th><th align="right">Height</th></tr>\
<tr><td>Oak</td><td align="right">30 m</td></tr></table><!--kg-card-end: html-->"""


@pytest.fixture
def blogsvc(tmp_path):
    """Return a function that runs the command line of one of several instances."""

    def run(instance, *words):
        settings = {"BLOGSVC_INSTANCE": str(tmp_path / instance), "BLOGSVC_BASE_URL": f"https://{instance}.example"}
        settings |= {"BLOGSVC_ALLOW_PRIVATE_ADDRESSES": "true"}
        done = subprocess.run(
            [Path(sys.executable).with_name("blogsvc"), *map(str, words)],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout + done.stderr

    return run


def fill(site, posts):
    """Write posts of every kind in Ghost."""
    (site.database.parent.parent / IMAGE.removeprefix("/content/")).parent.mkdir(parents=True, exist_ok=True)
    (site.database.parent.parent / IMAGE.removeprefix("/content/")).write_bytes(png(40, 30))
    for number in range(posts):
        html = f'<p>Tree {number} is <em>tall</em>, as <a href="{site.url}/tree-{number // 2}/">another</a>.</p>'
        html += f'<figure class="kg-card kg-image-card kg-card-hascaption"><img src="{site.url}{IMAGE}" alt="An oak">'
        html += f"<figcaption>In May</figcaption></figure>{CARDS if number % 10 == 0 else ''}"
        post = {
            "title": f"Tree {number}",
            "slug": f"tree-{number}",
            "html": html,
            "status": "draft" if number % 50 == 1 else "published",
            "published_at": f"20{10 + number % 15}-0{1 + number % 9}-1{number % 10}T08:30:00.000Z",
            "custom_excerpt": f"About tree {number}",
            "tags": [{"name": "Trees & shrubs"}, {"name": f"Kind {number % 7}"}],
            "featured": number % 40 == 0,
        }
        if number % 3 == 0:
            post |= {"feature_image": f"{site.url}{IMAGE}", "feature_image_alt": "The oak", "meta_title": "An oak"}
        if number % 60 == 2:
            post |= {"status": "scheduled", "published_at": "2029-05-06T08:30:00.000Z"}
        if number % 60 == 3:
            post |= {"visibility": "members"}
        site.api("POST", "posts/?source=html", {"posts": [post]})


def moved_out(site, target):
    """Return a zip as the documentation describes it: Ghost's own export, together with its content/images."""
    content = site.database.parent.parent
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("of-trees.ghost.json", json.dumps(site.api("GET", "db/")))
        for file in sorted((content / "images").rglob("*")):
            if file.is_file():
                archive.write(file, f"content/images/{file.relative_to(content / 'images')}")
    return target


def read(file):
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "README.md"}


@matrix("count, drafts, scheduled", [(60, 4, 1), (300, 16, 5)])
def test_a_ghost_moves_in_and_out(ghost_site, blogsvc, tmp_path, count, drafts, scheduled):
    fill(ghost_site, count)
    export = moved_out(ghost_site, tmp_path / "ghost.zip")
    told = blogsvc("first", "import", export, "--keep-schedule", "--site", ghost_site.url)
    made = count + 1  # with the page that Ghost begins with
    assert f"{made} made, 0 skipped, 0 failed." in told

    blogsvc("first", "export", tmp_path / "first.zip")
    first = read(tmp_path / "first.zip")
    posts = {name: text.decode() for name, text in first.items() if name.startswith("posts/")}
    assert len(posts) == made
    assert [name for name, text in posts.items() if 'kind: "page"' in text] == [
        name for name in posts if name.endswith("-about.md")
    ]
    fortieth = next(text for name, text in posts.items() if name.endswith("-tree-40.md"))
    assert "pinned: true\n" in fortieth
    assert 'meta_title: "An oak"\n' in next(text for name, text in posts.items() if name.endswith("-tree-3.md"))
    everything = "\n".join(posts.values())
    assert "GHOST_URL" not in everything
    assert "ghost-url" not in everything
    assert "127.0.0.1" not in everything
    tenth = next(text for name, text in posts.items() if name.endswith("-tree-10.md"))
    assert "as [another](/tree-5)" in tenth
    assert '![An oak](../media/oak.png "In May")' in tenth
    assert "[A guide](https://example.org/guide)\\\nTo trees" in tenth
    assert "> 🌳 Water the **oaks**." in tenth
    assert "<details><summary>More</summary>\n\nInside.\n\n</details>" in tenth
    assert "| Tree | Height |\n| --- | --: |\n| Oak | 30 m |" in tenth
    assert sum("draft: true" in text for text in posts.values()) == drafts
    assert sum("scheduled: 2029-05-06" in text for text in posts.values()) == scheduled
    assert [name for name in first if name.startswith("media/")] == ["media/oak.png"]

    again = blogsvc("second", "import", tmp_path / "first.zip", "--keep-schedule")
    assert f"{made} made, 0 skipped, 0 failed." in again
    blogsvc("second", "export", tmp_path / "second.zip")
    assert read(tmp_path / "second.zip") == first


BLOCKS = """\
<!-- wp:paragraph -->
<p>Oaks are <strong>tall</strong>, as <a href="{other}">others</a>.</p>
<!-- /wp:paragraph -->

<!-- wp:image {{"id":{image}}} -->
<figure class="wp-block-image"><img src="{source}" alt="An oak"/><figcaption>In May</figcaption></figure>
<!-- /wp:image -->

<!-- wp:table -->
<figure class="wp-block-table"><table><thead><tr><th>Tree</th><th class="has-text-align-right">Height</th></tr></thead>\
<tbody><tr><td>Oak</td><td class="has-text-align-right">30 m</td></tr></tbody></table></figure>
<!-- /wp:table -->

<!-- wp:details -->
<details class="wp-block-details"><summary>More</summary><!-- wp:paragraph -->
<p>Inside.</p>
<!-- /wp:paragraph --></details>
<!-- /wp:details -->"""


def test_a_wordpress_moves_in_by_its_own_export(wordpress_site, blogsvc, tmp_path):
    api = wordpress_site.api
    image = wordpress_site.upload("oak.png", png(40, 30))
    api("POST", f"media/{image['id']}", {"alt_text": "An oak", "caption": "A cover"})
    tag = api("POST", "tags", {"name": "Trees & shrubs"})["id"]
    words = {"title": "Beech &amp; elm", "content": "<p>Short.</p>", "slug": "elm", "date_gmt": "2015-05-06T08:30:00"}
    other = api("POST", "posts", {**words, "status": "publish"})
    text = BLOCKS.format(other=other["link"], image=image["id"], source=image["source_url"])
    oak = {"title": "An oak", "slug": "oak", "excerpt": "About oaks", "tags": [tag], "featured_media": image["id"]}
    api(
        "POST",
        "posts",
        {**oak, "content": text, "status": "publish", "date_gmt": "2016-05-06T08:30:00", "sticky": True},
    )
    api(
        "POST",
        "posts",
        {"title": "Soon", "slug": "soon", "content": "x", "status": "future", "date_gmt": "2029-05-06T08:30:00"},
    )
    api("POST", "posts", {"title": "A draft", "content": "x", "status": "draft"})
    (tmp_path / "trees.WordPress.xml").write_bytes(wordpress_site.export())

    told = blogsvc("first", "import", tmp_path / "trees.WordPress.xml", "--keep-schedule")
    assert "6 made, 0 skipped, 0 failed." in told  # with the two pages that WordPress begins with
    blogsvc("first", "export", tmp_path / "first.zip")
    first = read(tmp_path / "first.zip")
    posts = {name.partition("-")[2]: text.decode() for name, text in first.items() if name.startswith("posts/")}
    made = posts["05-06-oak.md"]
    for part in (
        'title: "An oak"\n', "date: 2016-05-06T08:30:00", 'summary: "About oaks"\n', 'tags: ["Trees & shrubs"]\n',
        'cover: "../media/oak.png"\n', 'cover_alt: "An oak"\n', 'cover_caption: "A cover"\n', "pinned: true\n",
        "Oaks are **tall**, as [others](/elm).",
        '![An oak](../media/oak.png "In May")',
        "| Tree | Height |\n| --- | --: |\n| Oak | 30 m |", "<details><summary>More</summary>\n\nInside.\n\n</details>",
    ):  # fmt: skip
        assert part in made
    assert 'title: "Beech & elm"\n' in posts["05-06-elm.md"]
    assert "scheduled: 2029-05-06T08:30:00" in next(text for text in posts.values() if 'slug: "soon"\n' in text)

    assert "6 made" in blogsvc("second", "import", tmp_path / "first.zip", "--keep-schedule")
    blogsvc("second", "export", tmp_path / "second.zip")
    assert read(tmp_path / "second.zip") == first
