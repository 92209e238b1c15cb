"""A cluster whose processes, brokers and database are killed and stopped keeps and sends everything once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom

import pytest

from tests.cluster.brokers import own_broker
from tests.cluster.storm import Storm
from tests.own_postgres import own_postgres_or_skip


@pytest.mark.parametrize("brokers", [("redis",), ("redis", "rabbitmq")], ids="-".join)
def test_a_storm_loses_nothing_and_duplicates_nothing(tmp_path: Path, brokers: tuple[str, ...]) -> None:
    seed = SystemRandom().randrange(10**6)
    print(f"seed {seed}")  # shown if it fails
    with own_postgres_or_skip() as postgres, ExitStack() as stack:
        running = {name: stack.enter_context(own_broker(name)) for name in brokers}
        storm = Storm(tmp_path, seed, postgres, running)
        figures = storm.run(4)
    print(figures, storm.done)
    assert storm.faults == []
    assert (figures.lost, figures.doubled, figures.early, figures.untrue) == (0, 0, 0, 0)
    assert storm.cluster.has_worked()
    assert figures.acknowledged > 20  # on a busy machine
    assert figures.deliveries > 20
    assert storm.reader.read_meanwhile > figures.posts
