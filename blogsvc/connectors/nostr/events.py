"""Content of Nostr events: articles (NIP-23), profiles and reactions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from blogsvc.connectors.base import Article, Figures
from blogsvc.connectors.nostr.identity import Event, Identity, Tags, values
from blogsvc.lib.text.autolinks import hashtag

PROFILE = 0
LIKE, COMMENTS, SHARES = 7, (1, 1111), (6, 16)
MAX_TAGS = 30
ENVELOPE = 600  # bytes for the other fields of an event: id, keys, signature, `d`


def tags(article: Article) -> Tags:
    """Return the tags of NIP-23. The original's URL is a reference tag, which clients can search for."""
    moment = article.published_at
    one_each = {
        "title": article.title,
        "summary": article.summary,
        "image": article.cover_url,
        "published_at": str(int(moment.timestamp())) if moment else None,
        "r": article.canonical_url,
    }
    # Any word can be a tag here, also `c#`, which is no hashtag elsewhere.
    words = dict.fromkeys((hashtag(tag) or tag.strip().removeprefix("#")).lower() for tag in article.tags)
    found = list(filter(None, words))[:MAX_TAGS]
    return [[name, value] for name, value in one_each.items() if value] + [["t", word] for word in found]


def content(text: str, canonical_url: str | None) -> str:
    if canonical_url is None:
        return text.strip()
    link = canonical_url.replace("(", "%28").replace(")", "%29")
    return f"{text.strip()}\n\n[Originally published here]({link})"


def size(words: Mapping[str, Any]) -> int:
    """Return the size in bytes of the message with this event, or with these fields of one."""
    size = len(json.dumps(words, ensure_ascii=False, separators=(",", ":")).encode())
    return size + (len('["EVENT",]') if "sig" in words else ENVELOPE)


def name_in(profiles: Sequence[Event], identity: Identity) -> str:
    """Return the name in the newest profile, or the public key."""
    mine = [event for event in profiles if (event["kind"], event["pubkey"]) == (PROFILE, identity.public_key)]
    newest = max(mine, key=lambda event: event["created_at"], default={"content": "{}"})
    try:
        profile = json.loads(newest["content"])
        names = [profile.get(name) for name in ("display_name", "name")]
    except (ValueError, RecursionError, AttributeError):
        names = []
    return next((name[:100] for name in names if isinstance(name, str) and name.strip()), identity.npub)


def figures(events: Sequence[Event], address: str) -> Figures:
    about = {e["id"]: e for e in events if address in (*values(e, "a"), *values(e, "A"))}.values()
    likes = {event["pubkey"] for event in about if event["kind"] == LIKE and event["content"] != "-"}
    comments, shares = (sum(event["kind"] in kinds for event in about) for kinds in (COMMENTS, SHARES))
    return Figures(likes=len(likes), comments=comments, shares=shares)
