"""Platforms that a person posts to: what they get to copy, and the address of the editor that opens."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from blogsvc.connectors.base import ArticleImage, Connector, Disconnected, Rejected
from blogsvc.connectors.by_hand import (
    Beehiiv,
    ByHand,
    Facebook,
    HackerNews,
    Hashnode,
    Instagram,
    LinkedIn,
    Medium,
    Pinterest,
    Reddit,
    Substack,
    Threads,
    Tumblr,
    Website,
    X,
)
from blogsvc.lib.markdown.render import render
from blogsvc.lib.text.length import length
from blogsvc.lib.text.plain import images_in, links, plain
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE, FAMILY, BaseContract, with_own_text

ARTICLES = (Beehiiv, Hashnode, Medium, Substack, Tumblr)
TEXTS = (Facebook, Instagram, LinkedIn, Pinterest, Threads, X)
LINKS = (HackerNews, Reddit)
PLATFORMS = (*ARTICLES, *TEXTS, *LINKS)
LINK = AN_ARTICLE.canonical_url
# Characters that end or change an address if they are not encoded.
AWKWARD = f"\"Quotes\" & 'more' #1 + 100% <b> a=b? c/d \\ é {FAMILY}"
# An editor that takes all three values, such as that of a platform we don't know.
OWN_EDITOR = {"editor": "https://own.example/new?t={title}&b={text}&u={link}"}


def each(*kinds):
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.key)


def own(words, **changes):
    """Return an article whose text the author wrote for the platform."""
    return with_own_text(AN_ARTICLE, words, html=f"<p>{words}</p>", **changes)


class ByHandContract(BaseContract):
    """A connector that sends nothing: it composes a copy, and hands it over to a person."""

    kind: type[ByHand]

    def make(self, outside):
        return self.kind({}, outside.http())

    def test_a_person_makes_changes_and_deletes_the_copies(self, connector):
        assert connector.abilities() == ["hand_over"]
        assert type(connector).publish is Connector.publish

    def test_nothing_is_sent(self, connector, outside):
        connector.verify()
        connector.hand_over(connector.compose(self.article, {}))
        assert outside.requests == []

    def test_no_account_is_needed(self, connector):
        assert connector.verify().name == "by hand"
        assert not any(field.required or field.secret for field in connector.fields)

    def test_a_person_gets_the_text_and_the_link_to_the_original(self, connector, payload):
        handed = connector.hand_over(payload)
        assert handed.link == LINK
        assert "Of trees" in (handed.title or handed.text)
        assert handed == connector.hand_over(payload)

    def test_an_emoji_of_seven_code_points_is_kept(self, connector):
        handed = connector.hand_over(connector.compose(replace(self.article, title=f"Of families {FAMILY}"), {}))
        assert f"Of families {FAMILY}" in (handed.title, handed.text.partition("\n")[0])

    def test_the_editor_of_the_platform_opens(self, connector, payload):
        opened, declared = (urlsplit(one) for one in (connector.hand_over(payload).editor_url, connector.editor))
        assert opened.scheme == "https"
        assert (opened.netloc, opened.path) == (declared.netloc, declared.path)
        assert not {"{", "}"} & set(opened.query)
        assert connector.is_link_here(connector.editor)

    def test_the_pages_of_the_platform_are_declared(self, connector):
        assert connector.hosts
        assert connector.link_example.startswith("https://")
        assert urlsplit(connector.link_example).hostname.removeprefix("www.").removeprefix("you.") in connector.hosts
        assert not connector.importer or connector.is_link_here(connector.importer)
        assert connector.is_link_here(connector.link_example)

    def test_what_a_person_reads_is_written_in_full_sentences(self, connector):
        said = (connector.why, connector.finish, *connector.removal, *connector.limitations)
        assert connector.removal
        for sentence in said:
            assert sentence[0].isupper()
            assert sentence.endswith(".")
        assert ". " not in connector.why
        assert re.fullmatch("[a-z]+", connector.noun)

    def test_the_reason_why_a_person_has_to_post_is_among_the_limitations(self, connector):
        assert connector.limitations[0].startswith(connector.why)


class TestMedium(ByHandContract):
    kind = Medium


class TestSubstack(ByHandContract):
    kind = Substack


class TestHashnode(ByHandContract):
    kind = Hashnode


class TestTumblr(ByHandContract):
    kind = Tumblr


class TestBeehiiv(ByHandContract):
    kind = Beehiiv


class TestHackerNews(ByHandContract):
    kind = HackerNews


class TestReddit(ByHandContract):
    kind = Reddit


class TestX(ByHandContract):
    kind = X
    too_long = own("x" * 281)


class TestInstagram(ByHandContract):
    kind = Instagram
    too_long = own("x" * 2201)


class TestPinterest(ByHandContract):
    kind = Pinterest
    too_long = own("x" * 501)


class TestLinkedIn(ByHandContract):
    kind = LinkedIn
    too_long = own("x" * 3001)


class TestThreads(ByHandContract):
    kind = Threads
    too_long = own("x" * 501)


class TestWebsite(ByHandContract):
    """Any website: the person enters the address of its editor, and has no other platform in mind."""

    kind = Website

    def make(self, outside):
        return Website({"editor": "https://square.example/new"}, outside.http())

    def test_no_account_is_needed(self, connector):
        assert connector.verify().name == "square.example"
        assert [(field.name, field.required, field.secret) for field in connector.fields] == [("editor", True, False)]

    def test_the_editor_of_the_platform_opens(self, connector, payload):
        assert connector.hand_over(payload).editor_url == "https://square.example/new"

    def test_the_pages_of_the_platform_are_declared(self, connector):
        assert connector.is_link_here("https://square.example/of-trees")
        assert not connector.is_link_here("https://round.example/of-trees")


class TestFacebook(ByHandContract):
    kind = Facebook
    too_long = own("x" * 63207)


def handed(connector, article=AN_ARTICLE):
    return connector.hand_over(connector.compose(article, {}))


def query_of(address):
    return {name: value for name, (value,) in parse_qs(urlsplit(address).query, keep_blank_values=True).items()}


def weight(text):
    """Return the length of a text as X counts it."""
    return length(re.sub(r"https?://[^\s…]+", "x" * 23, text), "weighted")


class TestEditorAddress:
    """The address of the editor, with the text of the post in it."""

    @each(HackerNews, Reddit)
    def test_title_and_link_arrive_as_they_are(self, kind):
        link = "https://blog.example/?p=1&lang=de#top"
        address = handed(kind(), replace(AN_ARTICLE, title=AWKWARD, canonical_url=link)).editor_url
        assert set(query_of(address).values()) == {AWKWARD, link}

    @each(LinkedIn, Threads, X)
    def test_the_text_arrives_with_its_lines(self, kind):
        article = replace(AN_ARTICLE, title=AWKWARD)
        given = handed(kind(), article)
        assert given.text.startswith(f"{AWKWARD}\n\nAbout trees.\n\n{LINK}")
        assert query_of(given.editor_url)["text"] == given.text

    def test_facebook_takes_only_the_link(self):
        assert query_of(handed(Facebook()).editor_url) == {"u": LINK}

    @each(*PLATFORMS)
    def test_every_value_is_percent_encoded(self, kind):
        address = handed(kind(OWN_EDITOR), replace(AN_ARTICLE, title=AWKWARD)).editor_url
        assert re.fullmatch(r"https://own\.example/new\?t=[\w.~%-]*&b=[\w.~%-]*&u=[\w.~%-]*", address, re.ASCII)

    def test_an_editor_of_ones_own_gets_title_text_and_link(self):
        given = handed(Medium(OWN_EDITOR), own("Read <em>this</em>.", title="Of trees\nand more"))
        assert query_of(given.editor_url) == {"t": "Of trees\nand more", "b": "Read this.", "u": LINK}

    def test_a_value_that_the_post_lacks_is_empty(self):
        given = handed(X(OWN_EDITOR), replace(AN_ARTICLE, canonical_url=None))
        assert query_of(given.editor_url) == {"t": "", "b": given.text, "u": ""}

    @each(*PLATFORMS)
    @pytest.mark.parametrize("title", ["On {link}", "On {text} and {title}", "%7Btext%7D", "{{link}}"])
    def test_a_placeholder_in_the_title_arrives_as_typed(self, kind, title):
        given = handed(kind(OWN_EDITOR), replace(AN_ARTICLE, title=title))
        sent = query_of(given.editor_url)
        assert (sent["t"], sent["b"], sent["u"]) == (given.title, given.text, LINK)
        assert title in (given.title, given.text.partition("\n")[0])

    def test_a_placeholder_in_the_text_or_the_link_arrives_as_typed(self):
        article = own("See {link} of {title}.", canonical_url="https://blog.example/{title}")
        sent = query_of(handed(Medium(OWN_EDITOR), article).editor_url)
        assert (sent["b"], sent["u"]) == ("See {link} of {title}.", "https://blog.example/{title}")

    def test_an_address_over_6000_characters_opens_the_editor_empty(self):
        facebook = Facebook({"editor": "https://own.example/?b={text}"})
        room = 6000 - len("https://own.example/?b=")
        fits, exceeds = (handed(facebook, own("x" * n, canonical_url=None)) for n in (room, room + 1))
        assert fits.editor_url == f"https://own.example/?b={'x' * room}"
        assert exceeds.editor_url == "https://own.example/?b="
        assert exceeds.text == "x" * (room + 1)  # to copy

    def test_the_address_is_measured_as_it_is_sent(self):
        """An emoji is twelve characters of an address."""
        given = handed(LinkedIn(), own("🌳" * 600))
        assert given.editor_url == "https://www.linkedin.com/feed/?shareActive=true&text="

    def test_an_empty_setting_means_the_editor_of_the_platform(self):
        assert handed(Medium({"editor": " "})).editor_url == Medium.editor

    @pytest.mark.parametrize(
        "editor",
        [
            "javascript:alert(1)",
            "javascript://own.example/%0aalert(1)",
            "data:text/html,{text}",
            "ftp://own.example/new",
            "own.example/new",
            "//own.example/new",
            "https://",
            "https://[own.example/new",
            "https://own.example/a new story",
            "{link}",
        ],
    )
    @each(Medium, X, HackerNews)
    def test_an_editor_that_is_no_web_page_is_refused(self, kind, editor):
        with pytest.raises(Disconnected, match="https://") as caught:
            kind({"editor": editor}).verify()
        assert caught.value.field == "editor"

    @pytest.mark.parametrize(
        "editor", [OWN_EDITOR["editor"], "http://localhost:8080/new?t={title}", " https://a.example "]
    )
    def test_an_editor_on_the_web_is_accepted(self, editor):
        assert Medium({"editor": editor}).verify().name


class TestArticles:
    """Platforms that take a title with the whole text."""

    @each(*ARTICLES)
    def test_the_images_are_in_the_text_with_their_alt_texts(self, kind):
        given = handed(kind())
        assert images_in(given.html) == [(AN_IMAGE, "A tree")]
        assert f"![A tree]({AN_IMAGE})" in given.markdown
        assert given.images == ((AN_IMAGE, "A tree"),)

    def test_the_images_are_listed_in_their_order_also_without_alt_text(self):
        images = (ArticleImage("https://blog.example/2.png"), ArticleImage("https://blog.example/1.png", "One"))
        given = handed(Medium(), replace(AN_ARTICLE, images=images))
        assert given.images == (("https://blog.example/2.png", ""), ("https://blog.example/1.png", "One"))

    @each(*ARTICLES)
    def test_the_plain_text_says_what_the_html_says(self, kind):
        given = handed(kind())
        assert given.text == f"A tree.\n\nFirst published at blog.example ({AN_ARTICLE.canonical_url})."

    @each(*ARTICLES)
    def test_the_plain_text_has_a_blank_line_between_paragraphs_and_marks_in_its_lists(self, kind):
        html = "<p>One.</p>\n<p>Two:</p>\n<ol>\n<li>a</li>\n<li>b</li>\n</ol>"
        given = handed(kind(), replace(AN_ARTICLE, html=html, own_text="As written"))
        assert given.text == "One.\n\nTwo:\n\n1. a\n2. b"

    def test_the_markdown_is_the_authors(self):
        text = "\n    code\n\nThen *text*.\n\n"
        given = handed(Medium(), with_own_text(AN_ARTICLE, text))
        assert given.markdown == "    code\n\nThen *text*."

    @each(*ARTICLES)
    def test_it_ends_with_the_address_where_it_was_first_published(self, kind):
        given = handed(kind())
        ends = ("https://blog.example/posts/of-trees", "First published at blog.example.")
        for html in (given.html, render(given.markdown)):
            assert (links(html)[-1], plain(html).splitlines()[-1]) == ends

    @pytest.mark.parametrize(
        "link",
        [
            "https://blog.example/?p=1&lang=de",
            "https://blog.example/tree_(plant)",
            "https://blog.example/a)b",
            "https://blog.example/*a*_b_",
            "https://blog.example:8443/a",
            "https://blog.example/of-trees.",
        ],
    )
    def test_the_link_to_the_original_stays_whole(self, link):
        given = handed(Medium(), replace(AN_ARTICLE, canonical_url=link))
        for html in (given.html, render(given.markdown)):
            assert links(html) == [link]
            assert plain(html).endswith(f"First published at {urlsplit(link).netloc}.")

    def test_a_quote_in_the_link_to_the_original_does_not_end_it(self):
        link = 'https://blog.example/?q="trees"'
        assert links(handed(Medium(), replace(AN_ARTICLE, canonical_url=link)).html) == [link]

    @each(*ARTICLES)
    @pytest.mark.parametrize(
        "article",
        [replace(AN_ARTICLE, canonical_url=None), with_own_text(AN_ARTICLE, AN_ARTICLE.markdown)],
        ids=["without a canonical URL", "written for this destination"],
    )
    def test_else_it_ends_as_the_author_wrote_it(self, kind, article):
        given = handed(kind(), article)
        assert given.html == AN_ARTICLE.html
        assert given.markdown == AN_ARTICLE.markdown.strip()

    @pytest.mark.parametrize(("kind", "most"), [(Medium, 5), (Hashnode, 5), (Tumblr, 30)])
    def test_tags_over_the_limit_are_left_out_with_a_warning(self, kind, most):
        tags = tuple(f"tag {n}" for n in range(most + 2))
        payload = kind().compose(replace(AN_ARTICLE, tags=tags), {})
        assert kind().hand_over(payload).tags == tags[:most]
        assert payload.warnings == (f"Tags left out because of the {kind.label} limit: 2.",)

    @each(Medium, Hashnode, Substack)
    def test_tags_within_the_limit_are_all_given(self, kind):
        payload = kind().compose(replace(AN_ARTICLE, tags=tuple("abcde")), {})
        assert (kind().hand_over(payload).tags, payload.warnings) == (tuple("abcde"), ())

    def test_medium_gives_the_page_that_imports_a_post(self):
        assert Medium.importer == "https://medium.com/p/import"


@each(*TEXTS)
def test_a_short_text_is_plain(kind):
    given = handed(kind())
    assert given.text.startswith(f"Of trees\n\nAbout trees.\n\n{LINK}\n\n#nature")
    assert (given.title, given.html, given.markdown, given.images, given.tags) == ("", "", "", (), ())


def test_threads_shows_one_hashtag():
    assert re.findall("#[a-z]+", handed(Threads()).text) == ["#nature"]


@pytest.mark.parametrize(("kind", "most"), [(X, 280), (Threads, 500), (LinkedIn, 3000), (Facebook, 63206)])
def test_an_own_text_over_the_limit_is_rejected(kind, most):
    fits = kind().compose(own("x" * most, canonical_url=None), {})
    assert (fits.length, fits.warnings) == (most, ())
    with pytest.raises(Rejected, match=f"is 1 over the limit of {most}, including the link. Shorten it"):
        kind().compose(own("x" * (most + 1), canonical_url=None), {})


class TestLengthOnX:
    """X weights characters, and counts each link 23."""

    @pytest.mark.parametrize("size", [10, 500])
    def test_a_link_counts_23_however_long_it_is(self, size):
        link = f"https://blog.example/{'a' * size}"
        room = 280 - 23 - len("\n\n")
        payload = X().compose(own("x" * room, canonical_url=link), {})
        assert payload.body["text"] == f"{'x' * room}\n\n{link}"
        assert payload.length == 280
        with pytest.raises(Rejected, match="1 over"):
            X().compose(own("x" * (room + 1), canonical_url=link), {})

    def test_each_link_in_the_text_counts_23(self):
        words = f"{LINK} and https://a.b/ and https://elsewhere.example/{'a' * 300}"
        payload = X().compose(own(words), {})
        assert payload.body["text"] == words
        assert payload.length == 3 * 23 + 2 * len(" and ")

    @pytest.mark.parametrize(("words", "weighs"), [("tree", 4), ("木", 2), (FAMILY, 2), ("é", 1), ("…", 2)], ids=str)
    def test_a_character_counts_its_weight(self, words, weighs):
        assert X().compose(own(words, canonical_url=None), {}).length == weighs

    @pytest.mark.parametrize("words", ["long ", "木", FAMILY, "https://a.b/ ", f"{LINK} ", "e\u0301 "], ids=str)
    def test_a_long_announcement_is_shortened_to_280(self, words):
        article = replace(AN_ARTICLE, title=words * 200, summary=words * 60, canonical_url=f"{LINK}/{'a' * 400}")
        payload = X().compose(article, {})
        assert weight(payload.body["text"]) == payload.length <= 280
        assert article.canonical_url in payload.body["text"]
        assert payload.warnings[-1] == "The text is shortened to the X limit of 280 characters."


@pytest.mark.parametrize(("kind", "most"), [(HackerNews, 80), (Medium, 100), (Reddit, 300)])
def test_a_too_long_title_is_a_warning(kind, most):
    """The person can shorten it in the editor, so the post needs no change."""
    fits, exceeds = (kind().compose(replace(AN_ARTICLE, title="x" * n), {}) for n in (most, most + 3))
    assert fits.warnings == ()
    assert exceeds.warnings == (f"The title is 3 over the {kind.label} limit of {most}. Shorten it when you post it.",)
    assert kind().hand_over(exceeds).title == "x" * (most + 3)


@each(*LINKS)
def test_a_post_without_a_link_is_rejected_with_what_to_do(kind):
    with pytest.raises(Rejected, match=f"{kind.label} needs a link. Publish the post on this blog"):
        kind().compose(replace(AN_ARTICLE, canonical_url=None), {})


@each(*LINKS)
def test_a_link_is_given_with_its_title_only(kind):
    given = handed(kind())
    assert (given.title, given.link) == ("Of trees", LINK)
    assert (given.text, given.html, given.markdown, given.images, given.tags) == ("", "", "", (), ())


class TestLinkHere:
    """Whether the link that a person enters is on the platform."""

    @pytest.mark.parametrize(
        ("kind", "url"),
        [
            (Medium, "https://medium.com/@ada/of-trees-1"),
            (Medium, "http://medium.com"),
            (Medium, "https://ada.medium.com/of-trees-1"),
            (Medium, "https://MEDIUM.com:443/@ada"),
            (Substack, "https://ada.substack.com/p/of-trees"),
            (Hashnode, "https://ada.hashnode.dev/of-trees"),
            (HackerNews, "https://news.ycombinator.com/item?id=1"),
            (Reddit, "https://old.reddit.com/r/trees/comments/1"),
            (Reddit, "https://redd.it/1"),
            (X, "https://twitter.com/ada/status/1"),
            (X, "https://mobile.x.com/ada/status/1"),
            (Threads, "https://www.threads.net/@ada/post/1"),
            (Facebook, "https://m.facebook.com/story.php?id=1"),
        ],
    )
    def test_a_link_to_the_platform_is_recognized(self, kind, url):
        assert kind().is_link_here(url)

    @pytest.mark.parametrize(
        ("kind", "url"),
        [
            (Medium, "https://notmedium.com/@ada"),
            (Medium, "https://medium.com.evil.example/@ada"),
            (Medium, "https://medium.com@evil.example/"),
            (Medium, "https://evil.example/medium.com"),
            (Medium, "https://evil.example/?https://medium.com/"),
            (Medium, "https://evil.example#@medium.com"),
            (Medium, "https://evil.example\\@medium.com/"),  # browsers open evil.example
            (Medium, "javascript://medium.com/%0aalert(1)"),
            (Medium, "ftp://medium.com/@ada"),
            (Medium, "medium.com/@ada"),
            (Medium, "https://[medium.com/"),
            (Medium, "https:///@ada"),
            (Medium, ""),
            (X, "https://netflix.com/"),
            (HackerNews, "https://www.ycombinator.com/"),
        ],
    )
    def test_any_other_link_is_not(self, kind, url):
        assert not kind().is_link_here(url)
        assert not kind(OWN_EDITOR).is_link_here(url)

    def test_a_link_to_the_host_of_the_persons_own_editor_is_recognized(self):
        substack = Substack({"editor": " https://letters.example/publish/post?t={title} "})
        assert substack.is_link_here("https://letters.example/p/of-trees")
        assert substack.is_link_here("https://www.letters.example/p/of-trees")
        assert substack.is_link_here("https://ada.substack.com/p/of-trees")
        assert not substack.is_link_here("https://letters.example.evil.example/p/of-trees")
        assert not Substack().is_link_here("https://letters.example/p/of-trees")

    @pytest.mark.parametrize("editor", ["", " ", "https://", "https://[", "new-story"])
    def test_a_setting_without_a_host_adds_none(self, editor):
        medium = Medium({"editor": editor})
        assert medium.is_link_here("https://medium.com/@ada")
        assert not medium.is_link_here("https://evil.example/")
