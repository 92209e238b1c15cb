"""The Ghost connector with a real Ghost 6: the contract of the fake, and what only a real one can show."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from bs4 import BeautifulSoup

from blogsvc.connectors._kit import portable
from blogsvc.connectors.base import CopyFound, Figures
from blogsvc.connectors.ghost.connector import Ghost
from blogsvc.lib import markdown
from blogsvc.lib.net.http import HttpClient, Timeout
from blogsvc.lib.time import stamp
from tests.clock import eventually
from tests.connectors.contract import A_PICTURE, AN_ARTICLE
from tests.fidelity.corpus import HERE, NAMES
from tests.pictures import png
from tests.real.contract import RealContract
from tests.real.reading import dead_links, reading
from tests.real.recorder import Recorder
from tests.real.running import free_port

REFERRER = re.compile(r"(?:\?|&(?:amp;)?)ref=127\.0\.0\.1(?=[\"#])")
ANOTHER_KEY = f"{'5' * 24}:{'a1' * 32}"


@pytest.fixture(scope="module")
def door():
    recorder = Recorder()
    yield HttpClient(allow_private=True, transport=recorder, timeout=Timeout(read=120, total=120))
    recorder.save("ghost")


@pytest.fixture
def connect(ghost_site, door):
    """Return a function that creates the connector."""

    def make(**settings):
        return Ghost({"url": ghost_site.url, "key": ghost_site.key, **settings}, door)

    return make


class TestContract(RealContract):
    @pytest.fixture(autouse=True)
    def _site(self, ghost_site, connect, door):
        self.site, self.connect, self.recording = ghost_site, connect, door

    def door(self):
        return self.recording

    def connected(self, door):
        return self.connect()

    def nobody(self, door):
        return self.connect(key=ANOTHER_KEY)

    def nowhere(self, door):
        return self.connect(url=f"http://127.0.0.1:{free_port()}")

    def copies(self, outside):
        return len(self.site.posts())

    def readable(self, outside):
        return sum(post["status"] == "published" for post in self.site.posts())

    def edit_on_platform(self, outside):
        self.site.edit(self.site.posts()[0]["id"], title="Of weeds")

    def add_readers(self, outside):
        self.site.add_member("reader@blog.example")
        self.site.like(self.site.posts()[0]["id"], "reader@blog.example")
        return Figures(likes=1, clicks=0)


def test_a_newsletter_reaches_each_member_once(connect, ghost_site):
    for person in ("one@blog.example", "two@blog.example"):
        ghost_site.add_member(person)
    ghost = connect()
    ghost.facts = ghost.verify().facts
    assert [option.choices for option in ghost.options_for(ghost.facts)] == [("", "default-newsletter")]
    keys = {**ghost.mint(AN_ARTICLE), "operation": "op-1"}
    payload = ghost.compose(AN_ARTICLE, {"newsletter": "default-newsletter"})
    assert any("2 members" in warning for warning in payload.warnings)
    receipt = ghost.publish(payload, keys)
    eventually(lambda: ghost_site.post(receipt.remote_id)["email"]["status"] == "submitted")
    assert ghost.find(keys) == CopyFound(receipt)
    ghost.publish(payload, keys)
    ghost.update(ghost.compose(replace(AN_ARTICLE, title="Of bushes"), {}), {**keys, "operation": "op-2"}, receipt)
    assert sorted(ghost_site.mailgun.recipients()) == ["one@blog.example", "two@blog.example"]
    assert [sent.subject for sent in ghost_site.mailgun.sent] == ["Of trees"]


@pytest.mark.parametrize("name", NAMES)
def test_readers_see_what_was_written(connect, ghost_site, name):
    written = markdown.render((HERE / "articles" / f"{name}.md").read_text())
    ghost, wanted = connect(), replace(AN_ARTICLE, html=written, images=(), tags=())
    receipt = ghost.publish(ghost.compose(wanted, {}), {**ghost.mint(wanted), "operation": "op-1"})
    expected = reading(portable.html(written))
    shown = ghost_site.post(receipt.remote_id)["html"]
    assert reading(shown) == expected
    assert dead_links(shown) == dead_links(portable.html(written))
    # Ghost adds its name to links of its pages.
    page = BeautifulSoup(REFERRER.sub("", ghost_site.page(receipt.url)), "html.parser")
    assert reading(page.select_one(".gh-content").decode_contents()) == expected


def test_readers_get_the_page_without_an_account(connect, ghost_site):
    ghost = connect()
    payload = ghost.compose(AN_ARTICLE, {})
    receipt = ghost.publish(payload, {**ghost.mint(AN_ARTICLE), "operation": "op-1"})
    page = ghost_site.page(receipt.url)
    assert "<p>A <em>tree</em>.</p>" in page
    assert f'<link rel="canonical" href="{AN_ARTICLE.canonical_url}">' in page


def test_a_late_copy_has_its_date_and_cover_alt_text_and_images_are_uploaded_once(connect, ghost_site, tmp_path):
    file = tmp_path / "tree.png"
    file.write_bytes(png())
    published = datetime(2019, 5, 10, 8, tzinfo=UTC)
    article = replace(AN_ARTICLE, cover_url=A_PICTURE, cover_alt="A wood", published_at=published)
    ghost, covers = connect(), []
    ghost.album.ours = lambda url: [file] if url == A_PICTURE else []
    for number in ("1", "2"):
        copy = replace(article, id=f"id-{number}", slug=f"s-{number}", canonical_url=f"https://blog.example/{number}")
        keys = {**ghost.mint(copy), "operation": f"op-{number}", "attempted_at": stamp(datetime.now(UTC))}
        receipt = ghost.publish(ghost.compose(copy, {}), keys)
        there = ghost_site.post(receipt.remote_id)
        assert (there["published_at"], there["status"]) == ("2019-05-10T08:00:00.000Z", "published")
        assert there["feature_image_alt"] == "A wood"
        covers.append(there["feature_image"])
    assert covers[0] == covers[1]
    assert ghost.uploads.made == 1

    changed = replace(copy, title="Of bushes", published_at=datetime(2020, 1, 1, tzinfo=UTC))
    ghost.update(ghost.compose(changed, {}), {**keys, "operation": "op-3"}, receipt)
    assert ghost_site.post(receipt.remote_id)["published_at"] == "2019-05-10T08:00:00.000Z"
