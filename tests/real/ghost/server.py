"""A real Ghost 6 on loopback, with SQLite, from npm. Newsletters go to a Mailgun that only counts them.

with ghost(folder) as site:
    site.url, site.key        # what an author would enter in the connect form
    site.posts()              # the posts, with the API that Ghost's own editor uses
    site.mailgun.sent         # the newsletters

The fixture `ghost_site` in `tests/real/conftest.py` starts one for the whole session.
"""

from __future__ import annotations

import http.cookiejar
import json
import os
import shutil
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.clock import eventually
from tests.real.ghost.mailgun import Mailgun, mailgun
from tests.real.running import QUICK, answers, npm_install, run, running
from tests.receiver import free_port

HERE = Path(__file__).parent
NODE = "node_modules/node"
OWNER = {"name": "A Gardener", "email": "gardener@blog.example", "password": "oaks-and-elms-9912"}
ALL = "limit=all&formats=html,lexical&include=tags,authors,newsletter,email"


@dataclass
class Ghost:
    """A running site with its owner signed in."""

    url: str
    mailgun: Mailgun
    database: Path
    key: str = field(default="", repr=False)
    browser: urllib.request.OpenerDirector = field(
        default_factory=lambda: urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        ),
        repr=False,
    )

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """Call the Admin API as the owner does in Ghost's editor."""
        request = urllib.request.Request(
            f"{self.url}/ghost/api/admin/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Origin": self.url},
        )
        with self.browser.open(request, timeout=120) as answer:
            is_json = "json" in answer.headers.get("Content-Type", "")
            return json.load(answer) if is_json else None

    def sign_in(self) -> bool:
        """Sign the owner in. Return True if Ghost knows the session."""
        self.api("POST", "session/", {"username": OWNER["email"], "password": OWNER["password"]})
        try:
            self.api("GET", "users/me/")
        except urllib.error.HTTPError:
            return False
        return True

    def posts(self) -> list[dict[str, Any]]:
        """Return all posts with their HTML and their e-mail, the newest first."""
        found: list[dict[str, Any]] = self.api("GET", f"posts/?{ALL}&order=created_at%20desc")["posts"]
        return found

    def post(self, post_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api("GET", f"posts/{post_id}/?formats=html,lexical&include=tags,authors,email")
        post: dict[str, Any] = found["posts"][0]
        return post

    def edit(self, post_id: str, **fields: Any) -> None:
        """Edit a post in Ghost itself, at least a second after the last change: Ghost counts seconds."""
        seen = self.post(post_id)["updated_at"]
        eventually(lambda: datetime.now(UTC) > datetime.fromisoformat(seen) + timedelta(seconds=1))
        self.api("PUT", f"posts/{post_id}/", {"posts": [{"updated_at": seen, **fields}]})

    def delete(self, post_id: str) -> None:
        """Delete a post in Ghost itself."""
        self.api("DELETE", f"posts/{post_id}/")

    def tags(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api("GET", "tags/?limit=all")["tags"]
        return found

    def newsletters(self) -> list[dict[str, Any]]:
        found: dict[str, Any] = self.api("GET", "newsletters/?limit=all&include=count.active_members")
        newsletters: list[dict[str, Any]] = found["newsletters"]
        return newsletters

    def members(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api("GET", "members/?limit=all")["members"]
        return found

    def add_member(self, email: str, *newsletters: str) -> None:
        """Subscribe a reader to these newsletters, given by slug; by default to all."""
        wanted = [{"id": one["id"]} for one in self.newsletters() if not newsletters or one["slug"] in newsletters]
        self.api("POST", "members/?send_email=false", {"members": [{"email": email, "newsletters": wanted}]})

    def like(self, post_id: str, email: str) -> None:
        """Let a member press "More like this" in a newsletter. Its link needs an e-mail, so this writes the row."""
        (member,) = [one["id"] for one in self.members() if one["email"] == email]
        with closing(sqlite3.connect(self.database, timeout=30)) as rows, rows:
            rows.execute(
                "INSERT INTO members_feedback VALUES (?, 1, ?, ?, ?, NULL)",
                (os.urandom(12).hex(), member, post_id, "2026-11-20 10:00:00"),
            )

    def page(self, url: str) -> str:
        """Return a page as a visitor gets it."""
        with urllib.request.urlopen(url, timeout=120) as answer:
            return str(answer.read().decode())

    def clear(self) -> None:
        """Delete all posts, tags, members and e-mails."""
        while posts := self.posts():  # 100 at most
            for post in posts:
                self.delete(post["id"])
        for tag in self.tags():
            self.api("DELETE", f"tags/{tag['id']}/")
        self.api("DELETE", "members/?all=true")
        self.mailgun.sent.clear()
        self.mailgun.opened = False


@contextmanager
def ghost(folder: Path) -> Iterator[Ghost]:
    """Yield a Ghost with its files and rows in an empty directory, set up by its owner."""
    where = npm_install(HERE, _install)
    url = f"http://127.0.0.1:{(port := free_port())}"
    content = folder / "content"
    shutil.copytree(where / "package/content", content)
    with mailgun() as office:
        node = [where / NODE / "bin/node", "index.js"]
        settings = _settings(url, port, content, office.url)
        is_up = lambda: answers(f"{url}/ghost/api/admin/site/")  # noqa: E731
        with running(node, is_up, folder / "ghost.log", cwd=where / "package", env=settings):
            site = Ghost(url, office, content / "data/ghost.db")
            site.api("POST", "authentication/setup/", {"setup": [{**OWNER, "blogTitle": "Of trees"}]})
            eventually(site.sign_in)  # the first sessions after the setup may be lost
            made = site.api("POST", "integrations/?include=api_keys", {"integrations": [{"name": "blogsvc"}]})
            keys = {key["type"]: key["secret"] for key in made["integrations"][0]["api_keys"]}
            site.key = keys["admin"]
            yield site


def _settings(url: str, port: int, content: Path, mail: str) -> dict[str, str]:
    """Return the configuration as environment variables. Nothing leaves this machine."""
    values: Mapping[str, Any] = {
        "url": url,
        "server": {"host": "127.0.0.1", "port": port},
        "database": {
            "client": "better-sqlite3",
            "connection": {"filename": str(content / "data/ghost.db")},
            "useNullAsDefault": True,
        },
        "mail": {"transport": "stub"},
        "bulkEmail": {"mailgun": {"baseUrl": mail, "apiKey": "key", "domain": "mail.example"}},
        "paths": {"contentPath": str(content)},
        "logging": {"transports": ["stdout"], "level": "warn"},
        "privacy": {"useTinfoil": True},
        "security": {"staffDeviceVerification": False},
        # Tests ask often, and images of an article come one after the other.
        "spam": {
            "user_login": {"freeRetries": 1000},
            "content_api_key": {"freeRetries": 100_000},
        },
    }
    return {"NODE_ENV": "production", **dict(_flat(values))}


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}__")
        else:
            yield prefix + name, value if isinstance(value, str) else json.dumps(value)


def _install(where: Path) -> None:
    """Unpack Ghost and install its own lock file. It can't be a dependency, because it contains some of its own."""
    wanted = json.loads((where / "package.json").read_text())
    packed = json.loads(run(["npm", "pack", "--json", f"ghost@{wanted['version']}"], where))[0]
    if packed["integrity"] != wanted["config"]["integrity"]:
        pytest.fail(f"The package of Ghost {wanted['version']} is not the one that was tested.")
    run(["tar", "-xzf", packed["filename"]], where)
    node = where / NODE
    # SQLite is compiled with the headers of this Node: compiled files aren't on npm.
    headers = next(iter(node.glob("node_modules/node-*/include"))).parent
    variables = QUICK | {
        "PATH": f"{node / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "npm_config_nodedir": str(headers),
        "npm_config_build_from_source": "true",
    }
    pnpm = (where / "node_modules/.bin/pnpm").resolve()
    run([pnpm, "install", "--prod", "--frozen-lockfile"], where / "package", variables)
    if not list((where / "package/node_modules/better-sqlite3/").glob("build/Release/better_sqlite3.node")):
        pytest.skip("NOT TESTED AGAINST A REAL SERVER: SQLite for Ghost could not be compiled.")
