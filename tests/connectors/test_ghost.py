"""Ghost, with a fake that sends a newsletter once per post, and only if the publish request asks for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.base import (
    ArticleImage,
    Conflict,
    CopyFound,
    CopyNotFound,
    Disconnected,
    Figures,
    Gone,
    Mailing,
    Misconfigured,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
)
from blogsvc.connectors.ghost.connector import Ghost
from blogsvc.lib.markdown.render import render
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE, FAMILY, HTTPContract
from tests.connectors.fake_ghost import API, KEY_ID, SECRET, SITE, FakeGhost, sent_html
from tests.images import png

SETTINGS = {"url": SITE, "key": f"{KEY_ID}:{SECRET}"}
KEYS = {"article": AN_ARTICLE.id, "operation": "op-1"}
MAILED = {"newsletter": "weekly"}


class TestContract(HTTPContract):
    finds_by_key = True
    too_long = replace(AN_ARTICLE, title="x" * 256)

    def is_creation(self, seen):
        return seen.method == "POST" and "/posts/" in seen.url

    def make(self, outside):
        self.fake = FakeGhost(outside)
        return Ghost(SETTINGS, outside.http())

    def copies(self, outside):
        assert self.fake.mails == []
        return len(self.fake.posts)

    def readable(self, outside):
        return sum(post["status"] != "draft" for post in self.fake.posts.values())

    def edit_on_platform(self, outside):
        self.fake.edit()

    def add_readers(self, outside):
        self.fake.only().update(count={"clicks": 7, "positive_feedback": 2}, email={"opened_count": 30})
        return Figures(views=30, likes=2, clicks=7)


@pytest.fixture
def fake(outside):
    return FakeGhost(outside)


@pytest.fixture
def ghost(outside, fake):
    return Ghost(SETTINGS, outside.http())


def publish(ghost, article=AN_ARTICLE, options=None):
    return ghost.publish(ghost.compose(article, options or {}), KEYS)


def update(ghost, receipt, article=AN_ARTICLE, options=None):
    return ghost.update(ghost.compose(article, options or {}), {**KEYS, "operation": "op-2"}, receipt)


def is_newsletter_request(seen):
    """Return True for the request that sends the newsletter."""
    return seen.method == "PUT" and "newsletter=" in seen.url


class TestNewsletter:
    def test_a_warning_is_shown_before_an_email_is_sent(self, ghost):
        assert ghost.compose(AN_ARTICLE, {}).warnings == ()
        (warning,) = ghost.compose(AN_ARTICLE, MAILED).warnings
        assert "can't be undone" in warning

    def test_newsletters_are_choices_of_the_account(self, ghost):
        newsletter = Ghost.options_for(ghost.verify().facts)[0]
        assert newsletter.choices == ("", "weekly")
        assert Ghost.options_for({}) == Ghost.options

    def test_the_warning_says_how_many_members_get_the_email(self, ghost):
        ghost.facts = ghost.verify().facts
        assert "1,234 members" in ghost.compose(AN_ARTICLE, MAILED).warnings[0]

    def test_no_email_is_sent_unless_the_author_selects_a_newsletter(self, ghost, fake):
        publish(ghost)
        assert fake.mails == []
        assert fake.only()["status"] == "published"

    def test_a_selected_newsletter_is_sent_once(self, ghost, fake):
        receipt = publish(ghost, options=MAILED)
        assert fake.mails == [receipt.remote_id]
        assert receipt.url == f"{SITE}/of-trees/"

    def test_the_email_reports_how_it_is_doing(self, ghost, fake):
        receipt = publish(ghost, options=MAILED)
        fake.only()["email"].update(delivered_count=4, opened_count=2)
        assert ghost.mailing(receipt.remote_id) == Mailing("sent", 5, 4, 2)
        fake.only()["email"].update(status="submitting")
        assert ghost.mailing(receipt.remote_id).status == "sending"
        fake.only()["email"].update(status="failed", error="Mailgun says no")
        assert ghost.mailing(receipt.remote_id) == Mailing("failed", 5, 4, 2, "Mailgun says no")

    def test_a_post_without_an_email_reports_none(self, ghost):
        assert ghost.mailing(publish(ghost).remote_id) is None

    def test_an_update_never_sends_email(self, ghost, fake, outside):
        receipt = publish(ghost)
        receipt = update(ghost, receipt, replace(AN_ARTICLE, title="Of bushes"), MAILED)
        update(ghost, replace(receipt, version=None), options=MAILED)
        assert fake.mails == []
        assert not any(map(is_newsletter_request, outside.requests))

    def test_an_update_of_an_emailed_post_sends_nothing(self, ghost, fake):
        receipt = publish(ghost, options=MAILED)
        update(ghost, receipt, replace(AN_ARTICLE, title="Of bushes"), MAILED)
        assert len(fake.mails) == 1

    def test_a_response_lost_after_sending_sends_no_second_email(self, ghost, fake, outside):
        outside.lose_next(is_newsletter_request)
        with pytest.raises(Uncertain):
            publish(ghost, options=MAILED)
        assert isinstance(ghost.find(KEYS), CopyFound)
        publish(ghost, options=MAILED)
        assert len(fake.mails) == 1
        assert len(fake.posts) == 1

    def test_a_response_lost_after_the_draft_is_resumed(self, ghost, fake, outside):
        outside.lose_next(lambda seen: seen.method == "POST" and "/posts/" in seen.url)
        with pytest.raises(Uncertain):
            publish(ghost, options=MAILED)
        assert isinstance(ghost.find(KEYS), CopyNotFound)  # so that it is published again
        publish(ghost, replace(AN_ARTICLE, title="Of bushes"), MAILED)
        assert len(fake.mails) == 1
        assert fake.only()["title"] == "Of bushes"

    def test_a_rejected_newsletter_leaves_a_draft_and_can_be_resumed(self, ghost, fake):
        with pytest.raises(Rejected, match=r"any active newsletter.*saved as a draft"):
            publish(ghost, options={"newsletter": "daily"})
        assert fake.only()["status"] == "draft"
        publish(ghost, options=MAILED)
        assert len(fake.mails) == len(fake.posts) == 1

    def test_a_draft_of_a_rejected_newsletter_can_be_published_without_email(self, ghost, fake):
        with pytest.raises(Rejected):
            publish(ghost, options={"newsletter": "daily"})
        publish(ghost)
        assert fake.only()["status"] == "published"
        assert fake.mails == []

    def test_an_emailed_post_unpublished_in_ghost_is_published_again_without_email(self, ghost, fake):
        publish(ghost, options=MAILED)
        fake.unpublish()
        publish(ghost, options=MAILED)
        assert len(fake.mails) == len(fake.posts) == 1

    def test_a_collision_while_publishing_is_retried(self, ghost, fake, outside):
        outside.always(is_newsletter_request, status=409, json={"errors": [{"code": "UPDATE_COLLISION"}]})
        with pytest.raises(Unavailable):
            publish(ghost, options=MAILED)
        outside.always()
        publish(ghost, options=MAILED)
        assert len(fake.mails) == len(fake.posts) == 1


def test_every_field_of_an_article_is_sent(ghost, fake):
    article = replace(AN_ARTICLE, tags=("#nature", "trees, big"), cover_url=AN_IMAGE, cover_alt="A tree")
    receipt = publish(ghost, article)
    post, there = fake.only(), f"{SITE}/content/images/2026/11/{fake.uploads[0]}"
    assert post["title"] == "Of trees"
    assert post["slug"] == "of-trees"
    assert post["html"] == f'<p>A <em>tree</em>.</p>\n<figure><img src="{there}" alt="A tree"></figure>'
    assert post["custom_excerpt"] == post["meta_description"] == "About trees."
    assert post["canonical_url"] == AN_ARTICLE.canonical_url
    assert post["tags"] == ["#nature", "trees big"]
    assert post["codeinjection_foot"] == f"<!-- blogsvc-{AN_ARTICLE.id.lower()} -->"
    assert (post["feature_image"], post["feature_image_alt"]) == (there, "A tree")
    assert receipt == Receipt(post["id"], f"{SITE}/of-trees/", post["updated_at"], {AN_IMAGE: there})


def test_the_author_and_featured_are_options(ghost, fake):
    author = Ghost.options_for(ghost.verify().facts)[1]
    assert author.choices == ("", "ada", "grace")
    receipt = publish(ghost, options={"author": "grace", "featured": "yes"})
    assert (fake.only()["authors"], fake.only()["featured"]) == ([{"slug": "grace"}], True)
    update(ghost, receipt, replace(AN_ARTICLE, title="Of bushes"))
    assert (fake.only()["authors"], fake.only()["featured"]) == ([{"slug": "grace"}], False)


def test_an_update_keeps_the_url_of_the_copy(ghost, fake):
    fake.create({"title": "Another", "slug": "of-trees", "status": "published"})
    receipt = publish(ghost)
    assert receipt.url == f"{SITE}/of-trees-2/"
    assert update(ghost, receipt, replace(AN_ARTICLE, slug="of-bushes")).url == receipt.url


def test_changes_made_by_ghost_are_warned_about(ghost):
    article = replace(AN_ARTICLE, tags=("a,b",), summary="word " * 100)
    payload = ghost.compose(article, {})
    assert len(payload.warnings) == 2
    assert len(payload.body["post"]["custom_excerpt"]) <= 300


def test_a_title_is_counted_in_code_points(ghost, fake):
    publish(ghost, replace(AN_ARTICLE, title=FAMILY * 36 + "abc"))
    with pytest.raises(Rejected):
        ghost.compose(replace(AN_ARTICLE, title=FAMILY * 36 + "abcd"), {})


@pytest.mark.parametrize(
    "lost",
    [
        "<table><thead><tr><th>a</th></tr></thead></table>",
        '<section><ol><li id="in-fn1"><p>A note.</p></li></ol></section>',
        "<ul><li><p>One</p><table><tbody><tr><td>1</td></tr></tbody></table></li></ul>",
        "<details><summary>More</summary><table></table></details>",
        "<ol><li><p>One</p><pre><code>x</code></pre></li></ol>",
        "<ul><li><p>One</p><p>Two</p></li></ul>",
        '<ul><li>One <img src="https://other.example/a.png" alt="A"></li></ul>',
        "<blockquote><pre><code>x</code></pre></blockquote>",
        "<blockquote><blockquote><p>One</p></blockquote></blockquote>",
        "<p>A <mark>marked</mark> word and <kbd>Ctrl</kbd></p>",
        '<p dir="rtl">One</p>',
        '<p>A claim<sup><a href="#in-fn1" id="in-fnref1">[1]</a></sup></p>',
        '<h2 id="in-steps">Steps</h2>\n<p>See <a href="#in-steps" id="in-back">the steps</a></p>',
    ],
)
def test_html_that_the_editor_would_lose_is_sent_as_a_card(ghost, outside, lost):
    publish(ghost, replace(AN_ARTICLE, html=f"<p>A > b</p>{lost}<p>After<br>it.</p>"))
    card = f"<!--kg-card-begin: html-->\n{lost}\n<!--kg-card-end: html-->"
    assert sent_html(outside) == f"<p>A &gt; b</p>\n{card}\n<p>After<br>it.</p>"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("<p><del>One</del> and <ins>two</ins></p>", "<p><s>One</s> and <u>two</u></p>"),
        (
            '<p><a href="https://other.example"><img src="https://other.example/a.png" alt="A"></a></p>',
            '<figure><a href="https://other.example"><img src="https://other.example/a.png" alt="A"></a></figure>',
        ),
        ('<ol start="3"><li>One<ul><li><p>Two</p></li></ul></li></ol>',) * 2,
        ("<blockquote><p>One</p><p>Two</p></blockquote>",) * 2,
        ('<pre><code class="language-sh">make &lt;one&gt;\n</code></pre>',) * 2,
    ],
)
def test_simple_html_can_be_edited_in_ghost(ghost, outside, written, sent):
    publish(ghost, replace(AN_ARTICLE, html=written))
    assert sent_html(outside) == sent


CALLOUT = (
    '<div class="kg-card kg-callout-card kg-callout-card-{} markdown-alert markdown-alert-{}">'
    '<div class="kg-callout-emoji">{}</div><div class="kg-callout-text">{}</div></div>'
)
TOGGLE = (
    '<div class="kg-card kg-toggle-card" data-kg-toggle-state="close"><div class="kg-toggle-heading">'
    '<h4 class="kg-toggle-heading-text">{}</h4></div><div class="kg-toggle-content">{}</div></div>'
)
QUOTATION = "<blockquote>\n<p><strong>Note</strong></p>\n{}\n</blockquote>"


@pytest.mark.parametrize(
    ("kind", "color", "emoji"),
    [
        ("Note", "blue", "ℹ️"),
        ("Tip", "green", "💡"),
        ("Important", "purple", "❗"),
        ("Warning", "yellow", "⚠️"),
        ("Caution", "red", "🛑"),
    ],
)
def test_an_alert_is_sent_as_a_callout(ghost, outside, kind, color, emoji):
    alert = f"> [!{kind.upper()}]\n> Mind the *gap*\n> ~~now~~.\n>\n> And `a < b`.\n"
    publish(ghost, replace(AN_ARTICLE, html=render(alert)))
    text = f"<strong>{kind}</strong><br>Mind the <em>gap</em>\n<s>now</s>.<br><br>And <code>a &lt; b</code>."
    assert sent_html(outside) == CALLOUT.format(color, kind.lower(), emoji, text)


def test_two_alerts_are_two_callouts(ghost, outside):
    publish(ghost, replace(AN_ARTICLE, html=render("> [!NOTE]\n> One\n\n> [!TIP]\n> Two\n")))
    first = CALLOUT.format("blue", "note", "ℹ️", "<strong>Note</strong><br>One")
    assert sent_html(outside) == first + "\n" + CALLOUT.format("green", "tip", "💡", "<strong>Tip</strong><br>Two")


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("- One\n- Two", "<ul>\n<li>One</li>\n<li>Two</li>\n</ul>"),
        ("    make", "<pre><code>make\n</code></pre>"),
        ("> One", "<blockquote>\n<p>One</p>\n</blockquote>"),
        ("![A](https://other.example/a.png)", '<p><img src="https://other.example/a.png" alt="A"></p>'),
        ("One <mark>two</mark>", "<p>One <mark>two</mark></p>"),
    ],
)
def test_an_alert_with_more_than_text_stays_a_quotation(ghost, outside, written, sent):
    alert = "".join(f"> {line}\n" for line in ("[!NOTE]", *written.splitlines()))
    publish(ghost, replace(AN_ARTICLE, html=render(alert), images=()))
    assert sent_html(outside) == f"<!--kg-card-begin: html-->\n{QUOTATION.format(sent)}\n<!--kg-card-end: html-->"


def test_an_alert_within_something_else_stays_a_quotation(ghost, outside):
    publish(ghost, replace(AN_ARTICLE, html=render("- > [!NOTE]\n  > One\n")))
    assert QUOTATION.format("<p>One</p>") in sent_html(outside)
    assert "callout" not in sent_html(outside)


@pytest.mark.parametrize("text", ["One > two", "<p>One &gt; two</p>"])
def test_a_collapsible_section_is_sent_as_a_toggle(ghost, outside, text):
    publish(ghost, replace(AN_ARTICLE, html=f"<details>\n<summary>More</summary>\n{text}\n</details>"))
    assert sent_html(outside) == TOGGLE.format("More", "One &gt; two")


@pytest.mark.parametrize(
    "section",
    [
        "<summary>More</summary>",
        "<p>One</p>",
        "<summary><b>More</b></summary><p>One</p>",
        "<summary>More</summary><p>One</p><p>Two</p>",
        "<summary>More</summary><p>One <em>two</em></p>",
        "<summary>More</summary><p>One<br>two</p>",
        "<summary>More</summary><p>&lt;b&gt; and &amp;amp;</p>",
        '<summary>More</summary><p dir="rtl">One</p>',
        "<summary>More</summary><ul><li>One</li></ul>",
        "<summary>More</summary><pre><code>make\n</code></pre>",
        '<summary>More</summary><p><img src="https://other.example/a.png" alt="A"></p>',
    ],
)
def test_a_collapsible_section_that_a_toggle_would_lose_is_sent_as_html(ghost, outside, section):
    publish(ghost, replace(AN_ARTICLE, html=f"<details>{section}</details>", images=()))
    card = f"<!--kg-card-begin: html-->\n<details>{section}</details>\n<!--kg-card-end: html-->"
    assert sent_html(outside) == card


def test_an_open_section_is_sent_as_html(ghost, outside):
    publish(ghost, replace(AN_ARTICLE, html="<details open><summary>More</summary><p>One</p></details>"))
    assert "kg-toggle-card" not in sent_html(outside)


def test_two_lists_stay_two(ghost, outside):
    publish(ghost, replace(AN_ARTICLE, html="<ul><li>One</li></ul><ul><li>Two</li></ul>"))
    second = "<!--kg-card-begin: html-->\n<ul><li>Two</li></ul>\n<!--kg-card-end: html-->"
    assert sent_html(outside) == f"<ul><li>One</li></ul>\n{second}"


def test_a_loss_is_announced(ghost):
    html = '<p><a href="https://other.example" title="T">A</a></p>'
    (warning,) = ghost.compose(replace(AN_ARTICLE, html=html), {}).warnings
    assert "titles of links" in warning


def test_text_cannot_close_a_card(ghost, outside):
    text = "<table><tbody><tr><td>&lt;!--kg-card-end: html--&gt;<!--kg-card-end: html--></td></tr></tbody></table>"
    publish(ghost, replace(AN_ARTICLE, html=text))
    assert sent_html(outside).count("<!--kg-card-end: html-->") == 1


class TestImages:
    def test_an_uploaded_image_is_not_uploaded_again(self, ghost, fake):
        receipt = publish(ghost)
        again = update(ghost, receipt, replace(AN_ARTICLE, title="Of bushes"))
        assert len(fake.uploads) == 1
        assert again.extra == receipt.extra
        assert receipt.extra[AN_IMAGE] in fake.only()["html"]

    def test_an_image_removed_from_the_text_is_forgotten(self, ghost, fake):
        receipt = update(ghost, publish(ghost), replace(AN_ARTICLE, html="<p>None.</p>", images=()))
        assert receipt.extra == {}

    def test_an_image_that_ghost_rejects_keeps_its_url(self, ghost, fake, outside):
        outside.always(lambda seen: "/images/" in seen.url, status=413, json={"errors": [{"message": "Too large"}]})
        assert publish(ghost).extra == {}
        assert AN_IMAGE in fake.only()["html"]

    def test_an_image_url_with_an_ampersand_is_replaced(self, ghost, fake, outside):
        url = "https://blog.example/media?a=1&b=2"
        outside.teach("GET", url, body=png(), headers={"Content-Type": "image/png"})
        html = '<p><img src="https://blog.example/media?a=1&amp;b=2" alt=""></p>'
        publish(ghost, replace(AN_ARTICLE, html=html, images=(ArticleImage(url),)))
        assert f'src="{SITE}/content/images/' in fake.only()["html"]


class TestWhatOthersDoThere:
    def test_a_conflict_says_when_the_copy_was_edited(self, ghost, fake):
        receipt = publish(ghost)
        fake.edit()
        with pytest.raises(Conflict, match=r"2026-11-20 at 10:00 UTC.*retry"):
            update(ghost, receipt)

    def test_an_edit_between_reading_and_writing_is_a_conflict(self, ghost, fake, outside):
        receipt = publish(ghost)
        details = {"serverUpdatedAt": "2026-11-20T10:07:00.000Z"}
        collision = {"errors": [{"code": "UPDATE_COLLISION", "details": details}]}
        outside.always(lambda seen: seen.method == "PUT", status=409, json=collision)
        with pytest.raises(Conflict, match="2026-11-20 at 10:07 UTC"):
            update(ghost, receipt)

    def test_our_own_update_whose_response_was_lost_is_no_conflict(self, ghost, fake, outside):
        receipt = publish(ghost)
        outside.lose_next(lambda seen: seen.method == "PUT")
        bushes = replace(AN_ARTICLE, title="Of bushes")
        with pytest.raises(Unavailable):
            update(ghost, receipt, bushes)
        assert update(ghost, receipt, bushes) == replace(receipt, version=fake.only()["updated_at"])
        fake.edit()
        with pytest.raises(Conflict):  # a later edit on the platform is not overwritten
            update(ghost, receipt, bushes)

    def test_an_update_leaves_no_trace_in_the_text(self, ghost, fake):
        update(ghost, publish(ghost), replace(AN_ARTICLE, html="<p>One</p>"))
        assert fake.only()["html"] == "<p>One</p>"

    def test_a_copy_unpublished_in_ghost_is_gone_and_can_be_published_again(self, ghost, fake):
        receipt = publish(ghost)
        fake.unpublish()
        with pytest.raises(Gone):
            ghost.fetch_version(KEYS, receipt)
        with pytest.raises(Gone):
            update(ghost, receipt)
        assert publish(ghost).remote_id == receipt.remote_id
        assert fake.only()["status"] == "published"

    def test_a_duplicate_made_in_ghost_is_not_mistaken_for_ours(self, ghost, fake):
        receipt = publish(ghost)
        copy = {**fake.only(), "id": "f" * 24, "slug": "of-trees-copy", "status": "draft"}
        fake.posts = {copy["id"]: copy, **fake.posts}
        assert ghost.find(KEYS).receipt.remote_id == receipt.remote_id


class TestErrors:
    def test_the_error_contains_the_reason(self, ghost, outside):
        words = {"message": "Validation error, cannot save post.", "context": "Title cannot be dull."}
        outside.always(lambda seen: seen.method == "POST", status=422, json={"errors": [words]})
        with pytest.raises(Rejected, match=r"Title cannot be dull\."):
            publish(ghost)

    @pytest.mark.parametrize("key", ["", "abc", f"{KEY_ID}:{SECRET[:-1]}", SECRET, f"{KEY_ID}{SECRET}"])
    def test_a_key_of_another_kind_is_rejected_before_sending(self, outside, fake, key):
        with pytest.raises(Misconfigured, match="Admin API key") as caught:
            Ghost({"url": SITE, "key": key}, outside.http()).verify()
        assert caught.value.field == "key"
        assert outside.requests == []

    @pytest.mark.parametrize("key", [f"{'0' * 24}:{SECRET}", f"{KEY_ID}:{'ab' * 32}"])
    def test_a_wrong_key_raises_disconnected(self, outside, fake, key):
        with pytest.raises(Disconnected):
            Ghost({"url": SITE, "key": key}, outside.http()).verify()

    def test_each_request_has_a_fresh_token(self, outside):
        now = [1_000_000_000.0]
        FakeGhost(outside, clock=lambda: now[0])
        ghost = Ghost(SETTINGS, outside.http(), clock=lambda: now[0])
        ghost.verify()
        now[0] += 3600
        assert ghost.verify().name == "Trees & more"
        assert outside.requests[0].headers["accept-version"] == "v5.0"

    def test_a_rejected_old_token_raises_disconnected(self, outside):
        FakeGhost(outside, clock=lambda: 1_000_000_400.0)
        with pytest.raises(Disconnected, match="maxAge"):
            Ghost(SETTINGS, outside.http(), clock=lambda: 1_000_000_000.0).verify()

    def test_a_missing_permission_points_to_a_custom_integration(self, ghost):
        with pytest.raises(Misconfigured, match="custom integration"):
            ghost.call("GET", "links/")

    def test_an_address_without_ghost_is_reported(self, ghost, outside):
        outside.always(status=404, json={"error": "no"})
        with pytest.raises(Misconfigured, match="No Ghost site found") as caught:
            ghost.verify()
        assert caught.value.field == "url"

    @pytest.mark.parametrize("body", [[], {"posts": 7}, {"posts": [7]}, {"posts": [{"id": 7}]}, {"posts": [{}]}])
    def test_an_unexpected_response_is_no_success(self, ghost, outside, body):
        outside.always(lambda seen: seen.method == "POST" and "/posts/" in seen.url, status=201, json=body)
        with pytest.raises(Uncertain):
            publish(ghost)
        outside.always(lambda seen: seen.method == "GET", json=body)
        with pytest.raises(Unavailable):
            ghost.fetch_version(KEYS, Receipt("1"))


def test_an_empty_response_is_no_success(ghost, outside):
    outside.always(status=204)
    with pytest.raises(Unavailable):
        ghost.fetch_version(KEYS, Receipt("1"))


@pytest.mark.parametrize("url", [f"{SITE}/", f"{SITE}/ghost", f"{SITE}/ghost/#/settings", f"{SITE}/ghost/api/admin/"])
def test_the_url_may_be_that_of_the_editor(url):
    assert Ghost({**SETTINGS, "url": url}).base_url() == API


def test_a_site_in_a_subdirectory_keeps_its_path():
    assert Ghost({**SETTINGS, "url": f"{SITE}/ghostly/"}).base_url() == f"{SITE}/ghostly/ghost/api/admin"
