"""Helpers for chat platforms: a bold title above the text, on/off options, and copies named by their link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

from blogsvc.connectors._kit.announcements import BREAK, Announcement
from blogsvc.connectors.base import Article, Connector, Option, Receipt, Unsupported
from blogsvc.lib.text.autolinks import Autolink

YES = "yes"
NO = "no"


def chosen(connector: Connector, options: Mapping[str, str], name: str) -> str:
    """Return the author's choice for an option, or its default."""
    option = next(one for one in connector.options if one.name == name)
    return options.get(name) or option.default


def is_yes(connector: Connector, options: Mapping[str, str], name: str) -> bool:
    return chosen(connector, options, name) == YES


def switch(name: str, label: str, default: str = NO, help: str = "") -> Option:
    """Return an option that is on or off."""
    return Option(name, label, (NO, YES), default, help)


def parted(announcement: Announcement, article: Article) -> tuple[str, str]:
    """Return the title and the text below it. A text written for this destination has no title."""
    if article.is_own or not article.title.strip():
        return "", announcement.words
    title, _, rest = announcement.words.partition(BREAK)
    return title, rest


def html(announcement: Announcement, article: Article, bold: str) -> str:
    """Return the announcement as HTML for chats, with the title in the tag `bold`."""
    title, rest = parted(announcement, article)
    tags = " ".join(f"#{tag}" for tag in announcement.hashtags)
    link = f'<a href="{escape(announcement.link)}">{escape(announcement.link)}</a>' if announcement.link else ""
    head = f"<{bold}>{escape(title)}</{bold}>" if title else ""
    return BREAK.join(part for part in (head, linked(rest, announcement.links), link, escape(tags)) if part)


def linked(text: str, links: Iterable[Autolink]) -> str:
    """Return plain text as HTML, in which some words are links."""
    parts, done = [], 0
    for link in links:
        before, words = text[done : link.start], text[link.start : link.end]
        parts += [escape(before), f'<a href="{escape(link.target)}">{escape(words)}</a>']
        done = link.end
    return "".join([*parts, escape(text[done:])])


def which(pattern: re.Pattern[str], receipt: Receipt, label: str) -> re.Match[str]:
    """Match the id of a copy. Raises Unsupported if it does not match, such as a link that a person entered."""
    if found := pattern.fullmatch(receipt.remote_id):
        return found
    raise Unsupported(f"blogsvc can't tell which message on {label} is the copy. Edit or delete it on {label}.")
