"""The text for states, causes and actions. Pages take it from here, so that one thing has one name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from blogsvc.connectors.base import Mailing
from blogsvc.delivery.attention import CommentedPost, FailureGroup, WaitingPosts
from blogsvc.delivery.status import DeliveryStatus, account_of, labels_of, retried
from blogsvc.models import SITE, Post, Revision
from blogsvc.models.adoptable import is_key
from blogsvc.models.creator import Creator

POST_STATES = {
    "draft": "Draft",
    "scheduled": "Scheduled",
    "missed": "Missed",
    "publishing": "Publishing",
    "published": "Published",
    "partial": "Partly published",
    "failed": "Failed",
    "unpublished": "Unpublished",
}
NEEDS_ATTENTION = ("missed", "partial", "failed")

REVISION_REASONS = {
    "saved": "Saved",
    "autosaved": "Autosaved",
    "longest": "Autosaved, before a removal",
    "before removal": "Before a large removal",
    "scheduled": "Scheduled",
    "published": "Published",
    "restored": "Restored from version {restored_from}",
    "restored part": "Paragraph restored from version {restored_from}",
    "set aside": "Not kept in a conflict",
}

WEBHOOK_DELIVERY_STATES = {
    "queued": "Queued",
    "sending": "Sending",
    "retrying": "Retrying",
    "delivered": "Delivered",
    "failed": "Failed",
}

QUEUED = {"create": "Queued", "update": "Queued to update", "delete": "Queued to unpublish"}
SENDING = {"create": "Sending", "update": "Updating", "delete": "Unpublishing"}

WHEN_RECONNECTED = {"create": "Published", "update": "Updated", "delete": "Unpublished"}

# Texts with `at` are followed by its time: "Retrying at 09:41".
DELIVERY_STATUS = {
    "scheduled": "Scheduled",
    "staged": "Scheduled. Ready as a draft on {label}",
    "paused": "Waiting for {label}. Next attempt",
    "retrying": "Retrying",
    "checking": "No response from {label}. Checking again",
    "disconnected": "Disconnected. Reconnect {label}, then retry.",
    "not_connected": "Waiting for {account}",
    "late": "The account was connected after this post's time. Publish it now?",
    "by_hand": "By hand. The text is ready for you when the post is live.",
    "ready_to_post": "Ready to post",
    "ready_to_update": "Changed since you posted it",
    "ready_to_remove": "Still on {label}. Delete it by hand.",
    "misconfigured": "The settings of this connection are wrong",
    "rejected": "{label} rejected this post",
    "edited": "Edited on {label} after it was published",
    "deleted": "Deleted on {label}",
    "edited_and_kept": "Edited on {label}, so the copy wasn't unpublished",
    "cannot_unpublish": "Can't be unpublished from here. Delete the copy on {label}.",
    "degraded": "Published. {label} shows the post without parts of it:",
    "unmailed": "Published. {label} couldn't send the e-mail.",
    "gave_up": "Failed after several attempts",
    "failed": "Failed",
    "live": "Live",
    "unpublished": "Unpublished",
    "drafted": "Unpublished. {label} keeps a draft, with its comments and figures.",
}

# Copies by hand, by operation: what a person does, and what follows the title of the post.
READY_ACTIONS = {"create": "Post on {label}", "update": "Update on {label}", "delete": "Delete on {label}"}
READY_SENTENCES = {
    "create": "is ready to post",
    "update": "changed since you posted it",
    "delete": "has to be deleted",
}

ACTIONS = {
    "retrying": "Retry now",
    "disconnected": "Reconnect {label}",
    "not_connected": "Connect {label}",
    "late": "Publish",
    "ready_to_post": READY_ACTIONS["create"],
    "ready_to_update": READY_ACTIONS["update"],
    "ready_to_remove": READY_ACTIONS["delete"],
    "misconfigured": "Check settings",
    "rejected": "Edit for {label}",
    "edited": "Overwrite copy",
    "edited_and_kept": "Unpublish anyway",
    "deleted": "Publish again",
    "cannot_unpublish": "Open {label}",
    "degraded": "Dismiss",
    "unmailed": "Dismiss",
    "gave_up": "Retry",
    "failed": "Retry",
}


def calendar_state(state: str, is_ready: bool = False, is_retried: bool = False) -> str:
    """Return the state of a post as screen readers announce it after the title."""
    if is_ready:
        return f"{POST_STATES[state].lower()}, ready to post by hand"
    if is_retried:
        return "published, retrying"
    return POST_STATES[state].lower() + (", needs attention" if state in NEEDS_ATTENTION else "")


def revision_reason(revision: Revision) -> str:
    """Return why a version was stored."""
    if revision.reason == "saved" and is_key(revision.created_by):
        return "Saved over the API"
    reason = REVISION_REASONS.get(revision.reason, revision.reason.capitalize())
    return reason.format(restored_from=revision.restored_from)


def creator_name(creator: Creator | None) -> str:
    """Return who did something; "" if it is not known."""
    if creator is None:
        return ""
    if creator.type == "key":
        return f"API key “{creator.name}”" if creator.name else "A deleted API key"
    return creator.name or "A removed user"


def post_state(post: Post, label: Callable[[str], str] = lambda name: labels_of([name])[0]) -> str:
    """Return the state of a post. `label` returns the name of a destination."""
    retrying = retried(post)
    return published_but_retried([label(name) for name in retrying]) if retrying else POST_STATES[post.state]


def published_but_retried(labels: Sequence[str]) -> str:
    """Return the state of a live post that is retried at these destinations. It needs nobody."""
    return f"Published, retrying {' and '.join(labels) if len(labels) < 3 else count_destinations(len(labels))}"


def place(destination: str, label: str) -> str:
    """Return the name of a destination as it follows "on" or "from"."""
    return "your blog" if destination == SITE else label


def count_destinations(count: int) -> str:
    return "1 destination" if count == 1 else f"{count} destinations"


def delivery_status(status: DeliveryStatus) -> str:
    match status.code:
        case "ready_to_post" | "ready_to_update" | "ready_to_remove" if status.at is not None:
            return f"{DELIVERY_STATUS[status.code].format(label=status.label).rstrip('.')}. Reminder"
        case "queued":
            return QUEUED[status.operation]
        case "sending":
            return SENDING[status.operation]
        case "disconnected" if status.at is not None:
            return f"Waiting for you to reconnect {status.label}. Checking again"
        case "disconnected" if status.delivery is None or status.delivery.state != "failed":
            return f"Disconnected. {WHEN_RECONNECTED[status.operation]} when you reconnect"
        case "rejected" if status.cause:
            return f"Rejected: {status.cause}"
        case "uncertain" if status.operation == "delete":
            return f"We can't tell whether {status.label} deleted the copy. Open {status.label} to check."
        case "uncertain":
            return f"We can't tell whether this post reached {status.label}. Open {status.label} to check."
    return DELIVERY_STATUS[status.code].format(label=status.label, account=account_of(status.label))


def action_label(one: DeliveryStatus) -> str:
    return ACTIONS.get(one.code, "").format(label=one.label)


def mail_status(mailing: Mailing | None) -> str:
    """Return how an e-mail is doing, as it follows the day on which it was sent."""
    if mailing is None:
        return ""
    people = "" if mailing.recipients is None else f" to {count_people(mailing.recipients)}"
    figures = ((mailing.delivered, "delivered"), (mailing.opened, "opened"))
    counted = ", ".join(f"{number:,} {word}" for number, word in figures if number is not None)
    match mailing.status:
        case "sending":
            return f"{people}, still sending"
        case "failed":
            return f"{people}. It failed{f': {mailing.error}' if mailing.error else ''}"
    return f"{people}{f': {counted}' if counted else ''}"


def count_people(count: int) -> str:
    return "1 person" if count == 1 else f"{count:,} people"


def subscribers(count: int | None) -> str:
    """Return whom an e-mail reaches. `count` is None if the platform does not tell."""
    return {None: "all subscribers", 1: "1 subscriber"}.get(count, f"{count or 0:,} subscribers")


def outcomes(operation: str | None) -> tuple[str, str]:
    """Return the two answers about an uncertain delivery: it was done, or it must be done again."""
    if operation == "delete":
        return "The copy is deleted", "Delete it again"
    return "The post is there", "Send it again"


def post_status(post: Post, statuses: list[DeliveryStatus]) -> str:
    """Return the heading of the status page. For a scheduled post, the page shows the time instead."""
    shown = [status for status in statuses if status.phase != "down"]
    live, total = sum(status.is_up for status in shown), count_destinations(len(shown))
    match post.state:
        case "draft":
            return "Not published yet"
        case "scheduled":
            return f"Scheduled for {total}"
        case "missed":
            return "Missed its scheduled time"
        case "unpublished":
            left = sum(status.phase not in ("down", "live") for status in statuses)
            return f"Unpublishing from {count_destinations(left)}" if left else "Unpublished"
    if live == len(shown):
        return f"Live on {total}"
    if not live:
        is_busy = any(status.phase in ("queued", "sending") for status in shown)
        return f"Publishing to {total}" if is_busy else "Not live yet"
    rest = [status for status in shown if not status.is_up]
    if all(status.code == "retrying" for status in rest):
        return published_but_retried(labels_of([status.platform for status in rest]))
    return f"Live on {live} of {total}"


def status_note(statuses: list[DeliveryStatus]) -> str:
    """Return what is still to be done: "1 is sending, 4 need you."; "" if nothing is."""
    counts = {
        ("is sending", "are sending"): sum(status.phase in ("queued", "sending") for status in statuses),
        ("retries automatically", "retry automatically"): sum(status.phase == "waiting" for status in statuses),
        ("needs you", "need you"): sum(status.phase in ("open", "hand", "trouble") for status in statuses),
    }
    parts = [f"{count} {words[count > 1]}" for words, count in counts.items() if count]
    return f"{', '.join(parts)}." if parts else ""


def failure_sentence(group: FailureGroup, label: str, is_connected: bool) -> str:
    """Return what went wrong for a group of deliveries with the same cause. `label` is the destination."""
    cause, count = group.cause, group.count
    posts = "1 post" if count == 1 else f"{count} posts"
    copies = "1 copy" if count == 1 else f"{count} copies"
    were = "was" if count == 1 else "were"
    if cause.kind == "uncertain":
        title = group.deliveries[0].post.title if count == 1 and group.deliveries else ""
        return f"We can't tell whether {f'“{title}”' if title else posts} reached {label}."
    if cause.kind == "duplicated":
        return f"{posts} {were} published to {label} more than once, because a request arrived late."
    if cause.kind == "edited" or cause.code == "conflict":
        return f"{copies} {were} edited on {label}."
    if cause.code == "edited":
        return f"{copies} {were} edited on {label} and not unpublished."
    if cause.kind == "gone" or cause.code == "gone":
        return f"{copies} {were} deleted on {label}."
    if cause.kind == "degraded":
        return f"{label} shows {posts} without parts of {'it' if count == 1 else 'them'}."
    if cause.kind == "unmailed":
        return f"{label} couldn't send the e-mail of {posts}."
    if not is_connected:
        return f"{label} is no longer connected. {posts} can't be published there."
    match cause.code:
        case "unsupported":
            return f"{copies} on {label} can't be unpublished from here."
        case "rejected":
            return f"{label} rejected {posts}."
        case "gave_up":
            return f"{posts} couldn't be published to {label} after several attempts."
    return f"{posts} couldn't be published to {label}."


def waiting_sentence(group: WaitingPosts, label: str) -> str:
    """Return what a group of posts waits for. `label` is the destination."""
    posts = "1 post waits" if group.count == 1 else f"{group.count} posts wait"
    return f"{posts} for {label if group.is_late else account_of(label)}."


def lateness(due: datetime, now: datetime) -> str:
    """Return how late a post is: "5 days late"; "" if it is not."""
    hours = int((now - due).total_seconds() // 3600)
    count, unit = (hours // 24, "day") if hours >= 24 else (hours, "hour")
    return f"{count} {unit}{'' if count == 1 else 's'} late" if hours >= 1 else ""


def comments_sentence(commented: CommentedPost) -> str:
    """Return who commented on a shared draft. The names are those that the readers gave."""
    title = commented.post.title or "Untitled"
    if commented.count == 1:
        return f"{commented.name} commented on “{title}”."
    return f"{commented.count} comments on “{title}”, the last one by {commented.name}."


def failure_actions(group: FailureGroup, is_connected: bool) -> tuple[tuple[str, str], ...]:
    """Return the buttons for a group of failures: the action and its label."""
    cause, count = group.cause, group.count
    dismiss = ("leave", "Dismiss")
    number = "" if count == 1 else f" {count}"
    copies = "copy" if count == 1 else "copies"
    if cause.kind == "uncertain":
        return ()
    if cause.kind == "duplicated":
        return ("remove", "Remove extra copies"), ("leave", "Keep them")
    if cause.kind == "edited" or cause.code == "conflict":
        return ("retry", f"Overwrite{number} {copies}"), dismiss
    if cause.code == "edited":
        return ("retry", "Unpublish anyway"), ("leave", f"Keep{number} {copies}")
    if cause.kind == "gone" or cause.code == "gone":
        return ("retry", f"Publish{number} {copies} again"), dismiss
    if not is_connected or cause.code == "unsupported" or cause.kind in ("degraded", "unmailed"):
        return (dismiss,)
    return ("retry", "Retry" if count == 1 else f"Retry {count} posts"), dismiss
