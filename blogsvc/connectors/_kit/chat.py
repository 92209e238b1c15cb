"""What chats have in common: a bold title above the rest of what is said, and a copy that is named by its link."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from blogsvc.connectors._kit.announcements import BREAK, Announcement
from blogsvc.connectors.base import Article, Connector, Option, Receipt, Unsupported

YES = "yes"
NO = "no"


def chosen(connector: Connector, options: Mapping[str, str], name: str) -> str:
    """What the author chose, or what the connector chooses by itself."""
    option = next(one for one in connector.options if one.name == name)
    return options.get(name) or option.default


def is_yes(connector: Connector, options: Mapping[str, str], name: str) -> bool:
    return chosen(connector, options, name) == YES


def switch(name: str, label: str, default: str = NO, help: str = "") -> Option:
    """An option that is on or off."""
    return Option(name, label, (NO, YES), default, help)


def parted(said: Announcement, article: Article) -> tuple[str, str]:
    """The title and the words below it. Words that the author wrote for this destination have no title."""
    if article.is_own or not article.title.strip():
        return "", said.words
    title, _, rest = said.words.partition(BREAK)
    return title, rest


def html(said: Announcement, article: Article, bold: str) -> str:
    """All that is said, as HTML that a chat understands: the title in the tag `bold`, the link as a link."""
    title, rest = parted(said, article)
    tags = " ".join(f"#{tag}" for tag in said.hashtags)
    link = f'<a href="{escape(said.link)}">{escape(said.link)}</a>' if said.link else ""
    head = f"<{bold}>{escape(title)}</{bold}>" if title else ""
    return BREAK.join(part for part in (head, escape(rest), link, escape(tags)) if part)


def which(pattern: re.Pattern[str], receipt: Receipt, label: str) -> re.Match[str]:
    """The parts of the copy's id: ours, or the link that a person gave who found the copy there."""
    if found := pattern.fullmatch(receipt.remote_id):
        return found
    raise Unsupported(f"It is not known which message on {label} is the copy: change or delete it there by hand.")
