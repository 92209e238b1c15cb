"""A simulated platform that shows success and failures of publishing, without an account and without the network."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from blogsvc.connectors._kit.announcements import Allowance, announcement
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    Disconnected,
    Field,
    Keys,
    Limit,
    Option,
    Payload,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
)

MAX_CHARACTERS = 500
WORKS, FAILS_ONCE, FAILS = "works", "fails once, then works", "always fails"
SLOW, REFUSES, LOSES, EXPIRED = "is slow", "refuses the text", "loses the answer", "refuses the account"
SLOW_SECONDS = 4.0  # seconds, long enough to be noticed
COPIES_KEPT = 20  # failed operations to remember


@dataclass
class Sandbox(Connector):
    """Simulates a platform; copies exist only in our own database.

    As it also plays the part of the platform, it may be slow and keep state, unlike other connectors.
    """

    key = "sandbox"
    label = "Sandbox"
    about = "A test platform that sends nothing. It simulates each result of publishing, including failures."
    checked_on = "2026-11-22"
    category = "announcement"
    accepts = "text"
    shows = (("text", "text"),)
    carries = frozenset({"title", "summary", "tags", "canonical_url"})
    limits = (Limit("text", MAX_CHARACTERS, "characters"),)
    once = "The sandbox creates no copies. If it simulates a lost response, the author decides."
    limitations = ("Nothing is sent. Use the sandbox to try out publishing and to see what failures look like.",)
    fields = (
        Field(
            "outcome",
            "Outcome",
            help="The result for every post, unless the post sets another one",
            choices=(WORKS, FAILS_ONCE, FAILS, SLOW, REFUSES, LOSES, EXPIRED),
            default=WORKS,
        ),
    )
    options = (
        Option(
            "outcome",
            "Outcome",
            choices=("as usual", WORKS, FAILS_ONCE, FAILS, SLOW, REFUSES, LOSES),
            default="as usual",
        ),
    )

    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def verify(self) -> Account:
        return Account("goes nowhere")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        announced = announcement(article, Allowance(MAX_CHARACTERS), self.label)
        chosen = options.get("outcome", "as usual")
        outcome = self.settings.get("outcome", WORKS) if chosen == "as usual" else chosen
        body = {"id": article.id, "text": announced.text, "outcome": outcome}
        return Payload(body, announced.warnings, announced.length, announced.editable)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        self._play(payload.body["outcome"], keys["operation"])
        return Receipt(f"sandbox-{payload.body['id']}")

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        outcome = payload.body["outcome"]
        self._play(WORKS if outcome == LOSES else outcome, keys["operation"])  # a change may be repeated
        return receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        """Always succeeds, so that test posts can be removed."""

    def _play(self, outcome: str, operation: str) -> None:
        if outcome == SLOW:
            self.pause(SLOW_SECONDS)
        elif outcome == FAILS or (outcome == FAILS_ONCE and self._is_first(operation)):
            raise Unavailable("The sandbox is unreachable, as you chose.")
        elif outcome == REFUSES:
            raise Rejected("The sandbox rejected this text, as you chose. Choose another outcome for the post.")
        elif outcome == EXPIRED:
            raise Disconnected("The sandbox rejected the account, as you chose.", field="outcome")
        elif outcome == LOSES and self._is_first(operation):
            raise Uncertain("The sandbox accepted the post but didn't respond, as you chose.")

    def _is_first(self, operation: str) -> bool:
        seen = self.session.get("failed", "").split()
        if operation in seen:
            return False
        self.session["failed"] = " ".join([*seen, operation][-COPIES_KEPT:])
        return True
