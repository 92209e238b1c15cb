"""Buttondown, an e-mail newsletter service: https://docs.buttondown.com/api-introduction."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal
from urllib.parse import urlencode

from blogsvc.connectors._kit import portable
from blogsvc.connectors._kit.paths import path_to
from blogsvc.connectors._kit.responses import require_no_page
from blogsvc.connectors._kit.untrusted_json import count, data, first, objects, part, text
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Conflict,
    Connector,
    ConnectorError,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Duplicate,
    Field,
    Figures,
    HttpResponse,
    Keys,
    Limit,
    Mailing,
    Option,
    Payload,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
    Unsupported,
    dumps,
)

API_VERSION = "2026-04-01"  # overrides the version in the newsletter's settings
SUBJECT_MOST = 2000
EMAIL_SLUG = re.compile(r"[A-Za-z0-9_-]{1,100}")
MARKDOWN = "<!-- buttondown-editor-mode: plaintext -->\n"  # the first line of a body in Markdown
CONFIRMED = {"X-Buttondown-Live-Dangerously": "true"}  # required when an API key sends for the first time
ON_THE_WAY = frozenset({"about_to_send", "in_flight"})
MAIL_STATES: Mapping[str, Literal["sent", "failed"]] = {
    **dict.fromkeys(("sent", "imported", "resending"), "sent"),
    **dict.fromkeys(("errored", "deleted", "suppressed"), "failed"),
}
# The types of subscribers that get e-mails: not those who have unsubscribed or never confirmed.
SUBSCRIBED = ("regular", "premium", "trialed", "unpaid", "gifted", "churning", "paused", "past_due")
TEMPLATE = re.compile(r"\{[{%]")
MARK, INTENT = "blogsvc", "blogsvc_send"  # metadata keys of an e-mail: our article id, and the option "send"
MAX_PAGES_SEARCHED = 20


@dataclass(frozen=True)
class Email:
    """An e-mail at Buttondown. Every status except "draft" counts as sent."""

    id: str
    status: str
    url: str | None
    intent: str | None
    fields: Mapping[str, Any]

    @property
    def version(self) -> str:
        return hashlib.sha256(dumps(self.fields)).hexdigest()

    def has(self, fields: Mapping[str, Any]) -> bool:
        return all(str(self.fields.get(name) or "").strip() == str(fields[name]).strip() for name in fields)

    @property
    def is_draft(self) -> bool:
        return self.status == "draft"

    @property
    def is_done(self) -> bool:
        """Return True if everything that the author chose has happened."""
        return not self.is_draft or self.intent != "everyone"

    @property
    def receipt(self) -> Receipt:
        return Receipt(self.id, self.url, self.version)


@dataclass
class Buttondown(Connector):
    """Creates each e-mail as a draft. Only `publish` sends it, and only if the author chose that for the post."""

    key = "buttondown"
    label = "Buttondown"
    about = "Each article as an e-mail to your subscribers, or as a draft."
    docs = "https://docs.buttondown.com/api-introduction"
    checked_on = "2026-11-20"
    category = "newsletter"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "images", "cover", "canonical_url"})
    shows = (("email.subject", "title"), ("email.body", "markdown"))
    once = "Each e-mail contains a marker, which blogsvc looks for after a lost response. Only drafts are sent."
    limitations = (
        "Updating a post never sends an e-mail. To send a draft after an update, use Buttondown.",
        "After an e-mail is sent, updates only change the text in Buttondown's archive.",
        "A sent e-mail can't be recalled. Only drafts can be deleted.",
    )
    limits = (Limit("title", SUBJECT_MOST, "characters"),)
    fields = (
        Field(
            "key",
            "API key",
            help="In Buttondown: Settings, API. The key needs permission to write e-mails.",
            secret=True,
        ),
    )
    mail_option = "send"
    options = (
        Option(
            "send",
            "Send",
            choices=("draft", "everyone"),
            default="draft",
            help="An e-mail to your subscribers can't be undone. A draft is saved on Buttondown.",
            choice_labels={"draft": "Save as draft", "everyone": "To all subscribers"},
        ),
    )

    API: ClassVar[str] = "https://api.buttondown.com/v1"

    def base_url(self) -> str:
        return self.API

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Token {self.settings.get('key', '').strip()}", "X-API-Version": API_VERSION}

    def verify(self) -> Account:
        self.call("GET", "ping", expect_json=False)
        newsletter: dict[str, Any] = {}
        with suppress(ConnectorError):  # the name is optional
            newsletter = first(data(self.call("GET", "newsletters")), "results")
        facts: dict[str, int] = {}
        with suppress(ConnectorError):  # the number of subscribers is optional
            query = urlencode({"type": SUBSCRIBED, "page_size": 1}, doseq=True)
            found = count(data(self.call("GET", f"subscribers?{query}")), "count")
            facts = {} if found is None else {"subscribers": found}
        return Account(text(newsletter, "name") or text(newsletter, "username") or self.label, facts=facts)

    def audience(self, options: Mapping[str, str]) -> int | None:
        return count(self.facts, "subscribers") if options.get("send") == "everyone" else None

    def mint(self, article: Article) -> Keys:
        return {"article": article.id}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        if len(article.title) > SUBJECT_MOST:
            raise Rejected(f"Buttondown titles can have up to {SUBJECT_MOST} characters. Shorten the title.")
        send = options.get("send") or "draft"
        if send not in ("draft", "everyone"):
            raise Rejected("Set “send” to draft or everyone.")
        form = portable.markdown(article.markdown, {"html", "tables", "footnotes", "strikethrough"}, self.label)
        email = {
            "subject": article.title,
            "body": f"{MARKDOWN}\n{form.text}",
            "canonical_url": article.canonical_url or "",
            "description": article.summary,
            "image": article.cover_url or "",
        }
        slug = {"slug": article.slug} if EMAIL_SLUG.fullmatch(article.slug) else {}
        return Payload(
            {"email": {**email, **slug}, "send": send},
            (*form.warnings, *_warnings(article, send, self.audience(options))),
        )

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        """Create and send the e-mail. Continues with the draft of an earlier attempt, if there is one."""
        email = {**payload.body["email"], "metadata": {MARK: keys["article"], INTENT: payload.body["send"]}}
        copy, _ = self._search(keys["article"])
        if copy is not None and not copy.is_draft:
            return copy.receipt
        # Without a status, Buttondown sends the e-mail at once.
        copy = self._create(email) if copy is None else self._change(copy, email)
        return self._send(copy).receipt if payload.body["send"] == "everyone" else copy.receipt

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        """Update the e-mail or the archive. Never sends."""
        copy, email = self._get(receipt.remote_id), payload.body["email"]
        changes = email if copy.is_draft else {"body": email["body"]}
        if copy.has(changes):  # also true after an attempt whose response was lost
            return copy.receipt
        if receipt.version not in (None, copy.version):
            raise Conflict("The copy was changed on Buttondown. Review it there, or retry to overwrite the changes.")
        if copy.status in ON_THE_WAY:
            raise Unavailable("Buttondown is sending this e-mail. blogsvc will retry the update later.")
        return self._change(copy, changes).receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        if not self._get(receipt.remote_id).is_draft:
            raise Unsupported("A sent e-mail can't be recalled. You can remove it from the archive in Buttondown.")
        self.call("DELETE", _path(receipt.remote_id))

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the e-mail.

        A draft that should be sent counts as not found, so that `publish` runs again and sends it.
        """
        copy, is_all = self._search(keys["article"])
        if copy is not None:
            return CopyFound(copy.receipt) if copy.is_done else CopyNotFound()
        return CopyNotFound() if is_all else CopyUnknown()

    def find_all(self, keys: Keys) -> list[Receipt]:
        return [email.receipt for emails in self._pages(keys["article"]) for email in emails or ()]

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self._get(receipt.remote_id).receipt

    def stats(self, receipt: Receipt) -> Figures:
        figures = data(self.call("GET", f"{_path(receipt.remote_id)}/analytics"))
        return Figures(views=count(figures, "opens"), clicks=count(figures, "clicks"))

    def mailing(self, mail_id: str) -> Mailing | None:
        email = self._get(mail_id)
        if email.is_draft:
            return None
        figures = data(self.call("GET", f"{_path(mail_id)}/analytics"))
        status: Literal["sending", "sent", "failed"] = MAIL_STATES.get(email.status, "sending")
        error = "Buttondown didn't send this e-mail. Open it in Buttondown." if status == "failed" else ""
        recipients, delivered = count(figures, "recipients"), count(figures, "deliveries")
        return Mailing(status, recipients, delivered, count(figures, "opens"), error)

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        body = data(answer)
        code = text(body, "code") if answer.status == 400 else None
        if code == "email_duplicate":
            return Duplicate("Buttondown already has the same e-mail. Check it in Buttondown.")
        if code == "body_contains_frontmatter":
            return Rejected(
                "Buttondown treats the start of the text as front matter. Don't start the text with a line of ---."
            )
        words = "; ".join(filter(None, (text(one, "msg") for one in objects(body, "detail"))))
        return super().fault(replace(answer, body=dumps({"error": words})) if words else answer, call)

    def _create(self, email: Mapping[str, Any]) -> Email:
        return self._read(self.call("POST", "emails", json={**email, "status": "draft"}, need="id"))

    def _change(self, copy: Email, changes: Mapping[str, Any]) -> Email:
        return self._read(self.call("PATCH", _path(copy.id), json=changes, safe=True, need="id"))

    def _send(self, draft: Email) -> Email:
        """Send a draft to all subscribers.

        Not safe to repeat: after an unknown outcome, the e-mail is looked up first.
        """
        try:
            path = f"{_path(draft.id)}/publish"
            require_no_page(self.call("POST", path, json={}, headers=CONFIRMED, expect_json=False), Call(self.label))
        except Conflict:
            raise Uncertain("Buttondown is still processing this e-mail. blogsvc will check again.") from None
        except Rejected as error:
            raise Rejected(f"{error} The e-mail is saved as a draft in Buttondown.") from None
        return draft

    def _get(self, email_id: str) -> Email:
        return self._read(self.call("GET", _path(email_id), need="id"))

    def _search(self, article_id: str) -> tuple[Email | None, bool]:
        """Search for the newest e-mail with our article id, a sent one if possible.

        Returns the e-mail, and True if the result is certain.
        """
        is_all = False
        for emails in self._pages(article_id):
            if emails:
                return min(emails, key=lambda email: email.is_draft), True
            is_all = emails is None
        return None, is_all

    def _pages(self, article_id: str) -> Iterator[list[Email] | None]:
        """Yield the e-mails with our article id, page by page, the newest first; None at last if there are no more."""
        for page in range(1, MAX_PAGES_SEARCHED + 1):
            listed = data(self.call("GET", f"emails?ordering=-creation_date&page={page}", need="results"))
            ours = [one for one in objects(listed, "results") if part(one, "metadata").get(MARK) == article_id]
            yield [email for email in map(_email, ours) if email]
            if not listed.get("next"):
                if isinstance(listed["results"], list):
                    yield None
                return

    def _read(self, answer: HttpResponse) -> Email:
        email = _email(data(answer))
        if email is None:
            raise Uncertain(
                "The response from Buttondown doesn't include the e-mail id. Check Buttondown before you send it again."
            )
        return email


def _path(email_id: str) -> str:
    return path_to("emails", email_id)


def _email(value: Any) -> Email | None:
    email_id, status = text(value, "id"), text(value, "status")
    if email_id is None or status is None:
        return None
    fields = {name: value.get(name) for name in ("subject", "body", "slug", "description", "image", "canonical_url")}
    return Email(email_id, status, text(value, "absolute_url"), text(part(value, "metadata"), INTENT), fields)


def _warnings(article: Article, send: str, subscribers: int | None) -> list[str]:
    warnings = []
    if send == "everyone":
        everyone = {None: "all subscribers", 1: "1 subscriber"}.get(subscribers, f"{subscribers or 0:,} subscribers")
        warnings.append(f"Publishing sends this e-mail to {everyone}. This can't be undone.")
    if TEMPLATE.search(article.markdown):
        warnings.append(
            "Buttondown replaces template code in {{ }} and {% %}. Check the draft in Buttondown before you send it."
        )
    return warnings
