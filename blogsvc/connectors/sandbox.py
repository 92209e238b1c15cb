"""A destination that is nowhere: it shows each way that publishing can go, without an account and without a network."""

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
SLOW_SECONDS = 4.0  # that the slow one takes: long enough to be seen
COPIES_KEPT = 20  # operations that failed once, and are remembered


@dataclass
class Sandbox(Connector):
    """There is no platform behind it: what it says it has is in our own rows, and nowhere else.

    It plays the platform too, and so it alone may be slow and know what it was asked before.
    """

    key = "sandbox"
    label = "Sandbox"
    about = "Nowhere at all: it shows each way that publishing can go, failures too."
    checked_on = "2026-11-22"
    kind = "announcement"
    accepts = "text"
    shows = (("text", "text"),)
    carries = frozenset({"title", "summary", "tags", "canonical_url"})
    limits = (Limit("text", MAX_CHARACTERS, "characters"),)
    once = "It makes no copy at all; where it plays at losing an answer, the author is asked, as elsewhere."
    caveats = ("Nothing is sent anywhere: it is there to try things out, and to see what a failure looks like.",)
    fields = (
        Field(
            "outcome",
            "What happens",
            help="To every post that goes there, unless the post says otherwise",
            choices=(WORKS, FAILS_ONCE, FAILS, SLOW, REFUSES, LOSES, EXPIRED),
            default=WORKS,
        ),
    )
    options = (
        Option(
            "outcome",
            "What happens",
            choices=("as usual", WORKS, FAILS_ONCE, FAILS, SLOW, REFUSES, LOSES),
            default="as usual",
        ),
    )

    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def verify(self) -> Account:
        return Account("goes nowhere")

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        said = announcement(article, Allowance(MAX_CHARACTERS), self.label)
        chosen = options.get("outcome", "as usual")
        outcome = self.settings.get("outcome", WORKS) if chosen == "as usual" else chosen
        body = {"id": article.id, "text": said.text, "outcome": outcome}
        return Payload(body, said.warnings, length=len(said.text))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        self._play(payload.body["outcome"], keys["operation"])
        return Receipt(f"sandbox-{payload.body['id']}")

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        outcome = payload.body["outcome"]
        self._play(WORKS if outcome == LOSES else outcome, keys["operation"])  # a change may be repeated
        return receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        """Always works: whoever tries things out wants to be rid of them."""

    def _play(self, outcome: str, operation: str) -> None:
        if outcome == SLOW:
            self.pause(SLOW_SECONDS)
        elif outcome == FAILS or (outcome == FAILS_ONCE and self._is_first(operation)):
            raise Unavailable("The sandbox is not to be reached, as you asked of it.")
        elif outcome == REFUSES:
            raise Rejected("The sandbox does not take this text, as you asked of it: choose another outcome for it.")
        elif outcome == EXPIRED:
            raise Disconnected("The sandbox refuses the account, as you asked of it.", field="outcome")
        elif outcome == LOSES and self._is_first(operation):
            raise Uncertain("The sandbox took it and did not answer, as you asked of it.")

    def _is_first(self, operation: str) -> bool:
        seen = self.session.get("failed", "").split()
        if operation in seen:
            return False
        self.session["failed"] = " ".join([*seen, operation][-COPIES_KEPT:])
        return True
