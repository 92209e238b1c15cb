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
from blogsvc.models.person import Person

MAX_PASSKEY_NAME_LENGTH = 60
RECOVERY_CODES = 10
# Without characters that look alike. 24 of them have 118 bits of entropy, so a fast hash is safe (ASVS asks for 112).
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_PARTS, _PART = 6, 4


class Passkey(Base):
    """A WebAuthn credential: its public key, and the name that the person gave it."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)
    # The id that the authenticator chose, up to 1,023 bytes.
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # The attested credential data, as sent by the authenticator.
    credential: Mapped[bytes] = mapped_column(LargeBinary)
    # The number of uses, as reported by the authenticator. Many always report 0.
    sign_count: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str] = mapped_column(String(60))
    created_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    person: Mapped[Person] = relationship(lazy="joined")

    @classmethod
    def add(
        cls, person: Person, credential_id: bytes, credential: bytes, sign_count: int, name: str, now: datetime
    ) -> Passkey:
        passkey = cls(id=new_id("pky", now), person_id=person.id, person=person, credential_id=credential_id)
        passkey.credential, passkey.sign_count, passkey.name, passkey.created_at = credential, sign_count, name, now
        db.session.add(passkey)
        return passkey

    @classmethod
    def get(cls, person: Person, passkey_id: str) -> Passkey:
        """Return a passkey of this person. Raises NotFound, also for a passkey of another person."""
        passkey = db.session.get(cls, passkey_id)
        if passkey is None or passkey.person_id != person.id:
            raise NotFound(f"There is no passkey {passkey_id!r}.")
        return passkey

    @classmethod
    def by_credential(cls, credential_id: bytes) -> Passkey | None:
        return db.session.scalar(select(cls).where(cls.credential_id == credential_id))

    @classmethod
    def all_of(cls, person: Person) -> list[Passkey]:
        return list(db.session.scalars(select(cls).where(cls.person_id == person.id).order_by(cls.created_at, cls.id)))

    @classmethod
    def forget(cls, person: Person) -> None:
        db.session.execute(delete(cls).where(cls.person_id == person.id))

    @classmethod
    def holders(cls) -> set[str]:
        """Return the ids of the people who have a passkey."""
        return set(db.session.scalars(select(cls.person_id).distinct()))

    @classmethod
    def is_anywhere(cls) -> bool:
        """Return True if any person has a passkey."""
        return db.session.scalar(select(cls.id).limit(1)) is not None


class RecoveryCode(Base):
    """A recovery code. It replaces a two-factor code once. Only its hash is stored."""

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)

    @classmethod
    def renew(cls, person: Person) -> list[str]:
        """Replace all recovery codes and return the new ones, which cannot be shown again."""
        cls.forget(person)
        texts = ["-".join(_random_group() for _ in range(_PARTS)) for _ in range(RECOVERY_CODES)]
        db.session.add_all(cls(hash=hash_key(text.replace("-", "")), person_id=person.id) for text in texts)
        return texts

    @classmethod
    def use(cls, person: Person, text: str) -> bool:
        """Use up a recovery code. Return False if this person has no such code."""
        letters = "".join(letter for letter in text.lower() if letter.isalnum())
        code = db.session.get(cls, hash_key(letters))
        if code is None or code.person_id != person.id:
            return False
        db.session.delete(code)
        return True

    @classmethod
    def left(cls, person: Person) -> int:
        return db.session.scalar(select(func.count()).select_from(cls).where(cls.person_id == person.id)) or 0

    @classmethod
    def forget(cls, person: Person) -> None:
        db.session.execute(delete(cls).where(cls.person_id == person.id))


def _random_group() -> str:
    return "".join(choice(_LETTERS) for _ in range(_PART))
