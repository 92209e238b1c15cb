"""The schema of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"  # the first twelve were never released
down_revision = None
branch_labels = None
depends_on = None

# Full-text search. SQLite: an FTS5 table with external content, which triggers keep up to date
# (https://sqlite.org/fts5.html, section 4.4.3). PostgreSQL: an index on an expression.
SEARCH_IN_SQLITE = (
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
SEARCH_IN_POSTGRESQL = ("CREATE INDEX ix_post_text_words ON post_text USING gin (to_tsvector('simple', text))",)

# In the order in which they can be dropped.
TABLES = (
    "webhook_attempt",
    "stat",
    "attempt",
    "webhook_delivery",
    "view",
    "session",
    "revision",
    "recovery_code",
    "post_text",
    "passkey",
    "media_use",
    "label",
    "imported_post",
    "imported_picture",
    "event",
    "delivery",
    "answer",
    "address",
    "webhook",
    "slot",
    "setting",
    "post",
    "person",
    "media",
    "invitation",
    "import",
    "connection",
    "api_key",
)


def upgrade() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("prefix", sa.String(length=20), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_key"),
        sa.UniqueConstraint("hash", name="uq_api_key_hash"),
    )
    op.create_table(
        "connection",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column(
            "name", sa.String(length=64).with_variant(sa.String(length=64, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("connector", sa.String(length=64), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("account", sa.String(length=300), nullable=False),
        sa.Column("account_url", sa.String(length=2000), nullable=True),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("session", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("failure_count", sa.Integer(), nullable=False),
        sa.Column("paused_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_error", sa.String(length=2000), nullable=True),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_connection"),
        sa.UniqueConstraint("name", name="uq_connection_name"),
    )
    op.create_table(
        "import",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=True),
        sa.Column("choices", sa.JSON(), nullable=False),
        sa.Column("left_out", sa.JSON(), nullable=False),
        sa.Column("error", sa.String(length=2000), nullable=True),
        sa.Column("failures", sa.JSON(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_import"),
    )
    op.create_index("ix_import_state", "import", ["state"])
    op.create_table(
        "invitation",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("note", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("hash", name="uq_invitation_hash"),
    )
    op.create_table(
        "media",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("media_type", sa.String(length=40), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("alt", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("sizes", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_media"),
    )
    op.create_index(
        "ix_media_without_alt", "media", ["id"], sqlite_where=sa.text("alt = ''"), postgresql_where=sa.text("alt = ''")
    )
    op.create_table(
        "person",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("preferences", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("totp_secret", sa.LargeBinary(), nullable=True),
        sa.Column("totp_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("totp_step", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("email", name="uq_person_email"),
    )
    op.create_table(
        "post",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("platforms", sa.JSON(), nullable=False),
        sa.Column("word_count", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.String(length=40), nullable=True),
        sa.Column("scheduled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wall_time", sa.String(length=32), nullable=True),
        sa.Column("time_zone", sa.String(length=64), nullable=True),
        sa.Column("fold", sa.Integer(), nullable=True),
        sa.Column("revision_count", sa.Integer(), nullable=False),
        sa.Column("live_revision_id", sa.String(length=40), nullable=True),
        sa.Column("site_revision_id", sa.String(length=40), nullable=True),
        sa.Column("has_unpublished_changes", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.String(length=16), nullable=False),
        sa.Column(
            "title",
            sa.String(length=300).with_variant(sa.String(length=300, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("canonical_url", sa.String(length=2000), nullable=True),
        sa.Column("cover_image", sa.String(length=2000), nullable=True),
        sa.Column("language", sa.String(length=35), nullable=True),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("overrides", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_post"),
    )
    op.create_index("ix_post_author_id_created_at_id", "post", ["author_id", "created_at", "id"])
    op.create_index("ix_post_created_at_id", "post", ["created_at", "id"])
    op.create_index("ix_post_published_at_id", "post", ["published_at", "id"])
    op.create_index("ix_post_scheduled_at_id", "post", ["scheduled_at", "id"])
    op.create_index("ix_post_state_created_at_id", "post", ["state", "created_at", "id"])
    op.create_index("ix_post_title_id", "post", ["title", "id"])
    op.create_index(
        "ix_post_trashed",
        "post",
        ["deleted_at", "id"],
        sqlite_where=sa.text("deleted_at IS NOT NULL"),
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.create_index("ix_post_updated_at_id", "post", ["updated_at", "id"])
    op.create_index(
        "ix_post_due",
        "post",
        ["scheduled_at"],
        sqlite_where=sa.text("state = 'scheduled' AND deleted_at IS NULL"),
        postgresql_where=sa.text("state = 'scheduled' AND deleted_at IS NULL"),
    )
    op.create_index(
        "ix_post_on_site",
        "post",
        ["published_at", "id"],
        sqlite_where=sa.text("site_revision_id IS NOT NULL"),
        postgresql_where=sa.text("site_revision_id IS NOT NULL"),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_setting"),
    )
    op.create_table(
        "slot",
        sa.Column("weekday", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("time", sa.String(length=5), nullable=False),
        sa.PrimaryKeyConstraint("weekday", "time", name="pk_slot"),
    )
    op.create_table(
        "webhook",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("url", sa.String(length=2000), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("description", sa.String(length=300), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("former_secret", sa.LargeBinary(), nullable=True),
        sa.Column("former_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_reason", sa.String(length=20), nullable=True),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("paused_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhook"),
    )
    op.create_table(
        "address",
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_address_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("slug", name="pk_address"),
    )
    op.create_index("ix_address_post_id", "address", ["post_id"])
    op.create_table(
        "answer",
        sa.Column("key_id", sa.String(length=40), nullable=False),
        sa.Column("idempotency_key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(length=32), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["api_key.id"], name="fk_answer_key_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_id", "idempotency_key", name="pk_answer"),
    )
    op.create_index("ix_answer_created_at", "answer", ["created_at"])
    op.create_table(
        "delivery",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("platform", sa.String(length=64), nullable=False),
        sa.Column("connection_id", sa.String(length=40), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("revision_id", sa.String(length=40), nullable=True),
        sa.Column("copy_revision_id", sa.String(length=40), nullable=True),
        sa.Column("copy_hash", sa.String(length=64), nullable=True),
        sa.Column("remote_id", sa.String(length=2000), nullable=True),
        sa.Column("url", sa.String(length=2000), nullable=True),
        sa.Column("version", sa.String(length=500), nullable=True),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("drift", sa.String(length=20), nullable=True),
        sa.Column("is_drift_accepted", sa.Boolean(), nullable=False),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("look_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("measure_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("operation", sa.String(length=10), nullable=True),
        sa.Column("armed_revision_id", sa.String(length=40), nullable=True),
        sa.Column("keys", sa.JSON(), nullable=False),
        sa.Column("is_in_doubt", sa.Boolean(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wanted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("failure_count", sa.Integer(), nullable=False),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("error_detail", sa.String(length=2000), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connection.id"], name="fk_delivery_connection_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_delivery_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_delivery"),
        sa.UniqueConstraint("post_id", "platform", name="uq_delivery_post_id_platform"),
    )
    op.create_index("ix_delivery_connection_id_state", "delivery", ["connection_id", "state"])
    op.create_index(
        "ix_delivery_drifted",
        "delivery",
        ["drift"],
        sqlite_where=sa.text("drift IS NOT NULL"),
        postgresql_where=sa.text("drift IS NOT NULL"),
    )
    op.create_index("ix_delivery_look_at", "delivery", ["look_at"])
    op.create_index("ix_delivery_measure_at", "delivery", ["measure_at"])
    op.create_index("ix_delivery_state_next_attempt_at", "delivery", ["state", "next_attempt_at"])
    op.create_table(
        "event",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        sa.Column("delivery_id", sa.String(length=40), nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_event_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("position", name="pk_event"),
        sa.UniqueConstraint("id", name="uq_event_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_event_created_at", "event", ["created_at"])
    op.create_index("ix_event_post_id_position", "event", ["post_id", "position"])
    op.create_table(
        "imported_picture",
        sa.Column("import_id", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("media_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["import_id"], ["import.id"], name="fk_imported_picture_import_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_imported_picture_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("import_id", "key", name="pk_imported_picture"),
    )
    op.create_index("ix_imported_picture_media_id", "imported_picture", ["media_id"])
    op.create_table(
        "imported_post",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("import_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=100), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("obstacle", sa.String(length=20), nullable=True),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("address", sa.String(length=500), nullable=True),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["import_id"], ["import.id"], name="fk_imported_post_import_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_imported_post_post_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_imported_post"),
        sa.UniqueConstraint("import_id", "number", name="uq_imported_post_import_id_number"),
    )
    op.create_index("ix_imported_post_import_id_address", "imported_post", ["import_id", "address"])
    op.create_index("ix_imported_post_post_id", "imported_post", ["post_id"])
    op.create_index("ix_imported_post_source", "imported_post", ["source"])
    op.create_table(
        "label",
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("value", sa.String(length=100), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_label_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("kind", "value", "post_id", name="pk_label"),
    )
    op.create_index("ix_label_post_id", "label", ["post_id"])
    op.create_table(
        "media_use",
        sa.Column("media_id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_media_use_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", "post_id", name="pk_media_use"),
    )
    op.create_index("ix_media_use_post_id", "media_use", ["post_id"])
    op.create_table(
        "passkey",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(), nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_passkey_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_passkey"),
        sa.UniqueConstraint("credential_id", name="uq_passkey_credential_id"),
    )
    op.create_index("ix_passkey_person_id", "passkey", ["person_id"])
    op.create_table(
        "post_text",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_post_text_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_post_text"),
        sa.UniqueConstraint("post_id", name="uq_post_text_post_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "recovery_code",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_recovery_code_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_recovery_code"),
    )
    op.create_index("ix_recovery_code_person_id", "recovery_code", ["person_id"])
    op.create_table(
        "revision",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("restored_from", sa.Integer(), nullable=True),
        sa.Column("html", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "title",
            sa.String(length=300).with_variant(sa.String(length=300, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("slug", sa.String(length=100), nullable=False),
        sa.Column("canonical_url", sa.String(length=2000), nullable=True),
        sa.Column("cover_image", sa.String(length=2000), nullable=True),
        sa.Column("language", sa.String(length=35), nullable=True),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("overrides", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_revision_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_revision"),
        sa.UniqueConstraint("post_id", "number", name="uq_revision_post_id_number"),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_agent", sa.String(length=300), nullable=False),
        sa.Column("address", sa.String(length=45), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("proved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("awaits_code", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_session_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("hash", name="uq_session_hash"),
    )
    op.create_index("ix_session_person_id", "session", ["person_id"])
    op.create_table(
        "view",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("post_id", sa.String(length=40), nullable=True),
        sa.Column("viewed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("visitor", sa.LargeBinary(length=16), nullable=True),
        sa.Column("referrer", sa.String(length=253), nullable=True),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name="fk_view_post_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_view"),
    )
    op.create_index("ix_view_post_id_viewed_at", "view", ["post_id", "viewed_at"])
    op.create_index("ix_view_viewed_at", "view", ["viewed_at"])
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("webhook_id", sa.String(length=40), nullable=False),
        sa.Column("event_id", sa.String(length=40), nullable=True),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure_count", sa.Integer(), nullable=False),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("error_detail", sa.String(length=500), nullable=True),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name="fk_webhook_delivery_webhook_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_delivery"),
        sa.UniqueConstraint("webhook_id", "event_id", name="uq_webhook_delivery_webhook_id_event_id"),
    )
    op.create_index("ix_webhook_delivery_created_at", "webhook_delivery", ["created_at"])
    op.create_index("ix_webhook_delivery_state_next_attempt_at", "webhook_delivery", ["state", "next_attempt_at"])
    op.create_index("ix_webhook_delivery_webhook_id_id", "webhook_delivery", ["webhook_id", "id"])
    op.create_index("ix_webhook_delivery_webhook_id_state_id", "webhook_delivery", ["webhook_id", "state", "id"])
    op.create_table(
        "attempt",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("delivery_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("operation", sa.String(length=10), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.String(length=20), nullable=True),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("error_detail", sa.String(length=2000), nullable=True),
        sa.ForeignKeyConstraint(["delivery_id"], ["delivery.id"], name="fk_attempt_delivery_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_attempt"),
        sa.UniqueConstraint("delivery_id", "number", name="uq_attempt_delivery_id_number"),
    )
    op.create_table(
        "stat",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("delivery_id", sa.String(length=40), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("views", sa.BigInteger(), nullable=True),
        sa.Column("likes", sa.BigInteger(), nullable=True),
        sa.Column("comments", sa.BigInteger(), nullable=True),
        sa.Column("shares", sa.BigInteger(), nullable=True),
        sa.Column("clicks", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["delivery_id"], ["delivery.id"], name="fk_stat_delivery_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_stat"),
    )
    op.create_index("ix_stat_delivery_id_taken_at", "stat", ["delivery_id", "taken_at"])
    op.create_index("ix_stat_taken_at", "stat", ["taken_at"])
    op.create_table(
        "webhook_attempt",
        sa.Column("delivery_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("error_detail", sa.String(length=500), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"], ["webhook_delivery.id"], name="fk_webhook_attempt_delivery_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("delivery_id", "number", name="pk_webhook_attempt"),
    )
    # ### end Alembic commands ###
    for statement in SEARCH_IN_SQLITE if op.get_bind().dialect.name == "sqlite" else SEARCH_IN_POSTGRESQL:
        op.execute(statement)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE post_text_words")
    for table in TABLES:
        op.drop_table(table)
