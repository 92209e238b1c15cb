"""Move a blog: collect every address that it answers, import its export, and ask our blog for each of them."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

from flask import Flask
from flask.testing import FlaskClient

from blogsvc import create_app, migrate
from blogsvc.context import Tools
from blogsvc.lib.net.http import HttpClient, Timeout
from blogsvc.lib.time import utc_now
from blogsvc.models import ImportJob, close_connections
from blogsvc.transfer import importing

_LINK = re.compile(
    r"""\b(?:href|src|content)=["']([^"']+)["']|<(?:loc|image:loc|link|guid[^>]*)>([^<]+)<|url\(([^)]+)\)"""
)
_SOURCES = re.compile(r"""\bsrcset=["']([^"']+)["']""")


@dataclass(frozen=True)
class OldBlog:
    """A running blog, and the beginnings of paths that are no content: its editor, its theme, its own API."""

    url: str
    beginnings: tuple[str, ...]
    open: Callable[[str], tuple[int, str, str]]

    def addresses(self, *starts: str) -> list[str]:
        """Return the paths that the blog answers with 200, found by following all links from these."""
        waiting, seen, found = list(starts), set(starts), []
        while waiting:
            address = waiting.pop()
            status, kind, text = self.open(address)
            if status != 200:
                continue
            found.append(address)
            if "html" in kind or "xml" in kind:
                new = set(self._links(address, text)) - seen
                seen |= new
                waiting += sorted(new)
        return sorted(found)

    def _links(self, address: str, text: str) -> Iterator[str]:
        links = [next(filter(None, groups)) for groups in _LINK.findall(text)]
        links += [part.split()[0] for sources in _SOURCES.findall(text) for part in unescape(sources).split(",")]
        for link in links:
            parts = urlsplit(urljoin(self.url + address, unescape(link.strip(" '\""))))
            path = unquote(parts.path) or "/"
            if f"{parts.scheme}://{parts.netloc}" == self.url and not path.startswith(self.beginnings):
                yield f"{path}?{parts.query}" if parts.query else path


def opened(url: str) -> Callable[[str], tuple[int, str, str]]:
    """Return a function that asks a blog for a path, and returns the status, the media type and the text."""

    def ask(address: str) -> tuple[int, str, str]:
        path, _, query = address.partition("?")
        full = f"{url}{quote(path)}{'?' + query if query else ''}"
        try:
            with urllib.request.urlopen(full, timeout=120) as answer:
                kind = answer.headers.get_content_type()
                return answer.status, kind, "" if kind.startswith("image/") else answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, "", ""

    return ask


@contextmanager
def instance(folder: Path, tools: Tools) -> Iterator[tuple[Flask, Tools]]:
    """Yield a new instance of ours that can reach servers on loopback, in its own application context."""
    folder.mkdir()
    config = replace(tools.config, instance=folder, database_url="")
    http = HttpClient(allow_private=True, timeout=Timeout(read=120, total=120))
    own = replace(tools, config=config, http=http, now=utc_now)  # a real blog has pages of today
    app = create_app(tools=own)
    migrate(app)
    with app.app_context():
        yield app, own
        close_connections()


def imported(file: Path, tools: Tools, **choices: str) -> ImportJob:
    """Import a file, and return the finished import. Call it in the context of an instance."""
    import_id = importing.receive_path(file, tools).id
    importing.step(import_id, tools)
    importing.begin(import_id, tools, blog=True, **choices)  # type: ignore[arg-type]
    while importing.step(import_id, tools):
        pass
    done = ImportJob.get(import_id)
    assert done.state == "finished", done.error
    return done


def unanswered(addresses: Iterable[str], client: FlaskClient) -> dict[str, int]:
    """Return the addresses that are not answered with 200, after redirects inside the blog, with the status."""
    wrong = {}
    for address in addresses:
        path, _, query = address.partition("?")
        answer = client.get(quote(path), query_string=query)
        if answer.status_code == 301:
            assert urlsplit(answer.location).netloc == "", answer.location
            answer = client.get(answer.location)
        if answer.status_code != 200:
            wrong[address] = answer.status_code
        answer.close()
    return wrong
