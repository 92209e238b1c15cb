"""Passwords guessed from many addresses, against a running server."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogsvc import create_app, migrate
from blogsvc.auth import accounts
from blogsvc.models import close_connections
from tests.kill.server import Server
from tests.siege.guessing import guess_from_many_addresses
from tests.tiers import exhaustive

EMAIL, PASSWORD = "ann@blog.example", "a ferry in the fog"


@exhaustive
@pytest.mark.sqlite("the limits are the same on both databases")
def test_guesses_from_many_addresses_are_limited_and_do_not_lock_the_owner_out(tmp_path: Path) -> None:
    server = Server(tmp_path / "instance", settings={"BLOGSVC_SIGN_INS_PER_MINUTE": "10"})
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        accounts.add_user(EMAIL, "Ann", PASSWORD, "owner", "UTC", app.extensions["tools"].now())
        close_connections()
    server.start()
    try:
        server.wait_until_ready()
        outcome = guess_from_many_addresses(server.port, EMAIL, PASSWORD)
    finally:
        server.kill()
    assert set(outcome.guesses) == {422, 429}
    assert outcome.guesses[422] <= 20, "ten a minute, in at most two windows"
    assert outcome.unknown_browser == 429
    assert outcome.known_browser == 303
