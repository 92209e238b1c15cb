"""A fake Lemmy with both API versions: paths, documents, error codes and rate limit."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import count
from urllib.parse import parse_qs, urlsplit

from tests.outside import Reply

SERVER = "https://lemmy.example"
USER, PASSWORD = "ada", "p4ssw0rd"
PERSON = {"id": 31, "name": USER}
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
COMMUNITIES = {"trees": 7, "wood@other.example": 8}


def error(word, status=400):
    return Reply(status, json={"error": word})


class FakeLemmy:
    """`api` is v3 or v4. `clock` returns seconds; by default 200 pass with each post, to stay within the rate limit."""

    def __init__(self, outside, api="v3", clock=None):
        self.outside, self.api, self.now = outside, api, NOW
        self.clock = clock or count(0, 200).__next__
        self.posts, self.tokens, self.sent, self.numbers = {}, set(), [], count(500)
        self.body_most = {"v3": 10_000, "v4": 50_000}[api]
        if api == "v3":
            outside.teach("GET", f"{SERVER}/api/v4/site", status=404)
            self.teach("POST", "user/login", self.log_in, is_open=True)
            self.teach("GET", "user", self.mine)
            self.teach("POST", "post/delete", self.delete)
        else:
            self.teach("POST", "account/auth/login", self.log_in, is_open=True)
            self.teach("GET", "account", lambda seen: Reply(json={"local_user_view": {"person": PERSON}}))
            self.teach("GET", "person/content", self.mine)
            self.teach("DELETE", "post", self.delete)
        self.teach("GET", "site", self.site, is_open=True)
        self.teach("GET", "community", self.community)
        self.teach("POST", "post", self.create)
        self.teach("PUT", "post", self.edit)
        self.teach("GET", "post", self.show)

    def teach(self, method, path, answer, is_open=False):
        def guarded(seen):
            return answer(seen) if is_open or self.is_known(seen) else error("not_logged_in", 400)

        self.outside.teach(method, f"{SERVER}/api/{self.api}/{path}", guarded)

    def is_known(self, seen):
        return seen.headers.get("authorization", "").removeprefix("Bearer ") in self.tokens

    def site(self, seen):
        mine = {"local_user_view": {"person": PERSON}} if self.api == "v3" and self.is_known(seen) else None
        return Reply(json={"version": {"v3": "0.19.12", "v4": "1.0.0"}[self.api], "my_user": mine})

    def log_in(self, seen):
        if seen.json() != {"username_or_email": USER, "password": PASSWORD}:
            return error("incorrect_login", 401)
        token = f"jwt-{len(self.tokens)}-{len(self.sent)}"
        self.tokens.add(token)
        return Reply(json={"jwt": token, "registration_created": False})

    def community(self, seen):
        id = COMMUNITIES.get(asked(seen, "name"))
        return Reply(json={"community_view": {"community": {"id": id}}}) if id else error("couldnt_find_community")

    def create(self, seen):
        given, now = seen.json(), self.clock()
        if wrong := self.wrong(given):
            return error(wrong)
        self.sent = [*(then for then in self.sent if then > now - 600), now]
        if len(self.sent) > 6:
            return error("rate_limit_error", 400 if self.api == "v3" else 429)
        return self.shown(self.add(given))

    def post_by_hand(self, url):
        """Write a post on the platform itself."""
        self.add({"name": "Something else", "url": url, "community_id": 7})

    def add(self, given):
        id = next(self.numbers)
        published = (self.now + timedelta(seconds=id)).isoformat()
        dated = {"published" if self.api == "v3" else "published_at": published}
        self.posts[id] = {"id": id, "deleted": False, "removed": False, "score": 1, "comments": 0, **dated, **given}
        return self.posts[id]

    def wrong(self, given):
        name, url = given.get("name"), given.get("url")
        if name is not None and ("\n" in name or len(name) > 200 or not re.search(r"\S{3}", name)):
            return "invalid_post_title"
        if url and (not url.startswith("http") or len(url) > 2000):
            return "invalid_url"
        if len(given.get("body") or "") > self.body_most:
            return "invalid_body_field"
        return None if given.get("community_id", 7) in COMMUNITIES.values() else "couldnt_find_community"

    def edit(self, seen):
        """Absent fields are kept; empty ones are cleared."""
        given = seen.json()
        if wrong := self.wrong(given):
            return error(wrong)
        post = self.posts.get(given.pop("post_id"))
        if post is None or post["deleted"]:
            return error("couldnt_find_post")
        post.update({name: value or None for name, value in given.items()})
        return self.shown(post)

    def delete(self, seen):
        post = self.posts.get(seen.json()["post_id"])
        if post is None or post["deleted"] == seen.json()["deleted"]:
            return error("couldnt_update_post")
        post["deleted"] = seen.json()["deleted"]
        return self.shown(post)

    def show(self, seen):
        post = self.posts.get(int(asked(seen, "id")))
        return self.shown(post) if post else error("couldnt_find_post") if self.api == "v3" else error("not_found", 404)

    def mine(self, seen):
        """List the newest first, in v4 with a comment. v3 counts pages, v4 has a cursor."""
        views = [self.view(post) for post in reversed(self.posts.values())]
        limit = int(asked(seen, "limit"))
        if self.api == "v3":
            start = limit * (int(asked(seen, "page", "1")) - 1)
            return Reply(json={"posts": views[start : start + limit], "comments": []})
        if views:
            now = (self.now + timedelta(hours=1)).isoformat()
            views = [{"type_": "comment", **views[0], "comment": {"id": 1, "published_at": now}}, *views]
        start = int(asked(seen, "page_cursor", "0"))
        following = str(start + limit) if start + limit < len(views) else None
        return Reply(json={"items": views[start : start + limit], "next_page": following})

    def view(self, post):
        counts = {name: post[name] for name in ("score", "comments")}
        told = {name: value for name, value in post.items() if name not in counts}
        return {"post": told, "counts": counts} if self.api == "v3" else {"post": {**told, **counts}}

    def shown(self, post):
        return Reply(json={"post_view": self.view(post)})

    def public(self):
        return [post for post in self.posts.values() if not post["deleted"]]


def asked(seen, name, default=None):
    return parse_qs(urlsplit(seen.url).query).get(name, [default])[0]
