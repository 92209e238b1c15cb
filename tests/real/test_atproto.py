"""Documents with a real PDS, which does not know their schema and accepts them as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.atproto import PUBLICATION, ATProto
from blogsvc.lib.net.http import HttpClient
from tests.connectors.contract import AN_ARTICLE
from tests.real.contract import RealContract
from tests.real.pds.server import pds
from tests.receiver import free_port

__all__ = ["pds"]
DOCUMENTS = "site.standard.document"
BLOG = {"blog_url": "https://blog.example", "blog_name": "Of everything"}


class TestContract(RealContract):
    too_long = replace(AN_ARTICLE, title="a" * 501)

    @pytest.fixture(autouse=True)
    def there(self, pds):
        self.pds = pds

    def connected(self, http):
        self.account = self.pds.account()
        return ATProto({**self.account, **BLOG}, http)

    def nobody(self, http):
        return ATProto({**self.pds.account(), **BLOG, "password": "wrong-wrong-wrong"}, http)

    def nowhere(self, http):
        return ATProto({**self.account, **BLOG, "url": f"http://localhost:{free_port()}"}, http)

    def copies(self, outside):
        return len(self.pds.records(self.account, DOCUMENTS))

    def edit_on_platform(self, outside):
        [record] = self.pds.records(self.account, DOCUMENTS)
        self.pds.edit(self.account, record, title="Changed by another app")


@pytest.fixture
def account(pds):
    return pds.account()


@pytest.fixture
def atproto(account):
    return ATProto({**account, **BLOG}, HttpClient(allow_private=True))


def publish(atproto, article):
    return atproto.publish(atproto.compose(article, {}), atproto.mint(article))


def test_a_document_belongs_to_the_one_publication_of_the_blog(atproto, pds, account):
    facts = atproto.verify().facts
    publish(atproto, AN_ARTICLE)
    [publication] = pds.records(account, PUBLICATION)
    [document] = pds.records(account, DOCUMENTS)
    assert document["value"]["site"] == publication["uri"] == facts["publication"]
    assert publication["value"]["url"] + document["value"]["path"] == AN_ARTICLE.canonical_url
    assert document["value"]["content"]["text"]["markdown"] == AN_ARTICLE.markdown


def test_publication_fields_added_by_other_apps_are_kept(atproto, pds, account):
    atproto.verify()
    pds.edit(account, pds.records(account, PUBLICATION)[0], basicTheme={"accent": "blue"})
    atproto.settings = {**atproto.settings, "blog_name": "Of more"}
    atproto.verify()
    [publication] = pds.records(account, PUBLICATION)
    assert (publication["value"]["name"], publication["value"]["basicTheme"]) == ("Of more", {"accent": "blue"})


@pytest.mark.parametrize("markdown", ["é" * 60_000, "é" * 90_000, '"\n' * 60_000])
def test_the_longest_document_is_accepted(atproto, pds, account, markdown):
    publish(atproto, replace(AN_ARTICLE, markdown=markdown, html=f"<p>{'wörd ' * 60_000}</p>"))
    assert len(pds.records(account, DOCUMENTS)) == 1
