"""DEV (dev.to) and every other community that runs Forem: articles as Markdown, through its API v1."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from blogsvc.connectors._kit.untrusted_json import whole
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
    Disconnected,
    Duplicate,
    Field,
    Figures,
    HttpResponse,
    Keys,
    Limit,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Rejected,
)
from blogsvc.connectors.devto import forem

HOME = "https://dev.to"
MAX_TITLE_LENGTH = 128
# A list of own articles holds their texts: small pages stay below what an answer may weigh.
PER_PAGE = 30
MAX_PAGES_SEARCHED = 20
COUNTED_PAGES = 4  # for figures, which are asked often: those of an article further down lack its views


@dataclass
class Devto(Connector):
    """Forem refuses a canonical address, and a text under the same title, that it has already."""

    key = "devto"
    label = "DEV (Forem)"
    about = "Whole articles on DEV or another Forem community, which point home as the original."
    docs = "https://developers.forem.com/api/v1"
    checked_on = "2026-11-20"
    kind = "article"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("title", "title"), ("body_markdown", "markdown"))
    repeatable = frozenset({"update", "delete"})
    once = (
        "It takes each canonical address once, and each text once under a title; "
        "after a lost answer the copy is looked up among the account's articles."
    )
    caveats = (
        "Deleting only unpublishes it there: a draft stays, and publishing again brings that draft back.",
        "It does not say of a draft who may see it, so a copy that somebody unpublished there counts as gone.",
    )
    limits = (
        Limit("title", MAX_TITLE_LENGTH, "characters"),
        Limit("tags", forem.MAX_TAGS, "items"),
        Limit("tag", forem.TAG_MOST, "characters"),
    )
    fields = (
        Field("api_key", "API key", help="On DEV under Settings, Extensions, DEV Community API Keys", secret=True),
        Field("url", "Address", help="Of another Forem community, else https://dev.to", required=False, default=HOME),
        Field(
            "organization",
            "Organization id",
            help="The number of an organization that you are a member of, to publish under its name",
            required=False,
        ),
    )
    options = (Option("series", "Series", help="The name of a series there; one that is new is made"),)

    def base_url(self) -> str:
        return f"{self._home()}/api"

    def headers(self) -> dict[str, str]:
        return {"api-key": self.settings.get("api_key", "").strip(), "Accept": "application/vnd.forem.api-v1+json"}

    def verify(self) -> Account:
        self._organization()
        name = str(_object(self.call("GET", "users/me", need="username"))["username"])
        return Account(name, f"{self._home()}/{name}")

    def mint(self, article: Article) -> Keys:
        """What finds it again: its canonical address, else its title and text, which Forem takes once each."""
        if article.canonical_url:
            return {"canonical_url": article.canonical_url}
        return {"text": forem.text_hash(article.title, forem.markdown(article.markdown, self.label).text)}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        over = len(article.title) - MAX_TITLE_LENGTH
        if over > 0:
            raise Rejected(f"{self.label} takes titles of {MAX_TITLE_LENGTH} characters: shorten it by {over}.")
        text = forem.markdown(article.markdown, self.label)
        tags, warnings = forem.tags(article.tags, self.label)
        body = {
            "title": article.title,
            "body_markdown": text.text,
            "published": True,
            "description": article.summary,
            "canonical_url": article.canonical_url,
            "main_image": article.cover_url if _is_web(article.cover_url) else None,
            "tags": tags,
        }
        return Payload({**body, **self._places(options)}, (*text.warnings, *warnings))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        try:
            return self._receipt(self.call("POST", "articles", json={"article": payload.body}, need="id"))
        except Duplicate:
            return self._adopted(payload, keys)

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        # An earlier try whose answer was lost may have brought it there: that is no change of somebody else.
        known = (receipt.version, forem.version(payload.body))
        if receipt.version is not None and self.look(keys, receipt).version not in known:
            raise Conflict(f"It was changed on {self.label}: look at it there. Retry to write over it.")
        return self._put(receipt.remote_id, payload.body)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self._put(receipt.remote_id, {"published": False})

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Among one's own. What is unpublished is no copy; publishing comes upon it and brings it back."""
        if not (keys.get("canonical_url") or keys.get("text")):
            return CopyUnknown()
        found = self._search("all", forem.wanted(keys))
        if isinstance(found, CopyUnknown):
            return found
        return CopyFound(self._receipt_of(found)) if found and found.get("published") else CopyNotFound()

    def look(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self._receipt(self.call("GET", f"articles/{receipt.remote_id}", need="id"))

    def stats(self, receipt: Receipt) -> Figures:
        """Of one's own list, which alone tells views; of an article too far down in it, the rest."""
        one = self._search("published", lambda mine: str(mine.get("id")) == receipt.remote_id, COUNTED_PAGES)
        if not isinstance(one, dict):
            one = _object(self.call("GET", f"articles/{receipt.remote_id}", need="id"))
        return Figures(
            views=whole(one.get("page_views_count")),
            likes=whole(one.get("public_reactions_count")),
            comments=whole(one.get("comments_count")),
        )

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        if answer.status == 422 and "already been taken" in answer.text:
            return Duplicate(
                f"{self.label} has an article with this canonical address or this very text already: change that."
            )
        if answer.status == 401:
            return Disconnected(f"{self.label} does not accept this API key: make a new one there.", field="api_key")
        return super().fault(answer, call)

    def _adopted(self, payload: Payload, keys: Keys) -> Receipt:
        """The copy that was taken down once comes back with the text of now; one that is public stays as it is."""
        found = self._search("all", forem.wanted(keys))
        if not isinstance(found, dict):
            raise Duplicate(
                f"An article on {self.label} that is not among yours has this canonical address or this very text"
                " already: look for it there, or change the canonical address."
            )
        receipt = self._receipt_of(found)
        if found.get("published"):
            raise Duplicate(f"It is on {self.label} already.", receipt)
        return self._put(receipt.remote_id, payload.body)

    def _put(self, remote_id: str, body: Mapping[str, Any]) -> Receipt:
        return self._receipt(self.call("PUT", f"articles/{remote_id}", json={"article": body}, need="id"))

    def _search(
        self, status: str, is_it: Callable[[forem.Mine], bool], pages: int = MAX_PAGES_SEARCHED
    ) -> forem.Mine | CopyUnknown | None:
        for page in range(1, pages + 1):
            found = self._page(status, page)
            for one in found:
                if isinstance(one, dict) and one.get("id") and is_it(one):
                    return one
            if len(found) < PER_PAGE:
                return None
        return CopyUnknown()

    def _page(self, status: str, page: int) -> list[Any]:
        said = self.call("GET", f"articles/me/{status}?page={page}&per_page={PER_PAGE}").json()
        if not isinstance(said, list):
            raise Misconfigured(f"{self.label} gave no list of articles: check the address.", field="url")
        return said

    def _receipt(self, answer: HttpResponse) -> Receipt:
        return self._receipt_of(_object(answer))

    def _receipt_of(self, one: forem.Mine) -> Receipt:
        return Receipt(str(one["id"]), one.get("url") if _is_web(one.get("url")) else None, forem.version(one))

    def _home(self) -> str:
        return (self.settings.get("url", "").strip() or HOME).rstrip("/").removesuffix("/api")

    def _places(self, options: Mapping[str, str]) -> dict[str, str | int]:
        """Where it stands there; what is not named here stays as somebody may have chosen it there."""
        series, organization = options.get("series", "").strip(), self._organization()
        named = {"series": series, "organization_id": organization}
        return {name: value for name, value in named.items() if value}

    def _organization(self) -> int | None:
        said = self.settings.get("organization", "").strip()
        if said and not re.fullmatch(r"[0-9]{1,12}", said):
            raise Misconfigured("The organization is named by its number there.", field="organization")
        return int(said) if said else None


def _object(answer: HttpResponse) -> forem.Mine:
    said = answer.json()
    return said if isinstance(said, dict) else {}


def _is_web(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://")) and len(value) <= 2000
