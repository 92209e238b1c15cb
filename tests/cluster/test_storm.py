"""While processes and their servers are killed and stopped, nothing is lost, doubled, early or untrue."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom

import pytest

from tests.cluster.brokers import own_broker
from tests.cluster.storm import COUNTS, Storm
from tests.own_postgres import own_postgres


@pytest.mark.parametrize("brokers", [("redis",), ("redis", "rabbitmq")], ids="-".join)
def test_a_storm_loses_nothing_and_duplicates_nothing(tmp_path: Path, brokers: tuple[str, ...]) -> None:
    seed = SystemRandom().randrange(10**6)
    print(f"seed {seed}")  # shown if it fails
    with ExitStack() as stack:
        try:
            postgres = stack.enter_context(own_postgres())
        except FileNotFoundError as error:
            pytest.skip(str(error))
        running = {name: stack.enter_context(own_broker(name)) for name in brokers}
        storm = Storm(tmp_path, seed, postgres, running, COUNTS)
        figures = storm.run(4)
    print(figures, storm.done)
    assert storm.faults == []
    assert (figures.lost, figures.doubled, figures.early, figures.untrue) == (0, 0, 0, 0)
    assert min(storm.done.values()) >= 1
    assert figures.acknowledged > 20  # on a busy machine
    assert figures.deliveries > 20
    assert len(storm.reader.ids) > figures.posts
