"""A blog moves from SQLite to PostgreSQL and back with its backup, and keeps every row of every table."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import JSON, Column, Table, Text, cast, func, insert, null, select, text, update

from blogsvc import migrate
from blogsvc.auth import api_keys
from blogsvc.cli import main
from blogsvc.config import Config
from blogsvc.lib.crypto import Vault, new_vault_key
from blogsvc.lib.time import utc_now
from blogsvc.models import Event, Process, Setting, close_connections
from blogsvc.models.base import Base, UtcDateTime
from blogsvc.models.database import WRITES, own_engine
from blogsvc.models.event import record
from blogsvc.models.schema import schema_version, schema_versions
from blogsvc.models.sealed import sealed_columns
from blogsvc.models.transactions import transaction
from tests.api_client import Api, File
from tests.cli.conftest import make_app, restore_logging  # noqa: F401 (a fixture)
from tests.clock import eventually
from tests.databases import Databases
from tests.images import jpeg
from tests.models.test_migrations import STORED
from tests.receiver import free_port

NUMBERS = (1, 2)
VAULT = Vault([new_vault_key()])
Settings = dict[str, str]
Backup = Callable[[Settings], Path]


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """The settings of a blog at home, which has rows in all tables."""
    instance = tmp_path / "home"
    instance.mkdir()
    (instance / "blogsvc.db").write_bytes(gzip.decompress(STORED[-1].read_bytes()))
    (instance / "secret.key").write_text(VAULT.keys[0])
    settings = {"BLOGSVC_INSTANCE": str(instance), "BLOGSVC_DATABASE_URL": "", "BLOGSVC_SECRET_KEY": ""}
    run(settings, "migrate", "--new-key")
    fill(settings)
    return settings


@pytest.fixture
def server(tmp_path: Path, databases: Databases) -> Iterator[Settings]:
    """The settings of another data directory with an empty PostgreSQL."""
    url = databases.lend(is_blank=True)
    yield {"BLOGSVC_INSTANCE": str(tmp_path / "server"), "BLOGSVC_DATABASE_URL": url, "BLOGSVC_SECRET_KEY": ""}
    databases.give_back(url)


@pytest.fixture
def back_up(tmp_path: Path) -> Backup:
    """Return a function that backs up a blog, and returns the file."""

    def call(settings: Settings, *options: str) -> Path:
        file = tmp_path / f"{Path(settings['BLOGSVC_INSTANCE']).name}.tar.gz"
        run(settings, "backup", str(file), *options)
        return file

    return call


def run(settings: Settings, *words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, words, env=settings)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def url_of(settings: Settings) -> str:
    return Config.load(settings).rows_url


def fill(settings: Settings) -> None:
    """Add two rows to every table: one with a value in each column, one with as few as possible."""
    with own_engine(url_of(settings), 5) as engine, engine.execution_options(**WRITES).begin() as rows:
        for table in Base.metadata.sorted_tables:
            for number in NUMBERS:
                rows.execute(insert(table).values(a_row(table, number)))
        for column in sealed_columns():
            sealed = VAULT.seal(column.name)
            rows.execute(update(column.table).where(func.length(column) > 0).values({column: sealed}))


def a_row(table: Table, number: int) -> dict[str, Any]:
    return {
        column.name: null() if number == 2 and column.nullable else a_value(column, number) for column in table.columns
    }


def a_value(column: Column[Any], number: int) -> Any:
    """Return a value that differs in each row, as two that refer to each other need."""
    if column.foreign_keys:
        (key,) = column.foreign_keys
        return a_value(key.column, number)
    if isinstance(column.type, JSON):
        return [{"ä𝄞": None, "b": [1.5, "\x00", number]}, JSON.NULL][number - 1]
    kind = datetime if isinstance(column.type, UtcDateTime) else column.type.python_type
    if kind is str:
        length = getattr(column.type, "length", None) or 20
        return f"{number}-{column.name}ä𝄞\n"[:length]
    values: dict[type, Any] = {
        bytes: [b"", b"\x00\xff"][number - 1] if column.unique is None else bytes([number]),
        bool: number == 1,
        int: 2**31 - 10 + number if column.type.__class__.__name__ == "Integer" else 2**40 + number,
        float: number / 3,
        datetime: datetime(2026, 2, 3, 4, 5, 6, 789_000 + number, tzinfo=UTC),
        date: date(2026, 2, number),
    }
    return values[kind]


def contents(settings: Settings) -> dict[str, list[str]]:
    """Return all rows of all tables, sorted. JSON is a text: two ways to write the same would differ."""
    found = {}
    with own_engine(url_of(settings), 5) as engine, engine.connect() as rows:
        for table in Base.metadata.sorted_tables:
            columns = [cast(each, Text) if isinstance(each.type, JSON) else each for each in table.columns]
            found[table.name] = sorted(repr(tuple(row)) for row in rows.execute(select(*columns)))
    return found


def test_a_backup_of_sqlite_is_restored_to_postgresql_with_every_row(
    home: Settings, server: Settings, back_up: Backup
) -> None:
    before = contents(home)
    assert all(before.values()), "each table has rows"
    assert "Restored into the database blogsvc_test_" in run(server, "restore", str(back_up(home))).stdout
    after = contents(server)
    assert {name for name in before if before[name] != after[name]} == set()


def test_a_backup_of_postgresql_is_restored_to_sqlite_with_every_row(
    home: Settings, server: Settings, back_up: Backup, tmp_path: Path
) -> None:
    run(server, "restore", str(back_up(home)))
    before = contents(server)
    again = home | {"BLOGSVC_INSTANCE": str(tmp_path / "again")}
    run(again, "restore", str(back_up(server)))
    after = contents(again)
    assert {name for name in before if before[name] != after[name]} == {Process.__tablename__}
    assert after[Process.__tablename__] == [], "what ran with the other database does not run here"
    checks = {check["check"]: check for check in json.loads(run(again, "doctor", "--json", code=1).stdout)}
    assert checks["integrity"]["ok"]
    assert checks["schema"]["ok"]


@pytest.mark.parametrize("target", ["server", "home"])
def test_a_blog_that_has_moved_numbers_new_rows_after_those_it_had(
    target: str, home: Settings, server: Settings, back_up: Backup, tmp_path: Path
) -> None:
    with own_engine(url_of(home), 5) as engine, engine.execution_options(**WRITES).begin() as rows:
        last = rows.scalar(text("SELECT max(position) FROM event"))
        rows.execute(text("DELETE FROM event WHERE position = :last"), {"last": last})  # its number is never used again
    moved = server
    run(moved, "restore", str(back_up(home)))
    if target == "home":
        moved = home | {"BLOGSVC_INSTANCE": str(tmp_path / "again")}
        run(moved, "restore", str(back_up(server)))
    with make_app(moved) as app, app.app_context():
        key = api_keys.create("new", ["all"], None, utc_now())[1]
        api = Api(app.test_client(), key)
        post = api.post("/posts", json={"title": "The first after it", "content": "Zyzzyva."}).json
        assert [found["id"] for found in api.get("/posts?q=zyzzyva").json["data"]] == [post["id"]]
        with own_engine(url_of(moved), 5) as engine, engine.connect() as rows:
            assert rows.scalar(select(Event.position).where(Event.post_id == post["id"])) > last


def test_events_without_a_final_number_get_one_in_a_backup(
    home: Settings, server: Settings, back_up: Backup, tmp_path: Path
) -> None:
    run(server, "restore", str(back_up(home)))
    with make_app(server) as app, app.app_context():
        for host in "ab":
            with transaction(f"connection:{host}"):
                record("connection.connected", utc_now(), platform=host)
    again = home | {"BLOGSVC_INSTANCE": str(tmp_path / "again")}
    run(again, "restore", str(back_up(server)))
    with own_engine(url_of(again), 5) as engine, engine.connect() as rows:
        assert rows.scalar(text("SELECT min(position) FROM event")) > 0
        *_, one, other = rows.execute(select(Event.data).order_by(Event.position)).scalars()
    assert (one["platform"], other["platform"]) == ("a", "b")
    with make_app(again) as app, app.app_context():
        with transaction():
            record("connection.connected", utc_now(), platform="c")
        close_connections()


def test_a_row_that_postgresql_refuses_is_named_and_nothing_is_stored(
    home: Settings, server: Settings, back_up: Backup, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(Path(home["BLOGSVC_INSTANCE"]) / "blogsvc.db")) as rows, rows:
        rows.execute("UPDATE draft_comment SET text = 'a' || char(0) || 'b'")
    said = run(server, "restore", str(back_up(home)), code=1).stderr
    assert "The rows of the table draft_comment can't be copied: PostgreSQL text fields cannot contain NUL" in said
    assert list(Path(server["BLOGSVC_INSTANCE"]).iterdir()) == []
    assert [name for name, rows in contents(server).items() if rows] == []
    with closing(sqlite3.connect(Path(home["BLOGSVC_INSTANCE"]) / "blogsvc.db")) as rows, rows:
        rows.execute("UPDATE draft_comment SET text = 'a b'")
    (tmp_path / "home.tar.gz").unlink()
    run(server, "restore", str(back_up(home)))
    assert contents(server) == contents(home)


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored.name)
def test_a_backup_of_an_earlier_version_is_restored_to_postgresql(
    stored: Path, server: Settings, tmp_path: Path
) -> None:
    instance = tmp_path / "home"
    instance.mkdir()
    (instance / "blogsvc.db").write_bytes(gzip.decompress(stored.read_bytes()))
    backup = tmp_path / "all.tar.gz"
    settings = {"BLOGSVC_INSTANCE": str(instance), "BLOGSVC_DATABASE_URL": "", "BLOGSVC_SECRET_KEY": a_key()}
    run(settings, "backup", str(backup))
    server["BLOGSVC_SECRET_KEY"] = ""
    run(server, "restore", str(backup))
    run(settings, "migrate", "--new-key")
    here, there = contents(settings), contents(server)
    assert {name for name in here if here[name] != there[name]} <= {Setting.__tablename__}


def a_key() -> str:
    return new_vault_key()


def test_a_database_with_a_blog_or_a_running_process_is_not_overwritten(
    home: Settings, server: Settings, back_up: Backup
) -> None:
    backup = back_up(home)
    secret = {"BLOGSVC_SECRET_KEY": VAULT.keys[0]}
    run(server | secret, "migrate")
    with own_engine(url_of(server), 5) as engine:
        with engine.execution_options(**WRITES).begin() as rows:
            rows.execute(insert(Process).values(a_row(Process.__table__, 1) | {"host": "web-1", "seen_at": utc_now()}))
        assert "on web-1 uses the database" in run(server | secret, "restore", str(backup), code=1).stderr
        with engine.execution_options(**WRITES).begin() as rows:
            rows.execute(update(Process).values(seen_at=utc_now() - timedelta(minutes=1)))
    run(server | secret, "restore", str(backup))
    assert "already contains data (table" in run(server | secret, "restore", str(backup), code=1).stderr


def test_another_key_than_that_of_the_backup_is_refused_before_anything_is_stored(
    home: Settings, server: Settings, back_up: Backup
) -> None:
    backup = back_up(home)
    said = run(server | {"BLOGSVC_SECRET_KEY": a_key()}, "restore", str(backup), code=1).stderr
    assert f"The backup has it: tar -xzOf {backup} secret.key" in said
    assert list(Path(server["BLOGSVC_INSTANCE"]).iterdir()) == []
    secret = {"BLOGSVC_SECRET_KEY": VAULT.keys[0]}
    run(server | secret, "restore", str(backup))
    assert not (Path(server["BLOGSVC_INSTANCE"]) / "secret.key").exists()


def test_a_backup_says_what_it_does_not_contain(home: Settings, server: Settings, back_up: Backup) -> None:
    secret = {"BLOGSVC_SECRET_KEY": VAULT.keys[0]}
    run(server | secret, "restore", str(back_up(home)))
    folder = Path(server["BLOGSVC_INSTANCE"])
    said = run(server | secret, "backup", str(folder / "a.tar.gz"), "--no-images").stderr
    assert "does not contain the key, BLOGSVC_SECRET_KEY" in said
    assert f"does not contain the images in {folder / 'media'}" in said
    alone = home | {"BLOGSVC_INSTANCE": str(folder / "alone")}
    said = run(alone, "restore", str(folder / "a.tar.gz")).stderr
    assert f"does not contain its key (fingerprint {VAULT.fingerprint()})" in said
    assert "images of the blog. Copy them to" in said


def test_images_move_with_the_rows_also_within_one_data_directory(
    home: Settings, server: Settings, back_up: Backup
) -> None:
    with make_app(home) as app, app.app_context():
        key = api_keys.create("new", ["all"], None, utc_now())[1]
        media = Api(app.test_client(), key).post("/media", form={"file": File(jpeg(600, 400)), "alt": "A ferry"}).json
    backup = back_up(home)
    for instance in (home["BLOGSVC_INSTANCE"], server["BLOGSVC_INSTANCE"]):
        moved = server | {"BLOGSVC_INSTANCE": instance}
        if instance == server["BLOGSVC_INSTANCE"]:
            with own_engine(url_of(server), 5) as engine, engine.execution_options(**WRITES).begin() as rows:
                rows.execute(text("DROP SCHEMA public CASCADE"))
                rows.execute(text("CREATE SCHEMA public"))
        run(moved, "restore", str(backup))
        with make_app(moved) as app:
            client = app.test_client()
            assert Api(client, key).get(f"/media/{media['id']}").json == media
            with client.get(media["url"]) as answer:
                assert len(answer.data) == media["bytes"]


def test_an_image_that_a_kill_cut_short_is_restored_again(home: Settings, server: Settings, back_up: Backup) -> None:
    media = Path(home["BLOGSVC_INSTANCE"]) / "media"
    media.mkdir(exist_ok=True)
    (media / "ferry-7k3m9q2xvb.jpg").write_bytes(b"a whole image")
    backup = back_up(home)
    there = Path(server["BLOGSVC_INSTANCE"]) / "media" / "ferry-7k3m9q2xvb.jpg"
    there.parent.mkdir(parents=True)
    there.write_bytes(b"a whole")
    run(server, "restore", str(backup))
    assert there.read_bytes() == b"a whole image"


def test_a_machine_with_another_key_does_not_add_it_to_the_backup(
    home: Settings, server: Settings, back_up: Backup, tmp_path: Path
) -> None:
    run(server, "restore", str(back_up(home)))
    stranger = server | {"BLOGSVC_INSTANCE": str(tmp_path / "stranger")}
    (tmp_path / "stranger").mkdir()
    (tmp_path / "stranger" / "secret.key").write_text(a_key())
    backup = tmp_path / "all.tar.gz"
    assert "does not contain the key that decrypts" in run(stranger, "backup", str(backup)).stderr
    with tarfile.open(backup) as archive:
        assert "secret.key" not in archive.getnames()


def test_tables_of_other_programs_are_left_alone(home: Settings, server: Settings, back_up: Backup) -> None:
    run(server, "restore", str(back_up(home)))
    with own_engine(url_of(server), 5) as engine, engine.execution_options(**WRITES).begin() as rows:
        rows.execute(text("CREATE TABLE spatial_ref_sys (srid integer)"))
    back_up(server)


def test_a_backup_of_a_newer_version_is_refused_before_anything_is_stored(
    home: Settings, server: Settings, back_up: Backup
) -> None:
    with closing(sqlite3.connect(Path(home["BLOGSVC_INSTANCE"]) / "blogsvc.db")) as rows, rows:
        rows.execute("UPDATE alembic_version SET version_num = '9000'")
    backup = back_up(home)
    for place in (server, home | {"BLOGSVC_INSTANCE": server["BLOGSVC_INSTANCE"]}):
        assert "A newer version of blogsvc has made this backup" in run(place, "restore", str(backup), code=1).stderr
        assert list(Path(server["BLOGSVC_INSTANCE"]).iterdir()) == []


def test_a_server_that_is_away_is_an_error_in_one_sentence(home: Settings, server: Settings, back_up: Backup) -> None:
    backup = back_up(home)
    away = server | {"BLOGSVC_DATABASE_URL": f"postgresql+psycopg://postgres:secret@127.0.0.1:{free_port()}/blogsvc"}
    said = run(away, "restore", str(backup), code=1).stderr
    assert "The database can't be used: connection failed" in said
    assert ":secret@" not in said


def test_a_migration_waits_for_another_process_that_writes(server: Settings, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    with (
        make_app(server | {"BLOGSVC_BUSY_TIMEOUT_SECONDS": "0.1"}) as app,
        own_engine(url_of(server), 5) as engine,
        engine.execution_options(**WRITES).connect() as other,
    ):
        other.begin()
        waiting = Thread(target=migrate, args=(app,))
        waiting.start()
        eventually(lambda: "this one waits" in caplog.text)
        assert schema_version(engine) is None
        other.rollback()
        waiting.join(60)
        assert schema_version(engine) == schema_versions()[-1]
