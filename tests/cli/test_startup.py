"""What keeps a command from starting is one sentence that says what to do; only `serve` and `migrate` migrate."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from blogsvc.config import ROOT, Config
from blogsvc.lib.crypto import Vault, new_vault_key, write_keys
from blogsvc.models.schema import schema_versions
from tests.cli.conftest import Run, SetVersion
from tests.cli.test_cli import connect, receiver
from tests.databases import another
from tests.receiver import Receiver
from tests.tiers import matrix

__all__ = ["receiver"]  # fixtures

MIGRATING = [("serve",), ("migrate",)]
OTHERS = [("key", "list"), ("tick",), ("blog", "--json")]
COMMANDS = MIGRATING + OTHERS
USUAL = (MIGRATING[0], OTHERS[0])
a_file = pytest.mark.sqlite("the database is a file")
NEWEST = schema_versions()[-1]


@pytest.fixture
def config(environment: dict[str, str]) -> Config:
    return Config.load(environment)


@pytest.fixture
def blank(tmp_path: Path, blank_database_url: str) -> dict[str, str]:
    """The settings of an instance that does not exist yet."""
    return {"BLOGSVC_INSTANCE": str(tmp_path / "new"), "BLOGSVC_DATABASE_URL": blank_database_url}


def refused(run: Run, words: tuple[str, ...], code: int = 1, **more: str) -> str:
    """Return the only line that a command prints before it ends with an exit code."""
    result = run(*words, code=code, **more)
    assert result.stdout == ""
    assert result.stderr.startswith("blogsvc: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("words", OTHERS)
@pytest.mark.usefixtures("later_migration")
def test_other_commands_do_not_migrate_an_old_schema(run: Run, config: Config, words: tuple[str, ...]) -> None:
    said = refused(run, words)
    assert f"schema {NEWEST} of an earlier version" in said
    assert "Stop the server, make a backup with `blogsvc backup`, and run `blogsvc migrate`." in said
    with another(config.rows_url) as rows:
        assert rows.scalar(text("SELECT version_num FROM alembic_version")) == NEWEST


def test_the_schema_is_checked_while_another_program_writes(run: Run, config: Config) -> None:
    run("key", "list")  # writes the fingerprint of the key, if it is missing
    with another(config.rows_url, writes=True):
        run("key", "list")


@a_file
@pytest.mark.usefixtures("later_migration")
def test_a_database_with_an_old_schema_can_be_backed_up(run: Run, tmp_path: Path) -> None:
    run("backup", str(tmp_path / "all.tar.gz"))


@a_file
@pytest.mark.usefixtures("later_migration")
def test_migrate_says_what_it_did(run: Run) -> None:
    assert run("migrate").stdout == f"Updated the database from {NEWEST} to 9000.\n"
    assert run("migrate").stdout == "The database is up to date.\n"
    run("key", "list")


def test_migrate_creates_a_new_database(run: Run, blank: dict[str, str]) -> None:
    assert run("migrate", **blank).stdout == f"Created the database with the schema {NEWEST}.\n"
    run("key", "list", **blank)


def test_other_commands_create_a_new_database(run: Run, blank: dict[str, str]) -> None:
    assert run("key", "create", "me", **blank).stdout.startswith("bsk_")


@matrix("words", COMMANDS, default=lambda words: words in USUAL)
def test_a_newer_schema_needs_the_newer_version(run: Run, set_version: SetVersion, words: tuple[str, ...]) -> None:
    set_version("9999")
    assert "9999 of a newer version of blogsvc; this version knows" in refused(run, words)


@a_file
@matrix("words", COMMANDS, default=lambda words: words in USUAL)
def test_a_file_that_is_no_database_points_to_the_backup(run: Run, instance: Path, words: tuple[str, ...]) -> None:
    (instance / "blogsvc.db").write_bytes(b"not a database" * 1000)
    said = refused(run, words)
    assert f"{instance}/blogsvc.db is damaged: file is not a database. " in said
    assert "restore a backup with `blogsvc restore FILE`" in said


@a_file
@pytest.mark.parametrize("words", [("key", "list"), ("backup",)])
def test_a_database_with_damaged_pages_is_reported(run: Run, instance: Path, words: tuple[str, ...]) -> None:
    run("key", "create", "me")
    with closing(sqlite3.connect(instance / "blogsvc.db")) as rows:
        rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = rows.execute("SELECT rootpage FROM sqlite_master WHERE name = 'api_key'").fetchone()
        (size,) = rows.execute("PRAGMA page_size").fetchone()
    content = bytearray((instance / "blogsvc.db").read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    (instance / "blogsvc.db").write_bytes(content)
    assert "is damaged: " in refused(run, words)


@pytest.fixture
def locked(instance: Path) -> Iterator[None]:
    """Another program has the database for itself."""
    with closing(sqlite3.connect(instance / "blogsvc.db", isolation_level=None)) as rows:
        rows.execute("PRAGMA locking_mode=EXCLUSIVE")
        rows.execute("BEGIN EXCLUSIVE")
        yield


@a_file
@pytest.mark.usefixtures("locked")
@matrix("words", COMMANDS, default=lambda words: words in USUAL)
def test_a_locked_database_is_reported(run: Run, instance: Path, words: tuple[str, ...]) -> None:
    said = refused(run, words, BLOGSVC_BUSY_TIMEOUT_SECONDS="0.1")
    assert f"{instance}/blogsvc.db is locked by another program. Stop that program and try again." in said


@pytest.mark.sqlite("with PostgreSQL, it waits for other machines (tests/cluster/test_moving.py)")
@pytest.mark.parametrize("words", MIGRATING)
@pytest.mark.usefixtures("later_migration")
def test_a_migration_waits_no_longer_than_the_busy_timeout(run: Run, config: Config, words: tuple[str, ...]) -> None:
    with another(config.rows_url, writes=True):
        assert "is locked by another program." in refused(run, words, BLOGSVC_BUSY_TIMEOUT_SECONDS="0.1")


@matrix("words", COMMANDS, default=lambda words: words in USUAL)
def test_a_lost_key_is_noticed_before_a_new_one_is_created(
    run: Run, instance: Path, receiver: Receiver, words: tuple[str, ...]
) -> None:
    connect(run, receiver)
    (instance / "secret.key").unlink()
    said = refused(run, words)
    assert f"The key file {instance}/secret.key is missing" in said
    assert "Restore the file from a backup" in said
    assert not (instance / "secret.key").exists()


def test_a_key_that_is_lost_for_good_can_be_replaced(run: Run, instance: Path, receiver: Receiver) -> None:
    connect(run, receiver)
    (instance / "secret.key").unlink()
    run("migrate", "--new-key")
    run("key", "list")
    assert "connect the account again" in run("connection", "verify", "hook", code=3).stderr


@matrix("words", COMMANDS, default=lambda words: words in USUAL)
def test_another_key_than_that_of_the_secrets_is_noticed(
    run: Run, instance: Path, receiver: Receiver, words: tuple[str, ...]
) -> None:
    connect(run, receiver)
    former = Vault.open(instance / "secret.key")
    write_keys(instance / "secret.key", [new_vault_key()])
    present = Vault.open(instance / "secret.key")
    said = refused(run, words)
    assert f"encrypted with the key {former.fingerprint()} (a fingerprint)" in said
    assert f"but the key file {instance}/secret.key has the key {present.fingerprint()}." in said
    write_keys(instance / "secret.key", [*present.keys, *former.keys])
    run("key", "list")


def test_a_key_that_does_not_decrypt_the_secrets_is_never_taken_for_the_right_one(
    run: Run, config: Config, instance: Path, receiver: Receiver
) -> None:
    connect(run, receiver)
    with another(config.rows_url, writes=True) as rows:
        rows.execute(text("DELETE FROM setting WHERE name = 'key_fingerprint'"))
    right = (instance / "secret.key").read_text()
    write_keys(instance / "secret.key", [new_vault_key()])
    assert "are encrypted with another key" in refused(run, ("key", "list"))
    (instance / "secret.key").write_text(right)
    run("key", "list")


def test_another_key_is_used_when_the_former_one_is_lost(run: Run, receiver: Receiver) -> None:
    connect(run, receiver)
    other = {"BLOGSVC_SECRET_KEY": new_vault_key()}
    assert "but BLOGSVC_SECRET_KEY has the key" in refused(run, ("key", "list"), **other)
    run("migrate", "--new-key", **other)
    run("key", "list", **other)
    assert "encrypted with the key" in refused(run, ("key", "list"))


def test_after_a_rotation_the_former_key_is_not_enough(run: Run, instance: Path, receiver: Receiver) -> None:
    connect(run, receiver)
    former = (instance / "secret.key").read_text()
    run("secrets", "rotate")
    run("key", "list")
    (instance / "secret.key").write_text(former)
    assert "encrypted with the key" in refused(run, ("key", "list"))


@pytest.mark.postgres("at home, nobody else uses the database")
def test_two_machines_need_the_same_key(run: Run, instance: Path) -> None:
    run("key", "list")
    (instance / "secret.key").unlink()
    assert "All processes of a database need the same key" in refused(run, ("key", "list"))


@pytest.mark.sqlite("several machines may use a database on a server")
def test_a_database_without_secrets_gets_a_new_key(run: Run, instance: Path) -> None:
    (instance / "secret.key").unlink()
    run("key", "list")
    assert (instance / "secret.key").exists()


@matrix("words", COMMANDS, default=lambda words: words in USUAL)
def test_an_empty_database_beside_images_is_probably_the_wrong_one(
    run: Run, blank: dict[str, str], words: tuple[str, ...]
) -> None:
    media = Path(blank["BLOGSVC_INSTANCE"]) / "media"
    media.mkdir(parents=True)
    (media / "ferry.jpg").write_bytes(b"x")
    said = refused(run, words, **blank)
    assert f"The database is empty, but {media} has images" in said
    assert "run `blogsvc migrate --new-blog`" in said
    run("migrate", "--new-blog", **blank)
    run("key", "list", **blank)


@a_file
@matrix("words", COMMANDS, default=lambda words: words in USUAL)
def test_the_log_of_a_missing_database_is_kept(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "blogsvc.db-wal").write_bytes(b"leftover")
    assert "blogsvc.db-wal belongs to a database, but" in refused(run, words, BLOGSVC_INSTANCE=str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["blogsvc.db-wal"]


def imported(environment: dict[str, str], before: str = "pass") -> subprocess.CompletedProcess[str]:
    """Import app.py as a WSGI server does, after another statement."""
    code = f"{before}; import app"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_a_wsgi_server_refuses_an_old_schema_in_one_sentence(
    environment: dict[str, str], later_migration: Path
) -> None:
    assert imported(environment).returncode == 0
    folder = later_migration.parents[1]
    newer = f"from blogsvc.models import schema; schema.MIGRATIONS = type(schema.MIGRATIONS)({str(folder)!r})"
    refused = imported(environment, newer)
    assert refused.returncode == 4, "gunicorn would start a process that ends with another code again, for ever"
    (sentence,) = refused.stderr.splitlines()
    assert sentence.startswith(f"blogsvc: The database has the schema {NEWEST} of an earlier version of blogsvc.")
    assert sentence.endswith("run `blogsvc migrate`.")


def test_a_wsgi_server_creates_the_database_of_a_new_instance(
    environment: dict[str, str], blank: dict[str, str]
) -> None:
    assert imported(environment | blank).returncode == 0
    with another(Config.load(environment | blank).rows_url) as rows:
        assert rows.scalar(text("SELECT version_num FROM alembic_version")) == schema_versions()[-1]


def test_a_wsgi_server_names_a_setting_that_is_invalid(environment: dict[str, str]) -> None:
    refused = imported(environment | {"BLOGSVC_LANES": "many"})
    assert (refused.returncode, len(refused.stderr.splitlines())) == (4, 1)
    assert refused.stderr.startswith("blogsvc: BLOGSVC_LANES='many' is invalid.")


def test_a_sanitiser_that_does_not_clean_prevents_a_start(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "nh3.py").write_text("def clean(html, **options):\n    return html\n")
    refused = imported({**environment, "PYTHONPATH": str(tmp_path)})
    assert refused.returncode != 0
    assert "doesn't remove scripts from HTML" in refused.stderr
    assert "Traceback" not in refused.stderr
