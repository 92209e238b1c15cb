"""What the tests of notices share: a real mail server, users, and posts that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import EmailMessage

import pytest

from blogsvc.context import Tools
from blogsvc.models import Post
from tests.clock import Time
from tests.mail_server import MailServer
from tests.outside import Outside
from tests.web.conftest import browser_of, owner, pages, somebody

__all__ = ["browser_of", "owner", "pages", "somebody"]  # fixtures

Tick = Callable[[], None]


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


@pytest.fixture
def tools(tools: Tools, server: MailServer) -> Tools:
    """The tools of the other tests, and the mail server."""
    return replace(tools, mailer=server.mailer())


@pytest.fixture
def a_minute_later(tick: Tick, time: Time) -> Tick:
    """Return a function that runs the scheduler, and again after the time in which notices are gathered."""

    def run() -> None:
        tick()
        time.passes(minutes=1)
        tick()

    return run


@pytest.fixture
def rejects(connect: Callable[..., str], outside: Outside) -> Callable[..., str]:
    """Connect a webhook that returns this status: 422 rejects a post, 401 disconnects the account."""

    def make(name: str = "hook", status: int = 422) -> str:
        connect(name)
        outside.always(status=status)
        return name

    return make


@pytest.fixture
def a_failing_post(rejects: Callable[..., str], a_post: Callable[..., Post]) -> Callable[..., Post]:
    """Return a function that publishes a post that its destination rejects."""
    names: list[str] = []

    def make(**fields: str) -> Post:
        names.extend([] if names else [rejects()])
        return a_post(live=True, platforms=names, **fields)

    return make


def text_of(message: EmailMessage, subtype: str = "plain") -> str:
    part = message.get_body((subtype,))
    assert part is not None
    content: str = part.get_content()
    return content.replace("\r\n", "\n")
