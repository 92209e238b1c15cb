"""Platforms without an API that can be used: a person posts the copy, and blogsvc prepares it."""

from blogsvc.connectors.by_hand.connector import ByHand
from blogsvc.connectors.by_hand.platforms import (
    Beehiiv,
    Facebook,
    HackerNews,
    Hashnode,
    Instagram,
    LinkedIn,
    Medium,
    Pinterest,
    Reddit,
    Substack,
    Threads,
    Tumblr,
    Website,
    X,
)

__all__ = [
    "Beehiiv",
    "ByHand",
    "Facebook",
    "HackerNews",
    "Hashnode",
    "Instagram",
    "LinkedIn",
    "Medium",
    "Pinterest",
    "Reddit",
    "Substack",
    "Threads",
    "Tumblr",
    "Website",
    "X",
]
