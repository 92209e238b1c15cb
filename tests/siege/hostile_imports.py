"""Small import files that once took hours to read, and the browser of an owner who uploads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import cycle

from tests.siege.guessing import TOKEN, LoopbackBrowser

IMPORT = "/desk/settings/import"
FILES: dict[str, Callable[[], bytes]] = {
    "spaces.md": lambda: b"---\ntitle: A\n---\n{{" + b" " * 10_000,
    "code.xml": lambda: (
        b'<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item><title>A</title>'
        b"<content:encoded>" + b"[code]" * 60_000 + b"</content:encoded></item></channel></rss>"
    ),
}


class Owner(LoopbackBrowser):
    """The browser of an owner who is signed in."""

    def page(self, path: str) -> str:
        return self.send("GET", path)[1]

    def upload(self, name: str, data: bytes) -> str:
        """Upload an import file, and return the path of its page."""
        assert self.post(IMPORT, name, data) == 303
        return re.findall(rf'href="({IMPORT}/imp_[^"]+)"[^>]*>{re.escape(name)}<', self.page(IMPORT))[0]

    def post(self, path: str, name: str = "", data: bytes = b"") -> int:
        """Send a form, with a file if it has a name. Returns the status."""
        token = TOKEN.search(self.page(IMPORT))
        assert token is not None
        parts = [(b'name="csrf_token"', token[1].encode())]
        parts += [(f'name="file"; filename="{name}"'.encode(), data)] if name else []
        fields = (b"--edge\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % part for part in parts)
        return self.send("POST", path, b"".join(fields) + b"--edge--\r\n", "multipart/form-data; boundary=edge")[0]


def uploading(owner: Owner) -> Callable[[], int]:
    """Return a function that uploads the next of the files."""
    files = cycle([(name, make()) for name, make in FILES.items()])
    return lambda: owner.post(IMPORT, *next(files))
