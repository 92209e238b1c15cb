"""A fake Ghost with the rules of its Admin API that records the newsletters it sends."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from io import BytesIO
from urllib.parse import parse_qsl, urlsplit

import jwt
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from blogsvc.lib.text.plain import slugify
from tests.outside import Outside, Reply, Seen

SITE = "https://ghost.example"
API = f"{SITE}/ghost/api/admin"
KEY_ID, SECRET = "6489d1a2b3c4d5e6f7a8b9c0", "5f" * 32
NEWSLETTERS, AUTHORS = {"weekly"}, {"ada", "grace"}
MOST = {"title": 255, "custom_excerpt": 300, "meta_description": 500, "canonical_url": 2000, "feature_image_alt": 191}
TAKEN = {*MOST, "slug", "html", "status", "tags", "feature_image", "updated_at", "published_at"}
TAKEN |= {"authors", "featured", "codeinjection_foot"}


class Refusal(Exception):
    def __init__(self, status, kind, message, **more):
        self.reply = Reply(status, {"errors": [{"type": kind, "message": message, **more}]})


class FakeGhost:
    def __init__(self, outside: Outside, clock=time.time):
        self.outside, self.clock = outside, clock
        self.posts, self.uploads, self.mails = {}, [], []
        self.now = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
        for path in ("posts/", "site/", "links/", "newsletters/", "users/"):
            outside.teach("GET", f"{API}/{path}", self)
        for path in ("posts/", "images/upload/"):
            outside.teach("POST", f"{API}/{path}", self)
        outside.teach("HEAD", f"{SITE}/content/images/*", self.served)

    def __call__(self, seen: Seen) -> Reply:
        url = urlsplit(seen.url)
        path, query = url.path.removeprefix("/ghost/api/admin/"), dict(parse_qsl(url.query))
        try:
            if path == "site/":
                return Reply(json={"site": {"title": "Trees & more", "url": f"{SITE}/", "version": "5.130"}})
            self.check_token(seen)
            if path == "images/upload/":
                return self.upload(seen)
            if path == "newsletters/":
                counted = [{"slug": slug, "count": {"active_members": 1234}} for slug in sorted(NEWSLETTERS)]
                return Reply(json={"newsletters": counted})
            if path == "users/":
                return Reply(json={"users": [{"slug": slug, "name": slug.title()} for slug in sorted(AUTHORS)]})
            if not path.startswith("posts/"):
                raise Refusal(501, "NotImplementedError", "The server does not support it.")
            return self.answer(seen, path.removeprefix("posts/").strip("/"), query)
        except Refusal as refusal:
            return refusal.reply

    def check_token(self, seen):
        scheme, _, token = seen.headers.get("authorization", "").partition(" ")
        if scheme != "Ghost":
            raise Refusal(403, "NoPermissionError", "Authorization failed")
        try:
            if jwt.get_unverified_header(token)["kid"] != KEY_ID:
                raise Refusal(401, "UnauthorizedError", "Unknown Admin API Key", code="UNKNOWN_ADMIN_API_KEY")
            # The time is checked below, with the clock of this fake.
            options = {"verify_exp": False, "verify_iat": False}
            claims = jwt.decode(token, bytes.fromhex(SECRET), ["HS256"], options=options, audience="/admin/")
        except jwt.InvalidTokenError as error:
            raise Refusal(400, "BadRequestError", f"Invalid token: {error}", code="INVALID_JWT") from None
        if claims["iat"] + 300 <= self.clock():
            raise Refusal(401, "UnauthorizedError", "Invalid token: maxAge exceeded", code="INVALID_JWT")

    def answer(self, seen, post_id, query):
        if not post_id:
            return self.browse(query) if seen.method == "GET" else self.create(seen.json()["posts"][0])
        if post_id not in self.posts:
            raise Refusal(404, "NotFoundError", "Resource not found error, cannot read post.")
        if seen.method == "DELETE":
            del self.posts[post_id]
            return Reply(204)
        if seen.method == "PUT":
            self.change(self.posts[post_id], seen.json()["posts"][0], query)
        return Reply(json={"posts": [self.shown(self.posts[post_id], query)]})

    def browse(self, query):
        wanted = query.get("filter", "").removeprefix("codeinjection_foot:~'").removesuffix("'")
        found = [post for post in self.posts.values() if wanted in post.get("codeinjection_foot", "")]
        return Reply(json={"posts": [self.shown(post, query) for post in found], "meta": {}})

    def shown(self, post, query):
        """Return a post without its HTML and without fields that were not requested."""
        asked = set(query["fields"].split(",")) if "fields" in query else set(post) - {"html", "count", "email"}
        included = {name.partition(".")[0] for name in f"{query.get('include')},{query.get('formats')}".split(",")}
        return {key: value for key, value in post.items() if key in asked | included}

    def create(self, sent):
        """`?newsletter=` is ignored here: creating a published post sends no e-mail."""
        number = f"{len(self.outside.requests):024x}"
        post = {
            "id": number,
            "status": "draft",
            "email": None,
            "count": {"clicks": 0, "positive_feedback": 0},
            "tags": [],
        }
        self.write(post, sent)
        self.posts[number] = post
        for method in ("GET", "PUT", "DELETE"):
            self.outside.teach(method, f"{API}/posts/{number}/", self)
        return Reply(201, {"posts": [self.shown(post, {})]})

    def change(self, post, sent, query):
        if "updated_at" not in sent:
            raise Refusal(
                422, "ValidationError", "Validation error, cannot edit post.", context="updated_at is missing"
            )
        if sent["updated_at"] != post["updated_at"]:
            details = {"clientUpdatedAt": sent["updated_at"], "serverUpdatedAt": post["updated_at"]}
            message = "Saving failed! Someone else is editing this post."
            raise Refusal(409, "UpdateCollisionError", message, code="UPDATE_COLLISION", details=details)
        newsletter = query.get("newsletter")
        if newsletter and newsletter not in NEWSLETTERS:
            raise Refusal(400, "BadRequestError", "The newsletter parameter doesn't match any active newsletter.")
        was = post["status"]
        self.write(post, sent)
        if newsletter and (was, post["status"]) == ("draft", "published") and post["email"] is None:
            counts = {"email_count": 5, "delivered_count": 0, "opened_count": 0}
            post["email"] = {"status": "submitted", "error": None, **counts}
            self.mails.append(post["id"])

    def write(self, post, sent):
        for name, most in MOST.items():
            if len(sent.get(name) or "") > most:
                context = f"{name.capitalize()} cannot be longer than {most} characters."
                raise Refusal(422, "ValidationError", "Validation error, cannot save post.", context=context)
        assert not any("," in tag for tag in sent.get("tags", ()))
        post.update({key: value for key, value in sent.items() if key in TAKEN})
        post["slug"] = self.free_slug(post)
        post["url"] = f"{SITE}/{post['slug']}/" if post["status"] == "published" else f"{SITE}/p/{post['id']}/"
        self.touch(post)

    def free_slug(self, post):
        others = {other["slug"] for other in self.posts.values() if other["id"] != post["id"]}
        wanted = post.get("slug") or slugify(post["title"])
        return next(slug for slug in (wanted, *(f"{wanted}-{n}" for n in range(2, 99))) if slug not in others)

    def touch(self, post):
        self.now += timedelta(seconds=1)
        post["updated_at"] = self.now.isoformat().replace("+00:00", ".000Z")

    def upload(self, seen):
        media_type, options = parse_options_header(seen.headers["content-type"])
        parser = FormDataParser(stream_factory=lambda *sizes, **more: BytesIO())
        _, form, files = parser.parse(BytesIO(seen.body), media_type, len(seen.body), options)
        if files["file"].mimetype not in ("image/png", "image/jpeg", "image/gif", "image/webp"):
            raise Refusal(415, "UnsupportedMediaTypeError", "The file is not an image.")
        self.uploads.append(files["file"].filename)
        url = f"{SITE}/content/images/2026/11/{files['file'].filename}"
        return Reply(201, {"images": [{"url": url, "ref": form["ref"]}]})

    def served(self, seen):
        return Reply(200 if seen.url.rpartition("/")[2] in self.uploads else 404)

    def only(self):
        (post,) = self.posts.values()
        return post

    def edit(self):
        """Edit the only post in Ghost."""
        self.only()["title"] = "Mine"
        self.touch(self.only())

    def unpublish(self):
        self.only()["status"] = "draft"
        self.touch(self.only())


def sent_html(outside):
    """Return the HTML of the last post that was written."""
    writes = [seen for seen in outside.requests if seen.method in ("POST", "PUT") and "/posts/" in seen.url]
    return json.loads(writes[-1].body)["posts"][0]["html"]
