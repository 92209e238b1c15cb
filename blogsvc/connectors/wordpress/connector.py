"""WordPress, self-hosted or on any host with its REST API: whole articles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blogsvc.connectors._kit.dates import date_of_copy, iso_date
from blogsvc.connectors._kit.images import fetch
from blogsvc.connectors._kit.lookups import chosen_at
from blogsvc.connectors._kit.portable import html_warnings
from blogsvc.connectors.base import (
    Account,
    Article,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Field,
    Figures,
    Keys,
    Misconfigured,
    Option,
    Payload,
    Receipt,
    TextPart,
    Unsupported,
)
from blogsvc.connectors.wordpress.blocks import content, marked, plain, with_image
from blogsvc.connectors.wordpress.copy import (
    COPY_FIELDS,
    POSTS,
    READ_FIELDS,
    changed,
    out_of_trash,
    path_of,
    raw,
    receipt_of,
    rendered,
    version_of,
)
from blogsvc.connectors.wordpress.drafts import WordPressDrafts
from blogsvc.connectors.wordpress.errors import list_of
from blogsvc.lib.time import stamp

LISTED = {"status": "any", "context": "edit", "orderby": "id", "_fields": COPY_FIELDS}
PER_PAGE = 10  # of the newest posts, with their texts
# Statuses for new posts only. Editors may have published the post since, so an update does not set them again.
FIRST = frozenset({"draft", "pending"})
DRAFT = {"status": "draft"}


@dataclass
class WordPress(WordPressDrafts):
    """Publishes articles, with their images in the site's media library.

    WordPress does not detect repeated requests, but a copy can be found by a mark in its text. The length of an
    application password is `WP_Application_Passwords::PW_LENGTH`; WordPress shows it with spaces.
    """

    key = "wordpress"
    label = "WordPress"
    about = "Full articles on a WordPress site, self-hosted or on any host with the REST API."
    docs = "https://developer.wordpress.org/rest-api/"
    checked_on = "2026-11-20"
    category = "article"
    accepts = "html"
    carries = frozenset({"title", "summary", "tags", "images", "cover", "canonical_url"})
    shows = (("title", "title"), ("content", "html"))
    once = "Each copy contains an invisible marker, which blogsvc looks for after a lost response."
    limitations = ("Deleting moves the copy to the WordPress trash.",)
    fields = (
        Field("url", "Site URL", help="The public URL, for example https://blog.example.org", address=True),
        Field(
            "username", "Username", help="Your WordPress username or e-mail. The user needs the role Author or higher."
        ),
        Field(
            "password",
            "Application password",
            help="Not your login password. In WordPress, go to Users → Profile → Application Passwords. Enter a name"
            " such as blogsvc, add it, and copy the password. The site must use https.",
            secret=True,
            length=24,
        ),
    )
    options = (
        Option(
            "status",
            "Status",
            ("publish", "private", "pending", "draft"),
            "publish",
            choice_labels={"publish": "Public", "private": "Private, for editors", "pending": "Pending review"},
        ),
        Option(
            "comments",
            "Comments",
            ("default", "open", "closed"),
            "default",
            choice_labels={"default": "As the site's setting"},
        ),
        Option(
            "categories",
            "Categories",
            help="Category names, separated by commas. Leave empty to use the site's default.",
        ),
    )

    def verify(self) -> Account:
        """Find the API, and check the user's permissions."""
        root = self.discover()
        me = self._me()
        listed = me.get("capabilities")
        may = listed if isinstance(listed, dict) else {}
        if not may.get("publish_posts"):
            raise Misconfigured("This WordPress user can't publish. Give it the role Author or higher.")
        facts = {name: bool(may.get(name)) for name in ("upload_files", "unfiltered_html")}
        name = str(me.get("name") or me.get("slug") or self.settings.get("username"))
        return Account(name, self.base_url(), {"root": root, **facts})

    def mint(self, article: Article) -> Keys:
        return {"marker": f"blogsvc:{article.id}", "slug": article.slug}

    def compose(self, article: Article, options: Mapping[str, str]) -> Payload:
        alts = {image.url: image.alt for image in article.images}
        if article.cover_url:
            alts[article.cover_url] = article.cover_alt or alts.get(article.cover_url, "")
        chosen = {option.name: options.get(option.name) or option.default for option in self.options}
        body = {
            "title": plain(article.title),
            "content": content(article),
            "excerpt": plain(article.summary),
            "slug": article.slug,
            "published": stamp(article.published_at) if article.published_at else None,
            "status": chosen["status"],
            "comments": chosen["comments"],
            "categories": [name.strip() for name in chosen["categories"].split(",") if name.strip()],
            "tags": list(article.tags),
            "cover": article.cover_url,
            "images": alts,
        }
        return Payload(body, (*html_warnings(article.html, self.label), *self._image_warnings(alts)))

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        post = self._post(payload.body, keys) | self._date(payload.body, keys)
        answer = self.ask("POST", POSTS, {"_fields": COPY_FIELDS}, json=post, need="id")
        return receipt_of(answer.json())

    def _date(self, body: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        """Return the field for the date of a post that was published some time ago, and none for other posts."""
        date = date_of_copy(body["published"], keys)
        return {"date_gmt": f"{date:%Y-%m-%dT%H:%M:%S}"} if date else {}

    def update(self, payload: Payload, keys: Keys, receipt: Receipt) -> Receipt:
        copy = self._current_copy(receipt)
        if receipt.version not in (None, version_of(copy)):
            if _is_written_by(copy, payload.body, keys):
                return receipt_of(copy)
            raise changed(copy, "retry to overwrite the changes")
        post = self._post(payload.body, keys)
        del post["slug"]  # keeps the URL of the copy
        if post["status"] in FIRST:
            del post["status"]
        answer = self.ask("POST", path_of(receipt), {"_fields": COPY_FIELDS}, json=post, safe=True, need="id")
        return receipt_of(out_of_trash(answer.json()))

    def unpublish(self, keys: Keys, receipt: Receipt) -> Receipt:
        copy = self._current_copy(receipt)
        if copy.get("status") == "draft":
            return receipt_of(copy)
        if receipt.version not in (None, version_of(copy)):
            raise changed(copy, "unpublish it all the same")
        answer = self.ask("POST", path_of(receipt), {"_fields": COPY_FIELDS}, json=DRAFT, safe=True, need="id")
        return receipt_of(answer.json())

    def delete(self, keys: Keys, receipt: Receipt) -> None:
        try:
            self.ask("DELETE", path_of(receipt), {"_fields": "id"})
        except Unsupported:
            self.ask("DELETE", path_of(receipt), {"force": "true"})

    def find(self, keys: Keys) -> CopyFound | CopyNotFound | CopyUnknown:
        """Find the copy by its mark. Otherwise the newest posts tell, because plugins can replace the search."""
        if (found := self._find_marked(keys)) is not None:
            return CopyFound(found)
        answer = self.ask("GET", POSTS, {**LISTED, "order": "desc", "per_page": str(PER_PAGE)})
        newest, total = list_of(answer), answer.headers.get("x-wp-total", "")
        if (copy := next((one for one in newest if _is_marked(one, keys)), None)) is not None:
            return CopyFound(receipt_of(copy))
        since, changes = chosen_at(keys), [iso_date(one.get("modified_gmt")) for one in newest]
        # Ids ascend, so what is older than a post that was last changed before the attempt is older, too.
        is_past = since is not None and any(changed < since for changed in changes if changed)
        is_all = total.isdecimal() and int(total) <= PER_PAGE
        return CopyNotFound() if is_past or is_all else CopyUnknown()

    def _find_marked(self, keys: Keys) -> Receipt | None:
        """Find the copy by its mark, and by its slug. The status `any` leaves out the trash."""
        queries = [{"search": keys["marker"]}, *([{"slug": keys["slug"]}] if keys.get("slug") else [])]
        for query in queries:
            for copy in list_of(self.ask("GET", POSTS, {**query, **LISTED, "order": "asc"})):
                if _is_marked(copy, keys):
                    return receipt_of(copy)
        return None

    def find_all(self, keys: Keys) -> list[Receipt]:
        """Return all posts with our mark: what the search finds, and the newest posts, in case a plugin replaces it."""
        queries = [{"search": keys["marker"], "order": "asc"}, {"order": "desc", "per_page": str(PER_PAGE)}]
        listed = [copy for query in queries for copy in list_of(self.ask("GET", POSTS, {**LISTED, **query}))]
        found = {copy["id"]: copy for copy in listed if _is_marked(copy, keys)}
        return [receipt_of(found[copy_id]) for copy_id in sorted(found)]

    def fetch_version(self, keys: Keys, receipt: Receipt) -> Receipt:
        return receipt_of(self._current_copy(receipt))

    def read_back(self, keys: Keys, receipt: Receipt) -> tuple[TextPart, ...]:
        """Return the copy as WordPress renders it, including the changes of its plugins."""
        path = path_of(receipt)
        copy = out_of_trash(self.ask("GET", path, {"_fields": READ_FIELDS}, need="content.rendered").json())
        return TextPart("title", rendered(copy, "title")), TextPart("html", rendered(copy, "content"))

    def stats(self, receipt: Receipt) -> Figures:
        """Return the number of comments. Views depend on plugins."""
        answer = self.ask("GET", "wp/v2/comments", {"post": receipt.remote_id, "per_page": "1", "_fields": "id"})
        total = answer.headers.get("x-wp-total", "")
        if total == "0":
            self._current_copy(receipt)  # raises Gone: the count is also 0 for deleted posts
        return Figures(comments=int(total) if total.isdecimal() else None)

    def _me(self) -> dict[str, Any]:
        query = {"context": "edit", "_fields": "id,name,slug,capabilities"}
        try:
            me: dict[str, Any] = self.ask("GET", "wp/v2/users/me", query, need="id").json()
        except Disconnected:
            if not self.offers_passwords():
                raise Misconfigured(
                    "Application passwords aren't available. Use https, and check that no plugin disables them.",
                    field="url",
                ) from None
            raise
        return me

    def _current_copy(self, receipt: Receipt) -> dict[str, Any]:
        """Return the current copy. Raises Gone if it is in the trash."""
        answer = self.ask("GET", path_of(receipt), {"context": "edit", "_fields": COPY_FIELDS}, need="id")
        return out_of_trash(answer.json())

    def _post(self, body: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
        """Return the request for a copy: terms as ids, images in the site's library, our mark at the end."""
        html, cover = self._content_and_cover(body)
        post = {name: body[name] for name in ("title", "excerpt", "slug", "status")}
        post["content"] = marked(html, _mark(keys))
        post["tags"] = [self.term("tags", name) for name in body["tags"]]
        if cover or not body["cover"]:  # an unavailable cover stays unchanged
            post["featured_media"] = cover
        if body["categories"]:
            post["categories"] = [self.term("categories", name) for name in body["categories"]]
        if body["comments"] != "default":
            post["comment_status"] = body["comments"]
        return post

    def _content_and_cover(self, body: Mapping[str, Any]) -> tuple[str, int]:
        """Return the content with images from the library, and the id of the cover."""
        html, cover = body["content"], 0
        for url, image in fetch(self.images, body["images"]):
            medium = self.medium(image, body["images"][url], is_cover=url == body["cover"])
            if medium is not None:  # else the original URL stays
                html = with_image(html, url, medium.url, medium.id)
                cover = medium.id if url == body["cover"] else cover
        self.uploads.leave_time()
        return html, cover

    def _image_warnings(self, images: Mapping[str, str]) -> tuple[str, ...]:
        if not images or self.facts.get("upload_files", True):
            return ()
        return ("This WordPress user can't upload images. The copy links to the images at their original URLs.",)


def _mark(keys: Keys) -> str:
    """Return the mark, which identifies the copy and the operation that wrote it."""
    return f"<!-- {keys['marker']} {keys['operation']} -->"


def _is_written_by(copy: Mapping[str, Any], body: Mapping[str, Any], keys: Keys) -> bool:
    """Return True for our own change, whose response was lost, if nobody has edited or unpublished the copy since."""
    from blogsvc.connectors._kit.html_words import words_and_links  # the parser is rarely needed

    if _mark(keys) not in raw(copy, "content") or (copy.get("status") == "draft" and body["status"] not in FIRST):
        return False
    parts = ("title", "excerpt", "content")
    return all(words_and_links(raw(copy, part)) == words_and_links(body[part]) for part in parts)


def _is_marked(copy: Mapping[str, Any], keys: Keys) -> bool:
    return bool(copy.get("id")) and f"<!-- {keys['marker']} " in raw(copy, "content")
