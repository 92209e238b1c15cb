"""Mastodon and servers with its API."""

from blogsvc.connectors.mastodon.connector import Mastodon

__all__ = ["Mastodon"]
