"""The export of Ghost."""
