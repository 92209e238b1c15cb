"""Servers other than Slack that accept its incoming webhooks: Mattermost and Rocket.Chat.

They show Markdown instead of Slack's blocks, and return JSON instead of a word.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from blogsvc.connectors._kit import chat
from blogsvc.connectors._kit.announcements import BREAK, Allowance, announcement
from blogsvc.connectors._kit.untrusted_json import as_object, text
from blogsvc.connectors.base import Article, Connector, HttpResponse, Payload
from blogsvc.connectors.slack.text import MAX_SECTION_LENGTH
from blogsvc.lib.text.autolinks import outside_addresses

SHORTEST_SECRET = 8  # characters of a part of the URL's path; shorter ones are names, such as `hooks`
_MARKS = re.compile(r"(?=[*_~`#])")  # what both read as Markdown, and both can escape
# `@all` would notify everyone, and `<!here>` is Slack's way to say so.
_CALLS = re.compile(r"(?<=@)(?=\w)|(?<=<)(?=[!@#])")
_UNSEEN = "\u2060"  # a word joiner


def message(connector: Connector, article: Article) -> Payload:
    """Return the message as Markdown: the title in bold, the summary, and the link, which the servers preview."""
    words = article.own_text or f"{article.title}{article.summary}"
    room = Allowance(MAX_SECTION_LENGTH - (len(_escaped(words)) - len(words)) - len("****"), max_tags=0)
    announced = announcement(article, room, connector.label)
    title, rest = chat.parted(announced, article)
    parts = (f"**{_escaped(title)}**" if title else "", _escaped(rest), announced.link)
    text = BREAK.join(part for part in parts if part)
    length = MAX_SECTION_LENGTH - room.limit + announced.length
    return Payload({"text": text}, announced.warnings, length, announced.editable)


def is_accepted(answer: HttpResponse) -> bool:
    """Return True if a message was posted: Mattermost says `ok`, and Rocket.Chat `{"success": true}`."""
    return answer.text.strip() == "ok" or as_object(answer).get("success") is True


def knows_webhooks(answer: HttpResponse) -> bool:
    """Return True if this refuses a message as Mattermost does, which says little about why."""
    code = text(as_object(answer), "id") or ""
    return code.startswith("web.incoming_webhook.") and not is_gone(answer)


def is_gone(answer: HttpResponse) -> bool:
    """Return True if the server says that it has no such webhook."""
    said = as_object(answer)
    words = f"{text(said, 'id') or ''} {text(said, 'error') or ''}".lower()
    return bool(re.search(r"incoming_webhook\.(invalid|disabled)\b|invalid integration id|invalid token", words))


def secrets_of(url: str) -> tuple[str, ...]:
    """Return the parts of a webhook's URL that let others post."""
    path = urlsplit(url).path
    return tuple(part for part in (path, *path.split("/")) if len(part) >= SHORTEST_SECRET)


def _escaped(words: str) -> str:
    """Escape Markdown and mentions outside of URLs."""
    return outside_addresses(words, lambda part: _MARKS.sub(r"\\", _CALLS.sub(_UNSEEN, part)))
