"""The text of Slack messages, for the app and the webhook."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.announcements import Allowance, Announcement, announcement
from blogsvc.connectors.base import Article, Connector, Limit, Payload

MAX_SECTION_LENGTH = 3000  # characters; Slack accepts more in a new message, but not in an edited one
LIMITS = (Limit("text", MAX_SECTION_LENGTH, "characters"),)
CARRIES = frozenset({"title", "summary", "canonical_url"})
PREVIEW = chat.switch("preview", "Link preview", chat.YES)
_LINK = re.compile(r"(https?://[^\s<>]*[^\s<>.,;:!?)\]'\"])")


def message(connector: Connector, article: Article, options: Mapping[str, str]) -> Payload:
    """Return the message: blocks for the channel, which contain no markup, and text for notifications."""
    words = article.own_text or f"{article.title}{article.summary}"
    room = Allowance(MAX_SECTION_LENGTH - (len(escaped(words)) - len(words)), link_cost=0, max_tags=0)
    announced = announcement(article, room, connector.label)
    unfurl = chat.is_yes(connector, options, "preview")
    section = {"type": "rich_text_section", "elements": _elements(announced, article)}
    return Payload(
        {
            "text": _notification_text(announced, article),
            "blocks": [{"type": "rich_text", "elements": [section]}],
            "unfurl_links": unfurl,
            "unfurl_media": unfurl,
        },
        announced.warnings,
        MAX_SECTION_LENGTH - room.limit + announced.length,
        announced.editable,
    )


def escaped(text: str) -> str:
    """Escape Slack's markup: `<!everyone>` would notify everyone."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _notification_text(announced: Announcement, article: Article) -> str:
    title, rest = chat.parted(announced, article)
    link = escaped((announced.link or "").replace("|", "%7C"))
    named = f"<{link}|{escaped(title)}>" if link and title else escaped(title)
    below = f"<{link}>" if link and not title else ""
    return "\n".join(part for part in (named, escaped(rest), below) if part)


def _elements(announced: Announcement, article: Article) -> list[dict[str, Any]]:
    """Return the title as a link, then the rest with its URLs as links."""
    title, rest = chat.parted(announced, article)
    if not title:
        return [*_linked(rest), *([_plain("\n\n"), _link(announced.link)] if announced.link else [])]
    bold = {"style": {"bold": True}}
    head = _link(announced.link) | {"text": title} | bold if announced.link else _plain(title) | bold
    return [head, *_linked(f"\n{rest}" if rest else "")]


def _linked(text: str) -> list[dict[str, Any]]:
    parts = _LINK.split(text)  # every second part is a URL
    return [_link(part) if number % 2 else _plain(part) for number, part in enumerate(parts) if part]


def _plain(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _link(url: str) -> dict[str, Any]:
    return {"type": "link", "url": url}
