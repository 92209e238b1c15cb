"""Verbs that move an instance or its posts: import, export, backup and restore."""
