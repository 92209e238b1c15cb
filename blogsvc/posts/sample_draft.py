"""The draft that a new blog starts with: what a post can contain, and what the checks before publishing find."""

from __future__ import annotations

from sqlalchemy import select

from blogsvc.models import Post, db

TITLE = "Start here: a sample draft"
CONTENT = """\
Only users of this blog can see this draft. The text is on one side, and a preview of the page is on \
the other. Change a word and watch the preview.

## Write

There is no save button: your text is saved a moment after you stop typing, and the line at the top says so. \
**Version history** keeps the earlier ones. Restoring one adds a new version, so nothing is lost.

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


def has_own_posts(user_id: str) -> bool:
    """Return True if a user has written a text, other than the sample as it was."""
    is_own = Post.content.not_in(("", CONTENT))
    own = select(Post.id).where(Post.author_id == user_id, Post.deleted_at.is_(None), is_own)
    return db.session.scalar(own.limit(1)) is not None
