"""One limit holds for all servers together."""

from __future__ import annotations

from itertools import cycle, islice
from time import sleep, time

from tests.cluster.brokers import own_broker
from tests.cluster.fleet import Fleet
from tests.kill.server import call

A_MINUTE, ENOUGH = 60, 30  # seconds
LIMIT = 30


def test_requests_with_one_key_are_limited_on_all_servers_together(fleet: Fleet) -> None:
    with own_broker("redis") as redis:
        fleet.settings["BLOGSVC_REDIS_URL"] = redis.url
        _ = fleet.key
        servers = [fleet.server(name, reads_per_minute=str(LIMIT)) for name in ("one", "two", "three")]
        if (left := A_MINUTE - time() % A_MINUTE) < ENOUGH:  # the limit is that of a minute of the clock
            sleep(left)
        answers = [call(each.port, "GET", "/api/v1/me", fleet.key)[0] for each in islice(cycle(servers), 3 * LIMIT)]
    assert sorted(answers) == [200] * LIMIT + [429] * 2 * LIMIT
