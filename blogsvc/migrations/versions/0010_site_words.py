"""The words that readers can search, of the posts that are on the blog."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from blogsvc.lib.text.facts import searchable  # as it is at that time, because queries are normalized in the same way

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

AT_ONCE = 200

INDEX = {
    "sqlite": (
        "CREATE VIRTUAL TABLE site_words_in_title USING fts5("
        "title, content='site_words', content_rowid='number', tokenize='unicode61 remove_diacritics 0')",
        "CREATE VIRTUAL TABLE site_words_in_text USING fts5("
        "text, content='site_words', content_rowid='number', tokenize='unicode61 remove_diacritics 0', prefix='3')",
        "CREATE TRIGGER site_words_added AFTER INSERT ON site_words BEGIN"
        " INSERT INTO site_words_in_title(rowid, title) VALUES (new.number, new.title);"
        " INSERT INTO site_words_in_text(rowid, text) VALUES (new.number, new.text); END",
        "CREATE TRIGGER site_words_removed AFTER DELETE ON site_words BEGIN"
        " INSERT INTO site_words_in_title(site_words_in_title, rowid, title) VALUES ('delete', old.number, old.title);"
        " INSERT INTO site_words_in_text(site_words_in_text, rowid, text) VALUES ('delete', old.number, old.text); END",
    ),
    "postgresql": (
        "CREATE INDEX ix_site_words_in_title ON site_words USING gin (to_tsvector('simple', title))",
        "CREATE INDEX ix_site_words_in_text ON site_words USING gin (to_tsvector('simple', text))",
    ),
}

SITE_WORDS = sa.table("site_words", sa.column("post_id"), sa.column("title"), sa.column("text"))
POST = sa.table("post", sa.column("id"), sa.column("site_revision_id"), sa.column("deleted_at"))
REVISION = sa.table(
    "revision",
    sa.column("id"),
    sa.column("title"),
    sa.column("summary"),
    sa.column("tags", sa.JSON),
    sa.column("html"),
)


def upgrade() -> None:
    op.create_table(
        "site_words",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("post_id", sa.String(40), sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    for statement in INDEX[op.get_bind().dialect.name]:
        op.execute(statement)
    fill()


def fill() -> None:
    """Add the words of the posts that are on the blog."""
    query = (
        sa.select(POST.c.id, REVISION.c.title, REVISION.c.summary, REVISION.c.tags, REVISION.c.html)
        .join_from(POST, REVISION, REVISION.c.id == POST.c.site_revision_id)
        .where(POST.c.deleted_at.is_(None))
        .order_by(POST.c.id)
        .limit(AT_ONCE)
    )
    last = ""
    while rows := op.get_bind().execute(query.where(POST.c.id > last)).all():
        words = [(row.id, *searchable(row.title, row.summary, row.tags, row.html or "")) for row in rows]
        op.bulk_insert(SITE_WORDS, [dict(zip(("post_id", "title", "text"), each, strict=True)) for each in words])
        last = rows[-1].id


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE site_words_in_title")
        op.execute("DROP TABLE site_words_in_text")
    op.drop_table("site_words")
