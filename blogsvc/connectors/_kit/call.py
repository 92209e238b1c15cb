"""HTTP requests of connectors, with one ConnectorError for each kind of failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from blogsvc.connectors._kit.paths import require_plain_path
from blogsvc.connectors._kit.responses import Call, fault, lost, require_accepted
from blogsvc.connectors.errors import ConnectorError, Gone, OriginChanged
from blogsvc.connectors.retry_after import retry_after
from blogsvc.connectors.types import dumps
from blogsvc.lib.net.http import HttpClient, HttpError, HttpResponse, OriginRefused
from blogsvc.lib.sizes import MIB

# Platforms return what they received: in several forms, and with escapes that are longer than the characters.
ECHO = 8
MAX_ANSWER_BYTES = 16 * MIB


@dataclass
class Caller:
    """Settings, an HTTP client, and `call`."""

    label: ClassVar[str]

    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    http: HttpClient = field(default_factory=HttpClient, repr=False)

    def base_url(self) -> str:
        """Return the base URL for paths passed to `call`."""
        return self.settings.get("url", "").rstrip("/")

    def headers(self) -> dict[str, str]:
        """Return the headers of every request, such as credentials."""
        return {}

    def call(
        self,
        method: str,
        path_or_url: str,
        *,
        json: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        safe: bool | None = None,
        expect_json: bool = True,
        need: str | None = None,
        anonymous: bool = False,
    ) -> HttpResponse:
        """Send a request and return its 2xx response. Raises ConnectorError otherwise.

        Ids of the platform are quoted with `path_to`. A path with `..` is not sent.

        Args:
            anonymous: the request carries no secret, so it may be sent to any origin. It has no `headers()`.
            safe: the request can be repeated after an unknown outcome; by default true for GET, HEAD, PUT and DELETE.
            expect_json: a 2xx response must be JSON or empty.
            need: the key that the response must have, such as "data.id".
        """
        require_plain_path(path_or_url)
        call = Call(self.label, method, safe)
        body = content if json is None else dumps(json)
        try:
            answer = (self.http.anywhere if anonymous else self.http).request(
                method,
                self._full_url(path_or_url),
                headers=self._headers(json, {} if anonymous else self.headers(), headers),
                content=body,
                max_bytes=MAX_ANSWER_BYTES
                if call.is_read
                else min(2 * MIB + ECHO * len(body or b""), MAX_ANSWER_BYTES),
                redirects=3,  # for reads only: the client follows no redirect of a write
                keep_tls=True,  # a response may say where to send secrets
            )
        except OriginRefused as error:
            raise OriginChanged(self.label, error.origin, error.allowed) from None
        except HttpError as error:
            raise lost(call, error) from None
        if not 200 <= answer.status < 300:
            raise self.fault(answer, call)
        if expect_json:
            require_accepted(answer, call, need)
        return answer

    def is_served(self, url: str) -> bool:
        """Return False if a server says that it has nothing at this URL."""
        try:
            self.call("HEAD", url, anonymous=True, expect_json=False)
        except Gone:
            return False
        except ConnectorError:
            pass
        return True

    def fault(self, answer: HttpResponse, call: Call) -> ConnectorError:
        """Return the error for a response other than 2xx. Override it for platform-specific errors, and call super."""
        return fault(answer, call, self.retry_after(answer), self.secrets())

    def retry_after(self, answer: HttpResponse) -> float | None:
        """Return the seconds that the platform asks to wait, in any known notation."""
        return retry_after(answer)

    def secrets(self) -> tuple[str, ...]:
        """Return the secrets to remove from messages."""
        return ()

    def _full_url(self, path_or_url: str) -> str:
        is_url = path_or_url.lower().startswith(("https://", "http://"))
        return path_or_url if is_url else f"{self.base_url()}/{path_or_url.lstrip('/')}"

    def _headers(self, json: Any, usual: Mapping[str, str], extra: Mapping[str, str] | None) -> dict[str, str]:
        body = {} if json is None else {"Content-Type": "application/json"}
        return {"Accept": "application/json", **body, **usual, **(extra or {})}
