"""Share a draft by a link that ends, and take comments from whoever has it."""

from __future__ import annotations

import logging
import re
from datetime import datetime, timedelta

from blogsvc.errors import Fault, Invalid, NotFound, StateConflict
from blogsvc.lib.ids import new_id
from blogsvc.models import SITE, DraftComment, Post, ShareLink, User, db, nouns, transaction

log = logging.getLogger(__name__)

# How long links can last, in days. There is no "never": a draft that is shared for good is better published.
DAYS_CHOICES = (1, 7, 30)
DEFAULT_DAYS = 7
MAX_NAME_LENGTH, MAX_COMMENT_LENGTH, MAX_QUOTE_LENGTH = 100, 2_000, 300
MAX_OPEN_LINKS = 20  # of a post
MAX_COMMENTS = 200  # of a link
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def share(post: Post, name: str, days: int, now: datetime, created_by: str | None = None) -> tuple[ShareLink, str]:
    """Create a share link. Returns it with its token, which is shown only once, because only its hash is stored.

    Args:
        name: for whom the link is; may be empty.
        days: one of `DAYS_CHOICES`.
        created_by: the id of the user.

    Raises Invalid, NotFound if the user may not see the post any more, and StateConflict for a published post.
    """
    name = name.strip()
    faults = [] if _is_line(name, MAX_NAME_LENGTH) else [_bad_name("The name of a link")]
    if days not in DAYS_CHOICES:
        choices = ", ".join(map(str, DAYS_CHOICES))
        faults.append(Fault("#/days", "not_one_of", f"A link lasts one of these numbers of days: {choices}."))
    if faults:
        raise Invalid(*faults)
    with transaction():
        if created_by is not None:
            User.get(created_by).require_visible(post)
        _require_unpublished(post)
        if sum(not link.has_ended(now) for link in ShareLink.of_post(post.id)) >= MAX_OPEN_LINKS:
            detail = f"A post can have {MAX_OPEN_LINKS} share links at a time. Revoke one that is not needed any more."
            raise Invalid(Fault("#/name", "too_many", detail))
        link, token = ShareLink.make(post, name, now, timedelta(days=days), created_by)
        log.info("%s shares %s until %s", link.id, post.id, link.expires_at.isoformat())
        return link, token


def renew(link: ShareLink, now: datetime, by: str | None = None) -> str:
    """Give a link another address, for whoever has lost it, and return the token. The former address ends.

    The link belongs to `by`, the id of the user, from now on, so that it ends with their role.

    Raises NotFound if the link has ended or the user may not see the post any more, and StateConflict for a published
    post.
    """
    with transaction():
        if by is not None:
            User.get(by).require_visible(link.post)
        if link.has_ended(now):
            raise NotFound("This link has ended. Create a new one.")
        _require_unpublished(link.post)
        link.created_by = by or link.created_by
        return link.renew()


def revoke(link: ShareLink, now: datetime) -> None:
    """End a link at once. Its comments stay."""
    with transaction():
        link.revoke(now)
        log.info("%s is revoked", link.id)


def published_address(post: Post) -> str | None:
    """Return the URL of the published post, "" if it has none that is known; None if it is not published."""
    addresses = [
        (copy.destination != SITE, copy.url or "")
        for copy in post.deliveries
        if copy.copy_revision_id is not None and not copy.is_draft
    ]
    return min(addresses)[1] if addresses else None


def note_opening(link: ShareLink, now: datetime) -> None:
    """Count that a reader opened the link. Raises Busy at once if something else is writing."""
    with transaction(nouns.use_of(link.id), waits=False):
        link.note_opening(now)


def comment(link: ShareLink, name: str, text: str, quote: str, now: datetime) -> DraftComment:
    """Store a comment of a reader, as plain text.

    Raises Invalid, and NotFound if the link has ended, or its post is published or deleted.
    """
    name, text, quote = name.strip(), text.replace("\r\n", "\n").replace("\r", "\n").strip(), quote.strip()
    if faults := [*_comment_faults(name, text, quote)]:
        raise Invalid(*faults)
    with transaction():
        if link.has_ended(now) or link.post.deleted_at is not None or published_address(link.post) is not None:
            raise NotFound("This draft takes no more comments.")
        if DraftComment.count(DraftComment.link_id == link.id) >= MAX_COMMENTS:
            detail = f"This link has reached its limit of {MAX_COMMENTS} comments. Ask the author for a new link."
            raise Invalid(Fault("#/text", "too_many", detail))
        new_comment = DraftComment(id=new_id("cmt", now), post_id=link.post_id, link_id=link.id, name=name, text=text)
        new_comment.quote, new_comment.created_at, new_comment.resolved_at = quote, now, None
        db.session.add(new_comment)
        return new_comment


def resolve(comment: DraftComment, now: datetime, *, is_resolved: bool = True) -> None:
    """Mark a comment as done, so that it needs no attention any more; or take that back."""
    with transaction():
        comment.resolved_at = now if is_resolved else None


def delete_comment(comment: DraftComment) -> None:
    """Delete a comment for good."""
    with transaction():
        db.session.delete(comment)


def _comment_faults(name: str, text: str, quote: str) -> list[Fault]:
    faults = []
    if not name:
        faults.append(Fault("#/name", "required", "Enter your name, so that the author knows who writes."))
    elif not _is_line(name, MAX_NAME_LENGTH):
        faults.append(_bad_name("Your name"))
    if not text:
        faults.append(Fault("#/text", "required", "Enter a comment."))
    elif len(text) > MAX_COMMENT_LENGTH:
        detail = f"A comment has at most {MAX_COMMENT_LENGTH:,} characters; this one has {len(text):,}. Shorten it."
        faults.append(Fault("#/text", "too_long", detail))
    elif _CONTROL.search(text):
        faults.append(Fault("#/text", "control_character", "The comment contains a control character. Remove it."))
    if not _is_line(quote, MAX_QUOTE_LENGTH):
        faults.append(Fault("#/quote", "invalid", "Choose one of the paragraphs."))
    return faults


def _bad_name(what: str) -> Fault:
    return Fault("#/name", "invalid", f"{what} must be a single line of at most {MAX_NAME_LENGTH} characters.")


def _is_line(text: str, max_length: int) -> bool:
    """Return True for one line of text without control characters."""
    return len(text) <= max_length and not _CONTROL.search(text) and not {"\n", "\t"} & set(text)


def _require_unpublished(post: Post) -> None:
    if published_address(post) is not None:
        raise StateConflict("This post is published. Share its address instead.", state=post.state)
