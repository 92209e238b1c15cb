"""A platform that e-mails subscribers, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pytest

from blogsvc import connectors
from blogsvc.connections import manage
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    ConnectorError,
    CopyFound,
    CopyNotFound,
    Keys,
    Mailing,
    Option,
    Payload,
    Receipt,
)
from blogsvc.context import Tools

MAILED = {"letters": {"options": {"send": "everyone"}}}


class Letters(Connector):
    """A platform that e-mails subscribers when a copy is created. Each attempt ends as `outcomes` say."""

    key = "letters"
    label = "Letters"
    accepts = "html"
    once = "It is only a test."
    mail_option = "send"
    options = (Option("send", "Send", choices=("draft", "everyone"), default="draft"),)
    mails: ClassVar[list[str]] = []
    outcomes: ClassVar[list[ConnectorError]] = []
    subscribers: ClassVar[int] = 312
    reports: ClassVar[list[Mailing | Exception]] = []

    def verify(self) -> Account:
        return Account("Ada", facts={"subscribers": self.subscribers})

    def audience(self, options: Mapping[str, str]) -> int | None:
        return self.facts["subscribers"] if options["send"] == "everyone" else None

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        return Payload({"title": article.title, "send": options["send"]})

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        if self.outcomes:
            raise self.outcomes.pop(0)
        if payload.body["send"] == "everyone":
            self.mails.append(payload.body["title"])
        return Receipt(str(len(self.mails)), "https://letters.example/1", "v1")

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        if self.outcomes:
            raise self.outcomes.pop(0)
        return receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        pass

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return receipt

    def mailing(self, mail_id: str) -> Mailing | None:
        report = self.reports[-1] if self.reports else None
        if isinstance(report, Exception):
            raise report
        return report

    def find(self, keys: Keys) -> CopyFound | CopyNotFound:
        return CopyNotFound()


def connect_letters(monkeypatch: pytest.MonkeyPatch, tools: Tools) -> None:
    """Install the platform and connect an account."""
    monkeypatch.setitem(connectors.connectors(), "letters", Letters)
    Letters.mails.clear()
    Letters.outcomes.clear()
    Letters.reports.clear()
    manage.connect("letters", "letters", {}, tools)
