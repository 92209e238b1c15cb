"""Nostr."""

from blogsvc.connectors.nostr.connector import Nostr

__all__ = ["Nostr"]
