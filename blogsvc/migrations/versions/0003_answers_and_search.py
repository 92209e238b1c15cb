"""answers and search"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from blogsvc.lib.search_terms import fold

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# FTS5 with its content elsewhere (sqlite.org/fts5.html, 4.4.3): triggers keep it in step.
IN_SQLITE = (
    "CREATE VIRTUAL TABLE post_text_words USING fts5("
    "text, content='post_text', content_rowid='number', tokenize='unicode61 remove_diacritics 0')",
    "CREATE TRIGGER post_text_added AFTER INSERT ON post_text BEGIN"
    " INSERT INTO post_text_words(rowid, text) VALUES (new.number, new.text); END",
    "CREATE TRIGGER post_text_removed AFTER DELETE ON post_text BEGIN"
    " INSERT INTO post_text_words(post_text_words, rowid, text) VALUES ('delete', old.number, old.text); END",
    "CREATE TRIGGER post_text_changed AFTER UPDATE OF text ON post_text BEGIN"
    " INSERT INTO post_text_words(post_text_words, rowid, text) VALUES ('delete', old.number, old.text);"
    " INSERT INTO post_text_words(rowid, text) VALUES (new.number, new.text); END",
)
IN_POSTGRESQL = ("CREATE INDEX ix_post_text_words ON post_text USING gin (to_tsvector('simple', text))",)


def upgrade() -> None:
    op.create_table(
        "answer",
        sa.Column("key_id", sa.String(length=40), nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(length=32), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_key.id"], name=op.f("fk_answer_key_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_id", "idempotency_key", name=op.f("pk_answer")),
    )
    op.create_index(op.f("ix_answer_created_at"), "answer", ["created_at"])
    op.create_table(
        "post_text",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_post_text_post_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_post_text")),
        sa.UniqueConstraint("post_id", name=op.f("uq_post_text_post_id")),
        sqlite_autoincrement=True,
    )
    for statement in IN_SQLITE if op.get_bind().dialect.name == "sqlite" else IN_POSTGRESQL:
        op.execute(statement)
    _index_what_is_there()


def _index_what_is_there() -> None:
    bind = op.get_bind()
    add = sa.text("INSERT INTO post_text (post_id, text) VALUES (:post_id, :text)")
    for post in bind.execute(sa.text("SELECT id, title, summary, content, tags FROM post")).all():
        tags = json.loads(post.tags) if isinstance(post.tags, str) else post.tags
        words = fold(" \n ".join([post.title, post.summary, *tags, post.content])[:400_000])[:400_000]
        bind.execute(add, {"post_id": post.id, "text": words})


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE post_text_words")
    op.drop_table("post_text")
    op.drop_table("answer")
