"""The contract for real servers: that of the fakes, and what a fake cannot show."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from blogsvc.connectors._kit.lookups import CLOCKS_DIFFER
from blogsvc.connectors.base import Article, ArticleImage, Connector, CopyFound, Disconnected, Unavailable
from blogsvc.lib.net.http import HttpClient
from blogsvc.lib.time import stamp
from tests.connectors.contract import AN_ARTICLE, Contract
from tests.images import png
from tests.outside import Outside

AN_IMAGE = "https://blog.example/media/tree.png"


class RealContract(Contract):
    """All of these servers find a copy by its key.

    Define `connected`, which returns a connector to the real server with the given HTTP client, and `nobody` and
    `nowhere`: the same with a wrong credential, and with an address where nothing listens."""

    finds_by_key = True

    def connected(self, http: HttpClient) -> Connector:
        raise NotImplementedError

    def nobody(self, http: HttpClient) -> Connector:
        raise NotImplementedError

    def nowhere(self, http: HttpClient) -> Connector:
        raise NotImplementedError

    def keys(self, connector: Connector, operation: str = "op-1", article: Article | None = None) -> dict[str, str]:
        """Return keys chosen now, by the same clock as that of the server."""
        return {**super().keys(connector, operation, article), "armed_at": stamp(datetime.now(UTC) + CLOCKS_DIFFER)}

    def make(self, outside: Outside) -> Connector:
        return self.connected(self.http())

    def http(self) -> HttpClient:
        return HttpClient(allow_private=True)

    def test_a_wrong_credential_raises_disconnected(self):
        connector = self.nobody(self.http())
        with pytest.raises(Disconnected):
            connector.verify()

    def test_an_unreachable_server_raises_unavailable(self, connector):
        away = self.nowhere(self.http())
        with pytest.raises(Unavailable):
            away.verify()

    def test_an_image_is_sent_with_the_post(self, connector, outside, tmp_path):
        file = tmp_path / "tree.png"
        file.write_bytes(png())
        connector.images.uploaded_files = lambda url: [file] if url == AN_IMAGE else []
        article = replace(AN_ARTICLE, cover_url=AN_IMAGE, images=(ArticleImage(AN_IMAGE, "A tree"),))
        keys = self.keys(connector)
        connector.publish(connector.compose(article, {}), keys)
        assert self.copies(outside) == 1
        self.check_found(connector, keys, CopyFound)
