"""Ways to sign in besides the password: passkeys, and recovery codes for a lost device."""

from __future__ import annotations

from datetime import datetime
from secrets import choice

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String, delete, func, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.errors import NotFound
from blogsvc.lib.crypto import hash_key
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.user import User

MAX_PASSKEY_NAME_LENGTH = 60
RECOVERY_CODES = 10
# Without characters that look alike. 24 of them have 118 bits of entropy, so a fast hash is safe (ASVS asks for 112).
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_PARTS, _PART = 6, 4


class Passkey(Base):
    """A WebAuthn credential: its public key, and the name that the user gave it."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    # The id that the authenticator chose, up to 1,023 bytes.
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # The attested credential data, as sent by the authenticator.
    credential: Mapped[bytes] = mapped_column(LargeBinary)
    # The number of uses, as reported by the authenticator. Many always report 0.
    sign_count: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str] = mapped_column(String(60))
    created_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    user: Mapped[User] = relationship(lazy="joined")

    @classmethod
    def add(
        cls, user: User, credential_id: bytes, credential: bytes, sign_count: int, name: str, now: datetime
    ) -> Passkey:
        passkey = cls(id=new_id("pky", now), user_id=user.id, user=user, credential_id=credential_id)
        passkey.credential, passkey.sign_count, passkey.name, passkey.created_at = credential, sign_count, name, now
        db.session.add(passkey)
        return passkey

    @classmethod
    def get(cls, user: User, passkey_id: str) -> Passkey:
        """Return a passkey of this user. Raises NotFound, also for a passkey of another user."""
        passkey = db.session.get(cls, passkey_id)
        if passkey is None or passkey.user_id != user.id:
            raise NotFound(f"There is no passkey {passkey_id!r}.")
        return passkey

    @classmethod
    def by_credential(cls, credential_id: bytes) -> Passkey | None:
        return db.session.scalar(select(cls).where(cls.credential_id == credential_id))

    @classmethod
    def all_of(cls, user: User) -> list[Passkey]:
        return list(db.session.scalars(select(cls).where(cls.user_id == user.id).order_by(cls.created_at, cls.id)))

    @classmethod
    def forget(cls, user: User) -> None:
        db.session.execute(delete(cls).where(cls.user_id == user.id))

    @classmethod
    def holders(cls) -> set[str]:
        """Return the ids of the users who have a passkey."""
        return set(db.session.scalars(select(cls.user_id).distinct()))

    @classmethod
    def is_anywhere(cls) -> bool:
        """Return True if any user has a passkey."""
        return db.session.scalar(select(cls.id).limit(1)) is not None


class RecoveryCode(Base):
    """A recovery code. It replaces a two-factor code once. Only its hash is stored."""

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)

    @classmethod
    def renew(cls, user: User) -> list[str]:
        """Replace all recovery codes and return the new ones, which cannot be shown again."""
        cls.forget(user)
        texts = ["-".join(_random_group() for _ in range(_PARTS)) for _ in range(RECOVERY_CODES)]
        db.session.add_all(cls(hash=hash_key(text.replace("-", "")), user_id=user.id) for text in texts)
        return texts

    @classmethod
    def use(cls, user: User, text: str) -> bool:
        """Use up a recovery code. Return False if this user has no such code."""
        letters = "".join(letter for letter in text.lower() if letter.isalnum())
        code = db.session.get(cls, hash_key(letters))
        if code is None or code.user_id != user.id:
            return False
        db.session.delete(code)
        return True

    @classmethod
    def left(cls, user: User) -> int:
        return db.session.scalar(select(func.count()).select_from(cls).where(cls.user_id == user.id)) or 0

    @classmethod
    def forget(cls, user: User) -> None:
        db.session.execute(delete(cls).where(cls.user_id == user.id))


def _random_group() -> str:
    return "".join(choice(_LETTERS) for _ in range(_PART))
