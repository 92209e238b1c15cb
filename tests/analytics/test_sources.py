"""Sources of readers: a host counts for the destinations that have an account on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.analytics.sources import Referrer, Source, sources
from blogsvc.models import Connection, PageView, Post, db, transaction
from blogsvc.web.analytics.tables import most_common
from tests.api_client import Api
from tests.clock import NOW

ACCOUNTS = {
    "fedi": "https://mastodon.example/@ann",
    "art": "https://art.mastodon.example/@ann",
    "dev": "https://www.dev.example/ann",
    "dev-two": "https://dev.example/ben",
    "hook": None,
    "broken": "https://[dev.example",
}


@pytest.mark.parametrize(
    ("host", "destinations"),
    [
        ("mastodon.example", ["fedi"]),
        ("links.mastodon.example", ["fedi"]),
        ("art.mastodon.example", ["art"]),
        ("www.dev.example", ["dev", "dev-two"]),
        ("notmastodon.example", []),
        ("example", []),
    ],
)
def test_a_referrer_names_the_destinations_on_its_host(
    host: str, destinations: list[str], api: Api, a_post: Callable[..., Post]
) -> None:
    with transaction():
        for name, url in ACCOUNTS.items():
            Connection.add(name, "sandbox", NOW).account_url = url
        db.session.add(PageView(post_id=a_post(live=True).id, viewed_at=NOW, referrer=host))
    referrers = api.get(f"/analytics?to={NOW:%Y-%m-%d}").json["referrers"]
    assert referrers == [{"host": host, "views": 1, "destinations": destinations}]


def test_views_without_a_referrer_have_an_unknown_source() -> None:
    found = [Referrer("a.example", 2), Referrer("m.dev.example", 3, ("dev",)), Referrer("dev.example", 4, ("dev",))]
    assert sources(found, 10) == [Source("destination", "dev", 7), Source("website", "a.example", 2), UNKNOWN]
    # Rolled-up referrers count on UTC days, so there may be more of them than views in another time zone.
    assert sources(found, 8) == sources(found, 9) == sources(found, 10)[:2]


UNKNOWN = Source("unknown", "", 1)


def test_the_rarest_sources_share_a_row() -> None:
    found = [Source("website", f"{name}.example", 5) for name in "abcd"]
    assert most_common([*found, UNKNOWN], 4) == [*found[:2], Source("website", "2 other sources", 10), UNKNOWN]
    assert most_common([*found, UNKNOWN], 5) == [*found, UNKNOWN]
