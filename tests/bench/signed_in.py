"""A browser that is signed in."""

from __future__ import annotations

from datetime import datetime

from blogsvc import create_app, make_tools
from blogsvc.auth import accounts
from blogsvc.config import Config
from blogsvc.models import close_connections, transaction
from blogsvc.models.user import User
from tests.bench.servers import Place


def signed_in(place: Place, now: datetime) -> str:
    """Return the cookie of a browser in which an owner is signed in."""
    app = create_app(tools=make_tools(Config(instance=place.instance, database_url=place.database_url)))
    client = app.test_client()
    with app.app_context():
        with transaction():
            user = User.of("bench@blog.example", "Bench", "owner", "no password", "Europe/Berlin", now)
        _, token = accounts.begin_session(user, "bench", "127.0.0.1", now)
        with client.session_transaction() as session:
            session["token"] = token
        close_connections()
    name = app.config["SESSION_COOKIE_NAME"]
    cookie = client.get_cookie(name)
    assert cookie is not None
    return f"{name}={cookie.value}"
