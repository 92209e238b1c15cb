"""Blogs of a real Ghost and a real WordPress move in: every address that they answered is answered here.

`pytest --real -s` prints the figures.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
import urllib.request
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from blogsvc.transfer import export
from tests.images import png
from tests.real.moving import OldBlog, imported, instance, opened, unanswered
from tests.tiers import matrix

IMAGES = 20
# Beginnings of paths that are no content.
OF_GHOST = ("/ghost/", "/assets/", "/public/", "/members/", "/webmentions/", "/sitemap.xsl")
OF_WORDPRESS = (
    *("/wp-json/", "/wp-admin/", "/wp-login.php", "/wp-includes/", "/wp-content/themes/", "/xmlrpc.php"),
    *("/wp-sitemap.xsl", "/wp-sitemap-index.xsl"),
)


def a_form(name, filename, data, kind):
    """Return the body of a form with one file, and its media type."""
    edge = secrets.token_hex(8)
    head = f'--{edge}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n'
    body = f"{head}Content-Type: {kind}\r\n\r\n".encode() + data + f"\r\n--{edge}--\r\n".encode()
    return body, f"multipart/form-data; boundary={edge}"


def send_file(site, path, name, filename, data, kind):
    """Send a file to Ghost's Admin API, and return the answer."""
    body, media_type = a_form(name, filename, data, kind)
    headers = {"Content-Type": media_type, "Origin": site.url}
    request = urllib.request.Request(f"{site.url}/ghost/api/admin/{path}", method="POST", data=body, headers=headers)
    with site.browser.open(request, timeout=300) as answer:
        return json.loads(answer.read() or b"null")


def fill_ghost(site, count):
    images = [
        send_file(site, "images/upload/", "file", f"tree-{number}.png", png(width=700 + number), "image/png")
        for number in range(IMAGES)
    ]
    tags = [{"id": str(number), "name": f"Tree & kind {number}", "slug": f"kind-{number}"} for number in range(8)]
    posts, links = [], []
    for number in range(count):
        at = f"{2015 + number // 30}-01-{1 + number % 30:02}T09:00:00.000Z"
        image = images[number % IMAGES]["images"][0]["url"]
        slug = f"tree-{number}" if number % 50 else f"tree-{number}-{'long-' * 30}end"
        html = f'<p>About tree {number}. See <a href="{site.url}/tree-{number + 1}/">the next</a>.</p>'
        if number % 3:
            html += f'<figure class="kg-card kg-image-card"><img src="{image}" alt="Tree {number}"></figure>'
        times = {"created_at": at, "updated_at": at, "published_at": at}
        cover = image if number % 5 == 0 else None
        words = {"title": f"Tree {number}", "slug": slug, "html": html, "feature_image": cover}
        posts.append({"id": str(number), "status": "published", **words, **times})
        links.append({"post_id": str(number), "tag_id": str(number % 8)})
    document = {"db": [{"meta": {"version": "6.0.0"}, "data": {"posts": posts, "tags": tags, "posts_tags": links}}]}
    send_file(site, "db/", "importfile", "blog.json", json.dumps(document).encode(), "application/json")


@pytest.fixture
def full_ghost(ghost_site, count):
    fill_ghost(ghost_site, count)
    yield ghost_site
    ghost_site.api("DELETE", "db/")  # all posts at once


@matrix("count", [60, 300])
def test_every_address_of_a_ghost_that_moved_in_answers(full_ghost, tools, tmp_path, count):
    exported = full_ghost.api("GET", "db/")
    there = exported["db"][0]["data"]["posts"]
    uuids = [post["uuid"] for post in there if post["type"] == "post"]
    assert len(uuids) == count
    old = OldBlog(full_ghost.url, OF_GHOST, opened(full_ghost.url))
    addresses = old.addresses("/", "/sitemap.xml", "/rss/", *(f"/p/{uuid}/" for uuid in uuids))
    feed = opened(full_ghost.url)("/rss/")[2]
    (tmp_path / "ghost.json").write_text(json.dumps(exported))

    with instance(tmp_path / "first", tools) as (app, first):
        done = imported(tmp_path / "ghost.json", first, site=full_ghost.url)
        assert done.counts()["made"] == count + 1  # with the page that Ghost begins with
        report = done.old_addresses
        wrong = unanswered(addresses, app.test_client())
        tell("Ghost", addresses, wrong, report)
        assert wrong == {}
        assert report["missing"] == []
        exports = [export.to_file("markdown", tmp_path / "first.zip", first)]
        ids = feed_ids(app.test_client())
        assert ids > set(re.findall("<guid isPermaLink=.false.>([^<]+)<", feed)) != set()

    with instance(tmp_path / "second", tools) as (app, second):
        again = imported(exports[0], second)
        assert again.counts()["made"] == count + 1
        assert unanswered(addresses, app.test_client()) == wrong
        exports.append(export.to_file("markdown", tmp_path / "second.zip", second))
        assert feed_ids(app.test_client()) == ids
    assert files_in(exports[1]) == files_in(exports[0])


def fill_wordpress(site, count):
    """Write posts with dates in their addresses, tags and nested categories, and return their ids."""
    images = [
        sized(upload(site, f"leaf-{number}.png", png(width=1200 + number, height=900)))
        for number in range(min(count // 2, 4))
    ]
    travel = site.api("POST", "categories", {"name": "Travel & sea"})["id"]
    posts = [
        {
            "post_title": f"Leaf {number}",
            "post_name": f"leaf-{number}" if number else "лист",
            "post_content": f'<p>A leaf.</p><figure><img src="{images[number % len(images)]}" alt="Leaf"></figure>',
            "post_status": "publish",
            "post_date": f"20{10 + number // 4}-0{1 + number % 9}-11 10:00:00",
            "tags": [f"Tag & {number % 5}"],
            "categories": [travel] if number % 2 else ["Home"],
        }
        for number in range(count)
    ]
    site.api("POST", "categories", {"name": "Boats", "parent": travel})
    posts[3]["categories"] = ["Boats"]
    return site.api("POST", "moving", {"permalinks": "/%year%/%monthnum%/%postname%/", "posts": posts}, at="tests/v1")


@pytest.fixture
def full_wordpress(wordpress_site, count):
    """Return a WordPress with posts and dated permalinks, and the ids of the posts."""
    yield wordpress_site, fill_wordpress(wordpress_site, count)
    wordpress_site.api("DELETE", "moving", at="tests/v1")


def upload(site, name, data):
    basic = base64.b64encode(f"{site.username}:{site.password}".encode()).decode()
    headers = {
        "Authorization": f"Basic {basic}",
        "Content-Type": "image/png",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    request = urllib.request.Request(f"{site.url}/wp-json/wp/v2/media", method="POST", data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def sized(image):
    """Return the address of a smaller size of an uploaded image, or its own if WordPress made none."""
    sizes = image["media_details"].get("sizes", {})
    return next((size["source_url"] for name, size in sizes.items() if name == "large"), image["source_url"])


@matrix("count", [4, 12])  # PHP as WebAssembly is slow
def test_every_address_of_a_wordpress_that_moved_in_answers(full_wordpress, tools, tmp_path):
    site, ids = full_wordpress
    old = OldBlog(site.url, OF_WORDPRESS, opened(site.url))
    addresses = old.addresses("/", "/feed/", "/comments/feed/", "/wp-sitemap.xml", *(f"/?p={id}" for id in ids))
    guids = re.findall("<guid[^>]*>([^<]+)<", opened(site.url)("/feed/")[2])
    (tmp_path / "blog.xml").write_text(site.api("GET", "moving", at="tests/v1")["xml"])

    with instance(tmp_path / "first", tools) as (app, first):
        done = imported(tmp_path / "blog.xml", first)
        assert done.counts()["made"] == len(ids) + 2  # with the two pages that WordPress begins with
        report = done.old_addresses
        wrong = unanswered(addresses, app.test_client())
        tell("WordPress", addresses, wrong, report)
        assert wrong == {}
        # The posts of this test have no author.
        assert report["missing"] == [["/author/admin", "No published post uses it."]]
        assert feed_ids(app.test_client()) >= set(guids) != set()


def tell(name, addresses, wrong, report):
    said = f"the import says {report['found']} of {report['known']}"
    print(f"\n{name}: {len(addresses) - len(wrong)} of {len(addresses)} addresses answer; {said}.")


def feed_ids(client):
    return {guid.text for guid in ElementTree.fromstring(client.get("/rss.xml").data).iter("guid")}


def files_in(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
