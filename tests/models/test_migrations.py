"""The schema of the migrations matches the models."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from sqlalchemy import func, inspect, select, text

from blogsvc import create_app, make_tools, migrate
from blogsvc.config import MIGRATIONS, Config
from blogsvc.lib.crypto import Vault
from blogsvc.lib.text.facts import searchable
from blogsvc.models import Delivery, Post, PostLabel, Redirect, Revision, Setting, close_connections, db, transaction
from blogsvc.models.base import Base
from blogsvc.models.full_text import MADE_BY_HAND
from blogsvc.models.post_labels import SITE_TAG
from blogsvc.models.redirect import Target
from blogsvc.models.schema import migrations_of, schema_version, schema_versions, upgrade
from blogsvc.models.site_search import SiteWords
from blogsvc.models.theme import Theme
from blogsvc.posts import editing, trash
from tests.clock import Time


def differences() -> list[Any]:
    """Return the differences between the models and the database."""
    with db.engine.connect() as connection:
        options = {"include_name": lambda name, *_: not (name or "").startswith(MADE_BY_HAND)}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata))


def test_the_migrations_match_the_models(app: Flask) -> None:
    assert differences() == []


# The triggers of the table `delivery`, which mark the days to roll up. The models cannot declare them, and rebuilding
# the table on SQLite, as `batch_alter_table` may do, removes them.
TRIGGERS = {
    "sqlite": {"delivery_day_added", "delivery_day_changed", "delivery_day_removed"},
    "postgresql": {"delivery_day_changed"},
}
FIND_TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'delivery'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgrelid = 'delivery'::regclass AND NOT tgisinternal",
}


def triggers_are_there() -> bool:
    name = db.engine.dialect.name
    return set(db.session.scalars(text(FIND_TRIGGERS[name]))) == TRIGGERS[name]


def test_the_migrations_keep_the_triggers_of_deliveries(app: Flask) -> None:
    assert triggers_are_there()


def test_the_migrations_can_be_downgraded_and_upgraded_again(app: Flask) -> None:
    db.session.remove()
    command.downgrade(migrations_of(db.engine), "base")
    assert inspect(db.engine).get_table_names() == ["alembic_version"]
    upgrade(db.engine)
    assert db.session.scalar(select(func.count()).select_from(Post)) == 0
    assert triggers_are_there()


def test_the_migrations_fill_the_tables_of_what_readers_see(a_post: Callable[..., Post], time: Time) -> None:
    post = a_post(live=True, tags=["ink", "Ünder/scored 🦊"])
    editing.edit(post, {"tags": ["draft"]}, None, time.now)
    trash.discard(a_post(live=True, tags=["trashed"]), time.now)
    db.session.remove()
    command.downgrade(migrations_of(db.engine), "0006")
    upgrade(db.engine)
    assert is_of_what_readers_see()


def test_the_addresses_of_imported_blogs_become_redirects(app: Flask, a_post: Callable[..., Post]) -> None:
    post = a_post(live=True)
    db.session.remove()
    command.downgrade(migrations_of(db.engine), "0006")
    rows = [
        {"address": "/2020/one", "post_id": post.id, "tag": None, "page": None},
        {"address": "/category/boats", "post_id": None, "tag": "boats", "page": None},
        {"address": "/author/ann", "post_id": None, "tag": None, "page": "/"},
    ]
    with db.engine.begin() as connection:
        insert = "INSERT INTO old_address (address, post_id, tag, page) VALUES (:address, :post_id, :tag, :page)"
        connection.execute(text(insert), rows)
    upgrade(db.engine)

    redirects = {row.path: row for row in db.session.scalars(select(Redirect))}
    assert {path: row.leads_to for path, row in redirects.items()} == {
        "/2020/one": Target(post_id=post.id),
        "/category/boats": Target(tag="boats"),
        "/author/ann": Target(address="/"),
    }
    assert {(row.status, row.source, row.hit_count) for row in redirects.values()} == {(301, "import", 0)}
    db.session.remove()
    command.downgrade(migrations_of(db.engine), "0006")
    with db.engine.connect() as connection:
        kept = connection.execute(text("SELECT address, post_id, tag, page FROM old_address")).mappings().all()
    upgrade(db.engine)
    assert sorted(map(dict, kept), key=lambda row: row["address"]) == sorted(rows, key=lambda row: str(row["address"]))


# The revision and SHA-256 of every migration. Add a line with each new migration, and change no line.
FROZEN = Path(__file__).parent / "frozen_migrations.txt"


def test_a_migration_never_changes_once_it_is_frozen() -> None:
    frozen = dict(line.split() for line in FROZEN.read_text().splitlines())
    files = sorted((MIGRATIONS / "versions").glob("[0-9]*.py"))
    found = {file.name.partition("_")[0]: sha256(file.read_bytes()).hexdigest() for file in files}
    assert found == frozen, "A migration that databases have run was changed: write a new migration instead."


# Databases that the `blogsvc demo` of each schema has filled. Add one before each migration.
STORED = sorted((Path(__file__).parent / "stored").glob("*.db.gz"))
a_file = pytest.mark.sqlite("the stored database is a file")


def stored_instance(stored: Path, instance: Path) -> Flask:
    """Return the application of an instance with a stored database, which is not migrated yet."""
    (instance / "blogsvc.db").write_bytes(gzip.decompress(stored.read_bytes()))
    fingerprint = Vault.open(instance / "secret.key").fingerprint()
    with closing(sqlite3.connect(instance / "blogsvc.db")) as rows, rows:  # its own key was not stored
        rows.execute("INSERT OR REPLACE INTO setting VALUES ('key_fingerprint', ?)", [f'"{fingerprint}"'])
    return create_app(tools=make_tools(Config(instance=instance)))


@a_file
@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored.name)
def test_migrating_a_stored_database_keeps_every_row(stored: Path, tmp_path: Path) -> None:
    app = stored_instance(stored, tmp_path)
    before = row_counts(tmp_path)
    migrate(app)
    with app.app_context():
        assert differences() == []
        assert triggers_are_there()
        assert db.session.scalars(text("PRAGMA foreign_key_check")).all() == []
        assert db.session.scalar(select(func.count()).select_from(Post)) >= 14
        assert {delivery.destination for delivery in db.session.scalars(select(Delivery))} >= {"site", "mastodon"}
        assert is_of_what_readers_see()
        undated = select(Post.id).where(Post.site_revision_id.is_not(None), Post.content_changed_at.is_(None))
        assert db.session.scalars(undated).all() == []
        close_connections()
    after = row_counts(tmp_path)
    kept = {name: count for name, count in after.items() if not name.startswith(FILLED)}
    assert kept == {name: count for name, count in before.items() if not name.startswith(FILLED)}


# Tables that migrations add rows to.
FILLED = ("author", "post_label", "site_words", "sqlite_sequence")


def is_of_what_readers_see() -> bool:
    """Return whether the tags and the words of the blog are those of the revisions on it."""
    query = select(Post.id, Revision).join(Revision, Revision.id == Post.site_revision_id)
    shown = dict(iter(db.session.execute(query)))
    labels = db.session.execute(select(PostLabel.post_id, PostLabel.value).where(PostLabel.kind == SITE_TAG))
    words = db.session.execute(select(SiteWords.post_id, SiteWords.title, SiteWords.text))
    assert set(map(tuple, labels)) == {(post_id, tag) for post_id, row in shown.items() for tag in row.tags}
    assert set(map(tuple, words)) == {
        (post_id, *searchable(row.title, row.summary, row.tags, row.render())) for post_id, row in shown.items()
    }
    return bool(shown)


@a_file
def test_a_migration_that_rebuilds_a_table_keeps_the_rows_that_refer_to_it(
    tmp_path: Path, later_migration: Path
) -> None:
    app = stored_instance(STORED[-1], tmp_path)
    before = row_counts(tmp_path)
    assert before["revision"] > before["post"], "SQLite would delete the revisions together with the table of posts"
    assert migrate(app) == STORED[-1].name.partition(".")[0]
    with app.app_context():
        assert schema_version(db.engine) == schema_versions()[-1]
        assert set(db.session.scalars(text("SELECT subtitle FROM post"))) == {"None yet"}
        assert db.session.scalars(text("PRAGMA foreign_key_check")).all() == []
        close_connections()
    assert row_counts(tmp_path) == before


@a_file
def test_a_migration_that_fails_changes_nothing(tmp_path: Path, later_migration: Path) -> None:
    app = stored_instance(STORED[-1], tmp_path)
    before = row_counts(tmp_path)
    text_of_it = later_migration.read_text()
    later_migration.write_text(text_of_it + '    raise OSError("The power is out.")\n')
    with pytest.raises(OSError, match="The power is out"):
        migrate(app)
    assert row_counts(tmp_path) == before
    with app.app_context():
        assert schema_version(db.engine) == schema_versions()[-2]
        assert "subtitle" not in {column["name"] for column in inspect(db.engine).get_columns("post")}
        close_connections()
    later_migration.write_text(text_of_it)
    migrate(app)
    assert row_counts(tmp_path) == before


def row_counts(instance: Path) -> dict[str, int]:
    """Return the number of rows of each table that has rows."""
    with closing(sqlite3.connect(instance / "blogsvc.db")) as rows:
        tables = rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        counts = {name: rows.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables}
        return {name: count for name, count in counts.items() if count}


# Looks of the schema 0016, and what they become.
FORMER_LOOKS = [
    (
        {"accent": "#7a1f5c", "face": "sans", "width": "wide"},
        {"color": "#7a1f5c", "face": "sans", "width": "wide", "layout": "list", "scheme": "auto"},
    ),
    (
        {"accent": "#006b9f", "face": "charter", "width": "narrow"},
        {"color": "#0b5c80", "face": "harbour", "width": "narrow", "layout": "list", "scheme": "auto"},
    ),
]


@pytest.mark.parametrize(("stored", "options"), FORMER_LOOKS)
def test_the_look_of_the_blog_becomes_the_options_of_its_theme(
    app: Flask, stored: dict[str, str], options: dict[str, str]
) -> None:
    assert Theme.read() == Theme()
    db.session.remove()
    command.downgrade(migrations_of(db.engine), "0016")
    with transaction():
        Setting.write("blog_theme", stored)
    db.session.remove()
    upgrade(db.engine)
    assert Theme.read() == Theme(**options)
    db.session.remove()
    command.downgrade(migrations_of(db.engine), "0016")
    assert Setting.read("blog_theme") == stored
    db.session.remove()
    upgrade(db.engine)
