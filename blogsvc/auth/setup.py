"""First-run setup: a one-time link creates the owner, names the blog and adds a sample draft."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest
from secrets import token_urlsafe

from blogsvc.errors import Invalid, NotFound, StateConflict
from blogsvc.lib import passwords
from blogsvc.lib.crypto import hash_key
from blogsvc.models import Post, Setting, User, transaction
from blogsvc.models.setting import blog_errors as blog_faults_of
from blogsvc.models.setting import describe_blog
from blogsvc.models.user import user_errors
from blogsvc.posts import editing

ALREADY_SET_UP = "This blog is already set up. Sign in, or ask an owner to invite you."
WRONG_SETUP_LINK = (
    "This setup link is no longer valid. The server prints the current link when it starts;"
    " `blogsvc user setup-link` creates a new one."
)
SAMPLE_TITLE = "Start here: a sample draft"
# Not meant to be published. It shows what a post can contain and what the checks before publishing find.
SAMPLE = """\
Only users of this blog can see this draft. The text is on one side, and a preview of the page is on \
the other. Change a word and watch the preview.

## Write

There is no save button: your text is saved a moment after you stop typing, and the line at the top says so. \
**History** keeps the earlier versions. Restoring one adds a new version, so nothing is lost.

The text is [Markdown](https://commonmark.org/help/):

- two asterisks make text **bold**, one makes it *italic*; or select a word and press Ctrl+B or Ctrl+I (Cmd on a Mac);
- paste a URL over a word to make it a link;
- `##` starts a heading, `-` a list, `>` a quotation, and three backticks a code block.

Press Ctrl+/ to see all keyboard shortcuts.

## Leave yourself a note

Write TK (editors use it for *to come*) where something is still missing: the ferry takes TK minutes. The checks \
before publishing list every TK that is left. This is one.

## Add an image

Drop an image on the text, or paste it. Then type its alt text, which describes the image to people who cannot see it:

```
![The last ferry leaves the harbour, its lights already on](/media/ferry.webp)
```

The checks before publishing list images without alt text.

## Publish or schedule

Press Ctrl+Enter, or **Publish** at the top. Choose the destinations: your own blog and the accounts that you have \
connected in the settings. Then choose a time: now, the next free slot of the queue, or a date and time in your time \
zone. Scheduled posts are on the calendar, where you can move them.

Nothing is published before you confirm.

## Delete this draft

When you are done, move this draft to the trash. It is kept there for 30 days. Then write your own.
"""


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


def make_setup_link() -> str:
    """Create a setup link and return its token. Earlier links stop working. Raises StateConflict if users exist."""
    _require_no_owner()
    token = token_urlsafe(24)
    with transaction():
        _require_no_owner()
        Setting.write("setup_link", hash_key(token).hex())
    return token


def require_setup_link(token: str) -> None:
    """Raise StateConflict if users exist, NotFound if the token is not that of the newest link."""
    _require_no_owner()
    kept = Setting.read("setup_link") or ""
    if not compare_digest(kept, hash_key(token).hex()):
        raise NotFound(WRONG_SETUP_LINK)


def set_up(token: str, beginning: SetupForm, now: datetime) -> tuple[User, Post]:
    """Create the owner and the sample draft in one transaction, and return them. The link stops working.

    Raises Invalid if a field is invalid (the link then stays valid), and the errors of `require_setup_link`.
    """
    require_setup_link(token)
    beginning.require_valid()
    password_hash = passwords.hashed(beginning.password)  # outside the transaction: hashing is slow on purpose
    zone = beginning.time_zone.strip()
    with transaction():
        require_setup_link(token)
        owner = User.of(beginning.email.strip(), beginning.name.strip(), "owner", password_hash, zone, now)
        Setting.write("setup_link", None)
        Setting.write("time_zone", zone)
        describe_blog({"title": beginning.title, "author": beginning.name})
        sample = editing.create({"title": SAMPLE_TITLE, "content": SAMPLE}, None, now, owner.id)
        return owner, sample


def _require_no_owner() -> None:
    if User.count():
        raise StateConflict(ALREADY_SET_UP, state="set up")
