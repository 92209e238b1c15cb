"""Lemmy: a link post in a community, with the API of 0.19 (v3) or 1.0 (v4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from blogsvc.connectors._kit.lookups import Lookup, Page
from blogsvc.connectors._kit.untrusted_json import at, whole
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
    Field,
    Figures,
    Gone,
    HttpResponse,
    Keys,
    Limit,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Rejected,
    TextPart,
)
from blogsvc.connectors.lemmy import errors, posts
from blogsvc.connectors.payload_parts import visible

BODY_MOST = {"v3": 10_000, "v4": 50_000}
MADE = "post_view.post.id"  # the path of the post id in a response
PER_PAGE = 50  # the maximum
MAX_PAGES_SEARCHED = 5
# Method and path in each version of the API.
LOGIN = {"v3": "user/login", "v4": "account/auth/login"}
ME = {"v3": "site", "v4": "account"}
MINE = {"v3": "user?sort=New&", "v4": "person/content?"}
DELETE = {"v3": ("POST", "post/delete"), "v4": ("DELETE", "post")}


@dataclass
class Lemmy(Connector):
    """Publishes link posts. `session` holds a login token, which is renewed once per request if it is rejected."""

    key = "lemmy"
    label = "Lemmy"
    about = "A link post in a community, where people can comment."
    docs = "https://join-lemmy.org/docs/contributors/04-api.html"
    checked_on = "2026-11-20"
    category = "announcement"
    readers = "discussion"
    accepts = "markdown"
    carries = frozenset({"title", "summary", "cover", "canonical_url"})
    shows = (("name", "title"), ("url", "link"), ("body", "markdown"))
    repeatable = frozenset({"update", "delete"})
    once = (
        "After a lost response, blogsvc looks for a new post with the same link and text before it retries. If only "
        "the link is the same, it asks the author."
    )
    limitations = (
        "Deleting hides the post and notifies other servers. The account can restore the post on Lemmy.",
        "Many communities have rules about self-promotion. Read them before you post.",
    )
    limits = (Limit("title", posts.MAX_TITLE_LENGTH, "characters"), Limit("text", BODY_MOST["v3"], "characters"))
    fields = (
        Field(
            "url",
            "Instance URL",
            help="The server of your account, for example https://lemmy.world",
            address=True,
            server=True,
        ),
        Field("username", "Username", help="The username or e-mail of the account"),
        Field("password", "Password", help="Accounts with two-factor authentication aren't supported", secret=True),
        Field("community", "Community", help="The community to post in, for example technology@lemmy.world"),
    )
    options = (Option("nsfw", "Not safe for work", choices=("no", "yes"), default="no"),)

    def secrets(self) -> tuple[str, ...]:
        return (*super().secrets(), *filter(None, [self.session.get("jwt")]))

    def verify(self) -> Account:
        self.session.pop("jwt", None)
        self.session["api"] = self._detect_api()
        response = self._ask("GET", ME[self._api()])
        person = at(response, "my_user.local_user_view.person") or at(response, "local_user_view.person")
        if not at(person, "id") or not at(person, "name"):
            raise Disconnected("Lemmy didn't return the account. Check the username and password.")
        name = f"{person['name']}@{urlsplit(self.base_url()).hostname}"
        facts: dict[str, str | int] = {
            "api": self._api(),
            "person_id": int(person["id"]),
            "community_id": self._find_community(),
        }
        return Account(name, f"{self.base_url()}/u/{person['name']}", facts)

    def limits_here(self) -> tuple[Limit, ...]:
        return (self.limits[0], Limit("text", self._body_most(), "characters"))

    def mint(self, article: Article) -> Keys:
        return {"link": article.canonical_url} if article.canonical_url else {"title": posts.line(article.title)}

    def sent_keys(self, payload: Payload) -> Keys:
        return {"sent": posts.version(payload.body)}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        text = posts.text(article, self._body_most())
        cover = article.cover_url or ""
        body = {
            "name": posts.title(article.title),
            "url": posts.link(article),
            "body": text.text,
            "nsfw": options.get("nsfw") == "yes",
            "custom_thumbnail": cover if cover.startswith(("https://", "http://")) else "",
        }
        warnings = (*text.warnings, *posts.losses(article))
        return Payload(body, warnings, len(text.text), article.own_text or text.text)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        filled = {name: value for name, value in payload.body.items() if value != ""}
        body = {**filled, "community_id": self.facts.get("community_id") or self._find_community()}
        return self._receipt(self._ask("POST", "post", json=body, need=MADE)["post_view"]["post"])

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        if receipt.version is not None and (current := self.fetch_version(keys, receipt)).version != receipt.version:
            if current.version == posts.version(payload.body):  # our own change, whose response was lost
                return current
            raise Conflict(f"The copy was changed on {self.label}. Review it there, or retry to overwrite the changes.")
        body = {**payload.body, "post_id": posts.number(receipt.remote_id)}
        return self._receipt(self._ask("PUT", "post", json=body, need=MADE)["post_view"]["post"])

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        method, path = DELETE[self._api()]
        try:
            self._ask(method, path, json={"post_id": posts.number(receipt.remote_id), "deleted": True}, safe=True)
        except Rejected:
            self.fetch_version(
                keys, receipt
            )  # raises Gone if it is already deleted, which Lemmy rejects without saying so
            raise

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        if not (keys.get("link") or keys.get("title")):
            return CopyUnknown()
        result = self._lookup(keys).first(self._newest())
        if not isinstance(result, dict):
            return result
        if result["post"].get("removed"):  # by a moderator, so don't post it again
            return CopyUnknown()
        return CopyFound(self._receipt(result["post"]))

    def find_all(self, keys: Keys) -> list[Receipt]:
        if not (keys.get("link") or keys.get("title")):
            return []
        found = self._lookup(keys).all(self._newest())
        return [self._receipt(one["post"]) for one in found if not one["post"].get("removed")]

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self._receipt(
            self._ask("GET", f"post?id={posts.number(receipt.remote_id)}", need=MADE)["post_view"]["post"]
        )

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        post = self._ask("GET", f"post?id={posts.number(receipt.remote_id)}", need=MADE)["post_view"]["post"]
        self._receipt(post)  # raises Gone
        return tuple(visible(self.shows, post))

    def stats(self, receipt: Receipt) -> Figures:
        response = self._ask("GET", f"post?id={posts.number(receipt.remote_id)}", need=MADE)
        self._receipt(response["post_view"]["post"])  # raises Gone
        return posts.figures(response)

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        return errors.fault(answer, self.retry_after(answer)) or super().fault(answer, call)

    def _ask(self, method: str, path: str, json: Any = None, safe: bool | None = None, need: str | None = None) -> Any:
        """Send a request with the login token; if that is rejected, once more with a new token."""
        path = f"api/{self._api()}/{path}"
        if token := self.session.get("jwt"):
            try:
                return self._send(token, method, path, json, safe, need)
            except Disconnected:
                self.session.pop("jwt", None)
        token = self.session["jwt"] = self._log_in()
        return self._send(token, method, path, json, safe, need)

    def _send(self, token: str, method: str, path: str, json: Any, safe: bool | None, need: str | None) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        return self.call(method, path, json=json, headers=headers, safe=safe, need=need).json()

    def _log_in(self) -> str:
        name, password = self.settings.get("username", "").strip(), self.settings.get("password", "")
        body = {"username_or_email": name, "password": password}
        path = f"api/{self._api()}/{LOGIN[self._api()]}"
        return str(self.call("POST", path, json=body, safe=True, need="jwt").json()["jwt"])

    def _api(self) -> str:
        known = self.session.get("api") or self.facts.get("api")
        return known if known in LOGIN else self.session.setdefault("api", self._detect_api())

    def _detect_api(self) -> str:
        """Return the newest API version that the server has. Others return 404 or a page."""
        for api in sorted(LOGIN, reverse=True):
            try:
                self.call("GET", f"api/{api}/site", need="version")
                return api
            except (Gone, Misconfigured) as error:
                last = error
        raise Misconfigured("No Lemmy server found at this URL. Check the URL.", field="url") from last

    def _find_community(self) -> int:
        """Return the id of the community on this server."""
        given = self.settings.get("community", "").strip()
        name = posts.community(given).removesuffix(f"@{urlsplit(self.base_url()).netloc}")
        view = self._ask("GET", f"community?name={quote(name, safe='@')}")
        found = whole(at(view, "community_view.community.id"))
        if found is None:
            raise Misconfigured("Community not found. Check its name.", field="community")
        return found

    def _body_most(self) -> int:
        return BODY_MOST.get(str(self.facts.get("api")), BODY_MOST["v3"])

    def _newest(self) -> Iterator[Page[dict[str, Any]]]:
        """Yield the account's latest posts, in v4 with its comments. Ends early if they can't be read."""
        person = self.facts.get("person_id") or self.verify().facts["person_id"]
        query, page = f"{MINE[self._api()]}person_id={person}&limit={PER_PAGE}", ""
        for number in range(MAX_PAGES_SEARCHED):
            response = self._ask("GET", query + page)
            listed = posts.listed(response)
            if listed is None:
                return
            cursor = at(response, "next_page")
            is_last = len(listed) < PER_PAGE if self._api() == "v3" else not cursor
            yield Page(posts.entries(listed), is_last)
            page = f"&page={number + 2}" if self._api() == "v3" else f"&page_cursor={quote(str(cursor), safe='')}"

    def _lookup(self, keys: Keys) -> Lookup[dict[str, Any]]:
        return Lookup(
            keys,
            posts.made_at,
            is_like=lambda entry: self._is_like(entry, keys),
            has_sent_text=lambda entry: posts.version(entry["post"]) == keys.get("sent"),
        )

    def _is_like(self, entry: dict[str, Any], keys: Keys) -> bool:
        if entry.get("comment"):
            return False
        post = entry["post"]
        elsewhere = self.facts.get("community_id") not in (None, post.get("community_id"))
        if elsewhere or post.get("deleted"):
            return False
        if link := keys.get("link"):
            return str(post.get("url")).rstrip("/") == link.rstrip("/")
        return not post.get("url") and post.get("name") == keys["title"]

    def _receipt(self, post: dict[str, Any]) -> Receipt:
        if post.get("deleted") or post.get("removed"):
            raise Gone(f"The post was deleted on {self.label}.")
        return Receipt(str(post["id"]), f"{self.base_url()}/post/{post['id']}", posts.version(post))
