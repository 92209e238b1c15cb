"""What tests stand on: an instance of their own, a time they set, and a world that is not there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc import create_app, make_tools, migrate, scheduler
from blogsvc.auth import api_keys
from blogsvc.config import Config
from blogsvc.connections import manage
from blogsvc.context import Tools, attach
from blogsvc.lib.crypto import Vault
from blogsvc.models import Post, close_connections, db
from blogsvc.posts import editing, publishing
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.databases import Databases, NoServer
from tests.databases import databases as open_databases
from tests.outside import Outside


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database", choices=("sqlite", "postgres"), default="sqlite", help="where the rows are")
    parser.addoption("--real", action="store_true", help="the tests against real servers, `tests/real`, as well")
    parser.addoption("--clients", action="store_true", help="the client libraries, `tests/clients`, as well")
    parser.addoption("--installed", action="store_true", help="the built wheel, `tests/installed`, as well")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "exhaustive: a case of a large matrix; `make test-all` runs it")
    config.addinivalue_line("markers", "settings(name=value): settings of the server for this test")
    for name in ("sqlite", "postgres"):
        config.addinivalue_line("markers", f"{name}(reason): what is tested is there only where the rows are on {name}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    other = {"sqlite": "postgres", "postgres": "sqlite"}[config.getoption("--database")]
    for item in items:
        if (mark := item.get_closest_marker(other)) is not None:
            item.add_marker(pytest.mark.skip(reason=f"{other} only: {mark.args[0]}"))


@pytest.fixture(scope="session")
def databases(pytestconfig: pytest.Config) -> Iterator[Databases]:
    """Where rows come from: files, or (`--database=postgres`) a server."""
    try:
        with open_databases(pytestconfig.getoption("--database")) as databases:
            yield databases
    except NoServer as error:
        pytest.exit(str(error), returncode=4)


@pytest.fixture(scope="session")
def empty_instance(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Path:
    """An instance with its schema and nothing in it, made once by the real migrations."""
    folder = tmp_path_factory.mktemp("empty") / "instance"

    def make(database_url: str) -> None:
        app = create_app(tools=make_tools(Config(instance=folder, database_url=database_url)))
        migrate(app)
        with app.app_context():
            close_connections()

    databases.keep_template(make)
    return folder


@pytest.fixture
def instance(empty_instance: Path) -> Iterator[Path]:
    """An instance of the test's own. It is always in the same place, so that an application can be used again."""
    folder = empty_instance.parent / "test" / "instance"
    shutil.copytree(empty_instance, folder)
    yield folder
    shutil.rmtree(folder.parent)


@pytest.fixture
def database_url(instance: Path, databases: Databases) -> Iterator[str]:
    """The rows of `instance`: "" for the file in its folder."""
    url = databases.lend()
    yield url
    databases.give_back(url)


@pytest.fixture
def blank_database_url(databases: Databases) -> Iterator[str]:
    """For an instance of a test's own making: a database without a schema, "" for the file in its folder."""
    url = databases.lend(is_blank=True)
    yield url
    databases.give_back(url)


@pytest.fixture(scope="module")
def shared_database_url(databases: Databases) -> Iterator[str]:
    """The same for a server that a whole module asks."""
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
    return Tools(config=config, vault=vault, door=outside.door(), now=time)


@pytest.fixture(scope="session")
def apps() -> dict[Config, Flask]:
    """The applications made so far, by their settings. To make one takes longer than most tests."""
    return {}


@pytest.fixture
def app(apps: dict[Config, Flask], tools: Tools) -> Iterator[Flask]:
    app = apps.get(tools.config) or apps.setdefault(tools.config, create_app(tools=tools))
    attach(app, tools)
    with app.app_context():
        yield app
        close_connections()


class Visitor(FlaskClient):
    """Flask lends a request the context that a test stands in, with rows that were read before; this does not."""

    def open(self, *args: Any, **options: Any) -> TestResponse:
        with self.application.app_context():
            return super().open(*args, **options)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return Visitor(app)


@pytest.fixture
def new_key(app: Flask, tools: Tools) -> Callable[..., str]:
    """The text of a new API key."""

    def make(*scopes: str, expires_at: datetime | None = None) -> str:
        return api_keys.create("a test", list(scopes) or ["all"], expires_at, tools.now())[1]

    return make


@pytest.fixture
def api(client: FlaskClient, new_key: Callable[..., str]) -> Api:
    """A client of the API with a key for everything; every answer is held against the OpenAPI document."""
    return Api(client, new_key())


@pytest.fixture
def stranger(client: FlaskClient) -> Api:
    """A client of the API without a key."""
    return Api(client, None)


@pytest.fixture
def a_post(app: Flask, tools: Tools) -> Callable[..., Post]:
    """A post: a draft, or with `live=True` a published one. Other words override."""

    def make(live: bool = False, platforms: list[str] | None = None, **words: Any) -> Post:
        words = {"title": "A post", "content": "Some *words*."} | words
        post = editing.create(words, platforms, tools.now())
        if live:
            publishing.publish(post, tools.now())
        return post

    return make


@pytest.fixture
def tick(app: Flask, tools: Tools) -> Callable[[], None]:
    """One pass of the clock: everything that is due now is published and delivered."""

    def one() -> None:
        scheduler.one_pass(app, tools)
        db.session.rollback()
        db.session.expire_all()  # what was read before is old

    return one


@pytest.fixture
def connect(app: Flask, tools: Tools, outside: Outside) -> Callable[..., str]:
    """Connect a webhook at https://NAME.example/in, which answers 200 unless it is taught otherwise."""

    def make(name: str = "hook") -> str:
        url = f"https://{name}.example/in"
        outside.teach("POST", url, status=200)
        manage.connect("webhook", name, {"url": url}, tools)
        outside.requests.clear()
        return name

    return make


@pytest.fixture
def subscribe(api: Api, outside: Outside) -> Callable[..., dict[str, Any]]:
    """A webhook for events, at https://NAME.example/told, which answers 200 unless it was taught before."""

    def make(*events: str, name: str = "hook", **fields: Any) -> dict[str, Any]:
        url = f"https://{name}.example/told"
        outside.teach("POST", url, status=200)
        answer = api.post("/webhooks", json={"url": url, **({"events": events} if events else {}), **fields})
        assert answer.status_code == 201, answer.json
        return answer.json

    return make
