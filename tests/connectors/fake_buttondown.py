"""A fake Buttondown with the rules of its API that records the e-mails sent to everyone."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from tests.outside import Outside, Reply, Seen

API = "https://api.buttondown.com/v1"
KEY = "0b9f6c1e-7a55-4c1d-9d3e-1a2b3c4d5e6f"
TAKEN = {"subject", "body", "slug", "canonical_url", "description", "image", "metadata", "status"}
PAGE = 2  # e-mails per page; the real one has more


class Refusal(Exception):
    def __init__(self, status, code, detail):
        self.reply = Reply(status, {"code": code, "detail": detail, "metadata": {}})


class FakeButtondown:
    def __init__(self, outside: Outside):
        self.outside = outside
        self.emails, self.mails, self.analytics, self.is_confirmed = {}, [], {}, False
        self.subscribers = ["regular"] * 1200 + ["premium"] * 34 + ["unsubscribed"] * 5 + ["unactivated"]
        for path in ("ping", "newsletters", "subscribers", "emails"):
            outside.teach("GET", f"{API}/{path}", self)
        outside.teach("POST", f"{API}/emails", self)

    def __call__(self, seen: Seen) -> Reply:
        url = urlsplit(seen.url)
        if seen.headers.get("authorization") != f"Token {KEY}":
            return Reply(401, {"detail": "Invalid token."})
        try:
            return self.answer(seen, url.path.removeprefix("/v1/").split("/"), parse_qs(url.query))
        except Refusal as refusal:
            return refusal.reply

    def answer(self, seen, path, query):
        match (seen.method, *path):
            case ("GET", "ping"):
                return Reply(200, body=b"pong")
            case ("GET", "newsletters"):
                return Reply(json={"results": [{"name": "Trees weekly", "username": "trees"}]})
            case ("GET", "subscribers"):
                kinds = query["type"]
                people = [one for one in self.subscribers if one in kinds]
                return Reply(json={"results": people[:1], "count": len(people)})
            case ("GET", "emails"):
                return self.browse(int(query.get("page", ["1"])[0]))
            case ("POST", "emails"):
                return self.create(seen)
            case (method, "emails", email_id, *rest):
                return self.one(seen, method, email_id, rest)

    def one(self, seen, method, email_id, rest):
        if email_id not in self.emails:
            raise Refusal(404, "not_found", "Not Found")
        email = self.emails[email_id]
        match (method, *rest):
            case ("DELETE",):
                del self.emails[email_id]
                return Reply(204)
            case ("PATCH",):
                self.change(email, seen.json())
            case ("POST", "publish"):
                self.publish(email, seen)
            case ("GET", "analytics"):
                return Reply(json={"recipients": 0, "opens": 0, "clicks": 0, **self.analytics})
        return Reply(json=email)

    def browse(self, page):
        """List the newest first."""
        newest = list(reversed(self.emails.values()))
        following = f"{API}/emails?page={page + 1}" if page * PAGE < len(newest) else None
        found = newest[(page - 1) * PAGE : page * PAGE]
        return Reply(json={"results": found, "next": following, "previous": None, "count": len(newest)})

    def create(self, seen):
        email = {key: value for key, value in seen.json().items() if key in TAKEN}
        email = {"slug": "", "status": "about_to_send", "metadata": {}, **email}
        self.check(email)
        same = [
            other for other in self.emails.values() if all(other[k] == email[k] for k in ("subject", "body", "slug"))
        ]
        if same:
            raise Refusal(400, "email_duplicate", "This email already exists.")
        email["id"] = f"em_{len(self.outside.requests):05d}"
        email["absolute_url"] = f"https://buttondown.com/trees/archive/{email['slug']}/"
        if email["status"] != "draft":
            self.mail(email, seen)
        self.emails[email["id"]] = email
        for method, rest in [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/publish"), ("GET", "/analytics")]:
            self.outside.teach(method, f"{API}/emails/{email['id']}{rest}", self)
        return Reply(201, email)

    def change(self, email, sent):
        if email["status"] != "draft" and set(sent) - {"body"}:
            raise Refusal(400, "email_invalid", "Only the body of a sent email can be changed.")
        self.check({**email, **sent})
        email.update({key: value for key, value in sent.items() if key in TAKEN})

    def publish(self, email, seen):
        if email["status"] != "draft":
            raise Refusal(400, "status_invalid", "Only a draft can be published.")
        self.mail(email, seen)

    def mail(self, email, seen):
        self.is_confirmed = self.is_confirmed or seen.headers.get("x-buttondown-live-dangerously") == "true"
        if not self.is_confirmed:
            raise Refusal(400, "sending_requires_confirmation", "Confirm that you want to send.")
        email["status"] = "about_to_send"
        self.mails.append(email["id"])

    def check(self, email):
        if not email.get("subject") or len(email["subject"]) > 2000:
            raise Refusal(400, "subject_invalid", "Subject is too long.")
        if email["body"].startswith("---"):
            raise Refusal(400, "body_contains_frontmatter", "The body contains frontmatter.")
        if not re.fullmatch(r"[A-Za-z0-9_-]{0,100}", email["slug"]):
            raise Refusal(400, "slug_invalid", "The slug is invalid.")

    def only(self):
        (email,) = self.emails.values()
        return email
