"""Bluesky."""

from blogsvc.connectors.bluesky.connector import Bluesky

__all__ = ["Bluesky"]
