"""Ghost, with its Admin API: https://docs.ghost.org/admin-api."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

import jwt

from blogsvc.connectors._kit.dates import date_of_copy
from blogsvc.connectors._kit.image_uploads import relinked, uploaded
from blogsvc.connectors._kit.untrusted_json import count, data, first, objects, part, text
from blogsvc.connectors.base import (
    Account,
    Article,
    Call,
    Conflict,
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
    Mailing,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Rejected,
    TextPart,
    Unavailable,
    Uncertain,
    dumps,
)
from blogsvc.connectors.ghost import choices
from blogsvc.connectors.ghost.drafts import GhostDrafts
from blogsvc.connectors.ghost.posts import (
    EXCERPT_MOST,
    TAG_MOST,
    TITLE_MOST,
    GhostPost,
    changed,
    marker,
    path_of,
    post_of,
    warnings,
)
from blogsvc.lib.net import multipart
from blogsvc.lib.time import stamp

KEY = re.compile(r"(?P<id>[0-9a-fA-F]{24}):(?P<secret>(?:[0-9a-fA-F]{2}){16,64})")
ADMIN = re.compile(r"/ghost(/.*|#.*)?\Z")  # what follows the site's address in the browser
API_VERSION = "v5.0"  # works with Ghost 6, too
MAX_AGE = 300  # seconds that Ghost accepts a token for
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
SEEN = {"fields": "id,slug,url,updated_at,status"}
Fields = dict[str, Any]
COUNT_FIELDS = "email,count.clicks,count.positive_feedback"
MAIL_STATES: Mapping[str, Literal["sent", "failed"]] = {"submitted": "sent", "failed": "failed"}


@dataclass
class Ghost(GhostDrafts):
    """Publishes posts, with a newsletter in two steps: create a draft, which can be found again, then publish it.

    Ghost e-mails a post only once, when a request that publishes it names a newsletter. Updates never send
    e-mails.
    """

    key = "ghost"
    label = "Ghost"
    about = "Full articles on a Ghost site, and optionally as a newsletter."
    docs = "https://docs.ghost.org/admin-api"
    checked_on = "2026-11-20"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("post.title", "title"), ("post.html", "html"))
    once = (
        "Each post has a comment in its code injection, which blogsvc looks for after a lost response. Ghost never"
        " e-mails a post twice."
    )
    limitations = (
        "Updating a post never sends an e-mail. A sent e-mail can't be recalled.",
        "Ghost stores change times to the second, so blogsvc can't tell apart two changes within one second.",
    )
    limits = (
        Limit("title", TITLE_MOST, "characters"),
        Limit("summary", EXCERPT_MOST, "characters"),
        Limit("tag", TAG_MOST, "characters"),
    )
    fields = (
        Field("url", "Site URL", help="Your Ghost site, for example https://blog.example", address=True),
        Field(
            "key",
            "Admin API key",
            help="In Ghost: Settings, Integrations, Add custom integration. Don't use the Content API key.",
            secret=True,
        ),
    )
    mail_option = "newsletter"
    options = choices.OPTIONS

    clock: Callable[[], float] = field(default=time.time, repr=False)

    def base_url(self) -> str:
        return ADMIN.sub("", super().base_url()).rstrip("/") + "/ghost/api/admin"

    def headers(self) -> dict[str, str]:
        """Return the headers with a new token, because Ghost rejects tokens older than five minutes."""
        key = KEY.fullmatch(self.settings.get("key", "").strip())
        if key is None:
            detail = "This isn't an Admin API key. Copy it from Settings, Integrations in Ghost, including the colon."
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
        with suppress(ConnectorError):  # the name is optional
            site = part(data(self.call("GET", "site/")), "site")
        host = urlsplit(self.base_url()).hostname or self.label
        return Account(text(site, "title") or host, text(site, "url"), self._choices())

    def _choices(self) -> dict[str, int | str]:
        """Return the newsletters and authors as facts. Only the key of an integration may read them."""
        newsletters: list[dict[str, Any]] = []
        users: list[dict[str, Any]] = []
        query = urlencode({"limit": "50", "filter": "status:active", "include": "count.active_members"})
        with suppress(ConnectorError):
            newsletters = objects(data(self.call("GET", f"newsletters/?{query}")), "newsletters")
        with suppress(ConnectorError):
            users = objects(data(self.call("GET", "users/?limit=50&filter=status:active")), "users")
        return {**choices.newsletter_facts(newsletters), **choices.author_facts(users)}

    @classmethod
    def options_for(cls, facts: Mapping[str, Any]) -> tuple[Option, ...]:
        return choices.options_of_site(facts)

    def mint(self, article: Article) -> Keys:
        return {"article": article.id}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        images = [article.cover_url or "", *(image.url for image in article.images)]
        newsletter = choices.newsletter_of(options)
        body = {
            "post": {**post_of(article), **choices.fields_of(options)},
            "published_at": stamp(article.published_at) if article.published_at else None,
            "images": list(dict.fromkeys(filter(None, images))),
            "newsletter": newsletter,
        }
        return Payload(body, tuple(warnings(article, newsletter, self.audience(options))))

    def audience(self, options: Mapping[str, str]) -> int | None:
        return choices.members_of(self.facts, options)

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        """Create and publish the post. Continues with the draft of an earlier attempt, if there is one."""
        copy = self._find(keys)
        if copy is not None and copy.is_out:
            return copy.receipt()
        post, images = self._with_images(payload.body, {})
        post |= self._date(payload.body, keys)
        newsletter = payload.body["newsletter"]
        if copy is None:
            status = "draft" if newsletter else "published"
            copy = self._write("POST", "posts/?source=html", {**post, "status": status})
        if not copy.is_out:
            try:
                copy = self._publish_draft(copy, post, newsletter)
            except Conflict:
                raise Unavailable("Ghost is still processing this post. blogsvc will check again.") from None
        return copy.receipt(images)

    def _date(self, body: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        """Return the field for the date of a post that was published some time ago, and none for other posts."""
        date = date_of_copy(body["published_at"], keys)
        return {"published_at": stamp(date)} if date else {}

    def _publish_draft(self, draft: GhostPost, post: Mapping[str, Any], newsletter: str) -> GhostPost:
        """Publish a draft and, with a newsletter, e-mail it. No other request sends e-mails.

        Raises Conflict if the draft has changed since it was read.
        """
        query = urlencode({"source": "html"} | ({"newsletter": newsletter} if newsletter else {}))
        released = {**post, "status": "published", "updated_at": draft.updated_at}
        try:
            return self._write("PUT", f"{path_of(draft.id)}?{query}", released)
        except Rejected as error:
            raise Rejected(f"{error} The post is saved as a draft in Ghost.") from None

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        copy = self._current_post(receipt.remote_id, {"formats": "html"})
        if receipt.version not in (None, copy.updated_at):
            _require_out(copy)
            if copy.has(payload.body["post"]):  # this operation's own change, whose response was lost
                return copy.receipt(receipt.extra)
            raise Conflict(changed(copy.updated_at))
        post, images = self._with_images(payload.body, receipt.extra)
        # Keep the URL of the copy, and what somebody added to the comment that marks it.
        del post["slug"], post["codeinjection_foot"]
        request = {**post, "updated_at": copy.updated_at}
        if not copy.is_out:  # a draft that was kept; without a newsletter in the request, no e-mail is sent
            request["status"] = "published"
        return self._write("PUT", f"{path_of(copy.id)}?source=html", request, safe=True).receipt(images)

    def unpublish(self, keys: Keys, receipt: Receipt) -> Receipt:
        copy = self._current_post(receipt.remote_id)
        if not copy.is_out:
            return copy.receipt(receipt.extra)
        if receipt.version not in (None, copy.updated_at):
            raise Conflict(changed(copy.updated_at))
        draft = {"status": "draft", "updated_at": copy.updated_at}
        return self._write("PUT", path_of(copy.id), draft, safe=True).receipt(receipt.extra)

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        self.call("DELETE", path_of(receipt.remote_id))

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the post. A draft counts as not found, so that `publish` runs again and publishes it."""
        copy = self._find(keys)
        return CopyFound(copy.receipt()) if copy is not None and copy.is_out else CopyNotFound()

    def find_all(self, keys: Keys) -> list[Receipt]:
        return [post.receipt() for post in self._find_all(keys)]

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return self._get(receipt.remote_id).receipt(receipt.extra)

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        """Return the text as Ghost renders it."""
        return (TextPart("html", self._get(receipt.remote_id, {"formats": "html"}).html),)

    def stats(self, receipt: Receipt) -> Figures:
        """Return the figures of the e-mail. Ghost gives integrations no figures of visitors."""
        answer = self.call("GET", f"{path_of(receipt.remote_id)}?{urlencode({'include': COUNT_FIELDS})}", need="posts")
        post = first(data(answer), "posts")
        counts, email = part(post, "count"), part(post, "email")
        return Figures(
            views=count(email, "opened_count"),
            likes=count(counts, "positive_feedback"),
            clicks=count(counts, "clicks"),
        )

    def mailing(self, mail_id: str) -> Mailing | None:
        answer = self.call("GET", f"{path_of(mail_id)}?{urlencode({'fields': 'id', 'include': 'email'})}", need="posts")
        email = part(first(data(answer), "posts"), "email")
        if not email:
            return None
        return Mailing(
            MAIL_STATES.get(text(email, "status") or "", "sending"),
            count(email, "email_count"),
            count(email, "delivered_count"),
            count(email, "opened_count"),
            text(email, "error") or "",
        )

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        error = first(data(answer), "errors")
        if answer.status == 400 and error.get("code") == "INVALID_JWT":
            return Disconnected("Ghost rejected the Admin API key. Copy it from Ghost again.", field="key")
        if answer.status == 409:
            return Conflict(changed(text(part(error, "details"), "serverUpdatedAt")))
        if answer.status == 501:
            return Misconfigured(
                "This key doesn't have permission. Create a custom integration in Ghost and use its Admin API key.",
                field="key",
            )
        messages = list(filter(None, (text(error, "message"), text(error, "context"))))
        return super().fault(replace(answer, body=dumps({"error": " ".join(messages)})) if messages else answer, call)

    def _with_images(self, body: Mapping[str, Any], known_urls: Mapping[str, str]) -> tuple[Fields, dict[str, str]]:
        """Upload images. Returns the post with their new URLs, and the URLs; unavailable images keep the old URL."""
        links = uploaded(
            body["images"], known_urls, self.images, self.uploads, self._upload, self.is_served, IMAGE_TYPES
        )
        cover = body["post"]["feature_image"]
        moved = {"html": relinked(body["post"]["html"], links), "feature_image": links.get(cover, cover)}
        return {**body["post"], **moved}, links

    def _upload(self, image: ImageFile) -> str | None:
        about = {"purpose": "image", "ref": image.name}
        form, content_type = multipart.encode("file", image.name, image.media_type, image.data, about)
        headers = {"Content-Type": content_type}
        try:
            answer = self.call("POST", "images/upload/", content=form, headers=headers, safe=True, need="images")
        except (Rejected, Gone):
            return None
        return text(first(data(answer), "images"), "url")

    def _find(self, keys: Keys) -> GhostPost | None:
        """Return the marked post, a published one if possible, because people can duplicate posts as drafts."""
        posts = self._find_all(keys)
        return next((post for post in posts if post.is_out), posts[0] if posts else None)

    def _find_all(self, keys: Keys) -> list[GhostPost]:
        """Return the posts with our marker, the oldest first."""
        marked = f"codeinjection_foot:~'{marker(keys['article'])}'"
        return self._browse({"filter": marked, "order": "created_at asc", "limit": "15", **SEEN})

    def _browse(self, query: Mapping[str, str]) -> list[GhostPost]:
        try:
            answer = self.call("GET", f"posts/?{urlencode(query)}", need="posts")
        except Gone:
            detail = "No Ghost site found at this URL. Enter the URL where you sign in, without /ghost."
            raise Misconfigured(detail, field="url") from None
        return [post for post in map(GhostPost.read, objects(data(answer), "posts")) if post]

    def _get(self, post_id: str, query: Mapping[str, str] = SEEN) -> GhostPost:
        """Return the post. Raises Gone if it is a draft, too."""
        post = self._current_post(post_id, query)
        _require_out(post)
        return post

    def _current_post(self, post_id: str, query: Mapping[str, str] = SEEN) -> GhostPost:
        post = GhostPost.read(first(data(self.call("GET", f"{path_of(post_id)}?{urlencode(query)}")), "posts"))
        if post is None:
            raise Unavailable("The response from Ghost doesn't include the requested post.")
        return post

    def _write(self, method: str, path: str, post: Mapping[str, Any], safe: bool = False) -> GhostPost:
        answer = self.call(method, path, json={"posts": [post]}, safe=safe, need="posts")
        written = GhostPost.read(first(data(answer), "posts"))
        if written is None:
            raise Uncertain(
                "The response from Ghost doesn't include the post id. Check Ghost before you send it again."
            )
        return written


def _require_out(post: GhostPost) -> None:
    """Raise Gone if the post is a draft: somebody unpublished it on Ghost."""
    if not post.is_out:
        raise Gone("The post was unpublished on Ghost. Retry to publish it again.")
