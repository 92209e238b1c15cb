"""The export of WordPress."""
