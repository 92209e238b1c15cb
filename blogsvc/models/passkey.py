"""What lets a person in beside their password: passkeys, and codes for the day on which the rest is lost."""

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

LONGEST_PASSKEY_NAME = 60
RECOVERY_CODES = 10
# Without what looks like something else. 16 of them are 79 bits, for which a fast hash will do.
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_PARTS, _PART = 4, 4


class Passkey(Base):
    """A credential of WebAuthn: its public half, and what the person calls it."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)
    # By which the authenticator names it: up to 1,023 bytes.
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    # The attested credential data, as the authenticator gave it.
    credential: Mapped[bytes] = mapped_column(LargeBinary)
    # How often the authenticator says that it was used; many always say 0.
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
        """Raises NotFound, for somebody else's too."""
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
    def is_anywhere(cls) -> bool:
        """Whether anybody has one."""
        return db.session.scalar(select(cls.id).limit(1)) is not None


class RecoveryCode(Base):
    """Lets a person in once, in the place of a one-time code. Only its hash is kept."""

    hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)

    @classmethod
    def renew(cls, person: Person) -> list[str]:
        """New codes in the place of those before; shown this once."""
        cls.forget(person)
        texts = ["-".join(_part() for _ in range(_PARTS)) for _ in range(RECOVERY_CODES)]
        db.session.add_all(cls(hash=hash_key(text.replace("-", "")), person_id=person.id) for text in texts)
        return texts

    @classmethod
    def use(cls, person: Person, text: str) -> bool:
        """Whether it was one of theirs, which it is no more."""
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


def _part() -> str:
    return "".join(choice(_LETTERS) for _ in range(_PART))
