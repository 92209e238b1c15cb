"""WordPress, with a fake that returns recorded responses (`recorded/wordpress.json`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.base import (
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Figures,
    Gone,
    Misconfigured,
    OriginChanged,
    Origins,
    Rejected,
    Unavailable,
    Uncertain,
)
from blogsvc.connectors.wordpress.blocks import content, plain
from blogsvc.connectors.wordpress.connector import PER_PAGE, WordPress
from blogsvc.lib.markdown.render import render
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE, CHOSEN_AT, HTTPContract
from tests.connectors.fake_wordpress import API, PASSWORD, ROOT, SITE, USERNAME, FakeWordPress
from tests.outside import Outside, Reply

SETTINGS = {"url": SITE, "username": USERNAME, "password": PASSWORD}
PAGE = {"body": b"<!doctype html>", "headers": {"Content-Type": "text/html"}}


class TestContract(HTTPContract):
    def make(self, outside):
        self.fake = FakeWordPress(outside)
        return WordPress(SETTINGS, outside.http())

    def is_creation(self, seen):
        return seen.method == "POST" and seen.url.partition("?")[0] == f"{API}/posts"

    def copies(self, outside):
        return sum(post["status"] != "trash" for post in self.fake.posts.values())

    def readable(self, outside):
        return sum(post["status"] == "publish" for post in self.fake.posts.values())

    def edit_on_platform(self, outside):
        (post,) = self.fake.posts.values()
        post["title"] = "Of weeds"

    def bury(self, outside):
        (ours,) = self.fake.posts.values()
        for n in range(1000, 1000 + PER_PAGE):
            self.fake.posts[n] = {**ours, "slug": f"other-{n}", "content": "Something else."}

    def add_readers(self, outside):
        (number,) = self.fake.posts
        self.fake.comments[number] = 3
        return Figures(comments=3)


@pytest.fixture
def there(outside):
    return FakeWordPress(outside)


@pytest.fixture
def wordpress(outside, there):
    return WordPress(SETTINGS, outside.http())


def publish(wordpress, article=AN_ARTICLE, operation="op-1", **options):
    keys = {**wordpress.mint(article), "operation": operation}
    return keys, wordpress.publish(wordpress.compose(article, options), keys)


def test_an_article_is_sent_as_blocks_with_its_image_and_canonical_link(wordpress, there):
    publish(wordpress, replace(AN_ARTICLE, cover_url=AN_IMAGE))
    ((number, post),) = there.posts.items()
    (medium,) = there.media.values()
    assert post == {
        "title": "Of trees",
        "excerpt": "About trees.",
        "slug": "of-trees",
        "status": "publish",
        "tags": list(there.terms["tags"]),
        "featured_media": medium["id"],
        "content": f"""\
<!-- wp:paragraph -->
<p>A <em>tree</em>.</p>
<!-- /wp:paragraph -->

<!-- wp:image {{"id":{medium["id"]}}} -->
<figure class="wp-block-image"><img src="{medium["source_url"]}" class="wp-image-{medium["id"]}" alt="A tree"></figure>
<!-- /wp:image -->

<!-- wp:html -->
<p><em>Originally published at <a href="https://blog.example/posts/of-trees">blog.example</a>.</em></p>
<!-- blogsvc:01JD0000000000000000000001 op-1 -->
<!-- /wp:html -->""",
    }
    assert list(there.terms["tags"].values()) == ["nature", "trees"]
    assert medium["alt_text"] == "A tree"
    assert number > medium["id"]


def test_every_kind_of_text_becomes_its_block():
    text = "## A *b*\n\n### C\n\n```python\n[x]\nhttps://youtu.be/x\n```\n\n> Said.\n\n---\n\n|a|b|\n|-|-:|\n|1|2|\n\n"
    text += "- x\n"
    made = content(replace(AN_ARTICLE, html=render(text), canonical_url=None))
    for block in (
        '<!-- wp:heading -->\n<h2 class="wp-block-heading" id="in-a-b">A <em>b</em></h2>\n<!-- /wp:heading -->',
        '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading" id="in-c">C</h3>',
        '<!-- wp:code {"className":"language-python"} -->\n<pre class="wp-block-code language-python"><code>&#91;x]\n'
        "https:&#47;&#47;youtu.be/x\n</code></pre>\n<!-- /wp:code -->",
        '<!-- wp:quote -->\n<blockquote class="wp-block-quote"><!-- wp:paragraph -->\n<p>Said.</p>',
        '<!-- wp:separator -->\n<hr class="wp-block-separator has-alpha-channel-opacity"/>',
        '<!-- wp:table {"hasFixedLayout":false} -->\n<figure class="wp-block-table"><table>',
        '<td class="has-text-align-right" data-align="right">2</td>',
        "<!-- wp:html -->\n<ul>\n<li>x</li>\n</ul>\n<!-- /wp:html -->",
    ):
        assert block in made
    assert made.count("<!-- wp:") == made.count("<!-- /wp:")


def test_text_outside_blocks_and_attributes_with_angle_brackets_are_kept():
    html = (
        'loose <p>a <img src="https://b.example/x.png" alt="1 > 2 <p>"></p>\n<details><summary>s</summary>d</details>'
    )
    made = content(replace(AN_ARTICLE, html=html))
    assert "<!-- wp:html -->\nloose\n<!-- /wp:html -->" in made
    assert made.count("<!-- wp:paragraph -->") == 1
    assert "<details><summary>s</summary>d</details>" in made


def test_a_title_is_escaped_as_text():
    assert plain("<b> & &lt; Q&A") == "&lt;b> & &amp;lt; Q&A"


def test_existing_images_and_tags_are_reused(wordpress, there):
    for number in (1, 2):
        publish(wordpress, replace(AN_ARTICLE, id=f"id-{number}", slug=f"s-{number}"))
    first, second = there.posts.values()
    assert len(there.media) == 1
    assert first["tags"] == second["tags"]


def test_the_library_has_the_alt_text_of_the_cover_and_gets_a_changed_one(wordpress, there):
    article = replace(AN_ARTICLE, cover_url=AN_IMAGE, cover_alt="A wood")
    keys, receipt = publish(wordpress, article)
    (medium,), (post,) = there.media.values(), there.posts.values()
    assert (post["featured_media"], medium["alt_text"]) == (medium["id"], "A wood")
    assert 'alt="A tree"' in post["content"]
    wordpress.update(wordpress.compose(replace(article, cover_alt="An old wood"), {}), keys, receipt)
    assert medium["alt_text"] == "An old wood"


def test_an_image_in_the_text_does_not_replace_the_alt_text_of_the_library(wordpress, there):
    publish(wordpress)
    (medium,) = there.media.values()
    medium["alt_text"] = "Described in WordPress"
    publish(wordpress, replace(AN_ARTICLE, id="id-2", slug="s-2"))
    assert medium["alt_text"] == "Described in WordPress"


def test_an_image_that_wordpress_rejects_keeps_its_url(wordpress, there):
    there.takes_images = False
    publish(wordpress)
    (post,) = there.posts.values()
    assert f'<img src="{AN_IMAGE}" alt="A tree">' in post["content"]


def test_a_temporarily_failing_upload_delays_the_post(wordpress, there, outside):
    outside.always(lambda seen: seen.url.startswith(f"{API}/media"), status=503)
    with pytest.raises(Unavailable):
        publish(wordpress)
    assert not there.posts


def test_a_warning_is_shown_if_images_cannot_be_uploaded(outside):
    wordpress = WordPress(SETTINGS, outside.http(), facts={"upload_files": False})
    assert "can't upload images" in wordpress.compose(AN_ARTICLE, {}).warnings[0]
    assert wordpress.compose(replace(AN_ARTICLE, images=()), {}).warnings == ()


def test_status_comments_and_categories_are_set(wordpress, there):
    there.terms["categories"][2] = "News & Co"
    publish(wordpress, status="private", comments="closed", categories="News & Co, Trees")
    (post,) = there.posts.values()
    assert (post["status"], post["comment_status"]) == ("private", "closed")
    assert [there.terms["categories"][number] for number in post["categories"]] == ["News & Co", "Trees"]


def test_a_category_that_the_user_cannot_create_is_named(wordpress, there):
    del there.may["manage_categories"]
    with pytest.raises(Rejected, match=r"category “Trees”\. Create it in WordPress first"):
        publish(wordpress, categories="Trees")


def test_a_draft_published_in_wordpress_stays_public(wordpress, there):
    keys, receipt = publish(wordpress, status="draft")
    (post,) = there.posts.values()
    post["status"] = "publish"
    wordpress.update(wordpress.compose(AN_ARTICLE, {"status": "draft"}), keys, replace(receipt, version=None))
    assert post["status"] == "publish"


def test_an_update_keeps_the_url(wordpress, there):
    keys, receipt = publish(wordpress)
    moved = wordpress.update(wordpress.compose(replace(AN_ARTICLE, slug="of-bushes"), {}), keys, receipt)
    assert moved.url == receipt.url


def test_an_update_whose_response_was_lost_is_no_conflict(wordpress, outside):
    keys, receipt = publish(wordpress)
    changed, again = wordpress.compose(replace(AN_ARTICLE, title="Of bushes"), {}), {**keys, "operation": "op-2"}
    outside.lose_next(lambda seen: seen.method == "POST" and "/posts/" in seen.url)
    with pytest.raises(Unavailable):
        wordpress.update(changed, again, receipt)
    assert wordpress.update(changed, again, receipt) == wordpress.fetch_version(again, receipt)


@pytest.mark.parametrize(("field", "ours", "theirs"), [("status", "publish", "draft"), ("content", "tree", "shrub")])
def test_what_a_person_changed_after_our_own_update_is_not_taken_for_ours(
    wordpress, there, outside, field, ours, theirs
):
    """Editors keep our mark, so it is not enough."""
    keys, receipt = publish(wordpress)
    changed, again = wordpress.compose(replace(AN_ARTICLE, title="Of bushes"), {}), {**keys, "operation": "op-2"}
    outside.lose_next(lambda seen: seen.method == "POST" and "/posts/" in seen.url)
    with pytest.raises(Unavailable):
        wordpress.update(changed, again, receipt)
    (post,) = there.posts.values()
    assert ours in post[field]
    post[field] = post[field].replace(ours, theirs)
    with pytest.raises(Conflict):
        wordpress.update(changed, again, receipt)


def test_a_copy_in_the_trash_is_gone_although_wordpress_could_update_it(wordpress, there):
    keys, receipt = publish(wordpress)
    wordpress.delete(keys, receipt)
    with pytest.raises(Gone):
        wordpress.update(wordpress.compose(AN_ARTICLE, {}), keys, receipt)
    with pytest.raises(Gone):
        wordpress.stats(receipt)
    with pytest.raises(Gone):
        wordpress.delete(keys, receipt)
    assert isinstance(wordpress.find(keys), CopyNotFound)


def test_a_copy_trashed_between_reading_and_writing_is_gone(wordpress, there, outside):
    keys, receipt = publish(wordpress)
    (post,) = there.posts.values()
    look = there.shown(int(receipt.remote_id))
    post["status"] = "trash"
    outside.always(lambda seen: seen.method == "GET" and "/posts/" in seen.url, json=look)
    with pytest.raises(Gone):
        wordpress.update(wordpress.compose(AN_ARTICLE, {}), keys, receipt)


def test_a_link_that_a_person_entered_is_not_the_id_of_a_post(wordpress, there):
    keys, receipt = publish(wordpress)
    with pytest.raises(Rejected, match="not one of WordPress"):
        wordpress.delete(keys, replace(receipt, remote_id=receipt.url))
    assert wordpress.fetch_version(keys, receipt) == receipt


def test_a_cover_that_cannot_be_fetched_again_is_kept(wordpress, there, outside):
    article = replace(AN_ARTICLE, cover_url=AN_IMAGE)
    keys, receipt = publish(wordpress, article)
    (post,) = there.posts.values()
    cover = post["featured_media"]
    assert cover
    outside.always(lambda seen: seen.url == AN_IMAGE, status=404)
    receipt = wordpress.update(wordpress.compose(article, {}), keys, receipt)
    assert post["featured_media"] == cover
    wordpress.update(wordpress.compose(replace(article, cover_url=None), {}), keys, receipt)
    assert post["featured_media"] == 0


def test_without_a_trash_the_copy_is_deleted(wordpress, there):
    keys, receipt = publish(wordpress)
    there.has_trash = False
    wordpress.delete(keys, receipt)
    assert there.posts == {}


def test_a_copy_is_found_by_its_slug_if_a_plugin_changes_the_search(wordpress, outside):
    keys, receipt = publish(wordpress)
    outside.always(lambda seen: "search=" in seen.url, json=[])
    assert wordpress.find(keys) == CopyFound(receipt)


def test_a_marker_that_is_a_prefix_of_another_is_not_found(wordpress):
    publish(wordpress, replace(AN_ARTICLE, id="id-10", slug="other"))
    keys = {**wordpress.mint(replace(AN_ARTICLE, id="id-1", slug="s-1")), "operation": "op"}
    assert isinstance(wordpress.find(keys), CopyNotFound)


def test_connecting_stores_the_api_root_and_permissions(wordpress):
    account = wordpress.verify()
    assert (account.name, account.url) == ("An editor", SITE)
    assert account.facts == {"root": ROOT, "upload_files": True, "unfiltered_html": True}


@pytest.mark.parametrize("given", [f"{SITE}/", "wp.example", f"{SITE}/wp-admin/profile.php", f" {SITE}/wp-json/ "])
def test_the_url_can_be_written_in_many_ways(outside, there, given):
    assert WordPress({**SETTINGS, "url": given}, outside.http()).verify().facts["root"] == ROOT


def test_a_site_that_does_not_announce_its_api_is_asked_at_the_default_path(wordpress, outside):
    outside.always(lambda seen: seen.method == "HEAD", status=405)
    assert wordpress.verify().facts["root"] == ROOT


def test_a_site_without_permalinks_is_asked_by_query_string(outside):
    outside.teach("HEAD", f"{SITE}/", **PAGE)
    outside.teach("GET", f"{SITE}/wp-json/", status=404, **PAGE)
    index = {"namespaces": ["wp/v2"]}
    me = {"id": 1, "name": "Ada", "capabilities": {"publish_posts": True}}
    outside.teach("GET", f"{SITE}/", lambda seen: Reply(json=me if "users/me" in seen.url else index))
    root = f"{SITE}/?rest_route=/"
    assert WordPress(SETTINGS, outside.http()).verify().facts["root"] == root
    assert outside.requests[-1].url.startswith(f"{root}wp/v2/users/me&context=edit")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "https://www.wp.example", "https://wp.example:8443", "http://evil.example"]
)
def test_credentials_are_sent_only_to_the_server_that_was_entered(outside, origin):
    outside.teach("HEAD", f"{SITE}/", headers={"Link": f'<{origin}/wp-json/>; rel="https://api.w.org/"'})
    with pytest.raises(OriginChanged) as caught:
        WordPress(SETTINGS, outside.http()).verify()
    assert caught.value.origin == origin.replace("http://", "https://")
    assert len(outside.requests) == 1
    assert "authorization" not in outside.requests[0].headers


def test_an_api_on_another_server_is_used_once_it_is_confirmed(outside):
    root = "https://cms.example/wp-json/"
    FakeWordPress(outside, root)
    outside.always(lambda seen: seen.method == "HEAD", headers={"Link": f'<{root}>; rel="https://api.w.org/"'})
    confirmed = outside.http().only_to(Origins.of([SITE, root]))
    assert WordPress(SETTINGS, confirmed).verify().facts["root"] == root


def test_a_site_that_moved_to_https_needs_no_confirmation(outside):
    FakeWordPress(outside)
    outside.teach("HEAD", "http://wp.example/", status=301, headers={"Location": f"{SITE}/"})
    assert WordPress({**SETTINGS, "url": "http://wp.example"}, outside.http()).verify().facts["root"] == ROOT


def test_an_http_api_root_of_an_https_site_is_requested_over_https(outside):
    outside.teach("HEAD", f"{SITE}/", headers={"Link": '<http://wp.example/wp-json>; rel="https://api.w.org/"'})
    fake = FakeWordPress(Outside())
    outside.teach("GET", ROOT, fake.index)
    assert WordPress(SETTINGS, outside.http()).discover() == ROOT


def test_a_site_without_wordpress_is_reported(outside):
    for method, path in (("HEAD", "/"), ("GET", "/wp-json/"), ("GET", "/")):
        outside.teach(method, f"{SITE}{path}", **PAGE)
    with pytest.raises(Misconfigured, match="No WordPress REST API found") as caught:
        WordPress(SETTINGS, outside.http()).verify()
    assert caught.value.field == "url"


def test_a_user_who_cannot_publish_is_reported(wordpress, there):
    del there.may["publish_posts"]
    with pytest.raises(Misconfigured, match="role Author"):
        wordpress.verify()
    with pytest.raises(Disconnected, match="role Author"):
        publish(wordpress)


def test_disabled_application_passwords_are_distinguished_from_a_wrong_password(outside, there):
    wordpress = WordPress({**SETTINGS, "password": "wrong"}, outside.http())
    with pytest.raises(Disconnected, match="Check both"):
        wordpress.verify()
    there.has_passwords = False
    with pytest.raises(Misconfigured, match="Application passwords aren't available"):
        wordpress.verify()


def error(code, status, **data):
    return {"status": status, "json": {"code": code, "message": "Its words.", "data": {"status": status, **data}}}


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (error("incorrect_password", 401), Disconnected, "Wrong application password"),
        (error("invalid_username", 401), Disconnected, "Unknown WordPress username"),
        (error("application_passwords_disabled", 401), Disconnected, "disabled on this site"),
        (error("rest_cannot_create", 401), Disconnected, "Authorization header.*Its words"),
        (error("rest_cannot_create", 403), Disconnected, "role Author"),
        (error("rest_cannot_edit", 403), Rejected, "This WordPress user doesn't have permission"),
        (error("rest_invalid_param", 400, params={"tags": "tags is odd."}), Rejected, "tags is odd"),
        (error("rest_invalid_param", 400), Rejected, "Its words"),
        (error("empty_content", 400), Rejected, "Its words"),
        (error("rest_no_route", 404), Misconfigured, "REST API is no longer available"),
        (error("rest_post_invalid_id", 404), Gone, "Its words"),
        (error("internal_server_error", 500), Uncertain, "Its words"),
        ({"status": 413, **PAGE}, Rejected, "413"),
        ({"status": 403, **PAGE}, Misconfigured, "firewall"),
        ({"status": 404, **PAGE}, Misconfigured, "REST API is no longer available"),
        ({"status": 503, **PAGE}, Uncertain, "503"),
        ({"json": ["surprise"]}, Uncertain, "doesn't include the id"),
    ],
)
def test_each_error_says_what_to_do(wordpress, outside, reply, kind, words):
    outside.always(lambda seen: seen.method == "POST" and seen.url.startswith(f"{API}/posts"), **reply)
    with pytest.raises(kind, match=words):
        publish(wordpress)


@pytest.mark.parametrize("odd", [{}, [], [None], [{"id": None}], "x", 7])
def test_invalid_search_results_give_an_unknown_result(wordpress, outside, odd):
    outside.always(lambda seen: seen.method == "GET" and seen.url.startswith(f"{API}/posts"), json=odd)
    assert isinstance(wordpress.find({"marker": "blogsvc:1", "operation": "op", "armed_at": CHOSEN_AT}), CopyUnknown)


class TestWithoutSearch:
    """A plugin replaced the search, and the slug was taken."""

    @pytest.fixture
    def keys(self, wordpress, there):
        there.has_search = False
        there.posts[2] = {"title": "x", "content": "", "excerpt": "", "status": "publish", "featured_media": 0}
        there.posts[2] |= {"tags": [], "slug": AN_ARTICLE.slug}
        return {**publish(wordpress)[0], "armed_at": CHOSEN_AT}

    def others(self, there, first, modified):
        for n in range(first, first + PER_PAGE):
            there.posts[n] = {**there.posts[2], "slug": f"other-{n}", "modified": modified}

    def test_a_copy_is_found_among_the_newest_posts(self, wordpress, keys):
        assert isinstance(wordpress.find(keys), CopyFound)

    def test_a_copy_behind_newer_posts_gives_an_unknown_result(self, wordpress, there, keys):
        self.others(there, 1000, "2026-11-20T10:00:00")
        assert isinstance(wordpress.find(keys), CopyUnknown)

    def test_a_copy_is_missing_if_older_posts_are_listed(self, wordpress, there, keys):
        self.others(there, 1000, "2026-11-20T09:50:00")
        assert isinstance(wordpress.find({**keys, "marker": "blogsvc:other"}), CopyNotFound)
