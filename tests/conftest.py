"""Shared fixtures: an instance per test, a time that the test sets, and a fake outside world."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from argon2.profiles import CHEAPEST
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc import create_app, make_tools, migrate
from blogsvc.auth import api_keys
from blogsvc.config import MIGRATIONS, Config
from blogsvc.connections import manage
from blogsvc.context import Tools, attach
from blogsvc.lib import passwords
from blogsvc.lib.clocks import ServerDates
from blogsvc.lib.crypto import Vault
from blogsvc.models import Post, close_connections, db
from blogsvc.models.schema import schema_versions
from blogsvc.posts import autosave, editing, publishing
from blogsvc.scheduler.one_pass import one_pass
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.databases import Databases, NoServer
from tests.databases import databases as open_databases
from tests.html_lines import without_breaks
from tests.outside import Outside


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database", choices=("sqlite", "postgres"), default="sqlite", help="the database backend")
    parser.addoption(
        "--all-views",
        action="store_true",
        help="look at every state of a page in each width and color scheme (tests/browser)",
    )
    parser.addoption("--real", action="store_true", help="also run the tests against real servers (tests/real)")
    parser.addoption("--clients", action="store_true", help="also test the client libraries (tests/clients)")
    parser.addoption("--installed", action="store_true", help="also test the built wheel (tests/installed)")


def pytest_configure(config: pytest.Config) -> None:
    passwords.hasher = PasswordHasher.from_parameters(CHEAPEST)  # else each sign-in takes 0.2 s of CPU time
    config.addinivalue_line("markers", "exhaustive: a case of a large matrix, for `make test-all` and `test-real-all`")
    config.addinivalue_line("markers", "long: a case of a matrix that takes minutes, for `make test-long`")
    config.addinivalue_line("markers", "settings(name=value): settings of the server for this test")
    for name in ("sqlite", "postgres"):
        config.addinivalue_line("markers", f"{name}(reason): the tested behaviour exists only on {name}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    other = {"sqlite": "postgres", "postgres": "sqlite"}[config.getoption("--database")]
    for item in items:
        if (mark := item.get_closest_marker(other)) is not None:
            item.add_marker(pytest.mark.skip(reason=f"{other} only: {mark.args[0]}"))


@pytest.fixture(scope="session")
def databases(pytestconfig: pytest.Config) -> Iterator[Databases]:
    """The database backend: SQLite files, or PostgreSQL with `--database=postgres`."""
    try:
        with open_databases(pytestconfig.getoption("--database")) as databases:
            yield databases
    except NoServer as error:
        pytest.exit(str(error), returncode=4)


@pytest.fixture(scope="session")
def empty_instance(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Path:
    """An instance with the schema and no rows, created once by the real migrations."""
    return make_empty_instance(tmp_path_factory.mktemp("empty") / "instance", databases)


def make_empty_instance(folder: Path, databases: Databases) -> Path:
    def make(database_url: str) -> None:
        app = create_app(tools=make_tools(Config(instance=folder, database_url=database_url)))
        migrate(app)
        with app.app_context():
            close_connections()

    databases.keep_template(make)
    return folder


@pytest.fixture
def instance(empty_instance: Path) -> Iterator[Path]:
    """The instance of the test, always at the same path so that an application can be reused."""
    folder = empty_instance.parent / "test" / "instance"
    shutil.copytree(empty_instance, folder)
    yield folder
    shutil.rmtree(folder.parent)


@pytest.fixture
def database_url(instance: Path, databases: Databases) -> Iterator[str]:
    """The database of `instance`: "" is the file in its directory."""
    url = databases.lend()
    yield url
    databases.give_back(url)


# A migration of the next version. It rebuilds the table of posts, as SQLite needs for most changes of a table.
LATER_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "9000"
down_revision = "{newest}"


def upgrade():
    with op.batch_alter_table("post", recreate="always") as batch:
        batch.add_column(sa.Column("subtitle", sa.Text, nullable=False, server_default="None yet"))
"""


@pytest.fixture
def later_migration(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make this process a version of blogsvc with another migration, so that each database has an old schema.

    Returns the file of the migration.
    """
    folder = tmp_path_factory.mktemp("later") / "migrations"
    shutil.copytree(MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "versions" / "9000_later.py"
    file.write_text(LATER_MIGRATION.format(newest=schema_versions()[-1]))
    monkeypatch.setattr("blogsvc.models.schema.MIGRATIONS", folder)
    return file


@pytest.fixture
def blank_database_url(databases: Databases) -> Iterator[str]:
    """An empty database without a schema, for a test with its own instance; "" is the file in its directory."""
    url = databases.lend(is_blank=True)
    yield url
    databases.give_back(url)


@pytest.fixture(scope="module")
def shared_database_url(databases: Databases) -> Iterator[str]:
    """An empty database without a schema, for a server shared by a module."""
    url = databases.lend(is_blank=True)
    yield url
    databases.give_back(url)


@pytest.fixture
def config(instance: Path, database_url: str, request: pytest.FixtureRequest) -> Config:
    """The settings of a test: a blog without rate limits, changed by the marker `settings(name=value)`."""
    marker = request.node.get_closest_marker("settings")
    defaults = Config(
        instance=instance,
        database_url=database_url,
        base_url="https://blog.example",
        reads_per_minute=100_000,
        writes_per_minute=100_000,
        publishes_per_minute=100_000,
    )
    return replace(defaults, **marker.kwargs) if marker else defaults


@pytest.fixture
def time() -> Time:
    return Time(NOW)


@pytest.fixture
def outside() -> Iterator[Outside]:
    world = Outside()
    yield world
    assert not world.unexpected


@pytest.fixture
def tools(config: Config, outside: Outside, time: Time) -> Tools:
    vault = Vault.open(config.instance / "secret.key")
    steady = lambda: time().timestamp()  # noqa: E731
    http = outside.http(dates=ServerDates(steady, {"right.example": (time(), steady())}))
    return Tools(config=config, vault=vault, http=http, now=time, steady=steady)


@pytest.fixture(scope="session")
def apps() -> dict[Config, Flask]:
    """The applications created so far, by settings. Creating one takes longer than most tests."""
    return {}


@pytest.fixture
def app(apps: dict[Config, Flask], tools: Tools) -> Iterator[Flask]:
    app = apps.get(tools.config) or apps.setdefault(tools.config, create_app(tools=tools))
    attach(app, tools)
    for limiter in app.extensions["limiter"]:
        limiter.reset()
    with app.app_context():
        yield app
        close_connections()


class Page(TestResponse):
    """A response. The text of a page does not show where its template breaks lines."""

    @property
    def text(self) -> str:  # type: ignore[override]
        text = self.get_data(as_text=True)
        return without_breaks(text) if self.mimetype == "text/html" else text


class Visitor(FlaskClient):
    """Flask reuses the application context of the test, with rows loaded before; this client pushes a new one."""

    def __init__(self, app: Flask) -> None:
        super().__init__(app, Page)

    def open(self, *args: Any, **options: Any) -> TestResponse:
        with self.application.app_context():
            return super().open(*args, **options)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return Visitor(app)


@pytest.fixture
def new_key(app: Flask, tools: Tools) -> Callable[..., str]:
    """Return a function that creates an API key and returns its text."""

    def make(*scopes: str, expires_at: datetime | None = None) -> str:
        return api_keys.create("a test", list(scopes) or ["all"], expires_at, tools.now())[1]

    return make


@pytest.fixture
def api(client: FlaskClient, new_key: Callable[..., str]) -> Api:
    """An API client whose key has every scope; every response is checked against the OpenAPI document."""
    return Api(client, new_key())


@pytest.fixture
def stranger(client: FlaskClient) -> Api:
    """An API client without a key."""
    return Api(client, None)


@pytest.fixture
def a_post(app: Flask, tools: Tools) -> Callable[..., Post]:
    """Return a function that creates a post: a draft, or with `live=True` a published one. Keywords override fields."""

    def make(live: bool = False, platforms: list[str] | None = None, **words: Any) -> Post:
        words = {"title": "A post", "content": "Some *words*."} | words
        if words["title"]:
            post = editing.create(words, platforms, tools.now())
        else:  # as the editor saves it
            begun = autosave.begin(None, tools.now())
            post = autosave.autosave(begun, words, platforms, begun.rev, tools.now())
        if live:
            publishing.publish(post, tools.now())
        return post

    return make


@pytest.fixture
def tick(app: Flask, tools: Tools) -> Callable[[], None]:
    """Return a function that runs the scheduler once: everything due is published and delivered."""

    def one() -> None:
        one_pass(app, tools)
        db.session.rollback()
        db.session.expire_all()  # reload rows from the database

    return one


@pytest.fixture
def connect(app: Flask, tools: Tools, outside: Outside) -> Callable[..., str]:
    """Connect a webhook at https://NAME.example/in, which returns 200 unless set up otherwise."""

    def make(name: str = "hook") -> str:
        url = f"https://{name}.example/in"
        outside.teach("POST", url, status=200)
        manage.connect("webhook", name, {"url": url}, tools)
        outside.requests.clear()
        return name

    return make


@pytest.fixture
def subscribe(api: Api, outside: Outside) -> Callable[..., dict[str, Any]]:
    """Create a webhook subscription at https://NAME.example/told, which returns 200 unless set up before."""

    def make(*events: str, name: str = "hook", **fields: Any) -> dict[str, Any]:
        url = f"https://{name}.example/told"
        outside.teach("POST", url, status=200)
        answer = api.post("/webhooks", json={"url": url, **({"events": events} if events else {}), **fields})
        assert answer.status_code == 201, answer.json
        return answer.json

    return make
