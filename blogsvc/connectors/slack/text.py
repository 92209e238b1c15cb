"""The text of Slack messages, for the app and the webhook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.announcements import Allowance, Announcement, announcement
from blogsvc.connectors.base import Article, Connector, Limit, Payload
from blogsvc.lib.text.autolinks import Autolink, addresses

MAX_SECTION_LENGTH = 3000  # characters; Slack accepts more in a new message, but not in an edited one
LIMITS = (Limit("text", MAX_SECTION_LENGTH, "characters"),)
CARRIES = frozenset({"title", "summary", "canonical_url"})
PREVIEW = chat.switch("preview", "Link preview", chat.YES)


def message(connector: Connector, article: Article, options: Mapping[str, str]) -> Payload:
    """Return the message: blocks for the channel, which contain no markup, and text for notifications."""
    words = article.own_text or f"{article.title}{article.summary}"
    limit = MAX_SECTION_LENGTH - (len(escaped(words)) - len(words))
    room = Allowance(limit, link_cost=0, max_tags=0, has_links=True)
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
        return [*_linked(rest, announced.links), *([_plain("\n\n"), _link(announced.link)] if announced.link else [])]
    bold = {"style": {"bold": True}}
    head = _link(announced.link) | {"text": title} | bold if announced.link else _plain(title) | bold
    return [head, *_linked(f"\n{rest}" if rest else "")]


def _linked(text: str, links: Sequence[Autolink] = ()) -> list[dict[str, Any]]:
    """Return the parts of a text, with its links and bare addresses as links."""
    bare = (one for one in addresses(text) if not any(link.start <= one.start < link.end for link in links))
    parts, done = [], 0
    for link in sorted([*links, *bare]):
        words = text[link.start : link.end]
        parts += [
            _plain(text[done : link.start]),
            _link(link.target) | ({} if words == link.target else {"text": words}),
        ]
        done = link.end
    return [part for part in (*parts, _plain(text[done:])) if part.get("text") != ""]


def _plain(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _link(url: str) -> dict[str, Any]:
    return {"type": "link", "url": url}
