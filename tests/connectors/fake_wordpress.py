"""A fake WordPress. It follows the rules of WordPress and returns recorded responses of a real one.

Every body comes from `recorded/wordpress.json`: a success with our ids and texts inserted, an error unchanged.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.outside import Outside, Reply, Seen
from tests.real.recorder import recorded

SITE = "https://wp.example"
ROOT = f"{SITE}/wp-json/"
API = f"{ROOT}wp/v2"
USERNAME, PASSWORD = "an-editor", "abcd efgh IJKL 0123 mnop 4567"
RECORDED = json.loads(json.dumps(recorded("wordpress")).replace("http://127.0.0.1:9400", SITE))
MOST = 40  # statuses and similar fields


def said(name: str, **changes: Any) -> Reply:
    """Return the recorded response to `METHOD path` of a real WordPress, with our ids and texts."""
    method, path, status, *code = name.split()
    heard = RECORDED[" ".join([method, f"/wp-json/wp/vN/{path}", status, *code])]
    body = {**heard["body"], **changes} if isinstance(heard["body"], dict) else heard["body"]
    return Reply(int(status), json=body, headers={k: v for k, v in heard["headers"].items() if k != "content-type"})


class FakeWordPress:
    """`may` is the set of capabilities of its only user; `is_announced` is True if its pages link to the API."""

    def __init__(self, outside: Outside, root: str = ROOT) -> None:
        self.posts: dict[int, dict[str, Any]] = {}
        self.media: dict[int, dict[str, Any]] = {}
        self.terms: dict[str, dict[int, str]] = {"tags": {}, "categories": {1: "Uncategorized"}}
        self.comments: dict[int, int] = {}
        self.may = dict(RECORDED["GET /wp-json/wp/vN/users/me 200"]["body"]["capabilities"])
        self.has_trash = self.has_passwords = self.has_search = True
        self.takes_images = True
        self.plugin: Callable[[str], str] = str  # what a plugin makes of the text that readers see
        self.next_id = 4
        outside.teach("HEAD", f"{SITE}/", headers={"Link": f'<{ROOT}>; rel="https://api.w.org/"'})
        outside.teach("GET", root, self.index)
        at = f"{root}wp/v2/"
        outside.teach("GET", f"{at}users/me", self.guarded(self.me))
        outside.teach("GET", f"{at}posts", self.guarded(self.search))
        outside.teach("POST", f"{at}posts", self.guarded(self.create))
        outside.teach("GET", f"{at}media", self.guarded(self.search_media))
        outside.teach("POST", f"{at}media", self.guarded(self.upload))
        outside.teach("GET", f"{at}comments", self.guarded(self.count_comments))
        for kind in self.terms:
            outside.teach("POST", f"{at}{kind}", self.guarded(self.make_term))
            outside.teach("GET", f"{at}{kind}", self.guarded(self.search_terms))
        for number in range(1, MOST):
            for method in ("GET", "POST", "DELETE"):
                outside.teach(method, f"{at}posts/{number}", self.guarded(self.one))
            outside.teach("GET", f"{at}media/{number}", self.guarded(self.medium))
            outside.teach("POST", f"{at}media/{number}", self.guarded(self.describe))

    def guarded(self, answer: Any) -> Any:
        basic = "Basic " + base64.b64encode(f"{USERNAME}:{PASSWORD}".replace(" ", "").encode()).decode()

        def answering(seen: Seen) -> Reply:
            if seen.headers.get("authorization") == basic:
                return answer(seen)
            if seen.method == "POST":
                return said("POST posts 401 rest_cannot_create")
            return said("GET users/me 401 rest_not_logged_in")

        return answering

    def index(self, seen: Seen) -> Reply:
        body = RECORDED["GET /wp-json/ 200"]["body"]
        return Reply(json={**body, "authentication": body["authentication"] if self.has_passwords else []})

    def me(self, seen: Seen) -> Reply:
        return said("GET users/me 200", capabilities=self.may)

    def create(self, seen: Seen) -> Reply:
        wish = seen.json()
        if not self.may.get("publish_posts"):
            return said("POST posts 403 rest_cannot_publish")
        number, self.next_id = self.next_id, self.next_id + 1
        self.posts[number] = {
            "title": "",
            "content": "",
            "excerpt": "",
            "featured_media": 0,  # an unknown id is accepted silently
            "tags": [],
            **wish,
            "slug": self.free_slug(wish.get("slug") or "x"),
        }
        return said("POST posts 201", **self.shown(number))

    def free_slug(self, slug: str) -> str:
        taken = {post["slug"] for post in self.posts.values()}
        return next(one for one in (slug, *(f"{slug}-{n}" for n in range(2, MOST))) if one not in taken)

    def shown(self, number: int) -> dict[str, Any]:
        post = self.posts[number]
        words = {part: post[part] for part in ("title", "content", "excerpt")}
        raw = {part: {"raw": text, "rendered": self.rendered(text)} for part, text in words.items()}
        rest = {part: post[part] for part in ("status", "featured_media", "tags")}
        link = f"{SITE}/2026/11/20/{post['slug']}/"
        return {"id": number, "link": link, "modified_gmt": post.get("modified", "2026-11-20T10:00:00"), **raw, **rest}

    def rendered(self, text: str) -> str:
        """Return a field as readers see it: without the comments of the editor, with curled quotation marks."""
        return self.plugin(re.sub(r"<!--.*?-->|(?<=\s)\"", lambda found: "“" if found[0] == '"' else "", text))

    def search(self, seen: Seen) -> Reply:
        asked = query(seen)
        assert asked["status"] == "any"
        sign = {"asc": 1, "desc": -1}[asked["order"]]
        found = [
            self.shown(number)
            for number, post in sorted(self.posts.items(), key=lambda one: sign * one[0])
            if post["status"] != "trash"
            and asked.get("slug", post["slug"]) == post["slug"]
            and ("search" not in asked or self.matches(asked["search"], post))
        ]
        total = {"X-WP-Total": str(len(found))}
        return Reply(json=found[: int(asked.get("per_page", "10"))], headers=total)

    def matches(self, words: str, post: dict[str, Any]) -> bool:
        return self.has_search and words.lower() in post["content"].lower()

    def one(self, seen: Seen) -> Reply:
        number = int(urlsplit(seen.url).path.rpartition("/")[2])
        post = self.posts.get(number)
        if post is None:
            return said(f"{seen.method} posts/N 404 rest_post_invalid_id")
        if seen.method == "DELETE":
            return self.remove(seen, number, post)
        if seen.method == "POST":  # in the trash too
            post.update({**seen.json(), **({"status": "trash"} if post["status"] == "trash" else {})})
        return said(f"{seen.method} posts/N 200", **self.shown(number))

    def remove(self, seen: Seen, number: int, post: dict[str, Any]) -> Reply:
        if query(seen).get("force") == "true":
            del self.posts[number]
            return Reply(json={"deleted": True})
        if not self.has_trash:
            return said("DELETE media/N 501 rest_trash_not_supported")
        if post["status"] == "trash":
            return said("DELETE posts/N 410 rest_already_trashed")
        post.update(status="trash", slug=post["slug"] + "__trashed")
        return said("DELETE posts/N 200", id=number)

    def upload(self, seen: Seen) -> Reply:
        if not self.takes_images:
            return said("POST media 500 rest_upload_sideload_error")
        (name,) = re.findall(r'^attachment; filename="([\w.]+)"$', seen.headers["content-disposition"])
        number, self.next_id = self.next_id, self.next_id + 1
        url = f"{SITE}/wp-content/uploads/2026/11/{name}"
        self.media[number] = {"id": number, "source_url": url, "alt_text": ""}
        return said("POST media 201", **self.media[number])

    def medium(self, seen: Seen) -> Reply:
        number = int(re.findall(r"/media/(\d+)", seen.url)[0])
        return Reply(json={"id": number}) if number in self.media else Reply(404, json={"code": "rest_post_invalid_id"})

    def search_media(self, seen: Seen) -> Reply:
        return Reply(json=[one for one in self.media.values() if f"/{query(seen)['slug']}." in one["source_url"]])

    def describe(self, seen: Seen) -> Reply:
        number = int(urlsplit(seen.url).path.rpartition("/")[2])
        self.media[number].update(seen.json())
        return said("POST media/N 200", id=number)

    def make_term(self, seen: Seen) -> Reply:
        kind = urlsplit(seen.url).path.rpartition("/")[2]
        name = seen.json()["name"]
        for number, there in self.terms[kind].items():
            if there == name:
                heard = said("POST tags 400 term_exists")
                return Reply(400, json={**heard.json, "data": {"status": 400, "term_id": number}})
        if kind == "categories" and not self.may.get("manage_categories"):
            return said("POST categories 403 rest_cannot_create")
        number, self.next_id = self.next_id, self.next_id + 1
        self.terms[kind][number] = name
        return said("POST tags 201", id=number)

    def search_terms(self, seen: Seen) -> Reply:
        kind = urlsplit(seen.url).path.rpartition("/")[2]
        kept = {number: name.replace("&", "&amp;") for number, name in self.terms[kind].items()}
        wish = query(seen)["search"].lower()
        return Reply(json=[{"id": number, "name": name} for number, name in kept.items() if wish in name.lower()])

    def count_comments(self, seen: Seen) -> Reply:
        count = self.comments.get(int(query(seen)["post"]), 0)
        return Reply(json=[], headers={"X-WP-Total": str(count)})


def query(seen: Seen) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(seen.url).query).items()}
