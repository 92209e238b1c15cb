"""WordPress."""

from blogsvc.connectors.wordpress.connector import WordPress

__all__ = ["WordPress"]
