"""A fake site with Micropub as specified, and with the extensions that most servers have."""

from __future__ import annotations

import json
from datetime import datetime
from io import BytesIO
from urllib.parse import parse_qs, urlsplit

from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from tests.outside import Outside, Reply, Seen

SITE = "https://me.example"
ENDPOINT = "https://me.example/micropub"
MEDIA = "https://media.me.example/upload"
TOKEN = "t0ken-of-mine"
LISTED_MOST = 20


class Refusal(Exception):
    def __init__(self, status, error, description=""):
        self.reply = Reply(status, {"error": error, "error_description": description})


class FakeSite:
    """`tells_source`, `lists` and `has_media` are features that not every server has."""

    def __init__(self, outside: Outside, tells_source=True, lists=True, has_media=True):
        self.tells_source, self.lists, self.has_media = tells_source, lists, has_media
        self.entries, self.uploads, self.created = {}, [], 201
        link = {"Link": f'<https://me.example/wp-json>; rel="https://api.w.org/", <{ENDPOINT}>; rel="micropub"'}
        outside.teach("GET", SITE, body=b"<!doctype html>", headers={**link, "Content-Type": "text/html"})
        outside.teach("GET", f"{SITE}/2026/11/*", self.page)
        outside.teach("GET", ENDPOINT, self)
        outside.teach("POST", ENDPOINT, self)
        outside.teach("POST", MEDIA, self)
        outside.teach("HEAD", "https://media.me.example/*", self.served)

    def __call__(self, seen: Seen) -> Reply:
        try:
            conforming(seen)
            if "authorization" not in seen.headers:
                raise Refusal(401, "unauthorized", "No token.")
            if seen.headers["authorization"] != f"Bearer {TOKEN}":
                raise Refusal(403, "forbidden", "Not your site.")
            if seen.url == MEDIA:
                return self.upload(seen)
            query = parse_qs(urlsplit(seen.url).query)
            return self.ask(query) if seen.method == "GET" else self.tell(seen.json())
        except Refusal as refusal:
            return refusal.reply

    def page(self, seen):
        """Return the page of an entry, in a theme."""
        if seen.url not in self.entries:
            return Reply(404, body=b"Not found")
        properties = self.entries[seen.url]["properties"]
        page = (
            "<!doctype html><html><head><title>Ada</title><style>p { margin: 0 }</style></head><body>"
            "<header><h1>Ada</h1></header>"
            f'<main><article class="h-entry"><h2 class="p-name">{properties["name"][0]}</h2>'
            f'<div class="e-content entry">{properties["content"][0]["html"]}</div><p>Share this</p></article>'
            '<div class="h-cite"><div class="e-content">Nice!</div></div></main><script>let a = "<p>"</script></body>'
        )
        return Reply(body=page.encode(), headers={"Content-Type": "text/html"})

    def ask(self, query):
        if query["q"] == ["config"]:
            return Reply(json={"media-endpoint": MEDIA, "syndicate-to": []} if self.has_media else {})
        if query["q"] != ["source"] or not self.tells_source:
            raise Refusal(400, "invalid_request", "Not supported.")
        if "url" in query:
            return Reply(json=self.entry(query["url"][0]))
        if not self.lists:
            raise Refusal(400, "invalid_request", "The url is missing.")
        newest = [{**entry, "properties": {**entry["properties"], "url": [url]}} for url, entry in self.entries.items()]
        return Reply(json={"items": newest[::-1][: min(LISTED_MOST, int(query["limit"][0]))]})

    def tell(self, what):
        match what.get("action"):
            case None:
                return self.create(what)
            case "update":
                return self.change(what)
            case "delete":
                self.entry(what["url"])
                del self.entries[what["url"]]
                return Reply(204)
        raise Refusal(400, "invalid_request", "No such action.")

    def create(self, what):
        self.check(what["properties"])
        url = self.free(what["properties"]["mp-slug"][0])
        self.entries[url] = json.loads(json.dumps(what))
        return Reply(self.created, headers={"Location": url.removeprefix(SITE)})

    def change(self, what):
        entry, url = self.entry(what["url"]), what["url"]
        self.check(what["replace"])
        entry["properties"].update(what["replace"])
        for name in what.get("delete", ()):
            entry["properties"].pop(name, None)
        if "moved" not in entry["properties"].get("category", ()):
            return Reply(204)
        self.entries[f"{url}-moved"] = self.entries.pop(url)
        return Reply(201, headers={"Location": f"{url}-moved"})

    def check(self, properties):
        if not all(isinstance(values, list) and values for values in properties.values()):
            raise Refusal(400, "invalid_request", "Values must be in lists.")

    def free(self, slug):
        url = f"{SITE}/2026/11/{slug}"
        return url if url not in self.entries else f"{url}-2"

    def entry(self, url):
        if url not in self.entries:
            raise Refusal(404, "not_found", "There is no such post.")
        return self.entries[url]

    def upload(self, seen):
        media_type, options = parse_options_header(seen.headers["content-type"])
        parser = FormDataParser(stream_factory=lambda *sizes, **more: BytesIO())
        _, _, files = parser.parse(BytesIO(seen.body), media_type, len(seen.body), options)
        self.uploads.append(files["file"].filename)
        return Reply(201, headers={"Location": f"https://media.me.example/{files['file'].filename}"})

    def served(self, seen):
        return Reply(200 if seen.url.rpartition("/")[2] in self.uploads else 404)

    def only(self):
        (entry,) = self.entries.values()
        return entry["properties"]


def conforming(seen: Seen) -> None:
    """Refuse a request that differs from the specification, as the server tests of micropub.rocks have it.

    The numbers are those of its tests.
    """
    values = parse_qs(urlsplit(seen.url).query)
    require("access_token" not in values, "the token is in the header only (800 to 803)")
    if seen.method == "GET":
        require(values["q"] in (["config"], ["source"]), "a known query (600 to 602)")
        return
    media_type, _ = parse_options_header(seen.headers["content-type"])
    if seen.url == MEDIA:
        require(media_type == "multipart/form-data", "a file is a part of a form (700)")
        return
    require(media_type == "application/json", "JSON (200)")
    told = seen.json()
    if "action" not in told:
        require(set(told) == {"type", "properties"} and told["type"] == ["h-entry"], "an entry (200)")
        require_properties(told["properties"])
    elif told["action"] == "update":
        require(set(told) <= {"action", "url", "replace", "delete"}, "known operations (400 to 405)")
        require_properties(told.get("replace", {}))
        require(all(isinstance(name, str) for name in told.get("delete", [])), "names to delete (404)")
    else:
        require(set(told) == {"action", "url"} and told["action"] == "delete", "an address to delete (501)")


def require_properties(properties) -> None:
    for name, values in properties.items():
        require(isinstance(values, list) and values, f"{name} is a list of values (405)")
    for content in properties.get("content", ()):
        is_html = isinstance(content, dict) and set(content) == {"html"} and isinstance(content["html"], str)
        require(is_html or isinstance(content, str), "a text is plain, or HTML in an object (202)")
    for image in (*properties.get("photo", ()), *properties.get("featured", ())):
        url = image["value"] if isinstance(image, dict) else image
        require(not isinstance(image, dict) or set(image) == {"value", "alt"}, "an image with a description (205)")
        require(url.startswith("https://"), "an image is an absolute URL (203)")
    require(all(isinstance(one, str) for one in properties.get("category", ())), "tags are plain text (201)")
    for one in properties.get("published", ()):
        require(datetime.fromisoformat(one).tzinfo is not None, "a date has a time zone")


def require(is_met: object, rule: str) -> None:
    if not is_met:
        raise AssertionError(f"Not as the specification says: {rule}.")
