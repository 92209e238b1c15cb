"""Ghost."""

from blogsvc.connectors.ghost.connector import Ghost

__all__ = ["Ghost"]
