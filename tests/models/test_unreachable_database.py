"""A PostgreSQL that can't be reached is away, however it fails."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from blogsvc.models.database import as_busy, is_outage
from tests.receiver import free_port


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Yield the port of a server that accepts connections and says nothing, as behind a network that loses packets."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def error_at(port: int) -> OperationalError:
    engine = create_engine(f"postgresql+psycopg://127.0.0.1:{port}/blog", connect_args={"connect_timeout": 2})
    with pytest.raises(OperationalError) as raised:
        engine.connect()
    return raised.value


def test_a_database_that_does_not_respond_is_away(silent_port: int) -> None:
    error = error_at(silent_port)
    assert is_outage(error)
    assert as_busy(error) is not None


def test_a_database_that_refuses_connections_is_away() -> None:
    assert is_outage(error_at(free_port()))
