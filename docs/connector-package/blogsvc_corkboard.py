"""Pins posts to a corkboard: an example of a connector in a package of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blogsvc.connectors._kit.announcements import Allowance, announcement
from blogsvc.connectors.base import (
    Account,
    Article,
    Connector,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Field,
    Keys,
    Limit,
    Option,
    Payload,
    Receipt,
    path_to,
)

__version__ = "0.1.0"
MOST = 280


@dataclass
class Corkboard(Connector):
    """A note on a corkboard: the title, a word about it and the link home."""

    key = "corkboard"
    label = "Corkboard"
    docs = "https://board.example/docs"
    checked_on = "2026-11-21"
    category = "announcement"
    accepts = "text"
    carries = frozenset({"title", "summary", "tags", "canonical_url"})
    fields = (
        Field("url", "Address", help="Of the board, for example https://board.example"),
        Field("token", "Token", help="Your name on the board, then Tokens", secret=True),
    )
    options = (Option("colour", "Colour of the note", ("yellow", "blue"), "yellow"),)
    limits = (Limit("text", MOST, "graphemes"),)
    once = "Each note carries the id of its post, by which it is looked up after a lost answer."

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.settings['token']}"}

    def verify(self) -> Account:
        return Account(self.call("GET", "me", need="name").json()["name"])

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        said = announcement(article, Allowance(MOST, "graphemes"), self.label)
        body = {"text": said.text, "colour": options.get("colour", "yellow")}
        return Payload(body, said.warnings, said.length, said.editable)

    def mint(self, article: Article) -> Keys:
        return {"mark": article.id}

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        made = self.call("POST", "notes", json={**payload.body, "mark": keys["mark"]}, need="id").json()
        return Receipt(str(made["id"]), made.get("url"))

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        self.call("PUT", path_to("notes", receipt.remote_id), json=dict(payload.body), need="id")
        return receipt

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.call("DELETE", path_to("notes", receipt.remote_id))

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        notes = self.call("GET", f"notes?mark={keys['mark']}", need="notes").json()["notes"]
        return CopyFound(Receipt(str(notes[0]["id"]), notes[0].get("url"))) if notes else CopyNotFound()
