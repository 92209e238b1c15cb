"""The first run: a link that is good once makes the owner, names the blog and leaves a draft that explains itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest
from secrets import token_urlsafe

from blogsvc.errors import Invalid, NotFound, StateConflict
from blogsvc.lib import passwords
from blogsvc.lib.crypto import hash_key
from blogsvc.models import Person, Post, Setting, transaction
from blogsvc.models.person import person_errors
from blogsvc.models.setting import blog_errors as blog_faults_of
from blogsvc.models.setting import describe_blog
from blogsvc.posts import editing

ALREADY_SET_UP = "This blog is already set up. Sign in, or ask an owner to invite you."
WRONG_SETUP_LINK = (
    "This is not the newest link to set up this blog. The server says it when it starts, and"
    " `blogsvc user setup-link` makes a new one."
)
SAMPLE_TITLE = "Start here: a draft that explains itself"
# Not published by anybody, one hopes, but written as if: it shows what a post can hold and what the checks find.
SAMPLE = """\
Nobody sees this yet but the people who write here. It is a draft: typewritten here, and set in type as its readers \
would meet it in the proof beside it. Change a word, and watch both.

## Write

There is no button to save. A moment after you stop typing it is saved, and the line at the top says so. Nothing is \
lost: **History** keeps every earlier version, and to restore one adds another.

The text is [Markdown](https://commonmark.org/help/), a few marks that stay out of the way:

- two asterisks make it **bold**, one makes it *slanted*; or select a word and press Ctrl+B or Ctrl+I (Cmd on a Mac);
- paste an address over a word, and the word becomes a link;
- `##` begins a heading, `-` a list, `>` a quotation, and three backticks fence code in.

Ctrl+/ opens a list of everything else that the keyboard can do.

## Leave yourself a note

Write TK, which printers wrote for *to come*, where something is still missing: the ferry takes TK minutes. Before a \
post goes out you are shown each TK that is left, and this is one.

## Add a picture

Drop it on the text, or paste it. The caret then stands where its alt text goes, which is what is read out to somebody \
who cannot see the picture. Say what matters about it:

```
![The last ferry leaves the harbour, its lights already on](/media/ferry.webp)
```

A picture without those words is pointed out to you before you publish.

## Publish, or choose a time

Press Ctrl+Enter, or **Publish** at the top. You are asked where: your own blog, and every place that you have \
connected in the settings. And when: now, at your next slot, or at a time of your own, in your time zone. A post that \
has a time is on the calendar, and can be moved there.

Nothing goes out before you press the button that says where it goes.

## Throw this away

When you have seen enough, put this draft in the trash; it is kept there for thirty days. Then begin your own.
"""


@dataclass(frozen=True)
class SetupForm:
    """What the first person says: of themselves, and of the blog."""

    name: str
    email: str
    password: str
    title: str
    time_zone: str

    def demand_fit(self) -> None:
        """Raises Invalid, with all faults."""
        person = person_errors(name=self.name, email=self.email, time_zone=self.time_zone, password=self.password)
        if faults := [*blog_faults_of({"title": self.title}), *person]:
            raise Invalid(*faults)


def make_setup_link() -> str:
    """The token of a new link; the one before is void. Raises StateConflict where there are people."""
    _demand_nobody()
    token = token_urlsafe(24)
    with transaction():
        _demand_nobody()
        Setting.write("setup_link", hash_key(token).hex())
    return token


def require_setup_link(token: str) -> None:
    """Raises StateConflict where there are people, NotFound for another token than that of the newest link."""
    _demand_nobody()
    kept = Setting.read("setup_link") or ""
    if not compare_digest(kept, hash_key(token).hex()):
        raise NotFound(WRONG_SETUP_LINK)


def set_up(token: str, beginning: SetupForm, now: datetime) -> tuple[Person, Post]:
    """The owner and the sample draft, all or nothing; the link is used up.

    Raises Invalid where something said will not do: then the link stays good. Else as `demand_link`.
    """
    require_setup_link(token)
    beginning.demand_fit()
    password_hash = passwords.hashed(beginning.password)  # outside the lock: it is slow on purpose
    zone = beginning.time_zone.strip()
    with transaction():
        require_setup_link(token)
        owner = Person.of(beginning.email.strip(), beginning.name.strip(), "owner", password_hash, zone, now)
        Setting.write("setup_link", None)
        Setting.write("time_zone", zone)
        describe_blog({"title": beginning.title, "author": beginning.name})
        return owner, _sample(owner, now)


def _sample(owner: Person, now: datetime) -> Post:
    post = editing.create({"title": SAMPLE_TITLE, "content": SAMPLE}, None, now)
    post.author_id = owner.id
    return post


def _demand_nobody() -> None:
    if Person.count():
        raise StateConflict(ALREADY_SET_UP, state="set up")
