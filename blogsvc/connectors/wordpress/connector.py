"""WordPress on a server of one's own (or any host that has its REST API): articles, whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from blogsvc.connectors._kit.images import fetch
from blogsvc.connectors.base import (
    Account,
    Article,
    Conflict,
    CopyFound,
    CopyNotFound,
    Disconnected,
    Field,
    Figures,
    Gone,
    Keys,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    Unsupported,
)
from blogsvc.connectors.wordpress.blocks import content, marked, plain, with_picture
from blogsvc.connectors.wordpress.copy import COPY_FIELDS, out_of_trash, raw, receipt_of, version_of
from blogsvc.connectors.wordpress.errors import list_of
from blogsvc.connectors.wordpress.site import WordPressSite

POSTS = "wp/v2/posts"
# What a post is when it arrives. WordPress' editors take it on from there, so an update does not put it back.
FIRST = frozenset({"draft", "pending"})


@dataclass
class WordPress(WordPressSite):
    """A copy of the article on a WordPress site, with its pictures in that site's library.

    WordPress knows no repetition, but it can be searched for a mark in the text.
    """

    key = "wordpress"
    label = "WordPress"
    about = "Whole articles on a WordPress site, your own or at any host that has its REST API."
    docs = "https://developer.wordpress.org/rest-api/"
    checked_on = "2026-11-20"
    kind = "article"
    accepts = "html"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("title", "title"), ("content", "html"))
    once = "Each copy carries an invisible mark; after a lost answer WordPress is searched for it."
    caveats = ("Deleting moves the copy to the trash there.",)
    fields = (
        Field("url", "Address of the site", help="As readers see it, for example https://blog.example.org"),
        Field("username", "User name", help="The name or e-mail you log in with there; an Author or higher."),
        Field(
            "password",
            "Application password",
            help="Not the one you log in with. In WordPress under Users → Profile, at the bottom: Application"
            " Passwords. Type a name such as blogsvc, add it, and copy what it shows. The site needs https for it.",
            secret=True,
        ),
    )
    options = (
        Option(
            "status",
            "Status",
            ("publish", "private", "pending", "draft"),
            "publish",
            help="How it arrives: public, for its editors alone, waiting for review, or as a draft.",
        ),
        Option("comments", "Comments", ("default", "open", "closed"), "default", help="“default” is as the site does."),
        Option("categories", "Categories", help="Names, with commas between. Left empty, the site's default."),
    )

    def verify(self) -> Account:
        """Find the API, and ask it who we are and what we may."""
        root = self.discover()
        me = self._me()
        listed = me.get("capabilities")
        may = listed if isinstance(listed, dict) else {}
        if not may.get("publish_posts"):
            raise Misconfigured("This WordPress user may not publish: give it the role Author or a higher one.")
        facts = {name: bool(may.get(name)) for name in ("upload_files", "unfiltered_html")}
        name = str(me.get("name") or me.get("slug") or self.settings.get("username"))
        return Account(name, self.base_url(), {"root": root, **facts})

    def mint(self, article: Article) -> Keys:
        return {"marker": f"blogsvc:{article.id}", "slug": article.slug}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        alts = {picture.url: picture.alt for picture in article.pictures}
        if article.cover_url:
            alts.setdefault(article.cover_url, "")
        wish = {option.name: options.get(option.name) or option.default for option in self.options}
        body = {
            "title": plain(article.title),
            "content": content(article),
            "excerpt": plain(article.summary),
            "slug": article.slug,
            "status": wish["status"],
            "comments": wish["comments"],
            "categories": [name.strip() for name in wish["categories"].split(",") if name.strip()],
            "tags": list(article.tags),
            "cover": article.cover_url,
            "pictures": alts,
        }
        return Payload(body, self._losses(alts))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        made = self.ask("POST", POSTS, {"_fields": COPY_FIELDS}, json=self._post(payload.body, keys), need="id")
        return receipt_of(made.json())

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        receipt = self._known(keys, receipt)
        there = self._there(receipt)
        if receipt.version not in (None, version_of(there)):
            if _mark(keys) in raw(there, "content"):  # we have been here, and the answer got lost
                return receipt_of(there)
            changed = str(there.get("modified_gmt") or "")[:16].replace("T", " ")
            raise Conflict(f"It was changed on WordPress at {changed} UTC: look at it there. Retry to write over it.")
        post = self._post(payload.body, keys)
        del post["slug"]  # the copy stays where it is linked to
        if post["status"] in FIRST:
            del post["status"]
        answer = self.ask("POST", _at(receipt), {"_fields": COPY_FIELDS}, json=post, safe=True, need="id")
        return receipt_of(out_of_trash(answer.json()))

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        receipt = self._known(keys, receipt)
        try:
            self.ask("DELETE", _at(receipt), {"_fields": "id"})
        except Unsupported:
            self.ask("DELETE", _at(receipt), {"force": "true"})

    def find(self, keys: Keys) -> CopyFound | CopyNotFound:
        """By its mark; by its slug too, should a plugin have put another search in the place of WordPress' own.

        `any` leaves out the trash: nobody reads what is there.
        """
        queries = [{"search": keys["marker"]}, *([{"slug": keys["slug"]}] if keys.get("slug") else [])]
        for query in queries:
            asked = {
                **query,
                "status": "any",
                "context": "edit",
                "orderby": "id",
                "order": "asc",
                "_fields": COPY_FIELDS,
            }
            for copy in list_of(self.ask("GET", POSTS, asked)):
                if copy.get("id") and f"<!-- {keys['marker']} " in raw(copy, "content"):
                    return CopyFound(receipt_of(copy))
        return CopyNotFound()

    def look(self, keys: Keys, receipt: Receipt) -> Receipt:
        return receipt_of(self._there(self._known(keys, receipt)))

    def stats(self, receipt: Receipt) -> Figures:
        """WordPress counts comments; views are counted by plugins, each in its own way."""
        answer = self.ask("GET", "wp/v2/comments", {"post": receipt.remote_id, "per_page": "1", "_fields": "id"})
        total = answer.headers.get("x-wp-total", "")
        if total == "0":
            self._there(receipt)  # of a post that is gone it says the same
        return Figures(comments=int(total) if total.isdecimal() else None)

    def _me(self) -> dict[str, Any]:
        query = {"context": "edit", "_fields": "id,name,slug,capabilities"}
        try:
            me: dict[str, Any] = self.ask("GET", "wp/v2/users/me", query, need="id").json()
        except Disconnected:
            if not self.offers_passwords():
                raise Misconfigured(
                    "This WordPress has no application passwords: it needs https, and no plugin against them.",
                    field="url",
                ) from None
            raise
        return me

    def _known(self, keys: Keys, receipt: Receipt) -> Receipt:
        """The receipt with WordPress' own id: of a copy that the author vouched for, there may be none."""
        if receipt.remote_id.isdecimal():
            return receipt
        if isinstance(found := self.find(keys), CopyNotFound):
            raise Gone("There is no such copy on WordPress.")
        return replace(receipt, remote_id=found.receipt.remote_id)

    def _there(self, receipt: Receipt) -> dict[str, Any]:
        """The copy as it is. Raises Gone where it is in the trash."""
        answer = self.ask("GET", _at(receipt), {"context": "edit", "_fields": COPY_FIELDS}, need="id")
        return out_of_trash(answer.json())

    def _post(self, body: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        """The request of a copy: terms as ids, pictures in the site's own library, our mark at the end."""
        html, cover = self._shown(body)
        post = {name: body[name] for name in ("title", "excerpt", "slug", "status")}
        post["content"] = marked(html, _mark(keys))
        post["tags"] = [self.term("tags", name) for name in body["tags"]]
        if cover or not body["cover"]:  # one that cannot be had now stays as it is
            post["featured_media"] = cover
        if body["categories"]:
            post["categories"] = [self.term("categories", name) for name in body["categories"]]
        if body["comments"] != "default":
            post["comment_status"] = body["comments"]
        return post

    def _shown(self, body: Mapping[str, Any]) -> tuple[str, int]:
        """The content with the site's own pictures in it, and the id of the cover."""
        html, cover = body["content"], 0
        for url, picture in fetch(self.album, body["pictures"]).items():
            medium = self.medium(picture, body["pictures"][url])
            if medium is not None:  # else it is shown from where it is
                html = with_picture(html, url, medium.url, medium.id)
                cover = medium.id if url == body["cover"] else cover
        return html, cover

    def _losses(self, pictures: Mapping[str, str]) -> tuple[str, ...]:
        if not pictures or self.facts.get("upload_files", True):
            return ()
        return ("This WordPress user may not upload pictures: they are shown from where they are.",)


def _mark(keys: Keys) -> str:
    """What tells the copy, and which wish made it as it is."""
    return f"<!-- {keys['marker']} {keys['operation']} -->"


def _at(receipt: Receipt) -> str:
    return f"{POSTS}/{receipt.remote_id}"
