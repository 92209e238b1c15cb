"""Buttondown, with a fake that e-mails everyone by default, as the real one does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.base import (
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Duplicate,
    Figures,
    Gone,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.buttondown import MAX_PAGES_SEARCHED, Buttondown
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE, HTTPContract
from tests.connectors.fake_buttondown import API, KEY, PAGE, FakeButtondown

KEYS = {"article": AN_ARTICLE.id, "operation": "op-1"}
EVERYONE = {"send": "everyone"}
BUSHES = replace(AN_ARTICLE, title="Of bushes")


class TestContract(HTTPContract):
    too_long = replace(AN_ARTICLE, title="x" * 2001)

    def make(self, outside):
        self.fake = FakeButtondown(outside)
        return Buttondown({"key": KEY}, outside.http())

    def copies(self, outside):
        assert self.fake.mails == []
        return len(self.fake.emails)

    def finish_sending(self):
        for email in self.fake.emails.values():
            email["status"] = "sent"

    def edit_on_platform(self, outside):
        self.fake.only()["body"] = "Mine."

    def bury(self, outside):
        ours = self.fake.only()
        for n in range(PAGE * MAX_PAGES_SEARCHED):
            self.fake.emails[f"em_{n}"] = {**ours, "id": f"em_{n}", "metadata": {}}

    def add_readers(self, outside):
        self.fake.analytics = {"opens": 30, "clicks": 7}
        return Figures(views=30, clicks=7)


@pytest.fixture
def fake(outside):
    return FakeButtondown(outside)


@pytest.fixture
def buttondown(outside, fake):
    return Buttondown({"key": KEY}, outside.http())


def publish(buttondown, article=AN_ARTICLE, options=None):
    return buttondown.publish(buttondown.compose(article, options or {}), KEYS)


def update(buttondown, receipt, article=BUSHES, options=None):
    return buttondown.update(buttondown.compose(article, options or {}), {**KEYS, "operation": "op-2"}, receipt)


def is_creation(seen):
    return seen.method == "POST" and seen.url.endswith("/emails")


def is_sending(seen):
    return seen.method == "POST" and seen.url.endswith("/publish")


class TestNothingIsMailedByAccident:
    @pytest.mark.parametrize("options", [{}, {"send": ""}, {"send": "draft"}])
    def test_an_email_is_a_draft_unless_the_author_chose_everyone(self, buttondown, fake, options):
        publish(buttondown, options=options)
        assert fake.mails == []
        assert fake.only()["status"] == "draft"

    @pytest.mark.parametrize("options", [{}, EVERYONE])
    def test_every_email_is_created_as_a_draft(self, buttondown, fake, outside, options):
        publish(buttondown, options=options)
        (made,) = filter(is_creation, outside.requests)
        assert made.json()["status"] == "draft"

    def test_an_invalid_choice_sends_nothing(self, buttondown, outside):
        with pytest.raises(Rejected):
            publish(buttondown, options={"send": "yes"})
        assert outside.requests == []

    def test_an_update_never_sends_email(self, buttondown, fake, outside):
        receipt = update(buttondown, publish(buttondown), options=EVERYONE)
        update(buttondown, replace(receipt, version=None), AN_ARTICLE, EVERYONE)
        assert fake.mails == []
        assert not any(map(is_sending, outside.requests))
        assert not any("status" in seen.json() for seen in outside.requests if seen.method == "PATCH")


class TestMailing:
    def test_sending_to_everyone_sends_one_email(self, buttondown, fake):
        receipt = publish(buttondown, options=EVERYONE)
        assert fake.mails == [receipt.remote_id]

    def test_a_response_lost_after_sending_sends_no_second_email(self, buttondown, fake, outside):
        outside.lose_next(is_sending)
        with pytest.raises(Uncertain):
            publish(buttondown, options=EVERYONE)
        assert isinstance(buttondown.find(KEYS), CopyFound)
        publish(buttondown, options=EVERYONE)
        assert len(fake.mails) == len(fake.emails) == 1

    def test_a_web_page_instead_of_the_sending_is_no_success(self, buttondown, fake, outside):
        outside.always(is_sending, body=b"<!doctype html>", headers={"Content-Type": "text/html"})
        with pytest.raises(Uncertain):
            publish(buttondown, options=EVERYONE)
        assert isinstance(buttondown.find(KEYS), CopyNotFound)  # so that it is published again

    def test_a_response_lost_after_the_draft_is_resumed(self, buttondown, fake, outside):
        outside.lose_next(is_creation)
        with pytest.raises(Uncertain):
            publish(buttondown, options=EVERYONE)
        assert isinstance(buttondown.find(KEYS), CopyNotFound)  # so that it is published again
        publish(buttondown, BUSHES, EVERYONE)
        assert len(fake.mails) == len(fake.emails) == 1
        assert fake.only()["subject"] == "Of bushes"

    def test_a_draft_that_is_meant_to_stay_one_is_found(self, buttondown, fake, outside):
        outside.lose_next(is_creation)
        with pytest.raises(Uncertain):
            publish(buttondown)
        assert isinstance(buttondown.find(KEYS), CopyFound)

    def test_a_rejected_sending_leaves_a_draft_and_can_be_resumed(self, buttondown, fake, outside):
        outside.always(is_sending, status=400, json={"code": "email_invalid", "detail": "Confirm your address."})
        with pytest.raises(Rejected, match=r"Confirm your address\..*saved as a draft"):
            publish(buttondown, options=EVERYONE)
        outside.always()
        publish(buttondown, options=EVERYONE)
        assert len(fake.mails) == len(fake.emails) == 1

    def test_after_a_failed_sending_the_author_can_choose_a_draft(self, buttondown, fake, outside):
        outside.always(is_sending, status=429)
        with pytest.raises(Unavailable):
            publish(buttondown, options=EVERYONE)
        outside.always()
        publish(buttondown)
        assert fake.mails == []
        assert isinstance(buttondown.find(KEYS), CopyFound)

    def test_an_email_sent_on_the_platform_is_not_sent_again(self, buttondown, fake, outside):
        outside.always(is_sending, status=429)
        with pytest.raises(Unavailable):
            publish(buttondown, options=EVERYONE)
        outside.always()
        fake.only()["status"] = "sent"
        publish(buttondown, options=EVERYONE)
        assert fake.mails == []


class TestOnceItIsSent:
    @pytest.fixture
    def receipt(self, buttondown, fake):
        receipt = publish(buttondown, options=EVERYONE)
        fake.only()["status"] = "sent"
        return receipt

    def test_a_change_after_sending_updates_only_the_archive(self, buttondown, fake, outside, receipt):
        receipt = update(buttondown, receipt, replace(BUSHES, markdown="A bush."), EVERYONE)
        assert fake.only()["subject"] == "Of trees"
        assert fake.only()["body"].endswith("A bush.")
        assert buttondown.fetch_version(KEYS, receipt).version == receipt.version
        assert len(fake.mails) == 1

    def test_a_change_waits_while_the_email_is_being_sent(self, buttondown, fake, receipt):
        fake.only()["status"] = "in_flight"
        with pytest.raises(Unavailable, match="is sending"):
            update(buttondown, receipt, replace(BUSHES, markdown="A bush."))

    def test_a_sent_email_cannot_be_recalled(self, buttondown, fake, receipt):
        with pytest.raises(Unsupported, match="recalled"):
            buttondown.delete(KEYS, receipt)
        assert len(fake.emails) == 1


def test_every_field_of_an_article_is_sent(buttondown, fake):
    receipt = publish(buttondown, replace(AN_ARTICLE, cover_url=AN_IMAGE))
    assert fake.only() == {
        "id": receipt.remote_id,
        "status": "draft",
        "subject": "Of trees",
        "body": f"<!-- buttondown-editor-mode: plaintext -->\n\nA *tree*.\n\n![A tree]({AN_IMAGE})\n",
        "slug": "of-trees",
        "canonical_url": AN_ARTICLE.canonical_url,
        "description": "About trees.",
        "image": AN_IMAGE,
        "metadata": {"blogsvc": AN_ARTICLE.id, "blogsvc_send": "draft"},
        "absolute_url": "https://buttondown.com/trees/archive/of-trees/",
    }
    assert receipt.url == "https://buttondown.com/trees/archive/of-trees/"


def test_text_that_begins_with_a_rule_is_not_read_as_front_matter(buttondown, fake):
    publish(buttondown, replace(AN_ARTICLE, markdown="---\n\nA tree.\n"))
    assert fake.only()["body"].startswith("<!-- buttondown")


def test_warnings_cover_sending_and_template_syntax(buttondown):
    assert buttondown.compose(AN_ARTICLE, {}).warnings == ()
    (mailed,) = buttondown.compose(AN_ARTICLE, EVERYONE).warnings
    assert "can't be undone" in mailed
    (template,) = buttondown.compose(replace(AN_ARTICLE, markdown="Use {{ name }}."), {}).warnings
    assert "{{ }}" in template


def test_a_slug_that_buttondown_does_not_accept_is_left_out(buttondown):
    assert "slug" not in buttondown.compose(replace(AN_ARTICLE, slug="bäume"), {}).body["email"]


def test_the_warning_says_how_many_subscribers_get_the_email(buttondown):
    buttondown.facts = buttondown.verify().facts
    assert "to 1,234 subscribers" in buttondown.compose(AN_ARTICLE, EVERYONE).warnings[0]
    assert buttondown.compose(AN_ARTICLE, {}).warnings == ()


def test_a_key_that_may_not_read_subscribers_can_be_connected(buttondown, outside):
    outside.always(lambda seen: "/subscribers" in seen.url, status=403, json={"detail": "No."})
    assert buttondown.verify().facts == {}


@pytest.mark.parametrize(
    ("status", "shown"), [("in_flight", "sending"), ("throttled", "sending"), ("sent", "sent"), ("errored", "failed")]
)
def test_a_sent_email_reports_how_it_is_doing(buttondown, fake, status, shown):
    receipt = publish(buttondown, options=EVERYONE)
    fake.only()["status"] = status
    fake.analytics = {"recipients": 312, "deliveries": 310, "opens": 120}
    mailing = buttondown.mailing(receipt.remote_id)
    assert (mailing.status, mailing.recipients, mailing.delivered, mailing.opened) == (shown, 312, 310, 120)
    assert bool(mailing.error) == (shown == "failed")


def test_a_draft_is_no_email(buttondown):
    assert buttondown.mailing(publish(buttondown).remote_id) is None


class TestSearching:
    def test_an_email_is_found_behind_newer_ones(self, buttondown, fake):
        receipt = publish(buttondown)
        for n in range(5):
            fake.emails[f"em_{n}"] = {
                **fake.emails[receipt.remote_id],
                "id": f"em_{n}",
                "metadata": {"blogsvc": f"{n}"},
            }
        assert buttondown.find(KEYS).receipt.remote_id == receipt.remote_id

    def test_a_sent_email_is_preferred_over_a_draft_copied_from_it(self, buttondown, fake):
        receipt = publish(buttondown, options=EVERYONE)
        fake.emails["em_copy"] = {**fake.only(), "id": "em_copy", "status": "draft"}
        assert buttondown.find(KEYS).receipt.remote_id == receipt.remote_id

    def test_too_many_emails_to_search_give_an_unknown_result(self, buttondown, outside):
        outside.always(json={"results": [], "next": f"{API}/emails?page=2"})
        assert isinstance(buttondown.find(KEYS), CopyUnknown)


class TestErrors:
    def refused(self, buttondown, outside, status, body):
        outside.always(is_creation, status=status, json=body)
        publish(buttondown)

    def test_an_existing_email_is_a_duplicate(self, buttondown, outside):
        with pytest.raises(Duplicate):
            self.refused(buttondown, outside, 400, {"code": "email_duplicate", "detail": "Exists."})

    def test_the_error_for_front_matter_says_what_to_do(self, buttondown, outside):
        with pytest.raises(Rejected, match="line of ---"):
            self.refused(buttondown, outside, 400, {"code": "body_contains_frontmatter", "detail": "No."})

    def test_validation_messages_are_passed_on(self, buttondown, outside):
        body = {"detail": [{"loc": ["body", "subject"], "msg": "field required", "type": "missing"}]}
        with pytest.raises(Rejected, match="field required"):
            self.refused(buttondown, outside, 422, body)

    def test_a_wrong_key_raises_disconnected(self, outside, fake):
        with pytest.raises(Disconnected):
            Buttondown({"key": "wrong"}, outside.http()).verify()

    @pytest.mark.parametrize("body", [[], 7, {"id": 7}, {"id": "em_1"}, {"id": "em_1", "status": 7}])
    def test_an_unexpected_response_is_no_success(self, buttondown, outside, body):
        with pytest.raises(Uncertain):
            self.refused(buttondown, outside, 201, body)

    def test_an_account_without_a_name_can_be_connected(self, buttondown, outside):
        outside.always(lambda seen: seen.url.endswith("/newsletters"), status=403, json={"detail": "No."})
        assert buttondown.verify().name == "Buttondown"

    def test_a_busy_platform_leaves_the_outcome_uncertain(self, buttondown, fake, outside):
        outside.always(is_sending, status=409, json={"detail": "Busy."})
        with pytest.raises(Uncertain):
            publish(buttondown, options=EVERYONE)

    def test_an_edit_on_the_platform_is_a_conflict(self, buttondown, fake):
        receipt = publish(buttondown)
        fake.only()["description"] = "Mine."
        with pytest.raises(Conflict, match="retry"):
            update(buttondown, receipt)

    def test_our_own_update_whose_response_was_lost_is_no_conflict(self, buttondown, fake, outside):
        receipt = publish(buttondown)
        outside.lose_next(lambda seen: seen.method == "PATCH")
        with pytest.raises(Unavailable):
            update(buttondown, receipt)
        assert update(buttondown, receipt).version != receipt.version
        assert fake.only()["subject"] == "Of bushes"

    def test_an_id_cannot_escape_its_path(self, buttondown, outside):
        outside.teach("GET", f"{API}/emails/a%2Fsubscribers", status=404)
        with pytest.raises(Gone):
            buttondown.fetch_version(KEYS, Receipt("a/subscribers"))
