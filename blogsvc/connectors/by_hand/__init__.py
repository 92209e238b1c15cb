"""Platforms without an API that can be used: a person posts the copy, and blogsvc prepares it."""

from blogsvc.connectors.by_hand.connector import ByHand
from blogsvc.connectors.by_hand.platforms import (
    Facebook,
    HackerNews,
    Hashnode,
    LinkedIn,
    Medium,
    Reddit,
    Substack,
    Threads,
    Tumblr,
    X,
)

__all__ = [
    "ByHand",
    "Facebook",
    "HackerNews",
    "Hashnode",
    "LinkedIn",
    "Medium",
    "Reddit",
    "Substack",
    "Threads",
    "Tumblr",
    "X",
]
