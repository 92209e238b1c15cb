"""The service as `blogsvc serve` runs it, with fake platforms that fail randomly: no request leaves this machine.

`python -m tests.fuzz.served SEED`
"""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random

import httpx2
from flask import Flask

from blogsvc import create_app, make_tools, migrate
from blogsvc.config import Config
from blogsvc.connections import manage
from blogsvc.lib.net.http import HttpClient
from blogsvc.posts import editing, publishing
from blogsvc.server import logging
from blogsvc.server.granian import serve

PUBLIC = "93.184.216.34"
# The connection names that schemathesis.toml uses. The tool likes to write 0 in text fields.
NAMES = ("hook", "0")
POSTS = 20


class Moody(httpx2.BaseTransport):
    """Responds to every request, mostly with success. The HTTP client uses it after it has checked the address."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.is_kind = True

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        mood = 0.0 if self.is_kind else self.random.random()
        if mood > 0.95:
            raise httpx2.ReadError("the answer is lost")
        if mood > 0.9:
            raise httpx2.ConnectError("nobody is there")
        status = 200 if mood < 0.7 else self.random.choice([302, 400, 401, 404, 410, 429, 500, 503])
        return httpx2.Response(status, json={"id": "1"}, headers={"Retry-After": "1"})


def main() -> None:
    config = Config.load()
    logging.to_stderr(config)
    world = Moody(int(sys.argv[1]))
    tools = replace(make_tools(config), http=HttpClient(transport=world, resolver=lambda host, port: [PUBLIC]))
    app = create_app(tools=tools)
    migrate(app)
    furnish(app)
    world.is_kind = False
    serve(app)


def furnish(app: Flask) -> None:
    """Create connections, and posts with deliveries in progress: these have more operations than drafts."""
    with app.app_context():
        tools = app.extensions["tools"]
        for name in NAMES:
            manage.connect("webhook", name, {"url": f"https://{name}.example/in"}, tools)
        for number in range(POSTS):
            words = {"title": f"Post {number}", "content": "Some *words*.", "tags": ["a"]}
            publishing.publish(editing.create(words, ["site", *NAMES], tools.now()), tools.now())


if __name__ == "__main__":
    main()
