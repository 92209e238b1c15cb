"""A fake server with the Mastodon API: text length, idempotency keys for one hour, media and edits."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from email.parser import BytesParser
from email.policy import HTTP
from itertools import count
from urllib.parse import parse_qs, urlsplit

import regex

from tests.outside import Reply

SERVER = "https://social.example"
TOKEN = "t0ken-of-ada"
ACCOUNT = "109"
LINK = re.compile(r"https?://\S+")
NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOT_FOUND = Reply(404, json={"error": "Record not found"})
INSTANCE = {
    "version": "4.5.2",
    "source_url": "https://github.com/mastodon/mastodon",
    "configuration": {
        "statuses": {"max_characters": 500, "max_media_attachments": 4, "characters_reserved_per_url": 23},
        "media_attachments": {
            "supported_mime_types": ["image/jpeg", "image/png", "video/mp4"],
            "description_limit": 1500,
            "image_size_limit": 16_777_216,
        },
    },
}


def graphemes(text):
    return len(regex.findall(r"\X", text))


class FakeMastodon:
    """`clock` returns the time. `knows_keys`: has idempotency keys, as Mastodon does. `works_on_images`: the number
    of requests until an image is processed."""

    def __init__(self, outside, server=SERVER, knows_keys=True, works_on_images=0, instance=INSTANCE):
        self.outside, self.server, self.instance = outside, server, instance
        self.knows_keys, self.works_on_images = knows_keys, works_on_images
        self.now, self.statuses, self.keys, self.media = NOW, {}, {}, {}
        # Unlike the number of items, never the same for two threads.
        self.status_ids, self.media_ids = count(113_001), count(700)
        self.is_limited, self.edits = False, True
        me = {"id": ACCOUNT, "acct": "ada", "url": f"{server}/@ada"}
        self.teach("GET", "api/v1/accounts/verify_credentials", lambda seen: Reply(json=me))
        self.teach("GET", "api/v2/instance", lambda seen: Reply(json=self.instance) if self.instance else NOT_FOUND)
        self.teach("POST", "api/v1/statuses", self.create)
        self.teach("GET", f"api/v1/accounts/{ACCOUNT}/statuses", self.latest)
        self.teach("POST", "api/v2/media", self.upload)

    def teach(self, method, path, answer):
        self.outside.teach(method, f"{self.server}/{path}", lambda seen: self.guarded(seen, answer))

    def guarded(self, seen, answer):
        if seen.headers.get("authorization") != f"Bearer {TOKEN}":
            return Reply(401, json={"error": "The access token is invalid"})
        self.now += timedelta(seconds=1)
        if self.is_limited:
            reset = (self.now + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            date = self.now.strftime("%a, %d %b %Y %H:%M:%S GMT")
            headers = {"X-RateLimit-Limit": "300", "X-RateLimit-Reset": reset, "Date": date}
            return Reply(429, json={"error": "Too many requests"}, headers=headers)
        return answer(seen)

    def create(self, seen):
        key, given = seen.headers.get("idempotency-key"), seen.json()
        kept = self.keys.get(key)
        if kept and self.now < kept[1] + HOUR:
            return Reply(json=self.shown(self.statuses[kept[0]]))
        if refused := self.refused(given, ()):
            return refused
        id = str(next(self.status_ids))
        status = {
            "id": id,
            "visibility": given.get("visibility", "public"),
            "edited_at": None,
            "created_at": self.time(),
        }
        self.statuses[id] = {**status, "favourites": 0, "reblogs": 0, "replies": 0, "quotes": 0}
        self.write(id, given)
        path = f"api/v1/statuses/{id}"
        self.teach("GET", path, lambda seen: self.show(id))
        self.teach("GET", f"{path}/source", lambda seen: self.source(id))
        self.teach("PUT", path, lambda seen: self.edit(id, seen))
        self.teach("DELETE", path, lambda seen: self.remove(id))
        if key and self.knows_keys:
            self.keys[key] = (id, self.now)
        return Reply(json=self.shown(self.statuses[id]))

    def refused(self, given, own):
        spoiler, text = given.get("spoiler_text") or "", given["status"]
        most = self.instance["configuration"]["statuses"]["max_characters"]
        wrong = None
        if graphemes(spoiler + LINK.sub("x" * 23, text)) > most:
            wrong = f"Validation failed: Text character limit of {most} exceeded"
        for id in given.get("media_ids", ()):
            if id not in self.media or (self.media[id]["status"] and id not in own):
                wrong = "Validation failed: no such image"
            elif self.media[id]["asked"] < self.works_on_images:
                wrong = "Cannot attach files that have not finished processing. Try again in a moment!"
        return Reply(422, json={"error": wrong}) if wrong else None

    def write(self, id, given):
        """Replace everything: absent fields are removed."""
        images = given.get("media_ids", [])
        self.statuses[id].update(
            text=given["status"],
            spoiler_text=given.get("spoiler_text") or "",
            sensitive=bool(given.get("sensitive")),
            language=given.get("language") or "en",
            images=images,
        )
        for image in images:
            self.media[image]["status"] = id
        for told in given.get("media_attributes", []):
            self.media[told["id"]]["description"] = told["description"]

    def edit(self, id, seen):
        if id not in self.statuses or not self.edits:
            return NOT_FOUND
        given, before = seen.json(), dict(self.statuses[id])
        if refused := self.refused(given, before["images"]):
            return refused
        self.write(id, given)
        if self.statuses[id] != before:
            self.statuses[id]["edited_at"] = self.time()
        return Reply(json=self.shown(self.statuses[id]))

    def edit_by_hand(self, id):
        self.now += timedelta(seconds=1)
        self.statuses[id].update(text="Something else.", edited_at=self.time())

    def announce_by_hand(self, id, text="Something else."):
        """Write a status with the app of the platform."""
        self.now += timedelta(seconds=1)
        counts = dict.fromkeys(("favourites", "reblogs", "replies", "quotes"), 0)
        words = {"text": text, "spoiler_text": "", "language": "en", "images": []}
        made = {"visibility": "public", "edited_at": None, "created_at": self.time()}
        self.statuses[id] = {"id": id, **made, **words, **counts}

    def remove(self, id):
        gone = self.statuses.pop(id, None)
        return Reply(json={**self.shown(gone), "text": gone["text"]}) if gone else NOT_FOUND

    def show(self, id):
        return Reply(json=self.shown(self.statuses[id])) if id in self.statuses else NOT_FOUND

    def source(self, id):
        one = self.statuses.get(id)
        return Reply(json={name: one[name] for name in ("id", "text", "spoiler_text")}) if one else NOT_FOUND

    def latest(self, seen):
        asked = parse_qs(urlsplit(seen.url).query)
        assert (asked["exclude_replies"], asked["exclude_reblogs"]) == (["true"], ["true"])
        below = int(asked.get("max_id", ["999999999"])[0])
        newest = [one for one in reversed(self.statuses.values()) if int(one["id"]) < below][: int(asked["limit"][0])]
        return Reply(json=[self.shown(one) for one in newest])

    def shown(self, one):
        text = LINK.sub(lambda link: f'<a href="{link[0]}" rel="nofollow">{link[0]}</a>', html.escape(one["text"]))
        counts = {f"{name}_count": one[name] for name in ("favourites", "reblogs", "replies", "quotes")}
        kept = {name: one[name] for name in ("id", "visibility", "spoiler_text", "edited_at", "created_at", "language")}
        return {
            **kept,
            **counts,
            "url": f"{self.server}/@ada/{one['id']}",
            "content": "<p>" + text.replace("\n\n", "</p><p>") + "</p>",
            "card": None,
            "media_attachments": [{"id": id, "type": "image"} for id in one["images"]],
        }

    def upload(self, seen):
        head = f"Content-Type: {seen.headers['content-type']}\r\n\r\n".encode()
        parts = {
            part.get_param("name", header="content-disposition"): part
            for part in BytesParser(policy=HTTP).parsebytes(head + seen.body).iter_parts()
        }
        file = parts["file"]
        if file.get_content_type() not in self.instance["configuration"]["media_attachments"]["supported_mime_types"]:
            return Reply(422, json={"error": "Validation failed: File content type is invalid"})
        id = str(next(self.media_ids))
        told = parts["description"].get_payload(decode=True).decode() if "description" in parts else None
        self.media[id] = {"name": file.get_filename(), "description": told, "status": None, "asked": 0}
        self.teach("GET", f"api/v1/media/{id}", lambda seen: self.image(id))
        is_ready = self.works_on_images == 0
        return Reply(200 if is_ready else 202, json={"id": id, "url": f"{self.server}/{id}" if is_ready else None})

    def image(self, id):
        one = self.media[id]
        if one["status"]:
            return NOT_FOUND
        one["asked"] += 1
        is_ready = one["asked"] >= self.works_on_images
        return Reply(200 if is_ready else 206, json={"id": id, "url": f"{self.server}/{id}" if is_ready else None})

    def time(self):
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
