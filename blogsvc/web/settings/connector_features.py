"""What a platform can do with posts, in sentences, for the page on which it is connected."""

from __future__ import annotations

from typing import NamedTuple

from blogsvc.connectors.base import Connector, Limit, by_part

PART_NAMES = {
    "title": "a title",
    "summary": "a summary",
    "tags": "tags",
    "language": "the language",
    "canonical_url": "an original link",
}
LIMITED = {"tag": "Each tag", "tags": "A post", "text": "The text", "title": "A title", "summary": "A summary"}
# What happens to a copy, by the kind of the connector.
WHEN_UPDATED = {
    "newsletter": "When you publish changes, the copy is updated. Sent e-mails don't change.",
    "file": "When you publish changes, the file is updated.",
    "event": "When you publish changes, a message is sent.",
}
WHEN_DELETED = {
    "newsletter": "When you unpublish the post, its draft is deleted. A sent e-mail can't be recalled.",
    "file": "When you unpublish the post, the file is deleted.",
    "event": "When you unpublish the post, a message is sent.",
}


class Possibility(NamedTuple):
    """A row of "What will be possible". `is_possible` is None if a person does it by hand."""

    name: str
    is_possible: bool | None
    how: str


def possibilities(kind: type[Connector]) -> list[Possibility]:
    """Return what a destination can do and what not, as the connector declares it."""
    return _by_hand(kind) if kind.can("hand_over") else _by_connector(kind)


def _by_connector(kind: type[Connector]) -> list[Possibility]:
    update = WHEN_UPDATED.get(kind.category, "When you publish changes, the copy is updated. Its link stays.")
    delete = WHEN_DELETED.get(kind.category, "When you unpublish the post, the copy is deleted.")
    if kind.can("unpublish"):
        unpublish = Possibility("Unpublish", True, "When you unpublish the post, the copy becomes a draft.")
    else:
        unpublish = _possibility(
            "Delete", kind.can("delete"), delete, f"Copies can't be deleted from here. Delete them on {kind.label}."
        )
    return [
        Possibility("Publish", True, f"{_copy(kind)}.{_mail(kind)}"),
        _possibility("Edit", kind.can("update"), update, "Published copies can't be updated from here."),
        unpublish,
        _images(kind),
        _figures(kind),
        *_full_article(kind),
    ]


def _by_hand(kind: type[Connector]) -> list[Possibility]:
    return [
        Possibility("Prepare", True, f"{_copy(kind)}, ready to copy."),
        Possibility("Remind", True, "When a post is live, blogsvc reminds you to post it."),
        Possibility("Update", None, "You do it; blogsvc shows what changed."),
        Possibility("Delete", None, "You do it; blogsvc shows how."),
        *([_images(kind)] if "images" in kind.carries else []),
        _figures(kind),
        *_full_article(kind),
    ]


def _possibility(name: str, is_possible: bool, how: str, else_: str) -> Possibility:
    return Possibility(name, is_possible, how if is_possible else else_)


def _copy(kind: type[Connector]) -> str:
    """Return what is published, with its limits."""
    limits = _main_limits(kind)
    match kind.category:
        case "newsletter":
            return "The full article, as an e-mail to your subscribers"
        case "file":
            return "The full article, as a file"
        case "event":
            return "The full article, as a message to your server"
        case "article":
            return f"The full article{', with ' if limits else ''}{_joined_with_and(list(limits.values()))}"
    title = limits.get("title", "")
    if "text" in limits:
        return f"An announcement {limits['text']} that links to your post{f', with {title}' if title else ''}"
    return f"{title[:1].upper()}{title[1:]} with a link to your post" if title else "An announcement with a link"


def _main_limits(kind: type[Connector]) -> dict[str, str]:
    """Return the limits that "Publish" contains: the first one of the title, the text and the number of tags."""
    if kind.category not in ("article", "announcement"):
        return {}
    first = by_part(kind.limits)
    a_text = "a text of" if kind.category == "article" else "of"
    words = {"title": "a title of up to", "text": f"{a_text} up to", "tags": "up to"}
    return {part: f"{said} {first[part].amount}" for part, said in words.items() if part in first}


def _mail(kind: type[Connector]) -> str:
    if kind.category == "article" and kind.mail_option:
        return " You can also send it as an e-mail to your subscribers."
    return ""


def _images(kind: type[Connector]) -> Possibility:
    has_images, has_cover = "images" in kind.carries, "cover" in kind.carries
    if kind.can("hand_over"):
        how = "Listed with their alt texts, for you to add."
    elif kind.category == "announcement":
        how = "The cover image, or the first image in the text." if has_images else "The cover image."
    elif kind.category == "event":
        how = "Their addresses are in the message."
    else:
        how = f"Those in the text{' and the cover image' if has_cover else ''}, with their alt texts."
    return _possibility("Images", has_images or has_cover, how, "Images aren't published.")


def _figures(kind: type[Connector]) -> Possibility:
    such = "opens and clicks" if kind.category == "newsletter" else "likes and comments"
    return _possibility(
        "Read back",
        kind.can("stats"),
        f"Figures such as {such}, in Analytics.",
        "No statistics: likes, comments and views aren't available.",
    )


def _full_article(kind: type[Connector]) -> list[Possibility]:
    """Return the row about the full article for announcements. The other kinds always publish it."""
    if kind.category != "announcement":
        return []
    # By convention, an option of an announcement that publishes the full text has the choice "whole".
    whole = next((option for option in kind.options if "whole" in option.choices), None)
    if whole is not None:
        return [Possibility("Full article", True, f"If you choose “{whole.label}: whole” for a post.")]
    does = "prepared" if kind.can("hand_over") else "published"
    return [Possibility("Full article", False, f"Only an announcement is {does}.")]


def limitations(kind: type[Connector]) -> list[str]:
    """Return the limitations of a connector that `possibilities` does not contain, as sentences."""
    missing = [words for part, words in PART_NAMES.items() if part not in kind.carries]
    main = _main_limits(kind)
    seen = {part: limit for part, limit in by_part(kind.limits).items() if part in main}
    return [
        *([f"Not supported: {_joined_with_and(missing)}."] if missing else []),
        *(_limit_sentence(limit) for limit in kind.limits if seen.get(limit.part) is not limit),
        *kind.limitations,
    ]


def _joined_with_and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _limit_sentence(limit: Limit) -> str:
    return f"{LIMITED.get(limit.part, limit.part.capitalize())} can have at most {limit.amount}."
