"""A real WordPress on loopback: PHP as WebAssembly, with SQLite, both from npm.

with wordpress(folder) as site:
    site.url, site.username, site.password    # what an author would enter in the connect form
    site.posts()                              # the posts, with the API of WordPress

The fixture `wordpress_site` in `tests/real/conftest.py` starts one for the whole session.
"""

from __future__ import annotations

import base64
import json
import shutil
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.real.running import answers, npm_install, running
from tests.receiver import free_port

HERE = Path(__file__).parent
TREE = "node_modules/@wp-playground/wordpress-builds/src/wordpress/wp-6.5.zip"
CLI = "node_modules/@wp-playground/cli/wp-playground.js"
# Isolated: nothing is downloaded, and nothing runs on its own during a test.
ALONE = ("WP_HTTP_BLOCK_EXTERNAL", "DISABLE_WP_CRON", "AUTOMATIC_UPDATER_DISABLED")
FIELDS = "id,date_gmt,slug,status,comment_status,tags,featured_media,alt_text,source_url"
EVERY = f"per_page=100&context=edit&_fields={FIELDS}"


@dataclass
class WordPress:
    """A running site with its users."""

    url: str
    passwords: Mapping[str, str] = field(repr=False)
    username: str = "an-editor"

    @property
    def password(self) -> str:
        return self.passwords[self.username]

    def api(self, method: str, path: str, body: Any = None, at: str = "wp/v2") -> Any:
        """Call the API of WordPress as an editor."""
        with self._open(method, f"{at}/{path}", None if body is None else json.dumps(body).encode()) as answer:
            return json.load(answer)

    def upload(self, name: str, data: bytes) -> Any:
        """Add a PNG image to the media library."""
        more = {"Content-Type": "image/png", "Content-Disposition": f'attachment; filename="{name}"'}
        with self._open("POST", "wp/v2/media", data, more) as answer:
            return json.load(answer)

    def _open(self, method: str, path: str, data: bytes | None = None, more: Mapping[str, str] | None = None) -> Any:
        basic = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}", "Content-Type": "application/json", **(more or {})}
        request = urllib.request.Request(f"{self.url}/wp-json/{path}", method=method, data=data, headers=headers)
        return urllib.request.urlopen(request, timeout=120)

    def posts(self, status: str = "any") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api("GET", f"posts?status={status}&{EVERY}")
        return found

    def media(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api("GET", f"media?{EVERY}")
        return found

    def edit(self, post_id: int | str, **fields: Any) -> None:
        """Edit a post in WordPress itself."""
        self.api("POST", f"posts/{post_id}", fields)

    def comment(self, post_id: int | str, words: str) -> None:
        """Add a comment to a post; comments by an editor need no approval."""
        self.api("POST", "comments", {"post": int(post_id), "content": words})

    def page(self, url: str) -> str:
        """Return a page as a visitor gets it."""
        with urllib.request.urlopen(url, timeout=120) as answer:
            return str(answer.read().decode())

    def export(self) -> bytes:
        """Return the file of Tools > Export > All content."""
        with self._open("GET", "tests/v1/export") as answer:
            file: bytes = answer.read()
        return file

    def clear(self) -> None:
        """Delete everything that was published."""
        self.api("DELETE", "everything", at="tests/v1")


@contextmanager
def wordpress(folder: Path) -> Iterator[WordPress]:
    """Yield a WordPress with its files and rows in an empty directory, once users can sign in."""
    where = npm_install(HERE)
    site = _laid_out(folder / "site", where / TREE)
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = ["node", where / CLI, "server", "--port", port, "--site-url", url, "--workers", "1", "--php", "8.3"]
    command += ["--mount-before-install", f"{site}:/wordpress"]
    command += ["--wordpress-install-mode", "install-from-existing-files"]
    # Application passwords require https, or a site that says it is local.
    command += ["--define", "WP_ENVIRONMENT_TYPE", "local"]
    for name in ALONE:
        command += ["--define-bool", name, "true"]
    keys = site / "door-keys.json"
    with running(command, lambda: answers(f"{url}/wp-json/") and keys.exists(), folder / "wordpress.log"):
        yield WordPress(url, json.loads(keys.read_text()))


def _laid_out(site: Path, tree: Path) -> Path:
    with zipfile.ZipFile(tree) as packed:
        packed.extractall(site)
    (site / "wp-config.php").unlink()  # of the browser Playground; the installer creates its own
    plugins = site / "wp-content/mu-plugins"
    plugins.mkdir()
    for plugin in HERE.glob("*.php"):
        shutil.copy(plugin, plugins)
    return site
