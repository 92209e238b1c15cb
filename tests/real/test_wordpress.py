"""The WordPress connector with a real WordPress 6.5: the contract of the fake, and what only a real one can show."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import html5lib
import pytest

from blogsvc.connectors._kit.images import ImageFile
from blogsvc.connectors.base import (
    CopyFound,
    CopyNotFound,
    Disconnected,
    Figures,
    Gone,
    Misconfigured,
    Rejected,
    Unsupported,
)
from blogsvc.connectors.wordpress.connector import WordPress
from blogsvc.lib.html_to_markdown import convert
from blogsvc.lib.markdown.render import render
from blogsvc.lib.net.http import HttpClient, Timeout
from blogsvc.lib.time import stamp
from tests.connectors.contract import AN_ARTICLE
from tests.images import png
from tests.lib.test_wpautop import CASES
from tests.real.contract import AN_IMAGE, RealContract
from tests.real.recorder import Recorder
from tests.receiver import free_port

TEXT = f"""\
A [gallery] of trees.[^1] A soft
line break, & an <b>bold</b> word.

![A tree]({AN_IMAGE})

| Tree | Height |
|------|-------:|
| Oak  |   20 m |

```python
[gallery ids="1"]
https://www.youtube.com/watch?v=dQw4w9WgXcQ
```

> Said a gardener.

[^1]: The footnote.
"""


@pytest.fixture(scope="module")
def http():
    recorder = Recorder()
    # PHP as WebAssembly is slow on a busy machine.
    yield HttpClient(allow_private=True, transport=recorder, timeout=Timeout(read=120, total=120))
    recorder.save("wordpress")


@pytest.fixture
def connect(wordpress_site, http):
    """Return a function that creates the connector of one of the users."""

    def make(username="an-editor", **settings):
        password = wordpress_site.passwords.get(username, "")
        words = {"url": wordpress_site.url, "username": username, "password": password, **settings}
        return WordPress(words, http, facts={"root": f"{words['url']}/wp-json/"})

    return make


class TestContract(RealContract):
    @pytest.fixture(autouse=True)
    def _site(self, wordpress_site, connect, http):
        self.site, self.connect, self.recording = wordpress_site, connect, http

    def http(self):
        return self.recording

    def connected(self, http):
        return self.connect()

    def nobody(self, http):
        return self.connect(password="abcd efgh ijkl mnop qrst uvwx")

    def nowhere(self, http):
        return self.connect(url=f"http://127.0.0.1:{free_port()}")

    def copies(self, outside):
        return len(self.site.posts())

    def readable(self, outside):
        return len(self.site.posts("publish"))

    def edit_on_platform(self, outside):
        self.site.edit(self.site.posts()[0]["id"], title="Of weeds")

    def add_readers(self, outside):
        self.site.comment(self.site.posts()[0]["id"], "Lovely trees.")
        return Figures(comments=1)


def typed_texts():
    """Yield texts as people typed them in the classic editor: those of `test_wpautop`, and random ones.

    Without bare angle brackets: there, WordPress takes all up to the next ">" for a tag, and loses the paragraphs.
    """
    yield from (html for html, _ in CASES if "< " not in html)
    chance = Random(46)
    for _ in range(25):
        yield "".join(chance.choice(PIECES) + chance.choice(SPACES) for _ in range(chance.randint(2, 7))).strip()


def as_browsers_read(html):
    return html5lib.serialize(html5lib.parseFragment(html), omit_optional_tags=False, quote_attr_values="always")


def test_the_white_space_of_classic_posts_is_that_which_wordpress_shows(wordpress_site):
    differences = []
    for html in typed_texts():
        made = wordpress_site.api("POST", "posts", {"title": "A", "status": "publish", "content": html})
        shown = as_browsers_read(made["content"]["rendered"])
        ours, theirs = (re.sub(r">\s+<", "><", convert(one, breaks=one is html).markdown) for one in (html, shown))
        if ours != theirs:
            differences.append((html, ours, theirs))
    assert differences == []


@pytest.fixture
def wordpress(connect):
    return connect()


# Of posts from before the block editor.
PIECES = [
    "Words",
    "more words",
    "<b>bold</b>",
    "<em>one",
    "two</em>",
    '<a href="/x">link</a>',
    "<br>",
    "<br />",
    "<p>para</p>",
    "<h2>Head</h2>",
    "<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
    "<ol><li>a\n\nb</li></ol>",
    "<hr />",
    "<blockquote>said</blockquote>",
    "<blockquote>one\n\ntwo</blockquote>",
    "<pre>a\n\n\tb</pre>",
    "<div>in a box</div>",
    "<div>\none\n\ntwo\n</div>",
    '<img src="/a.png" alt="a" />',
    '<a href="/b.png"><img src="/b.png" alt="b" /></a>',
    "<span>span</span>",
    "<table>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n</table>",
    "<!-- note -->",
    "<dl><dt>a</dt><dd>b</dd></dl>",
    "&nbsp;",
    "<code>a b</code>",
    "<strong>one\n\ntwo</strong>",
    "<del>gone</del>",
    "<p>open",
    "a & b",
]
SPACES = ["\n", "\n\n", "\n\n", "\n\n\n", " ", " ", "", "\r\n", "\r\n\r\n", "\n \n", " \n"]


def publish(connector, article=AN_ARTICLE, **options):
    keys = {**connector.mint(article), "operation": f"op-{article.id}"}
    return keys, connector.publish(connector.compose(article, options), keys)


def give_image(connector, tmp_path):
    file = tmp_path / "tree.png"
    file.write_bytes(png())
    connector.images.uploaded_files = lambda url: [file] if url == AN_IMAGE else []


def test_an_article_is_rendered_well(wordpress, wordpress_site, tmp_path):
    give_image(wordpress, tmp_path)
    article = replace(
        AN_ARTICLE,
        title='Of <b> & "trees"',
        html=render(TEXT),
        tags=("News & Co", "C++"),
        cover_url=AN_IMAGE,
    )
    _, receipt = publish(wordpress, article)
    page = wordpress_site.page(receipt.url)
    (image,) = wordpress_site.media()
    assert image["alt_text"] == "A tree"
    assert f'src="{image["source_url"]}" class="wp-image-{image["id"]}" alt="A tree"' in page
    assert "Of &lt;b&gt; &#038; &#8220;trees&#8221;" in page
    assert "A soft\nline break" in page
    assert '<figure class="wp-block-table">' in page
    assert '<pre class="wp-block-code language-python">' in page
    assert "https:&#47;&#47;www.youtube.com/watch?v=dQw4w9WgXcQ" in page
    assert "A &#91;gallery] of trees" in page
    assert "<iframe" not in page
    assert 'Originally published at <a href="https://blog.example/posts/of-trees">blog.example</a>' in page
    assert "News &amp; Co</a>" in page
    assert "C++</a>" in page


def test_existing_images_and_tags_are_reused(wordpress, wordpress_site, tmp_path):
    give_image(wordpress, tmp_path)
    for number in (1, 2):
        publish(wordpress, replace(AN_ARTICLE, id=f"id-{number}", slug=f"s-{number}", tags=("News & Co", "C++", "C")))
    first, second = wordpress_site.posts()
    assert len(wordpress_site.media()) == 1
    assert sorted(first["tags"]) == sorted(second["tags"])
    assert len(set(first["tags"])) == 3


def test_the_cover_has_its_alt_text_and_a_late_copy_the_date_of_its_post(wordpress, wordpress_site, tmp_path):
    give_image(wordpress, tmp_path)
    article = replace(
        AN_ARTICLE, cover_url=AN_IMAGE, cover_alt="A wood", published_at=datetime(2019, 5, 10, 8, tzinfo=UTC)
    )
    keys = {**wordpress.mint(article), "operation": "op-1", "attempted_at": stamp(datetime.now(UTC))}
    receipt = wordpress.publish(wordpress.compose(article, {}), keys)
    (post,), (image,) = wordpress_site.posts(), wordpress_site.media()
    assert (post["date_gmt"], post["status"], post["featured_media"]) == (
        "2019-05-10T08:00:00",
        "publish",
        image["id"],
    )
    assert image["alt_text"] == "A wood"

    changed = replace(article, cover_alt="An old wood", published_at=datetime(2020, 1, 1, tzinfo=UTC))
    wordpress.update(wordpress.compose(changed, {}), {**keys, "operation": "op-2"}, receipt)
    (post,), (image,) = wordpress_site.posts(), wordpress_site.media()
    assert (post["date_gmt"], image["alt_text"]) == ("2019-05-10T08:00:00", "An old wood")


def test_an_image_that_got_another_name_in_the_library_is_used_again(wordpress, wordpress_site, tmp_path):
    give_image(wordpress, tmp_path)
    publish(wordpress)
    (image,) = wordpress_site.media()
    wordpress.ask("POST", f"wp/v2/media/{image['id']}", {"_fields": "id"}, json={"slug": "renamed"})
    publish(wordpress, replace(AN_ARTICLE, id="id-2", slug="s-2"))
    assert len(wordpress_site.media()) == 1
    wordpress.ask("DELETE", f"wp/v2/media/{image['id']}", {"force": "true"})
    publish(wordpress, replace(AN_ARTICLE, id="id-3", slug="s-3"))
    assert len(wordpress_site.media()) == 1


def test_an_author_with_filtered_html_can_publish_update_and_delete(connect, wordpress_site, tmp_path):
    wordpress = connect("an-author")
    assert wordpress.verify().facts == {
        "root": f"{wordpress_site.url}/wp-json/",
        "upload_files": True,
        "unfiltered_html": False,
    }
    give_image(wordpress, tmp_path)
    keys, receipt = publish(wordpress, replace(AN_ARTICLE, html=render(TEXT)))
    assert wordpress.find(keys) == CopyFound(receipt)
    assert '<figure class="wp-block-table">' in wordpress_site.page(receipt.url)


def test_an_author_can_use_existing_categories_and_create_none(connect, wordpress_site):
    wordpress = connect("an-author")
    kept = wordpress_site.api("POST", "categories", {"name": "News & Co"})
    _, receipt = publish(wordpress, categories="news & co")
    assert wordpress_site.api("GET", f"posts/{receipt.remote_id}")["categories"] == [kept["id"]]
    with pytest.raises(Rejected, match="category “Elsewhere”"):
        publish(wordpress, categories="Elsewhere")


def test_a_contributor_cannot_publish(connect):
    contributor = connect("an-contributor")
    with pytest.raises(Misconfigured, match="Author"):
        contributor.verify()
    with pytest.raises(Disconnected, match="role Author"):
        publish(contributor)


def test_a_draft_with_closed_comments_keeps_the_changes_of_its_editors(wordpress, wordpress_site):
    keys, receipt = publish(wordpress, status="draft", comments="closed")
    (draft,) = wordpress_site.posts()
    assert (draft["status"], draft["comment_status"]) == ("draft", "closed")
    assert wordpress.find(keys) == CopyFound(receipt)
    wordpress_site.edit(receipt.remote_id, status="publish")
    payload = wordpress.compose(AN_ARTICLE, {"status": "draft"})
    wordpress.update(payload, keys, replace(receipt, version=None))
    assert wordpress_site.posts()[0]["status"] == "publish"


def test_a_copy_in_the_trash_is_gone(wordpress, wordpress_site):
    keys, receipt = publish(wordpress)
    wordpress.delete(keys, receipt)
    (trashed,) = wordpress_site.posts("trash")
    assert trashed["slug"].endswith("__trashed")
    payload = wordpress.compose(AN_ARTICLE, {})
    for wish in (
        lambda: wordpress.update(payload, keys, receipt),
        lambda: wordpress.fetch_version(keys, receipt),
        lambda: wordpress.stats(receipt),
        lambda: wordpress.delete(keys, receipt),
    ):
        with pytest.raises(Gone):
            wish()
    assert isinstance(wordpress.find(keys), CopyNotFound)
    wordpress_site.clear()
    with pytest.raises(Gone):
        wordpress.fetch_version(keys, receipt)
    with pytest.raises(Gone):
        wordpress.delete(keys, receipt)


def test_a_repeated_update_is_no_conflict(wordpress):
    keys, receipt = publish(wordpress)
    changed = wordpress.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    again = {**keys, "operation": "op-2"}
    updated = wordpress.update(changed, again, receipt)
    assert wordpress.update(changed, again, receipt) == updated


def test_a_site_without_permalinks_is_asked_by_query_string(wordpress, wordpress_site):
    wordpress.facts = {"root": f"{wordpress_site.url}/?rest_route=/"}
    keys, receipt = publish(wordpress)
    assert wordpress.find(keys) == CopyFound(receipt)
    assert wordpress.stats(receipt) == Figures(comments=0)


def test_a_post_of_another_author_cannot_be_updated(wordpress, connect):
    keys, receipt = publish(wordpress)
    author = connect("an-author")
    with pytest.raises(Rejected, match="doesn't have permission"):
        author.update(author.compose(AN_ARTICLE, {}), keys, receipt)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (("POST", "wp/v2/posts", {"status": "nonsense"}), Rejected, "not one of publish"),
        (("POST", "wp/v2/posts", {"tags": ["nature"]}), Rejected, r"not of type integer"),
        (("POST", "wp/v2/posts", {}), Rejected, "empty"),
        (("POST", "wp/v2/nonsense", {}), Misconfigured, "WordPress REST API is no longer available"),
    ],
)
def test_each_error_says_what_to_do(wordpress, ask, error, words):
    method, path, body = ask
    with pytest.raises(error, match=words):
        wordpress.ask(method, path, json=body)


def test_a_file_that_is_not_an_image_is_rejected(wordpress):
    headers = {"Content-Type": "application/x-sh", "Content-Disposition": 'attachment; filename="x.sh"'}
    with pytest.raises(Rejected, match="file type"):
        wordpress.ask("POST", "wp/v2/media", headers=headers, content=b"echo", safe=True)


def test_media_cannot_be_moved_to_the_trash(wordpress):
    medium = wordpress.medium(ImageFile(png(), "image/png"), "A tree", is_cover=False)
    with pytest.raises(Unsupported):
        wordpress.ask("DELETE", f"wp/v2/media/{medium.id}")


def test_missing_credentials_are_reported(connect, http):
    wordpress = connect(username="", password="")
    with pytest.raises(Disconnected, match="Authorization header"):
        publish(wordpress, replace(AN_ARTICLE, tags=()))
