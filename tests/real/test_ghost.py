"""The Ghost connector with a real Ghost 6: the contract of the fake, and what only a real one can show."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from bs4 import BeautifulSoup

from blogsvc.connectors._kit import portable
from blogsvc.connectors.base import CopyFound, Figures
from blogsvc.connectors.ghost.connector import Ghost
from blogsvc.connectors.payload_parts import parts
from blogsvc.lib.markdown.render import render
from blogsvc.lib.net.http import HttpClient, Timeout
from blogsvc.lib.text.losses import compare
from blogsvc.lib.time import stamp
from tests.clock import eventually
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE
from tests.fidelity.corpus import HERE, NAMES, TELLING
from tests.images import png
from tests.real.contract import RealContract
from tests.real.reading import dead_links, reading
from tests.real.recorder import Recorder
from tests.receiver import free_port
from tests.tiers import matrix

REFERRER = re.compile(r"(?:\?|&(?:amp;)?)ref=127\.0\.0\.1(?=[\"#])")
ANOTHER_KEY = f"{'5' * 24}:{'a1' * 32}"


@pytest.fixture(scope="module")
def http():
    recorder = Recorder()
    yield HttpClient(allow_private=True, transport=recorder, timeout=Timeout(read=120, total=120))
    recorder.save("ghost")


@pytest.fixture
def connect(ghost_site, http):
    """Return a function that creates the connector."""

    def make(**settings):
        return Ghost({"url": ghost_site.url, "key": ghost_site.key, **settings}, http)

    return make


class TestContract(RealContract):
    @pytest.fixture(autouse=True)
    def _site(self, ghost_site, connect, http):
        self.site, self.connect, self.recording = ghost_site, connect, http

    def http(self):
        return self.recording

    def connected(self, http):
        return self.connect()

    def nobody(self, http):
        return self.connect(key=ANOTHER_KEY)

    def nowhere(self, http):
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
    assert ghost.options_for(ghost.facts)[0].choices == ("", "default-newsletter")
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


def test_the_author_and_featured_are_those_that_were_chosen(connect, ghost_site):
    ghost = connect()
    none, author = ghost.options_for(ghost.verify().facts)[1].choices
    options = {"author": author, "featured": "yes"}
    receipt = ghost.publish(ghost.compose(AN_ARTICLE, options), {**ghost.mint(AN_ARTICLE), "operation": "op-1"})
    post = ghost_site.post(receipt.remote_id)
    assert ([one["slug"] for one in post["authors"]], post["featured"], none) == ([author], True, "")
    ghost.update(ghost.compose(AN_ARTICLE, {}), {**ghost.mint(AN_ARTICLE), "operation": "op-2"}, receipt)
    post = ghost_site.post(receipt.remote_id)
    assert ([one["slug"] for one in post["authors"]], post["featured"]) == ([author], False)


def test_a_copy_is_found_without_a_tag_of_ours(connect, ghost_site):
    ghost = connect()
    keys = {**ghost.mint(AN_ARTICLE), "operation": "op-1"}
    receipt = ghost.publish(ghost.compose(AN_ARTICLE, {}), keys)
    ghost_site.api(
        "PUT",
        f"posts/{receipt.remote_id}/",
        {
            "posts": [
                {
                    "updated_at": receipt.version,
                    "codeinjection_foot": f"{ghost_site.post(receipt.remote_id)['codeinjection_foot']}<p>Mine</p>",
                }
            ]
        },
    )
    there = ghost_site.post(receipt.remote_id)
    assert [tag["name"] for tag in there["tags"]] == list(AN_ARTICLE.tags)
    assert [found.remote_id for found in ghost.find_all(keys)] == [receipt.remote_id]
    ghost.update(
        ghost.compose(replace(AN_ARTICLE, title="Of bushes"), {}), keys, replace(receipt, version=there["updated_at"])
    )
    assert ghost_site.post(receipt.remote_id)["codeinjection_foot"] == there["codeinjection_foot"]
    assert ghost.find_all({**keys, "article": "another"}) == []


def without_cards(html):
    """Return HTML with quotations and collapsible sections in place of Ghost's callouts and toggles."""
    soup = BeautifulSoup(html, "html.parser")
    for callout in soup.select("div.kg-callout-card"):
        callout.name = "blockquote"
        callout.select_one(".kg-callout-emoji").decompose()
    for toggle in soup.select("div.kg-toggle-card"):
        toggle.name, toggle.h4.name = "details", "summary"
        toggle.button.decompose()
    return str(soup)


def assert_readers_see(written, ghost_site, receipt):
    """Check a copy in Ghost's API, and on its page, where Ghost adds its name to links."""
    expected = portable.html(written)
    shown = without_cards(ghost_site.post(receipt.remote_id)["html"])
    assert reading(shown) == reading(expected)
    assert dead_links(shown) == dead_links(expected)
    page = BeautifulSoup(REFERRER.sub("", ghost_site.page(receipt.url)), "html.parser")
    assert reading(without_cards(page.select_one(".gh-content").decode_contents())) == reading(expected)


@matrix("name", NAMES, default=TELLING.__contains__)
def test_readers_see_what_was_written(connect, ghost_site, name):
    written = render((HERE / "articles" / f"{name}.md").read_text())
    ghost, wanted = connect(), replace(AN_ARTICLE, html=written, images=(), tags=())
    receipt = ghost.publish(ghost.compose(wanted, {}), {**ghost.mint(wanted), "operation": "op-1"})
    assert_readers_see(written, ghost_site, receipt)


def of_alert(kind, *lines):
    return "".join(f"> {line}\n" for line in (f"[!{kind}]", *lines))


def of_section(text):
    return f"<details>\n<summary>More, if you like</summary>\n\n{text}\n\n</details>\n"


PARAGRAPHS = ("Mind the *gap*, `a < b`, ~~no~~", "and [a link](https://other.example/).", "", "Two & **more**.")
IMAGE = "![A tree](https://other.example/a.png)"


CARDS = [
    *((of_alert(kind, *PARAGRAPHS), "callout") for kind in ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")),
    (of_alert("NOTE", "One:", "", "- two", "- three"), "html"),
    (of_alert("NOTE", "```sh", "make  two", "```"), "html"),
    (of_alert("NOTE", IMAGE), "html"),
    (of_alert("NOTE", "> One"), "html"),
    (of_section("Inside > outside, 2 × 3"), "toggle"),
    (of_section("Inside <em>it</em>"), "html"),
    (of_section("`a < b` & c"), "html"),
    (of_section("One.\n\nTwo."), "html"),
    (of_section("- one\n- two"), "html"),
    (of_section("```sh\nmake  two\n```"), "html"),
    (of_section(IMAGE), "html"),
    (of_section(of_alert("TIP", "One")), "html"),
]


@matrix("text, card", CARDS, ids=lambda case: case[1], default=lambda case: case in (CARDS[0], CARDS[5], CARDS[9]))
def test_alerts_and_collapsible_sections_are_cards_that_lose_nothing(connect, ghost_site, text, card):
    ghost = connect()
    written = replace(AN_ARTICLE, html=render(f"Before.\n\n{text}\nAfter.\n"), images=(), tags=())
    payload = ghost.compose(written, {})
    receipt = ghost.publish(payload, keys := {**ghost.mint(written), "operation": "op-1"})
    assert_readers_see(written.html, ghost_site, receipt)
    assert nodes(ghost_site, receipt) == ["paragraph", card, "paragraph"]
    shown = read(ghost, keys, receipt)
    assert losses(sent(ghost, payload), shown) == losses([("html", written.html)], shown) == []


def test_an_update_changes_callouts_and_toggles(connect, ghost_site):
    ghost = connect()
    first, second = (
        replace(AN_ARTICLE, html=render(f"{of_alert(kind, 'One')}\n{of_section(text)}"), images=())
        for kind, text in (("NOTE", "Two"), ("CAUTION", "Three"))
    )
    receipt = ghost.publish(ghost.compose(first, {}), keys := {**ghost.mint(first), "operation": "op-1"})
    receipt = ghost.update(ghost.compose(second, {}), {**keys, "operation": "op-2"}, receipt)
    assert_readers_see(second.html, ghost_site, receipt)
    assert nodes(ghost_site, receipt) == ["callout", "toggle"]
    assert (
        ghost.update(ghost.compose(second, {}), {**keys, "operation": "op-3"}, receipt).remote_id == receipt.remote_id
    )


def test_a_callout_that_somebody_turns_into_a_paragraph_is_a_loss(connect, ghost_site):
    ghost = connect()
    written = replace(AN_ARTICLE, html=render(of_alert("NOTE", "Good to know.")), images=())
    receipt = ghost.publish(ghost.compose(written, {}), keys := {**ghost.mint(written), "operation": "op-1"})
    document = json.loads(ghost_site.post(receipt.remote_id)["lexical"])
    assert document["root"]["children"][0]["calloutText"] == "<strong>Note</strong><br>Good to know."
    words = {"type": "text", "text": "Note: Good to know.", "format": 0, "mode": "normal", "style": "", "detail": 0}
    document["root"]["children"] = [{"type": "paragraph", "version": 1, "children": [{**words, "version": 1}]}]
    ghost_site.edit(receipt.remote_id, lexical=json.dumps(document))
    told = losses([("html", written.html)], read(ghost, keys, receipt))
    assert told == ["“Note Good to know” are shown without callout formatting."]


def nodes(ghost_site, receipt):
    """Return the kinds of nodes that Ghost's editor shows."""
    document = json.loads(ghost_site.post(receipt.remote_id)["lexical"])
    return [node["type"].removeprefix("extended-") for node in document["root"]["children"]]


def read(ghost, keys, receipt):
    return [(part.form, part.text) for part in ghost.read_back(keys, receipt)]


def sent(ghost, payload):
    return [(part.form, part.text) for part in parts(ghost, payload)]


def losses(wanted, shown):
    return [loss.text for loss in compare(wanted, shown).losses]


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
    article = replace(AN_ARTICLE, cover_url=AN_IMAGE, cover_alt="A wood", published_at=published)
    ghost, covers = connect(), []
    ghost.images.uploaded_files = lambda url: [file] if url == AN_IMAGE else []
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
