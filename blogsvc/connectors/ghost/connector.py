"""Ghost, by its Admin API: https://docs.ghost.org/admin-api."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode, urlsplit

import jwt

from blogsvc.connectors._kit.image_uploads import relinked, uploaded
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
    Disconnected,
    Field,
    Figures,
    Gone,
    HttpResponse,
    ImageFile,
    Keys,
    Limit,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
    dumps,
)
from blogsvc.connectors.ghost import cards
from blogsvc.connectors.ghost.posts import (
    EXCERPT_MOST,
    TAG_MOST,
    TITLE_MOST,
    GhostPost,
    changed,
    marker,
    post_of,
    warnings,
)
from blogsvc.lib.net import multipart

KEY = re.compile(r"(?P<id>[0-9a-fA-F]{24}):(?P<secret>(?:[0-9a-fA-F]{2}){16,64})")
ADMIN = re.compile(r"/ghost(/.*|#.*)?\Z")  # what stands behind the site's address in a browser
API_VERSION = "v5.0"  # which Ghost 6 takes too
MAX_AGE = 300  # seconds that Ghost takes a token for
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
SEEN = {"fields": "id,slug,url,updated_at,status"}
Fields = dict[str, Any]
COUNT_FIELDS = "email,count.clicks,count.positive_feedback"


@dataclass
class Ghost(Connector):
    """A newsletter goes out in two steps, of which the first is found again: a draft, then its publication.

    Ghost mails a post once in its life, and only where its publication names a newsletter; an update
    never does.
    """

    key = "ghost"
    label = "Ghost"
    about = "Whole articles on a Ghost site, and by its newsletter where you say so."
    docs = "https://docs.ghost.org/admin-api"
    checked_on = "2026-11-20"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("post.title", "title"), ("post.html", "html"))
    once = "Each post has a hidden tag of ours, by which it is found after a lost answer; Ghost mails no post twice."
    caveats = (
        "Changing a post never sends an e-mail; one that was sent cannot be called back.",
        "Ghost dates changes to the second: two within the same one are not told apart.",
    )
    limits = (
        Limit("title", TITLE_MOST, "characters"),
        Limit("summary", EXCERPT_MOST, "characters"),
        Limit("tag", TAG_MOST, "characters"),
    )
    fields = (
        Field("url", "Address", help="Of your Ghost site, for example https://blog.example"),
        Field(
            "key",
            "Admin API key",
            help="In Ghost: Settings, Integrations, Add custom integration. Not the Content API key.",
            secret=True,
        ),
    )
    options = (
        Option(
            "newsletter",
            "Send as newsletter",
            help="The slug of a newsletter in Ghost, such as default-newsletter. Left empty, nobody gets an e-mail."
            " It is sent once, when the post is first published there.",
        ),
    )

    clock: Callable[[], float] = field(default=time.time, repr=False)

    def base_url(self) -> str:
        return ADMIN.sub("", super().base_url()).rstrip("/") + "/ghost/api/admin"

    def headers(self) -> dict[str, str]:
        """A token for each request: Ghost takes none that is older than five minutes."""
        key = KEY.fullmatch(self.settings.get("key", "").strip())
        if key is None:
            detail = "This is no Admin API key: copy it from Settings, Integrations in Ghost, with its colon."
            raise Misconfigured(detail, field="key")
        now = int(self.clock())
        claims = {"iat": now, "exp": now + MAX_AGE, "aud": "/admin/"}
        token = jwt.encode(claims, bytes.fromhex(key["secret"]), "HS256", headers={"kid": key["id"]})
        return {"Authorization": f"Ghost {token}", "Accept-Version": API_VERSION}

    def secrets(self) -> tuple[str, ...]:
        key = self.settings.get("key", "").strip()
        return tuple(filter(None, (*super().secrets(), key, key.partition(":")[2])))

    def verify(self) -> Account:
        self._browse({"limit": "1", **SEEN})
        site: dict[str, Any] = {}
        with suppress(ConnectorError):  # its name is a courtesy
            site = part(data(self.call("GET", "site/")), "site")
        host = urlsplit(self.base_url()).hostname or self.label
        return Account(text(site, "title") or host, text(site, "url"))

    def mint(self, article: Article) -> Keys:
        return {"article": article.id}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        pictures = [article.cover_url or "", *(picture.url for picture in article.pictures)]
        newsletter = options.get("newsletter", "").strip()
        body = {
            "post": post_of(article),
            "pictures": list(dict.fromkeys(filter(None, pictures))),
            "newsletter": newsletter,
        }
        return Payload(body, tuple(warnings(article, newsletter)))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        """Also goes on where an earlier attempt got half-way: its draft is found by our tag."""
        there = self._find(keys)
        if there is not None and there.is_out:
            return there.receipt()
        post, pictures = self._with_pictures(payload.body, {})
        newsletter = payload.body["newsletter"]
        if there is None:
            status = "draft" if newsletter else "published"
            there = self._write("POST", "posts/?source=html", {**post, "status": status})
        if not there.is_out:
            there = self._release(there, post, newsletter)
        return there.receipt(pictures)

    def _release(self, draft: GhostPost, post: Mapping[str, Any], newsletter: str) -> GhostPost:
        """Publish a draft; with a newsletter, mail it. This is the one request that ever does."""
        query = urlencode({"source": "html"} | ({"newsletter": newsletter} if newsletter else {}))
        released = {**post, "status": "published", "updated_at": draft.updated_at}
        try:
            return self._write("PUT", f"posts/{draft.id}/?{query}", released)
        except Conflict:
            raise Unavailable("Ghost is busy with this post: it will be looked at again.") from None
        except Rejected as error:
            raise Rejected(f"{error} It waits as a draft on Ghost.") from None

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        there = self._get(receipt.remote_id, {"formats": "html"})
        if receipt.version not in (None, there.updated_at):
            if cards.has_mark(there.html, keys["operation"]):  # this very change, whose answer was lost
                return there.receipt(receipt.extra)
            raise Conflict(changed(there.updated_at))
        post, pictures = self._with_pictures(payload.body, receipt.extra)
        del post["slug"]  # the copy stays where it is linked to
        marked = {**post, "html": post["html"] + cards.mark(keys["operation"]), "updated_at": there.updated_at}
        return self._write("PUT", f"posts/{there.id}/?source=html", marked, safe=True).receipt(pictures)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.call("DELETE", f"posts/{receipt.remote_id}/")

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """A draft counts as not found, so that `publish` is called again and finishes it."""
        there = self._find(keys)
        return CopyFound(there.receipt()) if there is not None and there.is_out else CopyNotFound()

    def look(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self._get(receipt.remote_id).receipt(receipt.extra)

    def stats(self, receipt: Receipt) -> Figures:
        """Of its e-mail: Ghost tells an integration nothing of visitors to the page."""
        answer = self.call("GET", f"posts/{receipt.remote_id}/?{urlencode({'include': COUNT_FIELDS})}", need="posts")
        post = first(data(answer), "posts")
        counts, email = part(post, "count"), part(post, "email")
        return Figures(
            views=count(email, "opened_count"),
            likes=count(counts, "positive_feedback"),
            clicks=count(counts, "clicks"),
        )

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        error = first(data(answer), "errors")
        if answer.status == 400 and error.get("code") == "INVALID_JWT":
            return Disconnected("Ghost does not accept the key: copy its Admin API key once more.", field="key")
        if answer.status == 409:
            return Conflict(changed(text(part(error, "details"), "serverUpdatedAt")))
        if answer.status == 501:
            return Misconfigured("Ghost does not let this key do that: make a custom integration for it.", field="key")
        said = list(filter(None, (text(error, "message"), text(error, "context"))))
        return super().fault(replace(answer, body=dumps({"error": " ".join(said)})) if said else answer, call)

    def _with_pictures(self, body: Mapping[str, Any], known: Mapping[str, str]) -> tuple[Fields, dict[str, str]]:
        """The post with its pictures on Ghost, and where they are; one that cannot be had stays where it is."""
        there = uploaded(body["pictures"], known, self.album, self._upload, IMAGE_TYPES)
        cover = body["post"]["feature_image"]
        moved = {"html": relinked(body["post"]["html"], there), "feature_image": there.get(cover, cover)}
        return {**body["post"], **moved}, there

    def _upload(self, picture: ImageFile) -> str | None:
        about = {"purpose": "image", "ref": picture.name}
        form, content_type = multipart.encode("file", picture.name, picture.media_type, picture.data, about)
        headers = {"Content-Type": content_type}
        try:
            answer = self.call("POST", "images/upload/", content=form, headers=headers, safe=True, need="images")
        except (Rejected, Gone):
            return None
        return text(first(data(answer), "images"), "url")

    def _find(self, keys: Keys) -> GhostPost | None:
        """The post with our tag, rather one that is out: somebody may have made a draft of it by duplicating."""
        slug = marker(keys["article"]).replace("#", "hash-")
        posts = self._browse({"filter": f"tag:{slug}", "order": "created_at asc", "limit": "15", **SEEN})
        return next((post for post in posts if post.is_out), posts[0] if posts else None)

    def _browse(self, query: Mapping[str, str]) -> list[GhostPost]:
        try:
            answer = self.call("GET", f"posts/?{urlencode(query)}", need="posts")
        except Gone:
            detail = "There is no Ghost at this address: give the one at which you sign in, without /ghost."
            raise Misconfigured(detail, field="url") from None
        return [post for post in map(GhostPost.read, objects(data(answer), "posts")) if post]

    def _get(self, post_id: str, query: Mapping[str, str] = SEEN) -> GhostPost:
        post = GhostPost.read(first(data(self.call("GET", f"posts/{post_id}/?{urlencode(query)}")), "posts"))
        if post is None:
            raise Unavailable("Ghost answered without the post that was asked for.")
        if not post.is_out:
            raise Gone("It was unpublished on Ghost: retry to publish it there anew.")
        return post

    def _write(self, method: str, path: str, post: Mapping[str, Any], safe: bool = False) -> GhostPost:
        answer = self.call(method, path, json={"posts": [post]}, safe=safe, need="posts")
        written = GhostPost.read(first(data(answer), "posts"))
        if written is None:
            raise Uncertain("Ghost answered without saying what it made: look there before sending it again.")
        return written
