"""`blogsvc doctor`, and the same checks at the start of the server."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from flask import Flask

from blogsvc import create_app
from blogsvc.analytics import page_views
from blogsvc.analytics.view_limits import NETWORK_PAGE_VIEWS
from blogsvc.config import Config
from blogsvc.context import tools
from blogsvc.lib.time import stamp, utc_now
from blogsvc.media import images
from blogsvc.models import Setting, close_connections, transaction
from blogsvc.models.page_view import MAX_ROWS
from tests.cli.conftest import Run, make_app
from tests.cli.test_cli import connect, receiver
from tests.clock import wait_until
from tests.images import png
from tests.kill.server import Server
from tests.receiver import Receiver

__all__ = ["receiver"]  # fixtures

CHECKS = [
    "side files",
    "schema",
    "integrity",
    "key",
    "clock",
    "e-mail",
    "views",
    "stored",
    "media",
    "disk",
    "permissions",
    "backups",
    "address",
]
a_file = pytest.mark.sqlite("the database is a file")


@pytest.fixture
def config(environment: dict[str, str]) -> Config:
    return Config.load(environment)


def problems(run: Run, code: int = 1, **more: str) -> dict[str, str]:
    """Return the message of each check that found a problem."""
    found = json.loads(run("doctor", "--json", code=code, **more).stdout)
    return {row["check"]: row["message"] for row in found if not row["ok"]}


def test_a_healthy_instance_has_a_line_for_each_check(run: Run, receiver: Receiver, config: Config) -> None:
    connect(run, receiver)
    checks = list(CHECKS)
    if config.is_on_postgresql:
        checks.insert(checks.index("views") + 1, "processes")
    lines = run("doctor").stdout.splitlines()
    assert [line.split(maxsplit=1)[0] for line in lines] == ["ok"] * len(checks)
    assert [line[9:22].rstrip() for line in lines] == checks
    assert [row["check"] for row in json.loads(run("doctor", "--json").stdout)] == checks


def test_what_is_stored_is_counted_with_its_retention(run: Run, receiver: Receiver) -> None:
    connect(run, receiver)
    (line,) = (line for line in run("doctor").stdout.splitlines() if " stored " in line[:20])
    assert "0 views (kept for 90 days)" in line
    assert "1 events" in line


@a_file
def test_the_size_of_the_database_includes_its_write_ahead_log(run: Run, config: Config) -> None:
    file, log = config.instance / "blogsvc.db", config.instance / "blogsvc.db-wal"
    with closing(sqlite3.connect(file)) as rows:  # keeps the log: only the last connection applies and deletes it
        rows.execute("PRAGMA wal_autocheckpoint = 0")
        rows.execute("CREATE TABLE large AS SELECT zeroblob(5000000) AS data")
        rows.commit()
        assert log.stat().st_size > 5_000_000
        size = round((file.stat().st_size + log.stat().st_size) / 1_000_000)
        (line,) = (line for line in run("doctor").stdout.splitlines() if " disk " in line[:20])
    assert f"the database has {size} MB" in line


def test_files_in_the_media_directory_that_no_image_has_are_named(run: Run, config: Config) -> None:
    config.media.mkdir(exist_ok=True)
    file = config.media / "lost-7k3m9q2xvb.jpg"
    file.write_bytes(bytes(3_000))
    run("key", "list")  # creates the database
    (line,) = (line for line in run("doctor").stdout.splitlines() if " media " in line[:20])
    assert line.startswith("ok")
    assert f"1 files in {config.media} belong to no image (3 kB): lost-7k3m9q2xvb.jpg." in line
    old = utc_now().timestamp() - 3 * 24 * 3600
    os.utime(file, (old, old))
    assert "They should have been deleted." in problems(run)["media"]


def test_files_that_machines_share_are_kept_for_a_month(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    environment["BLOGSVC_MEDIA_URL"] = f"file://{tmp_path}"
    run("key", "list")
    files = [tmp_path / "media" / name for name in ("lost-7k3m9q2xvb.jpg", "another program's")]
    (tmp_path / "media").mkdir(mode=0o700)
    for days, told in ((3, {}), (32, {"media"})):
        for file in files:
            file.touch()
            os.utime(file, (utc_now().timestamp() - days * 24 * 3600,) * 2)
        (line,) = (line for line in run("doctor", code=1 if told else 0).stdout.splitlines() if " media " in line[:20])
        assert f"1 files in {tmp_path}/media belong to no image (0 kB): lost-7k3m9q2xvb.jpg." in line
        assert line.startswith("problem" if told else "ok")


def test_an_image_without_its_file_is_a_problem(run: Run, config: Config) -> None:
    app = create_app(config)
    with app.app_context():
        media = images.add(png(20, 10), "oak.png", "An oak", tools())
        close_connections()
    assert problems(run, code=0) == {}
    for file in config.media.iterdir():
        file.unlink()
    assert f"1 of 1 images have no file in {config.media}: {media.key}." in problems(run)["media"]


def flood(app: Flask, views: int, at: datetime) -> None:
    """Record so many views beyond the limit of a network."""
    with app.app_context(), page_views.views_waiting.connected_to(lambda _: None):
        for number in range(NETWORK_PAGE_VIEWS + views):
            page_views.record_view(None, "127.0.0.1", f"reader {number}", None, True, at)
        page_views.flush_views()
        close_connections()


def test_views_beyond_a_limit_are_a_problem_for_a_day(run: Run, config: Config) -> None:
    app = create_app(config)
    flood(app, 5, utc_now() - timedelta(hours=30))
    assert problems(run, code=0) == {}
    flood(app, 7, utc_now())
    found = problems(run)["views"]
    assert "A visitor or a network has reached its limit of page views: 7 were not counted from " in found
    assert "check BLOGSVC_TRUSTED_PROXIES" in found


def test_a_full_table_of_views_is_a_problem(run: Run, config: Config) -> None:
    app = create_app(config)
    with app.app_context(), page_views.views_waiting.connected_to(lambda _: None):
        with transaction():
            Setting.write("view_rows", MAX_ROWS)
        for _ in range(3):
            page_views.record_view(None, "127.0.0.1", "a reader", None, True, utc_now())
        page_views.flush_views()
        close_connections()
    found = problems(run)["views"]
    assert "has reached its ceiling of 3,000,000 rows: 3 were not counted from " in found
    assert "The views of earlier days are deleted to make room" in found


def test_problems_are_lines_too(run: Run, config: Config) -> None:
    config.key_file.chmod(0o644)
    (line,) = (line for line in run("doctor", code=1).stdout.splitlines() if line.startswith("problem"))
    problem = f"Other users have access to {config.key_file}. Run `chmod 600 {config.key_file}`."
    assert line == f"problem  permissions  {problem}"


def test_a_directory_that_others_can_change_is_a_problem(run: Run, instance: Path) -> None:
    instance.chmod(0o777)
    assert f"chmod 700 {instance}" in problems(run)["permissions"]


@pytest.mark.usefixtures("later_migration")
def test_an_old_schema_is_a_problem(run: Run) -> None:
    assert "run `blogsvc migrate`" in problems(run)["schema"]


def test_a_directory_without_a_database_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    there = {"BLOGSVC_INSTANCE": str(tmp_path / "new"), "BLOGSVC_DATABASE_URL": ""}
    assert "There is no data directory" in run("doctor", code=4, **there).stderr
    (tmp_path / "new").mkdir(mode=0o700)
    found = problems(run, **there)
    assert list(found) == ["schema"]
    assert "Run `blogsvc serve`, or check BLOGSVC_INSTANCE." in found["schema"]
    assert list((tmp_path / "new").iterdir()) == []


@a_file
def test_a_damaged_database_is_a_problem(run: Run, instance: Path) -> None:
    file = instance / "blogsvc.db"
    with closing(sqlite3.connect(file)) as rows:
        rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = rows.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ix_event_created_at'").fetchone()
        (size,) = rows.execute("PRAGMA page_size").fetchone()
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(content)
    assert f"The database {file} is damaged: " in problems(run)["integrity"]
    file.write_bytes(b"not a database" * 1000)
    assert "file is not a database" in problems(run)["schema"]


@a_file
def test_a_locked_database_is_a_problem(run: Run, instance: Path) -> None:
    with closing(sqlite3.connect(instance / "blogsvc.db", isolation_level=None)) as rows:
        rows.execute("PRAGMA locking_mode=EXCLUSIVE")
        rows.execute("BEGIN EXCLUSIVE")
        assert "locked by another program" in problems(run, BLOGSVC_BUSY_TIMEOUT_SECONDS="0.1")["schema"]


@a_file
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("blogsvc.db-wal", bytes.fromhex("377f0682 002de218 00000200") + bytes(500)),  # with pages of 512 bytes
        ("blogsvc.db-journal", bytes.fromhex("d9d505f920a163d7") + bytes(504)),
    ],
)
def test_files_of_another_database_are_reported_before_they_are_applied(
    run: Run, instance: Path, name: str, content: bytes
) -> None:
    for suffix in ("-wal", "-shm"):
        (instance / f"blogsvc.db{suffix}").unlink(missing_ok=True)
    before = (instance / "blogsvc.db").read_bytes()
    (instance / name).write_bytes(content)
    found = problems(run)
    assert list(found) == ["side files"]
    assert f"{name} beside {instance}/blogsvc.db belongs to another database." in found["side files"]
    assert (instance / name).read_bytes() == content
    assert (instance / "blogsvc.db").read_bytes() == before


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda path: path.write_bytes(Fernet.generate_key()), "1 of 1 stored secrets can't be decrypted"),
        (lambda path: path.write_text("nonsense"), "something that is not a key"),
        (lambda path: path.unlink(), "is missing"),
    ],
)
def test_a_key_that_does_not_decrypt_the_secrets_is_a_problem(
    run: Run, config: Config, receiver: Receiver, spoil: Callable[[Path], object], told: str
) -> None:
    connect(run, receiver)
    spoil(config.key_file)
    assert told in problems(run)["key"]


def write(environment: dict[str, str], name: str, value: object) -> None:
    with make_app(environment) as app, app.app_context(), transaction():
        Setting.write(name, value)


def test_a_clock_that_was_set_is_a_problem(run: Run, environment: dict[str, str]) -> None:
    write(environment, "clock_jump", {"at": stamp(utc_now()), "seconds": -3600})
    assert "was set by -3600 seconds" in problems(run)["clock"]
    write(environment, "heartbeat", stamp(utc_now() + timedelta(hours=1)))
    assert "which is in the future" in problems(run)["clock"]


def test_email_that_can_not_be_sent_is_a_problem(run: Run, environment: dict[str, str]) -> None:
    failure = {"since": stamp(utc_now()), "detail": "mail.example rejected the user or password (535 No)."}
    write(environment, "mail_failure", failure)
    assert " e-mail       Not set up: users get no e-mail." in run("doctor").stdout
    mail = {"BLOGSVC_SMTP_HOST": "mail.example", "BLOGSVC_MAIL_FROM": "blog@blog.example"}
    assert "mail.example rejected the user or password (535 No)." in problems(run, **mail)["e-mail"]
    write(environment, "mail_failure", None)
    assert "Notices are sent through mail.example." in run("doctor", **mail).stdout


@a_file
def test_a_disk_without_room_for_a_copy_of_the_database_is_a_problem(run: Run, instance: Path) -> None:
    size = shutil.disk_usage(instance).free + 2**40
    with suppress(OSError):  # a file system that has no sparse files
        os.truncate(instance / "blogsvc.db", size)
        assert "which updates and backups need" in problems(run)["disk"]


@pytest.fixture
def server(instance: Path, database_url: str) -> Iterator[Server]:
    server = Server(instance, database_url)
    yield server
    server.kill()
    assert server.tracebacks() == []


def beside(server: Server, *words: str) -> str:
    """Run a command in a process of its own, and return what it prints."""
    command = [server.command()[0], *words]
    return subprocess.run(command, env=server.environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.usefixtures("app")  # for wait_until
def test_the_server_logs_the_quick_checks_and_the_doctor_works_beside_it(
    environment: dict[str, str], config: Config, server: Server
) -> None:
    def logged(line: str) -> bool:
        return line in server.log.read_text()

    server.start()
    server.wait_until_ready()
    wait_until(lambda: logged("INFO the checks at start found no problems"))
    wal = config.instance / "blogsvc.db-wal"
    had_wal = wal.exists()
    assert "the scheduler ran last at" in beside(server, "doctor")
    beside(server, "key", "list")
    assert wal.exists() == had_wal, "the server has kept its locks, so the last command left its log alone"
    server.kill()
    config.key_file.chmod(0o644)
    write(environment, "heartbeat", stamp(utc_now() + timedelta(hours=1)))
    server.start()
    server.wait_until_ready()
    wait_until(lambda: logged(f"WARNING permissions: Other users have access to {config.key_file}."))
    wait_until(lambda: logged("which is in the future; check the system time"))
