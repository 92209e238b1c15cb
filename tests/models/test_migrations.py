"""The schema of the migrations matches the models."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from flask_migrate import downgrade, upgrade
from sqlalchemy import delete, func, inspect, select, text, update

from blogsvc import create_app, make_tools, migrate, with_migrations
from blogsvc.auth import accounts
from blogsvc.config import MIGRATIONS, Config
from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.lib.crypto import Vault
from blogsvc.models import (
    Connection,
    Delivery,
    NoticePosition,
    Post,
    PostSlug,
    ReferrerDay,
    ReferrerMonth,
    Revision,
    Session,
    User,
    ViewDay,
    ViewMonth,
    close_connections,
    db,
    transaction,
)
from blogsvc.models.base import Base
from blogsvc.models.event import last_position
from blogsvc.models.post_search import MADE_BY_HAND
from blogsvc.posts import editing, publishing
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
    with_migrations(app)
    downgrade(revision="base")
    assert inspect(db.engine).get_table_names() == ["alembic_version"]
    upgrade()
    assert db.session.scalar(select(func.count()).select_from(Post)) == 0
    assert triggers_are_there()


def test_the_views_by_day_are_added_up_by_month(app: Flask) -> None:
    days = [(date(2025, 11, 30), 1), (date(2026, 2, 1), 2), (date(2026, 2, 28), 4), (date(2026, 3, 1), 8)]
    with transaction():
        db.session.add_all(ViewDay(day=day, views=views, visitors=1) for day, views in days)
        db.session.add_all(ReferrerDay(day=day, host="a.example", views=views) for day, views in days)
    db.session.remove()
    with_migrations(app)
    downgrade(revision="0017")
    upgrade()
    months = [(date(2025, 11, 1), 1), (date(2026, 2, 1), 6), (date(2026, 3, 1), 8)]
    views = db.session.execute(select(ViewMonth.month, ViewMonth.views).order_by(ViewMonth.month))
    hosts = db.session.execute(select(ReferrerMonth.month, ReferrerMonth.views).order_by(ReferrerMonth.month))
    assert (list(views), list(hosts)) == (months, months)


def test_links_that_no_page_may_have_are_dropped(
    app: Flask, a_post: Callable[..., Post], connect: Callable[..., str]
) -> None:
    kept = ["https://there.example/1", "http://there.example/1", "/one"]
    ids = []
    for url in (*kept, "javascript:alert(1)", "data:text/html,x"):
        delivery = a_post(live=True, platforms=[connect(f"hook-{len(ids)}")]).deliveries[0]
        ids.append(delivery.id)
        with transaction():
            db.session.execute(update(Delivery).where(Delivery.id == delivery.id).values(url=url))
    db.session.remove()
    with_migrations(app)
    downgrade(revision="0022")
    upgrade()
    found = {row.id: row.url for row in db.session.execute(select(Delivery.id, Delivery.url))}
    assert [found[id] for id in ids] == [*kept, None, None]


def test_users_keep_their_sessions_when_the_tables_are_renamed(app: Flask, tools: Tools) -> None:
    now = tools.now()
    user = accounts.add_user("ann@blog.example", "Ann", "a sentence to sign in by", "owner", "UTC", now)
    session, token = accounts.begin_session(user, "Firefox", "127.0.0.1", now)
    db.session.remove()
    with_migrations(app)
    downgrade(revision="0039")
    assert db.session.scalar(text("SELECT count(*) FROM session JOIN person ON person.id = session.person_id")) == 1
    db.session.remove()
    upgrade()
    kept = accounts.current_session(token, now)
    assert kept is not None
    assert (kept.id, kept.user.email) == (session.id, "ann@blog.example")
    with transaction():
        db.session.execute(delete(User))
        assert db.session.scalar(select(func.count()).select_from(Session)) == 0, "the foreign key was renamed too"


def test_the_image_option_of_mastodon_keeps_its_value(app: Flask, a_post: Callable[..., Post]) -> None:
    stored = {"mastodon": {"content": "A picture", "options": {"visibility": "unlisted", "image": "attach"}}}
    a_post(live=True)
    with transaction():
        db.session.execute(update(Post).values(overrides=stored))
        db.session.execute(update(Revision).values(overrides=stored))
    db.session.remove()
    with_migrations(app)
    downgrade(revision="0040")
    old = {"mastodon": {"content": "A picture", "options": {"visibility": "unlisted", "picture": "attach"}}}
    assert set(map(str, db.session.scalars(select(Revision.overrides)))) == {str(old)}
    db.session.remove()
    upgrade()
    assert db.session.scalars(select(Post.overrides)).all() == [stored]
    assert set(map(str, db.session.scalars(select(Revision.overrides)))) == {str(stored)}


def test_the_only_account_of_a_connector_answers_to_its_key(
    app: Flask, tools: Tools, connect: Callable[..., str]
) -> None:
    manage.connect("sandbox", "one", {}, tools)
    connect("first")
    connect("second")
    db.session.remove()
    with_migrations(app)
    downgrade(revision="0042")
    upgrade()
    rows = db.session.execute(select(Connection.name, Connection.aliases)).all()
    assert dict(map(tuple, rows)) == {"one": ["sandbox"], "first": [], "second": []}


def test_notices_start_at_the_newest_event(app: Flask, a_post: Callable[..., Post]) -> None:
    a_post(live=True)
    newest = last_position()
    db.session.remove()
    with_migrations(app)
    downgrade(revision="0043")
    upgrade()
    assert db.session.scalars(select(NoticePosition.position)).all() == [newest]


def test_former_slugs_of_published_posts_stay_addresses(app: Flask, a_post: Callable[..., Post], time: Time) -> None:
    post = a_post(live=True, slug="before")
    editing.edit(post, {"slug": "shown"}, None, time.now)
    publishing.publish(post, time.now)
    editing.edit(post, {"slug": "to-come"}, None, time.now)
    a_post(slug="unseen")
    slugs = select(PostSlug.slug).where(PostSlug.was_shown).order_by(PostSlug.slug)
    assert list(db.session.scalars(slugs)) == ["before", "shown"]
    db.session.remove()
    with_migrations(app)
    downgrade(revision="0047")
    upgrade()
    assert list(db.session.scalars(slugs)) == ["before", "shown"]


def test_no_index_or_constraint_is_named_after_a_former_table(app: Flask) -> None:
    tables = inspect(db.engine)
    names = [index["name"] for table in tables.get_table_names() for index in tables.get_indexes(table)]
    names += [unique["name"] for table in tables.get_table_names() for unique in tables.get_unique_constraints(table)]
    if db.engine.dialect.name == "postgresql":  # SQLite cannot rename the others
        names += [tables.get_pk_constraint(table)["name"] for table in tables.get_table_names()]
        names += [key["name"] for table in tables.get_table_names() for key in tables.get_foreign_keys(table)]
    assert [name for name in names if "person" in (name or "")] == []


# The revision and SHA-256 of every migration. Add a line with each new migration, and change no line.
FROZEN = Path(__file__).parent / "frozen_migrations.txt"


def test_a_migration_never_changes_once_it_is_frozen() -> None:
    frozen = dict(line.split() for line in FROZEN.read_text().splitlines())
    files = sorted((MIGRATIONS / "versions").glob("[0-9]*.py"))
    found = {file.name.partition("_")[0]: sha256(file.read_bytes()).hexdigest() for file in files}
    assert found == frozen, "A migration that databases have run was changed: write a new migration instead."


# Databases of former schemas, each filled by the `blogsvc demo` of its time. Add one before each migration.
STORED = sorted((Path(__file__).parent / "stored").glob("*.db.gz"))


@pytest.mark.sqlite("the stored database is a file")
@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored.name)
def test_migrating_a_stored_database_keeps_every_row(stored: Path, tmp_path: Path) -> None:
    (tmp_path / "blogsvc.db").write_bytes(gzip.decompress(stored.read_bytes()))
    before = row_counts(tmp_path)
    Vault.open(tmp_path / "secret.key")
    app = create_app(tools=make_tools(Config(instance=tmp_path)))
    migrate(app)
    with app.app_context():
        assert differences() == []
        assert triggers_are_there()
        assert db.session.scalars(text("PRAGMA foreign_key_check")).all() == []
        assert db.session.scalar(select(func.count()).select_from(Post)) == 14
        assert {delivery.destination for delivery in db.session.scalars(select(Delivery))} >= {"site", "mastodon"}
        close_connections()
    assert row_counts(tmp_path) == before


# The tables that migrations fill, so that a migrated database has more of their rows.
DERIVED = {"view_month", "referrer_month", "stale_delivery_day", "notice_position"}


def row_counts(instance: Path) -> list[int]:
    """Return the number of rows of each table that has rows and is not derived, without the table names."""
    with closing(sqlite3.connect(instance / "blogsvc.db")) as rows:
        tables = rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        names = {name for (name,) in tables} - DERIVED
        counts = [rows.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names]
        return sorted(count for count in counts if count)
