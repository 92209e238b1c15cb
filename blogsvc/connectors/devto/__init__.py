"""DEV (dev.to) and other Forem communities."""

from blogsvc.connectors.devto.connector import Devto

__all__ = ["Devto"]
