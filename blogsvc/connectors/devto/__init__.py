"""DEV (dev.to) and other communities that run Forem."""

from blogsvc.connectors.devto.connector import Devto

__all__ = ["Devto"]
