"""ways in: passkeys, one-time codes, invitations"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("person", sa.Column("totp_secret", sa.LargeBinary(), nullable=True))
    op.add_column("person", sa.Column("totp_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("person", sa.Column("totp_step", sa.Integer(), nullable=True))
    # Whoever is signed in signs in again: when they last showed who they are was not kept before.
    op.execute("DELETE FROM session")
    with op.batch_alter_table("session") as session:
        session.add_column(sa.Column("proved_at", sa.DateTime(timezone=True), nullable=False))
        session.add_column(sa.Column("awaits_code", sa.Boolean(), nullable=False))
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
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_passkey_person_id_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkey")),
        sa.UniqueConstraint("credential_id", name=op.f("uq_passkey_credential_id")),
    )
    op.create_index(op.f("ix_passkey_person_id"), "passkey", ["person_id"])
    op.create_table(
        "recovery_code",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("person_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_recovery_code_person_id_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_recovery_code")),
    )
    op.create_index(op.f("ix_recovery_code_person_id"), "recovery_code", ["person_id"])
    op.create_table(
        "invitation",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("note", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("hash", name=op.f("uq_invitation_hash")),
    )


def downgrade() -> None:
    op.drop_table("invitation")
    op.drop_table("recovery_code")
    op.drop_table("passkey")
    with op.batch_alter_table("session") as session:
        session.drop_column("awaits_code")
        session.drop_column("proved_at")
    for column in ("totp_step", "totp_since", "totp_secret"):
        op.drop_column("person", column)
