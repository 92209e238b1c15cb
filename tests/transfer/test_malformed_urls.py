"""A URL in a file that is no URL is left out, and everything else is imported."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO

import pytest

from blogsvc.context import Tools
from blogsvc.models import ImportedPost, ImportJob
from blogsvc.transfer import importing

URLS = {"no host": "http://[", "no host or scheme": "//["}


def of_blogsvc(url: str) -> bytes:
    post = {"id": "post_1", "title": "Ferry", "slug": "ferry", "status": "published", "authors": ["ada"], "url": url}
    author = {"slug": "ada", "name": "Ada", "picture": url, "links": [{"label": "Me", "url": url, "isMe": True}]}
    export = {
        "format": "blogsvc-export",
        "version": 1,
        "blog": {"url": url, "icon": url, "navigation": {"header": [{"label": "Old", "to": url}], "footer": []}},
        "posts": [{**post, "content": f"Words ![a]({url}) and [b]({url}).", "coverImage": url, "canonicalUrl": url}],
        "authors": [author],
        "series": [{"slug": "boats", "title": "Boats", "coverImage": url}],
        "tagPages": [{"tag": "fog", "title": "Fog", "coverImage": url}],
        "redirects": [{"path": url, "target": url, "status": 301}],
        "oldAddresses": [{"path": url, "post": "post_1"}],
    }
    return json.dumps(export).encode()


def of_ghost(url: str) -> bytes:
    post = {"id": "5", "uuid": "u", "title": "Ferry", "slug": "ferry", "status": "published"}
    menu = json.dumps([{"label": "Old", "url": url}])
    data = {
        "posts": [{**post, "html": html(url), "feature_image": url, "canonical_url": url}],
        "tags": [{"id": "1", "name": "Fog", "slug": "fog", "feature_image": url}],
        "users": [{"id": "1", "name": "Ada", "slug": "ada", "profile_image": url, "website": url}],
        "posts_tags": [{"post_id": "5", "tag_id": "1"}],
        "posts_authors": [{"post_id": "5", "author_id": "1"}],
        "settings": [{"key": "icon", "value": url}, {"key": "navigation", "value": menu}],
    }
    return json.dumps({"db": [{"meta": {"version": "5.0.0"}, "data": data}]}).encode()


def of_wordpress(url: str) -> bytes:
    spaces = 'xmlns:wp="http://wordpress.org/export/1.2/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    item = (
        f"<item><title>Ferry</title><link>{url}</link><guid>{url}</guid>"
        f"<content:encoded><![CDATA[{html(url)}]]></content:encoded><wp:post_id>1</wp:post_id>"
        "<wp:post_name>ferry</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>"
        "<wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>9</wp:meta_value></wp:postmeta></item>"
    )
    cover = (
        "<item><wp:post_id>9</wp:post_id><wp:post_type>attachment</wp:post_type>"
        f"<wp:attachment_url>{url}</wp:attachment_url></item>"
    )
    head = f"<link>{url}</link><wp:base_blog_url>{url}</wp:base_blog_url><image><url>{url}</url></image>"
    return f'<?xml version="1.0"?><rss version="2.0" {spaces}><channel>{head}{item}{cover}</channel></rss>'.encode()


def html(url: str) -> str:
    return f'<p>Words <img src="{url}"> and <a href="{url}">b</a>.</p>'


@pytest.mark.parametrize("url", URLS.values(), ids=URLS.keys())
@pytest.mark.parametrize("file", [of_blogsvc, of_ghost, of_wordpress])
def test_a_post_with_malformed_urls_is_imported(
    file: Callable[[str], bytes], url: str, tools: Tools, tick: Callable[[], None]
) -> None:
    job = importing.receive(BytesIO(file(url)), "export", None, tools)
    tick()
    plan = ImportJob.get(job.id)
    assert (plan.state, plan.error) == ("planned", None)
    importing.begin(job.id, tools, blog=True)
    tick()
    assert ImportJob.get(job.id).state == "finished"
    (post,) = ImportedPost.all_of(job.id)
    assert (post.state, post.detail) == ("made", None)
