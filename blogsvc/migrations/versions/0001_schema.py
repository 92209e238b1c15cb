"""The schema of the first release.

Constraints and indexes without a name are named by the convention in `blogsvc/models/base.py`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ID = sa.String(40)
TIME = sa.DateTime(timezone=True)
ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite numbers the rows of INTEGER keys only

# Full-text search. SQLite: an FTS5 table with external content, which triggers keep up to date
# (https://sqlite.org/fts5.html, section 4.4.3). PostgreSQL: an index on an expression.
FULL_TEXT_INDEX = {
    "sqlite": (
        "CREATE VIRTUAL TABLE post_text_words USING fts5("
        "text, content='post_text', content_rowid='number', tokenize='unicode61 remove_diacritics 0')",
        "CREATE TRIGGER post_text_added AFTER INSERT ON post_text BEGIN"
        " INSERT INTO post_text_words(rowid, text) VALUES (new.number, new.text); END",
        "CREATE TRIGGER post_text_removed AFTER DELETE ON post_text BEGIN"
        " INSERT INTO post_text_words(post_text_words, rowid, text) VALUES ('delete', old.number, old.text); END",
        "CREATE TRIGGER post_text_changed AFTER UPDATE OF text ON post_text BEGIN"
        " INSERT INTO post_text_words(post_text_words, rowid, text) VALUES ('delete', old.number, old.text);"
        " INSERT INTO post_text_words(rowid, text) VALUES (new.number, new.text); END",
    ),
    "postgresql": ("CREATE INDEX ix_post_text_words ON post_text USING gin (to_tsvector('simple', text))",),
}

# Each change of a delivery marks the days whose roll-up it makes stale.
STALE_DAY_TRIGGERS = {
    "sqlite": (
        "CREATE TRIGGER delivery_day_added AFTER INSERT ON delivery BEGIN"
        " INSERT OR IGNORE INTO stale_delivery_day (day) VALUES (date(new.due_at)); END",
        "CREATE TRIGGER delivery_day_changed AFTER UPDATE OF due_at, destination, state, delivered_at ON delivery BEGIN"
        " INSERT OR IGNORE INTO stale_delivery_day (day) VALUES (date(old.due_at)), (date(new.due_at)); END",
        "CREATE TRIGGER delivery_day_removed AFTER DELETE ON delivery BEGIN"
        " INSERT OR IGNORE INTO stale_delivery_day (day) VALUES (date(old.due_at)); END",
    ),
    "postgresql": (
        "CREATE FUNCTION mark_delivery_day() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF TG_OP <> 'INSERT' THEN INSERT INTO stale_delivery_day (day)"
        " VALUES ((OLD.due_at AT TIME ZONE 'UTC')::date) ON CONFLICT DO NOTHING; END IF;"
        " IF TG_OP <> 'DELETE' THEN INSERT INTO stale_delivery_day (day)"
        " VALUES ((NEW.due_at AT TIME ZONE 'UTC')::date) ON CONFLICT DO NOTHING; END IF;"
        " RETURN NULL; END $$",
        "CREATE TRIGGER delivery_day_changed"
        " AFTER INSERT OR DELETE OR UPDATE OF due_at, destination, state, delivered_at ON delivery"
        " FOR EACH ROW EXECUTE FUNCTION mark_delivery_day()",
    ),
}

# In the order in which they are created.
TABLES = (
    "user",
    "invitation",
    "session",
    "passkey",
    "recovery_code",
    "attempt_counter",
    "usage",
    "api_key",
    "idempotent_response",
    "stream_ticket",
    "post",
    "revision",
    "post_slug",
    "post_label",
    "pending_publish",
    "queue_slot",
    "post_text",
    "share_link",
    "draft_comment",
    "media",
    "media_use",
    "connection",
    "upload",
    "delivery",
    "attempt",
    "staged_draft",
    "copy_search",
    "extra_copy",
    "event",
    "notice",
    "notice_position",
    "webhook",
    "webhook_delivery",
    "webhook_attempt",
    "page_view",
    "view_hour",
    "view_day",
    "view_month",
    "referrer_day",
    "referrer_month",
    "copy_stats",
    "delivery_day",
    "stale_delivery_day",
    "import_job",
    "imported_post",
    "imported_image",
    "old_address",
    "setting",
)


def upgrade() -> None:
    create_users()
    create_api_keys()
    create_posts()
    create_post_search()
    create_shared_drafts()
    create_media()
    create_connections()
    create_deliveries()
    create_events()
    create_webhooks()
    create_analytics()
    create_imports()
    create_settings()


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE post_text_words")
    for table in reversed(TABLES):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION mark_delivery_day")


def sorted_text(length: int) -> sa.types.TypeEngine[str]:
    """Return a string type that sorts by code points on both databases, whatever the locale of PostgreSQL."""
    return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")


def create_partial_index(name: str, table: str, columns: list[str], condition: str) -> None:
    """Create an index of the rows that meet a condition."""
    where = sa.text(condition)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def execute_all(statements: dict[str, tuple[str, ...]]) -> None:
    """Execute the statements for the database in use."""
    for statement in statements[op.get_bind().dialect.name]:
        op.execute(statement)


def create_users() -> None:
    """Users, how they sign in, and the limits on what they do."""
    op.create_table(
        "user",
        sa.Column("id", ID, primary_key=True),
        sa.Column("email", sa.String(254), nullable=False, unique=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("password_hash", sa.String(200), nullable=False),
        sa.Column("time_zone", sa.String(64), nullable=False),
        sa.Column("preferences", sa.JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("totp_secret", sa.LargeBinary),
        sa.Column("totp_since", TIME),
        sa.Column("totp_step", sa.Integer),
    )
    op.create_table(
        "invitation",
        sa.Column("id", ID, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("note", sa.String(100), nullable=False),
        sa.Column("created_by", ID),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
    )
    op.create_table(
        "session",
        sa.Column("id", ID, primary_key=True),
        sa.Column("user_id", ID, sa.ForeignKey("user.id", ondelete="CASCADE"), nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("user_agent", sa.String(300), nullable=False),
        sa.Column("address", sa.String(45), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("reauthenticated_at", TIME, nullable=False),
        sa.Column("is_two_factor", sa.Boolean, nullable=False),
        sa.Column("awaits_code", sa.Boolean, nullable=False),
    )
    op.create_index(None, "session", ["user_id"])
    op.create_table(
        "passkey",
        sa.Column("id", ID, primary_key=True),
        sa.Column("user_id", ID, sa.ForeignKey("user.id", ondelete="CASCADE"), nullable=False),
        sa.Column("credential_id", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("credential", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("used_at", TIME),
    )
    op.create_index(None, "passkey", ["user_id"])
    op.create_table(
        "recovery_code",
        sa.Column("hash", sa.LargeBinary, primary_key=True),
        sa.Column("user_id", ID, sa.ForeignKey("user.id", ondelete="CASCADE"), nullable=False),
    )
    op.create_index(None, "recovery_code", ["user_id"])
    op.create_table(
        "attempt_counter",
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("ends_at", TIME, nullable=False),
    )
    op.create_index(None, "attempt_counter", ["ends_at"])
    op.create_table(
        "usage",
        sa.Column("creator_id", ID, primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("posts", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
    )


def create_api_keys() -> None:
    """API keys, the stored responses of their requests, and their tickets for the event stream."""
    op.create_table(
        "api_key",
        sa.Column("id", ID, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("prefix", sa.String(20), nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("limits", sa.JSON, nullable=False),
        sa.Column("created_by", ID),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("last_used_at", TIME),
        sa.Column("expires_at", TIME),
        sa.Column("revoked_at", TIME),
    )
    op.create_table(
        "idempotent_response",
        sa.Column("key_id", ID, sa.ForeignKey("api_key.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("idempotency_key", sa.String(255), primary_key=True),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("headers", sa.JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
    )
    op.create_index(None, "idempotent_response", ["created_at"])
    op.create_table(
        "stream_ticket",
        sa.Column("hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("key_id", ID, sa.ForeignKey("api_key.id", ondelete="CASCADE"), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("opened_from", sa.String(50)),
    )
    op.create_index(None, "stream_ticket", ["key_id"])
    op.create_index(None, "stream_ticket", ["created_at"])


def create_posts() -> None:
    """Posts with their revisions, slugs, tags and categories, and the times at which they are published."""
    op.create_table(
        "post",
        sa.Column("id", ID, primary_key=True),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("platforms", sa.JSON, nullable=False),
        sa.Column("word_count", sa.Integer, nullable=False),
        sa.Column("author_id", ID),
        sa.Column("feed_id", sa.String(500)),
        sa.Column("scheduled_at", TIME),
        sa.Column("wall_time", sa.String(32)),
        sa.Column("time_zone", sa.String(64)),
        sa.Column("fold", sa.Integer),
        sa.Column("revision_count", sa.Integer, nullable=False),
        sa.Column("live_revision_id", ID),
        sa.Column("site_revision_id", ID),
        sa.Column("has_unpublished_changes", sa.Boolean, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("published_at", TIME),
        sa.Column("dated_at", TIME),
        sa.Column("deleted_at", TIME),
        sa.Column("version", sa.String(16), nullable=False),
        sa.Column("title", sorted_text(300), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("canonical_url", sa.String(2000)),
        sa.Column("cover_image", sa.String(2000)),
        sa.Column("cover_alt", sa.Text, nullable=False),
        sa.Column("language", sa.String(35)),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("overrides", sa.JSON, nullable=False),
    )
    op.create_index(None, "post", ["author_id", "created_at", "id"])
    op.create_index(None, "post", ["created_at", "id"])
    op.create_index(None, "post", ["published_at", "id"])
    op.create_index(None, "post", ["scheduled_at", "id"])
    op.create_index(None, "post", ["state", "created_at", "id"])
    op.create_index(None, "post", ["title", "id"])
    create_partial_index("ix_post_trashed", "post", ["deleted_at", "id"], "deleted_at IS NOT NULL")
    op.create_index(None, "post", ["updated_at", "id"])
    create_partial_index("ix_post_due", "post", ["scheduled_at"], "state = 'scheduled' AND deleted_at IS NULL")
    create_partial_index("ix_post_on_site", "post", ["published_at", "id"], "site_revision_id IS NOT NULL")
    op.create_table(
        "revision",
        sa.Column("id", ID, primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("reason", sa.String(20), nullable=False),
        sa.Column("created_by", ID),
        sa.Column("restored_from", sa.Integer),
        sa.Column("html", sa.Text),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME),
        sa.Column("title", sorted_text(300), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("canonical_url", sa.String(2000)),
        sa.Column("cover_image", sa.String(2000)),
        sa.Column("cover_alt", sa.Text, nullable=False),
        sa.Column("language", sa.String(35)),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("overrides", sa.JSON, nullable=False),
        sa.UniqueConstraint("post_id", "number"),
    )
    op.create_table(
        "post_slug",
        sa.Column("slug", sa.String(100), primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
        sa.Column("was_shown", sa.Boolean, nullable=False),
    )
    op.create_index(None, "post_slug", ["post_id"])
    op.create_table(
        "post_label",
        sa.Column("kind", sa.String(10), primary_key=True),
        sa.Column("value", sa.String(100), primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index(None, "post_label", ["post_id"])
    op.create_table(
        "pending_publish",
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("revision_id", ID, sa.ForeignKey("revision.id", ondelete="CASCADE"), nullable=False),
        sa.Column("platforms", sa.JSON, nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
    )
    op.create_index(None, "pending_publish", ["due_at"])
    op.create_table(
        "queue_slot",
        sa.Column("weekday", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("time", sa.String(5), primary_key=True),
    )


def create_post_search() -> None:
    """The text of posts and its full-text index."""
    op.create_table(
        "post_text",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False, unique=True),
        sa.Column("text", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    execute_all(FULL_TEXT_INDEX)


def create_shared_drafts() -> None:
    """Links to drafts, and the comments of the people who have them."""
    op.create_table(
        "share_link",
        sa.Column("id", ID, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("created_by", ID),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("is_revoked", sa.Boolean, nullable=False),
        sa.Column("last_opened_at", TIME),
        sa.Column("open_count", sa.Integer, nullable=False),
    )
    op.create_index(None, "share_link", ["post_id"])
    op.create_index(None, "share_link", ["created_by"])
    op.create_index(None, "share_link", ["expires_at"])
    op.create_table(
        "draft_comment",
        sa.Column("id", ID, primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
        sa.Column("link_id", ID, sa.ForeignKey("share_link.id", ondelete="SET NULL")),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("quote", sa.String(300), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("resolved_at", TIME),
    )
    op.create_index(None, "draft_comment", ["post_id"])
    op.create_index(None, "draft_comment", ["link_id"])


def create_media() -> None:
    """Images, and the posts that use them."""
    op.create_table(
        "media",
        sa.Column("id", ID, primary_key=True),
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("filename", sa.String(255), nullable=False),
        sa.Column("media_type", sa.String(40), nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("alt", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
        sa.Column("sizes", sa.JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("created_by", ID),
    )
    create_partial_index("ix_media_without_alt", "media", ["id"], "alt = ''")
    op.create_index(None, "media", ["key"], unique=True)
    op.create_table(
        "media_use",
        sa.Column("media_id", ID, primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index(None, "media_use", ["post_id"])


def create_connections() -> None:
    """Connections, and the images that they have uploaded to their platforms."""
    op.create_table(
        "connection",
        sa.Column("id", ID, primary_key=True),
        sa.Column("name", sorted_text(64), nullable=False, unique=True),
        sa.Column("connector", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("aliases", sa.JSON, nullable=False),
        sa.Column("account", sa.String(300), nullable=False),
        sa.Column("account_url", sa.String(2000)),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("session", sa.LargeBinary),
        sa.Column("lost_kinds", sa.JSON, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("failure_count", sa.Integer, nullable=False),
        sa.Column("paused_until", TIME),
        sa.Column("last_error", sa.String(2000)),
        sa.Column("verified_at", TIME),
        sa.Column("verify_at", TIME),
        sa.Column("verify_count", sa.Integer, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("created_by", ID),
        sa.Column("adopted_by", ID),
    )
    op.create_table(
        "upload",
        sa.Column("connection_id", ID, sa.ForeignKey("connection.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("reference", sa.Text, nullable=False),
        sa.Column("uploaded_at", TIME, nullable=False),
    )
    op.create_index(None, "upload", ["uploaded_at"])


def create_deliveries() -> None:
    """Deliveries with their attempts, the drafts staged for them, and extra copies on platforms."""
    op.create_table(
        "delivery",
        sa.Column("id", ID, primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
        sa.Column("destination", sa.String(64), nullable=False),
        sa.Column("connection_id", ID, sa.ForeignKey("connection.id", ondelete="SET NULL")),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("revision_id", ID),
        sa.Column("copy_revision_id", ID),
        sa.Column("copy_hash", sa.String(64)),
        sa.Column("remote_id", sa.String(2000)),
        sa.Column("url", sa.String(2000)),
        sa.Column("version", sa.String(500)),
        sa.Column("extra", sa.JSON, nullable=False),
        sa.Column("delivered_at", TIME),
        sa.Column("drift", sa.String(20)),
        sa.Column("is_drift_accepted", sa.Boolean, nullable=False),
        sa.Column("losses", sa.JSON),
        sa.Column("losses_dismissed_at", TIME),
        sa.Column("looked_at", TIME),
        sa.Column("look_at", TIME),
        sa.Column("measure_at", TIME),
        sa.Column("extra_count", sa.Integer, nullable=False),
        sa.Column("is_draft", sa.Boolean, nullable=False),
        sa.Column("is_deletion_wanted", sa.Boolean, nullable=False),
        sa.Column("mailed_at", TIME),
        sa.Column("is_mail_spent", sa.Boolean, nullable=False),
        sa.Column("mail", sa.JSON),
        sa.Column("mail_failed_at", TIME),
        sa.Column("operation", sa.String(10)),
        sa.Column("armed_revision_id", ID),
        sa.Column("keys", sa.JSON, nullable=False),
        sa.Column("is_in_doubt", sa.Boolean, nullable=False),
        sa.Column("late_until", TIME),
        sa.Column("next_attempt_at", TIME),
        sa.Column("wanted_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("failure_count", sa.Integer, nullable=False),
        sa.Column("error_code", sa.String(40)),
        sa.Column("error_detail", sa.String(2000)),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("lease_until", TIME),
        sa.Column("lease_owner", sa.String(32)),
        sa.UniqueConstraint("post_id", "destination"),
    )
    op.create_index(None, "delivery", ["connection_id", "state"])
    create_partial_index("ix_delivery_drifted", "delivery", ["drift"], "drift IS NOT NULL")
    op.create_index(None, "delivery", ["look_at"])
    op.create_index(None, "delivery", ["measure_at"])
    op.create_index(None, "delivery", ["state", "next_attempt_at"])
    op.create_index(None, "delivery", ["due_at", "destination", "state", "delivered_at"])
    create_partial_index("ix_delivery_duplicated", "delivery", ["extra_count"], "extra_count > 0")
    create_partial_index(
        "ix_delivery_degraded", "delivery", ["destination"], "losses IS NOT NULL AND losses_dismissed_at IS NULL"
    )
    create_partial_index("ix_delivery_mail_failed", "delivery", ["destination"], "mail_failed_at IS NOT NULL")
    op.create_index(None, "delivery", ["connection_id", "remote_id"])
    op.create_table(
        "attempt",
        sa.Column("id", ID, primary_key=True),
        sa.Column("delivery_id", ID, sa.ForeignKey("delivery.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("operation", sa.String(10), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("outcome", sa.String(20)),
        sa.Column("error_code", sa.String(40)),
        sa.Column("error_detail", sa.String(2000)),
        sa.UniqueConstraint("delivery_id", "number"),
    )
    create_partial_index("ix_attempt_unsuccessful", "attempt", ["delivery_id"], "outcome != 'succeeded'")
    op.create_table(
        "staged_draft",
        sa.Column("id", ID, primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False),
        sa.Column("connection_id", ID, sa.ForeignKey("connection.id", ondelete="CASCADE"), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("revision_id", ID),
        sa.Column("payload_hash", sa.String(64), nullable=False),
        sa.Column("keys", sa.JSON, nullable=False),
        sa.Column("remote_id", sa.String(2000)),
        sa.Column("url", sa.String(2000)),
        sa.Column("version", sa.String(500)),
        sa.Column("extra", sa.JSON, nullable=False),
        sa.Column("is_in_doubt", sa.Boolean, nullable=False),
        sa.Column("next_attempt_at", TIME),
        sa.Column("failure_count", sa.Integer, nullable=False),
        sa.Column("error_code", sa.String(40)),
        sa.Column("error_detail", sa.String(2000)),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("lease_until", TIME),
        sa.Column("lease_owner", sa.String(32)),
        sa.UniqueConstraint("post_id", "connection_id"),
    )
    op.create_index(None, "staged_draft", ["state"])
    op.create_index(None, "staged_draft", ["connection_id"])
    op.create_table(
        "copy_search",
        sa.Column("delivery_id", ID, sa.ForeignKey("delivery.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("keys", sa.JSON, nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("search_at", TIME, nullable=False),
    )
    op.create_index(None, "copy_search", ["search_at"])
    op.create_table(
        "extra_copy",
        sa.Column("id", ID, primary_key=True),
        sa.Column("delivery_id", ID, sa.ForeignKey("delivery.id", ondelete="CASCADE"), nullable=False),
        sa.Column("remote_id", sa.String(2000), nullable=False),
        sa.Column("url", sa.String(2000)),
        sa.Column("version", sa.String(500)),
        sa.Column("extra", sa.JSON, nullable=False),
        sa.Column("found_at", TIME, nullable=False),
        sa.Column("is_unwanted", sa.Boolean, nullable=False),
        sa.Column("is_kept", sa.Boolean, nullable=False),
        sa.Column("error_detail", sa.String(2000)),
        sa.UniqueConstraint("delivery_id", "remote_id"),
    )


def create_events() -> None:
    """Events, and the notices that are sent about them."""
    op.create_table(
        "event",
        sa.Column("position", ROW_NUMBER, primary_key=True),
        sa.Column("id", ID, nullable=False, unique=True),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("delivery_id", ID),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(None, "event", ["created_at"])
    op.create_index(None, "event", ["post_id", "position"])
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", ID, sa.ForeignKey("user.id", ondelete="CASCADE")),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("due_at", TIME),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("sent_at", TIME),
        sa.Column("failure_count", sa.Integer, nullable=False),
    )
    op.create_index(None, "notice", ["due_at"])
    op.create_index(None, "notice", ["user_id", "kind"], unique=True)
    op.create_table(
        "notice_position",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
    )


def create_webhooks() -> None:
    """Webhooks, and the deliveries and attempts of each."""
    op.create_table(
        "webhook",
        sa.Column("id", ID, primary_key=True),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("events", sa.JSON, nullable=False),
        sa.Column("description", sa.String(300), nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("former_secret", sa.LargeBinary),
        sa.Column("former_until", TIME),
        sa.Column("is_enabled", sa.Boolean, nullable=False),
        sa.Column("disabled_at", TIME),
        sa.Column("disabled_reason", sa.String(20)),
        sa.Column("failing_since", TIME),
        sa.Column("failure_count", sa.Integer, nullable=False),
        sa.Column("paused_until", TIME),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("created_by", ID),
        sa.Column("adopted_by", ID),
    )
    op.create_table(
        "webhook_delivery",
        sa.Column("id", ID, primary_key=True),
        sa.Column("webhook_id", ID, sa.ForeignKey("webhook.id", ondelete="CASCADE"), nullable=False),
        sa.Column("event_id", ID),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("next_attempt_at", TIME),
        sa.Column("failure_count", sa.Integer, nullable=False),
        sa.Column("error_code", sa.String(40)),
        sa.Column("error_detail", sa.String(2000)),
        sa.Column("delivered_at", TIME),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("lease_until", TIME),
        sa.Column("lease_owner", sa.String(32)),
        sa.UniqueConstraint("webhook_id", "event_id"),
    )
    op.create_index(None, "webhook_delivery", ["created_at"])
    op.create_index(None, "webhook_delivery", ["webhook_id", "id"])
    op.create_index(None, "webhook_delivery", ["webhook_id", "state", "id"])
    create_partial_index(
        "ix_webhook_delivery_waiting",
        "webhook_delivery",
        ["webhook_id", "next_attempt_at", "id"],
        "state IN ('queued', 'retrying')",
    )
    create_partial_index(
        "ix_webhook_delivery_sending", "webhook_delivery", ["webhook_id", "lease_until"], "state = 'sending'"
    )
    op.create_table(
        "webhook_attempt",
        sa.Column("delivery_id", ID, sa.ForeignKey("webhook_delivery.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("status_code", sa.Integer),
        sa.Column("error_code", sa.String(40)),
        sa.Column("error_detail", sa.String(500)),
        sa.Column("answer", sa.Text, nullable=False),
    )


def create_analytics() -> None:
    """Page views, figures of copies, and roll-ups of both and of deliveries."""
    op.create_table(
        "page_view",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("viewed_at", TIME, nullable=False),
        sa.Column("visitor", sa.LargeBinary(16)),
        sa.Column("referrer", sa.String(253)),
        sa.Column("views", sa.Integer, nullable=False),
    )
    op.create_index(None, "page_view", ["post_id", "viewed_at"])
    op.create_index(None, "page_view", ["viewed_at"])
    op.create_index(None, "page_view", ["visitor"])
    op.create_table(
        "view_hour",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("hour", TIME, nullable=False),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("views", sa.Integer, nullable=False),
        sa.Column("visitors", sa.Integer, nullable=False),
        sa.UniqueConstraint("post_id", "hour"),
    )
    op.create_index(None, "view_hour", ["hour", "post_id", "views", "visitors"])
    op.create_table(
        "view_day",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("views", sa.Integer, nullable=False),
        sa.Column("visitors", sa.Integer, nullable=False),
        sa.UniqueConstraint("post_id", "day"),
    )
    op.create_index(None, "view_day", ["day", "post_id", "views", "visitors"])
    op.create_table(
        "view_month",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("month", sa.Date, nullable=False),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("views", sa.Integer, nullable=False),
        sa.Column("visitors", sa.Integer, nullable=False),
        sa.UniqueConstraint("post_id", "month"),
    )
    op.create_index(None, "view_month", ["month", "post_id", "views", "visitors"])
    op.create_table(
        "referrer_day",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("host", sa.String(253), nullable=False),
        sa.Column("views", sa.Integer, nullable=False),
        sa.UniqueConstraint("post_id", "day", "host"),
    )
    op.create_index(None, "referrer_day", ["day"])
    op.create_table(
        "referrer_month",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("month", sa.Date, nullable=False),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("host", sa.String(253), nullable=False),
        sa.Column("views", sa.Integer, nullable=False),
        sa.UniqueConstraint("post_id", "month", "host"),
    )
    op.create_index(None, "referrer_month", ["month"])
    op.create_table(
        "copy_stats",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("delivery_id", ID, sa.ForeignKey("delivery.id", ondelete="CASCADE"), nullable=False),
        sa.Column("taken_at", TIME, nullable=False),
        sa.Column("views", sa.BigInteger),
        sa.Column("likes", sa.BigInteger),
        sa.Column("comments", sa.BigInteger),
        sa.Column("shares", sa.BigInteger),
        sa.Column("clicks", sa.BigInteger),
    )
    op.create_index(None, "copy_stats", ["delivery_id", "taken_at"])
    op.create_index(None, "copy_stats", ["taken_at"])
    op.create_table(
        "delivery_day",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("destination", sa.String(64), nullable=False),
        sa.Column("states", sa.JSON, nullable=False),
        sa.Column("lateness", sa.JSON, nullable=False),
        sa.Column("retried", sa.Integer, nullable=False),
        sa.UniqueConstraint("day", "destination"),
    )
    op.create_table("stale_delivery_day", sa.Column("day", sa.Date, primary_key=True))
    execute_all(STALE_DAY_TRIGGERS)


def create_imports() -> None:
    """Imports, and the addresses of imported blogs."""
    op.create_table(
        "import_job",
        sa.Column("id", ID, primary_key=True),
        sa.Column("filename", sa.String(255), nullable=False),
        sa.Column("format", sa.String(20)),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("choices", sa.JSON, nullable=False),
        sa.Column("user_id", ID),
        sa.Column("left_out", sa.JSON, nullable=False),
        sa.Column("old_addresses", sa.JSON),
        sa.Column("error", sa.String(2000)),
        sa.Column("failures", sa.JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("lease_until", TIME),
        sa.Column("lease_owner", sa.String(32)),
    )
    op.create_index(None, "import_job", ["state"])
    op.create_table(
        "imported_post",
        sa.Column("id", ROW_NUMBER, primary_key=True),
        sa.Column("import_id", ID, sa.ForeignKey("import_job.id", ondelete="CASCADE"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("source", sa.String(100), nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("obstacle", sa.String(20)),
        sa.Column("warnings", sa.JSON, nullable=False),
        sa.Column("address", sa.String(500)),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("detail", sa.Text),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="SET NULL")),
        sa.UniqueConstraint("import_id", "number"),
    )
    op.create_index(None, "imported_post", ["import_id", "address"])
    op.create_index(None, "imported_post", ["post_id"])
    op.create_index(None, "imported_post", ["source"])
    op.create_table(
        "imported_image",
        sa.Column("import_id", ID, sa.ForeignKey("import_job.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("media_id", ID, sa.ForeignKey("media.id", ondelete="CASCADE"), nullable=False),
    )
    op.create_index(None, "imported_image", ["media_id"])
    op.create_table(
        "old_address",
        sa.Column("address", sa.String(500), primary_key=True),
        sa.Column("post_id", ID, sa.ForeignKey("post.id", ondelete="CASCADE")),
        sa.Column("media_id", ID, sa.ForeignKey("media.id", ondelete="CASCADE")),
        sa.Column("tag", sa.String(100)),
        sa.Column("page", sa.String(100)),
    )
    op.create_index(None, "old_address", ["post_id"])
    op.create_index(None, "old_address", ["media_id"])


def create_settings() -> None:
    """The settings of the blog."""
    op.create_table(
        "setting",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.JSON, nullable=False),
    )
