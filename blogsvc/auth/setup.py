"""First-run setup: a one-time link creates the owner, names the blog and adds a sample draft."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest
from secrets import token_hex

from blogsvc.errors import Invalid, NotFound, StateConflict
from blogsvc.lib import passwords
from blogsvc.lib.crypto import Vault
from blogsvc.models import Post, Setting, User, transaction
from blogsvc.models.setting import blog_errors as blog_faults_of
from blogsvc.models.setting import describe_blog
from blogsvc.models.user import user_errors
from blogsvc.posts import editing, sample_draft

TOKEN_BYTES = 24
ALREADY_SET_UP = "This blog is already set up. Sign in, or ask an owner to invite you."
WRONG_SETUP_LINK = (
    "This setup link is no longer valid. The server prints the current link when it starts;"
    " `blogsvc user setup-link` creates a new one."
)


@dataclass(frozen=True)
class SetupForm:
    """The fields of the setup form: about the owner and the blog."""

    name: str
    email: str
    password: str
    title: str
    time_zone: str

    def require_valid(self) -> None:
        """Raise Invalid with all faults."""
        user = {"name": self.name, "email": self.email, "time_zone": self.time_zone, "password": self.password}
        if faults := [*blog_faults_of({"title": self.title}), *user_errors(**user, title=self.title)]:
            raise Invalid(*faults)


def setup_link(vault: Vault) -> str:
    """Return the token of the setup link, the same in all processes. Raises StateConflict if users exist."""
    _require_no_owner()
    return _token(vault) or _create(vault, is_first=True)


def replace_setup_link(vault: Vault) -> str:
    """Return the token of a new setup link. The earlier one stops working. Raises StateConflict if users exist."""
    return _create(vault, is_first=False)


def _create(vault: Vault, *, is_first: bool) -> str:
    with transaction():
        _require_no_owner()
        if not is_first or Setting.read("setup_link") is None:
            Setting.write("setup_link", token_hex(24))
        return _token(vault)


def _token(vault: Vault) -> str:
    """Return the token, which follows from a random text in the database and the key; "" without a link."""
    stored = Setting.read("setup_link")
    return urlsafe_b64encode(vault.derive(f"setup link {stored}")[:TOKEN_BYTES]).decode() if stored else ""


def require_setup_link(token: str, vault: Vault) -> None:
    """Raise StateConflict if users exist, NotFound if the token is not that of the newest link."""
    _require_no_owner()
    valid = _token(vault)
    if not valid or not compare_digest(valid.encode(), token.encode()):
        raise NotFound(WRONG_SETUP_LINK)


def set_up(token: str, beginning: SetupForm, vault: Vault, now: datetime) -> tuple[User, Post]:
    """Create the owner and the sample draft in one transaction, and return them. The link stops working.

    Raises Invalid if a field is invalid (the link then stays valid), and the errors of `require_setup_link`.
    """
    require_setup_link(token, vault)
    beginning.require_valid()
    password_hash = passwords.hashed(beginning.password)  # outside the transaction: hashing is slow on purpose
    zone = beginning.time_zone.strip()
    with transaction():
        require_setup_link(token, vault)
        owner = User.of(beginning.email.strip(), beginning.name.strip(), "owner", password_hash, zone, now)
        Setting.write("setup_link", None)
        Setting.write("time_zone", zone)
        entered = {"title": beginning.title.strip(), "author": beginning.name.strip()}
        describe_blog(entered)
        Setting.write("set_up_with", entered)
        sample = editing.create({"title": sample_draft.TITLE, "content": sample_draft.CONTENT}, None, now, owner.id)
        return owner, sample


def _require_no_owner() -> None:
    if User.count():
        raise StateConflict(ALREADY_SET_UP, state="set up")
